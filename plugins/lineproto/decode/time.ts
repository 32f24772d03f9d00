// Converts timestamps, which are in a unit the request names, to nanoseconds.
import { putNanoseconds } from '../../../core/index.ts'

/** The unit of a request's timestamps. */
export interface Precision {
  /** Nanoseconds per unit. */
  readonly nanoseconds: bigint
  /** Seconds per unit, or units per second: the other one is 1. */
  readonly seconds: number
  readonly perSecond: number
}

/** Beyond this many seconds the nanoseconds may exceed 64 bits. */
const maxSeconds = 9_223_372_035

/** Maximum digits of a time, leading zeros included. */
const maxTimeLength = 40

/**
 * Writes the time whose digits are `bytes[start … end]`, with a sign or not, to index `i` of `words`; false where it leaves 64 bits.
 */
export function putTime(
  bytes: Buffer,
  start: number,
  end: number,
  { nanoseconds, seconds: unitSeconds, perSecond }: Precision,
  words: Uint32Array<ArrayBuffer>,
  i: number
): boolean {
  const length = end - start
  if (bytes[start] !== 0x2d && length <= 19) {
    const split = Math.min(length, 10)
    let high = 0
    for (let at = start; at < start + split; at++) high = high * 10 + bytes[at]! - 0x30
    let low = 0
    for (let at = start + split; at < end; at++) low = low * 10 + bytes[at]! - 0x30
    if (length === 19 && perSecond === 1e9 && high < maxSeconds) {
      putNanoseconds(words, i, high, low)
      return true
    }
    const count = high * 10 ** (length - split) + low
    const seconds = Math.floor(count / perSecond)
    if (count <= Number.MAX_SAFE_INTEGER && seconds * unitSeconds < maxSeconds) {
      putNanoseconds(words, i, seconds * unitSeconds, (count - seconds * perSecond) * (1e9 / perSecond))
      return true
    }
  }
  if (length > maxTimeLength) return false
  const time = BigInt(bytes.toString('latin1', start, end)) * nanoseconds
  new BigInt64Array(words.buffer)[i] = time
  return BigInt.asIntN(64, time) === time
}
