// rate, increase, delta and their instant cousins. Extrapolation as Prometheus documents and does it.
import type { Window } from '../engine/window.ts'
import { isReset, subtract } from '../histogram/arithmetic.ts'
import { compact, type Histogram, scale } from '../histogram/histogram.ts'
import { histogramIncrease } from './histogram-rate.ts'
import {
  type RangeCall,
  type Ranged,
  type RangeFamily,
  type RangeFunction,
  warnLayouts,
  warnMixed
} from './range-function.ts'

export const rates: RangeFamily = {
  rate: { make: extrapolated({ counter: true, perSecond: true }), tell: tellNoCounter },
  increase: { make: extrapolated({ counter: true, perSecond: false }), tell: tellNoCounter },
  delta: { make: extrapolated({ counter: false, perSecond: false }) },
  irate: { make: lastTwo(true) },
  idelta: { make: lastTwo(false) }
}

function extrapolated({ counter, perSecond }: { counter: boolean; perSecond: boolean }): RangeFunction {
  return call => {
    const { floats, histograms } = call.samples
    const lost = counter ? lostToResets(floats.values) : () => 0
    const scaleBy = (window: Window, first: number, last: number, intervals: number, zero: number) => {
      const factor = stretch(window, first, last, intervals, counter ? zero : Number.POSITIVE_INFINITY)
      return perSecond ? factor / (call.range / 1_000) : factor
    }
    return window => {
      const { f0, f1, h0, h1 } = window
      if (f1 > f0 && h1 > h0) {
        warnMixed(call)
        return undefined
      }
      if (f1 - f0 > 1) {
        const first = floats.values[f0]!
        const growth = floats.values[f1 - 1]! - first + lost(f0, f1)
        return growth * scaleBy(window, floats.times[f0]!, floats.times[f1 - 1]!, f1 - f0 - 1, beforeIt(first, growth))
      }
      if (h1 - h0 < 2) return undefined
      const growth = histogramIncrease(call, window, counter)
      if (growth === undefined) return undefined
      const first = histograms.values[h0]!.count
      const zero = beforeIt(first, growth.count)
      return scale(growth, scaleBy(window, histograms.times[h0]!, histograms.times[h1 - 1]!, h1 - h0 - 1, zero))
    }
  }
}

/** Indices of values that are lower than the one before them. */
function dropsOf(values: Float64Array): readonly number[] {
  const drops: number[] = []
  for (let i = 1; i < values.length; i++) if (values[i]! < values[i - 1]!) drops.push(i)
  return drops
}

/** The sum of a counter's values just before each reset in a window. Windows must be asked for in ascending order. */
function lostToResets(values: Float64Array): (from: number, to: number) => number {
  const drops = dropsOf(values)
  let first = 0
  return (from, to) => {
    while (first < drops.length && drops[first]! <= from) first++
    let lost = 0
    for (let i = first; i < drops.length && drops[i]! < to; i++) lost += values[drops[i]! - 1]!
    return lost
  }
}

/** The factor by which a counter's time before its first sample may exceed the sampled time; assumes it grew linearly from 0. */
function beforeIt(first: number, growth: number): number {
  return growth > 0 && first >= 0 ? first / growth : Number.POSITIVE_INFINITY
}

/**
 * Extrapolation factor from the sampled time to the window. Samples that end within about one interval of an edge are assumed to continue to
 * it. `zero`: limit of the time before the first sample, relative to the sampled time, for counters.
 */
function stretch(window: Window, first: number, last: number, intervals: number, zero: number): number {
  const sampled = (last - first) / 1_000
  const average = sampled / intervals
  let toStart = (first - window.start) / 1_000
  let toEnd = (window.end - last) / 1_000
  if (toStart >= average * 1.1) toStart = average / 2
  if (zero !== Number.POSITIVE_INFINITY) toStart = Math.min(toStart, sampled * zero)
  if (toEnd >= average * 1.1) toEnd = average / 2
  return (sampled + toStart + toEnd) / sampled
}

const counterEndings = ['_total', '_sum', '_count', '_bucket']

function tellNoCounter({ annotations, where, metric }: Parameters<NonNullable<Ranged['tell']>>[0]): void {
  if (metric === '' || counterEndings.some(ending => metric.endsWith(ending))) return
  annotations.info(where, 'metric might not be a counter, name does not end in _total/_sum/_count/_bucket:', metric)
}

function lastTwo(rate: boolean): RangeFunction {
  return call => window => {
    const [earlier, later] = latest(call, window)
    if (earlier === undefined || later === undefined || later.time === earlier.time) return undefined
    const seconds = rate ? (later.time - earlier.time) / 1_000 : 1
    if (typeof earlier.value === 'number' && typeof later.value === 'number') {
      // After a reset, the later value is the increase.
      const reset = rate && later.value < earlier.value
      return (reset ? later.value : later.value - earlier.value) / seconds
    }
    if (typeof earlier.value === 'number' || typeof later.value === 'number') {
      warnMixed(call)
      return undefined
    }
    const difference = between(call, earlier.value, later.value, rate)
    return difference && scale(difference, 1 / seconds)
  }
}

interface Point {
  readonly time: number
  readonly value: number | Histogram
}

/** The last two samples of a window, of either kind, the earlier one first. */
function latest({ samples }: RangeCall, { f0, f1, h0, h1 }: Window): readonly (Point | undefined)[] {
  const { floats, histograms } = samples
  const points: Point[] = []
  for (let i = Math.max(f0, f1 - 2); i < f1; i++) points.push({ time: floats.times[i]!, value: floats.values[i]! })
  for (let i = Math.max(h0, h1 - 2); i < h1; i++)
    points.push({ time: histograms.times[i]!, value: histograms.values[i]! })
  points.sort((a, b) => a.time - b.time)
  return points.length < 2 ? [] : [points.at(-2), points.at(-1)]
}

function between(call: RangeCall, earlier: Histogram, later: Histogram, rate: boolean): Histogram | undefined {
  const { annotations, where, metric } = call
  const gauges = [earlier, later].filter(({ hint }) => hint === 'gauge').length
  if (rate && gauges > 0) annotations.warn(where, 'this native histogram metric is not a counter:', metric)
  if (!rate && gauges < 2) annotations.warn(where, 'this native histogram metric is not a gauge:', metric)
  if (rate && isReset(later, earlier)) return { ...later, hint: 'gauge' }
  const difference = subtract(later, earlier)
  if (difference === undefined) {
    warnLayouts(call)
    return undefined
  }
  if (difference.reconciled) annotations.info(where, 'mismatched custom buckets were reconciled during subtraction')
  return compact({ ...difference.result, hint: 'gauge' })
}
