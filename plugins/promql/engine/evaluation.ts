// Evaluates a prepared query: each expression becomes one value over all steps.
import { DbError, eachPaced, mapPaced, type Pace, runPaced } from '../../../core/index.ts'
import { callFunction } from '../functions/index.ts'
import { type Histogram, scale } from '../histogram/histogram.ts'
import type { Expr, MatrixSelector, Subquery, Unary, VectorSelector } from '../language/ast.ts'
import { aggregate } from './aggregate.ts'
import type { Annotations } from './annotation.ts'
import { binary } from './binary.ts'
import { entry } from './entry.ts'
import type { Fetched } from './fetch.ts'
import { gridOf, subqueryGrid, subquerySlice } from './grid.ts'
import type { Budget } from './limits.ts'
import { mapSeries } from './map.ts'
import type { SampleCount } from './sample-count.ts'
import { selectVector } from './select.ts'
import { broadcast, type Grid, none, type Series, sizeOf, timeOf, type Value } from './series.ts'
import type { RawSeries } from './source.ts'
import { pieceSamples } from './steps.ts'
import { noHistograms, type Samples, withoutStale, withoutStaleSteps } from './window.ts'

interface EvaluationOptions {
  readonly fetched: Fetched
  readonly annotations: Annotations
  readonly budget: Budget
  /** Lookback delta in milliseconds. */
  readonly lookback: number
  /** Default step of subqueries, in milliseconds. */
  readonly subqueryStep: number
  /** Start and end of the query. */
  readonly query: { readonly start: number; readonly end: number; readonly step: number }
  /** Counts the samples that selectors see; absent where no statistics are requested. */
  readonly seen?: SampleCount
}

export class Evaluation {
  readonly annotations: Annotations
  readonly budget: Budget
  readonly lookback: number
  readonly query: EvaluationOptions['query']
  readonly seen: SampleCount | undefined
  readonly #fetched: Fetched
  readonly #subqueryStep: number
  readonly #live = new Map<VectorSelector, readonly Samples[]>()

  constructor(parts: EvaluationOptions) {
    this.annotations = parts.annotations
    this.budget = parts.budget
    this.lookback = parts.lookback
    this.query = parts.query
    this.seen = parts.seen
    this.#fetched = parts.fetched
    this.#subqueryStep = parts.subqueryStep
  }

  /** Series of a selector that were read as samples. */
  samples(selector: VectorSelector): readonly RawSeries[] {
    return this.#fetched.get(selector)!.raw
  }

  /** Series of a selector that were read reduced to the grid's steps, by the expression around it. */
  reduced(selector: VectorSelector, grid: Grid): readonly Series[] {
    const { reduced } = this.#fetched.get(selector)!
    const wrong = reduced.find(({ kinds }) => kinds.length !== grid.count)
    if (wrong === undefined) return reduced
    throw new DbError('Unexpected', `a selector was reduced to ${wrong.kinds.length} steps, expected ${grid.count}`)
  }

  /** The value of an expression that is not a range vector. */
  async value(expr: Expr, grid: Grid): Promise<Value> {
    if (this.budget.isDue) await this.budget.pause()
    if (expr.kind === 'paren') return this.value(expr.expr, grid)
    const before = this.budget.samples
    const own = gridOf(expr, grid)
    const computed = await this.#compute(expr, own)
    const value = own.count < grid.count ? await broadcast(this.budget, computed, grid.count) : computed
    this.hold(before, value)
    return value
  }

  /** Accounts for a value and releases its operands. `before`: samples held before the operands were computed. */
  hold(before: number, value: Value): void {
    const size = sizeOf(value)
    this.budget.take(size)
    this.budget.releaseTo(before + size)
  }

  async vector(expr: Expr, grid: Grid): Promise<readonly Series[]> {
    const value = await this.value(expr, grid)
    if (value.type !== 'vector') throw wrongType('vector', value.type)
    return value.series
  }

  /** By step. */
  async scalar(expr: Expr, grid: Grid): Promise<Float64Array> {
    const value = await this.value(expr, grid)
    if (value.type !== 'scalar') throw wrongType('scalar', value.type)
    return value.values
  }

  /** The text of a string expression. */
  text(expr: Expr): string {
    if (expr.kind === 'paren') return this.text(expr.expr)
    if (expr.kind !== 'string') throw wrongType('string', expr.kind)
    return expr.value
  }

  /** The samples of a range vector over all steps of a grid. */
  async range(expr: MatrixSelector | Subquery, grid: Grid): Promise<readonly Samples[]> {
    if (expr.kind === 'subquery') return this.#subquery(expr, grid)
    let live = this.#live.get(expr.selector)
    if (live === undefined) {
      const all: Samples[] = []
      for (const series of this.samples(expr.selector)) {
        all.push(
          series.floats.times.length <= pieceSamples && series.histograms === undefined
            ? withoutStale(series)
            : await runPaced(this.budget, withoutStaleSteps(series))
        )
        if (this.budget.isDue) await this.budget.pause()
      }
      live = all
      this.#live.set(expr.selector, live)
    }
    return live
  }

