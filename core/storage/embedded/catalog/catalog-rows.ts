// The rows of the catalog's SQLite file, and the objects the engine makes of them.
import type { DatabaseSync } from 'node:sqlite'
import type { Table, TableColumn } from '../../../model/table.ts'
import { hiddenNames } from './naming.ts'

/** A data file of a table. Times are in the time index's unit. */
export interface DataFile {
  readonly id: number
  readonly table: number
  /** Below the data folder. */
  readonly path: string
  readonly rows: number
  readonly bytes: number
  readonly minTime: bigint
  readonly maxTime: bigint
  readonly minSeq: number
  readonly maxSeq: number
  /** Ids of the columns it holds; see logical.ts for those below 1. */
  readonly columns: readonly number[]
  /** Holds rows that hide others. */
  readonly deletes: boolean
  /** CRC-32 of the whole file. */
  readonly checksum: number
}

/** Format of the file and of the data files it names; a higher one is refused. Since 2, files of tables with series hold no tags. */
export const catalogFormat = 2

export const catalogSchema = `
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS databases (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, options TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS tables (
  id INTEGER PRIMARY KEY AUTOINCREMENT, database_id INTEGER NOT NULL, name TEXT NOT NULL, options TEXT NOT NULL,
  version INTEGER NOT NULL, created_at INTEGER NOT NULL, folder TEXT NOT NULL, flushed_seq INTEGER NOT NULL DEFAULT 0,
  UNIQUE (database_id, name));
CREATE TABLE IF NOT EXISTS columns (
  table_id INTEGER NOT NULL, id INTEGER NOT NULL, position INTEGER NOT NULL, dropped INTEGER NOT NULL DEFAULT 0,
  definition TEXT NOT NULL, PRIMARY KEY (table_id, id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS files (
  id INTEGER PRIMARY KEY AUTOINCREMENT, table_id INTEGER NOT NULL, path TEXT NOT NULL, row_count INTEGER NOT NULL,
  bytes INTEGER NOT NULL, min_time INTEGER NOT NULL, max_time INTEGER NOT NULL, min_seq INTEGER NOT NULL, max_seq INTEGER NOT NULL,
  columns TEXT NOT NULL, deletes INTEGER NOT NULL, checksum INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS views (
  id INTEGER PRIMARY KEY AUTOINCREMENT, database_id INTEGER NOT NULL, name TEXT NOT NULL, query TEXT NOT NULL,
  columns TEXT NOT NULL, created_at INTEGER NOT NULL, UNIQUE (database_id, name));
CREATE TABLE IF NOT EXISTS series (
  table_id INTEGER NOT NULL, tsid INTEGER NOT NULL, key BLOB NOT NULL, PRIMARY KEY (table_id, tsid)) WITHOUT ROWID;
`

/** A table with what only the engine knows of it. */
export interface TableState {
  table: Table
  /** Physical names ever used, lower case, so that a new column never reads an old one's data. */
  readonly taken: Set<string>
  nextColumn: number
  readonly folder: string
  flushedSeq: number
  files: readonly DataFile[]
  /** Of a physical table: the tables whose rows it holds. */
  readonly logical: Set<TableState>
}

type Row = Record<string, unknown>

/** Rows by their table. */
export function groupByTable(rows: readonly Row[]): Map<number, Row[]> {
  return Map.groupBy(rows, row => Number(row.table_id)) as Map<number, Row[]>
}

/** A row of `tables` with its columns and files. */
export function loadTable(row: Row, columnRows: readonly Row[], fileRows: readonly Row[]): TableState {
  const all = columnRows.map(column => JSON.parse(column.definition as string) as TableColumn)
  const dropped = new Set(columnRows.filter(column => column.dropped === 1).map(column => column.id))
  const table = makeTable({
    id: row.id as number,
    database: row.database as string,
    name: row.name as string,
    columns: all.filter(column => !dropped.has(column.id)),
    options: JSON.parse(row.options as string),
    version: row.version as number,
    createdAt: row.created_at as number
  })
  return {
    table,
    taken: new Set([...hiddenNames, ...all.map(column => column.physical.toLowerCase())]),
    nextColumn: all.reduce((max, column) => Math.max(max, column.id), 0) + 1,
    folder: row.folder as string,
    flushedSeq: row.flushed_seq as number,
    files: fileRows.map(loadFile),
    logical: new Set()
  }
}

/** A row of `files`, read with big integers. */
/** The highest number a table was ever given. */
export function lastTableId(sqlite: DatabaseSync): number {
  return Number(sqlite.prepare(`SELECT seq FROM sqlite_sequence WHERE name = 'tables'`).get()?.seq ?? 0)
}

export function loadFile(row: Row): DataFile {
  return {
    id: Number(row.id),
    table: Number(row.table_id),
    path: row.path as string,
    rows: Number(row.row_count),
    bytes: Number(row.bytes),
    minTime: row.min_time as bigint,
    maxTime: row.max_time as bigint,
    minSeq: Number(row.min_seq),
    maxSeq: Number(row.max_seq),
    columns: JSON.parse(row.columns as string),
    deletes: row.deletes === 1n,
    checksum: Number(row.checksum)
  }
}

/** A table with its time index and tags picked out. */
export function makeTable(parts: Omit<Table, 'timeIndex' | 'tags'>): Table {
  const { id, database, name, columns, options, version, createdAt } = parts
  return {
    id,
    database,
    name,
    columns,
    options,
    version,
    createdAt,
    timeIndex: columns.find(column => column.semantic === 'timestamp')!,
    tags: columns.filter(column => column.semantic === 'tag')
  }
}
