// Calendar and clock arithmetic in plain numbers: time zones, civil dates, timestamp literals, unit conversion.
import { DbError } from '../errors.ts'
import { type TimeUnit, unitsPerSecond } from './types.ts'

const secondsPerDay = 86_400

/** Seconds before and after 1970 whose nanoseconds fit 64 bits, whatever the fraction of the last second. */
export const maxSeconds = 9_223_372_035

/** Milliseconds before and after 1970 that a JavaScript date can hold. */
export const maxDate = 8.64e15

/** A time zone, for converting between UTC and local time. */
export interface Zone {
  /** Canonical IANA name, or `+hh:mm`. */
  readonly name: string
  /** Seconds east of UTC at a UTC time, in seconds since 1970. */
  offset(seconds: number): number
  /** Seconds east of UTC at a local time, in seconds since 1970; or why there is no single answer. */
  localOffset(localSeconds: number): number | 'ambiguous' | 'skipped'
}

/** UTC itself: local and universal seconds are the same. */
export const utc: Zone = { name: 'UTC', offset: () => 0, localOffset: () => 0 }

/**
 * Parses a zone name: `UTC`, an IANA name in any case, `+hh:mm` or `-h:mm` (−13:59 … +14:00), `SYSTEM`. Undefined if invalid. The zone caches
 * offsets, so keep it while you convert many times.
 */
export function parseZone(text: string): Zone | undefined {
  const name = text.trim()
  if (/^utc$/i.test(name)) return utc
  const fixed = /^([+-])(\d{1,2}):(\d{2})$/.exec(name)
  if (fixed !== null) return fixedZone(fixed[1] === '-' ? -1 : 1, Number(fixed[2]), Number(fixed[3]))
  if (/^system$/i.test(name)) return ianaZone(Intl.DateTimeFormat().resolvedOptions().timeZone)
  return /^[A-Za-z]/.test(name) ? ianaZone(name) : undefined
}

function fixedZone(sign: number, hours: number, minutes: number): Zone | undefined {
  const total = sign * (hours * 60 + minutes)
  if (minutes > 59 || total < -839 || total > 840) return undefined
  const seconds = total * 60
  const two = (value: number) => String(value).padStart(2, '0')
  return {
    name: `${sign < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}`,
    offset: () => seconds,
    localOffset: () => seconds
  }
}

/** The offsets of one UTC day: `before` until second `change`, `after` from then on. */
interface DayOffsets {
  readonly change: number
  readonly before: number
  readonly after: number
}

/** Days a zone caches before it starts anew; bounds the memory. */
const rememberedDays = 20_000

function ianaZone(name: string): Zone | undefined {
  let format: Intl.DateTimeFormat
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric'
    })
  } catch {
    return undefined
  }
  const canonical = format.resolvedOptions().timeZone
  // An alias of a zone keeps the name the user gave.
  const isOther = canonical.toLowerCase() !== name.toLowerCase() && name !== name.toLowerCase()
  return canonical === 'UTC' ? utc : cachedZone(isOther ? name : canonical, seconds => intlOffset(format, seconds))
}

function intlOffset(format: Intl.DateTimeFormat, seconds: number): number {
  const part: Record<string, string> = {}
  for (const { type, value } of format.formatToParts(seconds * 1000)) part[type] = value
  const year = part['era'] === 'BC' ? 1 - Number(part['year']) : Number(part['year'])
  const days = daysFromCivil(year, Number(part['month']), Number(part['day']))
  const local =
    days * secondsPerDay + Number(part['hour']) * 3600 + Number(part['minute']) * 60 + Number(part['second'])
  return local - seconds
}

function cachedZone(name: string, lookUp: (seconds: number) => number): Zone {
  const days = new Map<number, DayOffsets>()
  const locals = new Map<number, number>()
  let lastDay = Number.NaN
  let last: DayOffsets = { change: 0, before: 0, after: 0 }
  let lastLocalDay = Number.NaN
  let lastLocal = 0

  const dayOffsets = (day: number): DayOffsets => {
    if (day === lastDay) return last
    let found = days.get(day)
    if (found === undefined) {
      if (days.size >= rememberedDays) days.clear()
      found = findOffsets(day, lookUp)
      days.set(day, found)
    }
    lastDay = day
    last = found
    return found
  }
  const offset = (seconds: number): number => {
    const found = dayOffsets(Math.floor(seconds / secondsPerDay))
    return seconds < found.change ? found.before : found.after
  }
  /** The offset that holds from the day before to the day after a local day; NaN if it changes. */
  const steadyOffset = (day: number): number => {
    if (day === lastLocalDay) return lastLocal
    let steady = locals.get(day)
    if (steady === undefined) {
      if (locals.size >= rememberedDays) locals.clear()
      const first = offset((day - 1) * secondsPerDay)
      const same = [day - 1, day, day + 1].every(d => {
        const { before, after } = dayOffsets(d)
        return before === first && after === first
      })
      steady = same ? first : Number.NaN
      locals.set(day, steady)
    }
    lastLocalDay = day
    lastLocal = steady
    return steady
  }
  const localOffset = (local: number): number | 'ambiguous' | 'skipped' => {
    const steady = steadyOffset(Math.floor(local / secondsPerDay))
    if (!Number.isNaN(steady)) return steady
    const early = offset(local - secondsPerDay)
    const late = offset(local + secondsPerDay)
    const earlyHolds = offset(local - early) === early
    const lateHolds = offset(local - late) === late
    if (earlyHolds && lateHolds && early !== late) return 'ambiguous'
    if (earlyHolds) return early
    return lateHolds ? late : 'skipped'
  }
  return { name, offset, localOffset }
}

