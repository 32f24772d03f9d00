// The rows of a memtable as one piece per column, for the thread that writes them: where they lie in memory that it cannot share.
import type { ColumnData } from '../../../model/batch.ts'
import { isBytesType } from '../../../model/types.ts'
import { columnBuilder, type Piece } from '../datafile/column-builder.ts'
import { leftOut, type MemtableRows, type StoredColumn } from '../memory/memtable.ts'
import { areSharedNumbers, isShared } from '../memory/shared-memory.ts'
import { noTags } from '../series/series.ts'

export interface CollectedRows {
  readonly rows: number
  readonly tsids: Uint32Array<ArrayBuffer> | undefined
  readonly seqs: Float64Array<ArrayBuffer> | undefined
  readonly ops: Uint8Array<ArrayBuffer> | undefined
  readonly columns: readonly ColumnData[]
}

/** Rows to be collected; what threads share is not copied on the way. */
export interface RowsToCollect extends Collected {
  readonly writes: readonly MemtableRows[]
}

export interface Collected {
  readonly columns: readonly StoredColumn[]
  readonly hasSeries: boolean
  /** Whether it matters when rows were written. */
  readonly hasVersions: boolean
}

/** Milliseconds of work without a break. */
const maxWorkTime = 5

/** Copied a few milliseconds at a time. */
export async function collectPaced(rows: RowsToCollect): Promise<CollectedRows> {
  let since = performance.now()
  const steps = collect(rows)
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    if (performance.now() - since < maxWorkTime) continue
    await new Promise(resolve => setImmediate(resolve))
    since = performance.now()
  }
}

/** Whether rows are numbers of series in memory that threads share. */
export function areShared({ writes, columns }: RowsToCollect): boolean {
  if (columns.some(({ type }) => isBytesType(type))) return false
  return writes.every(
    ({ op, tsids, columns }) => op === 'put' && isShared(tsids) && [...columns.values()].every(areSharedNumbers)
  )
}

function* collect({ writes, columns, hasSeries, hasVersions }: RowsToCollect): Generator<void, CollectedRows> {
  const rows = writes.reduce((sum, write) => sum + write.rows, 0)
  const tsids = hasSeries ? new Uint32Array(rows) : undefined
  const seqs = hasVersions ? new Float64Array(rows) : undefined
  const ops = hasVersions && writes.some(({ op }) => op === 'delete') ? new Uint8Array(rows) : undefined
  let at = 0
  for (const write of writes) {
    if (write.tsids === undefined) tsids?.fill(noTags, at, at + write.rows)
    else tsids?.set(write.tsids.subarray(0, write.rows), at)
    if (seqs !== undefined) numberRows(write, seqs, at)
    if (write.op === 'delete') ops?.fill(1, at, at + write.rows)
    at += write.rows
    yield
  }
  const collected: ColumnData[] = []
  for (const column of columns) {
    const pieces = writes.map(
      (write): Piece => ({ data: write.columns.get(column.id) ?? leftOut(column, write), from: 0, to: write.rows })
    )
    yield
    const builder = columnBuilder(column.type, pieces)
    for (const piece of pieces) {
      for (const part of partsOf(piece)) {
        builder.append(part)
        yield
      }
    }
    collected.push(builder.done())
  }
  return { rows, tsids, seqs, ops, columns: collected }
}

/** Bytes copied in one step: most of the time goes into memory that is new. */
const stepBytes = 4 << 20

/** Pieces of a piece that are about one step each, as far as its rows are alike. */
function* partsOf({ data, from, to }: Piece): Generator<Piece> {
  const rows = to - from
  const bytes =
    data === undefined ? 0 : data.kind === 'bytes' ? data.offsets[to]! - data.offsets[from]! + 4 * rows : 8 * rows
  const step = Math.max(1, Math.ceil(rows / Math.max(1, Math.ceil(bytes / stepBytes))))
  for (let at = from; at < to; at += step) yield { data, from: at, to: Math.min(to, at + step) }
}

function numberRows({ seq, rows, order }: MemtableRows, seqs: Float64Array, at: number): void {
  for (let i = 0; i < rows; i++) seqs[at + i] = seq + (order === undefined ? i : order.after[i]!)
}
