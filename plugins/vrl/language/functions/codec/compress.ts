// Compressed texts: gzip, zlib, zstd and Snappy.

import { deflateSync, gzipSync, constants as zlib, zstdCompressSync } from 'node:zlib'
import { isDbError } from '../../../../../core/compute.ts'
import { decodeSnappy, encodeSnappy, inflateSync, snappyLength, snappySlack } from '../../../../../core/wire/index.ts'
import { Failure } from '../../failure.ts'
import { type Call, type FunctionSpec, fail } from '../../function.ts'
import { kinds } from '../../kind.ts'
import { fromBytes, type Text, toBytes } from '../../value.ts'

const value = { name: 'value', kind: kinds.string }
const greatestLevel = 10n

/** `decode` decompresses bytes to at most so many. */
function decoder(name: string, format: string, decode: (bytes: Uint8Array, max: number) => Uint8Array): FunctionSpec {
  return {
    name: `decode_${name}`,
    summary: `The text that was compressed as ${format}.`,
    params: [value],
    returns: kinds.string,
    fallible: true,
    prepare:
      ({ context }) =>
      (text: Text) =>
        fromBytes(undo(name, () => decode(toBytes(text), context.limits.output))),
    examples: [
      { title: 'There and back', source: `decode_${name}!(encode_${name}${bang(name)}("weir"))`, result: '"weir"' },
      { title: 'Something else', source: `decode_${name}!("weir")`, raises: `unable to decode value with ${name}` }
    ]
  }
}

function bang(name: string): string {
  return name === 'snappy' ? '!' : ''
}

/** Fails with VRL's error; beyond the output limit with an error that the script cannot handle. */
function undo(name: string, decode: () => Uint8Array): Uint8Array {
  try {
    return decode()
  } catch (error) {
    if (error instanceof Failure) throw error
    if (!isDbError(error)) throw error
    throw fail(`unable to decode value with ${name} decoder: ${error.message}`)
  }
}

/** Decompresses all frames or members. */
function inflated(format: 'gzip' | 'zlib' | 'zstd') {
  return (bytes: Uint8Array, max: number) =>
    inflateSync(bytes, format, { limit: max, subject: 'the value', tooLarge: () => tooLong(max) })
}

function tooLong(max: number): Failure {
  return new Failure(`the result is longer than ${max} bytes`, 'limit')
}

function leveled(name: string, format: string, example: string, encode: (bytes: Uint8Array, level: number) => Buffer) {
  return {
    name: `encode_${name}`,
    summary: `The text compressed as ${format}, at a level from 0 to 10.`,
    params: [value, { name: 'compression_level', kind: kinds.integer, default: 6n }],
    returns: kinds.string,
    fallible: (call: Call) => {
      const level = call.constant('compression_level')
      return typeof level !== 'bigint' || level < 0n || level > greatestLevel
    },
    run: (text: Text, level: bigint) => {
      if (level < 0n || level > greatestLevel) throw fail(`compression level must be from 0 to ${greatestLevel}`)
      return fromBytes(encode(toBytes(text), Math.min(Number(level), 9)))
    },
    examples: [{ title: 'In base 64', source: `encode_base64(encode_${name}("weir"))`, result: `"${example}"` }]
  } satisfies FunctionSpec
}

/** Sets the operating system in the header to unknown, so that results are the same everywhere. */
function gzip(bytes: Uint8Array, level: number): Buffer {
  const packed = gzipSync(bytes, { level })
  packed[9] = 255
  return packed
}

export const compressors: readonly FunctionSpec[] = [
  leveled('gzip', 'gzip', 'H4sIAAAAAAAA/ytPzSwCAAyOhJMEAAAA', gzip),
  decoder('gzip', 'gzip', inflated('gzip')),
  leveled('zlib', 'zlib', 'eJwrT80sAgAEUwG4', (bytes, level) => deflateSync(bytes, { level })),
  decoder('zlib', 'zlib', inflated('zlib')),
  {
    name: 'encode_zstd',
    summary: 'The text compressed as zstd, at a level from 1 to 22; others become the nearest of these.',
    params: [value, { name: 'compression_level', kind: kinds.integer, default: 3n }],
    returns: kinds.string,
    run: (text: Text, level: bigint) => {
      const nearest = level < 1n ? 1 : level > 22n ? 22 : Number(level)
      return fromBytes(zstdCompressSync(toBytes(text), { params: { [zlib.ZSTD_c_compressionLevel]: nearest } }))
    },
    examples: [{ title: 'Shorter', source: 'length(encode_zstd("weir " * 100)) < 50', result: 'true' }]
  },
  decoder('zstd', 'zstd', inflated('zstd')),
  {
    name: 'encode_snappy',
    summary: 'The text compressed as one block of Snappy.',
    params: [value],
    returns: kinds.string,
    fallible: true,
    run: (text: Text) => fromBytes(encodeSnappy(toBytes(text))),
    examples: [{ title: 'In base 64', source: 'encode_base64(encode_snappy!("weir"))', result: '"BAx3ZWly"' }]
  },
  decoder('snappy', 'one block of Snappy', (bytes, max) => {
    const length = snappyLength(bytes)
    if (length > max) throw tooLong(max)
    const out = new Uint8Array(length + snappySlack)
    return out.subarray(0, decodeSnappy(bytes, out))
  })
]
