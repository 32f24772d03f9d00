// Rows of one table that are not in a file yet: kept here until they are; SQL reads copies of them in the spool.
import type { ColumnData } from '../../../model/batch.ts'
import type { FormerColumn, Table, TableColumn } from '../../../model/table.ts'
import type { ColumnType } from '../../../model/types.ts'
import { isPhysical, mergesFields } from '../../logical.ts'
import { hasSeries, seriesColumns, tableColumn } from '../catalog/logical.ts'
import { concatenate } from '../datafile/column-builder.ts'
import { type FileColumn, storedColumn, toStored } from '../datafile/stored-column.ts'
import { noTags, type SeriesRegistry } from '../series/series.ts'
import { decodeSeries } from '../series/tags.ts'
import type { Spool, SpoolFile } from '../spool/spool.ts'
import { groupsOf, type SpoolPiece } from '../spool/spool-groups.ts'
import { initialData } from './initial.ts'
import { bytesOf, columnBytes } from './row-bytes.ts'
import { pieceBytes, type RowMemory } from './row-memory.ts'
import { isPlain, RowPart } from './row-part.ts'
import { RowTimes, spanOf } from './row-times.ts'
import {
  countRows,
  endOf,
  inPieces,
  pickToSort,
  rowsSince,
  type SortMemory,
  sortedRows,
  sortMemory,
  splitLast,
  withSorted
} from './sort-by-series.ts'

/** Rows of one write or of several, owned by the memtable. */
export interface MemtableRows {
  readonly rows: number
  /** Number of the first row. */
  readonly seq: number
  readonly op: 'put' | 'delete'
  readonly tsids: Uint32Array | undefined
  readonly columns: ReadonlyMap<number, ColumnData>
  /** Absent where rows lie in the order they were written, one number after the other. */
  readonly order?: WriteOrder
  /** They are sorted by series. */
  readonly isSorted?: true
  /** Made when first asked for: most writes hold nothing of what a query wants. */
  bounds?: SampleBounds
}

/** When rows were written that lie in another order, or have gaps between their numbers. */
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

/** Writes that are to become one, sorted by series in memory of its own. */
export interface SortTask {
  readonly writes: readonly MemtableRows[]
  readonly into: SortMemory
}

/** Rows that lie together. */
export interface GroupSpan {
  readonly rows: number
  /** In the time index's unit: none of them is earlier. */
  readonly from: bigint
}

/** Some rows of a memtable as a file of the spool. */
export interface SpooledRows {
  readonly file: SpoolFile
  readonly hidden: readonly HiddenColumn[]
  /** Besides the hidden ones. */
  readonly columns: readonly StoredColumn[]
  /** Together all rows; undefined where their times are not known. */
  readonly spans: readonly GroupSpan[] | undefined
}

/** The rows of a memtable that follow those of the file before. */
interface SpooledRun extends SpooledRows {
  readonly rows: number
  /** Above the number of the last row. */
  readonly endSeq: number
}

/** What memtables need of the engine. */
export interface MemtableHome {
  readonly spool: Spool
  readonly rowMemory: RowMemory
}

/** Files of the spool with more rows are not put together with others. */
const maxMergedRows = 500_000
/** Rows of the spool whose earliest time is known, about. */
const spanRows = 4096

/** One generation of a table's memtable. Sealed ones take no more rows and go once their file is in the catalog. */
export class Memtable {
  /** Number of the first row; everything of this table in the log from here on may be in no file. */
  readonly firstSeq: number
  /** One above the number of the last row. */
  endSeq: number
  readonly createdAt = Date.now()
  /** When the last row came. */
  changedAt = this.createdAt
  rows = 0
  bytes = 0
  /** Hidden columns of its rows in SQL; fixed, since a change of what they depend on starts a new generation. */
  readonly hidden: readonly HiddenColumn[]
  readonly #home: MemtableHome
  readonly #times = new RowTimes()
  /** By the number of a column that changed its type, the number of the column that rows hold in its place. */
  readonly #held = new Map<number, number>()
  #table: Table
  /** In the order they were written; all but the last rows, which are still appended to `#open`. */
  #writes: MemtableRows[] = []
  #open: RowPart | undefined
  /** Copies of the first rows, in the order they were written: how rows lie here does not depend on what the spool has of them. */
  #spooled: readonly SpooledRun[] = []
  /** All memory of parts, the open one's included. */
  #memory: SharedArrayBuffer[] = []
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

  /** What is known of the times of its rows; whether they are distinct only where rows can be versions of one another. */
  get times(): Omit<RowTimes, 'add'> {
    return this.#times
  }

