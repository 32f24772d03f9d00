// SeaHash with its standard keys.
import { cut, multiply } from './word.ts'

const factor = 0x6eed0e9da4d94a4fn

/** Unsigned. `step` is called regularly, see `Crc`. */
export function seahash(bytes: Buffer, step: () => void): bigint {
  const lanes = [0x16f11fe89b0d677cn, 0xb480a793d8e6c86cn, 0x6fe2e5aaf078ebc9n, 0x14f994a4c5259381n]
  for (let at = 0; at < bytes.length; at += 8) {
    if (at % 256 === 0) step()
    const lane = (at / 8) % 4
    lanes[lane] = diffuse(lanes[lane]! ^ wordAt(bytes, at))
  }
  return diffuse(lanes.reduce((all, lane) => all ^ lane) ^ BigInt(bytes.length))
}

/** The last word is padded with zeros. */
function wordAt(bytes: Buffer, at: number): bigint {
  if (at + 8 <= bytes.length) return bytes.readBigUInt64LE(at)
  const last = Buffer.alloc(8)
  last.set(bytes.subarray(at))
  return last.readBigUInt64LE()
}

function diffuse(value: bigint): bigint {
  const product = multiply(cut(value), factor)
  return multiply(product ^ ((product >> 32n) >> (product >> 60n)), factor)
}
