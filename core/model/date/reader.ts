// Readers of single date parts over bytes, which a date format chains.
import { type DateParts, type Part, part, putPart } from './clock.ts'

/** Reads at a position and returns the next one, or −1. */
export type Reader = (bytes: Uint8Array, at: number, end: number, parts: DateParts) => number

function isSpace(byte: number): boolean {
  return byte === 32 || (byte >= 9 && byte <= 13)
}

export function skipSpaces(bytes: Uint8Array, at: number, end: number): number {
  while (at < end && isSpace(bytes[at]!)) at++
  return at
}

export function skipWord(bytes: Uint8Array, at: number, end: number): number {
  const start = at
  while (at < end && !isSpace(bytes[at]!)) at++
  return at > start ? at : -1
}

export function literal(text: string): Reader {
  const wanted = new TextEncoder().encode(text)
  if (wanted.length === 1) {
    const only = wanted[0]!
    return (bytes, at, end) => (at < end && bytes[at] === only ? at + 1 : -1)
  }
  return (bytes, at, end) => {
    if (at + wanted.length > end) return -1
    for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return -1
    return at + wanted.length
  }
}

export function readNumber(slot: Part, width: number, least: number, greatest: number): Reader {
  return (bytes, at, end, parts) => {
    let i = skipSpaces(bytes, at, end)
    const first = i
    const limit = Math.min(end, i + width)
    let value = 0
    for (; i < limit; i++) {
      const digit = bytes[i]! - 48
      if (digit < 0 || digit > 9) break
      value = value * 10 + digit
    }
    return i > first && value >= least && value <= greatest && putPart(parts, slot, value) ? i : -1
  }
}

/** A number that may have a sign, which then may have more digits. */
export function readSigned(slot: Part, width: number, signedWidth: number): Reader {
  const plain = readNumber(slot, width, 0, 1e11)
  const long = readNumber(slot, signedWidth, 0, 1e11)
  return (bytes, at, end, parts) => {
    const start = skipSpaces(bytes, at, end)
    const sign = bytes[start]
    if (start >= end || (sign !== 43 && sign !== 45)) return plain(bytes, start, end, parts)
    const digit = bytes[start + 1]! - 48
    if (start + 1 >= end || digit < 0 || digit > 9) return -1
    const next = long(bytes, start + 1, end, parts)
    if (next > 0 && sign === 45) parts.values[slot] = -parts.values[slot]!
    return next
  }
}

export function readIsoWeekday(bytes: Uint8Array, at: number, end: number, parts: DateParts): number {
  const start = skipSpaces(bytes, at, end)
  const day = start < end ? bytes[start]! - 48 : 0
  return day >= 1 && day <= 7 && putPart(parts, part.weekday, day % 7) ? start + 1 : -1
}

/** An English name by its first three letters, in any case; with `long`, the rest of the name may follow. */
export function readName(slot: Part, names: readonly string[], base: number, long: boolean): Reader {
  const indices = new Map(
    names.map((name, i) => [packed(name.charCodeAt(0), name.charCodeAt(1), name.charCodeAt(2)), i])
  )
  const rests = names.map(name => new TextEncoder().encode(name.slice(3)))
  return (bytes, at, end, parts) => {
    if (at + 3 > end) return -1
    const index = indices.get(packed(bytes[at]! | 32, bytes[at + 1]! | 32, bytes[at + 2]! | 32))
    if (index === undefined || !putPart(parts, slot, index + base)) return -1
    const rest = rests[index]!
    const whole = long && at + 3 + rest.length <= end && rest.every((letter, i) => (bytes[at + 3 + i]! | 32) === letter)
    return at + 3 + (whole ? rest.length : 0)
  }
}

function packed(a: number, b: number, c: number): number {
  return (a << 16) | (b << 8) | c
}

export function readHalf(bytes: Uint8Array, at: number, end: number, parts: DateParts): number {
  if (at + 2 > end || (bytes[at + 1]! | 32) !== 109) return -1
  const letter = bytes[at]! | 32
  if (letter !== 97 && letter !== 112) return -1
  return putPart(parts, part.half, letter === 112 ? 1 : 0) ? at + 2 : -1
}

/** A point and any number of digits, of which nine count; nothing at all without a point. */
export function readFraction(bytes: Uint8Array, at: number, end: number, parts: DateParts): number {
  if (at >= end || bytes[at] !== 46) return at
  let i = at + 1
  let value = 0
  let scale = 1e9
  for (; i < end; i++) {
    const digit = bytes[i]! - 48
    if (digit < 0 || digit > 9) break
    if (scale > 1) {
      value = value * 10 + digit
      scale /= 10
    }
  }
  return i > at + 1 && putPart(parts, part.nanosecond, value * scale) ? i : -1
}

export function readDigits(count: number): Reader {
  const scale = 10 ** (9 - count)
  return (bytes, at, end, parts) => {
    if (at + count > end) return -1
    let value = 0
    for (let i = at; i < at + count; i++) {
      const digit = bytes[i]! - 48
      if (digit < 0 || digit > 9) return -1
      value = value * 10 + digit
    }
    return putPart(parts, part.nanosecond, value * scale) ? at + count : -1
  }
}

/** `±hhmm` or `±hh:mm`; `lenient` also takes `±hh` and `Z`. */
export function readOffset(lenient: boolean): Reader {
  return (bytes, at, end, parts) => {
    let i = skipSpaces(bytes, at, end)
    if (lenient && i < end && (bytes[i]! | 32) === 122) return putPart(parts, part.offset, 0) ? i + 1 : -1
    const sign = bytes[i]
    const hours = twoDigits(bytes, i + 1, end)
    if (i >= end || (sign !== 43 && sign !== 45) || hours < 0) return -1
    i += 3
    if (i < end && bytes[i] === 58) i++
    let minutes = twoDigits(bytes, i, end)
    if (minutes >= 0) i += 2
    else if (lenient) minutes = 0
    if (minutes < 0 || minutes > 59 || hours > 23) return -1
    const seconds = hours * 3600 + minutes * 60
    return putPart(parts, part.offset, sign === 45 ? -seconds : seconds) ? i : -1
  }
}

function twoDigits(bytes: Uint8Array, at: number, end: number): number {
  if (at + 2 > end) return -1
  const tens = bytes[at]! - 48
  const ones = bytes[at + 1]! - 48
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1
}
