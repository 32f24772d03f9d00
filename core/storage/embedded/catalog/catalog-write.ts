// The statements that write the catalog's rows; the caller holds the transaction.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Database, TableColumn, TableDefinition } from '../../../model/table.ts'
import type { SeriesEntry } from '../log/record.ts'
import type { DataFile } from './catalog-rows.ts'
import { folderName } from './naming.ts'
import { rowSum } from './row-sums.ts'

const statements = new WeakMap<DatabaseSync, Map<string, StatementSync>>()

/** A statement that is compiled once: a request may make thousands of tables. */
export function prepared(sqlite: DatabaseSync, text: string): StatementSync {
  let known = statements.get(sqlite)
  if (known === undefined) {
    known = new Map()
    statements.set(sqlite, known)
  }
  let statement = known.get(text)
  if (statement === undefined) {
    statement = sqlite.prepare(text)
    known.set(text, statement)
  }
  return statement
}

export function insertTable(
  sqlite: DatabaseSync,
  database: Database,
  { name, options, createdAt }: TableDefinition & { readonly createdAt: number }
): { readonly id: number; readonly folder: string } {
  const insert = prepared(
    sqlite,
    `INSERT INTO tables (database_id, name, options, version, created_at, folder) VALUES (?, ?, ?, 1, ?, '')`
  )
  const id = Number(insert.run(database.id, name, JSON.stringify(options), createdAt).lastInsertRowid)
  const folder = `${folderName(database.name, database.id)}/${folderName(name, id)}`
  prepared(sqlite, 'UPDATE tables SET folder = ? WHERE id = ?').run(folder, id)
  return { id, folder }
}

export function insertColumns(
  sqlite: DatabaseSync,
  table: number,
  columns: readonly TableColumn[],
  firstPosition: number
): void {
  const insert = prepared(sqlite, 'INSERT INTO columns (table_id, id, position, definition) VALUES (?, ?, ?, ?)')
  for (const [i, column] of columns.entries()) insert.run(table, column.id, firstPosition + i, JSON.stringify(column))
}

/** The order users see. */
export function orderColumns(sqlite: DatabaseSync, table: number, columns: readonly TableColumn[]): void {
  const update = prepared(sqlite, 'UPDATE columns SET position = ? WHERE table_id = ? AND id = ?')
  for (const [i, column] of columns.entries()) update.run(i, table, column.id)
}

export function insertSeries(sqlite: DatabaseSync, table: number, series: readonly SeriesEntry[]): void {
  const insert = prepared(sqlite, 'INSERT OR IGNORE INTO series (table_id, tsid, key, sum) VALUES (?, ?, ?, ?)')
  const id = BigInt(table)
  for (const { tsid, key } of series) insert.run(table, tsid, key, rowSum([id, BigInt(tsid), key]))
}

/** Returns the file's id. */
export function insertFile(sqlite: DatabaseSync, table: number, file: Omit<DataFile, 'id' | 'table'>): number {
  const { path, rows, bytes, minTime, maxTime, minSeq, maxSeq, columns, deletes, checksum } = file
  const insert = prepared(
    sqlite,
    `INSERT INTO files (table_id, path, row_count, bytes, min_time, max_time, min_seq, max_seq, columns, deletes, checksum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
  )
  const held = JSON.stringify(columns)
  const flag = deletes ? 1 : 0
  return Number(
    insert.run(table, path, rows, bytes, minTime, maxTime, minSeq, maxSeq, held, flag, checksum).lastInsertRowid
  )
}

/** The table with its columns and files; there may be too many series to delete them at once. */
export function deleteTable(sqlite: DatabaseSync, id: number): void {
  for (const name of ['columns', 'files']) {
    prepared(sqlite, `DELETE FROM ${name} WHERE table_id = ?`).run(id)
  }
  prepared(sqlite, 'DELETE FROM tables WHERE id = ?').run(id)
}

/**
 * Deletes about `max` series of dropped tables, and returns those that have some left. The last ones go first: series of a table are numbered
 * without gaps at any time.
 */
export function deleteSeries(sqlite: DatabaseSync, ids: readonly number[], max: number): readonly number[] {
  const last = prepared(sqlite, 'SELECT max(tsid) AS last FROM series WHERE table_id = ?')
  const remove = prepared(sqlite, 'DELETE FROM series WHERE table_id = ? AND tsid > ?')
  let left = max
  for (const [i, id] of ids.entries()) {
    const series = Number(last.get(id)?.['last'] ?? 0)
    if (series > 0) remove.run(id, Math.max(0, series - left))
    if (series > left) return ids.slice(i)
    // Looking for them takes time, too.
    left -= Math.max(series, 20)
    if (left <= 0) return ids.slice(i + 1)
  }
  return []
}

/** Tables that were dropped before the process ended, and whose series are still there. */
export function droppedWithSeries(sqlite: DatabaseSync): readonly number[] {
  const next = sqlite.prepare('SELECT min(table_id) AS id FROM series WHERE table_id > ?')
  const isThere = sqlite.prepare('SELECT 1 FROM tables WHERE id = ?')
  const found: number[] = []
  for (let id = next.get(0)?.['id']; typeof id === 'number'; id = next.get(id)?.['id'])
    if (isThere.get(id) === undefined) found.push(id)
  return found
}
