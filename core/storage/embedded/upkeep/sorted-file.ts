// Sorted rows as a data file: their columns under the names files give them, in row groups a reader can hold.
import type { ColumnData } from '../../../model/batch.ts'
import type { ColumnType } from '../../../model/types.ts'
import { free } from '../../../workers/free.ts'
import { addTextSizes, pickRows, sliceRows } from '../datafile/column-builder.ts'
import { RowFile, type WrittenFile } from '../datafile/row-file.ts'
import { groupTextBytes, textEnd } from '../datafile/row-group.ts'
import type { FileColumn } from '../datafile/stored-column.ts'
import { areWholeMicros, wholeMicros } from '../datafile/whole-micros.ts'
import { groupColumn } from '../index/group-column.ts'
import { type KeptRows, keepRows, type MergeWay, valueIndices } from './versions.ts'

/** The layout of a file. */
export interface FileLayout {
  readonly path: string
  /** Besides the hidden ones, which come first: series, order, table. */
  readonly columns: readonly FileColumn[]
  /** Which of them is the time index. */
  readonly time: number
  readonly hasSeries: boolean
  /** Rows say when they were written, and whether they are deletes. */
  readonly hasOrder: boolean
  /** Rows say whose they are, as those of physical tables do. */
  readonly hasOwner: boolean
  readonly groupRows: number
  /** Rows say which row group they are in. */
  readonly numbersGroups: boolean
  readonly merge: MergeWay
  readonly keepDeletes: boolean
}

/** Rows in memory of their own, by index; all versions of a row are among them. */
export interface SortedRows {
  readonly tsids: Uint32Array | undefined
  readonly seqs: Float64Array | undefined
  /** 1: a delete. Undefined: there are none. */
  readonly ops: Uint8Array | undefined
  /** Whose each is; only asked for where the file says so. */
  readonly ownerOf: (index: number) => number
  /** Parallel to those of the file. */
  readonly columns: readonly ColumnData[]
  /** As words, the low one first. */
  readonly times: Int32Array
  /** Indices of those that are not left out, in the order of the file. */
  readonly sorted: Uint32Array
}

export interface SortedFileFacts extends WrittenFile {
  /** In the time index's unit. */
  readonly minTime: bigint
  readonly maxTime: bigint
  readonly deletes: boolean
}

const tsid: FileColumn = { name: '__tsid', type: 'UInt32' }
const order: readonly FileColumn[] = [
  { name: '__seq', type: 'UInt64' },
  { name: '__op', type: 'UInt8' }
]
const owner: FileColumn = { name: '__table', type: 'UInt32' }
const group: FileColumn = { name: groupColumn, type: 'UInt32' }

export class SortedFile {
  readonly #layout: FileLayout
  readonly #file: RowFile
  #groups = 0
  #deletes = false
  /** Whether times are nanoseconds, all of them whole microseconds so far. */
  #areMicros: boolean
  #minTime = 2n ** 63n - 1n
  #maxTime = -(2n ** 63n)

  constructor(layout: FileLayout) {
    this.#layout = layout
    this.#areMicros = layout.columns[layout.time]!.type === 'TimestampNanosecond'
    const columns = [
      ...(layout.hasSeries ? [tsid] : []),
      ...(layout.hasOrder ? order : []),
      ...(layout.hasOwner ? [owner] : []),
      ...layout.columns,
      ...(layout.numbersGroups ? [group] : [])
    ]
    const required = [tsid, ...order, group, layout.columns[layout.time]!].map(({ name }) => name)
    this.#file = new RowFile(layout.path, columns, required)
  }

  /** Merges the versions of rows and writes the rest, a row group after each call of `next`. Then the memory of the rows is freed. */
  *write(rows: SortedRows): Generator<void> {
    const { merge, keepDeletes } = this.#layout
    const kept = keepRows(merge, keepDeletes, rows, rows.sorted)
    const count = kept.indices.length
    const isInOrder = kept.merged.length === 0 && areInOrder(kept.indices)
    for (let from = 0; from < count; ) {
      const to = this.#end(rows, kept, from)
      this.#writeGroup(rows, kept, from, to, isInOrder)
      from = to
      yield
    }
    // It would stay until memory is looked through the next time.
    for (const indices of [kept.indices, rows.sorted]) free(indices)
    for (const buffer of buffersOf(rows)) buffer.transfer(0)
  }

