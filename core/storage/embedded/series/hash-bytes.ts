// The hash of a range of bytes, for keys of series and values of tags.
import { KeyHash } from '../../../model/series-hash.ts'

const hash = new KeyHash()

/** 32 bits, seeded per process, so that clients cannot construct collisions. */
export function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  hash.of(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), start, end)
  return hash.a
}
