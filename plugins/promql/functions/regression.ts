// Lines through the samples of a window: deriv, predict_linear, double_exponential_smoothing.
import { executionError } from '../engine/error.ts'
import { addKahan } from '../engine/kahan.ts'
import { formatFloat } from '../engine/number.ts'
import type { Floats } from '../engine/source.ts'
import { inPieces } from '../engine/steps.ts'
import type { Window } from '../engine/window.ts'
import { type RangeCall, type RangeFamily, type RangeFunction, tellIgnored } from './range-function.ts'

interface Line {
  /** Per second. */
  readonly slope: number
  /** At `zero`. */
  readonly intercept: number
}

/** The sums of a least-squares fit in progress; x is a time in seconds from `zero` on, y a value. */
interface Fit {
  readonly zero: number
  readonly x: Sum
  readonly y: Sum
  readonly xy: Sum
  readonly xx: Sum
  /** Whether all values are equal to the first one. */
  isConstant: boolean
}

interface Sum {
  value: number
  error: number
}

/** `zero` in milliseconds is where the time axis begins. */
function newFit(zero: number): Fit {
  const sum = () => ({ value: 0, error: 0 })
  return { zero, x: sum(), y: sum(), xy: sum(), xx: sum(), isConstant: true }
}

/** Adds the samples from `from` to below `to` of a window that begins with the value `first`. */
function addToFit(fit: Fit, { times, values }: Floats, first: number, from: number, to: number): void {
  // Local objects are kept in registers.
  const { zero } = fit
  const x = { value: fit.x.value, error: fit.x.error }
  const y = { value: fit.y.value, error: fit.y.error }
  const xy = { value: fit.xy.value, error: fit.xy.error }
  const xx = { value: fit.xx.value, error: fit.xx.error }
  let constant = fit.isConstant
  for (let i = from; i < to; i++) {
    const time = (times[i]! - zero) / 1_000
    const value = values[i]!
    constant &&= value === first
    addKahan(x, time)
    addKahan(y, value)
    addKahan(xy, time * value)
    addKahan(xx, time * time)
  }
  Object.assign(fit.x, x)
  Object.assign(fit.y, y)
  Object.assign(fit.xy, xy)
  Object.assign(fit.xx, xx)
  fit.isConstant = constant
}

function lineOf(fit: Fit, first: number, n: number): Line {
  if (fit.isConstant) {
    return Number.isFinite(first) ? { slope: 0, intercept: first } : { slope: Number.NaN, intercept: Number.NaN }
  }
  const [x, y] = [fit.x.value + fit.x.error, fit.y.value + fit.y.error]
  const [xy, xx] = [fit.xy.value + fit.xy.error, fit.xx.value + fit.xx.error]
  const slope = (xy - (x * y) / n) / (xx - (x * x) / n)
  return { slope, intercept: y / n - (slope * x) / n }
}

/** A function of the line through the floats of a window. `zeroOf`: where the time axis begins, in milliseconds. */
function fitted(
  zeroOf: (floats: Floats, window: Window) => number,
  finish: (call: RangeCall, line: Line, step: number) => number
): RangeFunction {
  return call => {
    const { floats } = call.samples
    return {
      compute(window) {
        const { f0, f1, step } = window
        if (f1 - f0 < 2) return undefined
        tellIgnored(call, window)
        const first = floats.values[f0]!
        const fit = newFit(zeroOf(floats, window))
        addToFit(fit, floats, first, f0, f1)
        return finish(call, lineOf(fit, first, f1 - f0), step)
      },
      *inSteps(window) {
        const { f0, f1, step } = window
        if (f1 - f0 < 2) return undefined
        tellIgnored(call, window)
        const first = floats.values[f0]!
        const fit = newFit(zeroOf(floats, window))
        yield* inPieces(f0, f1, (from, to) => addToFit(fit, floats, first, from, to))
        return finish(call, lineOf(fit, first, f1 - f0), step)
      }
    }
  }
}

const deriv = fitted(
  ({ times }, { f0 }) => times[f0]!,
  (_, { slope }) => slope
)

const predictLinear = fitted(
  (_, { time }) => time,
  ({ scalars }, { slope, intercept }, step) => slope * scalars[1]![step]! + intercept
)

/** Double exponential smoothing in progress: the smoothed value, the one before it, and the trend. */
interface Smoothing {
  readonly level: number
  readonly trend: number
  before: number
  smoothed: number
  slope: number
}

/** Adds the values from `from` to below `to` of a window that begins at `f0`; the first one is there from the start. */
function smooth(state: Smoothing, values: Float64Array, f0: number, from: number, to: number): void {
  const { level, trend } = state
  let { before, smoothed, slope } = state
  for (let i = from; i < to; i++) {
    if (i > f0 + 1) slope = trend * (smoothed - before) + (1 - trend) * slope
    before = smoothed
    smoothed = level * values[i]! + (1 - level) * (smoothed + slope)
  }
  state.before = before
  state.smoothed = smoothed
  state.slope = slope
}

const doubleExponentialSmoothing: RangeFunction = call => {
  const { values } = call.samples.floats
  const [, smoothing, trending] = call.scalars
  const begin = (window: Window): Smoothing | undefined => {
    const { f0, f1, step } = window
    const level = factor('smoothing', 'sf', smoothing![step]!)
    const trend = factor('trend', 'tf', trending![step]!)
    if (f1 - f0 < 2) return undefined
    tellIgnored(call, window)
    return { level, trend, before: 0, smoothed: values[f0]!, slope: values[f0 + 1]! - values[f0]! }
  }
  return {
    compute(window) {
      const state = begin(window)
      if (state !== undefined) smooth(state, values, window.f0, window.f0 + 1, window.f1)
      return state?.smoothed
    },
    *inSteps(window) {
      const { f0, f1 } = window
      const state = begin(window)
      if (state !== undefined) yield* inPieces(f0 + 1, f1, (from, to) => smooth(state, values, f0, from, to))
      return state?.smoothed
    }
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
