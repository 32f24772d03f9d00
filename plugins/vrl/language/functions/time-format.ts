// Writing times by a format in strftime notation.
import { civilFromDays, daysFromCivil, type Zone } from '../../../../core/compute.ts'
import { type Context, checkOutput } from '../context.ts'
import { fail } from '../function.ts'
import type { Timestamp } from '../value.ts'

/** A time as the clock of a zone shows it. */
interface Clock {
  readonly seconds: number
  readonly nanosecond: number
  readonly offset: number
  readonly zone: Zone
  readonly days: number
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  /** 0 Sunday … 6 Saturday. */
  readonly weekday: number
}

const item = /%([-_0]?)(\.[369]?f|[369]f|:{0,3}z|.)|%/gsu

/** Fails for specifiers that are unknown. */
export function formatTime(context: Context, time: Timestamp, format: string, zone: Zone): string {
  const clock = readClock(time, zone)
  const text = format.replaceAll(item, (found, flag: string, name: string | undefined) => {
    const written = name === undefined ? undefined : write(clock, name, flag)
    if (written === undefined) throw fail(`invalid format: unknown specifier "${found}"`)
    return written
  })
  checkOutput(context, text.length)
  return text
}

function readClock({ ns }: Timestamp, zone: Zone): Clock {
  const whole = ns / 1_000_000_000n
  const floor = ns < 0n && whole * 1_000_000_000n !== ns ? whole - 1n : whole
  const seconds = Number(floor)
  const offset = zone.offset(seconds)
  const local = seconds + offset
  const days = Math.floor(local / 86_400)
  const rest = local - days * 86_400
  return {
    seconds,
    nanosecond: Number(ns - floor * 1_000_000_000n),
    offset,
    zone,
    days,
    ...civilFromDays(days),
    hour: Math.floor(rest / 3600),
    minute: Math.floor(rest / 60) % 60,
    second: rest % 60,
    weekday: (((days + 4) % 7) + 7) % 7
  }
}

const months = 'January February March April May June July August September October November December'.split(' ')
const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

/** Specifiers that are short for several others. */
const combined: Readonly<Record<string, readonly string[]>> = {
  D: ['m', '/', 'd', '/', 'y'],
  x: ['m', '/', 'd', '/', 'y'],
  F: ['Y', '-', 'm', '-', 'd'],
  v: ['e', '-', 'b', '-', 'Y'],
  R: ['H', ':', 'M'],
  T: ['H', ':', 'M', ':', 'S'],
  X: ['H', ':', 'M', ':', 'S'],
  r: ['I', ':', 'M', ':', 'S', ' ', 'p'],
  c: ['a', ' ', 'b', ' ', 'e', ' ', 'T', ' ', 'Y'],
  '+': ['F', 'T', 'T', '.f', ':z']
}

function write(clock: Clock, name: string, flag: string): string | undefined {
  const number = numberOf(clock, name)
  if (number !== undefined) return padded(number, flag)
  if (flag !== '') return undefined
  if (name === '+')
    return `${write(clock, 'F', '')}T${write(clock, 'T', '')}${fraction(clock, 0)}${offsetText(clock, ':')}`
  const parts = combined[name]
  if (parts !== undefined) return parts.map(part => (/^[A-Za-z]$/.test(part) ? write(clock, part, '') : part)).join('')
  return textOf(clock, name)
}

interface Numeric {
  readonly value: number
  readonly width: number
  readonly pad: '0' | ' '
}

function padded({ value, width, pad }: Numeric, flag: string): string {
  const digits = String(Math.abs(value))
  const sign = value < 0 ? '-' : ''
  if (flag === '-') return sign + digits
  const fill = flag === '_' ? ' ' : flag === '0' ? '0' : pad
  return fill === '0' ? sign + digits.padStart(width, fill) : (sign + digits).padStart(width, fill)
}

const two = (value: number): Numeric => ({ value, width: 2, pad: '0' })
const spaced = (value: number): Numeric => ({ value, width: 2, pad: ' ' })
const plain = (value: number): Numeric => ({ value, width: 1, pad: '0' })
const modulo = (value: number, by: number) => ((value % by) + by) % by

