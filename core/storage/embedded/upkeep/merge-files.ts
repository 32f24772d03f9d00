// A compaction, in the thread of the upkeep: files whose rows are sorted are read page by page, merged and written as one.
import type { ColumnData, FixedData } from '../../../model/batch.ts'
import { concatenate, type Piece } from '../datafile/column-builder.ts'
import { groupTextBytes } from '../datafile/row-group.ts'
import type { FileColumn } from '../datafile/stored-column.ts'
import { initialData } from '../memory/initial.ts'
import { InputFile } from './input-file.ts'
import { type FileLayout, SortedFile, type SortedFileFacts, type SortedRows } from './sorted-file.ts'

export interface MergeInput {
  readonly path: string
  /** The sequence number of rows that have none of their own. */
  readonly maxSeq: number
  readonly hasOrder: boolean
  /** Which of the columns it holds. */
  readonly holds: readonly boolean[]
}

export interface MergeTask {
  readonly layout: FileLayout
  readonly inputs: readonly MergeInput[]
  /** By column: its value in rows of files without it, as text that the type reads; undefined: null. */
  readonly initial: readonly (string | undefined)[]
  /** Rows before it, in the time index's unit, are left out. */
  readonly cutoff: bigint | undefined
  /** Of a physical table: the only logical tables whose rows stay. */
  readonly only: readonly number[] | undefined
}

/** Bytes of decoded texts that are kept of all files together. */
const keptBytes = 64 * 2 ** 20

/** Rows are in an order that a merge cannot rely on: somebody else has to sort them. */
export class UnsortedInput extends Error {}

const tsid: FileColumn = { name: '__tsid', type: 'UInt32' }
const owner: FileColumn = { name: '__table', type: 'UInt32' }
const seq: FileColumn = { name: '__seq', type: 'UInt64' }
const op: FileColumn = { name: '__op', type: 'UInt8' }

/** Writes the file; undefined where no row is left. `rest` runs after every row group. Leaves no file where it throws. */
export async function mergeFiles(task: MergeTask, rest: () => Promise<void>): Promise<SortedFileFacts | undefined> {
  const file = new SortedFile(task.layout)
  const cursors: Cursor[] = []
  try {
    for (const [i, input] of task.inputs.entries())
      cursors.push(new Cursor(task.layout, input, i, keptBytes / task.inputs.length))
    const merge = new Merge(task, cursors)
    for (let rows = merge.next(); rows !== undefined; rows = merge.next()) {
      for (const _ of file.write(rows)) await rest()
    }
    return file.finish()
  } catch (error) {
    file.abandon()
    throw error
  } finally {
    for (const { file } of cursors) file.close()
  }
}

/** The keys that rows are sorted by, row after row. */
interface Keys {
  readonly tsids: Uint32Array | undefined
  readonly owners: Uint32Array | undefined
  /** As words, the low one first. */
  readonly times: Int32Array
  readonly seqs: Float64Array | undefined
  /** Where there are no `seqs`. */
  readonly seq: number
}

function compare(a: Keys, i: number, b: Keys, j: number): number {
  if (a.owners !== undefined && a.owners[i] !== b.owners![j]) return a.owners[i]! - b.owners![j]!
  if (a.tsids !== undefined && a.tsids[i] !== b.tsids![j]) return a.tsids[i]! - b.tsids![j]!
  const high = a.times[2 * i + 1]! - b.times[2 * j + 1]!
  if (high !== 0) return high
  const low = (a.times[2 * i]! >>> 0) - (b.times[2 * j]! >>> 0)
  return low !== 0 ? low : (a.seqs?.[i] ?? a.seq) - (b.seqs?.[j] ?? b.seq)
}

/** The next row of a file, with the keys of some that follow. */
class Cursor implements Keys {
  readonly file: InputFile
  readonly input: MergeInput
  readonly number: number
  readonly seq: number
  tsids: Uint32Array | undefined
  owners: Uint32Array | undefined
  times: Int32Array = new Int32Array(0)
  seqs: Float64Array | undefined
  ops: Uint8Array | undefined
  /** Of the next row: its number in the file, and its index among the keys. */
  row = 0
  at = 0
  /** Where the window under way began. */
  first = 0
  #known = 0
  readonly #layout: FileLayout

  constructor(layout: FileLayout, input: MergeInput, number: number, keptBytes: number) {
    this.#layout = layout
    this.input = input
    this.number = number
    this.seq = input.maxSeq
    this.file = new InputFile(input.path, keptBytes)
    this.#load()
  }

  get isDone(): boolean {
    return this.row === this.file.rows
  }

