// Quantiles and fractions of classic and native histograms. A classic histogram consists of series that differ only in `le`.

import { forMetric } from '../engine/annotation.ts'
import { entry } from '../engine/entry.ts'
import { executionError } from '../engine/error.ts'
import type { Evaluation } from '../engine/evaluation.ts'
import { grouping, groupLabels, type Labels, metricName } from '../engine/labels.ts'
import { mergeEqual } from '../engine/map.ts'
import { fixedFloat, formatFloat } from '../engine/number.ts'
import { type Grid, isEmpty, newSeries, type Series, timeOf, type Value } from '../engine/series.ts'
import { type ClassicBucket, classicFraction, classicQuantile } from '../histogram/classic.ts'
import type { Histogram } from '../histogram/histogram.ts'
import { fractionOf, quantileOf } from '../histogram/quantile.ts'
import type { Call, Expr } from '../language/ast.ts'
import { parseBound } from '../language/literal.ts'
import { argument, type Family } from './call.ts'

const bucketLabel: ReadonlySet<string> = new Set(['le'])

/** The series of one histogram: one per bound if classic, a single one if native. */
interface Found {
  readonly labels: Labels
  readonly metric: string
  readonly buckets: { readonly series: Series; readonly upper: number }[]
  readonly natives: Series[]
}

/** A function of one histogram at a step. */
interface Reading {
  classic(buckets: ClassicBucket[], found: Found, step: number): number
  native(histogram: Histogram, found: Found, step: number): number
}

async function readAll(
  evaluation: Evaluation,
  where: Expr,
  series: readonly Series[],
  grid: Grid,
  reading: Reading
): Promise<Series[]> {
  const results: Series[] = []
  for (const found of await gather(evaluation, where, series)) {
    const result = newSeries(found.labels, grid.count)
    for (let step = 0; step < grid.count; step++) {
      const value = readOne(evaluation, where, found, step, reading)
      if (value === undefined) continue
      result.kinds[step] = 1
      result.values[step] = value
    }
    if (!isEmpty(result)) results.push(result)
    if (evaluation.budget.isDue) await evaluation.budget.pause()
  }
  return results
}

function readOne(
  evaluation: Evaluation,
  where: Expr,
  found: Found,
  step: number,
  reading: Reading
): number | undefined {
  const native = found.natives.find(({ kinds }) => kinds[step] === 2)
  const buckets = found.buckets
    .filter(({ series }) => series.kinds[step] === 1)
    .map(({ series, upper }) => ({ upper, count: series.values[step]! }))
  if (native !== undefined && buckets.length > 0) {
    const message = 'vector contains a mix of classic and native histograms'
    evaluation.annotations.warn(where, ...forMetric(message, found.metric))
    return undefined
  }
  if (native !== undefined) return reading.native(native.histograms![step]!, found, step)
  return buckets.length > 0 ? reading.classic(buckets, found, step) : undefined
}

/** Groups by all labels except `le` and the name; two metrics in one result are an error later. */
async function gather(evaluation: Evaluation, where: Expr, series: readonly Series[]): Promise<Iterable<Found>> {
  const all = new Map<string, Found>()
  const keyOf = grouping(bucketLabel, true)
  for (const each of series) {
    if (evaluation.budget.isDue) await evaluation.budget.pause()
    const metric = each.labels.get(metricName)
    const key = `${metric}\u0000${keyOf(each.labels)}`
    const labels = () => groupLabels(each.labels, bucketLabel, true)
    const found = () => entry(all, key, () => ({ labels: labels(), metric, buckets: [], natives: [] }))
    if (each.kinds.includes(2)) {
      const own =
        each.labels.get('le') === ''
          ? found()
          : entry(all, each.labels.key, () => ({ labels: each.labels.unnamed(), metric, buckets: [], natives: [] }))
      own.natives.push(each)
    }
    if (!each.kinds.includes(1)) continue
    const le = each.labels.get('le')
    const upper = le === '' ? undefined : parseBound(le)
    if (upper === undefined) warnBound(evaluation, where, le, metric)
    else found().buckets.push({ series: each, upper })
  }
  return all.values()
}

function warnBound({ annotations }: Evaluation, where: Expr, le: string, metric: string): void {
  const message = `bucket label "le" is missing or has a malformed value of ${JSON.stringify(le)}`
  annotations.warn(where, ...forMetric(message, metric))
}

