// What an independent reader finds in the files of a data folder whose engine is closed, beside what the catalog says of them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import type { Table, TableColumn } from '../../../core/model/table.ts'
import type { Cell, Row } from '../../contract/engine/rows.ts'

/** By physical names, hidden columns too. */
export type FileRow = Readonly<Record<string, unknown>>

export interface ReadFile {
  readonly path: string
  /** Number of the table the catalog has it under. */
  readonly table: number
  readonly rows: readonly FileRow[]
}

/** Reads every file the catalog names, every value of it. Throws when one cannot be read or does not hold as many rows as the catalog says. */
export async function* readDataFiles(folder: string): AsyncGenerator<ReadFile> {
  for (const { path, table, count } of filesInCatalog(folder)) {
    const rows = await readParquet(join(folder, 'data', path))
    if (rows.length !== count) throw new Error(`${path} holds ${rows.length} rows, the catalog says ${count}`)
    yield { path, table, rows }
  }
}

async function readParquet(path: string): Promise<FileRow[]> {
  try {
    const file = new Uint8Array(readFileSync(path)).buffer
    return (await parquetReadObjects({ file, compressors, utf8: true })) as FileRow[]
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : error}`)
  }
}

function filesInCatalog(folder: string) {
  const sqlite = new DatabaseSync(join(folder, 'catalog.db'), { readOnly: true })
  try {
    const files = sqlite.prepare('SELECT path, table_id, row_count FROM files ORDER BY id').all()
    return files.map(row => ({ path: String(row.path), table: Number(row.table_id), count: Number(row.row_count) }))
  } finally {
    sqlite.close()
  }
}

/** The rows of a table in the order they were written; `host` is the table that holds them. */
export function rowsOfTable(
  rows: readonly FileRow[],
  table: Table,
  host: Table
): { readonly op: 'put' | 'delete'; readonly row: Row }[] {
  const own = host === table ? rows : rows.filter(row => row.__table === table.id)
  const physical = new Map(host.columns.map(column => [column.id, column.physical]))
  return own
    .toSorted((a, b) => Number(a.__seq ?? 0) - Number(b.__seq ?? 0))
    .map(row => ({
      op: Number(row.__op ?? 0) === 1 ? 'delete' : 'put',
      row: Object.fromEntries(
        table.columns.map(column => [column.name, cellOf(column, row[physical.get(column.stored ?? column.id)!])])
      )
    }))
}

/** As the rows of a test are written: times and 64-bit integers as big integers. */
function cellOf({ type }: TableColumn, value: unknown): Cell {
  if (value instanceof Date) return BigInt(value.getTime())
  if (type === 'Int64' && typeof value === 'number') return BigInt(value)
  return (value ?? null) as Cell
}
