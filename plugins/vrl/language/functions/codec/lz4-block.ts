// Decompresses one LZ4 block.

export const tooLong = 'the output is too small for the text'
const incomplete = 'it ends too early'

const minMatchLength = 4

/** The most bytes that a block of this length can become. */
export function maxExpandedLength(length: number): number {
  return length * 255 + 64
}

/** Writes to `out` from `start` on; copies may refer to everything before. Returns the end, or an error text. */
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
    const size = readLength(block, cursor, token & 15) + minMatchLength
    if (back === 0 || back > to) return 'a copy begins before the text'
    if (!(size <= out.length - to)) return Number.isFinite(size) ? tooLong : incomplete
    for (let i = 0; i < size; i++) out[to + i] = out[to + i - back]!
    to += size
  }
  return incomplete
}

/** Infinity if the block ends within the length. */
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
