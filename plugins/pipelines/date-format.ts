// Date formats in strftime notation: compiled to a chain of readers over bytes.
import { type DateParts, emptyParts, hasPart, localSeconds, type Part, part, putPart } from './clock.ts'

/** Reads at a position and returns the next one, or −1. */
type Reader = (bytes: Uint8Array, at: number, end: number, parts: DateParts) => number

export interface DateFormat {
  readonly text: string
  /** True when the whole range is a date and time of this format; then the result stands in `seconds`, `nanosecond`, `offset`. */
  read(bytes: Uint8Array, start: number, end: number): boolean
  /** Seconds since 1970: local time unless `offset` is a number. */
  seconds: number
  nanosecond: number
  /** Seconds east of UTC that the text names; NaN when it names none. */
  offset: number
}

/** Compiles a format. `refuse` makes the error to throw. */
export function compileDateFormat(text: string, refuse: (message: string) => Error): DateFormat {
  const readers = compileReaders(text, refuse)
  const parts = emptyParts()
  const format: DateFormat = {
    text,
    seconds: 0,
    nanosecond: 0,
    offset: Number.NaN,
    read(bytes, start, end) {
      parts.seen = 0
      let at = start
      for (let i = 0; i < readers.length; i++) {
        at = readers[i]!(bytes, at, end, parts)
        if (at < 0) return false
      }
      if (at !== end) return false
      const local = localSeconds(parts)
      if (Number.isNaN(local)) return false
      format.offset = hasPart(parts, part.offset)
        ? parts.values[part.offset]!
        : hasPart(parts, part.unix)
          ? 0
          : Number.NaN
      format.seconds = local
      format.nanosecond = hasPart(parts, part.nanosecond) ? parts.values[part.nanosecond]! : 0
      return true
    }
  }
  return format
}

