// How much a request may still add within the limits of its database. Checked before rows are written, and again when something is added.
import { type Column, isValid, type TableWrite } from '../model/batch.ts'
import type { Limit } from '../model/limit.ts'
import type { SeriesLabel } from '../model/series.ts'
import type { Table } from '../model/table.ts'
import { endsStep, type Steps } from '../pace.ts'
import type { Catalog, TableStep } from './engine.ts'
import { type DatabaseLimits, LimitReached, type LimitsOf } from './limits.ts'
import { isLogical } from './logical.ts'

/** Rows handled between two yields to other requests. */
const stepRows = 1_024
const stepTags = 8_192

/** Maximum number of tag values of maximum length in one series; bounds the bytes of a series' tags. */
const maxTags = 64

type QuotaCatalog = Pick<Catalog, 'table' | 'tables' | 'statistics' | 'knowsSeries'>

/** A table that the request would create. */
interface NewTable {
  /** Its physical table, if it is a logical one. */
  readonly physicalTable?: string | undefined
  /** Names of its columns, without those of labels. */
  readonly columns: readonly string[]
}

/** The tables, columns and series that one request may still add. */
export interface WriteQuota {
  table(database: string, name: string, made: NewTable): TableQuota
}

export interface TableQuota {
  /** Throws LimitReached if the tags of one series have more bytes than any series may have; checked before they are read. */
  checkLength(bytes: number): void
  /** Counts the series that rows with these tags add. Throws LimitReached and counts nothing if they do not fit. Known series always fit. */
  acquire(labels: readonly SeriesLabel[]): void
}

/** The columns and series of a table with rows, and what this request adds. */
interface PhysicalTable {
  readonly name: string
  readonly isNew: boolean
  readonly columns: Set<string>
  /** True: even if every key is a new series, all fit, so nothing needs to be counted. */
  readonly fitsAny: boolean
  readonly before: number
  /** Only filled if something must be counted. */
  readonly added: Set<string>
  /** Labels of the last series; all of them are columns already. */
  known: readonly SeriesLabel[]
}

interface Counts {
  tables: number
  metrics: number
}

/** A quota for at most `max` new series. */
export function createWriteQuota(catalog: QuotaCatalog, limitsOf: LimitsOf, max: number): WriteQuota {
  const physicals = new Map<string, PhysicalTable>()
  const databases = new Map<string, { readonly limits: DatabaseLimits; counts?: Counts }>()
  const inDatabase = (name: string) => {
    const found = databases.get(name) ?? { limits: limitsOf(name) }
    databases.set(name, found)
    return found
  }
  const physicalOf = (database: string, name: string): PhysicalTable => {
    const key = `${database}\0${name}`
    const known = physicals.get(key)
    if (known !== undefined) return known
    const table = catalog.table(database, name)
    const before = table === undefined ? 0 : (catalog.statistics(table).series ?? 0)
    const physical: PhysicalTable = {
      ...{ name, before, isNew: table === undefined, known: none },
      fitsAny: before + max <= inDatabase(database).limits.series.max,
      columns: new Set(table?.columns.map(column => column.name)),
      added: new Set()
    }
    physicals.set(key, physical)
    return physical
  }
  return {
    table(database, name, made) {
      const table = catalog.table(database, name)
      const { limits } = inDatabase(database)
      const physical = physicalOf(
        database,
        (table === undefined ? made.physicalTable : table.options.physical_table) ?? name
      )
      let isMade = table !== undefined
      /** Counts the new table against the limits of its database. */
      const countTable = (): Counts => {
        const counts = inDatabase(database).counts ?? countTables(catalog, database)
        const added = { ...counts }
        if (physical.name !== name) added.metrics++
        if (physical.isNew && physical.columns.size === 0) added.tables++
        if (added.tables > counts.tables) checkDatabase(database, 'tables', added.tables, limits)
        if (added.metrics > counts.metrics) checkDatabase(database, 'metrics', added.metrics, limits)
        return added
      }
      return {
        checkLength(bytes) {
          const { tag_length } = limits
          if (bytes <= maxTags * tag_length.max) return
          const problem = `would have a series whose tags take ${bytes} bytes, at most ${maxTags} times ${tag_length.max} are taken`
          throw new LimitReached(`table ${physical.name}`, 'tag_length', tag_length, problem)
        },
        acquire(labels) {
          const { tag_length } = limits
          const long = labels.find(({ value }) => value.length > tag_length.max)
          if (long !== undefined) {
            // The series existed before the limit was set or lowered, so it still fits.
            if (table !== undefined && catalog.knowsSeries(table, labels)) return
            throw tagTooLong(physical.name, long, tag_length)
          }
          const key = physical.fitsAny ? '' : newKey(catalog, table, name, physical, labels)
          if (key === undefined) return
          const added = addedColumns(labels, physical)
          const own = isMade ? none : made.columns.filter(column => !physical.columns.has(column))
          checkColumns(
            physical.name,
            physical.columns.size + added.length + own.length,
            added.length + own.length,
            limits
          )
          if (key !== '' && physical.before + physical.added.size >= limits.series.max) {
            throw new LimitReached(`table ${physical.name}`, 'series', limits.series)
          }
          if (!isMade) inDatabase(database).counts = countTable()
          isMade = true
          if (key !== '') physical.added.add(key)
          for (const column of own) physical.columns.add(column)
          for (const label of added) physical.columns.add(label)
          physical.known = labels
        }
      }
    }
  }
}

