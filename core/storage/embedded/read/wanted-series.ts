// Series numbers a query wants: looked up by number and counted by range.
import { lowerBound } from './lower-bound.ts'

export class WantedSeries {
  /** Ascending. */
  readonly tsids: Uint32Array
  readonly #first: number
  readonly #last: number
  readonly #owners: Uint32Array | undefined
  /** Logical tables, ascending, and the series of each. */
  #owned: { readonly tables: Uint32Array; readonly tsids: readonly Uint32Array[] } | undefined
  /** By how far a series is from the first: one more than its index, 0 where it is not wanted. */
  #indices: Uint32Array | undefined

  /** `tsids` ascending, at least one; `owners`: of each its logical table, where several share a physical one. */
  constructor(tsids: Uint32Array, owners?: Uint32Array) {
    this.tsids = tsids
    this.#owners = owners
    this.#first = tsids[0]!
    this.#last = tsids.at(-1)!
  }

  /** How many wanted ones have a lower number. */
  before(tsid: number): number {
    return lowerBound(this.tsids, tsid)
  }

  /** The index of a series among the wanted ones; -1 where it is none. For many series: what it looks at is made at the first call. */
  index(tsid: number): number {
    if (tsid < this.#first || tsid > this.#last) return -1
    this.#indices ??= this.#allPlaces()
    return this.#indices[tsid - this.#first]! - 1
  }

  /** Whether any from one number to another, both included, is wanted. */
  any(first: number, last: number): boolean {
    return this.before(last + 1) > this.before(first)
  }

  /** The same, of logical tables from one number to another; the tables count only where it is known whose the series are. */
  anyOf(first: number, last: number, firstTable: number, lastTable: number): boolean {
    if (this.#owners === undefined) return this.any(first, last)
    this.#owned ??= byOwner(this.tsids, this.#owners)
    const { tables, tsids } = this.#owned
    for (let i = lowerBound(tables, firstTable); i < tables.length && tables[i]! <= lastTable; i++) {
      if (lowerBound(tsids[i]!, last + 1) > lowerBound(tsids[i]!, first)) return true
    }
    return false
  }

  #allPlaces(): Uint32Array {
    const indices = new Uint32Array(this.#last - this.#first + 1)
    for (let i = 0; i < this.tsids.length; i++) indices[this.tsids[i]! - this.#first] = i + 1
    return indices
  }
}

function byOwner(tsids: Uint32Array, owners: Uint32Array) {
  const tables = Uint32Array.from(new Set(owners)).sort()
  const lists = Array.from(tables, (): number[] => [])
  for (let i = 0; i < tsids.length; i++) lists[lowerBound(tables, owners[i]!)]!.push(tsids[i]!)
  return { tables, tsids: lists.map(list => Uint32Array.from(list)) }
}
