// Time bounds of a memtable's rows, so that queries skip it, and whether it can contain versions.
import type { ColumnData, FixedData } from '../../../model/batch.ts'
import type { ColumnType } from '../../../model/types.ts'
import { areWholeMicros } from '../datafile/whole-micros.ts'

/** Rows, as far as times matter. */
interface TimedRows {
  readonly rows: number
  readonly op: 'put' | 'delete'
  readonly tsids: Uint32Array | undefined
}

const anyTime = { minTime: -(2n ** 63n), maxTime: 2n ** 63n - 1n }

/** The first and last time of a range of rows. */
export function spanOf(data: FixedData, from: number, to: number): { minTime: bigint; maxTime: bigint } {
  const words = wordsOf(data, to)
  let min = 2 * from
  let max = min
  for (let at = min + 2; at < words.length; at += 2) {
    if (isBefore(words, at, words, min)) min = at
    else if (isBefore(words, max, words, at)) max = at
  }
  const times = data.values as BigInt64Array
  return { minTime: times[min / 2]!, maxTime: times[max / 2]! }
}

export class RowTimes {
  /** In the time index's unit. */
  minTime = 2n ** 63n - 1n
  maxTime = -(2n ** 63n)
  /** Every row is later than the row before it of its series, so no row is a version of another. */
  areDistinct = true
  /** They are nanoseconds, and all are whole microseconds. */
  areMicros: boolean
  /** Latest time by series number, as 32-bit words, the low one first; avoids a bigint per row. */
  #latest = oldest(1)

  constructor(type: ColumnType) {
    this.areMicros = type === 'TimestampNanosecond'
  }

  /** Adds rows of a table with versions. */
  add(rows: TimedRows, data: ColumnData | undefined): void {
    this.extend(rows, data)
    if (rows.rows === 0) return
    if (data?.kind !== 'fixed') {
      this.areMicros = false
      return
    }
    if (rows.op === 'delete') this.areDistinct = false
    this.areMicros &&= areWholeMicros(wordsOf(data, rows.rows))
    if (this.areDistinct) this.#follow(wordsOf(data, rows.rows), rows.tsids, rows.rows)
  }

  /** Adds rows of an append mode table. Rows without this column can have any time. */
  extend({ rows }: Pick<TimedRows, 'rows'>, data: ColumnData | undefined): void {
    if (rows === 0) return
    const { minTime, maxTime } = data?.kind === 'fixed' ? spanOf(data, 0, rows) : anyTime
    if (minTime < this.minTime) this.minTime = minTime
    if (maxTime > this.maxTime) this.maxTime = maxTime
  }

  #follow(words: Int32Array, tsids: Uint32Array | undefined, rows: number): void {
    for (let row = 0; row < rows; row++) {
      const at = (tsids === undefined ? 0 : tsids[row]!) * 2
      if (at >= this.#latest.length) this.#grow(at)
      if (!isBefore(this.#latest, at, words, row * 2)) {
        this.areDistinct = false
        return
      }
      this.#latest[at] = words[row * 2]!
      this.#latest[at + 1] = words[row * 2 + 1]!
    }
  }

  #grow(at: number): void {
    const grown = oldest(Math.max(at / 2 + 1, this.#latest.length))
    grown.set(this.#latest)
    this.#latest = grown
  }
}

function wordsOf({ values }: FixedData, rows: number): Int32Array {
  return new Int32Array(values.buffer, values.byteOffset, rows * 2)
}

/** The smallest 64-bit time, `count` times. */
function oldest(count: number): Int32Array {
  const words = new Int32Array(2 * count)
  for (let at = 1; at < words.length; at += 2) words[at] = -(2 ** 31)
  return words
}

/** Compares two 64-bit numbers given as words. */
function isBefore(a: Int32Array, i: number, b: Int32Array, j: number): boolean {
  const high = a[i + 1]!
  const other = b[j + 1]!
  return high < other || (high === other && a[i]! >>> 0 < b[j]! >>> 0)
}
