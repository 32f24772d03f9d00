// Lines through the samples of a window: deriv, predict_linear, double_exponential_smoothing.
import { executionError } from '../engine/error.ts'
import { addKahan } from '../engine/kahan.ts'
import { formatFloat } from '../engine/number.ts'
import type { Floats } from '../engine/source.ts'
import type { Window } from '../engine/window.ts'
import { type RangeFamily, type RangeFunction, tellIgnored } from './range-function.ts'

interface Line {
  /** Per second. */
  readonly slope: number
  /** At `zero`. */
  readonly intercept: number
}

/** Least squares; `zero` in milliseconds is where the time axis begins. */
function fitLine({ times, values }: Floats, { f0, f1 }: Window, zero: number): Line {
  const n = f1 - f0
  const sums = Array.from({ length: 4 }, () => ({ value: 0, error: 0 }))
  const [x, y, xy, xx] = sums as [(typeof sums)[0], (typeof sums)[0], (typeof sums)[0], (typeof sums)[0]]
  let constant = true
  for (let i = f0; i < f1; i++) {
    const [time, value] = [(times[i]! - zero) / 1_000, values[i]!]
    constant &&= value === values[f0]
    addKahan(x, time)
    addKahan(y, value)
    addKahan(xy, time * value)
    addKahan(xx, time * time)
  }
  if (constant) {
    const value = values[f0]!
    return Number.isFinite(value) ? { slope: 0, intercept: value } : { slope: Number.NaN, intercept: Number.NaN }
  }
  const [sumX, sumY, sumXY, sumXX] = sums.map(sum => sum.value + sum.error) as [number, number, number, number]
  const slope = (sumXY - (sumX * sumY) / n) / (sumXX - (sumX * sumX) / n)
  return { slope, intercept: sumY / n - (slope * sumX) / n }
}

const deriv: RangeFunction = call => window => {
  const { floats } = call.samples
  if (window.f1 - window.f0 < 2) return undefined
  tellIgnored(call, window)
  return fitLine(floats, window, floats.times[window.f0]!).slope
}

const predictLinear: RangeFunction = call => window => {
  if (window.f1 - window.f0 < 2) return undefined
  tellIgnored(call, window)
  const { slope, intercept } = fitLine(call.samples.floats, window, window.time)
  return slope * call.scalars[1]![window.step]! + intercept
}

const doubleExponentialSmoothing: RangeFunction = call => {
  const { values } = call.samples.floats
  const [, smoothing, trending] = call.scalars
  return window => {
    const { f0, f1, step } = window
    const level = factor('smoothing', 'sf', smoothing![step]!)
    const trend = factor('trend', 'tf', trending![step]!)
    if (f1 - f0 < 2) return undefined
    tellIgnored(call, window)
    let before = 0
    let smoothed = values[f0]!
    let slope = values[f0 + 1]! - values[f0]!
    for (let i = f0 + 1; i < f1; i++) {
      if (i > f0 + 1) slope = trend * (smoothed - before) + (1 - trend) * slope
      before = smoothed
      smoothed = level * values[i]! + (1 - level) * (smoothed + slope)
    }
    return smoothed
  }
}

function factor(what: string, name: string, value: number): number {
  if (value > 0 && value < 1) return value
  throw executionError(`invalid ${what} factor. Expected: 0 < ${name} < 1, got: ${formatFloat(value)}`)
}

export const regressions: RangeFamily = {
  deriv: { make: deriv },
  predict_linear: { make: predictLinear },
  double_exponential_smoothing: { make: doubleExponentialSmoothing }
}
