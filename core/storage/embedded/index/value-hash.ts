// Whole values as 64-bit hashes of their texts.
import { mix, type TokenSink } from './token.ts'

const firstLow = 0x811c9dc5 | 0
const firstHigh = 0x3c6ef372

/** Adds the hash of bytes `from` to `to`: two hashes of 32 bits, each of its own kind. */
export function addValue(text: Uint8Array, from: number, to: number, sink: TokenSink): void {
  let low = firstLow
  let high = firstHigh
  for (let at = from; at < to; at++) {
    const byte = text[at]!
    low = Math.imul(low ^ byte, 0x01000193)
    high = Math.imul((high >>> 15) ^ high ^ byte, 0x2c1b3c6d)
  }
  sink.add(mix(low), mix(high))
}