function findOffsets(day: number, lookUp: (seconds: number) => number): DayOffsets {
  let low = day * secondsPerDay
  let high = low + secondsPerDay
  const before = lookUp(low)
  const after = lookUp(high)
  if (before === after) return { change: low, before, after }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (lookUp(middle) === before) low = middle
    else high = middle
  }
  return { change: high, before, after }
}

/** Days from 1970-01-01 to a date of the proleptic Gregorian calendar; months count from 1. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

/** Year, month (from 1) and day of a day counted from 1970-01-01. */
export function civilFromDays(days: number): { year: number; month: number; day: number } {
  const z = days + 719_468
  const era = Math.floor(z / 146_097)
  const dayOfEra = z - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shifted = Math.floor((5 * dayOfYear + 2) / 153)
  const month = shifted < 10 ? shifted + 3 : shifted - 9
  const day = dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day }
}

/** Days of a month (1 to 12). */
export function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

const literal =
  /^([+-]?\d{4,6})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)? ?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i

/**
 * Parses a timestamp literal to nanoseconds since 1970: RFC 3339, `YYYY-MM-DD hh:mm[:ss[.f…]]` with space or `T` and an optional `Z` or `±hh[:mm]`,
 * or a date alone. Text without an offset is in `zone`. Fraction digits beyond nine are cut off. Throws DbError `InvalidArguments`.
 */
export function parseTimestamp(text: string, zone: Zone): bigint {
  const match = literal.exec(text.trim())
  if (match === null) throw notTimestamp(text, 'expected YYYY-MM-DD[ hh:mm[:ss[.f]]][Z|±hh:mm]')
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', offset] = match
  const y = Number(year)
  const m = Number(month)
  const d = Number(day)
  const inCalendar = m >= 1 && m <= 12 && d >= 1 && d <= daysInMonth(y, m)
  if (!inCalendar || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) {
    throw notTimestamp(text, 'no such date or time')
  }
  const local = daysFromCivil(y, m, d) * secondsPerDay + Number(hour) * 3600 + Number(minute) * 60 + Number(second)
  const shift = offset === undefined ? zone.localOffset(local) : literalOffset(text, offset)
  if (typeof shift === 'string') throw notTimestamp(text, `this local time is ${shift} in ${zone.name}`)
  const ns = BigInt(local - shift) * 1_000_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, '0'))
  if (BigInt.asIntN(64, ns) !== ns) throw notTimestamp(text, 'nanoseconds reach from the year 1677 to 2262')
  return ns
}

function literalOffset(text: string, offset: string): number {
  if (offset === 'Z' || offset === 'z') return 0
  const hours = Number(offset.slice(1, 3))
  const minutes = Number(offset.slice(3).replace(':', ''))
  if (hours > 23 || minutes > 59) throw notTimestamp(text, 'no such offset')
  return (offset[0] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60)
}

function notTimestamp(text: string, reason: string): DbError {
  return new DbError('InvalidArguments', `'${text.slice(0, 60)}' is not a timestamp: ${reason}`)
}

/** Nanoseconds since 1970 as RFC 3339 text with `Z` and 0, 3, 6 or 9 fraction digits. */
export function formatTimestamp(ns: bigint): string {
  const seconds = convertTime(ns, 'ns', 's')
  const fraction = String(ns - seconds * 1_000_000_000n)
    .padStart(9, '0')
    .replace(/(000){1,3}$/, '')
  const days = Math.floor(Number(seconds) / secondsPerDay)
  const rest = Number(seconds) - days * secondsPerDay
  const { year, month, day } = civilFromDays(days)
  const two = (value: number) => String(value).padStart(2, '0')
  const clock = `${two(Math.floor(rest / 3600))}:${two(Math.floor(rest / 60) % 60)}:${two(rest % 60)}`
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${clock}${fraction === '' ? '' : `.${fraction}`}Z`
}

/** Converts a time to another unit, rounding towards the past. The result may exceed 64 bits if the unit is finer. */
export function convertTime(value: bigint, from: TimeUnit, to: TimeUnit): bigint {
  const per = unitsPerSecond[from]
  const wanted = unitsPerSecond[to]
  if (wanted >= per) return value * (wanted / per)
  const divisor = per / wanted
  const quotient = value / divisor
  return value < 0n && quotient * divisor !== value ? quotient - 1n : quotient
}

/**
 * Writes a time as 64-bit nanoseconds since 1970 at index `i`, low word first, from whole seconds and 0 … 999 999 999 nanoseconds, for the years 1678
 * to 2261. Avoids bigint.
 */
export function putNanoseconds(words: Uint32Array, i: number, seconds: number, nanoseconds: number): void {
  const high = Math.floor(seconds / 65536)
  const upper = high * 1e9
  const carried = Math.floor(upper / 65536)
  const low = (upper - carried * 65536) * 65536 + (seconds - high * 65536) * 1e9 + nanoseconds
  words[i * 2] = low
  words[i * 2 + 1] = carried + Math.floor(low / 4294967296)
}
