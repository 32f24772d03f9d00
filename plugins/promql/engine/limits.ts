// Limits of a query.
import { DbError, Pace } from '../../../core/index.ts'

export interface QueryLimits {
  /** Samples a query may hold at a time, those read and those computed. */
  readonly maxSamples: number
  /** Steps of one range query. */
  readonly maxPoints: number
}

/** Counts the samples that a query holds, yields to other requests, and throws when the query is aborted. */
export class Budget extends Pace {
  readonly #limits: QueryLimits
  #samples = 0
  #peak = 0

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

  /** Throws when the query would hold more samples than allowed. */
  take(samples: number): void {
    this.#samples += samples
    this.#peak = Math.max(this.#peak, this.#samples)
    if (this.#samples > this.#limits.maxSamples) throw tooManySamples(this.#limits.maxSamples)
  }

  /** Sets the number of held samples: all others were released. */
  releaseTo(samples: number): void {
    this.#samples = samples
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
  /** Throws TooManySamples. */
  take(samples: number): void
}

/** One part of a query reads more samples than allowed; thrown so that the query is retried with fewer steps per part. */
export class TooManySamples extends DbError {
  constructor(most: number) {
    super('InvalidArguments', tooManyMessage(most), { status: 422 })
  }
}

export function allowance(most: number): Allowance & { readonly taken: number } {
  let taken = 0
  return {
    get taken() {
      return taken
    },
    take(samples) {
      taken += samples
      if (taken > most) throw new TooManySamples(most)
    }
  }
}

function tooManySamples(most: number): DbError {
  return new DbError('InvalidArguments', tooManyMessage(most), { status: 422 })
}

function tooManyMessage(most: number): string {
  return `query processing would load too many samples into memory in query execution: more than ${most} at a time (plugins.promql.max_samples)`
}
