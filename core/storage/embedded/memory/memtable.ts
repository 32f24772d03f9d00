// A memtable: the rows of one table that are in no file yet. SQL reads copies of them in the spool.
import type { ColumnData } from '../../../model/batch.ts'
import type { FormerColumn, Table, TableColumn } from '../../../model/table.ts'
import type { ColumnType } from '../../../model/types.ts'
import { Pace } from '../../../pace.ts'
import { isPhysical, mergesFields } from '../../logical.ts'
import { hasSeries, seriesColumns, tableColumn } from '../catalog/logical.ts'
import { concatenate } from '../datafile/column-builder.ts'
import { type FileColumn, storedColumn, toStored } from '../datafile/stored-column.ts'
import { CellCounter, minCountRows } from '../index/count-cells.ts'
import { noTags, type SeriesRegistry } from '../series/series.ts'
import { decodeTags } from '../series/tags.ts'
import type { Spool, SpoolFile } from '../spool/spool.ts'
import { type SpoolCounts, writeSpoolCounts } from '../spool/spool-counts.ts'
import { groupsOf, type SpoolPiece } from '../spool/spool-groups.ts'
import { initialData } from './initial.ts'
import { bytesOf, columnBytes } from './row-bytes.ts'
import { pieceBytes, type RowMemory } from './row-memory.ts'
import { RowPart } from './row-part.ts'
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

/** Rows of one or several writes, owned by the memtable. */
export interface MemtableRows {
  readonly rows: number
  /** Sequence number of the first row. */
  readonly seq: number
  readonly op: 'put' | 'delete'
  readonly tsids: Uint32Array | undefined
  readonly columns: ReadonlyMap<number, ColumnData>
  /** Absent if rows are in write order with consecutive sequence numbers. */
  readonly order?: WriteOrder
  /** Sorted by series. */
  readonly isSorted?: true
  /** Computed when first needed, because most writes hold nothing a query wants. */
  bounds?: SampleBounds
}

/** The sequence numbers of rows that are not in write order, or have gaps. */
export interface WriteOrder {
  /** By row: its sequence number minus that of the first row. */
  readonly after: Uint32Array
  /** One above the last row's sequence number. */
  readonly endSeq: number
}

/** The ranges of series numbers and times of some rows. */
export interface SampleBounds {
  readonly first: number
  readonly last: number
  /** Rows are sorted by series number. */
  readonly ascending: boolean
  /** If ascending: within each series, times ascend strictly. */
  readonly distinct: boolean
  /** If ascending and dense: the first row of each series from `first` on, then the end. */
  readonly starts?: Uint32Array
  readonly from: number
  readonly to: number
}

/** Writes that become one, sorted by series into its own memory. */
export interface SortTask {
  readonly writes: readonly MemtableRows[]
  readonly into: SortMemory
}

/** Some adjacent rows. */
export interface GroupSpan {
  readonly rows: number
  /** No row is earlier; in the time index's unit. */
  readonly from: bigint
}

/** Rows of a memtable as a file of the spool. */
export interface SpooledRows {
  readonly file: SpoolFile
  readonly hidden: readonly HiddenColumn[]
  /** Without the hidden columns. */
  readonly columns: readonly StoredColumn[]
  /** Cover all rows; undefined if their times are unknown. */
  readonly spans: readonly GroupSpan[] | undefined
  /** Counts of the rows by a column, for those that were asked for; undefined: it has too many values. */
  readonly counts: ReadonlyMap<number, SpoolCounts | undefined>
}

/** All files of some rows. */
export function filesOf(rows: readonly SpooledRows[]): SpoolFile[] {
  return rows.flatMap(({ file, counts }) => [file, ...[...counts.values()].flatMap(each => each?.file ?? [])])
}

/** The rows that follow those of the previous spool file. */
interface SpooledRun extends SpooledRows {
  readonly rows: number
  /** Ids of the columns that were asked for; undefined: all. */
  readonly asked: ReadonlySet<number> | undefined
  /** One above the last row's sequence number. */
  readonly endSeq: number
  readonly counts: Map<number, SpoolCounts | undefined>
}

/** What a statement reads of the rows. */
export interface AskedRows {
  /** Ids of columns; undefined: all. */
  readonly columns?: ReadonlySet<number> | undefined
  /** Ids of columns by whose values it may count rows, 0: it may count all; where there are enough rows. */
  readonly counted: ReadonlySet<number>
}