  /** Completes the file and describes it. Without rows there is no file, and the result is undefined. */
  finish(): SortedFileFacts | undefined {
    if (this.#file.rows === 0) {
      this.#file.abandon()
      return undefined
    }
    const facts = this.#areMicros ? [[wholeMicros, this.#layout.columns[this.#layout.time]!.name] as const] : []
    const written = this.#file.finish(new Map(facts))
    return { ...written, minTime: this.#minTime, maxTime: this.#maxTime, deletes: this.#deletes }
  }

  abandon(): void {
    this.#file.abandon()
  }

  #end({ columns }: SortedRows, kept: KeptRows, from: number): number {
    const to = Math.min(kept.indices.length, from + this.#layout.groupRows)
    const texts = columns.filter(({ kind }) => kind !== 'fixed')
    if (texts.length === 0) return to
    const sizes = new Float64Array(to - from)
    for (const data of texts) addTextSizes(data, valueIndices(kept, data, from, to), 0, sizes)
    return textEnd(sizes, from, groupTextBytes)
  }

  #writeGroup(rows: SortedRows, kept: KeptRows, from: number, to: number, isInOrder: boolean): void {
    const { hasSeries, hasOrder, hasOwner, numbersGroups } = this.#layout
    const indices = kept.indices.subarray(from, to)
    // Made for this row group alone.
    const made: ColumnData[] = []
    const take = (type: ColumnType, data: ColumnData) => {
      if (isInOrder) return sliceRows(type, data, from, to)
      const picked = pickRows(type, data, valueIndices(kept, data, from, to), 0, to - from)
      made.push(picked)
      return picked
    }
    const columns = this.#layout.columns.map(({ type }, i) => take(type, rows.columns[i]!))
    this.#see(columns[this.#layout.time]!)
    const hidden: ColumnData[] = [
      ...(hasOrder ? this.#order(rows, indices) : []),
      ...(hasOwner ? [owners(indices, rows.ownerOf)] : [])
    ]
    const group = { kind: 'fixed', values: new Uint32Array(numbersGroups ? to - from : 0).fill(this.#groups) } as const
    made.push(...hidden, group)
    this.#file.write(to - from, [
      ...(hasSeries ? [take('UInt32', { kind: 'fixed', values: rows.tsids! })] : []),
      ...hidden,
      ...columns,
      ...(numbersGroups ? [group] : [])
    ])
    // It would stay until memory is looked through the next time.
    for (const data of made) if (data.kind === 'fixed') (data.values.buffer as ArrayBuffer).transfer(0)
    this.#groups++
  }

  #order({ seqs, ops }: SortedRows, indices: Uint32Array): ColumnData[] {
    // One bigint a row would cost more than all its columns.
    const words = new Uint32Array(2 * indices.length)
    const deletes = new Uint8Array(indices.length)
    for (let i = 0; i < indices.length; i++) {
      const seq = seqs![indices[i]!]!
      words[2 * i] = seq
      words[2 * i + 1] = seq / 2 ** 32
      if (ops === undefined || ops[indices[i]!] === 0) continue
      deletes[i] = 1
      this.#deletes = true
    }
    return [
      { kind: 'fixed', values: new BigUint64Array(words.buffer) },
      { kind: 'fixed', values: deletes }
    ]
  }

  #see(times: ColumnData): void {
    if (times.kind !== 'fixed') return
    const { buffer, byteOffset, length } = times.values
    const words = new Int32Array(buffer, byteOffset, 2 * length)
    this.#areMicros &&= areWholeMicros(words)
    let [min, max] = [0, 0]
    for (let row = 1; row < length; row++) {
      if (isBefore(words, row, min)) min = row
      else if (isBefore(words, max, row)) max = row
    }
    const values = times.values as BigInt64Array
    if (values[min]! < this.#minTime) this.#minTime = values[min]!
    if (values[max]! > this.#maxTime) this.#maxTime = values[max]!
  }
}

function areInOrder(indices: Uint32Array): boolean {
  for (let i = 0; i < indices.length; i++) if (indices[i] !== i) return false
  return true
}

function isBefore(words: Int32Array, a: number, b: number): boolean {
  const high = words[2 * a + 1]! - words[2 * b + 1]!
  return high < 0 || (high === 0 && words[2 * a]! >>> 0 < words[2 * b]! >>> 0)
}

function owners(indices: Uint32Array, of: SortedRows['ownerOf']): ColumnData {
  const values = new Uint32Array(indices.length)
  for (let i = 0; i < indices.length; i++) values[i] = of(indices[i]!)
  return { kind: 'fixed', values }
}

/** All memory of the rows. */
function buffersOf({ tsids, seqs, ops, columns }: SortedRows): Set<ArrayBuffer> {
  const views = columns.flatMap((data): (ArrayBufferView | undefined)[] => {
    if (data.kind === 'fixed') return [data.values, data.valid]
    if (data.kind === 'bytes') return [data.offsets, data.bytes, data.valid]
    return [data.codes, data.dictionary.offsets, data.dictionary.bytes, data.valid]
  })
  const all = [tsids, seqs, ops, ...views].filter(view => view !== undefined)
  return new Set(all.map(({ buffer }) => buffer as ArrayBuffer))
}
