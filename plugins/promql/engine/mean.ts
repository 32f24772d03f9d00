// Sums and means: of floats with compensation for rounding, of histograms.
import type { Steps } from '../../../core/index.ts'
import { add, type Combined } from '../histogram/arithmetic.ts'
import { divide, type Histogram } from '../histogram/histogram.ts'
import { addKahan } from './kahan.ts'
import { pieceHistograms } from './steps.ts'

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

/**
 * The sum or the mean of histograms, in steps; undefined when some have exponential and others custom buckets. Where the sum overflows,
 * every histogram is divided before it is added.
 */
export function* totalSteps(found: readonly Histogram[], mean: boolean): Steps<Combined | undefined> {
  const sum = yield* sumSteps(found, 1)
  if (!mean || sum === undefined) return sum
  if (!hasOverflow(sum.result) || (yield* haveOverflow(found))) {
    return { ...sum, result: divide(sum.result, found.length) }
  }
  return yield* sumSteps(found, found.length)
}

/** The sum of the histograms, each divided by a number first. */
function* sumSteps(found: readonly Histogram[], divisor: number): Steps<Combined | undefined> {
  const at = (i: number) => (divisor === 1 ? found[i]! : divide(found[i]!, divisor))
  let [result, reconciled, collision] = [at(0), false, false]
  for (let i = 1; i < found.length; i++) {
    const combined = add(result, at(i))
    if (combined === undefined) return undefined
    result = combined.result
    reconciled ||= combined.reconciled
    collision ||= combined.collision
    if (i % pieceHistograms === 0) yield
  }
  return { result, reconciled, collision }
}

function* haveOverflow(found: readonly Histogram[]): Steps<boolean> {
  for (const [i, each] of found.entries()) {
    if (hasOverflow(each)) return true
    if (i % pieceHistograms === 0) yield
  }
  return false
}

function hasOverflow({ count, sum, zeroCount, positive, negative }: Histogram): boolean {
  const isInfinite = (value: number) => value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY
  return (
    [count, sum, zeroCount].some(isInfinite) || positive.counts.some(isInfinite) || negative.counts.some(isInfinite)
  )
}
