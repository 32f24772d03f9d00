// The rows of all tables in memory: their size, and the oldest log record that is still needed.
import { DbError } from '../../../errors.ts'
import type { Table } from '../../../model/table.ts'
import { eachPaced, type Pace, type Steps } from '../../../pace.ts'
import { pause } from '../../../timer.ts'
import type { EmbeddedCatalog } from '../catalog/catalog.ts'
import { hasSeries } from '../catalog/logical.ts'
import type { RecordPart } from '../log/record.ts'
import { KnownSeries } from '../series/known-series.ts'
import type { MemtableHome, RowCopies } from './memtable.ts'
import { TableData } from './table-data.ts'

/** Milliseconds of loading series without a pause. */
const loadingTime = 5

export class OpenTables {
  /** One above the sequence number of the last readable row. */
  appliedSeq = 1
  /** Which series the keys of requests stand for. */
  readonly known = new KnownSeries(
    table => this.getOrCreate(table),
    () => this.load()
  )
  readonly #catalog: EmbeddedCatalog
  readonly #home: MemtableHome
  readonly #copies: RowCopies = { bytes: 0 }
  readonly #tables = new Map<number, TableData>()
  #areLoaded = false
  #bytes = 0
  #waiting: (() => void)[] = []

  constructor(catalog: EmbeddedCatalog, { spool, rowMemory }: Omit<MemtableHome, 'copies'>) {
    this.#catalog = catalog
    this.#home = { spool, rowMemory, copies: this.#copies }
  }

  /** Bytes of rows that are in no file yet. */
  get bytes(): number {
    return this.#bytes
  }

  /** Bytes of the copies that SQL reads of them. */
  get copyBytes(): number {
    return this.#copies.bytes
  }

  /** Number of rows that are in no file yet. */
  get rows(): number {
    let rows = 0
    for (const { memtables } of this.all()) for (const memtable of memtables) rows += memtable.rows
    return rows
  }

  /** Lazily: tables that exist when they are reached. */
  all(): Iterable<TableData> {
    return this.#tables.values()
  }

  /** Undefined while nothing of the table is in memory. For a logical table, that of its physical table. */
  find(table: Table): TableData | undefined {
    return this.#tables.get(this.#catalog.physicalTable(table).id)
  }

  /** The current version of a table, which may have changed since the caller looked it up. */
  current(table: Table): Table {
    const current = this.#catalog.tableById(table.id)
    if (current === undefined) throw new DbError('TableNotFound', `Table not found: ${table.database}.${table.name}`)
    return current
  }

  /** The data of a table, created if needed. */
  getOrCreate(table: Table): TableData {
    const current = this.#catalog.physicalTable(this.current(table))
    let data = this.#tables.get(current.id)
    if (data === undefined) {
      data = new TableData(this.#home, current, (first, max) => this.#catalog.series(current.id, first, max))
      this.#tables.set(current.id, data)
    }
    data.table = current
    return data
  }

  /** Loads and indexes the series of all tables, a few milliseconds at a time, so that first requests need not wait. */
  async loadSeries(signal: AbortSignal): Promise<void> {
    let started = performance.now()
    for (const _ of this.#withSeries(data => data.index())) {
      if (performance.now() - started < loadingTime) continue
      await pause(1)
      if (signal.aborted) return
      started = performance.now()
    }
  }

  /** Loads the series of all tables: those of a request that is not known may belong to any. */
  *load(): Steps<void> {
    if (this.#areLoaded) return
    yield* this.#withSeries(data => data.load())
    // Tables that come later have no series in the catalog.
    this.#areLoaded = true
  }

  *#withSeries(work: (data: TableData) => Steps<unknown>): Steps<void> {
    for (const { id } of this.#catalog.allTables()) {
      const table = this.#catalog.tableById(id)
      if (table !== undefined && hasSeries(table) && this.#catalog.seriesCount(id) > 0)
        yield* work(this.getOrCreate(table))
      yield
    }
  }

  /** Makes the rows of one part of a record readable. Rows of a table that was dropped meanwhile are skipped. */
  apply(seq: number, { table, op, rows, tsids, columns }: Omit<RecordPart, 'series'>): void {
    const data = this.#tables.get(table)
    // A delete for a table that changed to append mode after it was logged is skipped.
    if (data === undefined || (op === 'delete' && data.table.options.append_mode)) return
    const byId = new Map(columns.map(column => [column.id, column.data]))
    this.#bytes += data.add({ rows, seq, op, tsids, columns: byId })
  }

  /** The log refused records, so their series must be logged again. */
  forgetUnconfirmed(): void {
    for (const data of this.#tables.values()) data.forgetUnconfirmed()
  }

  /** Accounts for rows that left memory. */
  release(bytes: number): void {
    this.#bytes -= bytes
    for (const wake of this.#waiting.splice(0)) wake()
  }

  /** Resolves when rows leave memory, or the signal fires. */
  released(signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      this.#waiting.push(resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }

  /** Drops the rows of a table; its series stay. */
  clear(table: Table): void {
    const data = this.#tables.get(table.id)
    if (data === undefined) return
    this.release(data.bytes)
    data.clear()
    data.become(table)
  }

  drop(table: Table): void {
    const data = this.#tables.get(table.id)
    if (data === undefined) return
    this.#tables.delete(table.id)
    this.release(data.bytes)
    data.drop()
  }

  /** Removes spool files that no query used since `time` (milliseconds since 1970). */
  forgetSpooled(time: number, pace: Pace): Promise<void> {
    return eachPaced(pace, this.#tables.values(), data => data.forgetSpooled(time))
  }

  /** Rows with lower sequence numbers are in files, so the log may drop them. */
  oldestSeq(): number {
    let oldest = this.appliedSeq
    for (const data of this.#tables.values()) {
      for (const memtable of data.memtables) oldest = Math.min(oldest, memtable.firstSeq)
    }
    return oldest
  }
}
