// The room there is below the limits of a database: looked at before rows are written, and again in the turn in which something is added.
import { type Column, isValid, type TableWrite } from '../model/batch.ts'
import type { Limit } from '../model/limit.ts'
import type { SeriesLabel } from '../model/series.ts'
import type { Table } from '../model/table.ts'
import type { Steps } from '../pace.ts'
import type { Catalog, TableStep } from './engine.ts'
import { type DatabaseLimits, LimitReached, type LimitsOf } from './limits.ts'
import { isLogical } from './logical.ts'

/** Rows of one step. */
const stepRows = 1_024

export type RoomCatalog = Pick<Catalog, 'table' | 'tables' | 'statistics' | 'knowsSeries'>

/** A table as it will be if it is made now. */
export interface NewTable {
  /** Where its rows lie, if not in itself. */
  readonly physicalTable?: string | undefined
  /** Names of its columns beside those of labels. */
  readonly columns: readonly string[]
}

/** What the rows of one request may add. */
export interface Room {
  table(database: string, name: string, made: NewTable): TableRoom
}

export interface TableRoom {
  /** Counts what rows of these tags add. Throws LimitReached, and counts nothing then; tags the table knows always fit. */
  take(labels: readonly SeriesLabel[]): void
}

/** What a table with rows holds, and what this request adds to it. */
interface Host {
  readonly name: string
  readonly isNew: boolean
  readonly columns: Set<string>
  /** All keys fit even if each is a new series: nobody has to look. */
  readonly isRoomy: boolean
  readonly before: number
  /** Only where somebody has to look. */
  readonly added: Set<string>
  /** Of the last series, all of them among the columns. */
  known: readonly SeriesLabel[]
}

interface Counts {
  tables: number
  metrics: number
}

/** Room for at most so many sets of tags. */
export function createRoom(catalog: RoomCatalog, limitsOf: LimitsOf, max: number): Room {
  const hosts = new Map<string, Host>()
  const databases = new Map<string, { readonly limits: DatabaseLimits; counts?: Counts }>()
  const inDatabase = (name: string) => {
    const found = databases.get(name) ?? { limits: limitsOf(name) }
    databases.set(name, found)
    return found
  }
  const hostOf = (database: string, name: string): Host => {
    const key = `${database}\0${name}`
    const known = hosts.get(key)
    if (known !== undefined) return known
    const table = catalog.table(database, name)
    const before = table === undefined ? 0 : (catalog.statistics(table).series ?? 0)
    const host: Host = {
      ...{ name, before, isNew: table === undefined, known: none },
      isRoomy: before + max <= inDatabase(database).limits.series.max,
      columns: new Set(table?.columns.map(column => column.name)),
      added: new Set()
    }
    hosts.set(key, host)
    return host
  }
  return {
    table(database, name, made) {
      const table = catalog.table(database, name)
      const { limits } = inDatabase(database)
      const host = hostOf(database, (table === undefined ? made.physicalTable : table.options.physical_table) ?? name)
      let isMade = table !== undefined
      /** What making it adds to its database. */
      const countTable = (): Counts => {
        const counts = inDatabase(database).counts ?? countTables(catalog, database)
        const added = { ...counts }
        if (host.name !== name) added.metrics++
        if (host.isNew && host.columns.size === 0) added.tables++
        if (added.tables > counts.tables) checkDatabase(database, 'tables', added.tables, limits)
        if (added.metrics > counts.metrics) checkDatabase(database, 'metrics', added.metrics, limits)
        return added
      }
      return {
        take(labels) {
          const key = host.isRoomy ? '' : newKey(catalog, table, name, host, labels)
          if (key === undefined) return
          const added = addedColumns(labels, host)
          const own = isMade ? none : made.columns.filter(column => !host.columns.has(column))
          checkColumns(host.name, host.columns.size + added.length + own.length, added.length + own.length, limits)
          if (key !== '' && host.before + host.added.size >= limits.series.max) {
            throw new LimitReached(`table ${host.name}`, 'series', limits.series)
          }
          if (!isMade) inDatabase(database).counts = countTable()
          isMade = true
          if (key !== '') host.added.add(key)
          for (const column of own) host.columns.add(column)
          for (const label of added) host.columns.add(label)
          host.known = labels
        }
      }
    }
  }
}

const none: readonly never[] = []

/** Undefined where the table has them, or this request has brought them before. */
function newKey(
  catalog: RoomCatalog,
  table: Table | undefined,
  name: string,
  host: Host,
  labels: readonly SeriesLabel[]
): string | undefined {
  // Keys are forgotten at a restart, series are not.
  if (table !== undefined && catalog.knowsSeries(table, labels)) return undefined
  const key = `${name.length}:${name}${keyOf(labels)}`
  return host.added.has(key) ? undefined : key
}

