// Rows of one table that are not in a file yet: kept here until they are; DuckDB has a copy while SQL reads them.
import type { ColumnData } from '../../../model/batch.ts'
import type { FormerColumn, Table, TableColumn } from '../../../model/table.ts'
import type { ColumnType } from '../../../model/types.ts'
import { hasSeries, mergesFields } from '../catalog/logical.ts'
import { type Duckdb, duckdbType, initialValue, quoteName, type RowSource } from '../duckdb/index.ts'
import { noTags } from '../series/series.ts'
import { arrangeSome } from './arrange.ts'
import { initialData } from './initial.ts'
import { bytesOf } from './row-bytes.ts'
import { RowTimes } from './row-times.ts'

/** Rows of one write, owned by the memtable. */
export interface MemtableRows {
  readonly rows: number
  /** Number of the first row. */
  readonly seq: number
  readonly op: 'put' | 'delete'
  readonly tsids: Uint32Array | undefined
  readonly columns: ReadonlyMap<number, ColumnData>
  /** Of rows sorted by series. */
  readonly order?: WriteOrder
  /** Made when first asked for: most writes hold nothing of what a query wants. */
  bounds?: SampleBounds
}

/** The order in which rows were written that lie in another one. */
export interface WriteOrder {
  /** How many rows were written between the first one and each. */
  readonly after: Uint32Array
  /** Above the number of the last row written. */
  readonly endSeq: number
}

/** Series numbers and times rows span. */
export interface SampleBounds {
  readonly first: number
  readonly last: number
  /** No series comes before one with a lower number. */
  readonly ascending: boolean
  /** Where series ascend: every row comes later than the one before it of its series. */
  readonly distinct: boolean
  /** Where series ascend and do not lie far apart: the first row of each from `first` on, and the end. */
  readonly starts?: Uint32Array
  readonly from: number
  readonly to: number
}

/** Rows as SQL reads them. */
export interface RowsInSql {
  /** Name of a table of DuckDB, or what stands for one. */
  readonly from: string
  readonly hidden: readonly HiddenColumn[]
  /** Besides the hidden ones. */
  readonly columns: readonly StoredColumn[]
}

/** One generation of a table's memtable. Sealed ones take no more rows and go once their file is in the catalog. */
export class Memtable {
  /** Number of the first row; everything of this table in the log from here on may be in no file. */
  readonly firstSeq: number
  /** One above the number of the last row. */
  endSeq: number
  readonly createdAt = Date.now()
  rows = 0
  bytes = 0
  /** Hidden columns of its rows in SQL; fixed, since a change of what they depend on starts a new generation. */
  readonly hidden: readonly HiddenColumn[]
  readonly #duckdb: Duckdb
  readonly #times = new RowTimes()
  readonly #name: string
  #table: Table
  /** Rows DuckDB's copy has, then those it lacks; in the order they were written. */
  #copied: readonly MemtableRows[] = []
  #fresh: MemtableRows[] = []
  #copy: RowsInSql | undefined
  #copying: Promise<void> | undefined
  #copyUsedAt = 0
  #readers = 0
  #dropped = false

  constructor(duckdb: Duckdb, table: Table, generation: number, firstSeq: number) {
    this.#duckdb = duckdb
    this.#table = table
    this.#name = `main.mem_${table.id}_${generation}`
    this.firstSeq = firstSeq
    this.endSeq = firstSeq
    this.hidden = hiddenColumns(table)
  }

  /** What is known of the times of its rows; only kept where rows can be versions of one another. */
  get times(): Omit<RowTimes, 'add'> {
    return this.#times
  }