function compileReaders(text: string, refuse: (message: string) => Error): Reader[] {
  const readers: Reader[] = []
  for (const [item] of text.matchAll(/%[-_0]?(?:\.[369]?f|[369]f|::?z|#z|.)|%|\s+|[^%\s]+/gsu)) {
    if (item[0] !== '%') readers.push(/\s/.test(item) ? skipSpaces : literal(item))
    else readers.push(...compileSpecifier(item, text, refuse))
  }
  return readers
}

const combined: Readonly<Record<string, string>> = {
  D: '%m/%d/%y',
  x: '%m/%d/%y',
  F: '%Y-%m-%d',
  v: '%e-%b-%Y',
  R: '%H:%M',
  T: '%H:%M:%S',
  X: '%H:%M:%S',
  r: '%I:%M:%S %p',
  c: '%a %b %e %T %Y',
  '+': '%Y-%m-%dT%H:%M:%S%.f%#z'
}

/** Part, greatest number of digits, least and greatest value. */
const numbers: Readonly<Record<string, readonly [Part, number, number, number]>> = {
  C: [part.century, 2, 0, 99],
  y: [part.yearOfCentury, 2, 0, 99],
  m: [part.month, 2, 1, 12],
  d: [part.day, 2, 1, 31],
  e: [part.day, 2, 1, 31],
  j: [part.dayOfYear, 3, 1, 366],
  H: [part.hour, 2, 0, 23],
  k: [part.hour, 2, 0, 23],
  I: [part.hourOfHalf, 2, 1, 12],
  l: [part.hourOfHalf, 2, 1, 12],
  M: [part.minute, 2, 0, 59],
  S: [part.second, 2, 0, 60],
  f: [part.nanosecond, 9, 0, 999_999_999],
  w: [part.weekday, 1, 0, 6],
  U: [part.weekFromSunday, 2, 0, 53],
  W: [part.weekFromMonday, 2, 0, 53],
  g: [part.isoYearOfCentury, 2, 0, 99],
  V: [part.isoWeek, 2, 1, 53]
}

const months = 'january february march april may june july august september october november december'.split(' ')
const weekdays = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ')

function compileSpecifier(item: string, format: string, refuse: (message: string) => Error): Reader[] {
  const name = item.slice(1).replace(/^[-_0]/, '')
  const expansion = combined[name]
  if (expansion !== undefined) return compileReaders(expansion, refuse)
  const number = numbers[name]
  if (number !== undefined) return [readNumber(...number)]
  const reader = specialReader(name)
  if (reader === undefined) throw refuse(`unknown date specifier '${item}' in format '${format}'`)
  return [reader]
}

function specialReader(name: string): Reader | undefined {
  switch (name) {
    case 'Y':
      return readSigned(part.year, 4, 9)
    case 'G':
      return readSigned(part.isoYear, 4, 9)
    case 's':
      return readSigned(part.unix, 11, 11)
    case 'u':
      return readIsoWeekday
    case 'b':
    case 'h':
      return readName(part.month, months, 1, false)
    case 'B':
      return readName(part.month, months, 1, true)
    case 'a':
      return readName(part.weekday, weekdays, 0, false)
    case 'A':
      return readName(part.weekday, weekdays, 0, true)
    case 'p':
    case 'P':
      return readHalf
    case '.f':
    case '.3f':
    case '.6f':
    case '.9f':
      return readFraction
    case '3f':
    case '6f':
    case '9f':
      return readDigits(Number(name[0]))
    case 'z':
    case ':z':
    case '::z':
      return readOffset(false)
    case '#z':
      return readOffset(true)
    case 'Z':
      return skipWord
    case 't':
    case 'n':
      return skipSpaces
    case '%':
      return literal('%')
    default:
      return undefined
  }
}

function isSpace(byte: number): boolean {
  return byte === 32 || (byte >= 9 && byte <= 13)
}

function skipSpaces(bytes: Uint8Array, at: number, end: number): number {
  while (at < end && isSpace(bytes[at]!)) at++
  return at
}

function skipWord(bytes: Uint8Array, at: number, end: number): number {
  const start = at
  while (at < end && !isSpace(bytes[at]!)) at++
  return at > start ? at : -1
}

function literal(text: string): Reader {
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

function readNumber(slot: Part, width: number, least: number, greatest: number): Reader {
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
function readSigned(slot: Part, width: number, signedWidth: number): Reader {
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

function readIsoWeekday(bytes: Uint8Array, at: number, end: number, parts: DateParts): number {
  const start = skipSpaces(bytes, at, end)
  const day = start < end ? bytes[start]! - 48 : 0
  return day >= 1 && day <= 7 && putPart(parts, part.weekday, day % 7) ? start + 1 : -1
}

/** An English name by its first three letters, in any case; with `long`, the rest of the name may follow. */
function readName(slot: Part, names: readonly string[], base: number, long: boolean): Reader {
  const places = new Map(
    names.map((name, i) => [packed(name.charCodeAt(0), name.charCodeAt(1), name.charCodeAt(2)), i])
  )
  const rests = names.map(name => new TextEncoder().encode(name.slice(3)))
  return (bytes, at, end, parts) => {
    if (at + 3 > end) return -1
    const place = places.get(packed(bytes[at]! | 32, bytes[at + 1]! | 32, bytes[at + 2]! | 32))
    if (place === undefined || !putPart(parts, slot, place + base)) return -1
    const rest = rests[place]!
    const whole = long && at + 3 + rest.length <= end && rest.every((letter, i) => (bytes[at + 3 + i]! | 32) === letter)
    return at + 3 + (whole ? rest.length : 0)
  }
}

function packed(a: number, b: number, c: number): number {
  return (a << 16) | (b << 8) | c
}

function readHalf(bytes: Uint8Array, at: number, end: number, parts: DateParts): number {
  if (at + 2 > end || (bytes[at + 1]! | 32) !== 109) return -1
  const letter = bytes[at]! | 32
  if (letter !== 97 && letter !== 112) return -1
  return putPart(parts, part.half, letter === 112 ? 1 : 0) ? at + 2 : -1
}

/** A point and any number of digits, of which nine count; nothing at all without a point. */
function readFraction(bytes: Uint8Array, at: number, end: number, parts: DateParts): number {
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

function readDigits(count: number): Reader {
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
function readOffset(lenient: boolean): Reader {
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
