// Writes rows in memory to a Parquet file, in their order.
import type { ColumnData } from '../../../model/batch.ts'
import { addTextSizes, concatenate, type Piece } from './column-builder.ts'
import { RowFile, type RowFileOptions, type WrittenFile } from './row-file.ts'
import type { FileColumn } from './stored-column.ts'

/** Rows `from` (default 0) to `rows`; columns parallel to those of the file, undefined if all rows are null. */
export interface RowsBatch {
  readonly rows: number
  readonly from?: number
  readonly columns: readonly (ColumnData | undefined)[]
}

/** Rows of a row group, the unit that readers skip by statistics. */
export const usualGroup = 122_880
/** Bytes of text after which a row group ends, because a reader may have to hold all of it. */
export const groupTextBytes = 64 * 2 ** 20

export interface WriteRowsOptions extends RowFileOptions {
  readonly groupRows?: number
}

/**
 * Writes a file with at least one row. Throws ParquetError if data does not fit its column, and errors of the file system; no file is left
 * then. Blocks the thread, about 100 ns per row of a few numbers.
 */
export function writeRows(
  path: string,
  columns: readonly FileColumn[],
  batches: readonly RowsBatch[],
  options: WriteRowsOptions = {}
): WrittenFile {
  const file = new RowFile(path, columns, options)
  try {
    for (const group of groups(batches, options.groupRows ?? usualGroup)) {
      const rows = group.reduce((sum, { from, to }) => sum + to - from, 0)
      const data = columns.map(({ type }, i) => {
        const pieces = group.map(({ batch, from, to }): Piece => ({ data: batch.columns[i], from, to }))
        return concatenate(type, pieces)
      })
      file.write(rows, data)
    }
    return file.finish()
  } catch (error) {
    file.abandon()
    throw error
  }
}

interface Part {
  readonly batch: RowsBatch
  readonly from: number
  readonly to: number
}

function* groups(batches: readonly RowsBatch[], groupRows: number): Iterable<readonly Part[]> {
  let group: Part[] = []
  let [rows, bytes] = [0, 0]
  for (const batch of batches) {
    for (let from = batch.from ?? 0; from < batch.rows; ) {
      const max = Math.min(batch.rows, from + groupRows - rows)
      const cut = cutByText(batch, from, max, groupTextBytes - bytes)
      group.push({ batch, from, to: cut.to })
      rows += cut.to - from
      bytes += cut.bytes
      from = cut.to
      if (rows < groupRows && bytes < groupTextBytes) continue
      yield group
      group = []
      rows = bytes = 0
    }
  }
  if (rows > 0) yield group
}

/** As many rows, at least one, until their texts reach `max` bytes. */
function cutByText({ columns }: RowsBatch, from: number, to: number, max: number) {
  const texts = columns.filter(data => data !== undefined && data.kind !== 'fixed')
  if (texts.length === 0) return { to, bytes: 0 }
  const sizes = new Float64Array(to - from)
  for (const data of texts) addTextSizes(data!, undefined, from, sizes)
  return textEnd(sizes, from, max)
}

/** The row at which texts, from row `from` on, reach so many bytes. */
export function textEnd(
  sizes: Float64Array,
  from: number,
  max: number
): { readonly to: number; readonly bytes: number } {
  let bytes = 0
  for (let i = 0; i < sizes.length; i++) {
    bytes += sizes[i]!
    if (bytes >= max) return { to: from + i + 1, bytes }
  }
  return { to: from + sizes.length, bytes }
}
