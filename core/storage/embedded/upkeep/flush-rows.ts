// A flush, in the thread of the upkeep: rows as they came are sorted, their versions merged, and written.
import type { ColumnData, FixedData } from '../../../model/batch.ts'
import { free } from '../../../workers/free.ts'
import type { RowsToCollect } from './collect-rows.ts'
import { memoryOf } from './row-memory.ts'
import { slices } from './slices.ts'
import { type RowKeys, sortRows, sortRuns } from './sort-rows.ts'
import { type FileShape, type Rows, SortedFile, type SortedFileFacts } from './sorted-file.ts'
import { keepRows } from './versions.ts'

/** All memory is the thread's own. */
export interface FlushTask extends Omit<Rows, 'ownerOf'> {
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
  const { shape, owners } = task
  const file = new SortedFile(shape)
  try {
    for (const rows of 'shared' in task ? sharedRows(task) : ownRows(task)) {
      const kept = keepRows(shape.merge, shape.keepDeletes, rows, rows.sorted)
      const ownerOf = (place: number) => owners!.of[rows.tsids![place]! - owners!.first]!
      for (const _ of file.write({ ...rows, ownerOf }, kept)) step()
      // It would stay until memory is looked through the next time.
      for (const places of [rows.sorted, kept.places]) free(places)
      for (const buffer of memoryOf(rows)) buffer.transfer(0)
    }
    return file.finish()
  } catch (error) {
    file.abandon()
    throw error
  }
}

/** Rows in memory of this thread, which go with them. All versions of a row are among them. */
interface SortedRows extends Omit<Rows, 'ownerOf'> {
  /** As words, the low one first. */
  readonly times: Int32Array
  /** Their places in the order of a file. */
  readonly sorted: Uint32Array
}

function* ownRows({ shape, rows, tsids, owners, seqs, ops, columns }: FlushTask): Generator<SortedRows> {
  const times = timesOf(columns, shape)
  yield { tsids, seqs, ops, columns, times, sorted: sortRows({ rows, tsids, owners, times, seqs }) }
}

function* sharedRows({ shape, shared, owners }: SharedFlushTask): Generator<SortedRows> {
  for (const { rows, ends, tsids, seqs, columns } of slices(shared, owners)) {
    const times = timesOf(columns, shape)
    const sorted = sortRuns({ rows, tsids, owners, times, seqs }, ends)
    yield { tsids, seqs, ops: undefined, columns, times, sorted }
  }
}

function timesOf(columns: readonly ColumnData[], { time }: FileShape): Int32Array {
  const { buffer, byteOffset, length } = (columns[time] as FixedData).values
  return new Int32Array(buffer, byteOffset, 2 * length)
}
