// How far writers of rows whose columns and tags come from outside may make a table grow.
import { DbError } from '../errors.ts'
import type { Limit, SeriesLabel } from '../model/series.ts'
import type { Store } from './store.ts'

export interface TableLimits {
  /** Columns of a table. */
  readonly columns: Limit
  /** Sets of tag values of a table, which are kept in memory. */
  readonly series: Limit
}

/**
 * Throws DbError `InvalidArguments` naming the limit that rows with these columns could go beyond. A table that has as many series as are
 * allowed takes no rows at all, unless they are said to be of `tags` it knows.
 */
export function checkGrowth(
  store: Pick<Store, 'table' | 'statistics' | 'hasSeries'>,
  database: string,
  name: string,
  columns: readonly string[],
  limits: TableLimits,
  tags?: readonly SeriesLabel[]
): void {
  const table = store.table(database, name)
  const known = new Set(table?.columns.map(column => column.name))
  const added = columns.filter(column => !known.has(column)).length
  if (added > 0 && known.size + added > limits.columns.most) {
    throw full(name, `has ${known.size} columns and would get ${added} more`, limits.columns)
  }
  const series = table === undefined ? 0 : (store.statistics(table).series ?? 0)
  if (series < limits.series.most) return
  if (table === undefined || tags === undefined || !store.hasSeries(table, tags))
    throw full(name, `has ${series} series`, limits.series)
}

function full(table: string, reason: string, { most, key }: Limit): DbError {
  return new DbError('InvalidArguments', `table ${table} ${reason}, at most are ${most} (${key})`)
}
