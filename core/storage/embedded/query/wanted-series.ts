// Series numbers a query wants: looked up by number and counted by range.

export class WantedSeries {
  /** Ascending. */
  readonly tsids: Uint32Array
  /** By series number: how many lower ones are wanted. */
  readonly #before: Uint32Array

  /** `tsids` ascending, at least one. */
  constructor(tsids: Uint32Array) {
    this.tsids = tsids
    this.#before = new Uint32Array(tsids.at(-1)! + 2)
    let count = 0
    for (let i = 0, tsid = 0; tsid < this.#before.length; tsid++) {
      this.#before[tsid] = count
      if (tsids[i] === tsid) {
        count++
        i++
      }
    }
  }

  /** How many wanted ones have a lower number. */
  before(tsid: number): number {
    return this.#before[Math.min(tsid, this.#before.length - 1)]!
  }

  /** The place of a series among the wanted ones; -1 where it is none. */
  place(tsid: number): number {
    if (tsid + 1 >= this.#before.length) return -1
    const place = this.#before[tsid]!
    return place < this.#before[tsid + 1]! ? place : -1
  }

  has(tsid: number): boolean {
    return this.place(tsid) >= 0
  }

  /** Whether any from one number to another, both included, is wanted. */
  any(first: number, last: number): boolean {
    return this.before(last + 1) > this.before(first)
  }
}
