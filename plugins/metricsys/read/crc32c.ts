// CRC-32C (Castagnoli). Node's zlib has CRC-32 only.

/** The polynomial, its bits in reverse. */
const polynomial = 0x82f63b78

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ polynomial : sum >>> 1
  return sum
})

export function crc32c(bytes: Uint8Array): number {
  let sum = 0xffffffff
  for (let i = 0; i < bytes.length; i++) sum = (sum >>> 8) ^ table[(sum ^ bytes[i]!) & 255]!
  return (sum ^ 0xffffffff) >>> 0
}
