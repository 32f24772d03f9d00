// The parts of a date that a format reads, and how they add up to a point in time.
import { daysFromCivil, daysInMonth } from '../time.ts'

/** Indices of the parts in `DateParts.values`. */
export const part = {
  year: 0,
  century: 1,
  yearOfCentury: 2,
  month: 3,
  day: 4,
  dayOfYear: 5,
  hour: 6,
  hourOfHalf: 7,
  minute: 8,
  second: 9,
  /** 0 AM, 1 PM. */
  half: 10,
  nanosecond: 11,
  /** 0 Sunday … 6 Saturday. */
  weekday: 12,
  weekFromSunday: 13,
  weekFromMonday: 14,
  isoYear: 15,
  isoYearOfCentury: 16,
  isoWeek: 17,
  /** Seconds east of UTC. */
  offset: 18,
  /** Seconds since 1970, UTC. */
  unix: 19
} as const

export type Part = (typeof part)[keyof typeof part]

/** The parts read so far: bit p of `seen` says whether `values[p]` is set. */
export interface DateParts {
  seen: number
  readonly values: Float64Array
}

export function emptyParts(): DateParts {
  return { seen: 0, values: new Float64Array(20) }
}

/** Notes a part; false when it contradicts what was read before. */
export function putPart(parts: DateParts, at: Part, value: number): boolean {
  const bit = 1 << at
  if ((parts.seen & bit) !== 0) return parts.values[at] === value
  parts.seen |= bit
  parts.values[at] = value
  return true
}

export function hasPart(parts: DateParts, at: Part): boolean {
  return (parts.seen & (1 << at)) !== 0
}

const plainDate = (1 << part.year) | (1 << part.month) | (1 << part.day)
const otherDates =
  (1 << part.dayOfYear) | (1 << part.weekday) | (1 << part.century) | (1 << part.yearOfCentury) | (1 << part.unix)

/** Seconds from 1970 of the date and clock as they stand, without regard to an offset; NaN when they name no time. */
export function localSeconds(parts: DateParts): number {
  const { values } = parts
  if (hasPart(parts, part.unix)) return values[part.unix]! + (hasPart(parts, part.offset) ? values[part.offset]! : 0)
  const plain = (parts.seen & (plainDate | otherDates)) === plainDate
  const days = plain ? calendarDays(values[part.year]!, values[part.month]!, values[part.day]!) : resolveDays(parts)
  const hour = resolveHour(parts)
  if (hour < 0 || !hasPart(parts, part.minute)) return Number.NaN
  return (
    days * 86_400 + hour * 3600 + values[part.minute]! * 60 + (hasPart(parts, part.second) ? values[part.second]! : 0)
  )
}

function calendarDays(year: number, month: number, day: number): number {
  return day > daysInMonth(year, month) ? Number.NaN : daysFromCivil(year, month, day)
}

function resolveHour(parts: DateParts): number {
  const { values } = parts
  if (hasPart(parts, part.hour)) return values[part.hour]!
  if (!hasPart(parts, part.hourOfHalf) || !hasPart(parts, part.half)) return -1
  return (values[part.hourOfHalf]! % 12) + values[part.half]! * 12
}

function resolveDays(parts: DateParts): number {
  const days = daysFromParts(parts)
  const year = resolveYear(parts)
  if (hasPart(parts, part.weekday) && weekdayOf(days) !== parts.values[part.weekday]) return Number.NaN
  if (hasPart(parts, part.dayOfYear) && days - daysFromCivil(year, 1, 1) + 1 !== parts.values[part.dayOfYear]) {
    return Number.NaN
  }
  return days
}

function daysFromParts(parts: DateParts): number {
  const { values } = parts
  const year = resolveYear(parts)
  const newYear = daysFromCivil(year, 1, 1)
  if (hasPart(parts, part.month) && hasPart(parts, part.day)) {
    return calendarDays(year, values[part.month]!, values[part.day]!)
  }
  if (hasPart(parts, part.dayOfYear)) {
    const length = daysFromCivil(year + 1, 1, 1) - newYear
    return values[part.dayOfYear]! > length ? Number.NaN : newYear + values[part.dayOfYear]! - 1
  }
  if (!hasPart(parts, part.weekday)) return Number.NaN
  const weekday = values[part.weekday]!
  if (hasPart(parts, part.weekFromSunday)) {
    return (
      newYear + values[part.weekFromSunday]! * 7 + weekday - weekdayOf(newYear) - (weekdayOf(newYear) === 0 ? 7 : 0)
    )
  }
  const fromMonday = (weekday + 6) % 7
  if (hasPart(parts, part.weekFromMonday)) {
    const first = (weekdayOf(newYear) + 6) % 7
    return newYear + values[part.weekFromMonday]! * 7 + fromMonday - first - (first === 0 ? 7 : 0)
  }
  if (!hasPart(parts, part.isoWeek)) return Number.NaN
  const fourth = daysFromCivil(resolveIsoYear(parts), 1, 4)
  return fourth - ((weekdayOf(fourth) + 6) % 7) + (values[part.isoWeek]! - 1) * 7 + fromMonday
}

function resolveYear(parts: DateParts): number {
  const { values } = parts
  if (hasPart(parts, part.year)) return values[part.year]!
  if (!hasPart(parts, part.yearOfCentury)) return Number.NaN
  const short = values[part.yearOfCentury]!
  return hasPart(parts, part.century) ? values[part.century]! * 100 + short : fullYear(short)
}

function resolveIsoYear(parts: DateParts): number {
  if (hasPart(parts, part.isoYear)) return parts.values[part.isoYear]!
  return hasPart(parts, part.isoYearOfCentury) ? fullYear(parts.values[part.isoYearOfCentury]!) : Number.NaN
}

function fullYear(short: number): number {
  return short + (short < 70 ? 2000 : 1900)
}

function weekdayOf(days: number): number {
  return (((days + 4) % 7) + 7) % 7
}
