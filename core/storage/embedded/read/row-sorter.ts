// Rows in memory are sorted by series beside the queries: those look at rows that are not sorted yet one by one.
import type { Memtable, MemtableRows } from '../memory/memtable.ts'
import type { TableData } from '../memory/table-data.ts'
import type { SampleColumn } from './sample-rows.ts'

/** Where rows are sorted. */
export interface SortThreads {
  /** All rows as one write, sorted by series, with what it spans; they lie in memory that threads share. */
  sort(writes: readonly MemtableRows[], time: SampleColumn): Promise<MemtableRows>
}

export class RowSorter {
  readonly #threads: SortThreads
  readonly #sorting = new Set<Memtable>()

  constructor(threads: SortThreads) {
    this.#threads = threads
  }

  /** Begins with the rows that are there, for queries that will come. What is about to become a file is left as it is. */
  sort({ active }: Pick<TableData, 'active'>, time: SampleColumn): void {
    if (active === undefined || this.#sorting.has(active)) return
    this.#sorting.add(active)
    // A thread that fails told of it; the next query begins again.
    this.#sortAll(active, time)
      .catch(() => {})
      .finally(() => this.#sorting.delete(active))
  }

  async #sortAll(memtable: Memtable, time: SampleColumn): Promise<void> {
    for (let picked = memtable.pickToSort(); picked !== undefined; picked = memtable.pickToSort()) {
      memtable.pin()
      try {
        memtable.putSorted(picked, await this.#threads.sort(picked, time))
      } finally {
        memtable.unpin()
      }
    }
  }
}