/** Parts of the engine that memtables use. */
export interface MemtableHome {
  readonly spool: Spool
  readonly rowMemory: RowMemory
  /** Of all memtables together. */
  readonly copies: RowCopies
}

/** Copies of rows that are in no file yet, for SQL. */
export interface RowCopies {
  bytes: number
}

/** Spool files with more rows are not merged. */
const maxMergedRows = 500_000
/** Approximate rows per `GroupSpan` of the spool. */
const spanRows = 4096

const askedAll: AskedRows = { counted: new Set() }

/** One generation of a table's memtable. A sealed one takes no more rows; it is dropped once its file is in the catalog. */
export class Memtable {
  /** Sequence number of the first row; log records of this table from here on may still be needed. */
  readonly firstSeq: number
  /** One above the last row's sequence number. */
  endSeq: number
  readonly createdAt = Date.now()
  /** When the last row came; the creation time if none did. */
  changedAt = this.createdAt
  rows = 0
  bytes = 0
  /** The hidden columns of its rows in SQL. They never change: a change of the table that affects them starts a new generation. */
  readonly hidden: readonly HiddenColumn[]
  readonly #home: MemtableHome
  readonly #times: RowTimes
  /** For a column whose type changed: the former column that its rows hold instead, by id. */
  readonly #held = new Map<number, number>()
  #table: Table
  /** In write order; without the last rows, which are still being appended to `#open`. All lie in memory that threads share. */
  #writes: MemtableRows[] = []
  #open: RowPart | undefined
  /** Copies of the first rows, in write order; independent of how rows are sorted here. */
  #spooled: readonly SpooledRun[] = []
  /** The memory of all parts, including the open one. */
  #memory: SharedArrayBuffer[] = []
  #spooling: Promise<void> | undefined
  #spooledAt = 0
  #readers = 0
  #dropped = false

  constructor(home: MemtableHome, table: Table, firstSeq: number) {
    this.#home = home
    this.#table = table
    this.#times = new RowTimes(table.timeIndex.type)
    this.firstSeq = firstSeq
    this.endSeq = firstSeq
    this.hidden = hiddenColumns(table)
  }

  /** Facts of the times of its rows; `areDistinct` and `areMicros` only for tables with versions. */
  get times(): Omit<RowTimes, 'add'> {
    return this.#times
  }

