// Computing that lets others run: long loops ask whether their turn is over.

/** Milliseconds of computing in one turn of the event loop, all work that is paced together. */
const turn = 10

/** Turns of this thread's event loop: one piece of work goes on in each, so that many together hold it no longer than one. */
class Turns {
  #since: number | undefined
  readonly #waiting: (() => void)[] = []

  /** Milliseconds of this turn that are gone. */
  get used(): number {
    const now = performance.now()
    if (this.#since === undefined) {
      this.#since = now
      setImmediate(this.#next)
    }
    return now - this.#since
  }

  /** Resolves in a turn of its own, after all that waited before. */
  next(): Promise<void> {
    return new Promise(resolve => {
      this.#waiting.push(resolve)
      if (this.#since === undefined) {
        this.#since = performance.now()
        // What came before may have been long, the reading of a message for example: timers and sockets go first. Node runs an
        // immediate in the round of the loop that asks for it, and one that an immediate asks for in the round behind it.
        setImmediate(() => setImmediate(this.#next))
      }
    })
  }

  readonly #next = () => {
    const resolve = this.#waiting.shift()
    this.#since = resolve && performance.now()
    if (resolve === undefined) return
    setImmediate(this.#next)
    resolve()
  }
}

const turns = new Turns()

const never = new AbortController().signal

/** The turns of one piece of long work: every ten milliseconds or so others run. Ends with the reason of its signal. */
export class Pace {
  readonly #signal: AbortSignal
  #begun = 0

  /** A turn that is over ends the work when the signal has fired; without one nothing does. */
  constructor(signal: AbortSignal = never) {
    this.#signal = signal
  }

  get signal(): AbortSignal {
    return this.#signal
  }

  /** Whether it is time to `pause`. */
  get isDue(): boolean {
    return turns.used > turn
  }

  /** The same where a piece of work begins: of many that are short each sixteenth looks at the clock. */
  get isDueBefore(): boolean {
    return (++this.#begun & 15) === 0 && this.isDue
  }

  async pause(): Promise<void> {
    await turns.next()
    this.#signal.throwIfAborted()
  }
}

/** Computing in steps of a millisecond or less: between two of them others may run. */
export type Steps<T> = Generator<void, T, void>

/** The result of steps; others run whenever a turn is over. */
export async function runPaced<T>(pace: Pace, steps: Steps<T>): Promise<T> {
  try {
    if (pace.isDueBefore) await pace.pause()
    for (;;) {
      const step = steps.next()
      if (step.done) return step.value
      if (pace.isDue) await pace.pause()
    }
  } finally {
    // Where the signal has fired they let go what they hold.
    steps.return(undefined as never)
  }
}

/** The result of steps, taken one after the other. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
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

/** Bytes copied in one go: memory that is new costs more than the copying. */
const copyLength = 1 << 20

/** The bytes of all parts, one after the other; one alone is not copied. */
export async function joinPaced(pace: Pace, parts: readonly Buffer[], length: number): Promise<Buffer> {
  if (parts.length === 1) return parts[0]!
  const joined = Buffer.allocUnsafe(length)
  let at = 0
  for (const part of parts)
    for (let from = 0; from < part.length; from += copyLength) {
      at += part.copy(joined, at, from, from + copyLength)
      if (pace.isDue) await pace.pause()
    }
  return joined
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
