// Date formats in strftime notation, compiled to a chain of readers over bytes.
import { emptyParts, hasPart, localSeconds, type Part, part } from './clock.ts'
import {
  literal,
  type Reader,
  readDigits,
  readFraction,
  readHalf,
  readIsoWeekday,
  readName,
  readNumber,
  readOffset,
  readSigned,
  skipSpaces,
  skipWord
} from './reader.ts'

/** A compiled date format. Its properties hold the result of the last `read`. */
export interface DateFormat {
  readonly text: string
  /**
   * Parses a range of UTF-8 text. True if the whole range is a date and time in this format; the result is then in `seconds`, `nanosecond`
   * and `offset`.
   */
  read(bytes: Uint8Array, start: number, end: number): boolean
  /** Seconds since 1970: local time unless `offset` is a number. */
  seconds: number
  nanosecond: number
  /** The UTC offset in the text, in seconds east; NaN if it has none. */
  offset: number
}

/** Compiles a format of `strftime` such as `%Y-%m-%d %H:%M:%S`. Throws the result of `refuse` for an invalid one; its message tells why. */
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

/** For each letter: the part it sets, its maximum digits, minimum and maximum. */
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