/** Mostly there are none, and the labels are those of the series before. */
function addedColumns(labels: readonly SeriesLabel[], { columns, known }: Host): readonly string[] {
  for (let i = 0; i < labels.length; i++) {
    const { name } = labels[i]!
    if (name === known[i]?.name || columns.has(name)) continue
    return labels.map(label => label.name).filter(each => !columns.has(each))
  }
  return none
}

function countTables(catalog: RoomCatalog, database: string): Counts {
  const tables = catalog.tables(database)
  const metrics = tables.filter(isLogical).length
  return { tables: tables.length - metrics, metrics }
}

function checkDatabase(database: string, what: 'tables' | 'metrics', count: number, limits: DatabaseLimits): void {
  if (count > limits[what].max) throw new LimitReached(`database ${database}`, what, limits[what])
}

function checkColumns(table: string, count: number, added: number, { columns }: DatabaseLimits): void {
  if (added > 0 && count > columns.max) throw new LimitReached(`table ${table}`, 'columns', columns)
}

/** The room for series of one table at this moment: nobody else may run before they are added. */
export function seriesRoom(catalog: RoomCatalog, table: Table, limit: Limit) {
  const host = table.options.physical_table ?? table.name
  let series = seriesOf(catalog, table)
  return {
    /** Counts one more of so many at most, unless the table has it. Throws LimitReached. */
    take(labels: readonly SeriesLabel[], max: number): void {
      if (series + max > limit.max && catalog.knowsSeries(table, labels)) return
      if (series >= limit.max) throw new LimitReached(`table ${host}`, 'series', limit)
      series++
    }
  }
}

/** Of the table that holds the rows. */
export function seriesOf(catalog: RoomCatalog, { database, name, options }: Table): number {
  const host = catalog.table(database, options.physical_table ?? name)
  return host === undefined ? 0 : (catalog.statistics(host).series ?? 0)
}

/** Nobody else may run before the steps are taken. Throws LimitReached where they, together, go beyond a limit. */
export function checkSteps(
  catalog: RoomCatalog,
  database: string,
  steps: readonly TableStep[],
  limits: DatabaseLimits
): void {
  let counts: Counts | undefined
  const columns = new Map<string, Set<string>>()
  const columnsOf = (name: string): Set<string> => {
    const found = columns.get(name) ?? new Set(catalog.table(database, name)?.columns.map(column => column.name))
    columns.set(name, found)
    return found
  }
  for (const step of steps) {
    const added =
      step.kind === 'create' ? step.definition.columns : step.change.kind === 'add_columns' ? step.change.columns : none
    const { name, options } = step.kind === 'create' ? step.definition : step.table
    const host = options.physical_table ?? name
    const own = columnsOf(host)
    if (step.kind === 'create') {
      counts ??= countTables(catalog, database)
      if (host !== name) checkDatabase(database, 'metrics', ++counts.metrics, limits)
      if (own.size === 0) checkDatabase(database, 'tables', ++counts.tables, limits)
    }
    const before = own.size
    // All that share a table have one time index.
    const isShared = host !== name && before > 0
    for (const column of added) if (!isShared || column.semantic !== 'timestamp') own.add(column.name)
    checkColumns(host, own.size, own.size - before, limits)
  }
}

/** Throws LimitReached where rows with columns for their tags, all that go to a table together, would give it too many series. */
export function* checkSeries(
  catalog: RoomCatalog,
  database: string,
  writes: readonly TableWrite[],
  limitsOf: LimitsOf
): Steps<void> {
  const tables = Map.groupBy(
    writes.filter(write => write.tags === undefined && write.columns.some(isTag)),
    write => write.table
  )
  const { series } = limitsOf(database)
  for (const [name, group] of tables) {
    const rows = group.reduce((sum, write) => sum + write.rows, 0)
    const table = catalog.table(database, name)
    if ((table === undefined ? 0 : seriesOf(catalog, table)) + rows <= series.max) continue
    const physicalTable = group[0]!.options?.physical_table
    const room = createRoom(catalog, limitsOf, rows).table(database, name, { physicalTable, columns: none })
    const seen = new Set<string>()
    for (const write of group) {
      const tags = write.columns.filter(isTag).map(column => tagReader(column, write.rows))
      for (let row = 0; row < write.rows; row++) {
        if (row % stepRows === stepRows - 1) yield
        const labels = tags.flatMap(read => read(row) ?? [])
        const key = keyOf(labels)
        if (seen.has(key)) continue
        seen.add(key)
        room.take(labels)
      }
    }
  }
}

function isTag({ semantic }: Column): boolean {
  return semantic === 'tag'
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
function keyOf(labels: readonly SeriesLabel[]): string {
  const parts = labels.map(({ name, value }) => {
    const text = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1')
    return `${name.length}:${name}${text.length}:${text}`
  })
  return parts.sort().join('')
}
