// Rows that lie in many pieces of memory, by series and some series at a time, so that a flush needs memory for a part of its rows only.
import { type FixedData, setBit } from '../../../model/batch.ts'
import { elementsPerRow, fixedArray } from '../../../model/types.ts'
import { leftOut, type MemtableRows, type StoredColumn } from '../memory/memtable.ts'
import type { RowsToCollect } from './collect-rows.ts'
import { type CountedSeries, countSeries, endsOf, type RowKeys } from './sort-rows.ts'

/** Rows of the series of a slice, which follow one another; those of one series lie as they came. */
interface Slice {
  readonly rows: number
  /** Where the rows of each series end. */
  readonly ends: Uint32Array
  readonly tsids: Uint32Array<ArrayBuffer>
  readonly seqs: Float64Array<ArrayBuffer> | undefined
  readonly columns: readonly FixedData[]
}

/** Rows of a slice, unless one series has more: some row groups, so that few of these are cut short. */
const usualRows = 1 << 20
/** All rows are looked through for each slice. */
const maxSlices = 8

/** Slices in the order of a file. Rows are puts, and numbers in every column. */
export function* slices(asked: RowsToCollect, owners: RowKeys['owners'], usual = usualRows): Generator<Slice> {
  const { writes } = asked
  const tsids = writes.map(write => write.tsids!.subarray(0, write.rows))
  const counted = countSeries(tsids, owners)
  const { series, counts } = counted
  const rows = writes.reduce((sum, write) => sum + write.rows, 0)
  const max = Math.max(usual, Math.ceil(rows / maxSlices))
  const moved = new MovedRows(counted, writes)
  for (let from = 0, to = 0; from < series.length; from = to) {
    let rows = 0
    for (; to < series.length && (to === from || rows + counts[series[to]!]! <= max); to++) {
      rows += counts[series[to]!]!
    }
    yield slice(asked, counted, series.subarray(from, to), moved)
  }
}

function slice(
  { writes, columns, hasVersions }: RowsToCollect,
  { first, counts }: CountedSeries,
  series: Uint32Array,
  moved: MovedRows
): Slice {
  const ends = endsOf(series, counts)
  const rows = ends.at(-1)!
  moved.begin(series, ends)
  const tsids = new Uint32Array(rows)
  for (let i = 0; i < series.length; i++) tsids.fill(first + series[i]!, ends[i - 1] ?? 0, ends[i])
  const seqs = hasVersions ? new Float64Array(rows) : undefined
  const made = columns.map(column => new SliceColumn(column, rows, writes))
  for (const write of writes) {
    moved.find(write)
    if (seqs !== undefined) moved.number(write, seqs)
    for (const column of made) column.take(write, moved)
  }
  moved.end(series)
  return { rows, ends, tsids, seqs, columns: made.map(column => column.done()) }
}

/** Which rows of a write go to which slots of a slice. */
class MovedRows {
  count = 0
  readonly from: Uint32Array
  readonly to: Uint32Array
  readonly #first: number
  /** By the distance of a series to the first one, where its next row goes; -1: it is in another slice. */
  readonly #next: Int32Array

  constructor({ first, counts }: CountedSeries, writes: readonly MemtableRows[]) {
    const max = writes.reduce((max, { rows }) => Math.max(max, rows), 0)
    this.from = new Uint32Array(max)
    this.to = new Uint32Array(max)
    this.#first = first
    this.#next = new Int32Array(counts.length).fill(-1)
  }

  begin(series: Uint32Array, ends: Uint32Array): void {
    for (let i = 0; i < series.length; i++) this.#next[series[i]!] = i === 0 ? 0 : ends[i - 1]!
  }

  end(series: Uint32Array): void {
    for (const i of series) this.#next[i] = -1
  }

  /** Finds the rows of a write that belong to the slice, and advances the slots. */
  find({ rows, tsids }: MemtableRows): void {
    const { from, to } = this
    const first = this.#first
    const next = this.#next
    let count = 0
    for (let row = 0; row < rows; row++) {
      const series = tsids![row]! - first
      const slot = next[series]!
      if (slot < 0) continue
      next[series] = slot + 1
      from[count] = row
      to[count++] = slot
    }
    this.count = count
  }

  number({ seq, order }: MemtableRows, seqs: Float64Array): void {
    const { from, to, count } = this
    for (let i = 0; i < count; i++) seqs[to[i]!] = seq + (order === undefined ? from[i]! : order.after[from[i]!]!)
  }
}

class SliceColumn {
  readonly #column: StoredColumn
  readonly #width: number
  readonly #bytes: Uint8Array<ArrayBuffer>
  readonly #valid: Uint8Array | undefined

  constructor(column: StoredColumn, rows: number, writes: readonly MemtableRows[]) {
    this.#column = column
    this.#width = fixedArray(column.type).BYTES_PER_ELEMENT * elementsPerRow(column.type)
    this.#bytes = new Uint8Array(rows * this.#width)
    const hasNulls = writes.some(write => dataOf(column, { ...write, rows: 0 }) === undefined)
    this.#valid = hasNulls ? new Uint8Array((rows + 7) >> 3) : undefined
  }

  take(write: MemtableRows, { from, to, count }: MovedRows): void {
    const data = dataOf(this.#column, write)
    if (data === undefined) return
    const valid = this.#valid
    if (valid !== undefined) for (let i = 0; i < count; i++) setBit(valid, to[i]!)
    scatter(data.values, this.#bytes, this.#width, from, to, count)
  }

  done(): FixedData {
    const values = new (fixedArray(this.#column.type))(this.#bytes.buffer)
    return { kind: 'fixed', values, ...(this.#valid && { valid: this.#valid }) }
  }
}

/** Undefined: no row has a value. */
function dataOf(column: StoredColumn, write: MemtableRows): FixedData | undefined {
  return (write.columns.get(column.id) ?? leftOut(column, write)) as FixedData | undefined
}

/** Copies values of `width` bytes from slot to slot. By words: a copy as numbers may change the bits of a NaN. */
function scatter(
  values: ArrayBufferView,
  bytes: Uint8Array<ArrayBuffer>,
  width: number,
  from: Uint32Array,
  to: Uint32Array,
  count: number
): void {
  const { buffer, byteOffset, byteLength } = values
  if (width < 4) {
    const source = new Uint8Array(buffer, byteOffset, byteLength)
    for (let i = 0; i < count; i++) {
      for (let k = 0; k < width; k++) bytes[width * to[i]! + k] = source[width * from[i]! + k]!
    }
    return
  }
  const words = new Uint32Array(buffer, byteOffset, byteLength >> 2)
  const out = new Uint32Array(bytes.buffer)
  if (width === 4) {
    for (let i = 0; i < count; i++) out[to[i]!] = words[from[i]!]!
    return
  }
  if (width === 8) {
    for (let i = 0; i < count; i++) {
      const [source, target] = [2 * from[i]!, 2 * to[i]!]
      out[target] = words[source]!
      out[target + 1] = words[source + 1]!
    }
    return
  }
  const each = width >> 2
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < each; k++) out[each * to[i]! + k] = words[each * from[i]! + k]!
  }
}
