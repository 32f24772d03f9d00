// One file in place of several: merged as they lie in the thread of the upkeep, or by SQL where that cannot be.
import { join } from 'node:path'
import type { Logger } from '../../../log/log.ts'
import type { Table } from '../../../model/table.ts'
import { isPhysical, mergesFields } from '../../logical.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import { fileColumns, hasSeries, isNumbered, numberColumn, orderColumn, tableColumn } from '../catalog/logical.ts'
import type { Duckdb } from '../duckdb/index.ts'
import { failpoint } from '../failpoint.ts'
import { makeDurable, type NewFile, writeDataFile } from '../file/data-file.ts'
import { mergeVersions } from '../query/merge.ts'
import { fileRows, sortedRows } from '../query/source.ts'
import { fileLayout } from './file-layout.ts'
import { UnsortedInput } from './merge-files.ts'
import type { UpkeepThread } from './upkeep-thread.ts'

interface MergeDependencies {
  readonly duckdb: Duckdb
  readonly upkeep: UpkeepThread
  readonly dataDir: string
  readonly log: Logger
}

interface Merge {
  readonly table: Table
  readonly files: readonly DataFile[]
  /** The table's folder below the data folder. */
  readonly folder: string
  /** Deletes may hide rows of other files. */
  readonly keepDeletes: boolean
  /** Rows before it are past their time to live. */
  readonly cutoff: bigint | undefined
  /** Logical tables of a physical one. */
  readonly only: readonly number[] | undefined
}

/** Writes the rows that stay; undefined when there are none. No catalog knows the file yet. */
export async function writeMerged(parts: MergeDependencies, merge: Merge): Promise<NewFile | undefined> {
  const { table, files } = merge
  if (!isAlike(table, files)) return writeBySql(parts, merge)
  try {
    return await writeByThread(parts, merge)
  } catch (error) {
    if (!(error instanceof UnsortedInput)) throw error
    parts.log.warn({ table: table.name, err: error }, 'files are merged by the query engine')
    return writeBySql(parts, merge)
  }
}

/** Whether all files hold numbers instead of tags, where the table has some, and every column as the type it has now. */
function isAlike(table: Table, files: readonly DataFile[]): boolean {
  if (hasSeries(table) && !files.every(isNumbered)) return false
  const changed = fileColumns(table).filter(({ was }) => was !== undefined)
  return changed.every(({ id, was, initial }) =>
    files.every(
      ({ columns }) =>
        !was!.some(former => columns.includes(former.id)) && (initial === undefined || columns.includes(id))
    )
  )
}

function numbersOf(files: readonly DataFile[]) {
  const minSeq = files.reduce((min, file) => Math.min(min, file.minSeq), Number.POSITIVE_INFINITY)
  const maxSeq = files.reduce((most, file) => Math.max(most, file.maxSeq), Number.NEGATIVE_INFINITY)
  const id = files.reduce((max, file) => Math.max(max, file.id), 0)
  return { minSeq, maxSeq, name: `${minSeq}-${maxSeq}-${id}.parquet` }
}

async function writeByThread({ upkeep, dataDir }: MergeDependencies, merge: Merge): Promise<NewFile | undefined> {
  const { table, files, folder, keepDeletes, cutoff, only } = merge
  const { name, minSeq, maxSeq } = numbersOf(files)
  const path = `${folder}/${name}`
  const final = join(dataDir, path)
  const temporary = `${final}.tmp`
  const columns = fileColumns(table).filter(column => column !== tableColumn)
  const isAppend = table.options.append_mode === true
  const hasOrder = !isAppend && (!hasSeries(table) || (keepDeletes && files.some(({ deletes }) => deletes)))
  const layout = fileLayout(table, columns, { path: temporary, hasOrder, keepDeletes, areDistinct: false })
  const written = await upkeep.merge({
    layout,
    inputs: files.map(file => ({
      path: join(dataDir, file.path),
      maxSeq: file.maxSeq,
      hasOrder: !isNumbered(file) || file.columns.includes(orderColumn),
      holds: columns.map(({ id }) => file.columns.includes(id))
    })),
    initial: columns.map(({ initial }) => (mergesFields(table) ? undefined : initial)),
    cutoff,
    only: isPhysical(table) ? only : undefined
  })
  if (written === undefined) return undefined
  failpoint('compact.copied')
  await makeDurable(temporary, final)
  failpoint('compact.renamed')
  const held = fileColumns(table).map(({ id }) => id)
  const hidden = [...(hasSeries(table) ? [numberColumn] : []), ...(hasOrder ? [orderColumn] : [])]
  return { path, ...written, minSeq, maxSeq, columns: [...hidden, ...held] }
}

/** For files of format 1, which hold tags, and values from before a column changed its type. */
function writeBySql({ duckdb, dataDir }: MergeDependencies, merge: Merge): Promise<NewFile | undefined> {
  const { table, files, folder, keepDeletes, cutoff, only } = merge
  const columns = fileColumns(table)
  const rows = fileRows(table, files, dataDir, { columns, times: { from: cutoff } }).join(' UNION ALL ')
  const merged = mergeVersions(table, rows, { keepDeletes, columns })
  const versions = keepDeletes && files.some(file => file.deletes)
  const sorted = sortedRows(table, merged, { versions, only })
  const target = {
    columns: sorted.columns,
    dataDir,
    folder,
    ...numbersOf(files),
    renamed: () => failpoint('compact.renamed')
  }
  return writeDataFile(duckdb.background, table, sorted.sql, target)
}
