// A flush, in the thread of the upkeep: rows as they came are sorted, their versions merged, and written.
import type { FixedData } from '../../../model/batch.ts'
import { free } from '../../../workers/free.ts'
import type { RowsToCollect } from './collect-rows.ts'
import { type RowKeys, sortRows } from './sort-rows.ts'
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
export function flushRows(task: FlushTask, step: () => void): SortedFileFacts | undefined {
  const { shape, rows, tsids, owners, seqs, ops, columns } = task
  const { buffer, byteOffset } = (columns[shape.time] as FixedData).values
  const times = new Int32Array(buffer, byteOffset, 2 * rows)
  const sorted = sortRows({ rows, tsids, owners, times, seqs })
  const kept = keepRows(shape.merge, shape.keepDeletes, { tsids, times, ops }, sorted)
  const ownerOf = (place: number) => owners!.of[tsids![place]! - owners!.first]!
  const file = new SortedFile(shape)
  try {
    for (const _ of file.write({ tsids, seqs, ops, ownerOf, columns }, kept)) step()
    return file.finish()
  } catch (error) {
    file.abandon()
    throw error
  } finally {
    free(sorted)
    free(kept.places)
  }
}
