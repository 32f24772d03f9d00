// The series registry as tables of DuckDB, so that rows in memory can be joined with their tags.
import type { Table, TableColumn } from '../../../model/table.ts'
import { seriesColumns } from '../catalog/logical.ts'
import { type Duckdb, duckdbType, quoteName } from '../duckdb/index.ts'
import type { SeriesRegistry } from '../series/series.ts'
import { decodeSeries, seriesSince } from '../series/tags.ts'

/** Series handed over between two turns of the event loop. */
const batch = 5_000

/** Number and tags of every series, for one set of tags; it stays while somebody reads it. */
export class SeriesTable {
  readonly name: string
  readonly #duckdb: Duckdb
  readonly #tags: readonly TableColumn[]
  #rows = 0
  #readers = 0
  #dropped = false

  constructor(duckdb: Duckdb, name: string, table: Table) {
    this.#duckdb = duckdb
    this.name = name
    this.#tags = seriesColumns(table)
  }

  /** A tag of the table that came later is null in all of its series. */
  has({ id }: TableColumn): boolean {
    return this.#tags.some(tag => tag.id === id)
  }

  /** Whether it has exactly the tags of a table. */
  fits(table: Table): boolean {
    const tags = seriesColumns(table)
    return tags.length === this.#tags.length && tags.every((tag, i) => isSame(tag, this.#tags[i]!))
  }

  async create(): Promise<void> {
    const columns = this.#tags.map(tag => `${quoteName(tag.physical)} ${duckdbType(tag.type)}`)
    await this.#duckdb.run(`CREATE TABLE ${this.name} (__tsid UINTEGER, ${columns.join(', ')})`)
  }

  /** Takes every series there is at the call. */
  async fill(registry: SeriesRegistry): Promise<void> {
    for (const size = registry.size; this.#rows < size; ) {
      const series = seriesSince(registry, this.#rows, batch)
      const tsids = Uint32Array.from(series, entry => entry.tsid)
      const source = {
        columns: [
          { name: '__tsid', type: 'UInt32' as const },
          ...this.#tags.map(({ physical, type }) => ({ name: physical, type }))
        ],
        batches: [
          {
            rows: series.length,
            columns: [{ kind: 'fixed' as const, values: tsids }, ...decodeSeries(series, this.#tags)]
          }
        ]
      }
      await this.#duckdb.withRows(source, rows => this.#duckdb.run(`INSERT INTO ${this.name} SELECT * FROM ${rows}`))
      this.#rows += series.length
    }
  }

  pin(): void {
    this.#readers++
  }

  unpin(): void {
    this.#readers--
    if (this.#dropped && this.#readers === 0) this.#remove()
  }

  /** Frees it as soon as nobody reads it. */
  drop(): void {
    this.#dropped = true
    if (this.#readers === 0) this.#remove()
  }

  #remove(): void {
    this.#duckdb.run(`DROP TABLE IF EXISTS ${this.name}`).catch(() => {})
  }
}

function isSame(a: TableColumn, b: TableColumn): boolean {
  return a.id === b.id && a.physical === b.physical
}

/** What a mirror shows, as it is at the moment. */
export interface Mirrored {
  readonly table: Table
  readonly registry: SeriesRegistry
}

/** The series of one table. With another set of tags they get another table: whoever reads the old one goes on with it. */
export class SeriesMirror {
  readonly #duckdb: Duckdb
  readonly #mirrored: Mirrored
  #current: SeriesTable | undefined
  #generation = 0
  #turn: Promise<void> = Promise.resolve()

  constructor(duckdb: Duckdb, mirrored: Mirrored) {
    this.#duckdb = duckdb
    this.#mirrored = mirrored
  }

  /** Holds every series there was at the last call of `sync` that has ended; undefined before the first one. */
  get current(): SeriesTable | undefined {
    return this.#current
  }

  /** Brings it up to date. */
  sync(): Promise<void> {
    const next = this.#turn.then(() => this.#sync())
    this.#turn = next.catch(() => {})
    return next
  }

  /** Runs work over the series there are. */
  async read<T>(work: (series: SeriesTable) => Promise<T>): Promise<T> {
    await this.sync()
    const series = this.#current!
    series.pin()
    try {
      return await work(series)
    } finally {
      series.unpin()
    }
  }

  async drop(): Promise<void> {
    await this.#turn
    this.#current?.drop()
  }

  async #sync(): Promise<void> {
    const { table, registry } = this.#mirrored
    const before = this.#current
    if (before?.fits(table)) return before.fill(registry)
    const series = new SeriesTable(this.#duckdb, `main.series_${table.id}_${this.#generation++}`, table)
    try {
      await series.create()
      await series.fill(registry)
    } catch (error) {
      series.drop()
      throw error
    }
    this.#current = series
    before?.drop()
  }
}
