// What a query may cost.
import { DbError } from '../../../core/index.ts'

export interface QueryLimits {
  /** Samples a query may hold, those read and those computed. */
  readonly maxSamples: number
  /** Steps of one range. */
  readonly maxPoints: number
}

/** Milliseconds of computing after which other work gets its turn. */
const turn = 10

/** Counts what a query holds, lets others run, and ends it when nobody waits any more. */
export class Budget {
  readonly #limits: QueryLimits
  readonly #signal: AbortSignal
  #samples = 0
  #peak = 0
  #since = performance.now()

  constructor(limits: QueryLimits, signal: AbortSignal) {
    this.#limits = limits
    this.#signal = signal
  }

  get signal(): AbortSignal {
    return this.#signal
  }

  /** Samples held so far. */
  get samples(): number {
    return this.#samples
  }

  get peak(): number {
    return this.#peak
  }

  /** Throws when the query would hold more samples than allowed. */
  take(samples: number): void {
    this.#samples += samples
    this.#peak = Math.max(this.#peak, this.#samples)
    if (this.#samples <= this.#limits.maxSamples) return
    const message = `query processing would load too many samples into memory in query execution: more than ${this.#limits.maxSamples} (plugins.promql.max_samples)`
    throw new DbError('InvalidArguments', message)
  }

  checkPoints(count: number): void {
    const { maxPoints } = this.#limits
    // As its clients count: steps between the ends.
    if (count - 1 <= maxPoints) return
    const most = maxPoints.toLocaleString('en-US')
    const message = `exceeded maximum resolution of ${most} points per timeseries. Try decreasing the query resolution (?step=XX) (plugins.promql.max_points)`
    throw new DbError('InvalidArguments', message)
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
