// Time zones as the engine knows them: by name, and of the offsets only some.
import type { DbError } from '../../../core/index.ts'
import { unsupported } from '../error.ts'
import { isToken, type Token } from '../text/token.ts'

/** Zones whose clocks have had this offset, winter and summer, since 1990 at least. */
const steady: Readonly<Record<string, string>> = {
  '-09:30': 'Pacific/Marquesas',
  '+04:30': 'Asia/Kabul',
  '+05:30': 'Asia/Kolkata',
  '+05:45': 'Asia/Kathmandu',
  '+06:30': 'Asia/Yangon',
  '+09:30': 'Australia/Darwin'
}

/** The engine's name of a zone, undefined for an offset it has no zone for. */
function engineName(zone: string): string | undefined {
  if (zone === 'UTC') return zone
  const offset = /^([+-])(\d\d):(\d\d)$/.exec(zone)
  if (offset === null) return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
  const hours = Number(offset[2])
  const east = offset[1] === '+'
  if (offset[3] !== '00') return steady[zone]
  if (hours === 0) return 'UTC'
  return hours > (east ? 14 : 12) ? undefined : `Etc/GMT${east ? '-' : '+'}${hours}`
}

/** Functions that the engine evaluates in the session's zone. Columns and `now()` have no zone; constants are read before. */
const zoned = [
  'timestamptz',
  'timetz',
  'to_timestamp',
  'make_timestamptz',
  'current_date',
  'today',
  'current_time',
  'localtime',
  'localtimestamp',
  'to_local_time'
]

/** The zone a query runs in. Throws `Unsupported` when it needs one the engine does not have. */
export function engineZone(zone: string, tokens: readonly Token[]): string {
  const name = engineName(zone)
  if (name !== undefined) return name
  const used = tokens.find(
    (token, i) => zoned.some(word => isToken(token, word)) || (isToken(token, 'with') && isToken(tokens[i + 1], 'time'))
  )
  if (used === undefined) return 'UTC'
  throw unknownZone(zone, used.value.toUpperCase())
}

/** Whether the engine has a zone. Throws `Unsupported` where it has not and something needs it. */
export function hasEngineZone(zone: string, needing: string | undefined): boolean {
  if (engineName(zone) !== undefined) return true
  if (needing !== undefined) throw unknownZone(zone, needing)
  return false
}

export function unknownZone(zone: string, what: string): DbError {
  return unsupported(
    `${what} does not work in the time zone ${zone}: use the name of a zone such as Australia/Adelaide`
  )
}