  /** All rows, in the order they were written. */
  get writes(): readonly MemtableRows[] {
    const open = this.#open?.rows
    return [...this.#writes, ...(open ? [open] : [])]
  }

  /** Whether its rows hold every column by the type that these hold it by: a file has one for all its rows. */
  isAlike(table: Table, rows: MemtableRows): boolean {
    return retyped(table, rows).every(([id, held]) => (this.#held.get(id) ?? held) === held)
  }

  add(table: Table, rows: MemtableRows): void {
    this.#table = table
    for (const [id, held] of retyped(table, rows)) this.#held.set(id, held)
    if (isPlain(rows)) this.#append(rows)
    else {
      this.#cut()
      this.#writes.push(rows)
      this.bytes += bytesOf(rows)
    }
    this.changedAt = Date.now()
    this.rows += rows.rows
    this.endSeq = rows.seq + rows.rows
    const times = rows.columns.get(table.timeIndex.id)
    if (table.options.append_mode) this.#times.extend(rows, times)
    else this.#times.add(rows, times)
  }

  #append(rows: MemtableRows): void {
    for (let from = 0; from < rows.rows; ) {
      if (this.#open === undefined || this.#open.isFull || !this.#open.holds(rows.columns)) {
        this.#cut()
        this.#open = new RowPart(this.#home.rowMemory, rows, this.#open)
        this.#memory.push(this.#open.memory)
        this.bytes += rows.columns.size * columnBytes
      }
      const to = this.#open.append(rows, from)
      this.bytes += (to - from) * this.#open.rowBytes
      from = to
    }
  }

  /** What was appended so far takes no more rows. */
  #cut(): void {
    const rows = this.#open?.cut()
    if (rows !== undefined) this.#writes.push(rows)
  }

  /**
   * Writes that are worth sorting by series, of those that begin before a number, and memory for what they become. Until `putSorted` takes
   * it, both are kept for as long as the memtable is pinned. Undefined when nothing is left to do.
   */
  toSort(endSeq = Number.POSITIVE_INFINITY): SortTask | undefined {
    if (this.#dropped) return undefined
    const open = this.#open?.rows
    const picked = pickToSort(this.writes.filter(({ seq }) => seq < endSeq))
    if (picked === undefined) return undefined
    // Rows that come from now on are others.
    if (open !== undefined && picked.includes(open)) this.#cut()
    const split = splitLast(picked)
    if (split !== undefined) this.#writes = this.#writes.flatMap(write => (write === picked.at(-1) ? split : [write]))
    const writes = split === undefined ? picked : picked.with(-1, split[0])
    const take = () => {
      const piece = this.#home.rowMemory.take(pieceBytes)
      this.#memory.push(piece)
      return piece
    }
    return { writes, into: sortMemory(writes, inPieces(take)) }
  }

  /** Rows are where `toSort` said, and span so much: they are one write now. */
  putSorted({ writes, into }: SortTask, bounds: SampleBounds): void {
    this.#writes = withSorted(this.#writes, writes, { ...sortedRows(writes, into), bounds })
    this.#giveBack()
  }

  /** Everything added before the call as files of the spool; `registry` knows the series. They are pinned: who asked for them lets them go. */
  async spool(registry: SeriesRegistry): Promise<readonly SpooledRows[]> {
    this.#spooledAt = Date.now()
    while (this.#spooling) await this.#spooling
    if ((this.#spooled.at(-1)?.endSeq ?? this.firstSeq) < this.endSeq) {
      this.#spooling = this.#spoolRest(registry).finally(() => {
        this.#spooling = undefined
        this.#giveBack()
      })
      await this.#spooling
    }
    const spooled = this.#spooled
    for (const { file } of spooled) file.pin()
    return spooled
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
    const file = await this.#home.spool.write(named.map(storedColumn), () => [group], this.bytes, {
      plain: true,
      level: 0
    })
    file.pin()
    file.drop()
    return { file, hidden: this.hidden, columns: [...columns, ...tags], spans: undefined }
  }

