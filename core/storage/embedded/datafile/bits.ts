// Validity bitmaps: bit operations, from the least significant bit on.

/** Copies `count` bits from index `from` to index `at` of a bitmap whose bits from there on are 0. */
export function copyBits(bits: Uint8Array, from: number, out: Uint8Array, at: number, count: number): void {
  const shift = from & 7
  for (let done = 0; done < count; done += 8) {
    const byte = (from + done) >> 3
    const next = shift === 0 ? 0 : (bits[byte + 1] ?? 0) << (8 - shift)
    put(out, at + done, ((bits[byte]! >> shift) | next) & 255, Math.min(8, count - done))
  }
}

/** Sets `count` bits from index `at` on. */
export function setBits(out: Uint8Array, at: number, count: number): void {
  for (let done = 0; done < count; done += 8) put(out, at + done, 255, Math.min(8, count - done))
}

function put(out: Uint8Array, at: number, value: number, bits: number): void {
  const shift = at & 7
  const kept = value & (255 >> (8 - bits))
  out[at >> 3]! |= kept << shift
  if (bits > 8 - shift) out[(at >> 3) + 1]! |= kept >> (8 - shift)
}
