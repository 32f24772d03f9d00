// The rows of a memtable as one piece per column, for another thread: copied a few milliseconds at a time.
import type { ColumnData } from '../../../model/batch.ts'
import { columnBuilder, type Piece } from '../datafile/column-builder.ts'
import { leftOut, type MemtableRows, type StoredColumn } from '../memory/memtable.ts'
import { noTags } from '../series/series.ts'

export interface CollectedRows {
  readonly rows: number
  readonly tsids: Uint32Array<ArrayBuffer> | undefined
  readonly seqs: Float64Array<ArrayBuffer> | undefined
  readonly ops: Uint8Array<ArrayBuffer> | undefined
  readonly columns: readonly ColumnData[]
}

export interface Collected {
  readonly columns: readonly StoredColumn[]
  readonly hasSeries: boolean
  /** Whether it matters when rows were written. */
  readonly hasVersions: boolean
}

/** Milliseconds of work without a break. */
const longest = 5

export async function collectRows(
  writes: readonly MemtableRows[],
  { columns, hasSeries, hasVersions }: Collected
): Promise<CollectedRows> {
  const rows = writes.reduce((sum, write) => sum + write.rows, 0)
  const tsids = hasSeries ? new Uint32Array(rows) : undefined
  const seqs = hasVersions ? new Float64Array(rows) : undefined
  const ops = hasVersions && writes.some(({ op }) => op === 'delete') ? new Uint8Array(rows) : undefined
  let since = performance.now()
  const rest = async () => {
    if (performance.now() - since < longest) return
    await new Promise(resolve => setImmediate(resolve))
    since = performance.now()
  }
  let at = 0
  for (const write of writes) {
    if (write.tsids === undefined) tsids?.fill(noTags, at, at + write.rows)
    else tsids?.set(write.tsids.subarray(0, write.rows), at)
    if (seqs !== undefined) numberRows(write, seqs, at)
    if (write.op === 'delete') ops?.fill(1, at, at + write.rows)
    at += write.rows
    await rest()
  }
  const collected: ColumnData[] = []
  for (const column of columns) {
    const pieces = writes.map(
      (write): Piece => ({ data: write.columns.get(column.id) ?? leftOut(column, write), from: 0, to: write.rows })
    )
    await rest()
    const builder = columnBuilder(column.type, pieces)
    for (const piece of pieces) {
      builder.append(piece)
      await rest()
    }
    collected.push(builder.done())
  }
  return { rows, tsids, seqs, ops, columns: collected }
}

function numberRows({ seq, rows, order }: MemtableRows, seqs: Float64Array, at: number): void {
  for (let i = 0; i < rows; i++) seqs[at + i] = seq + (order === undefined ? i : order.after[i]!)
}