const none: readonly never[] = []

/** The key of a new series; undefined if the table has it or this request brought it before. */
function newKey(
  catalog: QuotaCatalog,
  table: Table | undefined,
  name: string,
  physical: PhysicalTable,
  labels: readonly SeriesLabel[]
): string | undefined {
  // Keys are forgotten at a restart, series are not.
  if (table !== undefined && catalog.knowsSeries(table, labels)) return undefined
  const key = `${name.length}:${name}${keyOf(labels)}`
  return physical.added.has(key) ? undefined : key
}

/** The columns that labels add. Usually none: the labels have the names of the series before. */
function addedColumns(labels: readonly SeriesLabel[], { columns, known }: PhysicalTable): readonly string[] {
  for (let i = 0; i < labels.length; i++) {
    const { name } = labels[i]!
    if (name === known[i]?.name || columns.has(name)) continue
    return labels.map(label => label.name).filter(each => !columns.has(each))
  }
  return none
}

function countTables(catalog: QuotaCatalog, database: string): Counts {
  const tables = catalog.tables(database)
  const metrics = tables.filter(isLogical).length
  return { tables: tables.length - metrics, metrics }
}

function checkDatabase(database: string, what: 'tables' | 'metrics', count: number, limits: DatabaseLimits): void {
  if (count > limits[what].max) throw new LimitReached(`database ${database}`, what, limits[what])
}

function tagTooLong(table: string, { name, value }: SeriesLabel, limit: Limit): LimitReached {
  const problem = `has a value of ${value.length} bytes, at most ${limit.max} are taken`
  return new LimitReached(`tag ${name} of table ${table}`, 'tag_length', limit, problem)
}

function checkColumns(table: string, count: number, added: number, { columns }: DatabaseLimits): void {
  if (added > 0 && count > columns.max) throw new LimitReached(`table ${table}`, 'columns', columns)
}

/** Number of series that may be added to a table now. Valid only until other work runs. */
export function seriesQuota(catalog: QuotaCatalog, table: Table, limit: Limit) {
  const physical = table.options.physical_table ?? table.name
  let series = seriesOf(catalog, table)
  return {
    /** Counts one more series, of `max` at most, unless the table has it. Throws LimitReached. */
    take(labels: readonly SeriesLabel[], max: number): void {
      if (series + max > limit.max && catalog.knowsSeries(table, labels)) return
      if (series >= limit.max) throw new LimitReached(`table ${physical}`, 'series', limit)
      series++
    }
  }
}

