// Functions of range vectors: a window slides over each series.
import type { Annotations } from '../engine/annotation.ts'
import { forMetric } from '../engine/annotation.ts'
import type { Evaluation } from '../engine/evaluation.ts'
import { metricName } from '../engine/labels.ts'
import { mergeEqual } from '../engine/map.ts'
import { lookTimes } from '../engine/select.ts'
import { type Grid, isEmpty, put, type Series, seriesMaker, timeOf, type Value } from '../engine/series.ts'
import { moveWindow, newWindow, type Samples, type Window } from '../engine/window.ts'
import type { Histogram } from '../histogram/histogram.ts'
import { type Call, type Expr, type MatrixSelector, type Subquery, unwrap } from '../language/ast.ts'
import type { Implementation } from './call.ts'

/** What a range function knows of the series it is applied to. */
export interface RangeCall {
  readonly samples: Samples
  /** Of the series, '' when it has none. */
  readonly metric: string
  /** The range vector's expression, which annotations point to. */
  readonly where: Expr
  readonly annotations: Annotations
  /** Milliseconds. */
  readonly range: number
  /** Scalar arguments by place, then by step. */
  readonly scalars: readonly (Float64Array | undefined)[]
  readonly call: Call
}

/** The value of a window that is not empty; undefined: nothing comes out. */
export type WindowFunction = (window: Window) => number | Histogram | undefined

/** Made for each series, so that what does not depend on the window is computed once. */
export type RangeFunction = (call: RangeCall) => WindowFunction

export interface RangeOptions {
  /** The result is still a value of the metric. */
  readonly keepName?: boolean
}

export function overRange(make: RangeFunction, { keepName = false }: RangeOptions = {}): Implementation {
  return async (evaluation, call, grid) => {
    const place = call.args.findIndex(each => isRange(unwrap(each)))
    const where = unwrap(call.args[place]!) as MatrixSelector | Subquery
    const all = await evaluation.range(where, grid)
    const scalars = await scalarArguments(evaluation, call, grid)
    const range = where.range as number
    const { annotations, budget } = evaluation
    const results: Series[] = []
    const empty = seriesMaker(grid.count)
    const windows = windowsOf(where, grid)
    const before = budget.samples
    for (const samples of all) {
      const metric = samples.labels.get(metricName)
      const work = make({ samples, metric, where: call.args[place]!, annotations, range, scalars, call })
      const labels = keepName ? samples.labels : samples.labels.unnamed()
      const series = empty(labels)
      await slide(evaluation, windows, samples, (step, window) => {
        const value = work(window)
        if (typeof value === 'number') {
          series.kinds[step] = 1
          series.values[step] = value
        } else put(series, step, value)
      })
      if (!isEmpty(series)) {
        results.push(series)
        budget.take(grid.count)
      }
      if (budget.isDue) await budget.pause()
    }
    // It is counted as the value it becomes.
    budget.releaseTo(before)
    return { type: 'vector', series: await mergeEqual(budget, results) } satisfies Value
  }
}

/** Where the windows of a range vector lie. */
export interface Windows {
  readonly grid: Grid
  /** By step, milliseconds; a window begins `range` before its end. */
  readonly ends: Float64Array
  readonly range: number
  /** What a subquery sees was counted where it was computed. */
  readonly counted: boolean
}

export function windowsOf(where: MatrixSelector | Subquery, grid: Grid): Windows {
  const isMatrix = where.kind === 'matrix'
  const ends = lookTimes(grid, isMatrix ? where.selector : where)
  return { grid, ends, range: where.range as number, counted: isMatrix }
}

/** Samples looked at after which it is asked whether others have waited long enough. */
const fewSamples = 4_096

/** Calls back with the window of each step at which it holds anything. */
export async function slide(
  { seen, budget }: Pick<Evaluation, 'seen' | 'budget'>,
  { grid, ends, range, counted }: Windows,
  samples: Samples,
  visit: (step: number, window: Window) => void
): Promise<void> {
  const window = newWindow()
  let looked = 0
  for (let step = 0; step < ends.length; step++) {
    const end = ends[step]!
    moveWindow(window, samples, end - range, end)
    const size = window.f1 - window.f0 + window.h1 - window.h0
    if (size === 0) continue
    window.time = timeOf(grid, step)
    window.step = step
    if (counted) seen?.add(grid, step, size)
    visit(step, window)
    looked += 1 + size
    if (looked < fewSamples) continue
    looked = 0
    if (budget.isDue) await budget.pause()
  }
}

function isRange({ kind }: Expr): boolean {
  return kind === 'matrix' || kind === 'subquery'
}

async function scalarArguments(evaluation: Evaluation, call: Call, grid: Grid) {
  const scalars: (Float64Array | undefined)[] = []
  for (const each of call.args) scalars.push(isRange(unwrap(each)) ? undefined : await evaluation.scalar(each, grid))
  return scalars
}

export function warnMixed({ annotations, where, metric }: RangeCall): void {
  annotations.warn(where, ...forMetric('encountered a mix of histograms and floats', metric))
}

export function warnLayouts({ annotations, where, metric }: RangeCall): void {
  const message = 'vector contains a mix of histograms with exponential and custom buckets schemas'
  annotations.warn(where, ...forMetric(message, metric))
}

/** For functions that look at floats alone: says so where a window has both. */
export function tellIgnored({ annotations, where, metric }: RangeCall, { f0, f1, h0, h1 }: Window): void {
  if (f1 === f0 || h1 === h0) return
  annotations.info(where, ...forMetric('ignored histograms in a range containing both floats and histograms', metric))
}