  /** All rows, in write order. */
  get writes(): readonly MemtableRows[] {
    const open = this.#open?.rows
    return [...this.#writes, ...(open ? [open] : [])]
  }

  /** Whether its rows and these hold every column in the same type, because a file has one type per column. */
  isAlike(table: Table, rows: MemtableRows): boolean {
    return retyped(table, rows).every(([id, held]) => (this.#held.get(id) ?? held) === held)
  }

  add(table: Table, rows: MemtableRows): void {
    this.#table = table
    for (const [id, held] of retyped(table, rows)) this.#held.set(id, held)
    this.#append(rows)
    this.bytes += bytesOf(rows)
    this.changedAt = Date.now()
    this.rows += rows.rows
    this.endSeq = rows.seq + rows.rows
    const times = rows.columns.get(table.timeIndex.id)
    if (table.options.append_mode) this.#times.extend(rows, times)
    else this.#times.add(rows, times)
  }

  #append(rows: MemtableRows): void {
    for (let from = 0; from < rows.rows; ) {
      if (this.#open === undefined || this.#open.isFull || !this.#open.holds(rows)) {
        this.#cut()
        this.#open = new RowPart(this.#home.rowMemory, rows, from, this.#open)
        this.#memory.push(this.#open.memory)
        this.bytes += rows.columns.size * columnBytes
      }
      from = this.#open.append(rows, from)
    }
  }

  /** Closes the open part; later rows start a new one. */
  #cut(): void {
    const rows = this.#open?.cut()
    if (rows !== undefined) this.#writes.push(rows)
  }

  /**
   * Writes worth sorting by series, of those before a sequence number, with memory for the result. Both are kept while the memtable is
   * pinned, until `putSorted`. Undefined if nothing is left to do.
   */
  toSort(endSeq = Number.POSITIVE_INFINITY): SortTask | undefined {
    if (this.#dropped) return undefined
    const open = this.#open?.rows
    const picked = pickToSort(this.writes.filter(({ seq }) => seq < endSeq))
    if (picked === undefined) return undefined
    // Later rows must not become part of it.
    if (open !== undefined && picked.includes(open)) this.#cut()
    const split = splitLast(picked)
    if (split !== undefined) this.#writes = this.#writes.flatMap(write => (write === picked.at(-1) ? split : [write]))
    const writes = split === undefined ? picked : picked.with(-1, split[0])
    const take = () => {
      const piece = this.#home.rowMemory.acquire(pieceBytes)
      this.#memory.push(piece)
      return piece
    }
    return { writes, into: sortMemory(writes, inPieces(take)) }
  }

  /** Replaces the writes of a task by their sorted rows, whose bounds are given. */
  putSorted({ writes, into }: SortTask, bounds: SampleBounds): void {
    this.#writes = withSorted(this.#writes, writes, { ...sortedRows(writes, into), bounds })
    this.#giveBack()
  }

  /**
   * Everything added before the call, as spool files with the columns asked for and those whose values they took over, maybe others, and their
   * counts; `registry` knows the series. The caller must unpin the files.
   */
  async spool(registry: SeriesRegistry, asked: AskedRows = askedAll): Promise<readonly SpooledRows[]> {
    this.#spooledAt = Date.now()
    while (this.#spooling) await this.#spooling
    this.#spooling = this.#copy(registry, asked).finally(() => {
      this.#spooling = undefined
      this.#giveBack()
    })
    await this.#spooling
    // Other statements may count them by more columns later.
    const spooled = this.#spooled.map(run => ({ ...run, counts: new Map(run.counts) }))
    for (const file of filesOf(spooled)) file.pin()
    return spooled
  }

  async #copy(registry: SeriesRegistry, { columns, counted }: AskedRows): Promise<void> {
    const last = this.#spooled.at(-1)
    const isLacking = last !== undefined && !hasAll(last.asked, columns)
    if (isLacking || (last?.endSeq ?? this.firstSeq) < this.endSeq) {
      // Where statements ask for different columns, rows are copied once more, with all of them.
      const copied = last === undefined ? columns : isLacking ? undefined : last.asked
      await this.#spoolRest(registry, copied, isLacking ? [] : this.#spooled)
    }
    await this.#countRows(counted)
    if (this.#dropped && this.#readers === 0) this.#remove()
  }

  /** All rows as one file in write order, with the tags of their series; for few rows. The file is pinned, and removed when unpinned. */
  async spoolInOrder(registry: SeriesRegistry): Promise<SpooledRows> {
    const tags = seriesColumns(this.#table)
    const columns = stored(this.#table)
    const named = [...this.#named(columns), ...tags.map(({ physical, type }) => ({ name: physical, type }))]
    const pieces = this.writes.map(write => [
      ...this.#dataOf(write, columns),
      ...decodeTags(registry, write.tsids ?? new Uint32Array(0), tags)
    ])
    const data = named.map((column, i) => {
      const all = pieces.map((piece, index) => ({ data: piece[i], from: 0, to: this.writes[index]!.rows }))
      return toStored(column, concatenate(column.type, all))
    })
    const group = { from: 0, rows: this.rows, columns: data }
    const file = await this.#home.spool.write(named.map(storedColumn), () => [group], this.bytes, {
      plain: true,
      level: 0
    })
    file.pin()
    file.drop()
    return { file, hidden: this.hidden, columns: [...columns, ...tags], spans: undefined, counts: new Map() }
  }

  /** Removes spool files that no query reads and none used since `time` (milliseconds since 1970). */
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

  /** Removes the spool files as soon as no query reads them. */
  drop(): void {
    // A query may read its copies for long; no flush frees them.
    this.#count(this.#spooled, -1)
    this.#dropped = true
    if (this.#readers === 0) this.#remove()
    this.#giveBack()
  }

  /** Returns memory without rows for reuse, once no reader can be using it. */
  #giveBack(): void {
    if (this.#readers > 0 || this.#spooling !== undefined || this.#memory.length === 0) return
    const used = new Set<unknown>(this.#dropped ? [] : this.writes.flatMap(buffersOf))
    if (!this.#dropped) used.add(this.#open?.memory)
    for (const memory of this.#memory) if (!used.has(memory)) this.#home.rowMemory.give(memory)
    this.#memory = this.#memory.filter(memory => used.has(memory))
  }

  #remove(): void {
    this.#count(this.#spooled, -1)
    for (const file of filesOf(this.#spooled)) file.drop()
    this.#spooled = []
  }

  #count(copies: readonly SpooledRun[], sign: 1 | -1): void {
    if (!this.#dropped) for (const { bytes } of filesOf(copies)) this.#home.copies.bytes += sign * bytes
  }

  /** Copies the rows after those of the files `kept`. Fixes rows and columns together: rows added later may have newer columns. */
  async #spoolRest(
    registry: SeriesRegistry,
    asked: ReadonlySet<number> | undefined,
    kept: readonly SpooledRun[]
  ): Promise<void> {
    const owned = isPhysical(this.#table) ? [tableColumn] : []
    const columns = [...owned, ...stored(this.#table, asked)]
    const owners = owned.length > 0 ? registry.owners() : undefined
    this.#cut()
    const { endSeq } = this
    let rows = this.rows - countRows(kept)
    // Small files at the end are merged into this one; each row is copied a few times at most.
    while (kept.length > 0 && kept.at(-1)!.rows <= Math.min(rows, maxMergedRows)) {
      rows += kept.at(-1)!.rows
      kept = kept.slice(0, -1)
    }
    const first = kept.at(-1)?.endSeq ?? this.firstSeq
    const writes = this.#writes.filter(write => endOf(write) > first).map(write => rowsSince(write, first))
    const file = await this.#write(writes, columns, owners)
    const replaced = this.#spooled.slice(kept.length)
    const spans = spansOf(writes, this.#table.timeIndex.id)
    const run = { file, hidden: this.hidden, columns, spans, counts: new Map(), rows, endSeq, asked }
    this.#spooled = [...kept, run]
    this.#count([run], 1)
    this.#count(replaced, -1)
    for (const file of filesOf(replaced)) file.drop()
  }

  #write(
    writes: readonly MemtableRows[],
    columns: readonly StoredColumn[],
    owners: Uint32Array | undefined
  ): Promise<SpoolFile> {
    const named = this.#named(columns)
    const expected = writes.reduce((sum, write) => sum + bytesOf(write, columns) + write.rows * 8, 0)
    const groups = () => groupsOf(named, this.#pieces(writes, columns, owners))
    return this.#home.spool.write(named.map(storedColumn), groups, expected, { plain: true, level: 0 })
  }

  /** Counts the rows of copies by the values of columns, 0 for all rows, where that was not tried yet. */
  async #countRows(columns: ReadonlySet<number>): Promise<void> {
    const pace = new Pace()
    let first = this.firstSeq
    for (const run of this.#spooled) {
      const writes = this.#writes.filter(write => write.seq >= first && endOf(write) <= run.endSeq)
      first = run.endSeq
      for (const id of columns) {
        if (run.rows < minCountRows || run.counts.has(id)) continue
        const counts = await this.#countBy(id, writes, run.rows, pace)
        run.counts.set(id, counts)
        if (counts !== undefined && !this.#dropped) this.#home.copies.bytes += counts.file.bytes
      }
    }
  }

  async #countBy(
    id: number,
    writes: readonly MemtableRows[],
    rows: number,
    pace: Pace
  ): Promise<SpoolCounts | undefined> {
    const { timeIndex } = this.#table
    const time = { name: timeIndex.physical, type: timeIndex.type }
    const counter = new CellCounter(rows, storedColumn(time), [id])
    for (const { rows, columns } of writes) {
      counter.add({ rows, times: toStored(time, columns.get(timeIndex.id)!), column: id => columns.get(id) })
      if (counter.isOver) return undefined
      if (pace.isDue) await pace.pause()
    }
    const cells = counter.finish().get(id)
    return cells && writeSpoolCounts(this.#home.spool, id, cells)
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

/** Whether columns that were asked for include those that are; undefined: all. */
function hasAll(were: ReadonlySet<number> | undefined, are: ReadonlySet<number> | undefined): boolean {
  return were === undefined || (are !== undefined && [...are].every(id => were.has(id)))
}

/** Columns whose type changed, with the former column that the rows hold, or that is filled in for them. */
function retyped(table: Table, { op, columns }: MemtableRows): [id: number, held: number][] {
  if (op === 'delete') return []
  return table.columns.flatMap(column => {
    if (column.was === undefined) return []
    const all = filledLineage(table, column)
    const held = all.find(({ id }) => columns.has(id)) ?? all.find(({ filled }) => filled !== undefined)
    return held === undefined ? [] : [[column.id, held.id]]
  })
}

/** Adjacent rows in write order, some thousand each. */
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

/** The logical table of each row. */
function ownersOf({ rows, tsids }: MemtableRows, owners: Uint32Array): ColumnData {
  const values = new Uint32Array(rows)
  if (tsids !== undefined) for (let row = 0; row < rows; row++) values[row] = owners[tsids[row]!]!
  return { kind: 'fixed', values }
}

/** The memory that rows lie in. */
function buffersOf({ tsids, order, columns }: MemtableRows): unknown[] {
  const values = Array.from(columns.values(), data => {
    if (data.kind === 'fixed') return data.values.buffer
    return data.kind === 'bytes' ? data.offsets.buffer : data.codes.buffer
  })
  return [tsids?.buffer, order?.after.buffer, ...values]
}

export type HiddenColumn = readonly ['__tsid' | '__seq' | '__op', ColumnType]

function hiddenData(name: HiddenColumn[0], write: MemtableRows): ColumnData | undefined {
  if (name === '__tsid') return { kind: 'fixed', values: write.tsids ?? new Uint32Array(write.rows).fill(noTags) }
  if (name === '__op') return { kind: 'fixed', values: new Uint8Array(write.rows).fill(write.op === 'delete' ? 1 : 0) }
  return { kind: 'fixed', values: new BigUint64Array(sequenceOf(write).buffer) }
}

/** The 64-bit sequence numbers as words, because a bigint per row would cost more than all columns. */
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
/** Indexed by whether a table has series, and whether it has versions. */
const hiddenKinds: readonly (readonly HiddenColumn[])[] = [
  [],
  orderColumns,
  [seriesColumn],
  [seriesColumn, ...orderColumns]
]

/** Columns that the engine adds; users never see them. */
export function hiddenColumns(table: Table): readonly HiddenColumn[] {
  return hiddenKinds[2 * Number(hasSeries(table)) + Number(!table.options.append_mode)]!
}

/** A column as memtables hold it. */
export interface StoredColumn extends FormerColumn {
  /** The value in rows that have none of the columns `given`, not even as null. */
  readonly filled?: { readonly text: string; readonly given: readonly number[] }
}

/** The value of a column that a write leaves out; undefined: null. */
export function leftOut({ type, filled }: StoredColumn, { op, rows, columns }: MemtableRows): ColumnData | undefined {
  if (filled === undefined || op === 'delete' || filled.given.some(id => columns.has(id))) return undefined
  return initialData(type, filled.text, rows)
}

/**
 * Columns that are stored row by row, ascending by id, including those whose values they took over; only the ones asked for, where `asked` is
 * given. Without tags, which are in the series registry.
 */
function stored(table: Table, asked?: ReadonlySet<number>): readonly StoredColumn[] {
  return table.columns
    .filter(
      column => column.semantic !== 'tag' && (asked === undefined || lineage(column).some(({ id }) => asked.has(id)))
    )
    .flatMap(column => filledLineage(table, column))
    .sort((a, b) => a.id - b.id)
}

/**
 * A column and the ones whose values it took over. The initial value is filled in at the first of them, for which it was given, so that it is
 * converted like other values.
 */
export function filledLineage(table: Table, column: TableColumn): readonly StoredColumn[] {
  const all = lineage(column)
  return all.with(-1, fill(table, column, all.at(-1)!, all))
}

/** A column and the ones whose values it took over, the latest first. */
function lineage({ id, physical, type, was = [] }: TableColumn): readonly StoredColumn[] {
  return [{ id, physical, type }, ...was]
}

/** With merged fields, initial values are filled in after the merge. */
function fill(
  table: Table,
  { initial }: TableColumn,
  column: StoredColumn,
  all: readonly StoredColumn[]
): StoredColumn {
  if (initial === undefined || mergesFields(table)) return column
  return { ...column, filled: { text: initial, given: all.map(each => each.id) } }
}