/** Number of series of the table that holds the rows. */
export function seriesOf(catalog: QuotaCatalog, { database, name, options }: Table): number {
  const physical = catalog.table(database, options.physical_table ?? name)
  return physical === undefined ? 0 : (catalog.statistics(physical).series ?? 0)
}

/** Checks that all steps together stay below the limits. No table may change until the steps are done. Throws LimitReached. */
export function* checkSteps(
  catalog: QuotaCatalog,
  database: string,
  steps: readonly TableStep[],
  limits: DatabaseLimits
): Steps<void> {
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
    const physical = options.physical_table ?? name
    const own = columnsOf(physical)
    if (step.kind === 'create') {
      counts ??= countTables(catalog, database)
      if (physical !== name) checkDatabase(database, 'metrics', ++counts.metrics, limits)
      if (own.size === 0) checkDatabase(database, 'tables', ++counts.tables, limits)
    }
    const before = own.size
    // All logical tables of a physical one share its time index.
    const isShared = physical !== name && before > 0
    for (const column of added) if (!isShared || column.semantic !== 'timestamp') own.add(column.name)
    checkColumns(physical, own.size, own.size - before, limits)
    yield
  }
}

/** For rows with tag columns: throws LimitReached if all rows for a table together would give it too many series, or a tag value is too long. */
export function* checkSeries(
  catalog: QuotaCatalog,
  database: string,
  writes: readonly TableWrite[],
  limitsOf: LimitsOf
): Steps<void> {
  const tables = Map.groupBy(
    writes.filter(write => write.tags === undefined && write.columns.some(isTag)),
    write => write.table
  )
  const { series, tag_length } = limitsOf(database)
  for (const [name, group] of tables) {
    const rows = group.reduce((sum, write) => sum + write.rows, 0)
    const table = catalog.table(database, name)
    const fitsAny = (table === undefined ? 0 : seriesOf(catalog, table)) + rows <= series.max
    if (fitsAny && !group.some(write => write.columns.some(column => isTag(column) && isLong(column, tag_length.max))))
      continue
    const physicalTable = group[0]!.options?.physical_table
    const quota = createWriteQuota(catalog, limitsOf, rows).table(database, name, { physicalTable, columns: none })
    const seen = new Set<string>()
    for (const write of group) {
      const tags = write.columns.filter(isTag).map(column => tagReader(column, write.rows))
      const step = Math.max(1, Math.min(stepRows, Math.floor(stepTags / (tags.length + 1))))
      for (let row = 0; row < write.rows; row++) {
        if (endsStep(row, step)) yield
        const labels = tags.flatMap(read => read(row) ?? [])
        // No key is made of a value that is too long.
        const key = labels.some(({ value }) => value.length > tag_length.max) ? undefined : keyOf(labels)
        if (key !== undefined && seen.has(key)) continue
        if (key !== undefined) seen.add(key)
        quota.acquire(labels)
      }
    }
  }
}

function isTag({ semantic }: Column): boolean {
  return semantic === 'tag'
}

/** Whether any text of the column, used by a row or not, has more bytes. */
function isLong({ data }: Column, max: number): boolean {
  if (data.kind === 'fixed') return false
  const { offsets } = data.kind === 'dictionary' ? data.dictionary : data
  if (offsets[offsets.length - 1]! - offsets[0]! <= max) return false
  for (let i = 1; i < offsets.length; i++) if (offsets[i]! - offsets[i - 1]! > max) return true
  return false
}

/** A function that reads the value of a row as its bytes in memory. */
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

/** A key that is equal for equal tags in any order. */
function keyOf(labels: readonly SeriesLabel[]): string {
  const parts = labels.map(({ name, value }) => {
    const text = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1')
    return `${name.length}:${name}${text.length}:${text}`
  })
  return parts.sort().join('')
}
