// A flush, in the thread of the upkeep: rows as they came are sorted, their versions merged, and written.
import type { ColumnData, FixedData } from '../../../model/batch.ts'
import { free } from '../../../workers/free.ts'
import type { RowsToCollect } from './collect-rows.ts'
import { slices } from './slices.ts'
import { type RowKeys, sortRows, sortRuns } from './sort-rows.ts'
import { type FileShape, SortedFile, type SortedFileFacts, type SortedRows } from './sorted-file.ts'

/** All memory is the thread's own. */
export interface FlushTask extends Omit<SortedRows, 'ownerOf' | 'times' | 'sorted'> {
  readonly shape: FileShape
  readonly rows: number
  readonly owners: RowKeys['owners']
}

/** One whose rows lie in memory that others read, too. */
export interface SharedFlushTask extends Pick<FlushTask, 'shape' | 'owners'> {
  readonly shared: RowsToCollect
}

/** Writes the file; undefined where no row is left. `step` runs after every row group. Leaves no file where it throws. */
export function flushRows(task: FlushTask | SharedFlushTask, step: () => void): SortedFileFacts | undefined {
  const file = new SortedFile(task.shape)
  try {
    for (const rows of 'shared' in task ? sharedRows(task) : ownRows(task)) {
      for (const _ of file.write(rows)) step()
    }
    return file.finish()
  } catch (error) {
    file.abandon()
    throw error
  } finally {
    if (task.owners !== undefined) free(task.owners.of)
  }
}

function* ownRows({ shape, rows, tsids, owners, seqs, ops, columns }: FlushTask): Generator<SortedRows> {
  const times = timesOf(columns, shape)
  const sorted = sortRows({ rows, tsids, owners, times, seqs })
  yield { tsids, seqs, ops, ownerOf: ownersOf(tsids, owners), columns, times, sorted }
}

function* sharedRows({ shape, shared, owners }: SharedFlushTask): Generator<SortedRows> {
  for (const { rows, ends, tsids, seqs, columns } of slices(shared, owners)) {
    const times = timesOf(columns, shape)
    const sorted = sortRuns({ rows, tsids, owners, times, seqs }, ends)
    yield { tsids, seqs, ops: undefined, ownerOf: ownersOf(tsids, owners), columns, times, sorted }
  }
}

function ownersOf(tsids: Uint32Array | undefined, owners: RowKeys['owners']): SortedRows['ownerOf'] {
  return place => owners!.of[tsids![place]! - owners!.first]!
}

function timesOf(columns: readonly ColumnData[], { time }: FileShape): Int32Array {
  const { buffer, byteOffset, length } = (columns[time] as FixedData).values
  return new Int32Array(buffer, byteOffset, 2 * length)
}
