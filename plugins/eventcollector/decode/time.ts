// Parses the time of an event: a number since 1970 as text. Its size tells the unit: seconds, unless it is too large for that.
import { type ItemField, maxSeconds } from '../../../core/index.ts'

/** Minimum digits of integers that are milliseconds, microseconds, nanoseconds. */
const milliseconds = 13
const microseconds = 16
const nanoseconds = 19

/** Sets the time of a row exactly; false if the text is not a number. Surrounding spaces are ignored. */
export function setTime(time: ItemField, row: number, bytes: Uint8Array, start: number, end: number): boolean {
  let at = start
  let stop = end
  while (at < stop && bytes[at]! <= 0x20) at++
  while (stop > at && bytes[stop - 1]! <= 0x20) stop--
  const point = digitsEnd(bytes, at, stop)
  const isPlain =
    point > at && (point === stop || (bytes[point] === 0x2e && digitsEnd(bytes, point + 1, stop) === stop))
  if (!isPlain || point - at > nanoseconds) return setOddTime(time, row, bytes, at, stop)
  return setDigits(time, row, bytes, at, point, stop)
}

/** Digits up to `point`, then optionally a point and digits up to `stop`; shifted so that nine digits are nanoseconds. */
function setDigits(
  time: ItemField,
  row: number,
  bytes: Uint8Array,
  start: number,
  point: number,
  stop: number
): boolean {
  let first = start
  while (first < point - 1 && bytes[first] === 0x30) first++
  const shift = shiftOf(point - first)
  const split = Math.max(first, point - shift)
  let seconds = 0
  let rest = 0
  let digits = 0
  for (let i = first; i < split; i++) seconds = seconds * 10 + bytes[i]! - 0x30
  for (let i = split; i < stop && digits < 9; i++) {
    if (i === point) continue
    rest = rest * 10 + bytes[i]! - 0x30
    digits++
  }
  for (; digits < 9; digits++) rest *= 10
  if (seconds > maxSeconds) return false
  time.setTime(row, seconds, rest)
  return true
}

/** How many digits before the point are fractions of a second. */
function shiftOf(digits: number): 0 | 3 | 6 | 9 {
  if (digits < milliseconds) return 0
  if (digits < microseconds) return 3
  return digits < nanoseconds ? 6 : 9
}

/** Numbers with sign or exponent: parsed as a float. */
function setOddTime(time: ItemField, row: number, bytes: Uint8Array, start: number, end: number): boolean {
  const text = Buffer.from(bytes.subarray(start, end)).toString('latin1')
  if (text.length > 40 || !/^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text)) return false
  const value = Number(text)
  const digits = Math.abs(value) < 1 ? 1 : Math.floor(Math.log10(Math.abs(value))) + 1
  const seconds = value / 10 ** shiftOf(digits)
  if (!(Math.abs(seconds) <= maxSeconds)) return false
  const whole = Math.floor(seconds)
  time.setTimestamp(row, BigInt(whole) * 1_000_000_000n + BigInt(Math.round((seconds - whole) * 1e6) * 1000))
  return true
}

function digitsEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && bytes[at]! >= 0x30 && bytes[at]! <= 0x39) at++
  return at
}
