// Compares the files of a closed data folder, read by an independent reader, with the catalog.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import type { Table, TableColumn } from '../../../core/model/table.ts'
import type { Cell, Row } from '../../contract/engine/rows.ts'
import { converted } from './converted.ts'

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
  const { files, series } = readCatalog(folder)
  for (const { path, table, count, maxSeq } of files) {
    const rows = await readParquet(join(folder, 'data', path))
    if (rows.length !== count) throw new Error(`${path} holds ${rows.length} rows, the catalog says ${count}`)
    yield {
      path,
      table,
      // Tags are those of the row's series, and rows without an order of their own are as new as their file.
      rows: rows.map(row => ({ __seq: maxSeq, ...row, ...series.get(`${table} ${row.__tsid}`) }))
    }
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

function readCatalog(folder: string) {
  const sqlite = new DatabaseSync(join(folder, 'catalog.db'), { readOnly: true })
  try {
    const files = sqlite.prepare('SELECT path, table_id, row_count, max_seq FROM files ORDER BY id').all()
    const columns = sqlite.prepare('SELECT table_id, definition FROM columns').all()
    const definitions = new Map(
      columns.map(row => {
        const column = JSON.parse(String(row.definition)) as TableColumn
        return [`${row.table_id} ${column.id}`, column]
      })
    )
    const series = sqlite.prepare('SELECT table_id, tsid, key FROM series').all()
    return {
      files: files.map(row => ({
        path: String(row.path),
        table: Number(row.table_id),
        count: Number(row.row_count),
        maxSeq: Number(row.max_seq)
      })),
      series: new Map(
        series.map(({ table_id, tsid, key }) => [
          `${table_id} ${tsid}`,
          tagsOf(key as Uint8Array, id => definitions.get(`${table_id} ${id}`))
        ])
      )
    }
  } finally {
    sqlite.close()
  }
}

/** A series' key: for each tag with a value its column's id (u16), the length (u32) and the bytes. */
function tagsOf(key: Uint8Array, columnOf: (id: number) => TableColumn | undefined): FileRow {
  const view = Buffer.from(key)
  const tags: Record<string, unknown> = {}
  for (let at = 0; at < view.length; ) {
    const column = columnOf(view.readUInt16LE(at))
    const end = at + 6 + view.readUInt32LE(at + 2)
    if (column !== undefined) tags[column.physical] = tagValue(column, view.subarray(at + 6, end))
    at = end
  }
  return tags
}

function tagValue({ type }: TableColumn, bytes: Buffer): unknown {
  if (type === 'String') return bytes.toString()
  if (type === 'Int64') return bytes.readBigInt64LE()
  if (type === 'Int32') return bytes.readInt32LE()
  throw new Error(`no test has tags of type ${type} yet`)
}

/** The rows of a table in the order they were written; `host` is the table that holds them. */
export function rowsOfTable(
  rows: readonly FileRow[],
  table: Table,
  host: Table
): { readonly op: 'put' | 'delete'; readonly row: Row }[] {
  const own = host === table ? rows : rows.filter(row => row.__table === table.id)
  return own
    .toSorted((a, b) => Number(a.__seq ?? 0) - Number(b.__seq ?? 0))
    .map(row => ({
      op: Number(row.__op ?? 0) === 1 ? 'delete' : 'put',
      row: Object.fromEntries(
        table.columns.flatMap(column => {
          const cell = cellIn(row, host.columns.find(({ id }) => id === (column.stored ?? column.id))!)
          return cell === undefined ? [] : [[column.name, cell]]
        })
      )
    }))
}

/** Undefined where the row knows nothing of the column or what it was before its type changed. */
function cellIn(row: FileRow, column: TableColumn): Cell | undefined {
  const selves = [column, ...(column.was ?? [])]
  const held = selves.findIndex(({ physical }) => physical in row)
  if (held < 0) return undefined
  const { physical, type } = selves[held]!
  const cell = cellOf({ type }, row[physical])
  return selves.slice(0, held).reduceRight((cell, { type }, i) => converted(cell, selves[i + 1]!.type, type), cell)
}

/** As the rows of a test are written: times and 64-bit integers as big integers. */
function cellOf({ type }: Pick<TableColumn, 'type'>, value: unknown): Cell {
  if (value instanceof Date) return BigInt(value.getTime())
  if (type === 'Int64' && typeof value === 'number') return BigInt(value)
  return (value ?? null) as Cell
}
