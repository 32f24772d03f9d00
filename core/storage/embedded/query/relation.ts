// The visible rows of a table as one SQL expression over its files and memtables.
import type { Table, TableColumn } from '../../../model/table.ts'
import type { Condition } from '../../engine.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import { hasSeries, storedColumns } from '../catalog/logical.ts'
import { quoteName, quoteText } from '../duckdb/index.ts'
import type { Memtable, SpooledRows } from '../memory/memtable.ts'
import type { SeriesTable } from '../memory/series-table.ts'
import type { Path, ReadLimits } from '../read/limits.ts'
import { isFile, type Step } from '../read/plan.ts'
import { mergeVersions } from './merge.ts'
import type { Snapshot } from './snapshot.ts'
import { fileRows, finished, inBoth, missing, type SourceOptions, spooledRows, type TimeRange } from './source.ts'

/** Columns of the stored rows to read, and what to select of them and of the hidden columns. */
export interface ColumnSelection {
  readonly columns: readonly TableColumn[]
  readonly names: string
  /** `SELECT …` of the same without a row. */
  readonly empty: string
  /** Also the time index as files store it, as `__file_time`. */
  readonly hasFileTime?: true
}

export type HeldText = Extract<Condition, { kind: 'contains' }>

/** The parts of a snapshot that are read, and how. */
export interface RowPlan {
  readonly steps: readonly Step<Memtable>[]
  /** Numbers of the only series that may be asked for, ascending, where there are not too many. */
  readonly tsids?: Uint32Array | undefined
  /** Texts that stand in columns of all rows that may be asked for: looking for them first spares what takes longer. */
  readonly texts?: readonly HeldText[]
  /** The only times that may be asked for. */
  readonly times?: TimeRange | undefined
  /** The tags of all series that may be asked for, where columns of tags are. */
  readonly series?: SeriesTable | undefined
  /** A parameter of the statement that is bound to false: files are read quicker with one, see `parquetRows`. */
  readonly parameter?: number
}

/** `SELECT …` of every visible row that may be asked for, with the table's columns under their physical names, or of a few of them. */
export function relation(
  snapshot: Snapshot,
  { steps, tsids, texts = [], times: asked = {}, series, parameter }: RowPlan,
  limits: ReadLimits,
  pick?: ColumnSelection
): string {
  const { table, view, dataDir, cutoff } = snapshot
  const only = view === undefined ? snapshot.logical : [view.id]
  const wanted = pick?.columns ?? storedColumns(table)
  const columns = { columns: wanted.filter(column => column.semantic !== 'tag') }
  const groups = new Map(steps.map(step => [step.part, step.groups]))
  const times = inBoth(asked, { from: cutoff })
  const hasFileTime = pick?.hasFileTime
  const options = {
    times,
    only,
    tsids,
    limits,
    parameter,
    hasFileTime,
    ...columns,
    groups: (file: DataFile) => groups.get(file)
  }
  const partsOf = (path: Path) => steps.filter(step => step.path === path).map(({ part }) => part)
  const select = (parts: readonly (DataFile | Memtable)[]) => [
    ...fileRows(table, parts.filter(isFile), dataDir, options),
    ...memoryRows(snapshot, parts, options)
  ]
  const mixed = select(partsOf('merge')).join(' UNION ALL ')
  const merged = mixed === '' ? [] : [mergeVersions(table, mixed, { keepDeletes: false, ...columns })]
  const latest = steps.filter(({ path }) => path === 'latest')
  const parts = [...select(partsOf('scan')), ...latestRows(snapshot, options, latest), ...merged]
  if (parts.length === 0) return pick?.empty ?? noRows(view ?? table)
  const names = pick?.names ?? (view === undefined ? finished(table) : viewNames(view, table))
  const rows = `(${parts.join(' UNION ALL ')})`
  const whole = series === undefined ? rows : joinSeries(series, rows, wanted)
  const stored = new Map((view ?? table).columns.map(each => [each.name, each.stored ?? each.id]))
  const held = texts.flatMap(({ column, text }) => {
    const found = wanted.find(({ id }) => id === stored.get(column))
    // Values filled in at the end are not there yet. DuckDB looks for a text by its first byte, and spaces are everywhere.
    return found?.type === 'String' && found.initial === undefined
      ? [`contains(${quoteName(found.physical)}, ${quoteText(text.trimStart() || text)})`]
      : []
  })
  return `SELECT ${names} FROM ${whole}${held.length > 0 ? ` WHERE ${held.join(' AND ')}` : ''}`
}