function warnQuantile({ annotations }: Evaluation, where: Expr, q: number): void {
  if (!(q >= 0 && q <= 1)) annotations.warn(where, `quantile value should be between 0 and 1, got ${formatFloat(q)}`)
}

/** Reads the quantile of each step, and annotates values outside 0 to 1. */
function quantileReading(evaluation: Evaluation, where: Expr, quantiles: Float64Array, grid: Grid): Reading {
  const { annotations } = evaluation
  return {
    classic(buckets, { metric }, step) {
      const { value, forced } = classicQuantile(quantiles[step]!, buckets)
      if (forced !== undefined) {
        const about = forMetric(
          'input to histogram_quantile needed to be fixed for monotonicity (see https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile)',
          metric
        )
        const time = timeOf(grid, step)
        const [message, name] = about
        annotations.forced(where, message, { ...forced, first: time, last: time, samples: 1 }, name)
      }
      return value
    },
    native(histogram, { metric }, step) {
      const [value, trouble] = quantileOf(quantiles[step]!, histogram)
      const result = trouble === 'result' ? 'result is NaN' : 'result is skewed higher'
      const message = `input to histogram_quantile has NaN observations, ${result}`
      if (trouble !== undefined) annotations.info(where, ...forMetric(message, metric))
      return value
    }
  }
}

async function histogramQuantile(evaluation: Evaluation, call: Call, grid: Grid): Promise<Value> {
  const where = argument(call, 1)
  const quantiles = await evaluation.scalar(argument(call, 0), grid)
  const series = await evaluation.vector(where, grid)
  for (const q of quantiles) warnQuantile(evaluation, argument(call, 0), q)
  const reading = quantileReading(evaluation, where, quantiles, grid)
  return {
    type: 'vector',
    series: await mergeEqual(evaluation.budget, await readAll(evaluation, where, series, grid, reading))
  }
}

/** Several quantiles, distinguished by a label. */
async function histogramQuantiles(evaluation: Evaluation, call: Call, grid: Grid): Promise<Value> {
  const where = argument(call, 0)
  const series = await evaluation.vector(where, grid)
  const label = evaluation.text(argument(call, 1))
  const results: Series[] = []
  for (const each of call.args.slice(2)) {
    const quantiles = await evaluation.scalar(each, grid)
    for (const q of quantiles) warnQuantile(evaluation, each, q)
    const found = await readAll(evaluation, where, series, grid, quantileReading(evaluation, where, quantiles, grid))
    for (const one of found) {
      if (one.labels.get(label) !== '')
        throw executionError(`label "${label}" of histogram_quantiles() is already a label of the histogram`)
      results.push({ ...one, labels: one.labels.with(new Map([[label, quantileText(quantiles[0]!)]])) })
    }
  }
  return { type: 'vector', series: await mergeEqual(evaluation.budget, results) }
}

/** As `le` is written: `1.0`, `0.25`. */
function quantileText(q: number): string {
  const text = fixedFloat(q)
  return Number.isInteger(q) ? `${text}.0` : text
}

async function histogramFraction(evaluation: Evaluation, call: Call, grid: Grid): Promise<Value> {
  const where = argument(call, 2)
  const [lower, upper] = [
    await evaluation.scalar(argument(call, 0), grid),
    await evaluation.scalar(argument(call, 1), grid)
  ]
  const series = await evaluation.vector(where, grid)
  const reading: Reading = {
    classic: (buckets, _, step) => classicFraction(lower[step]!, upper[step]!, buckets),
    native(histogram, { metric }, step) {
      const [value, hasNan] = fractionOf(lower[step]!, upper[step]!, histogram)
      const message = 'input to histogram_fraction has NaN observations, which are excluded from all fractions'
      if (hasNan) evaluation.annotations.info(where, ...forMetric(message, metric))
      return value
    }
  }
  return {
    type: 'vector',
    series: await mergeEqual(evaluation.budget, await readAll(evaluation, where, series, grid, reading))
  }
}

export const classicHistograms: Family = {
  histogram_quantile: histogramQuantile,
  histogram_quantiles: histogramQuantiles,
  histogram_fraction: histogramFraction
}
