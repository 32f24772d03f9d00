// Sorts rows in memory by series in the background; until then queries scan them.
import { isDbError } from '../../../errors.ts'
import type { Logger } from '../../../log/log.ts'
import type { Table } from '../../../model/table.ts'
import type { Memtable, SampleBounds, SortTask } from '../memory/memtable.ts'
import type { TableData } from '../memory/table-data.ts'
import type { SampleColumn } from './sample-rows.ts'

/** Where rows are sorted: the reading threads. */
export interface SortThreads {
  /** Sorts rows by series into the task's memory; resolves to their bounds. */
  sort(task: SortTask, time: SampleColumn): Promise<SampleBounds>
}

export class RowSorter {
  readonly #threads: SortThreads
  readonly #log: Pick<Logger, 'warn'>
  readonly #sorting = new Map<Memtable, Promise<void>>()

  constructor(threads: SortThreads, log: Pick<Logger, 'warn'>) {
    this.#threads = threads
    this.#log = log
  }

  /**
   * Sorts the rows in memory, for later queries; resolves when done. Undefined if there is nothing to do. Rows that are being flushed are
   * left as they are.
   */
  sort({ active, table }: Pick<TableData, 'active' | 'table'>): Promise<void> | undefined {
    if (active === undefined) return undefined
    const known = this.#sorting.get(active)
    if (known !== undefined) return known
    const first = active.toSort()
    if (first === undefined) return undefined
    const sorting = this.#sortAll(active, first, table.timeIndex)
      .catch(error => this.#failed(table, error))
      .finally(() => this.#sorting.delete(active))
    this.#sorting.set(active, sorting)
    return sorting
  }

  /** The rows stay unsorted; the next query tries again. */
  #failed({ database, name }: Table, error: unknown): void {
    if (isDbError(error) && error.code === 'Cancelled') return
    this.#log.warn({ err: error, table: `${database}.${name}` }, 'rows in memory could not be sorted')
  }

  async #sortAll(memtable: Memtable, first: SortTask, time: SampleColumn): Promise<void> {
    const { endSeq } = memtable
    // Rows that come meanwhile are left to the next call.
    for (let task: SortTask | undefined = first; task !== undefined; task = memtable.toSort(endSeq)) {
      memtable.pin()
      try {
        memtable.putSorted(task, await this.#threads.sort(task, time))
      } finally {
        memtable.unpin()
      }
    }
  }
}
