// rate, increase, delta and their instant cousins. Extrapolation as Prometheus documents and does it.
import type { Steps } from '../../../core/index.ts'
import { inPieces, runAtOnce } from '../engine/steps.ts'
import type { Window } from '../engine/window.ts'
import { isReset, subtract } from '../histogram/arithmetic.ts'
import { compact, type Histogram, scale } from '../histogram/histogram.ts'
import { histogramIncrease } from './histogram-rate.ts'
import {
  mixed,
  type RangeCall,
  type Ranged,
  type RangeFamily,
  type RangeFunction,
  warnLayouts
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
    const resets = counter ? new Resets(floats.values) : undefined
    const scaleBy = (window: Window, first: number, last: number, intervals: number, zero: number) => {
      const factor = stretch(window, first, last, intervals, counter ? zero : Number.POSITIVE_INFINITY)
      return perSecond ? factor / (call.range / 1_000) : factor
    }
    const ofFloats = (window: Window, lost: number) => {
      const { f0, f1 } = window
      const first = floats.values[f0]!
      const growth = floats.values[f1 - 1]! - first + lost
      return growth * scaleBy(window, floats.times[f0]!, floats.times[f1 - 1]!, f1 - f0 - 1, beforeIt(first, growth))
    }
    function* ofHistograms(window: Window): Steps<Histogram | undefined> {
      const { h0, h1 } = window
      if (h1 - h0 < 2) return undefined
      const growth = yield* histogramIncrease(call, window, counter)
      if (growth === undefined) return undefined
      const first = histograms.values[h0]!.count
      const zero = beforeIt(first, growth.count)
      return scale(growth, scaleBy(window, histograms.times[h0]!, histograms.times[h1 - 1]!, h1 - h0 - 1, zero))
    }
    return {
      compute(window) {
        const { f0, f1, h0, h1 } = window
        if (f1 > f0 && h1 > h0) return mixed(call)
        if (f1 - f0 < 2) return runAtOnce(ofHistograms(window))
        return ofFloats(window, resets === undefined ? 0 : resets.lostIn(f0, f1))
      },
      *inSteps(window) {
        const { f0, f1, h0, h1 } = window
        if (f1 > f0 && h1 > h0) return mixed(call)
        if (f1 - f0 < 2) return yield* ofHistograms(window)
        return ofFloats(window, resets === undefined ? 0 : yield* resets.lostInSteps(f0, f1))
      }
    }
  }
}

/** The resets of a counter: values that are lower than the one before them. Windows must be asked for in ascending order. */
class Resets {
  readonly #values: Float64Array
  /** Indices of resets in what was searched: up to below `#searched`. */
  readonly #found: number[] = []
  #searched = 1
  /** Position in `#found` of the first reset in the window. */
  #first = 0

  constructor(values: Float64Array) {
    this.#values = values
  }

  /** The sum of the values just before each reset in a window. */
  lostIn(from: number, to: number): number {
    this.#leave(from)
    this.#search(to)
    return this.#add(0, this.#first, this.#found.length)
  }

  *lostInSteps(from: number, to: number): Steps<number> {
    this.#leave(from)
    yield* inPieces(this.#searched, to, (_, end) => this.#search(end))
    let lost = 0
    yield* inPieces(this.#first, this.#found.length, (first, end) => {
      lost = this.#add(lost, first, end)
    })
    return lost
  }

  /** Values up to index `from` are in no window any more, but for the one that the next value is compared with. */
  #leave(from: number): void {
    while (this.#first < this.#found.length && this.#found[this.#first]! <= from) this.#first++
    this.#searched = Math.max(this.#searched, from + 1)
  }

  #search(to: number): void {
    for (let i = this.#searched; i < to; i++) if (this.#values[i]! < this.#values[i - 1]!) this.#found.push(i)
    this.#searched = to
  }

  /** Adds the values before the resets at positions from `first` to below `end` of `#found`. */
  #add(sum: number, first: number, end: number): number {
    let lost = sum
    for (let i = first; i < end; i++) lost += this.#values[this.#found[i]! - 1]!
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
  return call => ({
    compute(window) {
      const [earlier, later] = latest(call, window)
      if (earlier === undefined || later === undefined || later.time === earlier.time) return undefined
      const seconds = rate ? (later.time - earlier.time) / 1_000 : 1
      if (typeof earlier.value === 'number' && typeof later.value === 'number') {
        // After a reset, the later value is the increase.
        const reset = rate && later.value < earlier.value
        return (reset ? later.value : later.value - earlier.value) / seconds
      }
      if (typeof earlier.value === 'number' || typeof later.value === 'number') {
        return mixed(call)
      }
      const difference = between(call, earlier.value, later.value, rate)
      return difference && scale(difference, 1 / seconds)
    }
  })
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
