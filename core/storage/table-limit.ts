// How far writers of rows whose tables, columns and tags come from outside may make a database grow.
import { DbError } from '../errors.ts'
import { type Column, isValid, type TableWrite } from '../model/batch.ts'
import type { GrowthLimits, Limit, SeriesLabel } from '../model/series.ts'
import type { Catalog, TableStep } from './engine.ts'
import type { Store } from './store.ts'

export interface TableLimits {
  /** Tables of a database. */
  readonly tables: Limit
  /** Columns of a table. */
  readonly columns: Limit
  /** Sets of tag values of a table, which are kept in memory. */
  readonly series: Limit
}

/** The limits a plugin's options set, with the keys that do. */
export function tableLimits(
  plugin: string,
  options: { readonly max_tables: number; readonly max_columns: number; readonly max_series: number }
): TableLimits {
  const limit = (name: keyof typeof options) => limitOf(plugin, options, name)
  return { tables: limit('max_tables'), columns: limit('max_columns'), series: limit('max_series') }
}

/** The limit one option of a plugin sets, with its key. */
export function limitOf<K extends string>(plugin: string, options: Readonly<Record<K, number>>, name: K): Limit {
  return { most: options[name], key: `plugins.${plugin}.${name}` }
}

/** What one request adds to one table. Of what does not fit nothing is counted. */
export interface Growth {
  /** Throws DbError `InvalidArguments` naming the limit where the table would have too many columns. */
  addColumns(names: readonly string[]): void
  /** Of rows with these tags, whose columns count, too. Throws DbError `InvalidArguments` naming the limit; tags the table knows always fit. */
  addTags(tags: readonly SeriesLabel[]): void
}

/** Two writes fit alone and not together: the later one learns of it where its table or columns are added. */
export class Outgrown extends DbError {
  constructor(message: string) {
    super('InvalidArguments', message)
  }
}

/** What a write brings, and how far its table may grow. */
interface LimitedWrite {
  readonly write: Pick<TableWrite, 'table' | 'limits'>
}

/** Nobody else may run before the steps are taken. Throws Outgrown naming the limit that they go beyond. */
export function checkSteps(
  catalog: Catalog,
  database: string,
  steps: readonly TableStep[],
  writes: readonly LimitedWrite[]
): void {
  const limits = new Map<string, GrowthLimits>()
  for (const { write } of writes) if (write.limits !== undefined) limits.set(write.table, write.limits)
  if (limits.size === 0) return
  let tables = catalog.tables(database).length
  for (const step of steps) {
    const { name } = step.kind === 'create' ? step.definition : step.table
    const own = limits.get(name)
    if (step.kind === 'create') {
      tables++
      if (own?.tables !== undefined && tables > own.tables.most) throw fullDatabase(database, own.tables)
    }
    const before = step.kind === 'create' ? [] : step.table.columns
    const added =
      step.kind === 'create' ? step.definition.columns : step.change.kind === 'add_columns' ? step.change.columns : []
    if (added.length === 0 || own?.columns === undefined) continue
    if (before.length + added.length > own.columns.most) throw full(name, own.columns, 'columns')
  }
}

export type GrowthStore = Pick<Store, 'table' | 'tables' | 'statistics' | 'knowsSeries'>

/** Throws DbError `InvalidArguments` naming the limit where a database would have too many tables with those of these names it has not. */
export function checkTables(
  store: GrowthStore,
  database: string,
  names: readonly string[],
  limits: Pick<TableLimits, 'tables'>
): void {
  const added = names.filter(name => store.table(database, name) === undefined).length
  const { most, key } = limits.tables
  if (added === 0 || store.tables(database).length + added <= most) return
  throw fullDatabase(database, { most, key })
}

function fullDatabase(database: string, { most, key }: Limit): DbError {
  return new Outgrown(`database ${database} would have more than ${most} tables (${key})`)
}