function numberOf(clock: Clock, name: string): Numeric | undefined {
  const { year, month, day, hour, weekday } = clock
  switch (name) {
    case 'Y':
      return { value: year, width: 4, pad: '0' }
    case 'C':
      return two(Math.floor(year / 100))
    case 'y':
      return two(modulo(year, 100))
    case 'm':
      return two(month)
    case 'd':
      return two(day)
    case 'e':
      return spaced(day)
    case 'j':
      return { value: dayOfYear(clock), width: 3, pad: '0' }
    case 'H':
      return two(hour)
    case 'k':
      return spaced(hour)
    case 'I':
      return two(((hour + 11) % 12) + 1)
    case 'l':
      return spaced(((hour + 11) % 12) + 1)
    case 'M':
      return two(clock.minute)
    case 'S':
      return two(clock.second)
    case 'f':
      return { value: clock.nanosecond, width: 9, pad: '0' }
    case 'w':
      return plain(weekday)
    case 'u':
      return plain(weekday === 0 ? 7 : weekday)
    case 's':
      return plain(clock.seconds)
    default:
      return weekNumber(clock, name)
  }
}

function dayOfYear({ days, year }: Clock): number {
  return days - daysFromCivil(year, 1, 1) + 1
}

function weekNumber(clock: Clock, name: string): Numeric | undefined {
  const { weekday } = clock
  switch (name) {
    case 'U':
      return two(Math.floor((dayOfYear(clock) + 6 - weekday) / 7))
    case 'W':
      return two(Math.floor((dayOfYear(clock) + 6 - ((weekday + 6) % 7)) / 7))
    case 'G':
      return { value: isoYear(clock), width: 4, pad: '0' }
    case 'g':
      return two(modulo(isoYear(clock), 100))
    case 'V':
      return two(Math.floor((thursday(clock) - daysFromCivil(isoYear(clock), 1, 1)) / 7) + 1)
    default:
      return undefined
  }
}

/** The Thursday of the week determines the ISO year. */
function thursday({ days, weekday }: Clock): number {
  return days - ((weekday + 6) % 7) + 3
}

function isoYear(clock: Clock): number {
  return civilFromDays(thursday(clock)).year
}

function textOf(clock: Clock, name: string): string | undefined {
  switch (name) {
    case 'b':
    case 'h':
      return months[clock.month - 1]!.slice(0, 3)
    case 'B':
      return months[clock.month - 1]!
    case 'a':
      return weekdays[clock.weekday]!.slice(0, 3)
    case 'A':
      return weekdays[clock.weekday]!
    case 'p':
      return clock.hour < 12 ? 'AM' : 'PM'
    case 'P':
      return clock.hour < 12 ? 'am' : 'pm'
    case 'Z':
      return zoneName(clock)
    case 't':
      return '\t'
    case 'n':
      return '\n'
    case '%':
      return '%'
  }
  if (name.endsWith('z')) return offsetText(clock, name.slice(0, -1))
  if (!/^(\.[369]?|[369])f$/.test(name)) return undefined
  const digitCount = Number(/\d/.exec(name)?.[0] ?? 0)
  const text = fraction(clock, digitCount)
  return name.startsWith('.') ? text : text.slice(1)
}

/** A point and this many digits of the fraction. 0: as many groups of three digits as are needed, possibly none, without the point. */
function fraction({ nanosecond }: Clock, digitCount: number): string {
  const digits = String(nanosecond).padStart(9, '0')
  if (digitCount > 0) return `.${digits.slice(0, digitCount)}`
  const needed = digits.replace(/(?:000){1,3}$/, '')
  return needed === '' ? '' : `.${needed}`
}

function offsetText({ offset }: Clock, colons: string): string {
  const sign = offset < 0 ? '-' : '+'
  const size = Math.abs(offset)
  const pair = (value: number) => String(value).padStart(2, '0')
  const hours = sign + pair(Math.floor(size / 3600))
  const minutes = pair(Math.floor(size / 60) % 60)
  if (colons === ':::') return hours
  if (colons === '::') return `${hours}:${minutes}:${pair(size % 60)}`
  return `${hours}${colons}${minutes}`
}

/** The abbreviation of the zone if the platform knows one, else its offset. */
function zoneName(clock: Clock): string {
  const { zone, seconds } = clock
  if (zone.name === 'UTC') return 'UTC'
  if (/^[+-]/.test(zone.name)) return zone.name
  for (const locale of ['en-US', 'en-GB', 'en-AU', 'en-IN']) {
    const parts = new Intl.DateTimeFormat(locale, { timeZone: zone.name, timeZoneName: 'short' }).formatToParts(
      seconds * 1000
    )
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
    if (/^[A-Z]+$/.test(name) && name !== 'GMT') return name
  }
  return clock.offset === 0 ? 'GMT' : offsetText(clock, '').replace(/00$/, '')
}
