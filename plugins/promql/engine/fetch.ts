// Fetches the samples of a query: all selectors with their time ranges, in parallel.
import { rangeFunctions } from '../functions/range-functions.ts'
import { type Call, children, type Expr, unwrap, type VectorSelector } from '../language/ast.ts'
import { entry } from './entry.ts'
import { gridOf, lookTime, subqueryGrid, subquerySlice } from './grid.ts'
import type { Allowance, Budget } from './limits.ts'
import type { Grid, Series } from './series.ts'
import type { RawSeries, Selection, SeriesSource } from './source.ts'

/** By selector of the prepared query. */
export type Fetched = ReadonlyMap<VectorSelector, Selected>

/** Series of a selector, read as samples or reduced to its steps. */
interface Selected {
  readonly raw: readonly RawSeries[]
  readonly reduced: readonly Series[]
}

interface Asked {
  readonly selection: Selection
  /** Whether it reads the same times at every step (`@`). */
  readonly fixed: boolean
}

interface FetchOptions {
  /** Milliseconds a sample counts for. */
  readonly lookback: number
  /** Milliseconds between the steps of a subquery that names none. */
  readonly subqueryStep: number
  /** Whether samples must be read, not reductions, in order to be counted. */
  readonly counted: boolean
}

/** Reads samples for a slice of a query's steps at a time. */
export class Fetcher {
  readonly #source: SeriesSource
  readonly #expr: Expr
  readonly #options: FetchOptions
  readonly #budget: Budget
  readonly #fixed = new Map<string, Promise<Selected>>()

  constructor(source: SeriesSource, expr: Expr, options: FetchOptions, budget: Budget) {
    this.#source = source
    this.#expr = expr
    this.#options = options
    this.#budget = budget
  }

  /** How far selectors look back before the first evaluation time at most, in milliseconds. */
  reach(grid: Grid): number {
    let reach = 0
    for (const { selection, fixed } of this.#collect(grid).values()) {
      if (!fixed) reach = Math.max(reach, selection.to - selection.from - (grid.count - 1) * grid.step)
    }
    return reach
  }

  /** Throws TooManySamples. */
  async fetch(grid: Grid, allowed: Allowance): Promise<Fetched> {
    const asked = new Map<string, Promise<Selected>>()
    const ofFixed = this.#budget.allowance(this.#budget.maxSamples)
    const read = ({ selection, fixed }: Asked) => {
      const known = fixed ? this.#fixed : asked
      return entry(known, JSON.stringify(selection), async () => {
        const found = await this.#source.select(selection, this.#budget.signal, fixed ? ofFixed : allowed)
        return { raw: found.filter(isRaw), reduced: found.filter(isReduced) }
      })
    }
    const found = await Promise.all(
      [...this.#collect(grid)].map(async ([node, one]) => [node, await read(one)] as const)
    )
    return new Map(found)
  }

  #collect(grid: Grid): Map<VectorSelector, Asked> {
    const selections = new Map<VectorSelector, Asked>()
    collect(this.#expr, { grid, fixed: false, sliced: false }, this.#options, selections)
    return selections
  }
}

function isReduced(series: RawSeries | Series): series is Series {
  return 'kinds' in series
}

function isRaw(series: RawSeries | Series): series is RawSeries {
  return !isReduced(series)
}

/** The steps at which an expression is evaluated; `fixed`: independent of the query's steps. */
interface StepGrid {
  readonly grid: Grid
  readonly fixed: boolean
  /** Whether it is evaluated in slices of steps, so that samples must be read, not reductions to these steps. */
  readonly sliced: boolean
}

function collect(expr: Expr, outer: StepGrid, options: FetchOptions, into: Map<VectorSelector, Asked>): void {
  const grid = gridOf(expr, outer.grid)
  const look = (selector: VectorSelector, range: number, name?: string) => {
    const [start, to] = [lookTime(grid, 0, selector), lookTime(grid, grid.count - 1, selector)]
    const step = selector.at === undefined ? grid.step : 0
    // The range is open at its left end.
    const selection = { matchers: selector.matchers, from: start - range + 1, to }
    const steps =
      name === undefined || options.counted || outer.sliced
        ? {}
        : { steps: { function: name, start, step, count: grid.count, range } }
    into.set(selector, {
      selection: { ...selection, ...steps },
      fixed: outer.fixed || selector.at !== undefined
    })
  }
  switch (expr.kind) {
    case 'selector':
      look(expr, options.lookback, 'latest')
      return
    case 'matrix':
      look(expr.selector, expr.range as number)
      return
    case 'subquery': {
      const inner = subqueryGrid(expr, grid, options.subqueryStep)
      const fixed = outer.fixed || expr.at !== undefined
      const sliced = outer.sliced || inner.count > subquerySlice
      if (inner.count > 0) collect(expr.expr, { grid: inner, fixed, sliced }, options, into)
      return
    }
    default:
      for (const child of children(expr)) {
        const inner = unwrap(child)
        if (inner.kind === 'matrix' && isReducible(expr)) look(inner.selector, inner.range as number, expr.name)
        else if (inner.kind === 'selector' && wantsSamples(expr)) look(inner, options.lookback)
        else collect(child, { ...outer, grid }, options, into)
      }
  }
}

/** Reductions are only possible for functions of one range vector. */
function isReducible(expr: Expr): expr is Call {
  return expr.kind === 'call' && expr.args.length === 1 && Object.hasOwn(rangeFunctions, expr.name)
}

/** Functions that need the times of an instant selector's samples. */
function wantsSamples(expr: Expr): boolean {
  return expr.kind === 'call' && (expr.name === 'timestamp' || expr.name === 'info')
}
