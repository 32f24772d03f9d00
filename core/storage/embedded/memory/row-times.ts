// What a memtable knows of its rows' times: which are not asked for is not read, and versions are only looked for where there can be some.
import type { ColumnData, FixedData } from '../../../model/batch.ts'

/** Rows as far as their times go. */
interface TimedRows {
  readonly rows: number
  readonly op: 'put' | 'delete'
  readonly tsids: Uint32Array | undefined
}

const anyTime = { minTime: -(2n ** 63n), maxTime: 2n ** 63n - 1n }

/** The first and the last of some times. */
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
  /** Every row came later than the one before it of its series: none is another version of one, none hides one. */
  areDistinct = true
  /** Newest time by series number, as words, low one first: a number of 64 bits would be made anew for each row. */
  #newest = oldest(1)

  /** Of rows that can be versions of others. */
  add(rows: TimedRows, data: ColumnData | undefined): void {
    this.extend(rows, data)
    if (data?.kind !== 'fixed' || rows.rows === 0) return
    if (rows.op === 'delete') this.areDistinct = false
    if (this.areDistinct) this.#follow(wordsOf(data, rows.rows), rows.tsids, rows.rows)
  }

  /** Of rows that all count. Those without this column can have any time. */
  extend({ rows }: Pick<TimedRows, 'rows'>, data: ColumnData | undefined): void {
    if (rows === 0) return
    const { minTime, maxTime } = data?.kind === 'fixed' ? spanOf(data, 0, rows) : anyTime
    if (minTime < this.minTime) this.minTime = minTime
    if (maxTime > this.maxTime) this.maxTime = maxTime
  }

  #follow(words: Int32Array, tsids: Uint32Array | undefined, rows: number): void {
    for (let row = 0; row < rows; row++) {
      const at = (tsids === undefined ? 0 : tsids[row]!) * 2
      if (at >= this.#newest.length) this.#grow(at)
      if (!isBefore(this.#newest, at, words, row * 2)) {
        this.areDistinct = false
        return
      }
      this.#newest[at] = words[row * 2]!
      this.#newest[at + 1] = words[row * 2 + 1]!
    }
  }

  #grow(at: number): void {
    const grown = oldest(Math.max(at / 2 + 1, this.#newest.length))
    grown.set(this.#newest)
    this.#newest = grown
  }
}

function wordsOf({ values }: FixedData, rows: number): Int32Array {
  return new Int32Array(values.buffer, values.byteOffset, rows * 2)
}

/** The earliest time there is, so many times. */
function oldest(count: number): Int32Array {
  return new Int32Array(new BigInt64Array(count).fill(-(2n ** 63n)).buffer)
}

/** Compares two 64-bit numbers by their words. */
function isBefore(a: Int32Array, i: number, b: Int32Array, j: number): boolean {
  const high = a[i + 1]!
  const other = b[j + 1]!
  return high < other || (high === other && a[i]! >>> 0 < b[j]! >>> 0)
}
