// Writes a data file: sorted Parquet, durable under its final name before any catalog refers to it.
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { DbError, reasonOf } from '../../../errors.ts'
import type { Table } from '../../../model/table.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import { orderColumn } from '../catalog/logical.ts'
import { usualGroup } from '../datafile/row-group.ts'
import { type Duckdb, duckdbType, quoteName, quoteText } from '../duckdb/index.ts'
import { faultpoint } from '../failpoint.ts'
import { numbered, rowsPerGroup } from '../index/index-spec.ts'
import { syncFolder } from '../log/wal.ts'

export type NewFile = Omit<DataFile, 'id' | 'table'>

interface FileTarget {
  /** The columns of the rows, as the catalog stores them. */
  readonly columns: readonly number[]
  readonly dataDir: string
  /** The table's folder below `dataDir`. */
  readonly folder: string
  /** Unique in the folder. */
  readonly name: string
  readonly minSeq: number
  readonly maxSeq: number
  /** Called when it has its final name. */
  readonly renamed?: () => void
}

/** Writes the rows that `rows` selects, sorted. Undefined if there are none. The file counts only once the catalog has it. */
export async function writeDataFile(
  duckdb: Pick<Duckdb, 'run' | 'row'>,
  table: Table,
  rows: string,
  target: FileTarget
): Promise<NewFile | undefined> {
  const path = `${target.folder}/${target.name}`
  const final = join(target.dataDir, path)
  const temporary = `${final}.tmp`
  await makeFolder(dirname(final))
  try {
    const group = rowsPerGroup(table)
    const numberedRows = group === undefined ? rows : numbered(rows, group)
    await duckdb.run(
      `COPY (${numberedRows}) TO ${quoteText(temporary)}
       (FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION v2, ROW_GROUP_SIZE ${group ?? usualGroup})`
    )
    // Reads the values back from the file, so that an unreadable file does not count.
    const [count, minTime, maxTime, deletes] = await duckdb.row(statistics(table, temporary, target.columns))
    if (Number(count) === 0) {
      await rm(temporary, { force: true })
      return undefined
    }
    await makeDurable(temporary, final)
    target.renamed?.()
    return {
      path,
      rows: Number(count),
      bytes: (await stat(final)).size,
      minTime: timeOf(minTime),
      maxTime: timeOf(maxTime),
      minSeq: target.minSeq,
      maxSeq: target.maxSeq,
      columns: target.columns,
      deletes: Number(deletes) > 0,
      checksum: crc32(await readFile(final))
    }
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

function statistics(table: Table, file: string, columns: readonly number[]): string {
  const time = quoteName(table.timeIndex.physical)
  const type = duckdbType(table.timeIndex.type)
  const deletes = columns.includes(orderColumn) ? 'count(*) FILTER (__op = 1)' : '0'
  return `SELECT count(*), min(${time})::${type}, max(${time})::${type}, ${deletes} FROM read_parquet(${quoteText(file)})`
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** The error of a file that could not be written, for a reason that is not its rows; the message begins as DuckDB's do. */
export function ioError(reason: string, cause?: unknown): DbError {
  return new DbError('StorageUnavailable', `IO Error: ${reason}`, { cause, retryAfter: 5 })
}

/** Creates the folder of a data file where it is missing. Throws DbError `StorageUnavailable`. */
export async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true }).catch(error => {
    throw ioError(error.message, error)
  })
}

/** Brings a complete file to the disk under its final name; removes it if that fails. Throws DbError `StorageUnavailable`. */
export async function makeDurable(temporary: string, final: string): Promise<void> {
  try {
    await syncFile(temporary)
    faultpoint('file.rename')
    await rename(temporary, final)
    faultpoint('folder.sync')
    await syncFolder(dirname(final))
  } catch (error) {
    await rm(temporary, { force: true })
    throw ioError(reasonOf(error), error)
  }
}

/** The number inside DuckDB's timestamp value, in its own unit. */
function timeOf(value: unknown): bigint {
  const [ticks] = Object.values(value as Record<string, bigint>)
  return ticks!
}
