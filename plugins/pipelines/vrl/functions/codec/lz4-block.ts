// One block of LZ4: literal bytes and copies of what came before.

export const tooLong = 'the output is too small for the text'
const incomplete = 'it ends too early'

const hashBits = 14
const shortestMatch = 4
const farthest = 65_535
/** The end of a block is literal: no match starts in its last 12 bytes or reaches into the last 5. */
const lastStart = 12
const lastLiterals = 5

/** Bytes that a block of so many bytes may become. */
export function longestExpansion(length: number): number {
  return length * 255 + 64
}

export function compressBlock(bytes: Uint8Array): Uint8Array {
  const out = Buffer.allocUnsafe(bytes.length + Math.ceil(bytes.length / 255) + 16)
  const table = new Int32Array(1 << hashBits).fill(-1)
  let to = 0
  let literals = 0
  for (let at = 0; at < bytes.length - lastStart; ) {
    const slot = hash(bytes, at)
    const candidate = table[slot]!
    table[slot] = at
    if (candidate < 0 || at - candidate > farthest || !sameFour(bytes, candidate, at)) {
      at++
      continue
    }
    let end = at + shortestMatch
    while (end < bytes.length - lastLiterals && bytes[end] === bytes[candidate + end - at]) end++
    to = writeSequence(out, to, bytes.subarray(literals, at), at - candidate, end - at)
    at = end
    literals = end
  }
  return out.subarray(0, writeSequence(out, to, bytes.subarray(literals), 0, shortestMatch))
}

function hash(bytes: Uint8Array, at: number): number {
  const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
  return Math.imul(word, 2_654_435_761) >>> (32 - hashBits)
}

function sameFour(bytes: Uint8Array, a: number, b: number): boolean {
  for (let i = 0; i < shortestMatch; i++) if (bytes[a + i] !== bytes[b + i]) return false
  return true
}

/** Literals, and a copy from `back` bytes before unless that is 0; returns where it ends. */
function writeSequence(out: Uint8Array, from: number, literals: Uint8Array, back: number, size: number): number {
  const extra = size - shortestMatch
  let to = from
  out[to++] = (Math.min(literals.length, 15) << 4) | Math.min(extra, 15)
  to = writeLength(out, to, literals.length)
  out.set(literals, to)
  to += literals.length
  if (back === 0) return to
  out[to++] = back & 255
  out[to++] = back >> 8
  return writeLength(out, to, extra)
}

/** What does not fit into the token's four bits. */
function writeLength(out: Uint8Array, from: number, length: number): number {
  let to = from
  if (length < 15) return to
  let rest = length - 15
  for (; rest >= 255; rest -= 255) out[to++] = 255
  out[to++] = rest
  return to
}

/** Writes to `out` from `start` on, where copies may reach back to its beginning; returns where it ends, or what is wrong. */
export function expandBlock(block: Uint8Array, out: Uint8Array, start: number): number | string {
  const cursor = { at: 0 }
  let to = start
  while (cursor.at < block.length) {
    const token = block[cursor.at++]!
    const literals = readLength(block, cursor, token >> 4)
    if (literals > block.length - cursor.at) return incomplete
    if (literals > out.length - to) return tooLong
    out.set(block.subarray(cursor.at, cursor.at + literals), to)
    cursor.at += literals
    to += literals
    if (cursor.at === block.length) return to
    if (cursor.at + 2 > block.length) return incomplete
    const back = block[cursor.at]! | (block[cursor.at + 1]! << 8)
    cursor.at += 2
    const size = readLength(block, cursor, token & 15) + shortestMatch
    if (back === 0 || back > to) return 'a copy begins before the text'
    if (!(size <= out.length - to)) return Number.isFinite(size) ? tooLong : incomplete
    for (let i = 0; i < size; i++) out[to + i] = out[to + i - back]!
    to += size
  }
  return incomplete
}

/** Infinity where the block ends first. */
function readLength(block: Uint8Array, cursor: { at: number }, nibble: number): number {
  let length = nibble
  if (nibble < 15) return length
  for (;;) {
    const byte = block[cursor.at++]
    if (byte === undefined) return Number.POSITIVE_INFINITY
    length += byte
    if (byte < 255) return length
  }
}
