// LZ4 compression: single blocks, and frames of independent blocks of at most 4 MiB, stored uncompressed if that is smaller.

/** Magic number; version 1 with independent blocks and no checksums; blocks of 4 MiB; the checksum of these two bytes. */
const header = Uint8Array.of(0x04, 0x22, 0x4d, 0x18, 0x60, 0x70, 0x73)
const blockSize = 1 << 22
const stored = 0x8000_0000
const hashBits = 14
const minMatchLength = 4
const maxDistance = 65_535
/** The end of a block is literal: no match starts in its last 12 bytes or reaches into the last 5. */
const lastStart = 12
const lastLiterals = 5

/** The bytes as one LZ4 frame. */
export function compressLz4(bytes: Uint8Array): Uint8Array {
  const blocks = Math.ceil(bytes.length / blockSize)
  const frame = Buffer.allocUnsafe(header.length + bytes.length + blocks * 4 + 4)
  frame.set(header)
  const table = newTable()
  let at = header.length
  for (let start = 0; start < bytes.length; start += blockSize) {
    const block = bytes.subarray(start, start + blockSize)
    const size = compressInto(block, frame, at + 4, block.length, table.fill(-1))
    if (size === 0) frame.set(block, at + 4)
    frame.writeUInt32LE(size === 0 ? (stored | block.length) >>> 0 : size, at)
    at += 4 + (size || block.length)
  }
  frame.writeUInt32LE(0, at)
  return frame.subarray(0, at + 4)
}

/** Compresses the bytes as one LZ4 block, which may be slightly longer than the input. */
export function compressLz4Block(bytes: Uint8Array): Uint8Array {
  const max = sequenceSize(bytes.length, 0)
  const out = Buffer.allocUnsafe(max)
  return out.subarray(0, compressInto(bytes, out, 0, max, newTable().fill(-1)))
}

function newTable(): Int32Array {
  return new Int32Array(1 << hashBits)
}

/** Writes the compressed block and returns its size; 0 if it could exceed `max`. */
function compressInto(block: Uint8Array, out: Uint8Array, from: number, max: number, table: Int32Array): number {
  const end = from + max
  let to = from
  let literals = 0
  for (let at = 0; at < block.length - lastStart; ) {
    const slot = hash(block, at)
    const candidate = table[slot]!
    table[slot] = at
    if (candidate < 0 || at - candidate > maxDistance || !startsAlike(block, candidate, at)) {
      at += 1 + ((at - literals) >> 6)
      continue
    }
    const length = matchLength(block, candidate, at)
    if (to + sequenceSize(at - literals, length) > end) return 0
    to = writeSequence(block, literals, at, out, to, length - minMatchLength)
    out[to++] = (at - candidate) & 0xff
    out[to++] = (at - candidate) >> 8
    to = writeRest(out, to, length - minMatchLength)
    at += length
    literals = at
  }
  if (to + sequenceSize(block.length - literals, 0) > end) return 0
  return writeSequence(block, literals, block.length, out, to, 0) - from
}

function hash(block: Uint8Array, at: number): number {
  const four = block[at]! | (block[at + 1]! << 8) | (block[at + 2]! << 16) | (block[at + 3]! << 24)
  return Math.imul(four, 0x9e3779b1) >>> (32 - hashBits)
}

function startsAlike(block: Uint8Array, a: number, b: number): boolean {
  return (
    block[a] === block[b] &&
    block[a + 1] === block[b + 1] &&
    block[a + 2] === block[b + 2] &&
    block[a + 3] === block[b + 3]
  )
}

function matchLength(block: Uint8Array, candidate: number, at: number): number {
  const max = block.length - lastLiterals - at
  let length = minMatchLength
  while (length < max && block[candidate + length] === block[at + length]) length++
  return length
}

/** The most bytes a sequence can take. */
function sequenceSize(literals: number, match: number): number {
  return 5 + literals + Math.ceil(literals / 255) + Math.ceil(match / 255)
}

/** Writes the token with both lengths, the rest of the first length, and the literals. */
function writeSequence(
  block: Uint8Array,
  start: number,
  end: number,
  out: Uint8Array,
  at: number,
  match: number
): number {
  const literals = end - start
  out[at] = (Math.min(literals, 15) << 4) | Math.min(match, 15)
  const behind = writeRest(out, at + 1, literals)
  out.set(block.subarray(start, end), behind)
  return behind + literals
}

/** Writes the part of a length beyond the 15 that its half of the token holds. */
function writeRest(out: Uint8Array, from: number, length: number): number {
  if (length < 15) return from
  let at = from
  let rest = length - 15
  for (; rest >= 255; rest -= 255) out[at++] = 255
  out[at++] = rest
  return at
}