  next(): void {
    this.row++
    if (++this.at === this.#known) this.#load()
  }

  isAfter(other: Cursor): boolean {
    return compare(this, this.at, other, other.at) > 0
  }

  #load(): void {
    if (this.isDone) return
    const { hasSeries, hasOwner, columns, time } = this.#layout
    const timeColumn = columns[time]!
    const { file, row } = this
    const end = file.page(timeColumn, row).to
    const keys = (column: FileColumn) => (concatenate(column.type, file.pieces(column, row, end)) as FixedData).values
    const before: Keys | undefined = row > 0 ? pick(this) : undefined
    const last = this.#known - 1
    const times = keys(timeColumn)
    const isVersioned = this.#layout.merge !== 'none' && this.input.hasOrder
    this.times = new Int32Array(times.buffer, times.byteOffset, 2 * times.length)
    this.tsids = hasSeries ? (keys(tsid) as Uint32Array) : undefined
    this.owners = hasOwner ? (keys(owner) as Uint32Array) : undefined
    this.seqs = isVersioned ? toNumbers(keys(seq) as BigUint64Array) : undefined
    this.ops = isVersioned ? (keys(op) as Uint8Array) : undefined
    this.at = 0
    this.#known = end - row
    let isSorted = before === undefined || compare(before, last, this, 0) <= 0
    for (let i = 1; i < this.#known && isSorted; i++) isSorted = compare(this, i - 1, this, i) <= 0
    if (!isSorted) throw new UnsortedInput(`the rows of ${this.input.path} are not sorted`)
  }
}

function pick({ tsids, owners, times, seqs, seq }: Keys): Keys {
  return { tsids, owners, times, seqs, seq }
}

function toNumbers(values: BigUint64Array): Float64Array {
  const words = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length)
  const numbers = new Float64Array(values.length)
  for (let i = 0; i < numbers.length; i++) numbers[i] = words[2 * i]! + words[2 * i + 1]! * 2 ** 32
  return numbers
}

/** So many times as many rows as stay, at most, where most are left out or hidden. */
const maxReadFactor = 4

class Merge {
  readonly #task: MergeTask
  readonly #cursors: readonly Cursor[]
  readonly #only: ReadonlySet<number> | undefined
  readonly #limit: number
  /** A heap: the cursor whose row is next comes first. */
  readonly #heap: Cursor[] = []
  /** Of the rows of a window in order: the cursor, 0 where they are left out, and their keys. */
  #sources = new Uint32Array(0)
  #stays = new Uint8Array(0)
  #tsids = new Uint32Array(0)
  #owners = new Uint32Array(0)
  #times = new Int32Array(0)
  #seqs = new Float64Array(0)
  #ops = new Uint8Array(0)

  constructor(task: MergeTask, cursors: readonly Cursor[]) {
    this.#task = task
    this.#cursors = cursors
    this.#only = task.only && new Set(task.only)
    const longest = cursors.reduce((max, { file }) => Math.max(max, file.textBytes), 0)
    this.#limit = Math.max(1, Math.min(task.layout.groupRows, Math.floor(groupTextBytes / Math.max(1, longest))))
    for (const cursor of cursors) {
      if (cursor.isDone) continue
      this.#heap.push(cursor)
      this.#up(this.#heap.length - 1)
    }
  }

