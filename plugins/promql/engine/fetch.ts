// The samples a query needs: every selector with the times it looks at, asked for at once.
import { children, type Expr, type Shift, type VectorSelector } from '../language/ast.ts'
import { type Allowance, allowance, type Budget } from './limits.ts'
import type { RawSeries, Selection, SeriesSource } from './source.ts'

/** By selector of the prepared query. */
export type Fetched = ReadonlyMap<VectorSelector, readonly RawSeries[]>

export interface Interval {
  readonly from: number
  readonly to: number
}

interface Asked {
  readonly selection: Selection
  /** It looks at the same times whatever the evaluation times are. */
  readonly fixed: boolean
}

/** Reads samples for one part of a query's steps after the other. */
export class Fetcher {
  readonly #source: SeriesSource
  readonly #expr: Expr
  readonly #lookback: number
  readonly #budget: Budget
  readonly #fixed = new Map<string, Promise<readonly RawSeries[]>>()

  constructor(source: SeriesSource, expr: Expr, lookback: number, budget: Budget) {
    this.#source = source
    this.#expr = expr
    this.#lookback = lookback
    this.#budget = budget
  }

  /** Milliseconds before the first of some evaluation times that selectors look at, at most. */
  reach(times: Interval): number {
    let reach = 0
    for (const { selection, fixed } of this.#collect(times).values()) {
      if (!fixed) reach = Math.max(reach, selection.to - selection.from - (times.to - times.from))
    }
    return reach
  }

  /** For first and last evaluation time. Throws TooManySamples. */
  async fetch(times: Interval, room: Allowance): Promise<Fetched> {
    const asked = new Map<string, Promise<readonly RawSeries[]>>()
    const ofFixed = allowance(this.#budget.maxSamples)
    const read = ({ selection, fixed }: Asked) => {
      const known = fixed ? this.#fixed : asked
      const key = JSON.stringify(selection)
      let samples = known.get(key)
      if (samples === undefined) {
        samples = this.#source.select(selection, this.#budget.signal, fixed ? ofFixed : room)
        known.set(key, samples)
      }
      return samples
    }
    const found = await Promise.all(
      [...this.#collect(times)].map(async ([node, one]) => [node, await read(one)] as const)
    )
    return new Map(found)
  }

  #collect(times: Interval): Map<VectorSelector, Asked> {
    const selections = new Map<VectorSelector, Asked>()
    collect(this.#expr, times, this.#lookback, false, selections)
    return selections
  }
}

function collect(
  expr: Expr,
  times: Interval,
  lookback: number,
  fixed: boolean,
  into: Map<VectorSelector, Asked>
): void {
  const look = (selector: VectorSelector, back: number) => {
    const { from, to } = shifted(times, selector)
    // The left end of what is looked at is not part of it.
    const selection = { matchers: selector.matchers, from: from - back + 1, to }
    into.set(selector, { selection, fixed: fixed || selector.at !== undefined })
  }
  switch (expr.kind) {
    case 'selector':
      look(expr, lookback)
      return
    case 'matrix':
      look(expr.selector, expr.range as number)
      return
    case 'subquery': {
      const { from, to } = shifted(times, expr)
      const inner = { from: from - (expr.range as number), to }
      collect(expr.expr, inner, lookback, fixed || expr.at !== undefined, into)
      return
    }
    default:
      for (const child of children(expr)) collect(child, times, lookback, fixed, into)
  }
}

function shifted(times: Interval, { at, offset }: Shift): Interval {
  const [from, to] = at === undefined ? [times.from, times.to] : [at as number, at as number]
  return { from: from - (offset as number), to: to - (offset as number) }
}
