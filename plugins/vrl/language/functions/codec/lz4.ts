// LZ4: compresses and decompresses blocks, decompresses frames.
import { compressLz4Block } from '../../../../../core/compute.ts'
import { type Context, checkOutput } from '../../context.ts'
import type { Failure } from '../../failure.ts'
import { type FunctionSpec, fail } from '../../function.ts'
import { kinds } from '../../kind.ts'
import { fromBytes, type Text, toBytes } from '../../value.ts'
import { expandBlock, maxExpandedLength, tooLong } from './lz4-block.ts'

export const lz4Codecs: readonly FunctionSpec[] = [
  {
    name: 'encode_lz4',
    summary: 'The text compressed as one block of LZ4, its length before it as four bytes unless that is not wanted.',
    params: [
      { name: 'value', kind: kinds.string },
      { name: 'prepend_size', kind: kinds.boolean, default: true }
    ],
    returns: kinds.string,
    fallible: true,
    run: (value: Text, prepend: boolean) => {
      const bytes = toBytes(value)
      const block = compressLz4Block(bytes)
      if (!prepend) return fromBytes(block)
      const size = Buffer.alloc(4)
      size.writeUInt32LE(bytes.length)
      return fromBytes(Buffer.concat([size, block]))
    },
    examples: [
      { title: 'In base 64', source: 'encode_base64(encode_lz4!("weir" * 10))', result: '"KAAAAE93ZWlyBAAMUHJ3ZWly"' }
    ]
  },
  {
    name: 'decode_lz4',
    summary:
      'The text of frames or of one block of LZ4; a block may have its length before it, or be at most buf_size long.',
    params: [
      { name: 'value', kind: kinds.string },
      { name: 'buf_size', kind: kinds.integer, default: 1_000_000n },
      { name: 'prepended_size', kind: kinds.boolean, default: false }
    ],
    returns: kinds.string,
    fallible: true,
    prepare:
      ({ context }) =>
      (value: Text, size: bigint, prepended: boolean) => {
        const bytes = Buffer.from(toBytes(value))
        if (beginsFrame(bytes)) return fromBytes(expandFrames(context, bytes))
        return fromBytes(expandSized(context, bytes, size, prepended))
      },
    examples: [
      {
        title: 'With its length',
        source: 'decode_lz4!(encode_lz4!("weir" * 10), prepended_size: true)',
        result: '"weirweirweirweirweirweirweirweirweirweir"'
      },
      { title: 'Without', source: 'decode_lz4!(encode_lz4!("weir", false))', result: '"weir"' },
      {
        title: 'Something else',
        source: 'decode_lz4!("weir")',
        raises: 'unable to decode value with lz4 block decoder'
      }
    ]
  }
]

const magic = 0x184d2204
/** Sixteen magic numbers, of which the last four bits are free. */
const skippableMagic = 0x184d2a50

function expandSized(context: Context, bytes: Buffer, size: bigint, prepended: boolean): Uint8Array {
  const wrong = (reason: string) => fail(`unable to decode value with lz4 block decoder: ${reason}`)
  if (prepended && bytes.length < 4) throw wrong('the length before the block is missing')
  const block = prepended ? bytes.subarray(4) : bytes
  const declared = prepended ? bytes.readUInt32LE() : size < 0n || size > 0xffff_ffffn ? 0xffff_ffff : Number(size)
  const max = Math.min(declared, maxExpandedLength(block.length))
  const out = Buffer.allocUnsafe(Math.min(max, context.limits.output))
  const found = expandBlock(block, out, 0)
  if (typeof found === 'number') return out.subarray(0, found)
  if (found === tooLong && max > out.length) checkOutput(context, max)
  throw wrong(found)
}

/** Decompresses all frames; skippable ones are skipped. */
function expandFrames(context: Context, bytes: Buffer): Uint8Array {
  const out = Buffer.allocUnsafe(Math.min(context.limits.output, maxExpandedLength(bytes.length)))
  let state = { at: 0, length: 0 }
  try {
    while (state.at < bytes.length) state = readFrame(context, bytes, out, state)
  } catch (error) {
    // A read beyond the end of the buffer.
    if (error instanceof RangeError) throw wrongFrame('it is not complete')
    throw error
  }
  return out.subarray(0, state.length)
}

function wrongFrame(reason: string): Failure {
  return fail(`unable to decode value with lz4 frame decoder: ${reason}`)
}

function beginsFrame(bytes: Buffer): boolean {
  if (bytes.length < 4) return false
  const found = bytes.readUInt32LE()
  return found === magic || isSkippable(found)
}

function isSkippable(found: number): boolean {
  return (found & 0xffff_fff0) === skippableMagic
}

interface Progress {
  /** Where the next frame begins. */
  readonly at: number
  /** Bytes of the text so far. */
  readonly length: number
}

/** Checksums are skipped, not verified. */
function readFrame(context: Context, bytes: Buffer, out: Buffer, from: Progress): Progress {
  let { at, length } = from
  const found = bytes.readUInt32LE(at)
  if (isSkippable(found)) {
    const end = at + 8 + bytes.readUInt32LE(at + 4)
    if (end > bytes.length) throw wrongFrame('it is not complete')
    return { at: end, length }
  }
  if (found !== magic) throw wrongFrame(`the bytes at offset ${at} are no frame`)
  const flags = bytes.readUInt8(at + 4)
  if (flags >> 6 !== 1) throw wrongFrame(`version ${flags >> 6} is unknown`)
  if ((flags & 1) !== 0) throw wrongFrame('it needs a dictionary')
  const blockSize = 1 << (8 + 2 * ((bytes.readUInt8(at + 5) >> 4) & 7))
  at += 7 + ((flags & 8) !== 0 ? 8 : 0)
  for (;;) {
    const word = bytes.readUInt32LE(at)
    if (word === 0) break
    const size = word & 0x7fff_ffff
    const block = bytes.subarray(at + 4, at + 4 + size)
    if (block.length < size) throw wrongFrame('it is not complete')
    at += 4 + size + ((flags & 16) !== 0 ? 4 : 0)
    if (word >>> 31 === 1) {
      checkOutput(context, length + size)
      out.set(block, length)
      length += size
      continue
    }
    const expanded = expandBlock(block, out.subarray(0, Math.min(out.length, length + blockSize)), length)
    if (expanded === tooLong && out.length - length < blockSize) checkOutput(context, Number.POSITIVE_INFINITY)
    if (typeof expanded === 'string') throw wrongFrame(expanded)
    length = expanded
  }
  at += 4 + ((flags & 4) !== 0 ? 4 : 0)
  if (at > bytes.length) throw wrongFrame('it is not complete')
  return { at, length }
}
