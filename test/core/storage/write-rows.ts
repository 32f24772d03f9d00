// Writes rows in memory to a data file, in their order and in row groups of so many rows.
import type { ColumnData } from '../../../core/model/batch.ts'
import { concatenate, type Piece } from '../../../core/storage/embedded/datafile/column-builder.ts'
import { RowFile, type WrittenFile } from '../../../core/storage/embedded/datafile/row-file.ts'
import type { FileColumn } from '../../../core/storage/embedded/datafile/stored-column.ts'

/** Rows `from` (default 0) to `rows`; columns parallel to those of the file, undefined if all rows are null. */
export interface RowsBatch {
  readonly rows: number
  readonly from?: number
  readonly columns: readonly (ColumnData | undefined)[]
}

export function writeRows(
  path: string,
  columns: readonly FileColumn[],
  batches: readonly RowsBatch[],
  groupRows = 122_880
): WrittenFile {
  const all = columns.map(({ type }, i) =>
    concatenate(
      type,
      batches.map(({ rows, from = 0, columns }): Piece => ({ data: columns[i], from, to: rows }))
    )
  )
  const count = batches.reduce((sum, { rows, from = 0 }) => sum + rows - from, 0)
  const file = new RowFile(path, columns)
  try {
    for (let from = 0; from < count; from += groupRows) {
      const to = Math.min(count, from + groupRows)
      file.write(
        to - from,
        columns.map(({ type }, i) => concatenate(type, [{ data: all[i], from, to }]))
      )
    }
    return file.finish()
  } catch (error) {
    file.abandon()
    throw error
  }
}
