// The visible rows of a table as one SQL expression over its files and memtables.
import type { Table, TableColumn } from '../../../model/table.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import { storedColumns } from '../catalog/logical.ts'
import { quoteName } from '../duckdb/index.ts'
import { Memtable, type SpooledRows } from '../memory/memtable.ts'
import type { SeriesTable } from '../memory/series-mirror.ts'
import { mergeVersions } from './merge.ts'
import type { NewestRows, Selection } from './select.ts'
import { fileRows, finished, missing, type SourceOptions, spooledRows } from './source.ts'

/** What a query reads, fixed when it starts. */
export interface Snapshot {
  readonly table: Table
  /** The logical table that is asked for, when `table` is the physical one that holds it. */
  readonly view: Table | undefined
  /** Logical tables of a physical one; undefined for any other. */
  readonly logical: readonly number[] | undefined
  readonly files: readonly DataFile[]
  readonly memtables: readonly Memtable[]
  /** The rows of each memtable as SQL reads them, once they are readable. */
  readonly spooled: ReadonlyMap<Memtable, readonly SpooledRows[]>
  /** The tags of the series; undefined where there are none, or the rows are not readable by SQL yet. */
  readonly series: SeriesTable | undefined
  readonly dataDir: string
  /** Rows before it (in the time index's unit) are past their time to live. */
  readonly cutoff: bigint | undefined
}

/** Columns of the stored rows to read, and what to select of them and of the hidden columns. */
export interface Pick {
  readonly columns: readonly TableColumn[]
  readonly names: string
  /** `SELECT …` of the same without a row. */
  readonly empty: string
}

/** `SELECT …` of every visible row that may be asked for, with the table's columns under their physical names, or of a few of them. */
export function relation(snapshot: Snapshot, selection: Selection, pick?: Pick): string {
  const { wants, pruned, count } = selection
  const { table, view, spooled, dataDir, cutoff } = snapshot
  const only = view === undefined ? snapshot.logical : [view.id]
  const wanted = pick?.columns ?? storedColumns(table)
  const columns = { columns: wanted.filter(column => column.semantic !== 'tag') }
  const options = { cutoff, only, tsids: selection.tsids, ...columns }
  const { alone: all, versioned } = partsRead(snapshot, wants)
  const newest = selection.newest?.files.every(file => all.includes(file)) ? selection.newest : undefined
  const apart = newest?.files ?? []
  const alone = all.filter(part => isMemtable(part) || !apart.includes(part))
  count(alone.filter(isFile), 'alone')
  count(versioned.filter(isFile), 'versioned')
  const select = (parts: readonly Part[], kind: 'alone' | 'versioned') => [
    ...fileRows(table, parts.filter(isFile), dataDir, { ...options, groups: file => pruned.get(file.path)?.[kind] }),
    ...spooledRows(
      table,
      parts.filter(isMemtable).flatMap(memtable => spooled.get(memtable) ?? []),
      options
    )
  ]
  const mixed = select(versioned, 'versioned').join(' UNION ALL ')
  const merged = mixed === '' ? [] : [mergeVersions(table, mixed, { keepDeletes: false, ...columns })]
  const parts = [...select(alone, 'alone'), ...newestRows(snapshot, options, newest), ...merged]
  if (parts.length === 0) return pick?.empty ?? noRows(view ?? table)
  const names = pick?.names ?? (view === undefined ? finished(table) : viewNames(view, table))
  const isTagged = wanted.some(({ semantic }) => semantic === 'tag')
  const rows = `(${parts.join(' UNION ALL ')})`
  const whole = isTagged ? joinSeries(snapshot, rows, wanted) : rows
  return `SELECT ${names} FROM ${whole}`
}

/** Rows with those of the columns that are tags of their series. */
function joinSeries({ series }: Snapshot, rows: string, columns: readonly TableColumn[]): string {
  if (series === undefined) return rows
  const tags = columns
    .filter(({ semantic }) => semantic === 'tag')
    .map(tag => (series.has(tag) ? `s.${quoteName(tag.physical)}` : missing(tag)))
  return `(SELECT ${['m.*', ...tags].join(', ')} FROM ${rows} m JOIN ${series.from} s ON s.__tsid = m.__tsid)`
}

