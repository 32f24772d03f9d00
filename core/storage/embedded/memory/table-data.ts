// What the engine holds of one table in memory: its memtable generations and its series.
import type { Table } from '../../../model/table.ts'
import { hasSeries } from '../catalog/logical.ts'
import { isRetyped } from '../catalog/retyped.ts'
import type { SeriesEntry, SeriesRun } from '../log/record.ts'
import { LabelIndex } from '../series/label-index.ts'
import { SeriesRegistry } from '../series/series.ts'
import { seriesSince } from '../series/tags.ts'
import type { Follower } from './follower.ts'
import { Memtable, type MemtableHome, type MemtableRows } from './memtable.ts'
import { SeriesTables } from './series-table.ts'

/** Series read without a break: a few milliseconds. */
const seriesAtOnce = 2_000

export class TableData {
  table: Table
  active: Memtable | undefined
  /** Sealed generations waiting for their file, oldest first. */
  sealed: Memtable[] = []
  /** Whoever wants to know of every row from now on. */
  readonly followers = new Set<Follower>()
  readonly #home: MemtableHome
  readonly #seriesFrom: (first: number) => Iterable<SeriesEntry>
  #registry: SeriesRegistry | undefined
  /** While it is read from the catalog. */
  #loading: SeriesRegistry | undefined
  #seriesTables: SeriesTables | undefined
  #labels: LabelIndex | undefined
  /** Series below this number went into some log record; below `durableSeries` into one that was answered. */
  #loggedSeries = 0
  #durableSeries = 0
  /** Series below this number are in the catalog. */
  #savedSeries = 0

  /** `seriesFrom` gives those the catalog has from a number on, ascending. */
  constructor(home: MemtableHome, table: Table, seriesFrom: (first: number) => Iterable<SeriesEntry>) {
    this.#home = home
    this.table = table
    this.#seriesFrom = seriesFrom
  }

  /** All series. What `load` has not read yet is read now. */
  get registry(): SeriesRegistry {
    this.#registry ??= this.#loadAll()
    return this.#registry
  }

  /** Reads some series from the catalog, and makes them known to `labels`; false when there is nothing left to do. */
  load(): boolean {
    if (this.#registry === undefined) {
      if (!this.#loadSome(seriesAtOnce)) return true
      this.#registry = this.#loaded()
    }
    return (
      hasSeries(this.table) && (this.labels.grow(seriesAtOnce) || this.labels.decode(this.table.tags, seriesAtOnce))
    )
  }

  #loadAll(): SeriesRegistry {
    this.#loadSome(Number.POSITIVE_INFINITY)
    return this.#loaded()
  }

  /** Whether these were the last ones. */
  #loadSome(max: number): boolean {
    this.#loading ??= new SeriesRegistry()
    let left = max
    for (const { tsid, key } of this.#seriesFrom(this.#loading.size)) {
      this.#loading.restore(tsid, key)
      if (--left === 0) return false
    }
    return true
  }

  #loaded(): SeriesRegistry {
    const registry = this.#loading!
    this.#loading = undefined
    this.#loggedSeries = this.#durableSeries = this.#savedSeries = registry.size
    return registry
  }

  /** What selects series by their labels; made when first needed. */
  get labels(): LabelIndex {
    this.#labels ??= new LabelIndex(this.registry)
    return this.#labels
  }

  /** Besides the one without tags; undefined where nobody asked for a series yet. */
  get seriesCount(): number | undefined {
    return this.#registry && this.#registry.size - 1
  }

  get seriesTables(): SeriesTables {
    this.#seriesTables ??= new SeriesTables(this.#home.spool, this)
    return this.#seriesTables
  }

  get memtables(): readonly Memtable[] {
    return this.active ? [...this.sealed, this.active] : this.sealed
  }

  get bytes(): number {
    return this.memtables.reduce((sum, memtable) => sum + memtable.bytes, 0)
  }

  /** Series no log record holds yet; the caller puts them into one. */
  takeNewSeries(): SeriesRun {
    const series = this.registry.run(this.#loggedSeries)
    this.#loggedSeries = this.registry.size
    return series
  }

  /** A series found in the log. */
  restoreSeries(tsid: number, key: Uint8Array): void {
    this.registry.restore(tsid, key)
    this.#loggedSeries = this.#durableSeries = this.registry.size
  }

  /** A record with series up to `count` is durable. */
  confirmSeries(count: number): void {
    this.#durableSeries = Math.max(this.#durableSeries, count)
  }

  /** Records were refused: their series must be logged again. */
  forgetUnconfirmed(): void {
    this.#loggedSeries = this.#durableSeries
  }

  /** Series the catalog does not hold, at most so many, and what to call once it does. */
  unsavedSeries(max?: number): { readonly series: readonly SeriesEntry[]; saved(): void } {
    if (!hasSeries(this.table)) return { series: [], saved: () => {} }
    const series = seriesSince(this.registry, this.#savedSeries, max)
    return {
      series,
      saved: () => {
        this.#savedSeries += series.length
      }
    }
  }

  /** Returns how many bytes they take. */
  add(rows: MemtableRows): number {
    if (this.active?.isAlike(this.table, rows) === false) this.seal()
    this.active ??= new Memtable(this.#home, this.table, rows.seq)
    const before = this.active.bytes
    this.active.add(this.table, rows)
    const bytes = this.active.bytes - before
    for (const follower of this.followers) follower.offer(rows, bytes)
    return bytes
  }

  /**
   * Takes on a change of the table. What hidden columns a generation has depends on the tags and on append_mode; and a query that knows a
   * column by its former type must not meet rows that hold it by the new one.
   */
  become(table: Table): void {
    const tagged = hasSeries(this.table) || !hasSeries(table)
    const sameMode = table.options.append_mode === this.table.options.append_mode
    if (!sameMode || !tagged || isRetyped(this.table, table)) this.seal()
    this.table = table
  }

  /** Lets later rows start a new generation. */
  seal(): void {
    if (this.active === undefined) return
    this.sealed.push(this.active)
    this.active = undefined
  }

  /** A memtable of so many bytes takes no more rows, so that it goes to a file of its own. */
  sealFull(bytes: number): void {
    if ((this.active?.bytes ?? 0) >= bytes) this.seal()
  }

  /** Lets go what the spool has that no query reads and none asked for since `time` (milliseconds since 1970). */
  forgetSpooled(time: number): void {
    for (const memtable of this.memtables) memtable.forget(time)
    this.#seriesTables?.forget(time)
  }

  /** Rows go; queries that read them end on what they began with. */
  clear(): void {
    for (const follower of this.followers) follower.clear()
    for (const memtable of this.memtables) memtable.drop()
    this.sealed = []
    this.active = undefined
  }

  drop(): void {
    this.clear()
    this.#seriesTables?.drop()
  }
}
