// Sorts writes in memory by series at once, into memory of their own.
import type { MemtableRows } from '../../../core/storage/embedded/memory/memtable.ts'
import { sortedRows, sortMemory, sortSteps } from '../../../core/storage/embedded/memory/sort-by-series.ts'

export function sortBySeries(
  writes: readonly MemtableRows[],
  into = sortMemory(writes, bytes => [new SharedArrayBuffer(bytes), 0])
): MemtableRows {
  for (const _ of sortSteps(writes, into));
  return sortedRows(writes, into)
}
