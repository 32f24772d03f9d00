// A flush, in the thread of the upkeep: rows as they came are sorted, their versions merged, and written.
import type { ColumnData, FixedData } from '../../../model/batch.ts'
import { areNumbers, collectRows, type RowsToCollect, wholeRuns } from './collect-rows.ts'
import { slices } from './slices.ts'
import { type RowKeys, sortRows, sortRuns } from './sort-rows.ts'
import { type FileLayout, SortedFile, type SortedFileFacts, type SortedRows } from './sorted-file.ts'
import { timeSlices } from './time-slices.ts'

export interface FlushTask {
  readonly layout: FileLayout
  readonly rows: RowsToCollect
  readonly owners: RowKeys['owners']
}

/** Writes the file; undefined where no row is left. `step` runs after every row group. Leaves no file where it throws. */
export function flushRows(task: FlushTask, step: () => void): SortedFileFacts | undefined {
  const file = new SortedFile(task.layout)
  try {
    for (const rows of sortedRows(task)) {
      for (const _ of file.write(rows)) step()
    }
    return file.finish()
  } catch (error) {
    file.abandon()
    throw error
  }
}

/** A part of the rows at a time, but for those of series that have texts, gaps or deletes. */
function* sortedRows({ layout, rows: asked, owners }: FlushTask): Generator<SortedRows> {
  if (areNumbers(asked)) {
    for (const { rows, ends, tsids, seqs, columns } of slices(asked, owners)) {
      const times = timesOf(columns, layout)
      const sorted = sortRuns({ rows, tsids, owners, times, seqs }, ends)
      yield { tsids, seqs, ops: undefined, ownerOf: ownersOf(tsids, owners), columns, times, sorted }
    }
    return
  }
  const all = asked.hasSeries ? [collectRows(asked, wholeRuns(asked.writes))] : timeSlices(asked, layout)
  for (const { rows, tsids, seqs, ops, columns } of all) {
    const times = timesOf(columns, layout)
    const sorted = sortRows({ rows, tsids, owners, times, seqs })
    yield { tsids, seqs, ops, ownerOf: ownersOf(tsids, owners), columns, times, sorted }
  }
}

function ownersOf(tsids: Uint32Array | undefined, owners: RowKeys['owners']): SortedRows['ownerOf'] {
  return row => owners!.of[tsids![row]! - owners!.first]!
}

function timesOf(columns: readonly ColumnData[], { time }: FileLayout): Int32Array {
  const { buffer, byteOffset, length } = (columns[time] as FixedData).values
  return new Int32Array(buffer, byteOffset, 2 * length)
}