  /** All rows, in the order they were written. */
  get writes(): readonly MemtableRows[] {
    return [...this.#copied, ...this.#fresh]
  }

  /** DuckDB's copy of its rows, as far as one was made. */
  get copy(): RowsInSql | undefined {
    return this.#copy
  }

  add(table: Table, rows: MemtableRows): void {
    this.#table = table
    this.#fresh.push(rows)
    this.rows += rows.rows
    this.bytes += bytesOf(rows)
    this.endSeq = rows.seq + rows.rows
    if (!table.options.append_mode) this.#times.add(rows, rows.columns.get(table.timeIndex.id))
  }

  /** Sorts some rows by series; false when there is nothing left to do. */
  arrange(): boolean {
    const fresh = arrangeSome(this.#fresh)
    if (fresh !== undefined) {
      this.#fresh = fresh
      return true
    }
    // Those on their way into the copy must be found again if they do not arrive.
    const copied = this.#copying === undefined ? arrangeSome(this.#copied) : undefined
    this.#copied = copied ?? this.#copied
    return copied !== undefined
  }

  /** Makes everything added before the call readable in DuckDB. */
  async copyRows(): Promise<void> {
    this.#copyUsedAt = Date.now()
    while (this.#copying) await this.#copying
    if (this.#fresh.length === 0) return
    this.#copying = this.#copyFresh().finally(() => {
      this.#copying = undefined
    })
    await this.#copying
  }

  /** Lets DuckDB's copy go where no query reads it and none asked for it since `time` (milliseconds since 1970). */
  forgetCopy(time: number): void {
    const isUsed = this.#readers > 0 || this.#copying !== undefined || this.#copyUsedAt >= time
    if (this.#copy === undefined || isUsed) return
    this.#fresh = [...this.writes]
    this.#copied = []
    this.#copy = undefined
    this.#copying = this.#dropCopy().finally(() => {
      this.#copying = undefined
    })
  }

  pin(): void {
    this.#readers++
  }

  unpin(): void {
    this.#readers--
    if (this.#dropped && this.#readers === 0) this.#remove()
  }

  /** Frees the memory as soon as no query reads it. */
  drop(): void {
    this.#dropped = true
    if (this.#readers === 0) this.#remove()
  }

  /** `work` gets what stands for all rows. */
  read<T>(work: (rows: RowsInSql) => Promise<T>): Promise<T> {
    const { hidden } = this
    const columns = stored(this.#table)
    return this.#duckdb.withRows(this.#source(this.writes, columns), from => work({ from, hidden, columns }))
  }

  #remove(): void {
    const drop = async () => {
      await this.#copying?.catch(() => {})
      if (this.#copy !== undefined) await this.#dropCopy()
    }
    void drop()
  }

  /** What cannot be dropped because DuckDB is closing goes with it. */
  async #dropCopy(): Promise<void> {
    await this.#duckdb.run(`DROP TABLE IF EXISTS ${this.#name}`).catch(() => {})
  }

  /** Which rows go is fixed together with their columns: rows that come later may have columns that are newer still. */
  async #copyFresh(): Promise<void> {
    const columns = this.#columns()
    const taken = this.#fresh
    const before = this.#copied
    this.#copied = [...before, ...taken]
    this.#fresh = []
    try {
      await this.#define(columns.slice(this.#copy?.columns.length ?? 0))
      const source = this.#source(taken, columns)
      await this.#duckdb.withRows(source, rows => this.#duckdb.run(`INSERT INTO ${this.#name} SELECT * FROM ${rows}`))
    } catch (error) {
      // The statement took all of them or none.
      this.#copied = before
      this.#fresh = [...taken, ...this.#fresh]
      throw error
    }
  }

  /** Those of the copy as the table has them now, then those the copy lacks. */
  #columns(): readonly StoredColumn[] {
    const now = new Map(stored(this.#table).map(column => [column.id, column]))
    const known = (this.#copy?.columns ?? []).map(column => now.get(column.id) ?? column)
    for (const { id } of known) now.delete(id)
    return [...known, ...now.values()]
  }

  /** Creates the copy, or adds the columns the table got since. */
  async #define(missing: readonly StoredColumn[]): Promise<void> {
    const words = (column: StoredColumn) => `${quoteName(column.physical)} ${duckdbType(column.type)}`
    const { hidden } = this
    if (this.#copy === undefined) {
      const names = hidden.map(([name, type]) => `${name} ${duckdbType(type)}`)
      await this.#duckdb.run(`CREATE TABLE ${this.#name} (${[...names, ...missing.map(words)].join(', ')})`)
      this.#copy = { from: this.#name, hidden, columns: missing }
      return
    }
    for (const column of missing) {
      const initial = column.filled === undefined ? '' : ` DEFAULT ${initialValue(column.filled.text, column.type)}`
      await this.#duckdb.run(`ALTER TABLE ${this.#name} ADD COLUMN ${words(column)}${initial}`)
      this.#copy = { ...this.#copy, columns: [...this.#copy.columns, column] }
    }
  }

  #source(writes: readonly MemtableRows[], columns: readonly StoredColumn[]): RowSource {
    return {
      columns: [
        ...this.hidden.map(([name, type]) => ({ name, type })),
        ...columns.map(column => ({ name: column.physical, type: column.type }))
      ],
      batches: writes.map(write => ({
        rows: write.rows,
        columns: [
          ...this.hidden.map(([name]) => hiddenData(name, write)),
          ...columns.map(column => write.columns.get(column.id) ?? leftOut(column, write))
        ]
      }))
    }
  }
}

export type HiddenColumn = readonly ['__tsid' | '__seq' | '__op', ColumnType]

function hiddenData(name: HiddenColumn[0], write: MemtableRows): ColumnData | undefined {
  if (name === '__tsid') return { kind: 'fixed', values: write.tsids ?? new Uint32Array(write.rows).fill(noTags) }
  if (name === '__op') return { kind: 'fixed', values: new Uint8Array(write.rows).fill(write.op === 'delete' ? 1 : 0) }
  return { kind: 'fixed', values: new BigUint64Array(sequenceOf(write).buffer) }
}

/** The number of each row in 64 bits, as words: one bigint a row would cost more than all its columns. */
function sequenceOf({ rows, seq, order }: MemtableRows): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(rows * 2)
  for (let i = 0; i < rows; i++) {
    const number = seq + (order === undefined ? i : order.after[i]!)
    words[2 * i] = number
    words[2 * i + 1] = number / 2 ** 32
  }
  return words
}

/** Columns the engine adds for itself; they never show. */
export function hiddenColumns(table: Table): readonly HiddenColumn[] {
  const series = hasSeries(table) ? ([['__tsid', 'UInt32']] as const) : []
  const order = table.options.append_mode
    ? []
    : ([
        ['__seq', 'UInt64'],
        ['__op', 'UInt8']
      ] as const)
  return [...series, ...order]
}

/** A column as rows in memory have it. */
export interface StoredColumn extends FormerColumn {
  /** What it holds in rows that hold none of the columns `given`, not even a null. */
  readonly filled?: { readonly text: string; readonly given: readonly number[] }
}

/** What rows of a write hold of a column that it leaves out; undefined: nothing. */
export function leftOut({ type, filled }: StoredColumn, { op, rows, columns }: MemtableRows): ColumnData | undefined {
  if (filled === undefined || op === 'delete' || filled.given.some(id => columns.has(id))) return undefined
  return initialData(type, filled.text, rows)
}

/** Columns kept row by row, ascending by id, with those whose values they took over: tags live in the series registry. */
function stored(table: Table): readonly StoredColumn[] {
  return table.columns
    .filter(column => column.semantic !== 'tag')
    .flatMap(column => filledLineage(table, column))
    .sort((a, b) => a.id - b.id)
}

/**
 * A column and those whose values it took over. What was left out is filled in where the first of them, which the initial value was meant
 * for, holds it, so that it is converted as the values are.
 */
function filledLineage(table: Table, column: TableColumn): readonly StoredColumn[] {
  const all = lineage(column)
  return all.with(-1, fill(table, column, all.at(-1)!, all))
}

/** A column and those whose values it took over, the newest first. */
export function lineage({ id, physical, type, was = [] }: TableColumn): readonly StoredColumn[] {
  return [{ id, physical, type }, ...was]
}

/** A column that took over none. */
export function initialOf(table: Table, column: TableColumn): StoredColumn {
  const [own] = lineage(column)
  return fill(table, column, own!, [own!])
}

/** Where fields are merged, what was left out is filled in after that. */
function fill(
  table: Table,
  { initial }: TableColumn,
  column: StoredColumn,
  all: readonly StoredColumn[]
): StoredColumn {
  if (initial === undefined || mergesFields(table)) return column
  return { ...column, filled: { text: initial, given: all.map(each => each.id) } }
}
