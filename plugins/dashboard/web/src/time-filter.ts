// A span of time as log queries say it.
import type { LogQuery } from './api/logs.ts'
import type { TimeSpan } from './time.ts'

export function timeFilter({ from, to }: TimeSpan): NonNullable<LogQuery['time_filter']> {
  return { start: new Date(from).toISOString(), end: new Date(to).toISOString() }
}