  /** Lets what the spool has go where no query reads it and none asked for it since `time` (milliseconds since 1970). */
  forget(time: number): void {
    if (this.#readers === 0 && this.#spooling === undefined && this.#spooledAt < time) this.#remove()
  }

  pin(): void {
    this.#readers++
  }

  unpin(): void {
    this.#readers--
    if (this.#dropped && this.#readers === 0) this.#remove()
    this.#giveBack()
  }

  /** What the spool has goes as soon as no query reads it. */
  drop(): void {
    this.#dropped = true
    if (this.#readers === 0) this.#remove()
    this.#giveBack()
  }

  /** Memory that holds no row any more goes to others, once nobody can be reading it. */
  #giveBack(): void {
    if (this.#readers > 0 || this.#spooling !== undefined || this.#memory.length === 0) return
    const used = new Set<unknown>(this.#dropped ? [] : this.writes.flatMap(buffersOf))
    if (!this.#dropped) used.add(this.#open?.memory)
    for (const memory of this.#memory) if (!used.has(memory)) this.#home.rowMemory.give(memory)
    this.#memory = this.#memory.filter(memory => used.has(memory))
  }

  #remove(): void {
    for (const { file } of this.#spooled) file.drop()
    this.#spooled = []
  }

  /** Which rows go is fixed together with their columns: rows that come later may have columns that are newer still. */
  async #spoolRest(registry: SeriesRegistry): Promise<void> {
    const owned = isPhysical(this.#table) ? [tableColumn] : []
    const columns = [...owned, ...stored(this.#table)]
    const owners = owned.length > 0 ? registry.owners() : undefined
    this.#cut()
    const { endSeq } = this
    let kept = this.#spooled
    let rows = this.rows - countRows(kept)
    // Small files at the end become part of this one, each row a few times at most.
    while (kept.length > 0 && kept.at(-1)!.rows <= Math.min(rows, maxMergedRows)) {
      rows += kept.at(-1)!.rows
      kept = kept.slice(0, -1)
    }
    const first = kept.at(-1)?.endSeq ?? this.firstSeq
    const writes = this.#writes.filter(write => endOf(write) > first).map(write => rowsSince(write, first))
    const file = await this.#write(writes, columns, owners)
    const replaced = this.#spooled.slice(kept.length)
    const spans = spansOf(writes, this.#table.timeIndex.id)
    this.#spooled = [...kept, { file, hidden: this.hidden, columns, spans, rows, endSeq }]
    for (const { file } of replaced) file.drop()
    if (this.#dropped && this.#readers === 0) this.#remove()
  }

  #write(
    writes: readonly MemtableRows[],
    columns: readonly StoredColumn[],
    owners: Uint32Array | undefined
  ): Promise<SpoolFile> {
    const named = this.#named(columns)
    const expected = writes.reduce((sum, write) => sum + bytesOf(write) + write.rows * 8, 0)
    const groups = () => groupsOf(named, this.#pieces(writes, columns, owners))
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

/** Columns that changed their type, each with the one of its lineage that rows hold, or that is filled in for them. */
function retyped(table: Table, { op, columns }: MemtableRows): [id: number, held: number][] {
  if (op === 'delete') return []
  return table.columns.flatMap(column => {
    if (column.was === undefined) return []
    const all = filledLineage(table, column)
    const held = all.find(({ id }) => columns.has(id)) ?? all.find(({ filled }) => filled !== undefined)
    return held === undefined ? [] : [[column.id, held.id]]
  })
}

/** Rows in the order they were written, some thousand together. */
function spansOf(writes: readonly MemtableRows[], time: number): readonly GroupSpan[] | undefined {
  const spans: GroupSpan[] = []
  let rows = 0
  let first = 0n
  for (const write of writes) {
    const data = write.columns.get(time)
    if (data?.kind !== 'fixed') return undefined
    for (let from = 0; from < write.rows; ) {
      const to = Math.min(write.rows, from + spanRows)
      const { minTime } = spanOf(data, from, to)
      first = rows === 0 || minTime < first ? minTime : first
      rows += to - from
      from = to
      if (rows < spanRows) continue
      spans.push({ rows, from: first })
      rows = 0
    }
  }
  return rows === 0 ? spans : [...spans, { rows, from: first }]
}

/** Whose row each is. */
function ownersOf({ rows, tsids }: MemtableRows, owners: Uint32Array): ColumnData {
  const values = new Uint32Array(rows)
  if (tsids !== undefined) for (let row = 0; row < rows; row++) values[row] = owners[tsids[row]!]!
  return { kind: 'fixed', values }
}

/** The memory that rows of numbers lie in. */
function buffersOf({ tsids, order, columns }: MemtableRows): unknown[] {
  const numbers = Array.from(columns.values(), data => data.kind === 'fixed' && data.values.buffer)
  return [tsids?.buffer, order?.after.buffer, ...numbers]
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

const seriesColumn: HiddenColumn = ['__tsid', 'UInt32']
const orderColumns: readonly HiddenColumn[] = [
  ['__seq', 'UInt64'],
  ['__op', 'UInt8']
]
/** By whether a table has series, and whether later rows replace earlier ones. */
const hiddenKinds: readonly (readonly HiddenColumn[])[] = [
  [],
  orderColumns,
  [seriesColumn],
  [seriesColumn, ...orderColumns]
]

/** Columns the engine adds for itself; they never show. */
export function hiddenColumns(table: Table): readonly HiddenColumn[] {
  return hiddenKinds[2 * Number(hasSeries(table)) + Number(!table.options.append_mode)]!
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
export function filledLineage(table: Table, column: TableColumn): readonly StoredColumn[] {
  const all = lineage(column)
  return all.with(-1, fill(table, column, all.at(-1)!, all))
}

/** A column and those whose values it took over, the newest first. */
export function lineage({ id, physical, type, was = [] }: TableColumn): readonly StoredColumn[] {
  return [{ id, physical, type }, ...was]
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