/** Counts what a request adds to a table, which need not exist. */
export function createGrowth(store: GrowthStore, database: string, name: string, limits: TableLimits): Growth {
  const table = store.table(database, name)
  const columns = new Set(table?.columns.map(column => column.name))
  const before = table === undefined ? 0 : (store.statistics(table).series ?? 0)
  const added = new Set<string>()
  /** They fit even if all are new and differ, so that most requests never look. */
  let open: (readonly SeriesLabel[])[] = []
  const missingOf = (names: readonly string[]) => {
    const missing = names.filter(name => !columns.has(name))
    if (missing.length > 0 && columns.size + missing.length > limits.columns.most)
      throw full(name, limits.columns, 'columns')
    return missing
  }
  const isNew = (tags: readonly SeriesLabel[]) => table === undefined || !store.knowsSeries(table, tags)
  const addSeries = (tags: readonly SeriesLabel[]) => {
    if (before + added.size + open.length < limits.series.most) {
      open.push(tags)
      return
    }
    for (const each of open) if (isNew(each)) added.add(keyOf(each))
    open = []
    if (!isNew(tags)) return
    const key = keyOf(tags)
    if (before + added.size >= limits.series.most && !added.has(key)) throw full(name, limits.series, 'series')
    added.add(key)
  }
  return {
    addColumns(names) {
      for (const name of missingOf(names)) columns.add(name)
    },
    addTags(tags) {
      const missing = missingOf(tags.map(tag => tag.name))
      addSeries(tags)
      for (const name of missing) columns.add(name)
    }
  }
}

/**
 * The writes with their limits, which the store looks at once more where it adds what is new. Throws DbError `InvalidArguments` naming the
 * limit that writes with columns for their tags, together, would go beyond.
 */
export function checkGrowth(
  store: GrowthStore,
  database: string,
  writes: readonly TableWrite[],
  limits: TableLimits
): TableWrite[] {
  for (const [db, own] of Map.groupBy(writes, write => write.database ?? database)) {
    const groups = Map.groupBy(own, write => write.table)
    checkTables(store, db, [...groups.keys()], limits)
    for (const [name, group] of groups) checkTable(store, db, name, group, limits)
  }
  return writes.map(write => ({ ...write, limits }))
}

function checkTable(
  store: GrowthStore,
  database: string,
  name: string,
  writes: readonly TableWrite[],
  limits: TableLimits
): void {
  const growth = createGrowth(store, database, name, limits)
  for (const { columns } of writes) growth.addColumns(columns.map(column => column.name))
  const table = store.table(database, name)
  const before = table === undefined ? 0 : (store.statistics(table).series ?? 0)
  const rows = writes.reduce((sum, write) => sum + write.rows, 0)
  if (before + rows <= limits.series.most) return
  for (const write of writes) addRows(growth, write)
}

function addRows(growth: Growth, { columns, rows }: TableWrite): void {
  const tags = columns.filter(column => column.semantic === 'tag').map(column => tagReader(column, rows))
  const seen = new Set<string>()
  for (let row = 0; row < rows; row++) {
    const labels = tags.flatMap(read => read(row) ?? [])
    const key = keyOf(labels)
    if (seen.has(key)) continue
    seen.add(key)
    growth.addTags(labels)
  }
}

/** Reads the value of a row as the bytes it has in memory. */
function tagReader({ name, data }: Column, rows: number): (row: number) => SeriesLabel | undefined {
  const values = data.kind === 'dictionary' ? data.dictionary : data
  const codes = data.kind === 'dictionary' ? data.codes : undefined
  const valueAt = bytesReader(values, rows)
  return row => (isValid(data.valid, row) ? { name, value: valueAt(codes?.[row] ?? row) } : undefined)
}

function bytesReader(
  data: Exclude<Column['data'], { readonly kind: 'dictionary' }>,
  rows: number
): (at: number) => Uint8Array {
  if (data.kind === 'bytes') return at => data.bytes.subarray(data.offsets[at], data.offsets[at + 1])
  const { buffer, byteOffset, byteLength } = data.values
  const width = byteLength / rows
  return at => new Uint8Array(buffer, byteOffset + at * width, width)
}

/** The same for the same tags in any order. */
function keyOf(tags: readonly SeriesLabel[]): string {
  const parts = tags.map(({ name, value }) => {
    const text = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1')
    return `${name.length}:${name}${text.length}:${text}`
  })
  return parts.sort().join('')
}

function full(table: string, { most, key }: Limit, what: string): DbError {
  return new Outgrown(`table ${table} would have more than ${most} ${what} (${key})`)
}
