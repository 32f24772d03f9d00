// Rows of a table without series, by time and some row groups at a time, so that a flush needs memory for a part of its rows only.
import type { FixedData } from '../../../model/batch.ts'
import { bytesOf } from '../memory/row-bytes.ts'
import { type CollectedRows, collectRows, type RowsToCollect, type Run, seqOf, wholeRuns } from './collect-rows.ts'
import { sortRows } from './sort-rows.ts'

/** Approximate bytes of a slice. */
const usualBytes = 16 << 20

interface TimeSliceOptions {
  /** The column of the times. */
  readonly time: number
  /** Rows of a row group; slices consist of whole ones. */
  readonly groupRows: number
  /** Default 16 MiB. */
  readonly bytes?: number
}

/** Slices in the order of a file; the rows of each lie as they came. All versions of a row are in one slice. */
export function* timeSlices(
  asked: RowsToCollect,
  { time, groupRows, bytes = usualBytes }: TimeSliceOptions
): Generator<CollectedRows> {
  const { writes, columns } = asked
  const rows = writes.reduce((sum, write) => sum + write.rows, 0)
  const size = writes.reduce((sum, write) => sum + bytesOf(write), 0)
  const groups = Math.max(1, Math.round((bytes * rows) / Math.max(1, size) / groupRows))
  const usualRows = groups * groupRows
  if (rows <= usualRows) {
    yield collectRows(asked, wholeRuns(writes))
    return
  }
  const { numbers, slices } = slicesOf(asked, columns[time]!.id, rows, usualRows)
  for (let slice = 0; slice < slices; slice++) yield collectRows(asked, runsOf(writes, numbers, slice))
}

/** The slice that each row belongs to. */
function slicesOf({ writes, hasVersions }: RowsToCollect, time: number, rows: number, usualRows: number) {
  const times = new Int32Array(2 * rows)
  const seqs = hasVersions ? new Float64Array(rows) : undefined
  let at = 0
  for (const write of writes) {
    const { buffer, byteOffset } = (write.columns.get(time) as FixedData).values
    times.set(new Int32Array(buffer, byteOffset, 2 * write.rows), 2 * at)
    if (seqs !== undefined) for (let row = 0; row < write.rows; row++) seqs[at + row] = seqOf(write, row)
    at += write.rows
  }
  const sorted = sortRows({ rows, tsids: undefined, owners: undefined, times, seqs })
  const isSameTime = (a: number, b: number) => times[2 * a] === times[2 * b] && times[2 * a + 1] === times[2 * b + 1]
  const numbers = new Uint32Array(rows)
  let slices = 0
  for (let from = 0; from < rows; slices++) {
    let to = Math.min(rows, from + usualRows)
    while (hasVersions && to < rows && isSameTime(sorted[to - 1]!, sorted[to]!)) to++
    for (let i = from; i < to; i++) numbers[sorted[i]!] = slices
    from = to
  }
  return { numbers, slices }
}

/** The rows of a slice; `numbers`: the slice of each row, of one write after the other. */
function runsOf(writes: RowsToCollect['writes'], numbers: Uint32Array, slice: number): Run[] {
  const runs: Run[] = []
  let first = 0
  for (const write of writes) {
    for (let from = 0; from < write.rows; ) {
      if (numbers[first + from] !== slice) {
        from++
        continue
      }
      let to = from + 1
      while (to < write.rows && numbers[first + to] === slice) to++
      runs.push({ write, from, to })
      from = to
    }
    first += write.rows
  }
  return runs
}
