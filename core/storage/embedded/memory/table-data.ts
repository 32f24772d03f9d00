// The data of one table in memory: its memtable generations and its series.
import type { Table } from '../../../model/table.ts'
import { runAtOnce, type Steps } from '../../../pace.ts'
import { hasSeries } from '../catalog/logical.ts'
import { isRetyped } from '../catalog/retyped.ts'
import type { SeriesEntry, SeriesRun } from '../log/record.ts'
import { LabelIndex } from '../series/label-index.ts'
import { SeriesRegistry } from '../series/series.ts'
import { seriesSince } from '../series/tags.ts'
import type { Follower } from './follower.ts'
import { Memtable, type MemtableHome, type MemtableRows } from './memtable.ts'
import { SeriesTables } from './series-table.ts'

/** Series read in one step. */
const seriesAtOnce = 500

export class TableData {
  table: Table
  active: Memtable | undefined
  /** Sealed generations that wait for their file, oldest first. */
  sealed: Memtable[] = []
  /** Live tails that get every new row. */
  readonly followers = new Set<Follower>()
  readonly #home: MemtableHome
  readonly #seriesFrom: (first: number, max: number) => readonly SeriesEntry[]
  #registry: SeriesRegistry | undefined
  /** While it is read from the catalog. */
  #loading: SeriesRegistry | undefined
  #seriesTables: SeriesTables | undefined
  #labels: LabelIndex | undefined
  /** Lower series numbers are in some log record; below `durableSeries`, in a durable one. */
  #loggedSeries = 0
  #durableSeries = 0
  /** Lower series numbers are in the catalog. */
  #savedSeries = 0

  /** `seriesFrom` returns up to `max` series of the catalog from a number on, ascending. */
  constructor(home: MemtableHome, table: Table, seriesFrom: (first: number, max: number) => readonly SeriesEntry[]) {
    this.#home = home
    this.table = table
    this.#seriesFrom = seriesFrom
  }

  /** All series. Whoever does not come from `load` waits here until all of them are read, which holds the event loop. */
  get registry(): SeriesRegistry {
    return this.#registry ?? runAtOnce(this.load())
  }

  /** All series, read from the catalog where nobody has yet. Several may do so side by side. */
  *load(): Steps<SeriesRegistry> {
    for (;;) {
      if (this.#registry !== undefined) return this.#registry
      this.#loading ??= new SeriesRegistry()
      const some = this.#seriesFrom(this.#loading.size, seriesAtOnce)
      for (const { tsid, key } of some) this.#loading.restore(tsid, key)
      if (some.length < seriesAtOnce) {
        this.#loggedSeries = this.#durableSeries = this.#savedSeries = this.#loading.size
        this.#registry = this.#loading
        this.#loading = undefined
      } else yield
    }
  }

  /** Indexes the tags of all series, so that the first query need not. */
  *index(): Steps<void> {
    yield* this.load()
    if (!hasSeries(this.table)) return
    yield* this.labels.grow()
    yield* this.labels.decode(this.table.tags)
  }

  /** The label index; made when first needed. */
  get labels(): LabelIndex {
    this.#labels ??= new LabelIndex(this.registry)
    return this.#labels
  }

  /** Without the series without tags; undefined before anybody needed the series. */
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

  /** Series that no log record holds yet; the caller must log them. */
  takeNewSeries(): SeriesRun {
    const series = this.registry.run(this.#loggedSeries)
    this.#loggedSeries = this.registry.size
    return series
  }

  /** Restores a series found in the log. */
  restoreSeries(tsid: number, key: Uint8Array): void {
    this.registry.restore(tsid, key)
    this.#loggedSeries = this.#durableSeries = this.registry.size
  }

  /** A record with series up to `count` is durable. */
  confirmSeries(count: number): void {
    this.#durableSeries = Math.max(this.#durableSeries, count)
  }

  /** The log refused records, so their series must be logged again. */
  forgetUnconfirmed(): void {
    this.#loggedSeries = this.#durableSeries
  }

  /** Up to `max` series that the catalog does not hold, and a function to call once it does. */
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

  /** Returns the bytes they take. */
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
   * Applies a change of the table. Starts a new generation if the hidden columns change (they depend on tags and append_mode) or a column
   * changes its type, because a memtable holds a column in one type.
   */
  become(table: Table): void {
    const tagged = hasSeries(this.table) || !hasSeries(table)
    const sameMode = table.options.append_mode === this.table.options.append_mode
    if (!sameMode || !tagged || isRetyped(this.table, table)) this.seal()
    this.table = table
  }

  /** Ends the generation; later rows start a new one. */
  seal(): void {
    if (this.active === undefined) return
    this.sealed.push(this.active)
    this.active = undefined
  }

  /** Seals the memtable if it has so many bytes. */
  sealFull(bytes: number): void {
    if ((this.active?.bytes ?? 0) >= bytes) this.seal()
  }

  /** Removes spool files that no query reads and none used since `time` (milliseconds since 1970). */
  forgetSpooled(time: number): void {
    for (const memtable of this.memtables) memtable.forget(time)
    this.#seriesTables?.forget(time)
  }

  /** Drops all rows; running queries keep theirs. */
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
