// Parses the time filter of a document to a range of time.
import {
  convertTime,
  daysFromCivil,
  daysInMonth,
  parseDuration,
  parseTimestamp,
  type Zone
} from '../../../core/index.ts'
import { atPath, expected, membersOf, type Node, shown, textOf, wrong } from './node.ts'
import type { TimeRange } from './tree.ts'

const second = 1_000_000_000n

/** `now` in nanoseconds since 1970; `zone` applies to times without one. */
export function readTimeFilter(node: Node, zone: Zone, now: bigint): TimeRange {
  const { start, end, span } = membersOf(node, ['start', 'end', 'span'])
  const length = span && readSpan(span)
  const from = start && readTime(start, zone)
  const to = end && readTime(end, zone)
  if (from !== undefined && to !== undefined) return range(node, from.first, to.behind)
  if (from !== undefined && length !== undefined) return range(node, from.first, from.first + length)
  if (to !== undefined && length !== undefined) return range(node, to.behind - length, to.behind)
  if (length !== undefined) return { ...range(node, now - length, now), untilNow: true }
  if (from?.isPeriod) return range(node, from.first, from.behind)
  throw invalidTimeFilter(
    node.path,
    from === undefined
      ? 'expected start, start and end, start and span, end and span, or span'
      : 'start alone must be a year, a month or a day; with a time it needs end or span'
  )
}

function range({ path }: Node, from: bigint, to: bigint): TimeRange {
  if (to <= from) throw invalidTimeFilter(path, 'the end is not behind the start')
  return { from, to, untilNow: false }
}

function invalidTimeFilter(path: string, reason: string) {
  return wrong(path, `Invalid time filter: ${reason}`)
}

/** A period; a point in time has no length. */
interface Period {
  readonly first: bigint
  readonly behind: bigint
  readonly isPeriod: boolean
}

const period = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/

function readTime(node: Node, zone: Zone): Period {
  const text = textOf(node).trim()
  const match = period.exec(text)
  if (match === null) {
    const at = atPath(node.path, () => parseTimestamp(text, zone))
    return { first: at, behind: at, isPeriod: false }
  }
  const [, year, month, day] = match.map(Number)
  if (month !== undefined && !(month >= 1 && month <= 12) && !Number.isNaN(month)) throw noDate(node, text)
  if (day !== undefined && !(day >= 1 && day <= daysInMonth(year!, month!)) && !Number.isNaN(day))
    throw noDate(node, text)
  const isYear = Number.isNaN(month)
  const isMonth = Number.isNaN(day)
  const first = daysFromCivil(year!, isYear ? 1 : month!, isMonth ? 1 : day!)
  const behind = isYear
    ? daysFromCivil(year! + 1, 1, 1)
    : isMonth
      ? daysFromCivil(month === 12 ? year! + 1 : year!, month === 12 ? 1 : month! + 1, 1)
      : first + 1
  return { first: midnight(node, first, zone), behind: midnight(node, behind, zone), isPeriod: true }
}

function noDate(node: Node, text: string) {
  return wrong(node.path, `there is no date ${shown(text)}`)
}

/** The beginning of a day in nanoseconds. */
function midnight(node: Node, days: number, zone: Zone): bigint {
  const local = days * 86_400
  const offset = zone.localOffset(local)
  if (typeof offset === 'string') {
    throw wrong(node.path, `midnight of that day is ${offset} in ${zone.name}: say the time with an offset`)
  }
  return BigInt(local - offset) * second
}

/** A duration, or a number of seconds. */
function readSpan(node: Node): bigint {
  const { value } = node
  const text = typeof value === 'bigint' ? String(value) : textOf(node).trim()
  if (/^\d{1,18}$/.test(text) && BigInt(text) > 0n) return convertTime(BigInt(text), 's', 'ns')
  const milliseconds = parseDuration(text)
  if (milliseconds === undefined || !(milliseconds > 0) || milliseconds > 1e18) {
    throw expected(node, 'seconds or a duration such as 5m or 1h30m, above 0')
  }
  return BigInt(Math.round(milliseconds * 1e6))
}
