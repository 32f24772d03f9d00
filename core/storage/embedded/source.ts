// Rows of files and memtables as SQL: the hidden columns first, then the table's columns under their physical names.
import { join } from 'node:path'
import type { Table, TableColumn } from '../../model/table.ts'
import type { DataFile } from './catalog-rows.ts'
import { duckdbType, quoteName, quoteText } from './duckdb/index.ts'
import { type HiddenColumn, hiddenColumns, type Memtable } from './memtable.ts'

/** One `SELECT …` per set of files that hold the same columns; what they do not hold is null. */
export function fileRows(table: Table, files: readonly DataFile[], dataDir: string, cutoff?: bigint): string[] {
  const groups = Map.groupBy(files, file => file.columns.join())
  return [...groups.values()].map(group => {
    const held = new Set(group[0]!.columns)
    const tagged = table.tags.some(tag => held.has(tag.id))
    const hidden = hiddenColumns(table).map(column => (column[0] === '__tsid' && !tagged ? nothing(column) : column[0]))
    const columns = table.columns.map(column => (held.has(column.id) ? typed(column) : missing(column)))
    const paths = group.map(file => quoteText(join(dataDir, file.path)))
    const old = cutoff !== undefined && group.some(file => file.minTime < cutoff)
    const where = old ? ` WHERE ${since(table, cutoff)}` : ''
    return `SELECT ${[...hidden, ...columns].join(', ')} FROM read_parquet([${paths.join(', ')}])${where}`
  })
}

/** `from` is the memtable's DuckDB table or what stands for its rows; `series` the table with the tags of the series. */
export function memtableRows(table: Table, memtable: Memtable, from: string, series: string, cutoff?: bigint): string {
  const held = new Set(memtable.columns.map(column => column.id))
  const present = new Set(memtable.hidden.map(([name]) => name))
  const tagged = present.has('__tsid')
  const columns = table.columns.map(column => {
    if (column.semantic === 'tag') return tagged ? `s.${quoteName(column.physical)}` : missing(column)
    return held.has(column.id) ? `m.${quoteName(column.physical)}` : missing(column)
  })
  const hidden = hiddenColumns(table).map(column => (present.has(column[0]) ? `m.${column[0]}` : nothing(column)))
  const source = tagged ? `${from} m JOIN ${series} s ON s.__tsid = m.__tsid` : `${from} m`
  const where = cutoff === undefined ? '' : ` WHERE ${since(table, cutoff, 'm.')}`
  return `SELECT ${[...hidden, ...columns].join(', ')} FROM ${source}${where}`
}

/** A column without a value in any row. */
export function missing(column: TableColumn): string {
  return `NULL::${duckdbType(column.type)} AS ${quoteName(column.physical)}`
}

function nothing([name, type]: HiddenColumn): string {
  return `NULL::${duckdbType(type)} AS ${name}`
}

/** Parquet knows no seconds, and DuckDB reads milliseconds as microseconds. */
function typed(column: TableColumn): string {
  const name = quoteName(column.physical)
  const widened = column.type === 'TimestampSecond' || column.type === 'TimestampMillisecond'
  return widened ? `${name}::${duckdbType(column.type)} AS ${name}` : name
}

/** The time index is at or after a point in its own unit. */
function since(table: Table, cutoff: bigint, prefix = ''): string {
  const { type, physical } = table.timeIndex
  const made = {
    TimestampSecond: `make_timestamp(${cutoff * 1_000_000n})`,
    TimestampMillisecond: `make_timestamp(${cutoff * 1000n})`,
    TimestampMicrosecond: `make_timestamp(${cutoff})`,
    TimestampNanosecond: `make_timestamp_ns(${cutoff})`
  }
  return `${prefix}${quoteName(physical)} >= ${made[type as keyof typeof made]}::${duckdbType(type)}`
}
