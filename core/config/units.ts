// Durations and sizes: from text to milliseconds or bytes, and back.
import { DbError } from '../errors.ts'

const day = 86_400_000
const wholeUnits = [
  { ms: 365.25 * day, one: 'year', many: 'years', names: ['year', 'years', 'y'] },
  { ms: 30.44 * day, one: 'month', many: 'months', names: ['month', 'months', 'mo', 'M'] },
  { ms: 7 * day, one: 'week', many: 'weeks', names: ['week', 'weeks', 'w'] },
  { ms: day, one: 'day', many: 'days', names: ['day', 'days', 'd'] },
  { ms: 3_600_000, one: 'h', many: 'h', names: ['hour', 'hours', 'hr', 'hrs', 'h'] },
  { ms: 60_000, one: 'm', many: 'm', names: ['minute', 'minutes', 'min', 'mins', 'm'] },
  { ms: 1000, one: 's', many: 's', names: ['second', 'seconds', 'sec', 'secs', 's'] },
  { ms: 1, one: 'ms', many: 'ms', names: ['millisecond', 'milliseconds', 'millis', 'msec', 'ms'] }
] as const
const partUnits = [
  { ms: 1e-3, names: ['microsecond', 'microseconds', 'usec', 'us', 'µs'] },
  { ms: 1e-6, names: ['nanosecond', 'nanoseconds', 'nanos', 'nsec', 'ns'] }
] as const

/** Weeks are accepted but never printed: `7days`, not `1week`. */
const printedUnits = wholeUnits.filter(unit => unit.one !== 'week')

/**
 * Parses a duration to milliseconds: numbers with units in sequence (`30s`, `1m 30s`, `1h30m`, `7days`). A month has 30.44 days and a year
 * 365.25; a bare `0` is zero. Below one millisecond the result is a fraction. Undefined for invalid text.
 */
export function parseDuration(text: string): number | undefined {
  const trimmed = text.trim()
  if (trimmed === '0') return 0
  const part = /\s*(\d+(?:\.\d+)?)\s*([A-Za-zµ]+)/y
  let total = 0
  let end = 0
  while (end < trimmed.length) {
    part.lastIndex = end
    const match = part.exec(trimmed)
    const unit = match ? durationUnit(match[2]!) : undefined
    if (match === null || unit === undefined) return undefined
    total += Number(match[1]) * unit
    end = part.lastIndex
  }
  return trimmed === '' || !Number.isFinite(total) ? undefined : total
}

function durationUnit(name: string): number | undefined {
  const exact = (word: string) =>
    [...wholeUnits, ...partUnits].find(unit => (unit.names as readonly string[]).includes(word))?.ms
  // Only `M` (months) and `m` (minutes) differ by case.
  return exact(name) ?? exact(name.toLowerCase())
}

/** The canonical text of milliseconds: largest units first, days and longer as words: `7days`, `1day`, `6h`, `1m 30s`, `1month`. */
export function formatDuration(milliseconds: number): string {
  const parts: string[] = []
  let rest = milliseconds
  for (const unit of printedUnits) {
    const count = Math.floor(rest / unit.ms)
    if (count === 0) continue
    parts.push(`${count}${count === 1 ? unit.one : unit.many}`)
    rest = Math.round((rest - count * unit.ms) * 1e6) / 1e6
  }
  if (rest > 0) parts.push(rest * 1000 >= 1 ? `${Math.round(rest * 1000)}us` : `${Math.round(rest * 1e6)}ns`)
  return parts.length === 0 ? '0s' : parts.join(' ')
}

const sizeUnits = ['', 'K', 'M', 'G', 'T', 'P'] as const

/** Parses a size to bytes: `64MiB`, `64MB` and `64M` mean the same (powers of 1024); a bare number is bytes. Undefined for invalid text. */
export function parseSize(text: string): number | undefined {
  const match = /^\s*(\d+(?:\.\d+)?)\s*(?:([kmgtp])(?:i?b)?|b)?\s*$/i.exec(text)
  if (match === null) return undefined
  const power = sizeUnits.indexOf((match[2]?.toUpperCase() ?? '') as (typeof sizeUnits)[number])
  const bytes = Math.round(Number(match[1]) * 1024 ** power)
  return Number.isSafeInteger(bytes) ? bytes : undefined
}

/** The canonical text of bytes, in the largest unit that divides them: `64MiB`; `0KiB` for zero, `100B` below a KiB. */
export function formatSize(bytes: number): string {
  if (bytes === 0) return '0KiB'
  let power = 0
  let count = bytes
  while (count % 1024 === 0 && power < sizeUnits.length - 1) {
    count /= 1024
    power++
  }
  return power === 0 ? `${count}B` : `${count}${sizeUnits[power]}iB`
}

/**
 * The canonical text of a time to live: a duration (`7days`), `forever` (also for empty, `NULL` and zero) or `instant`. Throws DbError
 * `InvalidArguments`.
 */
export function parseTtl(text: string): string {
  const word = text.trim().toLowerCase()
  if (word === '' || word === 'null' || word === 'forever') return 'forever'
  if (word === 'instant') return 'instant'
  const milliseconds = parseDuration(text)
  if (milliseconds === undefined)
    throw new DbError(
      'InvalidArguments',
      `invalid ttl ${JSON.stringify(text)}: expected a duration such as 7d or 12h, forever or instant`
    )
  return milliseconds === 0 ? 'forever' : formatDuration(milliseconds)
}
