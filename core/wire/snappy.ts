// The Snappy block format: decompression into the caller's memory, and compression.
import { DbError } from '../errors.ts'
import { runAtOnce, type Steps } from '../pace.ts'

/** Bytes that a buffer for `decodeSnappy` needs beyond the content, because whole words are copied. */
export const snappySlack = 8

const maxLengthBytes = 5
const blockSize = 1 << 16
const hashBits = 14
const maxCopyLength = 64

/** The length of the decompressed content, as the block states it. Throws DbError `InvalidArguments` if that is invalid. */
export function snappyLength(block: Uint8Array): number {
  let length = 0
  for (let at = 0; at < maxLengthBytes; at++) {
    const byte = block[at]
    if (byte === undefined) break
    length += (byte & 127) * 2 ** (7 * at)
    if (byte < 128 && length < 2 ** 32) return length
  }
  throw damaged('it does not begin with its length')
}

/**
 * Decompresses a block into `out`, which must have room for `snappyLength` plus `snappySlack` bytes; returns the length. Throws DbError
 * `InvalidArguments` with the offset.
 */
export function decodeSnappy(block: Uint8Array, out: Uint8Array): number {
  return runAtOnce(decodeSnappySteps(block, out))
}

/** Like `decodeSnappy`, in steps of 64 KiB. */
export function* decodeSnappySteps(block: Uint8Array, out: Uint8Array): Steps<number> {
  const length = snappyLength(block)
  const from = new DataView(block.buffer, block.byteOffset, block.byteLength)
  const to = new DataView(out.buffer, out.byteOffset, out.byteLength)
  const position = { at: 0, put: 0, literal: 0 }
  while (block[position.at++]! > 127);
  for (;;) {
    readElements(from, to, position, length)
    for (let size: number; position.literal > 0; position.literal -= size) {
      size = Math.min(position.literal, blockSize)
      out.set(block.subarray(position.at, position.at + size), position.put)
      position.at += size
      position.put += size
      if (size === blockSize) yield
    }
    if (position.at >= block.length) break
    yield
  }
  if (position.put !== length) {
    throw damaged(`it holds ${position.put} bytes instead of the ${length} it announces`)
  }
  return length
}

/** How far a block is read. */
interface Position {
  /** Offsets in the block and in what it holds. */
  at: number
  put: number
  /** Bytes of a long literal at `at` that are still to be copied. */
  literal: number
}

/** Reads literals and copies, up to a long literal, some 64 KiB, or the end. */
function readElements(from: DataView, to: DataView, position: Position, length: number): void {
  const end = from.byteLength
  let { at, put } = position
  const enough = put + blockSize
  while (at < end && put < enough) {
    const tag = from.getUint8(at++)
    if ((tag & 3) === 0) {
      let size = tag >> 2
      if (size >= 60) {
        const extra = size - 59
        if (at + extra > end) throw damaged(`it ends inside the length of a literal at byte ${at}`)
        size = 0
        for (let i = 0; i < extra; i++) size += from.getUint8(at + i) * 2 ** (8 * i)
        at += extra
      }
      size++
      if (size > end - at) throw damaged(`it ends inside a literal at byte ${at}`)
      if (size > length - put) throw damaged(`the literal at byte ${at} goes beyond the length of ${length}`)
      if (size > maxCopyLength) {
        position.literal = size
        break
      }
      if (at + size + snappySlack <= end) {
        for (let i = 0; i < size; i += 8) to.setBigInt64(put + i, from.getBigInt64(at + i, true), true)
      } else for (let i = 0; i < size; i++) to.setUint8(put + i, from.getUint8(at + i))
      at += size
      put += size
      continue
    }
    let size: number
    let back: number
    if ((tag & 3) === 1) {
      size = ((tag >> 2) & 7) + 4
      back = ((tag & 0xe0) << 3) | (at < end ? from.getUint8(at) : 0)
      at++
    } else if ((tag & 3) === 2) {
      size = (tag >> 2) + 1
      back = at + 2 <= end ? from.getUint16(at, true) : 0
      at += 2
    } else {
      size = (tag >> 2) + 1
      back = at + 4 <= end ? from.getUint32(at, true) : 0
      at += 4
    }
    if (at > end) throw damaged(`it ends inside a copy at byte ${at}`)
    if (back === 0 || back > put) throw damaged(`the copy at byte ${at} reaches ${back} bytes back, there are ${put}`)
    if (size > length - put) throw damaged(`the copy at byte ${at} goes beyond the length of ${length}`)
    const source = put - back
    // Copies eight bytes at a time, which compiles without bigints; copies from nearer offsets overlap what they write.
    if (back >= 8) {
      for (let i = 0; i < size; i += 8) to.setBigInt64(put + i, to.getBigInt64(source + i, true), true)
    } else if (back >= 4) for (let i = 0; i < size; i += 4) to.setInt32(put + i, to.getInt32(source + i, true), true)
    else for (let i = 0; i < size; i++) to.setUint8(put + i, to.getUint8(source + i))
    put += size
  }
  position.at = at
  position.put = put
}

/** Compresses the bytes as one block. */
export function encodeSnappy(bytes: Uint8Array): Uint8Array {
  return runAtOnce(encodeSnappySteps(bytes))
}

/** Like `encodeSnappy`, in steps of 64 KiB. */
export function* encodeSnappySteps(bytes: Uint8Array): Steps<Uint8Array> {
  const out = new Uint8Array(maxLengthBytes + bytes.length + Math.ceil(bytes.length / 6) + 32)
  let put = 0
  let rest = bytes.length
  for (; rest > 127; rest = Math.floor(rest / 128)) out[put++] = (rest & 127) | 128
  out[put++] = rest
  const table = new Int32Array(1 << hashBits)
  for (let start = 0; start < bytes.length; start += blockSize) {
    put = encodeBlock(bytes, start, Math.min(bytes.length, start + blockSize), out, put, table.fill(-1))
    yield
  }
  return out.subarray(0, put)
}

/** Offsets of copies stay within the block, so they fit two bytes. */
function encodeBlock(
  bytes: Uint8Array,
  start: number,
  end: number,
  out: Uint8Array,
  from: number,
  table: Int32Array
): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let put = from
  let literal = start
  let at = start
  while (at + 4 <= end) {
    const word = view.getInt32(at, true)
    const slot = Math.imul(word, 0x1e35a7bd) >>> (32 - hashBits)
    const candidate = table[slot]!
    table[slot] = at
    if (candidate < 0 || view.getInt32(candidate, true) !== word) {
      at++
      continue
    }
    let size = 4
    while (size < maxCopyLength && at + size < end && bytes[candidate + size] === bytes[at + size]) size++
    put = writeLiteral(bytes, literal, at, out, put)
    out[put++] = ((size - 1) << 2) | 2
    out[put++] = at - candidate
    out[put++] = (at - candidate) >> 8
    at += size
    literal = at
  }
  return writeLiteral(bytes, literal, end, out, put)
}

function writeLiteral(bytes: Uint8Array, from: number, to: number, out: Uint8Array, at: number): number {
  const size = to - from
  if (size === 0) return at
  let put = at
  if (size <= 60) out[put++] = (size - 1) << 2
  else {
    out[put++] = size <= 256 ? 60 << 2 : 61 << 2
    out[put++] = size - 1
    if (size > 256) out[put++] = (size - 1) >> 8
  }
  out.set(bytes.subarray(from, to), put)
  return put + size
}

function damaged(reason: string): DbError {
  return new DbError('InvalidArguments', `not a Snappy block: ${reason}`)
}
