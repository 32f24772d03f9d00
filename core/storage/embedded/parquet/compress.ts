// Page compression: reads all codecs that DuckDB writes, writes zstd.
import { constants, gunzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { decodeSnappy, snappyLength, snappySlack } from '../../../wire/snappy.ts'
import { Codec } from './format.ts'
import { ParquetError } from './types.ts'

/** Smaller pages are not compressed. */
const minBytes = 256

/** A page stays uncompressed unless compression saves a tenth. */
const worthwhile = 0.9

/** Initial output memory per byte of input; it grows in steps. */
const usualRatio = 64

/** The bytes as a zstd frame; undefined if that saves less than a tenth, or the level is 0. */
export function tryCompress(bytes: Uint8Array, level: number): Uint8Array | undefined {
  if (bytes.length < minBytes || level === 0) return undefined
  const compressed = compress(bytes, level)
  return compressed.length <= bytes.length * worthwhile ? compressed : undefined
}

export function compress(bytes: Uint8Array, level: number): Uint8Array {
  return zstdCompressSync(bytes, {
    chunkSize: Math.max(1024, bytes.length),
    pledgedSrcSize: bytes.length,
    params: { [constants.ZSTD_c_compressionLevel]: level }
  })
}

/** Decompresses a page; throws ParquetError unless it has `length` bytes. */
export function decompress(codec: number, bytes: Uint8Array, length: number, page: number): Uint8Array {
  if (length === 0 && bytes.length === 0) return bytes
  let plain: Uint8Array
  try {
    plain = undo(codec, bytes, length)
  } catch (cause) {
    if (cause instanceof ParquetError) throw cause
    throw new ParquetError(`the page cannot be decompressed (${(cause as Error).message})`, page, cause)
  }
  if (plain.length !== length) {
    throw new ParquetError(`the page holds ${plain.length} bytes instead of the ${length} it announces`, page)
  }
  return plain
}

function undo(codec: number, bytes: Uint8Array, length: number): Uint8Array {
  const limits = {
    maxOutputLength: Math.max(1, length),
    chunkSize: Math.max(64, Math.min(length + 1, bytes.length * usualRatio))
  }
  switch (codec) {
    case Codec.none:
      return bytes
    case Codec.zstd:
      return zstdDecompressSync(bytes, limits)
    case Codec.gzip:
      return gunzipSync(bytes, limits)
    case Codec.snappy: {
      // Checked before memory is allocated: a copy of 64 bytes takes three bytes, which bounds the ratio.
      if (snappyLength(bytes) !== length || length > bytes.length * usualRatio) {
        throw new Error(`it announces ${snappyLength(bytes)} bytes, the page ${length}`)
      }
      const out = new Uint8Array(length + snappySlack)
      return out.subarray(0, decodeSnappy(bytes, out))
    }
    default:
      throw new ParquetError(`the compression ${codec} is not supported (snappy, gzip and zstd are)`)
  }
}
