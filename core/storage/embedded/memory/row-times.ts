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
  /** Newest time by series number. */
  #newest = new BigInt64Array(64).fill(-(2n ** 63n))

  add({ rows, tsids, op }: TimedRows, data: ColumnData | undefined): void {
    if (data?.kind !== 'fixed') return
    const times = data.values as BigInt64Array
    if (op === 'delete') this.areDistinct = false
    for (let row = 0; row < rows; row++) {
      const time = times[row]!
      if (time < this.minTime) this.minTime = time
      if (time > this.maxTime) this.maxTime = time
      if (this.areDistinct) this.#follow(tsids === undefined ? 0 : tsids[row]!, time)
    }
  }

  #follow(series: number, time: bigint): void {
    if (series >= this.#newest.length) this.#grow(series)
    this.areDistinct = time > this.#newest[series]!
    this.#newest[series] = time
  }

  #grow(series: number): void {
    const grown = new BigInt64Array(Math.max(series + 1, this.#newest.length * 2)).fill(-(2n ** 63n))
    grown.set(this.#newest)
    this.#newest = grown
  }
}
