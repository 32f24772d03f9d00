// One query from its text to its result.

import { type Pace, sortPaced } from '../../../core/index.ts'
import { slide, windowsOf } from '../functions/range.ts'
import { compareLabels } from '../functions/sort.ts'
import { type Expr, type MatrixSelector, type Subquery, unwrap, type ValueType } from '../language/ast.ts'
import { checkTypes } from '../language/check.ts'
import { QueryError } from '../language/error.ts'
import { type ParseLimits, parse } from '../language/parse.ts'
import { Annotations } from './annotation.ts'
import { Evaluation } from './evaluation.ts'
import { type Fetched, Fetcher } from './fetch.ts'
import { Budget, type QueryLimits } from './limits.ts'
import { type QueryTimes, resolveTimes } from './prepare.ts'
import { SampleCount } from './sample-count.ts'
import type { Grid, Value } from './series.ts'
import { evaluateInSlices } from './slices.ts'
import type { SeriesSource } from './source.ts'
import type { Samples } from './window.ts'

export interface QueryRequest {
  readonly text: string
  /** Milliseconds since 1970; an instant query has `start = end` and step 0. */
  readonly times: QueryTimes
  readonly instant: boolean
  /** Milliseconds a sample counts for. */
  readonly lookback: number
  readonly experimental: boolean
  /** Whether the samples that selectors see are counted. */
  readonly counted?: boolean
  readonly limits: QueryLimits & ParseLimits
}

export interface QueryAnswer {
  readonly type: ValueType
  readonly grid: Grid
  readonly value: Value | { readonly type: 'matrix'; readonly samples: readonly Samples[] }
  readonly warnings: readonly string[]
  readonly infos: readonly string[]
  /** Samples held at most at a time. */
  readonly samples: { readonly peak: number }
  readonly seen?: SampleCount
  /** Milliseconds. */
  readonly took: { readonly preparing: number; readonly computing: number; readonly sorting: number }
}

/** Milliseconds between the steps of a subquery that names none. */
const subqueryStep = 60_000

/** Parses and checks a query; returns the type of its result. Throws QueryError. */
export function readQuery({ text, experimental, limits }: Pick<QueryRequest, 'text' | 'experimental' | 'limits'>): {
  readonly expr: Expr
  readonly type: ValueType
} {
  const expr = parse(text, limits)
  return { expr, type: checkTypes(expr, { text, experimental }) }
}

/** Runs a query. Throws DbError. */
export async function runQuery(source: SeriesSource, request: QueryRequest, signal: AbortSignal): Promise<QueryAnswer> {
  const budget = new Budget(request.limits, signal)
  try {
    return await runWithin(budget, source, request)
  } finally {
    budget.close()
  }
}

async function runWithin(budget: Budget, source: SeriesSource, request: QueryRequest): Promise<QueryAnswer> {
  const { text, times, lookback, limits } = request
  const clock = [performance.now()]
  const { expr: parsed, type } = readQuery(request)
  if (!request.instant && (type === 'matrix' || type === 'string')) {
    const spoken = type === 'matrix' ? 'range vector' : 'string'
    const message = `invalid expression type "${spoken}" for range query, must be Scalar or instant Vector`
    throw new QueryError(text, 0, message)
  }
  const expr = resolveTimes(parsed, times)
  const count = request.instant ? 1 : Math.floor((times.end - times.start) / times.step) + 1
  if (!request.instant) budget.checkPoints(count)
  const grid: Grid = { start: times.start, step: times.step, count }
  const counted = request.counted === true
  const annotations = new Annotations(text)
  const seen = counted ? { seen: new SampleCount(grid) } : {}
  const fetcher = new Fetcher(source, expr, { lookback, subqueryStep, counted }, budget)
  const evaluationOf = (fetched: Fetched) =>
    new Evaluation({ fetched, annotations, budget, lookback, subqueryStep, query: times, ...seen })
  clock.push(performance.now())
  const value =
    type === 'matrix'
      ? await rawMatrix(evaluationOf(await fetcher.fetch(grid, budget.allowance(limits.maxSamples))), expr, grid)
      : await evaluateInSlices(expr, grid, { fetcher, budget, evaluationOf })
  clock.push(performance.now())
  const ordered = request.instant ? value : await inOrder(budget, value)
  const [begun, fetchedAt, computed] = clock as [number, number, number]
  return {
    type,
    grid,
    value: ordered,
    warnings: annotations.warnings,
    infos: annotations.infos,
    samples: { peak: budget.peak },
    ...seen,
    took: {
      preparing: fetchedAt - begun,
      computing: computed - fetchedAt,
      sorting: performance.now() - computed
    }
  }
}

/** The samples a range vector sees at the one time of an instant query. */
async function rawMatrix(evaluation: Evaluation, expr: Expr, grid: Grid) {
  const range = unwrap(expr) as MatrixSelector | Subquery
  const seen: Samples[] = []
  const windows = windowsOf(range, grid)
  for (const samples of await evaluation.range(range, grid)) {
    if (evaluation.budget.isDue) await evaluation.budget.pause()
    await slide(evaluation, windows, samples, (_, { f0, f1, h0, h1 }) => {
      const { labels, floats, histograms } = samples
      seen.push({
        labels,
        floats: { times: floats.times.subarray(f0, f1), values: floats.values.subarray(f0, f1) },
        histograms: { times: histograms.times.subarray(h0, h1), values: histograms.values.slice(h0, h1) }
      })
      return undefined
    })
  }
  return {
    type: 'matrix' as const,
    samples: await sortPaced(evaluation.budget, seen, (a, b) => compareLabels(a.labels, b.labels))
  }
}

/** A range query's series are sorted by their labels. */
async function inOrder(pace: Pace, value: QueryAnswer['value']): Promise<QueryAnswer['value']> {
  if (value.type !== 'vector') return value
  return { ...value, series: await sortPaced(pace, value.series, (a, b) => compareLabels(a.labels, b.labels)) }
}
