// Rows of one table that are not in a file yet: kept here until they are; SQL reads copies of them in the spool.
import type { ColumnData } from '../../../model/batch.ts'
import type { FormerColumn, Table, TableColumn } from '../../../model/table.ts'
import type { ColumnType } from '../../../model/types.ts'
import { hasSeries, isPhysical, mergesFields, seriesColumns, tableColumn } from '../catalog/logical.ts'
import { concatenate } from '../datafile/column-builder.ts'
import { type FileColumn, storedColumn, toStored } from '../datafile/stored-column.ts'
import { noTags, type SeriesRegistry } from '../series/series.ts'
import { decodeSeries } from '../series/tags.ts'
import type { Spool, SpoolFile } from '../spool/spool.ts'
import { groupsOf, type SpoolPiece } from '../spool/spool-groups.ts'
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

/** Some rows of a memtable as a file of the spool. */
export interface SpooledRows {
  readonly file: SpoolFile
  readonly hidden: readonly HiddenColumn[]
  /** Besides the hidden ones. */
  readonly columns: readonly StoredColumn[]
}

interface Part extends SpooledRows {
  readonly rows: number
  writes: readonly MemtableRows[]
}

/** What memtables need of the engine. */
export interface MemtableHome {
  readonly spool: Spool
}

/** Parts of more rows are not put together with others. */
const mostTogether = 500_000

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
  readonly #home: MemtableHome
  readonly #times = new RowTimes()
  #table: Table
  /** Rows the spool has, then those that are on their way there, then those it lacks; in the order they were written. */
  #parts: readonly Part[] = []
  #taken: readonly MemtableRows[] = []
  #fresh: MemtableRows[] = []
  #spooling: Promise<void> | undefined
  #spooledAt = 0
  #readers = 0
  #dropped = false

  constructor(home: MemtableHome, table: Table, firstSeq: number) {
    this.#home = home
    this.#table = table
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
    return [...this.#parts.flatMap(({ writes }) => writes), ...this.#taken, ...this.#fresh]
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
    for (const part of this.#parts) {
      const writes = arrangeSome(part.writes)
      if (writes === undefined) continue
      part.writes = writes
      return true
    }
    return false
  }

  /** Everything added before the call as files of the spool; `registry` knows the series. They are pinned: who asked for them lets them go. */
  async spool(registry: SeriesRegistry): Promise<readonly SpooledRows[]> {
    this.#spooledAt = Date.now()
    while (this.#spooling) await this.#spooling
    if (this.#fresh.length > 0) {
      this.#spooling = this.#spoolFresh(registry).finally(() => {
        this.#spooling = undefined
      })
      await this.#spooling
    }
    const parts = this.#parts
    for (const { file } of parts) file.pin()
    return parts
  }

  /**
   * All rows as one file that is read in the order they were written, with the tags of their series. For few rows. The file is pinned, and
   * goes when it is let go.
   */
  async spoolInOrder(registry: SeriesRegistry): Promise<SpooledRows> {
    const tags = seriesColumns(this.#table)
    const columns = stored(this.#table)
    const named = [...this.#named(columns), ...tags.map(({ physical, type }) => ({ name: physical, type }))]
    const pieces = this.writes.map(write => {
      const series = Array.from(write.tsids ?? [], tsid => ({ tsid, key: registry.key(tsid) }))
      return [...this.#dataOf(write, columns), ...decodeSeries(series, tags)]
    })
    const data = named.map((column, i) => {
      const all = pieces.map((piece, place) => ({ data: piece[i], from: 0, to: this.writes[place]!.rows }))
      return toStored(column, concatenate(column.type, all))
    })
    const group = { from: 0, rows: this.rows, columns: data }
    const file = await this.#home.spool.write(named.map(storedColumn), [group], this.bytes, { plain: true, level: 0 })
    file.pin()
    file.drop()
    return { file, hidden: this.hidden, columns: [...columns, ...tags] }
  }

  /** Lets what the spool has go where no query reads it and none asked for it since `time` (milliseconds since 1970). */
  forget(time: number): void {
    if (this.#readers > 0 || this.#spooling !== undefined || this.#spooledAt >= time) return
    this.#fresh = [...this.writes]
    this.#remove()
  }

  pin(): void {
    this.#readers++
  }

  unpin(): void {
    this.#readers--
    if (this.#dropped && this.#readers === 0) this.#remove()
  }

  /** What the spool has goes as soon as no query reads it. */
  drop(): void {
    this.#dropped = true
    if (this.#readers === 0) this.#remove()
  }

  #remove(): void {
    for (const { file } of this.#parts) file.drop()
    this.#parts = []
  }

  /** Which rows go is fixed together with their columns: rows that come later may have columns that are newer still. */
  async #spoolFresh(registry: SeriesRegistry): Promise<void> {
    const owned = isPhysical(this.#table) ? [tableColumn] : []
    const columns = [...owned, ...stored(this.#table)]
    const owners = owned.length > 0 ? registry.owners() : undefined
    const taken = this.#fresh
    this.#taken = taken
    this.#fresh = []
    let rows = countRows(taken)
    // Small files at the end become part of this one, each row a few times at most.
    const before = this.#parts.length
    let kept = before
    while (kept > 0 && this.#parts[kept - 1]!.rows <= Math.min(rows, mostTogether)) rows += this.#parts[--kept]!.rows
    const together = this.#parts.slice(kept)
    try {
      const writes = [...together.flatMap(part => part.writes), ...taken]
      const file = await this.#write(writes, columns, owners)
      // They may have been sorted meanwhile.
      const sorted = together.flatMap(part => part.writes)
      const part = { file, hidden: this.hidden, columns, rows, writes: [...sorted, ...taken] }
      this.#parts = [...this.#parts.slice(0, kept), part]
      for (const { file } of together) file.drop()
    } catch (error) {
      this.#fresh = [...taken, ...this.#fresh]
      throw error
    } finally {
      this.#taken = []
    }
    if (this.#dropped && this.#readers === 0) this.#remove()
  }

  #write(
    writes: readonly MemtableRows[],
    columns: readonly StoredColumn[],
    owners: Uint32Array | undefined
  ): Promise<SpoolFile> {
    const named = this.#named(columns)
    const expected = writes.reduce((sum, write) => sum + bytesOf(write) + write.rows * 8, 0)
    const groups = groupsOf(named, this.#pieces(writes, columns, owners))
    return this.#home.spool.write(named.map(storedColumn), groups, expected, { plain: true, level: 0 })
  }

  *#pieces(
    writes: readonly MemtableRows[],
    columns: readonly StoredColumn[],
    owners: Uint32Array | undefined
  ): Generator<SpoolPiece> {
    for (const write of writes) {
      const data = this.#dataOf(write, columns)
      if (owners !== undefined) data[this.hidden.length] = ownersOf(write, owners)
      yield { from: 0, rows: write.rows, columns: data }
    }
  }

  #named(columns: readonly StoredColumn[]): FileColumn[] {
    return [
      ...this.hidden.map(([name, type]) => ({ name, type })),
      ...columns.map(({ physical, type }) => ({ name: physical, type }))
    ]
  }

  #dataOf(write: MemtableRows, columns: readonly StoredColumn[]): (ColumnData | undefined)[] {
    return [
      ...this.hidden.map(([name]) => hiddenData(name, write)),
      ...columns.map(column => write.columns.get(column.id) ?? leftOut(column, write))
    ]
  }
}

/** Whose row each is. */
function ownersOf({ rows, tsids }: MemtableRows, owners: Uint32Array): ColumnData {
  const values = new Uint32Array(rows)
  if (tsids !== undefined) for (let row = 0; row < rows; row++) values[row] = owners[tsids[row]!]!
  return { kind: 'fixed', values }
}

function countRows(writes: readonly MemtableRows[]): number {
  return writes.reduce((sum, { rows }) => sum + rows, 0)
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
