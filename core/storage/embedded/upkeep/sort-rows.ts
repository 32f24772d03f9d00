// The order in which rows lie in a file: by table, series and time, and from the oldest version to the newest.

/** The keys rows are sorted by. Times and series are parallel. */
export interface RowKeys {
  readonly rows: number
  /** Numbers of series; undefined where the table has none. */
  readonly tsids: Uint32Array | undefined
  /** Of a physical table: by number of the series, from `first` on, whose it is. */
  readonly owners: { readonly first: number; readonly of: Uint32Array } | undefined
  /** As words, the low one first. */
  readonly times: Int32Array
  /** When each was written; undefined where no two rows are versions of one: those of the same time then stay as they are. */
  readonly seqs: Float64Array | undefined
}

/** Indices of the rows in that order. */
export function sortRows(keys: RowKeys): Uint32Array {
  const { rows, tsids, owners } = keys
  if (tsids === undefined) return sortRuns(keys, Uint32Array.of(rows))
  const { first, counts, series } = countSeries([tsids], owners)
  const ends = endsOf(series, counts)
  // Where the next row of a series goes.
  const next = new Uint32Array(counts.length)
  for (let i = 0; i < series.length; i++) next[series[i]!] = i === 0 ? 0 : ends[i - 1]!
  const indices = new Uint32Array(rows)
  for (let row = 0; row < rows; row++) indices[next[tsids[row]! - first]!++] = row
  return sortRuns(keys, ends, indices)
}

/** The same of rows that are by series already, in the order of `indices`; `ends`: where the rows of each series end. */
export function sortRuns(keys: RowKeys, ends: Uint32Array, indices = inOrder(keys.rows)): Uint32Array {
  const sorter = new RunSorter(keys)
  let from = 0
  for (const to of ends) {
    sorter.sort(indices, from, to)
    from = to
  }
  return indices
}

function inOrder(rows: number): Uint32Array {
  const indices = new Uint32Array(rows)
  for (let row = 0; row < rows; row++) indices[row] = row
  return indices
}

export interface CountedSeries {
  /** The lowest number of a series. */
  readonly first: number
  /** Rows of each series, by its distance to the first number. */
  readonly counts: Uint32Array
  /** These distances of those that have rows, in the order of a file. */
  readonly series: Uint32Array
}

/** Counts the rows of each series; each array holds the numbers of some rows. */
export function countSeries(all: readonly Uint32Array[], owners: RowKeys['owners']): CountedSeries {
  let [first, last] = [0xffffffff, -1]
  for (const tsids of all) {
    for (let row = 0; row < tsids.length; row++) {
      const tsid = tsids[row]!
      if (tsid < first) first = tsid
      if (tsid > last) last = tsid
    }
  }
  const counts = new Uint32Array(Math.max(0, last - first + 1))
  for (const tsids of all) for (let row = 0; row < tsids.length; row++) counts[tsids[row]! - first]!++
  return { first, counts, series: seriesInOrder(counts, first, owners) }
}

function seriesInOrder(counts: Uint32Array, first: number, owners: RowKeys['owners']): Uint32Array {
  let present = 0
  for (let i = 0; i < counts.length; i++) if (counts[i]! > 0) present++
  const series = new Uint32Array(present)
  for (let i = 0, put = 0; i < counts.length; i++) if (counts[i]! > 0) series[put++] = i
  if (owners === undefined) return series
  const ownerOf = (i: number) => owners.of[first + i - owners.first]!
  const byOwner = Map.groupBy(series, ownerOf)
  return Uint32Array.from([...byOwner].sort(([a], [b]) => a - b).flatMap(([, own]) => own))
}

/** Where the rows of each series end that come one after the other. */
export function endsOf(series: Uint32Array, counts: Uint32Array): Uint32Array {
  const ends = new Uint32Array(series.length)
  for (let i = 0, at = 0; i < series.length; i++) ends[i] = at += counts[series[i]!]!
  return ends
}

/** Rows put in order one by one before they are merged. */
const shortRun = 16

/** A merge sort of ascending runs: most rows arrive in order. */
class RunSorter {
  readonly #times: Int32Array
  readonly #seqs: Float64Array | undefined
  #scratch = new Uint32Array(1024)

  constructor({ times, seqs }: RowKeys) {
    this.#times = times
    this.#seqs = seqs
  }

  sort(indices: Uint32Array, from: number, to: number): void {
    let end = this.#ascending(indices, from, to)
    if (end === to) return
    let runs = [from]
    while (end < to) {
      runs.push(end)
      end = this.#nextRun(indices, end, to)
    }
    if (this.#scratch.length < to - from) this.#scratch = new Uint32Array(to - from)
    while (runs.length > 1) {
      const merged: number[] = []
      for (let i = 0; i < runs.length; i += 2) {
        merged.push(runs[i]!)
        if (i + 1 < runs.length) this.#merge(indices, runs[i]!, runs[i + 1]!, runs[i + 2] ?? to)
      }
      runs = merged
    }
  }

  /** Where rows in order end. */
  #ascending(indices: Uint32Array, from: number, to: number): number {
    let i = from + 1
    while (i < to && !this.#isAfter(indices[i - 1]!, indices[i]!)) i++
    return Math.min(i, to)
  }

  #nextRun(indices: Uint32Array, from: number, to: number): number {
    const end = this.#ascending(indices, from, to)
    if (end - from >= shortRun) return end
    const stop = Math.min(to, from + shortRun)
    for (let i = end; i < stop; i++) {
      const row = indices[i]!
      let at = i
      for (; at > from && this.#isAfter(indices[at - 1]!, row); at--) indices[at] = indices[at - 1]!
      indices[at] = row
    }
    return stop
  }

  #merge(indices: Uint32Array, from: number, middle: number, to: number): void {
    const scratch = this.#scratch
    const left = middle - from
    scratch.set(indices.subarray(from, middle))
    for (let i = 0, j = middle, put = from; i < left; put++) {
      if (j < to && this.#isAfter(scratch[i]!, indices[j]!)) indices[put] = indices[j++]!
      else indices[put] = scratch[i++]!
    }
  }

  #isAfter(a: number, b: number): boolean {
    const times = this.#times
    const high = times[2 * a + 1]! - times[2 * b + 1]!
    if (high !== 0) return high > 0
    const low = (times[2 * a]! >>> 0) - (times[2 * b]! >>> 0)
    if (low !== 0 || this.#seqs === undefined) return low > 0
    return this.#seqs[a]! > this.#seqs[b]!
  }
}