/** Reads of files that begin at a time of their own: each is a scan of its own. */
const mostBounds = 16

function newestRows({ table, dataDir }: Snapshot, options: SourceOptions, newest: NewestRows | undefined): string[] {
  const bounds = [...(newest?.since ?? [])]
  const shared = Array.from({ length: Math.min(mostBounds, bounds.length) }, (_, i) =>
    bounds.filter((_, place) => place % mostBounds === i)
  )
  return shared.flatMap(some => {
    const first = some.reduce((least, [, from]) => (from < least ? from : least), some[0]![1])
    const since = options.cutoff !== undefined && options.cutoff > first ? options.cutoff : first
    const files = some.map(([file]) => file)
    return fileRows(table, files, dataDir, { ...options, cutoff: since })
  })
}

/** `SELECT …` of a table's columns without a row. */
export function noRows({ columns }: { readonly columns: readonly TableColumn[] }): string {
  return `SELECT ${columns.map(missing).join(', ')} WHERE false`
}

/** `SELECT …` of rows as they were written, each version for itself and with its tags. */
export function writtenRows({ table, view, logical, cutoff }: Snapshot, rows: SpooledRows): string {
  const only = view === undefined ? logical : [view.id]
  const names = view === undefined ? finished(table) : viewNames(view, table)
  const puts = table.options.append_mode ? '' : ' WHERE __op = 0'
  const [all] = spooledRows(table, [rows], { cutoff, only })
  return `SELECT ${names} FROM (${all})${puts}`
}

/** All columns users see, or a few of them by the names users know. */
export function pickColumns({ table, view }: Snapshot, names?: readonly string[]): Pick {
  const { columns, ...shown } = view ?? table
  const some = { ...shown, columns: columns.filter(({ name }) => names === undefined || names.includes(name)) }
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

type Part = DataFile | Memtable

function isMemtable(part: Part): part is Memtable {
  return part instanceof Memtable
}

function isFile(part: Part): part is DataFile {
  return !isMemtable(part)
}

interface Span {
  readonly minTime: bigint
  readonly maxTime: bigint
}

/** What of a snapshot is read, apart what holds rows that may hide each other. */
export function partsRead(
  { table, cutoff, files, memtables }: Snapshot,
  wants: (file: DataFile) => boolean
): { readonly alone: readonly Part[]; readonly versioned: readonly Part[] } {
  const [alone, versioned] = splitByVersions(
    table,
    files.filter(file => cutoff === undefined || file.maxTime >= cutoff).filter(wants),
    memtables.filter(({ rows }) => rows > 0)
  )
  return { alone, versioned }
}

/** Parts in which every row is the only version of itself, and those that hold versions or meet another part in time. */
function splitByVersions(table: Table, files: readonly DataFile[], memtables: readonly Memtable[]): [Part[], Part[]] {
  const parts: Part[] = [...files, ...memtables]
  if (table.options.append_mode) return [parts, []]
  const versioned = new Set<Part>(parts.filter(part => (isMemtable(part) ? !part.times.areDistinct : part.deletes)))
  const spans = parts
    .map(part => ({ part, span: isMemtable(part) ? part.times : part }))
    .sort((a, b) => (a.span.minTime < b.span.minTime ? -1 : a.span.minTime > b.span.minTime ? 1 : 0))
  let reaching: (typeof spans)[number] | undefined
  for (const next of spans) {
    if (reaching !== undefined && next.span.minTime <= reaching.span.maxTime) {
      versioned.add(reaching.part).add(next.part)
    }
    if (reaching === undefined || next.span.maxTime > reaching.span.maxTime) reaching = next
  }
  return [parts.filter(part => !versioned.has(part)), [...versioned]]
}

/** Files and memtables that may hold a row some other row hides. */
export function versioned(table: Table, files: readonly DataFile[], memtables: readonly Memtable[]): readonly Part[] {
  return splitByVersions(table, files, memtables)[1]
}

/** Whether two spans share a point in time. */
export function meets(a: Span, b: Span): boolean {
  return a.minTime <= b.maxTime && b.minTime <= a.maxTime
}
