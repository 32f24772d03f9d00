// Order statistics over the time of a window.
import { formatFloat } from '../engine/number.ts'
import { quantile } from '../engine/quantile.ts'
import { type RangeFamily, type RangeFunction, tellIgnored } from './range-function.ts'

const quantileOverTime: RangeFunction = call => {
  const { values } = call.samples.floats
  const [quantiles] = call.scalars
  return window => {
    const { f0, f1, step } = window
    if (f1 === f0) return undefined
    const q = quantiles![step]!
    if (!(q >= 0 && q <= 1)) {
      const message = `quantile value should be between 0 and 1, got ${formatFloat(q)}`
      call.annotations.warn(call.call.args[0]!, message)
    }
    tellIgnored(call, window)
    return quantile(q, values.slice(f0, f1))
  }
}

/** Median of the distances from the median. */
const medianDeviation: RangeFunction = call => {
  const { values } = call.samples.floats
  return window => {
    const { f0, f1 } = window
    if (f1 === f0) return undefined
    tellIgnored(call, window)
    for (let i = f0; i < f1; i++) if (Number.isNaN(values[i]!)) return Number.NaN
    const median = quantile(0.5, values.slice(f0, f1))
    return quantile(
      0.5,
      values.slice(f0, f1).map(value => Math.abs(value - median))
    )
  }
}

export const quantiles: RangeFamily = {
  quantile_over_time: { make: quantileOverTime },
  mad_over_time: { make: medianDeviation }
}
