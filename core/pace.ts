// Cooperative scheduling: long computations pause regularly, so that other requests run in between.

/** Milliseconds of one turn of the event loop that all paced work together may use; fewer for work that just came while other work waits. */
const [turn, shortTurn] = [10, 5]

/**
 * Rounds of the event loop between two turns in which nothing else is computed. A server accepts one connection per round: with a single round,
 * a client behind a hundred others would wait for a hundred turns.
 */
const roundsBetween = 8

/** Requests that had fewer turns go before those that had more: most are over then, and need not wait for the long ones. */
const fewTurns = 3
/** While requests of many turns wait, they get one turn after so many of the others. */
const fewFirst = 4

/** The turns of this thread's event loop. One piece of work continues per turn, so many pieces together hold the loop no longer than one. */
class Turns {
  /** When the current turn began; undefined between turns. */
  #since: number | undefined
  #length = turn
  #roundsLeft = roundsBetween
  #isScheduled = false
  /** Work that had few turns, and other work; each in order. */
  readonly #few: (() => void)[] = []
  readonly #many: (() => void)[] = []
  #fewInRow = 0
  /** Turns that the work of each request had, and of each pace that belongs to none. */
  readonly #had = new WeakMap<object, number>()

  get #isWaiting(): boolean {
    return this.#few.length > 0 || this.#many.length > 0
  }

  /** Whether the current turn is used up at a time of `performance.now`; begins one between turns. */
  isOverAt(now: number): boolean {
    if (this.#since === undefined) {
      this.#since = now
      this.#length = this.#isWaiting ? shortTurn : turn
      this.#roundsLeft = 0
      this.#schedule()
    }
    return now - this.#since > this.#length
  }

  /** Resolves in a new turn of the work of `owner`. */
  next(owner: object): Promise<void> {
    const had = this.#had.get(owner) ?? 0
    this.#had.set(owner, had + 1)
    return new Promise(resolve => {
      const waiting = had < fewTurns ? this.#few : this.#many
      waiting.push(resolve)
      this.#schedule()
    })
  }

  /** The next turn of `owner` counts as its first. */
  forget(owner: object): void {
    this.#had.delete(owner)
  }

  /** The work whose turn is next. */
  #take(): () => void {
    const isFew = this.#many.length === 0 || (this.#few.length > 0 && this.#fewInRow < fewFirst)
    this.#fewInRow = isFew ? this.#fewInRow + 1 : 0
    return (isFew ? this.#few : this.#many).shift()!
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(this.#endRound)
  }

  readonly #endRound = () => {
    this.#isScheduled = false
    this.#since = undefined
    if (!this.#isWaiting) {
      this.#roundsLeft = roundsBetween
      return
    }
    this.#schedule()
    if (this.#roundsLeft-- > 0) return
    this.#roundsLeft = roundsBetween
    this.#since = performance.now()
    this.#length = turn
    this.#take()()
  }
}

const turns = new Turns()

const never = new AbortController().signal

/**
 * What this signal paces from now on is another piece of work, for example the next message of a connection: turns of the work before do not
 * count against it.
 */
export function beginWork(signal: AbortSignal): void {
  turns.forget(signal)
}

const resumed = new WeakMap<AbortSignal, () => void>()

/** `run` is called whenever work that is paced by this signal goes on after a pause, just before it does. */
export function onResume(signal: AbortSignal, run: () => void): void {
  resumed.set(signal, run)
}

/** The memory of one request, beside that of its body. */
export interface RequestMemory {
  /**
   * The request holds this many bytes by now; fewer than before change nothing. Undefined: it may go on at once; otherwise it waits for memory, and
   * DbError `RateLimited` (429) refuses it where that takes too long.
   */
  hold(bytes: number): Promise<void> | undefined
}

/** What bounds a computation; a request's context and an AbortController fit. */
interface PaceOptions {
  readonly signal?: AbortSignal | undefined
  readonly memory?: RequestMemory | undefined
}

/**
 * The pace of one long computation: it pauses about every ten milliseconds so that other work runs. Once its signal fires, `pause` rejects with the
 * signal's reason.
 */
export class Pace {
  readonly #signal: AbortSignal
  readonly #memory: RequestMemory | undefined

  /**
   * The work of a request takes the request's context. `signal` ends the work at its next pause; without a signal nothing does. `memory` is charged
   * with what its steps say they hold.
   */
  constructor({ signal = never, memory }: PaceOptions = {}) {
    this.#signal = signal
    this.#memory = memory
  }

  get signal(): AbortSignal {
    return this.#signal
  }

  /** Whether the work should call `pause` now. */
  get isDue(): boolean {
    return turns.isOverAt(performance.now())
  }

  async pause(): Promise<void> {
    await turns.next(this.#signal === never ? this : this.#signal)
    this.#signal.throwIfAborted()
    resumed.get(this.#signal)?.()
  }

  /** Charges the memory of the request, see `RequestMemory`. */
  hold(bytes: number): Promise<void> | undefined {
    return this.#memory?.hold(bytes)
  }
}

/**
 * A computation as a generator: each `yield` comes after a millisecond of work at most, and other work may run there. What it yields are
 * the bytes that it holds by now, where its input does not bound them.
 */
export type Steps<T> = Generator<number | undefined, T, void>

/** Whether item `i` of a loop, counted from 0, is the last of `size` that make a step: `if (endsStep(i, 1_000)) yield`. */
export function endsStep(i: number, size: number): boolean {
  return i % size === size - 1
}

/** Runs the steps to their end and returns their result, pausing whenever a turn is over. Rejects with the reason of the pace's signal. */
export async function runPaced<T>(pace: Pace, steps: Steps<T>): Promise<T> {
  try {
    if (pace.isDue) await pace.pause()
    for (;;) {
      const step = steps.next()
      if (step.done) return step.value
      const held = step.value === undefined ? undefined : pace.hold(step.value)
      if (held !== undefined) await held
      if (pace.isDue) await pace.pause()
    }
  } finally {
    // The signal has fired: `return` runs the generator's `finally` blocks, which free what it holds.
    steps.return(undefined as never)
  }
}

/** Runs the steps to their end without pausing and returns their result. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Items between two looks at the clock at most, and the milliseconds below which those since the last look count as quick. */
const [maxItems, quick] = [8, 0.1]

/** Whether a pause is due after one of many items. A look at the clock takes as long as a small item: quick ones are looked at together. */
class ItemPace {
  #items = 1
  #left = 1
  #looked = performance.now()

  get isDue(): boolean {
    if (--this.#left > 0) return false
    const now = performance.now()
    this.#items = now - this.#looked < quick ? Math.min(maxItems, 2 * this.#items) : 1
    this.#left = this.#items
    this.#looked = now
    return turns.isOverAt(now)
  }
}

/** Applies `work` to each item, pausing when needed; the results are in the order of the items. Rejects like `pace.pause`, and as `work` throws. */
export async function mapPaced<T, R>(pace: Pace, items: Iterable<T>, work: (item: T) => R): Promise<R[]> {
  const results: R[] = []
  await eachPaced(pace, items, item => void results.push(work(item)))
  return results
}

/** Calls `work` with each item in order, pausing when needed. Rejects like `mapPaced`. */
export async function eachPaced<T>(pace: Pace, items: Iterable<T>, work: (item: T) => void): Promise<void> {
  const itemPace = new ItemPace()
  for (const item of items) {
    work(item)
    if (itemPace.isDue) await pace.pause()
  }
}

/** Bytes copied without a pause; allocating new memory costs more than copying. */
const copyLength = 1 << 20

/** Joins the parts. A single part is returned as it is, without a copy. */
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
