// Time to live: the time from which rows are visible.
import { parseDuration } from '../../../config/units.ts'
import type { Table, TableOptions } from '../../../model/table.ts'
import { type TimestampType, timeUnit, unitsPerSecond } from '../../../model/types.ts'

/** The oldest visible time, in the unit of the time index; undefined if rows do not expire. `now` in milliseconds. */
export function retentionCutoff(table: Table, database: TableOptions, now: number): bigint | undefined {
  const ttl = table.options.ttl ?? database.ttl
  if (ttl === undefined || ttl === 'forever' || ttl === 'instant') return undefined
  const oldest = BigInt(Math.floor(now - parseDuration(ttl)!))
  const perSecond = unitsPerSecond[timeUnit(table.timeIndex.type as TimestampType)]
  const scaled = oldest * perSecond
  // Rounded up: a row exactly at the limit is still visible.
  return scaled >= 0n ? (scaled + 999n) / 1000n : scaled / 1000n
}
