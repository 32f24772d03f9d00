// A hash of bytes with a random seed per process, so that senders cannot construct collisions.
import { randomBytes } from 'node:crypto'

const [basis, factor] = [randomBytes(4).readInt32LE(), randomBytes(4).readInt32LE() | 1]

/** An integer from 0 to 2^32 - 1; differs between processes. */
export function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = basis ^ (end - start)
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, factor)
  return (hash ^ (hash >>> 15)) >>> 0
}
