// The limits for what goes to the store as rows: native histograms and exemplars make series, label names and tables, too.
import { DbError, type SeriesLimits, type SeriesName, type Store } from '../../../core/index.ts'

export interface RoomOptions {
  readonly max_series: number
  readonly max_label_names: number
  readonly max_metrics: number
}

/** The limits as the store wants them, at any time those of the options. */
export function seriesLimits(options: RoomOptions): SeriesLimits {
  const limit = (key: keyof RoomOptions) => ({
    get most() {
      return options[key]
    },
    key: `plugins.metricsys.${key}`
  })
  return { series: limit('max_series'), tags: limit('max_label_names'), tables: limit('max_metrics') }
}

export interface Room {
  /** Throws DbError `InvalidArguments` naming the limit that rows of this series could go beyond. */
  check(name: SeriesName, physicalTable: string): void
  /** The same for the series of one table alone. */
  checkSeries(database: string | undefined, table: string): void
}

/** The room there is in a database and those a request names. A table that is full takes rows of the series it has. */
export function createRoom(store: Store, db: string, options: RoomOptions): Room {
  const full = (key: keyof RoomOptions, what: string) =>
    new DbError('InvalidArguments', `there are ${options[key]} ${what} already (plugins.metricsys.${key})`)
  const checkSeries = (database = db, name: string) => {
    const table = store.table(database, name)
    const series = table === undefined ? 0 : (store.statistics(table).series ?? 0)
    if (series >= options.max_series) throw full('max_series', 'series')
  }
  // Counted once: a request may have as many rows as the database has tables.
  const news = new Map<string, { count: number; readonly names: Set<string> }>()
  const checkTables = (database: string, table: string) => {
    const known = news.get(database) ?? { count: store.tables(database).length, names: new Set() }
    news.set(database, known)
    if (known.names.has(table)) return
    if (known.count >= options.max_metrics) throw full('max_metrics', 'tables')
    known.names.add(table)
    known.count++
  }
  return {
    checkSeries,
    check({ table, database = db, physicalTable: own, labels }, physicalTable) {
      const found = store.table(database, table)
      const physical = found?.options.physical_table ?? own ?? physicalTable
      if (found === undefined || !store.knowsSeries(found, labels)) checkSeries(database, physical)
      if (found === undefined) checkTables(database, table)
      const tags = new Set(store.table(database, physical)?.tags.map(tag => tag.name))
      const added = labels.filter(({ name }) => !tags.has(name)).length
      if (added > 0 && tags.size + added > options.max_label_names) throw full('max_label_names', 'label names')
    }
  }
}
