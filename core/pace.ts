// Computing that lets others run: long loops ask whether their turn is over.

/** Milliseconds of computing after which other work gets its turn. */
const turn = 10

export class Pace {
  readonly #signal: AbortSignal
  #since = performance.now()

  /** A turn that is over ends the work when the signal has fired. */
  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  get signal(): AbortSignal {
    return this.#signal
  }

  /** Whether it is time to `pause`. */
  get isDue(): boolean {
    return performance.now() - this.#since > turn
  }

  async pause(): Promise<void> {
    await new Promise(resolve => setImmediate(resolve))
    this.#signal.throwIfAborted()
    this.#since = performance.now()
  }
}

/** What comes of each item, in their order. */
export async function mapPaced<T, R>(pace: Pace, items: Iterable<T>, work: (item: T) => R): Promise<R[]> {
  const results: R[] = []
  for (const item of items) {
    results.push(work(item))
    if (pace.isDue) await pace.pause()
  }
  return results
}

export async function eachPaced<T>(pace: Pace, items: Iterable<T>, work: (item: T) => void): Promise<void> {
  for (const item of items) {
    work(item)
    if (pace.isDue) await pace.pause()
  }
}

/** Items sorted in one go; runs of so many are merged. */
const runLength = 1_024

/** As `toSorted`. */
export async function sortPaced<T>(pace: Pace, items: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> {
  if (items.length <= runLength) return items.toSorted(compare)
  let runs: T[][] = []
  for (let start = 0; start < items.length; start += runLength) {
    runs.push(items.slice(start, start + runLength).sort(compare))
    if (pace.isDue) await pace.pause()
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let i = 0; i < runs.length; i += 2) merged.push(await merge(pace, runs[i]!, runs[i + 1] ?? [], compare))
    runs = merged
  }
  return runs[0]!
}

async function merge<T>(pace: Pace, a: readonly T[], b: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> {
  const merged: T[] = []
  for (let [i, j] = [0, 0]; i < a.length || j < b.length; ) {
    merged.push(j >= b.length || (i < a.length && compare(a[i]!, b[j]!) <= 0) ? a[i++]! : b[j++]!)
    if (merged.length % runLength === 0 && pace.isDue) await pace.pause()
  }
  return merged
}