  async #compute(expr: Expr, grid: Grid): Promise<Value> {
    switch (expr.kind) {
      case 'number':
        return { type: 'scalar', values: new Float64Array(grid.count).fill(expr.value) }
      case 'string':
        return { type: 'string', text: expr.value }
      case 'selector':
        return { type: 'vector', series: await selectVector(this, expr, grid) }
      case 'unary':
        return this.#unary(expr, grid)
      case 'call':
        return callFunction(this, expr, grid)
      case 'aggregation':
        return aggregate(this, expr, grid)
      case 'binary':
        return binary(this, expr, grid)
      default:
        throw wrongType('vector', expr.kind)
    }
  }

  async #unary({ op, expr }: Unary, grid: Grid): Promise<Value> {
    const value = await this.value(expr, grid)
    if (op === '+' || value.type === 'string') return value
    if (value.type === 'scalar') return { type: 'scalar', values: value.values.map(each => -each) }
    const negated = await mapSeries(
      this.budget,
      value.series,
      float => -float,
      histogram => scale(histogram, -1)
    )
    return { type: 'vector', series: negated }
  }

  /** Evaluates the expression at the subquery's steps, which are multiples of its step size. */
  async #subquery(expr: Subquery, grid: Grid): Promise<readonly Samples[]> {
    const inner = subqueryGrid(expr, grid, this.#subqueryStep)
    const { count } = inner
    if (count === 0) return []
    // Checked even without series, because the steps themselves take memory.
    const before = this.budget.samples
    this.budget.take(count)
    this.budget.releaseTo(before)
    if (count <= subquerySlice) {
      return mapPaced(this.budget, await this.vector(expr.expr, inner), series => toSamples(series, inner))
    }
    const parts = new Map<string, Samples[]>()
    let held = 0
    for (let first = 0; first < count; first += subquerySlice) {
      const slice = { ...inner, start: timeOf(inner, first), count: Math.min(subquerySlice, count - first) }
      await eachPaced(this.budget, await this.vector(expr.expr, slice), series => {
        const samples = toSamples(series, slice)
        entry(parts, series.labels.key, () => []).push(samples)
        held += sizeOfSamples(samples)
      })
      this.budget.releaseTo(before)
      this.budget.take(held)
      await this.budget.pause()
    }
    const joined: Samples[] = []
    for (const each of parts.values()) {
      const size = each.reduce((sum, part) => sum + sizeOfSamples(part), 0)
      // Both the parts and what is joined from them are held meanwhile.
      this.budget.take(size)
      joined.push(await joinSamples(this.budget, each))
      each.length = 0
      this.budget.releaseTo(this.budget.samples - size)
    }
    return joined
  }
}

function sizeOfSamples({ floats, histograms }: Samples): number {
  return floats.times.length + histograms.times.length
}

function toSamples({ labels, kinds, values, histograms }: Series, grid: Grid): Samples {
  const count = kinds.reduce((sum, kind) => sum + (kind === 1 ? 1 : 0), 0)
  const floats = { times: new Float64Array(count), values: new Float64Array(count) }
  const others: number[] = []
  let n = 0
  for (let step = 0; step < grid.count; step++) {
    if (kinds[step] === none) continue
    if (kinds[step] === 1) {
      floats.times[n] = timeOf(grid, step)
      floats.values[n++] = values[step]!
    } else others.push(step)
  }
  return {
    labels,
    floats,
    histograms:
      others.length === 0
        ? noHistograms
        : {
            times: Float64Array.from(others, step => timeOf(grid, step)),
            values: others.map(step => withoutResetHint(histograms![step]!))
          }
  }
}

/** Joins samples of one series, in the order of their times. */
async function joinSamples(pace: Pace, parts: readonly Samples[]): Promise<Samples> {
  const [first] = parts as [Samples, ...Samples[]]
  if (parts.length === 1) return first
  const count = parts.reduce((sum, { floats }) => sum + floats.times.length, 0)
  const floats = { times: new Float64Array(count), values: new Float64Array(count) }
  const others: { times: number[]; values: Histogram[] } = { times: [], values: [] }
  let at = 0
  await eachPaced(pace, parts, part => {
    floats.times.set(part.floats.times, at)
    floats.values.set(part.floats.values, at)
    at += part.floats.times.length
    for (const time of part.histograms.times) others.times.push(time)
    for (const value of part.histograms.values) others.values.push(value)
  })
  const histograms = others.times.length === 0 ? noHistograms : { ...others, times: Float64Array.from(others.times) }
  return { labels: first.labels, floats, histograms }
}

/** A subquery may see a sample several times or never, so reset hints about the previous sample are not valid. */
function withoutResetHint(histogram: Histogram): Histogram {
  return histogram.hint === 'reset' || histogram.hint === 'no-reset' ? { ...histogram, hint: 'unknown' } : histogram
}

function wrongType(wanted: string, found: string): DbError {
  return new DbError('Unexpected', `an expression is a ${found} where a ${wanted} was expected`)
}
