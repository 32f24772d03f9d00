// Aggregations over a window: *_over_time.

import type { Steps } from '../../../core/index.ts'
import { addKahan } from '../engine/kahan.ts'
import { addToMean, meanOf, newMean, totalSteps } from '../engine/mean.ts'
import { inPieces, runAtOnce } from '../engine/steps.ts'
import type { Window } from '../engine/window.ts'
import { compact, type Histogram } from '../histogram/histogram.ts'
import {
  mixed,
  type RangeCall,
  type RangeFamily,
  type RangeFunction,
  tellIgnored,
  warnLayouts
} from './range-function.ts'

const count: RangeFunction = () => ({ compute: ({ f0, f1, h0, h1 }) => f1 - f0 + h1 - h0 })

export const overTime: RangeFamily = {
  avg_over_time: { make: total(true) },
  sum_over_time: { make: total(false) },
  count_over_time: { make: count },
  present_over_time: { make: () => ({ compute: () => 1 }) },
  last_over_time: { make: edge('last'), keepName: true },
  first_over_time: { make: edge('first'), keepName: true },
  min_over_time: { make: extreme(findLeast) },
  max_over_time: { make: extreme(findGreatest) },
  stddev_over_time: { make: variance(Math.sqrt) },
  stdvar_over_time: { make: variance(value => value) },
  ts_of_min_over_time: { make: timeOfExtreme(findLeast) },
  ts_of_max_over_time: { make: timeOfExtreme(findGreatest) },
  ts_of_first_over_time: { make: timeOfEdge('first') },
  ts_of_last_over_time: { make: timeOfEdge('last') }
}

function total(mean: boolean): RangeFunction {
  return call => {
    const { values } = call.samples.floats
    return {
      compute(window) {
        const { f0, f1, h0, h1 } = window
        if (h1 > h0) return f1 > f0 ? mixed(call) : runAtOnce(totalOfHistograms(call, window, mean))
        return mean ? meanIn(values, f0, f1) : sumIn(values, f0, f1)
      },
      *inSteps(window) {
        const { f0, f1, h0, h1 } = window
        if (h1 > h0) return f1 > f0 ? mixed(call) : yield* totalOfHistograms(call, window, mean)
        return yield* mean ? meanSteps(values, f0, f1) : sumSteps(values, f0, f1)
      }
    }
  }
}

/** A sum in progress: `value + error` is the result. */
interface Sum {
  value: number
  error: number
}

/** `addKahan` inlined for speed, because most windows contain no infinities: the sum of others is not valid. */
function addFinite(sum: Sum, values: Float64Array, from: number, to: number): void {
  let { value: before, error } = sum
  for (let i = from; i < to; i++) {
    const value = values[i]!
    const total = before + value
    error += Math.abs(before) >= Math.abs(value) ? before - total + value : value - total + before
    before = total
  }
  sum.value = before
  sum.error = error
}

function addAny(sum: Sum, values: Float64Array, from: number, to: number): void {
  for (let i = from; i < to; i++) addKahan(sum, values[i]!)
}

function sumIn(values: Float64Array, from: number, to: number): number {
  const sum = { value: 0, error: 0 }
  addFinite(sum, values, from, to)
  if (Number.isFinite(sum.value)) return sum.value + sum.error
  const any = { value: 0, error: 0 }
  addAny(any, values, from, to)
  return sumOf(any)
}

function* sumSteps(values: Float64Array, from: number, to: number): Steps<number> {
  const sum = { value: 0, error: 0 }
  yield* inPieces(from, to, (from, to) => addFinite(sum, values, from, to))
  if (Number.isFinite(sum.value)) return sum.value + sum.error
  const any = { value: 0, error: 0 }
  yield* inPieces(from, to, (from, to) => addAny(any, values, from, to))
  return sumOf(any)
}

function sumOf({ value, error }: Sum): number {
  return Number.isFinite(value) ? value + error : value
}

/** Adds as `addToMean` does, as long as the sum is finite. */
function meanIn(values: Float64Array, from: number, to: number): number {
  const sum = { value: values[from]!, error: 0 }
  addFinite(sum, values, from + 1, to)
  if (Number.isFinite(sum.value)) return sum.value / (to - from) + sum.error / (to - from)
  const mean = newMean()
  addAllToMean(mean, values, from, to)
  return meanOf(mean)
}

function* meanSteps(values: Float64Array, from: number, to: number): Steps<number> {
  const sum = { value: values[from]!, error: 0 }
  yield* inPieces(from + 1, to, (from, to) => addFinite(sum, values, from, to))
  if (Number.isFinite(sum.value)) return sum.value / (to - from) + sum.error / (to - from)
  const mean = newMean()
  yield* inPieces(from, to, (from, to) => addAllToMean(mean, values, from, to))
  return meanOf(mean)
}

function addAllToMean(mean: ReturnType<typeof newMean>, values: Float64Array, from: number, to: number): void {
  for (let i = from; i < to; i++) addToMean(mean, values[i]!)
}

function* totalOfHistograms(call: RangeCall, { h0, h1 }: Window, mean: boolean): Steps<Histogram | undefined> {
  const total = yield* totalSteps(call.samples.histograms.values.slice(h0, h1), mean)
  if (total === undefined) {
    warnLayouts(call)
    return undefined
  }
  const { annotations, where } = call
  if (total.reconciled) annotations.info(where, 'mismatched custom buckets were reconciled during aggregation')
  if (total.collision) annotations.warn(where, 'conflicting counter resets during histogram aggregation')
  return compact(total.result)
}

