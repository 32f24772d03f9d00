// The files that the rows of a memtable go to: one, or several where they are too much for one.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Table } from '../../../model/table.ts'
import { fileColumns } from '../catalog/logical.ts'
import { isAboutRows } from '../duckdb/errors.ts'
import { reach } from '../fault.ts'
import { type NewFile, writeDataFile } from '../file/data-file.ts'
import { mergeVersions } from '../query/merge.ts'
import { memtableRows, sortedRows } from '../query/source.ts'
import type { FlusherParts } from './flusher.ts'
import type { Memtable, RowRange, RowsInSql } from './memtable.ts'
import type { SeriesTable } from './series-mirror.ts'

/** Writes `count` rows to a file of that name; undefined where none is left of them. */
type Write = (rows: RowsInSql, count: number, name: string) => Promise<NewFile | undefined>

/** A sealed memtable, its table, and the series of its rows where they have some. */
export interface Flushed {
  readonly table: Table
  readonly memtable: Memtable
  readonly series: SeriesTable | undefined
}

/** Writes all rows of a sealed memtable. No catalog knows the files yet; where some of the rows cannot be written there are none. */
export async function writeFiles(parts: FlusherParts, flushed: Flushed): Promise<readonly NewFile[]> {
  const { memtable } = flushed
  const write = writerOf(parts, flushed)
  try {
    const file = await memtable.read(rows => write(rows, memtable.rows, `${memtable.firstSeq}`))
    return file === undefined ? [] : [file]
  } catch (error) {
    if (memtable.rows < 2 || !isAboutRows(error)) throw error
    const { database, name } = flushed.table
    parts.log.warn(
      { err: error, table: `${database}.${name}` },
      'rows of a table do not fit a file: they go to several'
    )
    return writeParts(parts.dataDir, memtable, write)
  }
}

function writerOf({ catalog, duckdb, dataDir }: FlusherParts, { table, memtable, series }: Flushed): Write {
  const folder = catalog.folder(table)
  return (rows, count, name) => {
    const columns = fileColumns(table)
    const all = memtableRows(table, rows, series, { columns })
    const merged = memtable.times.areDistinct ? all : mergeVersions(table, all, { keepDeletes: true, columns })
    // Several files of the same rows are equally new, and deletes hide what comes before them.
    const versions = count < memtable.rows || memtable.writes.some(({ op }) => op === 'delete')
    const sorted = sortedRows(table, merged, { versions })
    return writeDataFile(duckdb, table, sorted.sql, {
      columns: sorted.columns,
      dataDir,
      folder,
      name: `${name}.parquet`,
      minSeq: memtable.firstSeq,
      maxSeq: memtable.endSeq - 1,
      copied: () => reach('flush.copied'),
      renamed: () => reach('flush.renamed')
    })
  }
}

/** What does not fit is halved, down to single rows. */
async function writeParts(dataDir: string, memtable: Memtable, write: Write): Promise<readonly NewFile[]> {
  const due = halves({ from: 0, to: memtable.rows })
  const files: NewFile[] = []
  try {
    for (let range = due.shift(); range !== undefined; range = due.shift()) {
      const { from, to } = range
      try {
        const file = await memtable.read(rows => write(rows, to - from, `${memtable.firstSeq}-row${from}`), range)
        if (file !== undefined) files.push(file)
      } catch (error) {
        if (to - from < 2 || !isAboutRows(error)) throw error
        due.unshift(...halves(range))
      }
    }
    return files
  } catch (error) {
    for (const { path } of files) await rm(join(dataDir, path), { force: true })
    throw error
  }
}

function halves({ from, to }: RowRange): RowRange[] {
  const middle = Math.ceil((from + to) / 2)
  return [
    { from, to: middle },
    { from: middle, to }
  ]
}