/** Whether the rows are to be joined with the tags of their series, see `RowPlan`. */
export function needsTags({ table }: Snapshot, pick?: ColumnSelection): boolean {
  return hasSeries(table) && (pick?.columns ?? storedColumns(table)).some(({ semantic }) => semantic === 'tag')
}

/** Rows with those of the columns that are tags of their series. */
function joinSeries(series: SeriesTable, rows: string, columns: readonly TableColumn[]): string {
  const tags = columns
    .filter(({ semantic }) => semantic === 'tag')
    .map(tag => (series.has(tag) ? `s.${quoteName(tag.physical)}` : missing(tag)))
  return `(SELECT ${['m.*', ...tags].join(', ')} FROM ${rows} m JOIN ${series.from} s ON s.__tsid = m.__tsid)`
}

function memoryRows(
  { table, spooled }: Snapshot,
  parts: readonly (DataFile | Memtable)[],
  options: SourceOptions
): string[] {
  const rows = parts.flatMap(part => (isFile(part) ? [] : (spooled.get(part) ?? [])))
  return spooledRows(table, rows, options)
}

/** Each time that rows begin at is a scan of its own: files share a few. */
function latestRows(
  snapshot: Snapshot,
  options: SourceOptions & { readonly limits: ReadLimits; readonly times: TimeRange },
  steps: readonly Step<Memtable>[]
): string[] {
  const { table, dataDir } = snapshot
  const { scans } = options.limits
  const shared = Array.from({ length: Math.min(scans, steps.length) }, (_, i) =>
    steps.filter((_, at) => at % scans === i)
  )
  return shared.flatMap(some => {
    const since = some.reduce((min, { since }) => (since! < min ? since! : min), some[0]!.since!)
    const parts = some.map(({ part }) => part)
    const last = { ...options, times: inBoth(options.times, { from: since }) }
    return [...fileRows(table, parts.filter(isFile), dataDir, last), ...memoryRows(snapshot, parts, last)]
  })
}

/** `SELECT …` of a table's columns without a row. */
export function noRows({ columns }: { readonly columns: readonly TableColumn[] }): string {
  return `SELECT ${columns.map(missing).join(', ')} WHERE false`
}

/** `SELECT …` of rows as they were written, each version for itself and with its tags. */
export function writtenRows({ table, view, logical, cutoff }: Snapshot, rows: SpooledRows, deletes: boolean): string {
  const only = view === undefined ? logical : [view.id]
  const names = view === undefined ? finished(table) : viewNames(view, table)
  const puts = table.options.append_mode || deletes ? '' : ' WHERE __op = 0'
  const [all] = spooledRows(table, [rows], { times: { from: cutoff }, only })
  return `SELECT ${names} FROM (${all})${puts}`
}

/** All columns users see, or a few of them by the names users know. */
export function pickColumns({ table, view }: Snapshot, names?: readonly string[]): ColumnSelection {
  const { columns, ...shown } = view ?? table
  const kept = columns.filter(({ name }) => names === undefined || names.includes(name))
  // Rows of no column cannot be selected.
  const some = { ...shown, columns: kept.length > 0 ? kept : [shown.timeIndex] }
  const stored = new Set(some.columns.map(({ id, stored }) => (view === undefined ? id : stored)))
  return {
    columns: table.columns.filter(({ id }) => stored.has(id)),
    names: view === undefined ? finished(some) : viewNames(some, table),
    empty: noRows(some)
  }
}

/** The physical table's columns under the logical one's names. */
function viewNames({ columns }: { readonly columns: readonly TableColumn[] }, table: Table): string {
  const stored = new Map(table.columns.map(column => [column.id, column]))
  return columns
    .map(column => `${quoteName(stored.get(column.stored!)!.physical)} AS ${quoteName(column.physical)}`)
    .join(', ')
}