function edge(which: 'first' | 'last'): RangeFunction {
  return ({ samples: { floats, histograms } }) => ({
    compute({ f0, f1, h0, h1 }) {
      const [f, h] = which === 'first' ? [f0, h0] : [f1 - 1, h1 - 1]
      if (f1 === f0) return histograms.values[h]
      if (h1 === h0) return floats.values[f]
      const floatIsFirst = floats.times[f]! < histograms.times[h]!
      return floatIsFirst === (which === 'first') ? floats.values[f] : histograms.values[h]
    }
  })
}

function timeOfEdge(which: 'first' | 'last'): RangeFunction {
  return ({ samples: { floats, histograms } }) => ({
    compute({ f0, f1, h0, h1 }) {
      const [f, h] = which === 'first' ? [f0, h0] : [f1 - 1, h1 - 1]
      const times = [...(f1 > f0 ? [floats.times[f]!] : []), ...(h1 > h0 ? [histograms.times[h]!] : [])]
      return (which === 'first' ? Math.min(...times) : Math.max(...times)) / 1_000
    }
  })
}

/**
 * The index of the extreme of the values at `best` and from `from` to below `to`. Any number beats NaN. `last`: of equal values the last one
 * counts, otherwise the first one.
 */
type FindExtreme = typeof findLeast

function findLeast(values: Float64Array, best: number, from: number, to: number, last: boolean): number {
  let [found, least] = [best, values[best]!]
  for (let i = from; i < to; i++) {
    const value = values[i]!
    if (value < least || (last && value === least) || Number.isNaN(least)) {
      found = i
      least = value
    }
  }
  return found
}

function findGreatest(values: Float64Array, best: number, from: number, to: number, last: boolean): number {
  let [found, greatest] = [best, values[best]!]
  for (let i = from; i < to; i++) {
    const value = values[i]!
    if (value > greatest || (last && value === greatest) || Number.isNaN(greatest)) {
      found = i
      greatest = value
    }
  }
  return found
}

function extreme(find: FindExtreme): RangeFunction {
  return call => {
    const { values } = call.samples.floats
    // Windows only move forward, so the extreme remains valid until it leaves the window.
    let best = -1
    let end = 0
    const extendTo = (to: number) => {
      best = find(values, best, end, to, false)
      end = to
    }
    const leave = (f0: number) => {
      if (best >= f0) return
      best = f0
      end = f0 + 1
    }
    return {
      compute(window) {
        const { f0, f1 } = window
        if (f1 === f0) return undefined
        tellIgnored(call, window)
        leave(f0)
        extendTo(f1)
        return values[best]!
      },
      *inSteps(window) {
        const { f0, f1 } = window
        if (f1 === f0) return undefined
        tellIgnored(call, window)
        leave(f0)
        yield* inPieces(end, f1, (_, to) => extendTo(to))
        return values[best]!
      }
    }
  }
}

function timeOfExtreme(find: FindExtreme): RangeFunction {
  return call => {
    const { times, values } = call.samples.floats
    return {
      compute(window) {
        const { f0, f1 } = window
        if (f1 === f0) return undefined
        tellIgnored(call, window)
        return times[find(values, f0, f0 + 1, f1, true)]! / 1_000
      },
      *inSteps(window) {
        const { f0, f1 } = window
        if (f1 === f0) return undefined
        tellIgnored(call, window)
        let best = f0
        yield* inPieces(f0 + 1, f1, (from, to) => {
          best = find(values, best, from, to, true)
        })
        return times[best]! / 1_000
      }
    }
  }
}

/** A mean and the sum of the squared distances from it, in progress. */
interface Spread {
  readonly mean: Sum
  readonly squares: Sum
}

function newSpread(): Spread {
  return { mean: { value: 0, error: 0 }, squares: { value: 0, error: 0 } }
}

/** Adds the values from `from` to below `to` of a window that begins at `f0`. */
function addToSpread(spread: Spread, values: Float64Array, f0: number, from: number, to: number): void {
  // Local objects are kept in registers.
  const mean = { value: spread.mean.value, error: spread.mean.error }
  const squares = { value: spread.squares.value, error: spread.squares.error }
  for (let i = from; i < to; i++) {
    const delta = values[i]! - (mean.value + mean.error)
    addKahan(mean, delta / (i - f0 + 1))
    addKahan(squares, delta * (values[i]! - (mean.value + mean.error)))
  }
  spread.mean.value = mean.value
  spread.mean.error = mean.error
  spread.squares.value = squares.value
  spread.squares.error = squares.error
}

function variance(finish: (variance: number) => number): RangeFunction {
  return call => {
    const { values } = call.samples.floats
    const varianceOf = ({ squares }: Spread, count: number) => finish((squares.value + squares.error) / count)
    return {
      compute(window) {
        const { f0, f1 } = window
        if (f1 === f0) return undefined
        tellIgnored(call, window)
        const spread = newSpread()
        addToSpread(spread, values, f0, f0, f1)
        return varianceOf(spread, f1 - f0)
      },
      *inSteps(window) {
        const { f0, f1 } = window
        if (f1 === f0) return undefined
        tellIgnored(call, window)
        const spread = newSpread()
        yield* inPieces(f0, f1, (from, to) => addToSpread(spread, values, f0, from, to))
        return varianceOf(spread, f1 - f0)
      }
    }
  }
}