  /** The next rows, their indices file after file; undefined at the end. */
  next(): SortedRows | undefined {
    if (this.#heap.length === 0) return undefined
    for (const cursor of this.#cursors) cursor.first = cursor.row
    const count = this.#take()
    return this.#index(count)
  }

  /** Takes rows in order until enough of them stay. */
  #take(): number {
    const isMerged = this.#task.layout.merge !== 'none'
    const max = this.#limit * maxReadFactor
    let count = 0
    let kept = 0
    while (this.#heap.length > 0) {
      const cursor = this.#heap[0]!
      const next = this.#second()
      do {
        const stays = this.#isKept(cursor)
        const isNew = !isMerged || count === 0 || !stays || !this.#isSame(cursor, count - 1)
        if (isNew && (kept >= this.#limit || count >= max)) return count
        if (count === this.#sources.length) this.#grow()
        this.#add(cursor, count++, stays)
        if (isNew && stays) kept++
        cursor.next()
      } while (!cursor.isDone && (next === undefined || !cursor.isAfter(next)))
      if (cursor.isDone) {
        const last = this.#heap.pop()!
        if (last !== cursor) this.#heap[0] = last
      }
      this.#down()
    }
    return count
  }

  #isKept(cursor: Cursor): boolean {
    const { cutoff } = this.#task
    if (this.#only !== undefined && !this.#only.has(cursor.owners![cursor.at]!)) return false
    if (cutoff === undefined) return true
    const { times, at } = cursor
    return ((BigInt(times[2 * at + 1]!) << 32n) | BigInt(times[2 * at]! >>> 0)) >= cutoff
  }

  #isSame({ tsids, times, at }: Cursor, before: number): boolean {
    if (times[2 * at] !== this.#times[2 * before] || times[2 * at + 1] !== this.#times[2 * before + 1]) return false
    return tsids === undefined || tsids[at] === this.#tsids[before]
  }

  #add(cursor: Cursor, i: number, stays: boolean): void {
    const { tsids, owners, times, seqs, ops, at } = cursor
    this.#sources[i] = cursor.number
    this.#stays[i] = stays ? 1 : 0
    if (tsids !== undefined) this.#tsids[i] = tsids[at]!
    if (owners !== undefined) this.#owners[i] = owners[at]!
    this.#times[2 * i] = times[2 * at]!
    this.#times[2 * i + 1] = times[2 * at + 1]!
    this.#seqs[i] = seqs === undefined ? cursor.seq : seqs[at]!
    this.#ops[i] = ops === undefined ? 0 : ops[at]!
  }

  #grow(): void {
    const length = Math.max(2 * this.#sources.length, this.#limit + 1024)
    const grown = <T extends Uint8Array | Uint32Array | Int32Array | Float64Array>(made: T, before: T): T => {
      made.set(before)
      return made
    }
    this.#sources = grown(new Uint32Array(length), this.#sources)
    this.#stays = grown(new Uint8Array(length), this.#stays)
    this.#tsids = grown(new Uint32Array(length), this.#tsids)
    this.#owners = grown(new Uint32Array(length), this.#owners)
    this.#times = grown(new Int32Array(2 * length), this.#times)
    this.#seqs = grown(new Float64Array(length), this.#seqs)
    this.#ops = grown(new Uint8Array(length), this.#ops)
  }

  /** From the order of the rows to their indices, file after file. */
  #index(count: number): SortedRows {
    const { hasSeries, columns: layoutColumns, time } = this.#task.layout
    let rows = 0
    const nextIndex = Uint32Array.from(this.#cursors, ({ first, row }) => {
      const base = rows
      rows += row - first
      return base
    })
    const tsids = hasSeries ? new Uint32Array(count) : undefined
    const owners = new Uint32Array(count)
    const times = new Int32Array(2 * count)
    const seqs = new Float64Array(count)
    const ops = new Uint8Array(count)
    const sorted = new Uint32Array(count)
    let kept = 0
    let hasDeletes = false
    for (let i = 0; i < count; i++) {
      const index = nextIndex[this.#sources[i]!]!++
      if (tsids !== undefined) tsids[index] = this.#tsids[i]!
      owners[index] = this.#owners[i]!
      times[2 * index] = this.#times[2 * i]!
      times[2 * index + 1] = this.#times[2 * i + 1]!
      seqs[index] = this.#seqs[i]!
      ops[index] = this.#ops[i]!
      hasDeletes ||= ops[index] !== 0
      if (this.#stays[i] === 1) sorted[kept++] = index
    }
    const columns = layoutColumns.map(
      (column, i): ColumnData =>
        i === time
          ? { kind: 'fixed', values: new BigInt64Array(times.buffer) }
          : concatenate(
              column.type,
              this.#cursors.flatMap(cursor => this.#pieces(cursor, column, i))
            )
    )
    const ownerOf = (index: number) => owners[index]!
    return { tsids, seqs, ops: hasDeletes ? ops : undefined, ownerOf, columns, times, sorted: sorted.subarray(0, kept) }
  }

  #pieces({ file, input, first, row }: Cursor, column: FileColumn, i: number): Piece[] {
    if (first === row) return []
    if (input.holds[i]) return file.pieces(column, first, row)
    const initial = this.#task.initial[i]
    const data = initial === undefined ? undefined : initialData(column.type, initial, row - first)
    return [{ data, from: 0, to: row - first }]
  }

  #second(): Cursor | undefined {
    const [, left, right] = this.#heap
    return left === undefined || right === undefined || !left.isAfter(right) ? left : right
  }

  #up(from: number): void {
    const heap = this.#heap
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1
      if (!heap[parent]!.isAfter(heap[at]!)) return
      ;[heap[parent], heap[at]] = [heap[at]!, heap[parent]!]
      at = parent
    }
  }

  #down(): void {
    const heap = this.#heap
    for (let at = 0; ; ) {
      let min = 2 * at + 1
      if (min >= heap.length) return
      if (min + 1 < heap.length && heap[min]!.isAfter(heap[min + 1]!)) min++
      if (!heap[at]!.isAfter(heap[min]!)) return
      ;[heap[min], heap[at]] = [heap[at]!, heap[min]!]
      at = min
    }
  }
}
