// From a sealed memtable to a sorted Parquet file that stands on its own.
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { DbError } from '../../errors.ts'
import type { Table } from '../../model/table.ts'
import type { DataFile } from './catalog-rows.ts'
import { type Duckdb, duckdbType, quoteName, quoteText } from './duckdb/index.ts'
import type { Memtable } from './memtable.ts'
import { syncFolder } from './wal.ts'

export interface FlushTarget {
  readonly dataDir: string
  /** The table's folder below `dataDir`. */
  readonly folder: string
  /** Unique within the folder. */
  readonly name: string
}

/** Rows of a row group: what a reader can skip by its statistics. */
const rowGroup = 122_880

/** Writes the file durably under its final name; only the catalog makes it count. */
export async function writeFile(
  duckdb: Duckdb,
  table: Table,
  memtable: Memtable,
  series: string,
  target: FlushTarget
): Promise<Omit<DataFile, 'id' | 'table'>> {
  const path = `${target.folder}/${target.name}`
  const final = join(target.dataDir, path)
  const temporary = `${final}.tmp`
  await mkdir(dirname(final), { recursive: true })
  const tagged = memtable.hidden.some(([name]) => name === '__tsid')
  const tags = tagged ? table.tags : []
  try {
    await memtable.read(rows =>
      duckdb.run(
        `COPY (${select(table, memtable, rows, series)}) TO ${quoteText(temporary)}
         (FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION v2, ROW_GROUP_SIZE ${rowGroup})`
      )
    )
    await makeDurable(temporary, final)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  const time = quoteName(table.timeIndex.physical)
  const type = duckdbType(table.timeIndex.type)
  const deletes = memtable.hidden.some(([name]) => name === '__op') ? 'count(*) FILTER (__op = 1)' : '0'
  // Read back from the file itself: what cannot be read must not count.
  const [rows, minTime, maxTime, deleted] = await duckdb.row(
    `SELECT count(*), min(${time})::${type}, max(${time})::${type}, ${deletes} FROM read_parquet(${quoteText(final)})`
  )
  if (Number(rows) !== memtable.rows) {
    throw new DbError('Unexpected', `file ${final} holds ${rows} rows instead of ${memtable.rows}`)
  }
  return {
    path,
    rows: Number(rows),
    bytes: (await stat(final)).size,
    minTime: timeOf(minTime),
    maxTime: timeOf(maxTime),
    minSeq: memtable.firstSeq,
    maxSeq: memtable.endSeq - 1,
    columns: [...tags, ...memtable.columns].map(column => column.id),
    deletes: Number(deleted) > 0,
    checksum: crc32(await readFile(final))
  }
}

function select(table: Table, memtable: Memtable, rows: string, series: string): string {
  const tagged = memtable.hidden.some(([name]) => name === '__tsid')
  const tags = tagged ? table.tags.map(tag => `s.${quoteName(tag.physical)}`) : []
  const hidden = memtable.hidden.map(([name]) => `m.${name}`)
  const columns = memtable.columns.map(column => `m.${quoteName(column.physical)}`)
  const source = tagged ? `${rows} m JOIN ${series} s ON s.__tsid = m.__tsid` : `${rows} m`
  const ordered = memtable.hidden.some(([name]) => name === '__seq') ? ['m.__seq'] : []
  const sort = [...tags, `m.${quoteName(table.timeIndex.physical)}`, ...ordered]
  return `SELECT ${[...hidden, ...tags, ...columns].join(', ')} FROM ${source} ORDER BY ${sort.join(', ')}`
}

async function makeDurable(temporary: string, final: string): Promise<void> {
  const file = await open(temporary, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, final)
  await syncFolder(dirname(final))
}

/** The number inside DuckDB's timestamp value, in its own unit. */
function timeOf(value: unknown): bigint {
  const [ticks] = Object.values(value as Record<string, bigint>)
  return ticks!
}
