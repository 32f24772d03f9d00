// Aggregations over a window: *_over_time.
import { addKahan } from '../engine/kahan.ts'
import { addToMean, meanOf, meanOfHistograms, newMean, sumOfHistograms } from '../engine/mean.ts'
import type { Window } from '../engine/window.ts'
import { compact, type Histogram } from '../histogram/histogram.ts'
import {
  type RangeCall,
  type RangeFamily,
  type RangeFunction,
  tellIgnored,
  warnLayouts,
  warnMixed
} from './range-function.ts'

const count: RangeFunction =
  () =>
  ({ f0, f1, h0, h1 }) =>
    f1 - f0 + h1 - h0

export const overTime: RangeFamily = {
  avg_over_time: { make: total(true) },
  sum_over_time: { make: total(false) },
  count_over_time: { make: count },
  present_over_time: { make: () => () => 1 },
  last_over_time: { make: edge('last'), keepName: true },
  first_over_time: { make: edge('first'), keepName: true },
  min_over_time: { make: extreme((a, b) => a < b) },
  max_over_time: { make: extreme((a, b) => a > b) },
  stddev_over_time: { make: variance(Math.sqrt) },
  stdvar_over_time: { make: variance(value => value) },
  ts_of_min_over_time: { make: timeOfExtreme((a, b) => a <= b) },
  ts_of_max_over_time: { make: timeOfExtreme((a, b) => a >= b) },
  ts_of_first_over_time: { make: timeOfEdge('first') },
  ts_of_last_over_time: { make: timeOfEdge('last') }
}

function total(mean: boolean): RangeFunction {
  return call => {
    const { values } = call.samples.floats
    return window => {
      const { f0, f1, h0, h1 } = window
      if (f1 > f0 && h1 > h0) {
        warnMixed(call)
        return undefined
      }
      if (h1 > h0) return totalOfHistograms(call, window, mean)
      return mean ? meanIn(values, f0, f1) : sumIn(values, f0, f1)
    }
  }
}

/** `addKahan` inlined for speed, because most windows contain no infinities. */
function sumIn(values: Float64Array, from: number, to: number): number {
  let [sum, error] = [0, 0]
  for (let i = from; i < to; i++) {
    const value = values[i]!
    const total = sum + value
    error += Math.abs(sum) >= Math.abs(value) ? sum - total + value : value - total + sum
    sum = total
  }
  return Number.isFinite(sum) ? sum + error : sumOfAny(values, from, to)
}

function sumOfAny(values: Float64Array, from: number, to: number): number {
  const sum = { value: 0, error: 0 }
  for (let i = from; i < to; i++) addKahan(sum, values[i]!)
  return Number.isFinite(sum.value) ? sum.value + sum.error : sum.value
}

/** `addToMean` inlined for speed, as long as the sum is finite. */
function meanIn(values: Float64Array, from: number, to: number): number {
  let [sum, error] = [values[from]!, 0]
  for (let i = from + 1; i < to; i++) {
    const value = values[i]!
    const total = sum + value
    error += Math.abs(sum) >= Math.abs(value) ? sum - total + value : value - total + sum
    sum = total
  }
  const count = to - from
  return Number.isFinite(sum) ? sum / count + error / count : meanOfAny(values, from, to)
}

function meanOfAny(values: Float64Array, from: number, to: number): number {
  const mean = newMean()
  for (let i = from; i < to; i++) addToMean(mean, values[i]!)
  return meanOf(mean)
}

function totalOfHistograms(call: RangeCall, { h0, h1 }: Window, mean: boolean): Histogram | undefined {
  const points = call.samples.histograms.values.slice(h0, h1)
  const total = mean ? meanOfHistograms(points) : sumOfHistograms(points)
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
  return ({ samples: { floats, histograms } }) =>
    ({ f0, f1, h0, h1 }) => {
      const [f, h] = which === 'first' ? [f0, h0] : [f1 - 1, h1 - 1]
      if (f1 === f0) return histograms.values[h]
      if (h1 === h0) return floats.values[f]
      const floatIsFirst = floats.times[f]! < histograms.times[h]!
      return floatIsFirst === (which === 'first') ? floats.values[f] : histograms.values[h]
    }
}

function timeOfEdge(which: 'first' | 'last'): RangeFunction {
  return ({ samples: { floats, histograms } }) =>
    ({ f0, f1, h0, h1 }) => {
      const [f, h] = which === 'first' ? [f0, h0] : [f1 - 1, h1 - 1]
      const times = [...(f1 > f0 ? [floats.times[f]!] : []), ...(h1 > h0 ? [histograms.times[h]!] : [])]
      return (which === 'first' ? Math.min(...times) : Math.max(...times)) / 1_000
    }
}

/** Any number beats NaN. */
function extreme(beats: (a: number, b: number) => boolean): RangeFunction {
  return call => {
    const { values } = call.samples.floats
    // Windows only move forward, so the extreme remains valid until it leaves the window.
    let best = -1
    let end = 0
    return window => {
      const { f0, f1 } = window
      if (f1 === f0) return undefined
      tellIgnored(call, window)
      if (best < f0) {
        best = f0
        end = f0 + 1
      }
      for (; end < f1; end++) if (beats(values[end]!, values[best]!) || Number.isNaN(values[best]!)) best = end
      return values[best]!
    }
  }
}

function timeOfExtreme(beats: (a: number, b: number) => boolean): RangeFunction {
  return call => {
    const { times, values } = call.samples.floats
    return window => {
      const { f0, f1 } = window
      if (f1 === f0) return undefined
      tellIgnored(call, window)
      let best = f0
      for (let i = f0 + 1; i < f1; i++) if (beats(values[i]!, values[best]!) || Number.isNaN(values[best]!)) best = i
      return times[best]! / 1_000
    }
  }
}

function variance(finish: (variance: number) => number): RangeFunction {
  return call => {
    const { values } = call.samples.floats
    return window => {
      const { f0, f1 } = window
      if (f1 === f0) return undefined
      tellIgnored(call, window)
      const mean = { value: 0, error: 0 }
      const squares = { value: 0, error: 0 }
      for (let i = f0; i < f1; i++) {
        const delta = values[i]! - (mean.value + mean.error)
        addKahan(mean, delta / (i - f0 + 1))
        addKahan(squares, delta * (values[i]! - (mean.value + mean.error)))
      }
      return finish((squares.value + squares.error) / (f1 - f0))
    }
  }
}
