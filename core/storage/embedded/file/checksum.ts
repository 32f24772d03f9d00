// Checksums of files, and locating a single flipped bit.
import { createReadStream } from 'node:fs'
import { crc32 } from 'node:zlib'

/** CRC-32 of a file. */
export async function fileChecksum(path: string): Promise<number> {
  let sum = 0
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) sum = crc32(chunk as Buffer, sum)
  return sum
}

/** In larger files a single bit could explain almost any difference. */
const searchable = 2 ** 28

/** The only byte in which one flipped bit changes a CRC-32 by `difference`; undefined if there is none. */
export function flippedByte(difference: number, size: number): number | undefined {
  if (size > searchable) return undefined
  const table = crcTable()
  const byTop = new Uint8Array(256)
  table.forEach((entry, i) => {
    byTop[entry >>> 24] = i
  })
  const single = new Set(Array.from({ length: 8 }, (_, bit) => table[1 << bit]!))
  let state = difference >>> 0
  for (let at = size - 1; at >= 0; at--) {
    if (single.has(state)) return at
    // Reverses the CRC by one byte: the top byte tells which table entry was used.
    const index = byTop[state >>> 24]!
    state = (((state ^ table[index]!) << 8) | index) >>> 0
  }
  return undefined
}

function crcTable(): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, i) => {
    let entry = i
    for (let bit = 0; bit < 8; bit++) entry = entry & 1 ? (entry >>> 1) ^ 0xedb88320 : entry >>> 1
    return entry >>> 0
  })
}
