// Evaluates a long range query in slices of steps where all steps together would hold too many samples. Steps are independent.
import { eachPaced } from '../../../core/index.ts'
import type { Expr } from '../language/ast.ts'
import type { Evaluation } from './evaluation.ts'
import type { Fetched, Fetcher } from './fetch.ts'
import { type Budget, TooManySamples } from './limits.ts'
import { type Grid, newSeries, put, type Series, sizeOf, timeOf, type Value } from './series.ts'

/** The fraction of the query's sample limit that one slice may read. */
const share = 1 / 5

interface Slicing {
  readonly fetcher: Fetcher
  readonly budget: Budget
  readonly evaluationOf: (fetched: Fetched) => Evaluation
}

export async function evaluateInSlices(expr: Expr, grid: Grid, slicing: Slicing): Promise<Value> {
  const { fetcher, budget, evaluationOf } = slicing
  const reach = fetcher.reach(grid)
  const whole = new Whole(grid, budget)
  let width = grid.count
  for (let first = 0; first < grid.count; ) {
    const slice: Grid = { ...grid, start: timeOf(grid, first), count: Math.min(width, grid.count - first) }
    // Smaller slices do not help where each step looks far back.
    const divisible = slice.count > 1 && slice.count * grid.step > reach
    const allowed = budget.allowance(divisible ? Math.floor(budget.maxSamples * share) : budget.maxSamples)
    let fetched: Fetched
    try {
      fetched = await fetcher.fetch(slice, allowed)
    } catch (error) {
      if (!divisible || !(error instanceof TooManySamples)) throw error
      allowed.release()
      width = Math.max(1, slice.count >> 2)
      continue
    }
    const value = await evaluationOf(fetched).value(expr, slice)
    if (slice.count === grid.count) return value
    await whole.add(value, first)
    first += slice.count
    if (allowed.taken < (budget.maxSamples * share) / 3) width = Math.min(grid.count, width * 2)
    allowed.release()
    await budget.pause()
  }
  return whole.value
}

/** Concatenates the values of slices. */
class Whole {
  readonly #grid: Grid
  readonly #budget: Budget
  readonly #series = new Map<string, Series>()
  #scalar: Float64Array | undefined

  constructor(grid: Grid, budget: Budget) {
    this.#grid = grid
    this.#budget = budget
  }

  get value(): Value {
    if (this.#scalar !== undefined) return { type: 'scalar', values: this.#scalar }
    return { type: 'vector', series: [...this.#series.values()] }
  }

  async add(value: Value, first: number): Promise<void> {
    const { count } = this.#grid
    if (value.type === 'scalar') {
      this.#scalar ??= new Float64Array(count)
      this.#scalar.set(value.values, first)
    }
    if (value.type === 'vector') await eachPaced(this.#budget, value.series, series => this.#addSeries(series, first))
    this.#budget.releaseTo(this.#budget.samples - sizeOf(value))
  }

  #addSeries({ labels, kinds, values, histograms }: Series, first: number): void {
    let series = this.#series.get(labels.key)
    if (series === undefined) {
      series = newSeries(labels, this.#grid.count)
      this.#series.set(labels.key, series)
      this.#budget.take(this.#grid.count)
    }
    series.kinds.set(kinds, first)
    series.values.set(values, first)
    if (histograms === undefined) return
    for (let step = 0; step < kinds.length; step++) if (kinds[step] === 2) put(series, first + step, histograms[step])
  }
}
