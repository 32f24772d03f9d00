// Series numbers a query wants: looked up by number and counted by range.
import { lowerBound } from './lower-bound.ts'

export class WantedSeries {
  /** Ascending. */
  readonly tsids: Uint32Array
  readonly #first: number
  readonly #last: number
  /** By how far a series is from the first: one more than its place, 0 where it is not wanted. */
  #places: Uint32Array | undefined

  /** `tsids` ascending, at least one. */
  constructor(tsids: Uint32Array) {
    this.tsids = tsids
    this.#first = tsids[0]!
    this.#last = tsids.at(-1)!
  }

  /** How many wanted ones have a lower number. */
  before(tsid: number): number {
    return lowerBound(this.tsids, tsid)
  }

  /** The place of a series among the wanted ones; -1 where it is none. For many series: what it looks at is made at the first call. */
  place(tsid: number): number {
    if (tsid < this.#first || tsid > this.#last) return -1
    this.#places ??= this.#allPlaces()
    return this.#places[tsid - this.#first]! - 1
  }

  /** Whether any from one number to another, both included, is wanted. */
  any(first: number, last: number): boolean {
    return this.before(last + 1) > this.before(first)
  }

  #allPlaces(): Uint32Array {
    const places = new Uint32Array(this.#last - this.#first + 1)
    for (let i = 0; i < this.tsids.length; i++) places[this.tsids[i]! - this.#first] = i + 1
    return places
  }
}
