// Order statistics over the time of a window.
import type { Steps } from '../../../core/index.ts'
import { formatFloat } from '../engine/number.ts'
import { quantile, quantileSteps } from '../engine/quantile.ts'
import { inPieces, pieceSamples } from '../engine/steps.ts'
import type { Window } from '../engine/window.ts'
import { type RangeFamily, type RangeFunction, tellIgnored } from './range-function.ts'

const quantileOverTime: RangeFunction = call => {
  const { values } = call.samples.floats
  const [quantiles] = call.scalars
  const quantileOf = (window: Window) => {
    const q = quantiles![window.step]!
    if (!(q >= 0 && q <= 1)) {
      const message = `quantile value should be between 0 and 1, got ${formatFloat(q)}`
      call.annotations.warn(call.call.args[0]!, message)
    }
    tellIgnored(call, window)
    return q
  }
  return {
    compute(window) {
      const { f0, f1 } = window
      return f1 === f0 ? undefined : quantile(quantileOf(window), values.slice(f0, f1))
    },
    *inSteps(window) {
      const { f0, f1 } = window
      if (f1 === f0) return undefined
      const q = quantileOf(window)
      return yield* quantileSteps(q, yield* copySteps(values, f0, f1), pieceSamples)
    }
  }
}

/** The values from `from` to below `to`. Tells the memory of the copy. */
function* copySteps(values: Float64Array, from: number, to: number): Steps<Float64Array> {
  yield (to - from) * Float64Array.BYTES_PER_ELEMENT
  const copy = new Float64Array(to - from)
  yield* inPieces(from, to, (start, end) => copy.set(values.subarray(start, end), start - from))
  return copy
}

/** Median of the distances from the median. */
const medianDeviation: RangeFunction = call => {
  const { values } = call.samples.floats
  return {
    compute(window) {
      const { f0, f1 } = window
      if (f1 === f0) return undefined
      tellIgnored(call, window)
      for (let i = f0; i < f1; i++) if (Number.isNaN(values[i]!)) return Number.NaN
      const median = quantile(0.5, values.slice(f0, f1))
      return quantile(
        0.5,
        values.slice(f0, f1).map(value => Math.abs(value - median))
      )
    },
    *inSteps(window) {
      const { f0, f1 } = window
      if (f1 === f0) return undefined
      tellIgnored(call, window)
      let hasNan = false
      yield* inPieces(f0, f1, (from, to) => {
        for (let i = from; i < to; i++) hasNan ||= Number.isNaN(values[i]!)
      })
      if (hasNan) return Number.NaN
      const copy = yield* copySteps(values, f0, f1)
      const median = yield* quantileSteps(0.5, copy, pieceSamples)
      yield* inPieces(f0, f1, (from, to) => {
        for (let i = from; i < to; i++) copy[i - f0] = Math.abs(values[i]! - median)
      })
      return yield* quantileSteps(0.5, copy, pieceSamples)
    }
  }
}

export const quantiles: RangeFamily = {
  quantile_over_time: { make: quantileOverTime },
  mad_over_time: { make: medianDeviation }
}
