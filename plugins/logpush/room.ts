// What labels may make of a table: each name is a column, each set of values a series that is kept in memory.
import { DbError, type Store } from '../../core/index.ts'

export interface RoomOptions {
  readonly max_series: number
  readonly max_label_names: number
}

/** Throws DbError `InvalidArguments` naming the limit that entries with these labels could go beyond. A full table takes no entries at all. */
export function checkLabels(
  store: Store,
  db: string,
  name: string,
  labels: readonly string[],
  options: RoomOptions
): void {
  const table = store.table(db, name)
  const known = new Set(table?.columns.map(column => column.name))
  const added = labels.filter(label => !known.has(label)).length
  const tags = table?.tags.length ?? 0
  if (added > 0 && tags + added > options.max_label_names) {
    throw full(
      name,
      `${tags} label names and would get ${added} more, at most are ${options.max_label_names}`,
      'max_label_names'
    )
  }
  const series = table === undefined ? 0 : (store.statistics(table).series ?? 0)
  if (series >= options.max_series) {
    throw full(name, `${series} series, at most are ${options.max_series}`, 'max_series')
  }
}

function full(table: string, reason: string, key: keyof RoomOptions): DbError {
  return new DbError('InvalidArguments', `table ${table} has ${reason} (plugins.logpush.${key})`)
}
