// The series numbers a query wants, with fast lookup by number and by range.
import { lowerBound } from './lower-bound.ts'

export class WantedSeries {
  /** Ascending. */
  readonly tsids: Uint32Array
  readonly #first: number
  readonly #last: number
  readonly #owners: Uint32Array | undefined
  /** Logical tables, ascending, and the wanted series of each. */
  #owned: { readonly tables: Uint32Array; readonly tsids: readonly Uint32Array[] } | undefined
  /** By offset from the first series: index + 1, or 0 if it is not wanted. */
  #indices: Uint32Array | undefined

  /** `tsids` ascending, at least one. `owners`: the logical table of each, if several share the physical table. */
  constructor(tsids: Uint32Array, owners?: Uint32Array) {
    this.tsids = tsids
    this.#owners = owners
    this.#first = tsids[0]!
    this.#last = tsids.at(-1)!
  }

  /** How many wanted series have a lower number. */
  before(tsid: number): number {
    return lowerBound(this.tsids, tsid)
  }

  /** The index of a series among the wanted ones, or -1. Builds a lookup table at the first call, so use it for many series. */
  index(tsid: number): number {
    if (tsid < this.#first || tsid > this.#last) return -1
    this.#indices ??= this.#buildIndices()
    return this.#indices[tsid - this.#first]! - 1
  }

  /** Whether any series in a range (both inclusive) is wanted. */
  any(first: number, last: number): boolean {
    return this.before(last + 1) > this.before(first)
  }

  /** Whether any wanted series of logical tables in a range is in a range of series. The tables only count if owners are known. */
  anyOf(first: number, last: number, firstTable: number, lastTable: number): boolean {
    if (this.#owners === undefined) return this.any(first, last)
    this.#owned ??= byOwner(this.tsids, this.#owners)
    const { tables, tsids } = this.#owned
    for (let i = lowerBound(tables, firstTable); i < tables.length && tables[i]! <= lastTable; i++) {
      if (lowerBound(tsids[i]!, last + 1) > lowerBound(tsids[i]!, first)) return true
    }
    return false
  }

  #buildIndices(): Uint32Array {
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
