// What a memtable knows of its rows' times, so that versions are only looked for where there can be some.
import type { ColumnData } from '../../../model/batch.ts'

/** Rows as far as their times go. */
interface TimedRows {
  readonly rows: number
  readonly op: 'put' | 'delete'
  readonly tsids: Uint32Array | undefined
}

export class RowTimes {
  /** In the time index's unit. */
  minTime = 2n ** 63n - 1n
  maxTime = -(2n ** 63n)
  /** Every row came later than the one before it of its series: none is another version of one, none hides one. */
  areDistinct = true
  /** Newest time by series number, as words, low one first: a number of 64 bits would be made anew for each row. */
  #newest = oldest(1)

  add({ rows, tsids, op }: TimedRows, data: ColumnData | undefined): void {
    if (data?.kind !== 'fixed' || rows === 0) return
    const times = data.values as BigInt64Array
    if (op === 'delete') this.areDistinct = false
    const words = new Int32Array(times.buffer, times.byteOffset, rows * 2)
    this.#extend(words, times)
    if (this.areDistinct) this.#follow(words, tsids, rows)
  }

  #extend(words: Int32Array, times: BigInt64Array): void {
    let min = 0
    let max = 0
    for (let at = 2; at < words.length; at += 2) {
      if (isBefore(words, at, words, min)) min = at
      else if (isBefore(words, max, words, at)) max = at
    }
    if (times[min / 2]! < this.minTime) this.minTime = times[min / 2]!
    if (times[max / 2]! > this.maxTime) this.maxTime = times[max / 2]!
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
