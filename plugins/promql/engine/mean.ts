// Sums and means: of floats with compensation for rounding, of histograms.
import { add, type Combined } from '../histogram/arithmetic.ts'
import { divide, type Histogram } from '../histogram/histogram.ts'
import { addKahan } from './kahan.ts'

/** A mean that grows by one value after the other; once their sum overflows it is kept as a mean. */
interface Mean {
  count: number
  value: number
  error: number
  incremental: boolean
}

export function newMean(): Mean {
  return { count: 0, value: 0, error: 0, incremental: false }
}

export function addToMean(mean: Mean, value: number): void {
  mean.count++
  if (mean.count === 1) {
    mean.value = value
    return
  }
  if (!mean.incremental) {
    const total = mean.value + value
    if (total !== Number.POSITIVE_INFINITY && total !== Number.NEGATIVE_INFINITY) {
      mean.error += Math.abs(mean.value) >= Math.abs(value) ? mean.value - total + value : value - total + mean.value
      mean.value = total
      return
    }
    mean.incremental = true
    mean.value /= mean.count - 1
    mean.error /= mean.count - 1
  }
  const weight = (mean.count - 1) / mean.count
  mean.value *= weight
  mean.error *= weight
  addKahan(mean, value / mean.count)
}

export function meanOf({ count, value, error, incremental }: Mean): number {
  return incremental ? value + error : value / count + error / count
}

/** Undefined when some have exponential and others custom buckets. */
export function sumOfHistograms(found: readonly Histogram[]): Combined | undefined {
  let [result, reconciled, collision] = [found[0]!, false, false]
  for (let i = 1; i < found.length; i++) {
    const combined = add(result, found[i]!)
    if (combined === undefined) return undefined
    result = combined.result
    reconciled ||= combined.reconciled
    collision ||= combined.collision
  }
  return { result, reconciled, collision }
}

/** As `sumOfHistograms`. Where the sum overflows, every histogram is divided before it is added. */
export function meanOfHistograms(found: readonly Histogram[]): Combined | undefined {
  const sum = sumOfHistograms(found)
  if (sum === undefined) return undefined
  if (!hasOverflow(sum.result) || found.some(hasOverflow)) return { ...sum, result: divide(sum.result, found.length) }
  return sumOfHistograms(found.map(each => divide(each, found.length)))
}

function hasOverflow({ count, sum, zeroCount, positive, negative }: Histogram): boolean {
  const isInfinite = (value: number) => value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY
  return (
    [count, sum, zeroCount].some(isInfinite) || positive.counts.some(isInfinite) || negative.counts.some(isInfinite)
  )
}
