// The table `slow_queries` of the system database.
import { columnOf, formatDuration, type TableWrite } from '../../core/index.ts'
import type { SlowQuery } from '../services.ts'

/** A slow query that waits to be stored. */
export interface Row extends SlowQuery {
  /** Nanoseconds since 1970. */
  readonly time: bigint
  /** The threshold that it met, milliseconds. */
  readonly threshold: number
}

/** `ttl`: milliseconds the table keeps its rows, 0 for ever; used when the table is created. */
export function slowQueryWrite(rows: readonly Row[], ttl: number): TableWrite {
  const whole = (name: string, type: 'UInt64' | 'TimestampMillisecond', value: (row: Row) => number | undefined) => {
    const values = rows.map(row => {
      const found = value(row)
      return found === undefined ? undefined : Math.round(found)
    })
    return columnOf(name, 'field', type, values)
  }
  const texts = rows.map(row => row.query)
  const times = rows.map(row => row.time)
  const ofPromql = rows.map(row => row.promql !== undefined)
  return {
    table: 'slow_queries',
    rows: rows.length,
    autoCreate: true,
    options: { append_mode: true, ...(ttl > 0 && { ttl: formatDuration(ttl) }) },
    columns: [
      whole('cost', 'UInt64', row => row.cost),
      whole('threshold', 'UInt64', row => row.threshold),
      columnOf('query', 'field', 'String', texts),
      columnOf('timestamp', 'timestamp', 'TimestampNanosecond', times),
      columnOf('is_promql', 'field', 'Boolean', ofPromql),
      // A query whose range ends before it begins is refused, and may have waited for long.
      whole('promql_range', 'UInt64', ({ promql }) => promql && Math.max(0, promql.end - promql.start)),
      whole('promql_step', 'UInt64', ({ promql }) => promql?.step && Math.max(0, promql.step)),
      whole('promql_start', 'TimestampMillisecond', ({ promql }) => promql?.start),
      whole('promql_end', 'TimestampMillisecond', ({ promql }) => promql?.end)
    ]
  }
}
