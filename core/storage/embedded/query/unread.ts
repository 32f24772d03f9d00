// Samples that DuckDB has not seen, straight from memory: what was written last is what metrics are asked for most.
import { type ColumnData, isValid, type ResultBatch, type ResultVector } from '../../../model/batch.ts'
import type { TableColumn } from '../../../model/table.ts'
import type { MemtableRows, SampleBounds } from '../memory/memtable.ts'

export interface UnreadQuery {
  readonly wanted: WantedSeries
  readonly time: TableColumn
  readonly values: readonly TableColumn[]
  /** Times in the time index's unit, both ends included. */
  readonly from: number
  readonly to: number
}

export interface UnreadSamples {
  readonly batches: readonly ResultBatch[]
  /**
   * Times up to `until` of the wanted series by their number, those without a value too: older rows with the same time count no more.
   */
  readonly times: (until: number) => ReadonlyMap<number, ReadonlySet<number>>
}

/** Series numbers, looked up by number and counted by range. */
export class WantedSeries {
  readonly #tsids: Uint32Array
  /** By series number: how many lower ones are wanted. */
  readonly #before: Uint32Array

  /** `tsids` ascending, at least one. */
  constructor(tsids: Uint32Array) {
    this.#tsids = tsids
    this.#before = new Uint32Array(tsids.at(-1)! + 2)
    for (const tsid of tsids) this.#before[tsid + 1] = 1
    for (let i = 1; i < this.#before.length; i++) this.#before[i]! += this.#before[i - 1]!
  }

  has(tsid: number): boolean {
    return this.#before[tsid + 1]! > this.#before[tsid]!
  }

  /** Those from one number to another, both included. */
  within(first: number, last: number): Uint32Array {
    const end = this.#before.length - 1
    return this.#tsids.subarray(this.#before[Math.min(first, end)], this.#before[Math.min(last + 1, end)])
  }
}

/** The samples of some series; those without any value are left out. */
export function readUnread(writes: readonly MemtableRows[], query: UnreadQuery): UnreadSamples {
  const hit = writes.filter(write => mayHold(write, query))
  return {
    batches: hit.map(write => samplesOf(write, query)).filter(({ rows }) => rows > 0),
    times(until) {
      const times = new Map<number, Set<number>>()
      const early = { ...query, to: Math.min(query.to, until) }
      for (const write of hit) {
        if (!mayHold(write, early)) continue
        for (const row of rowsOf(write, early)) {
          const series = write.tsids![row]!
          const own = times.get(series) ?? new Set<number>()
          times.set(series, own.add(timeAt(wordsOf(write, query.time), row)))
        }
      }
      return times
    }
  }
}

function mayHold(write: MemtableRows, { wanted, time, from, to }: UnreadQuery): boolean {
  write.bounds ??= boundsOf(write, time)
  const { bounds } = write
  return bounds.to >= from && bounds.from <= to && wanted.within(bounds.first, bounds.last).length > 0
}

function boundsOf(write: MemtableRows, time: TableColumn): SampleBounds {
  const words = wordsOf(write, time)
  let [first, last] = [Number.POSITIVE_INFINITY, 0]
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let ascending = true
  let before = 0
  for (let row = 0; row < write.rows; row++) {
    const series = write.tsids![row]!
    const at = timeAt(words, row)
    ascending &&= series >= before
    before = series
    if (series < first) first = series
    if (series > last) last = series
    if (at < from) from = at
    if (at > to) to = at
  }
  return { first, last, from, to, ascending }
}

/** A search by halves costs about as much as a look at so many rows. */
const searchCost = 16

/** Rows of wanted series in the range. */
function rowsOf(write: MemtableRows, { wanted, time, from, to }: UnreadQuery): Uint32Array {
  const words = wordsOf(write, time)
  const tsids = write.tsids!
  const rows = new Uint32Array(write.rows)
  let count = 0
  const take = (row: number) => {
    const at = timeAt(words, row)
    if (at >= from && at <= to) rows[count++] = row
  }
  const { first, last, ascending } = write.bounds!
  const asked = wanted.within(first, last)
  if (ascending && asked.length * searchCost < write.rows) {
    for (const tsid of asked) {
      for (let row = lowerBound(tsids, tsid, write.rows); row < write.rows && tsids[row] === tsid; row++) take(row)
    }
  } else for (let row = 0; row < write.rows; row++) if (wanted.has(tsids[row]!)) take(row)
  return rows.subarray(0, count)
}

/** The first row whose series has at least this number. */
function lowerBound(tsids: Uint32Array, tsid: number, rows: number): number {
  let [low, high] = [0, rows]
  while (low < high) {
    const middle = (low + high) >> 1
    if (tsids[middle]! < tsid) low = middle + 1
    else high = middle
  }
  return low
}

function samplesOf(write: MemtableRows, query: UnreadQuery): ResultBatch {
  const words = wordsOf(write, query.time)
  const data = query.values.map(({ id }) => write.columns.get(id))
  const found = rowsOf(write, query)
  const full = data.length === 0 || data.some(each => each !== undefined && each.valid === undefined)
  const rows = full ? found : found.filter(row => data.some(each => each !== undefined && isValid(each.valid, row)))
  const series = new Uint32Array(rows.length)
  const times = new Float64Array(rows.length)
  for (let i = 0; i < rows.length; i++) {
    series[i] = write.tsids![rows[i]!]!
    times[i] = timeAt(words, rows[i]!)
  }
  return {
    rows: rows.length,
    columns: [{ values: series }, { values: times }, ...query.values.map(column => pick(column, write, rows))]
  }
}

/** Numbers as floats, by their bits where they are floats already; text as text. */
function pick({ id, type }: TableColumn, write: MemtableRows, rows: Uint32Array): ResultVector {
  const data = write.columns.get(id)
  if (data === undefined) {
    const isText = type === 'String' || type === 'Json'
    const values = isText ? new Array<null>(rows.length).fill(null) : new Float64Array(rows.length)
    return { values, valid: new Uint8Array((rows.length + 7) >> 3) }
  }
  if (data.kind !== 'fixed') return { values: Array.from(rows, row => textAt(data, row)) }
  const values = new Float64Array(rows.length)
  if (data.values instanceof Float64Array) {
    const from = new Uint32Array(data.values.buffer, data.values.byteOffset, data.values.length * 2)
    const to = new Uint32Array(values.buffer)
    for (let i = 0; i < rows.length; i++) {
      to[2 * i] = from[2 * rows[i]!]!
      to[2 * i + 1] = from[2 * rows[i]! + 1]!
    }
  } else for (let i = 0; i < rows.length; i++) values[i] = Number(data.values[rows[i]!])
  return data.valid === undefined ? { values } : { values, valid: pickValid(data.valid, rows) }
}

function pickValid(valid: Uint8Array, rows: Uint32Array): Uint8Array {
  const picked = new Uint8Array((rows.length + 7) >> 3)
  for (let i = 0; i < rows.length; i++) if (isValid(valid, rows[i]!)) picked[i >> 3]! |= 1 << (i & 7)
  return picked
}

function textAt(data: Exclude<ColumnData, { kind: 'fixed' }>, row: number): string | null {
  if (!isValid(data.valid, row)) return null
  const text = data.kind === 'dictionary' ? data.dictionary : data
  const at = data.kind === 'dictionary' ? data.codes[row]! : row
  return Buffer.from(text.bytes.subarray(text.offsets[at]!, text.offsets[at + 1]!)).toString('utf8')
}

function wordsOf(write: MemtableRows, { id }: TableColumn): Int32Array {
  const { values } = write.columns.get(id) as { readonly values: BigInt64Array }
  return new Int32Array(values.buffer, values.byteOffset, values.length * 2)
}

/** A 64-bit number by its words, low one first: a bigint would be made anew for each row. */
function timeAt(words: Int32Array, row: number): number {
  return words[2 * row + 1]! * 2 ** 32 + (words[2 * row]! >>> 0)
}
