// Timestamp literals and the texts like them: RFC 3339 with an offset.
import { daysFromCivil, daysInMonth } from '../../../core/compute.ts'
import { CompileError, type Span } from './diagnostic.ts'
import { Timestamp } from './value.ts'

const pattern =
  /^([+-]?\d{4,6})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9})\d*)?\s*(?:([Zz])|([+-])(\d\d):?(\d\d))$/

/** The time of an RFC 3339 text; undefined if it is invalid. */
export function parseRfc3339(text: string): Timestamp | undefined {
  const found = pattern.exec(text)
  if (found === null) return undefined
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number
  ]
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined
  if (hour > 23 || minute > 59 || second > 60) return undefined
  const [, , , , , , , fraction = '', , sign, zoneHour = '0', zoneMinute = '0'] = found
  if (Number(zoneHour) > 23 || Number(zoneMinute) > 59) return undefined
  const offset = (sign === '-' ? -60 : 60) * (Number(zoneHour) * 60 + Number(zoneMinute))
  const seconds = daysFromCivil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
  return new Timestamp(BigInt(seconds) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0')))
}

/** E601 for an invalid time. */
export function readTime(text: string, span: Span): Timestamp {
  const time = parseRfc3339(text.trim())
  if (time === undefined)
    throw new CompileError(
      601,
      'invalid timestamp',
      span,
      'expected a time like 2026-01-31T12:00:00.5Z, with an offset'
    )
  return time
}
