// Rows that lie in many writes as one piece per column, in the thread that writes them to a file.
import type { ColumnData } from '../../../model/batch.ts'
import { isBytesType } from '../../../model/types.ts'
import { columnBuilder } from '../datafile/column-builder.ts'
import { leftOut, type MemtableRows, type StoredColumn } from '../memory/memtable.ts'
import { noTags } from '../series/series.ts'

/** Rows of a memtable. They lie in memory that threads share. */
export interface RowsToCollect {
  readonly writes: readonly MemtableRows[]
  readonly columns: readonly StoredColumn[]
  readonly hasSeries: boolean
  /** Whether it matters when rows were written. */
  readonly hasVersions: boolean
}

export interface CollectedRows {
  readonly rows: number
  readonly tsids: Uint32Array<ArrayBuffer> | undefined
  readonly seqs: Float64Array<ArrayBuffer> | undefined
  readonly ops: Uint8Array<ArrayBuffer> | undefined
  readonly columns: readonly ColumnData[]
}

/** Rows `from` to `to` of a write. */
export interface Run {
  readonly write: MemtableRows
  readonly from: number
  readonly to: number
}

/** All rows of writes. */
export function wholeRuns(writes: readonly MemtableRows[]): readonly Run[] {
  return writes.map(write => ({ write, from: 0, to: write.rows }))
}

/** Whether rows are puts of series, and numbers in every column. */
export function areNumbers({ writes, columns, hasSeries }: RowsToCollect): boolean {
  if (!hasSeries || columns.some(({ type }) => isBytesType(type))) return false
  return writes.every(({ op, tsids, columns }) => op === 'put' && tsids !== undefined && !anyIsNull(columns.values()))
}

function anyIsNull(columns: Iterable<ColumnData>): boolean {
  for (const { valid } of columns) if (valid !== undefined) return true
  return false
}

/** Copies these rows, in this order. */
export function collectRows(
  { writes, columns, hasSeries, hasVersions }: RowsToCollect,
  runs: readonly Run[]
): CollectedRows {
  const rows = runs.reduce((sum, { from, to }) => sum + to - from, 0)
  const tsids = hasSeries ? new Uint32Array(rows) : undefined
  const seqs = hasVersions ? new Float64Array(rows) : undefined
  const ops = hasVersions && writes.some(({ op }) => op === 'delete') ? new Uint8Array(rows) : undefined
  let at = 0
  for (const { write, from, to } of runs) {
    const end = at + to - from
    if (write.tsids === undefined) tsids?.fill(noTags, at, end)
    else tsids?.set(write.tsids.subarray(from, to), at)
    if (seqs !== undefined) for (let row = from; row < to; row++) seqs[at + row - from] = seqOf(write, row)
    if (write.op === 'delete') ops?.fill(1, at, end)
    at = end
  }
  return { rows, tsids, seqs, ops, columns: columns.map(column => collectColumn(column, runs)) }
}

/** The sequence number of a row. */
export function seqOf({ seq, order }: MemtableRows, row: number): number {
  return seq + (order === undefined ? row : order.after[row]!)
}

function collectColumn(column: StoredColumn, runs: readonly Run[]): ColumnData {
  let last: { readonly write: MemtableRows; readonly data: ColumnData | undefined } | undefined
  const pieces = runs.map(({ write, from, to }) => {
    // Values that are filled in are made once for a write.
    if (last?.write !== write) last = { write, data: write.columns.get(column.id) ?? leftOut(column, write) }
    return { data: last.data, from, to }
  })
  const builder = columnBuilder(column.type, pieces)
  for (const piece of pieces) builder.append(piece)
  return builder.done()
}
