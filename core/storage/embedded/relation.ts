// The rows of a table as one SQL expression over its files and memtables, merged as the table's options say.
import { join } from 'node:path'
import type { Table, TableColumn } from '../../model/table.ts'
import type { DataFile } from './catalog-rows.ts'
import { duckdbType, quoteName, quoteText } from './duckdb/index.ts'
import type { Memtable } from './memtable.ts'

/** What a query reads, fixed when it starts. */
export interface Snapshot {
  readonly table: Table
  readonly files: readonly DataFile[]
  readonly memtables: readonly Memtable[]
  /** DuckDB table with the tags of the series. */
  readonly series: string
  readonly dataDir: string
}

/** `SELECT …` of every visible row with the table's columns under their physical names. */
export function relation(snapshot: Snapshot): string {
  const { table } = snapshot
  const parts = [
    ...fileParts(snapshot),
    ...snapshot.memtables.filter(memtable => memtable.ready).map(m => memtablePart(snapshot, m))
  ]
  if (parts.length === 0) return `SELECT ${table.columns.map(missing).join(', ')} WHERE false`
  const rows = parts.join(' UNION ALL ')
  if (table.options.append_mode) return rows
  return table.options.merge_mode === 'last_non_null' ? lastNonNull(table, rows) : lastRow(table, rows)
}

/** Files with the same columns are read together; columns they do not have are null. */
function fileParts({ table, files, dataDir }: Snapshot): string[] {
  const groups = Map.groupBy(files, file => file.columns.join())
  return [...groups.values()].map(group => {
    const held = new Set(group[0]!.columns)
    const columns = table.columns.map(column => (held.has(column.id) ? typed(column) : missing(column)))
    const paths = group.map(file => quoteText(join(dataDir, file.path)))
    return `SELECT ${[...order(table), ...columns].join(', ')} FROM read_parquet([${paths.join(', ')}])`
  })
}

function memtablePart({ table, series }: Snapshot, memtable: Memtable): string {
  const held = new Set(memtable.columns.map(column => column.id))
  const tagged = memtable.hidden.some(([name]) => name === '__tsid')
  const columns = table.columns.map(column => {
    if (column.semantic === 'tag') return tagged ? `s.${quoteName(column.physical)}` : missing(column)
    return held.has(column.id) ? `m.${quoteName(column.physical)}` : missing(column)
  })
  const hidden = order(table).map(name => `m.${name}`)
  const source = tagged ? `${memtable.name} m JOIN ${series} s ON s.__tsid = m.__tsid` : `${memtable.name} m`
  return `SELECT ${[...hidden, ...columns].join(', ')} FROM ${source}`
}

/** Hidden columns needed to tell which of two rows is the later. */
function order(table: Table): string[] {
  if (table.options.append_mode) return []
  return [...(table.tags.length > 0 ? ['__tsid'] : []), '__seq', '__op']
}

function key(table: Table): string {
  return [...(table.tags.length > 0 ? ['__tsid'] : []), quoteName(table.timeIndex.physical)].join(', ')
}

function names(table: Table): string {
  return table.columns.map(column => quoteName(column.physical)).join(', ')
}

function lastRow(table: Table, rows: string): string {
  const ranked = `SELECT *, row_number() OVER (PARTITION BY ${key(table)} ORDER BY __seq DESC) AS __rank FROM (${rows})`
  return `SELECT ${names(table)} FROM (${ranked}) WHERE __rank = 1 AND __op = 0`
}

function lastNonNull(table: Table, rows: string): string {
  const deleted = `max(__seq) FILTER (__op = 1) OVER (PARTITION BY ${key(table)})`
  const live = `SELECT * FROM (SELECT *, ${deleted} AS __deleted FROM (${rows})) WHERE __op = 0 AND (__deleted IS NULL OR __seq > __deleted)`
  const columns = table.columns.map(column => {
    const name = quoteName(column.physical)
    if (column.semantic === 'timestamp') return name
    return column.semantic === 'tag' ? `any_value(${name}) AS ${name}` : `arg_max(${name}, __seq) AS ${name}`
  })
  return `SELECT ${columns.join(', ')} FROM (${live}) GROUP BY ${key(table)}`
}

function missing(column: TableColumn): string {
  return `NULL::${duckdbType(column.type)} AS ${quoteName(column.physical)}`
}

/** Parquet knows no seconds, and DuckDB reads milliseconds as microseconds. */
function typed(column: TableColumn): string {
  const name = quoteName(column.physical)
  const widened = column.type === 'TimestampSecond' || column.type === 'TimestampMillisecond'
  return widened ? `${name}::${duckdbType(column.type)} AS ${name}` : name
}
