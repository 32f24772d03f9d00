// Reading syslog messages of RFC 3164: a time, then maybe a host, a program and its process.
import { daysFromCivil, daysInMonth, type Zone } from '../../../../../core/compute.ts'
import { parseRfc3339 } from '../../time-literal.ts'
import { Timestamp } from '../../value.ts'
import { readStructuredData, type StructuredData } from './syslog-data.ts'

export interface Header {
  readonly version?: bigint
  readonly timestamp: Timestamp | undefined
  readonly hostname: string | undefined
  readonly appname: string | undefined
  readonly procid: string | undefined
  readonly msgid?: string | undefined
  readonly data: StructuredData['data'] | undefined
  readonly message: string
}

const monthNames = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const isoTime = /\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?\s?(?:[Zz]|[+-]\d\d:?\d\d)/y
const oldTime =
  /(?:[a-z]{3},?\s+)?([a-z]{3})\s+(\d{1,2})\s+(?:(\d{4})\s+)?(\d{1,2}):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?:\s+(\d{4})(?=[\s:]|$))?(?:\s+(?:utc|gmt|z)(?=[\s:]|$))?/iy
const tag = /([^\s:[\]]+)\s?\[([^\]\s]*)\]\s*:?|([^\s:[\]]+):(?=\s|$)/y

/** Undefined if the text does not begin with a time. */
export function readOldMessage(text: string, start: number, zone: Zone): Header | undefined {
  const time = readTimeAt(text, skipBlanks(text, start), zone)
  if (time === undefined) return undefined
  let at = skipBlanks(text, text[time.end] === ':' ? time.end + 1 : time.end)
  let hostname: string | undefined
  let program = readTag(text, at)
  if (program === undefined) {
    const end = wordEnd(text, at)
    hostname = text.slice(at, end)
    at = skipBlanks(text, end)
    program = readTag(text, at)
  }
  at = skipBlanks(text, program?.end ?? at)
  const data = text[at] === '[' ? readStructuredData(text, at) : undefined
  const real = data !== undefined && data.data.size > 0 && [...data.data.values()].every(params => params.size > 0)
  return {
    timestamp: time.timestamp,
    hostname: hostname === '' || hostname === '-' ? undefined : hostname,
    appname: program?.name,
    procid: program?.process,
    data: real ? data.data : undefined,
    message: text.slice(real ? skipBlanks(text, data.end) : at)
  }
}

function skipBlanks(text: string, start: number): number {
  let at = start
  while (text[at] === ' ' || text[at] === '\t') at++
  return at
}

function wordEnd(text: string, start: number): number {
  let at = start
  while (at < text.length && text[at] !== ' ' && text[at] !== '\t') at++
  return at
}

interface Tag {
  readonly name: string
  readonly process: string | undefined
  readonly end: number
}

function readTag(text: string, at: number): Tag | undefined {
  tag.lastIndex = at
  const found = tag.exec(text)
  if (found === null) return undefined
  const process = found[2] === undefined || found[2] === '' ? undefined : found[2]
  return { name: found[1] ?? found[3]!, process, end: tag.lastIndex }
}

interface FoundTime {
  readonly timestamp: Timestamp | undefined
  readonly end: number
}

function readTimeAt(text: string, at: number, zone: Zone): FoundTime | undefined {
  isoTime.lastIndex = at
  const iso = isoTime.exec(text)
  if (iso !== null) {
    const timestamp = parseRfc3339(iso[0])
    return timestamp === undefined ? undefined : { timestamp, end: isoTime.lastIndex }
  }
  oldTime.lastIndex = at
  const found = oldTime.exec(text)
  const timestamp = found === null ? undefined : oldTimestamp(found, zone)
  return timestamp === undefined ? undefined : { timestamp, end: oldTime.lastIndex }
}

function oldTimestamp(found: RegExpExecArray, zone: Zone): Timestamp | undefined {
  const [, name, day, early, hour, minute, second, fraction = '', late] = found
  const month = monthNames.indexOf(name!.toLowerCase()) + 1
  if (month === 0) return undefined
  const year = early ?? late
  const full = year === undefined ? guessYear(month) : Number(year)
  if (Number(day) < 1 || Number(day) > daysInMonth(full, month)) return undefined
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined
  const local = daysFromCivil(full, month, Number(day)) * 86_400 + Number(hour) * 3600 + Number(minute) * 60
  const offset = zone.localOffset(local)
  if (typeof offset === 'string') return undefined
  return new Timestamp(BigInt(local + Number(second) - offset) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0')))
}

/** The current year, or the year before for a message of December read in January. */
export function guessYear(month: number): number {
  const now = new Date()
  return now.getUTCFullYear() - (month === 12 && now.getUTCMonth() === 0 ? 1 : 0)
}
