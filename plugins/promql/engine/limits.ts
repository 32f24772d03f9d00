// Limits of a query.
import { DbError, Pace } from '../../../core/index.ts'

export interface QueryLimits {
  /** Samples a query may hold at a time, those read and those computed. */
  readonly maxSamples: number
  /** Steps of one range query. */
  readonly maxPoints: number
  /** Of all queries; undefined: they are not counted together. */
  readonly total?: TotalSamples
}

/** Memory of a sample that is held, on which the defaults of the limits are based: a time and a value. */
export const bytesPerSample = 16
/** Memory of a series that is held, in samples: its labels, and where its samples lie. */
const samplesPerSeries = 30

/** Samples that all running queries hold together, those read and those computed. */
export class TotalSamples {
  readonly #max: () => number
  #held = 0

  constructor(max: () => number) {
    this.#max = max
  }

  get held(): number {
    return this.#held
  }

  /** Throws DbError `RateLimited` and counts nothing when queries would hold more than they may. */
  take(samples: number): void {
    if (this.#held + samples > this.#max()) {
      const message = `the running queries would hold more than ${this.#max()} samples together (plugins.promql.max_total_samples)`
      throw new DbError('RateLimited', message, { retryAfter: 1 })
    }
    this.#held += samples
  }

  release(samples: number): void {
    this.#held -= samples
  }
}

/** Counts the samples that a query holds, yields to other requests, and throws when the query is aborted. */
export class Budget extends Pace {
  readonly #limits: QueryLimits
  #samples = 0
  /** Samples read, with the memory of their series. */
  #read = 0
  #peak = 0
  #isClosed = false

  constructor(limits: QueryLimits, signal: AbortSignal) {
    super({ signal })
    this.#limits = limits
  }

  get maxSamples(): number {
    return this.#limits.maxSamples
  }

  /** Samples held now: those of values that are still needed. */
  get samples(): number {
    return this.#samples
  }

  get peak(): number {
    return this.#peak
  }

  /** Throws when the query, or all queries together, would hold more samples than allowed. */
  take(samples: number): void {
    this.#limits.total?.take(samples)
    this.#samples += samples
    this.#peak = Math.max(this.#peak, this.#samples)
    if (this.#samples > this.#limits.maxSamples) throw tooManySamples(this.#limits.maxSamples)
  }

  /** Sets the number of held samples: all others were released. */
  releaseTo(samples: number): void {
    this.#limits.total?.release(this.#samples - samples)
    this.#samples = samples
  }

  /** For samples read for one part of the query, at most so many; they count until they are released, or the query ends. */
  allowance(most: number): ReadAllowance {
    let [taken, held] = [0, 0]
    return {
      get taken() {
        return taken
      },
      take: (samples, series = 0) => {
        // Of several selectors that are read at the same time one may have failed.
        if (this.#isClosed) throw new DbError('Cancelled', 'the query has ended')
        if (taken + samples > most) throw new TooManySamples(most)
        const all = samples + series * samplesPerSeries
        this.#limits.total?.take(all)
        taken += samples
        held += all
        this.#read += all
      },
      release: () => {
        this.#limits.total?.release(held)
        this.#read -= held
        taken = held = 0
      }
    }
  }

  /** The query has ended: it holds nothing. */
  close(): void {
    this.#limits.total?.release(this.#samples + this.#read)
    this.#samples = 0
    this.#read = 0
    this.#isClosed = true
  }

  checkPoints(count: number): void {
    const { maxPoints } = this.#limits
    // Counted as Prometheus does: steps between start and end.
    if (count - 1 <= maxPoints) return
    const most = maxPoints.toLocaleString('en-US')
    const message = `exceeded maximum resolution of ${most} points per timeseries. Try decreasing the query resolution (?step=XX) (plugins.promql.max_points)`
    throw new DbError('InvalidArguments', message)
  }
}

/** Limits the samples read for one part of a query. */
export interface Allowance {
  /** `series`: new ones among them, which take memory of their own. Throws TooManySamples, and DbError `RateLimited` like `TotalSamples`. */
  take(samples: number, series?: number): void
}

interface ReadAllowance extends Allowance {
  readonly taken: number
  /** What was read is not used any more. */
  release(): void
}

/** One part of a query reads more samples than allowed; thrown so that the query is retried with fewer steps per part. */
export class TooManySamples extends DbError {
  constructor(most: number) {
    super('InvalidArguments', tooManyMessage(most), { status: 422 })
  }
}

function tooManySamples(most: number): DbError {
  return new DbError('InvalidArguments', tooManyMessage(most), { status: 422 })
}

function tooManyMessage(most: number): string {
  return `query processing would load too many samples into memory in query execution: more than ${most} at a time (plugins.promql.max_samples)`
}
