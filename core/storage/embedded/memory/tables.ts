// All tables' rows in memory: who holds what, how much it is, and from which number on the log is still needed.
import { DbError } from '../../../errors.ts'
import type { Table } from '../../../model/table.ts'
import { eachPaced, type Pace } from '../../../pace.ts'
import { pause } from '../../../timer.ts'
import type { EmbeddedCatalog } from '../catalog/catalog.ts'
import { hasSeries } from '../catalog/logical.ts'
import type { RecordPart } from '../log/record.ts'
import { KnownSeries } from '../series/known-series.ts'
import type { MemtableHome } from './memtable.ts'
import { TableData } from './table-data.ts'

/** Milliseconds for which series are read without a break. */
const loadingTime = 5

export class OpenTables {
  /** One above the number of the last row that is readable. */
  appliedSeq = 1
  /** What the keys of requests stand for. */
  readonly known = new KnownSeries(table => this.take(table))
  readonly #catalog: EmbeddedCatalog
  readonly #home: MemtableHome
  readonly #tables = new Map<number, TableData>()
  #bytes = 0
  #waiting: (() => void)[] = []

  constructor(catalog: EmbeddedCatalog, home: MemtableHome) {
    this.#catalog = catalog
    this.#home = home
  }

  /** Memory taken by rows that are in no file yet. */
  get bytes(): number {
    return this.#bytes
  }

  /** Rows that are in no file yet. */
  get rows(): number {
    let rows = 0
    for (const { memtables } of this.all()) for (const memtable of memtables) rows += memtable.rows
    return rows
  }

  /** Those there are as they are asked for. */
  all(): Iterable<TableData> {
    return this.#tables.values()
  }

  /** Undefined while nothing of the table is in memory; a logical table's rows are its physical table's. */
  find(table: Table): TableData | undefined {
    return this.#tables.get(this.#catalog.physicalTable(table).id)
  }

  /** A table as it is now: it may have been changed or dropped since the caller looked it up. */
  current(table: Table): Table {
    const current = this.#catalog.tableById(table.id)
    if (current === undefined) throw new DbError('TableNotFound', `Table not found: ${table.database}.${table.name}`)
    return current
  }

  /** Where rows of a table go. */
  take(table: Table): TableData {
    const current = this.#catalog.physicalTable(this.current(table))
    let data = this.#tables.get(current.id)
    if (data === undefined) {
      data = new TableData(this.#home, current, first => this.#catalog.series(current.id, first))
      this.#tables.set(current.id, data)
    }
    data.table = current
    return data
  }

  /** Reads the series of all tables that have files, a few milliseconds at a time, so that the first query of each need not wait. */
  async loadSeries(signal: AbortSignal): Promise<void> {
    let started = performance.now()
    for (const { id } of this.#catalog.allTables()) {
      for (let isLoading = true; isLoading; ) {
        const table = this.#catalog.tableById(id)
        if (signal.aborted || table === undefined || this.#catalog.files(table).length === 0) break
        isLoading = hasSeries(table) && this.take(table).load()
        if (performance.now() - started < loadingTime) continue
        await pause(1)
        started = performance.now()
      }
    }
  }

  /** Makes the rows of a record readable; rows of tables dropped meanwhile go with them. */
  apply(seq: number, parts: readonly Omit<RecordPart, 'series'>[]): void {
    let first = seq
    for (const part of parts) {
      const data = this.#tables.get(part.table)
      // A delete that meets a table which has begun to keep every row comes too late to be refused.
      if (data !== undefined && !(part.op === 'delete' && data.table.options.append_mode)) {
        const columns = new Map(part.columns.map(column => [column.id, column.data]))
        this.#bytes += data.add({ rows: part.rows, seq: first, op: part.op, tsids: part.tsids, columns })
      }
      first += part.rows
    }
  }

  /** Records were refused by the log: their series must be logged again. */
  forgetUnconfirmed(): void {
    for (const data of this.#tables.values()) data.forgetUnconfirmed()
  }

  /** Rows left memory. */
  release(bytes: number): void {
    this.#bytes -= bytes
    for (const wake of this.#waiting.splice(0)) wake()
  }

  /** Resolves when rows leave memory or the signal fires. */
  released(signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      this.#waiting.push(resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }

  /** Lets the rows of a table go; its series stay. */
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

  /** Lets go what the spool has that no query asked for since `time` (milliseconds since 1970). */
  forgetSpooled(time: number, pace: Pace): Promise<void> {
    return eachPaced(pace, this.#tables.values(), data => data.forgetSpooled(time))
  }

  /** Everything below is in files: the log may forget it. */
  oldestSeq(): number {
    let oldest = this.appliedSeq
    for (const data of this.#tables.values()) {
      for (const memtable of data.memtables) oldest = Math.min(oldest, memtable.firstSeq)
    }
    return oldest
  }
}
