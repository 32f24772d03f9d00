// Estimates from histograms: quantiles, fractions, variance. Method: Prometheus, promql/quantile.go (documented under
// https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile).
import { addKahan } from '../engine/kahan.ts'
import { type Bucket, bucketsOf, type Histogram, isCustom } from './histogram.ts'

/** A warning about the result. */
type NanTrouble = 'result' | 'skew' | undefined

/** The value below which the fraction `q` of all observations lies. */
export function quantileOf(q: number, histogram: Histogram): readonly [value: number, trouble: NanTrouble] {
  if (q < 0) return [Number.NEGATIVE_INFINITY, undefined]
  if (q > 1) return [Number.POSITIVE_INFINITY, undefined]
  if (histogram.count === 0 || Number.isNaN(q)) return [Number.NaN, undefined]
  const hasNan = Number.isNaN(histogram.sum)
  const forward = hasNan || q < 0.5
  const rank = (forward ? q : 1 - q) * histogram.count
  const { bucket, count } = findRank(histogram, rank, forward)
  if (bucket === undefined) return [Number.NaN, hasNan ? 'result' : undefined]
  const bounded = withBounds(histogram, bucket)
  if (typeof bounded === 'number') return [bounded, hasNan ? 'skew' : undefined]
  if (count < rank) return hasNan ? [Number.NaN, 'result'] : [bounded.upper, undefined]
  const inBucket = forward ? rank - (count - bucket.count) : count - rank
  return [interpolate(histogram, bounded, inBucket / bucket.count), hasNan ? 'skew' : undefined]
}

function findRank(histogram: Histogram, rank: number, forward: boolean) {
  const buckets = bucketsOf(histogram)
  if (!forward) buckets.reverse()
  let bucket: Bucket | undefined
  let count = 0
  for (const each of buckets) {
    if (each.count === 0) continue
    bucket = each
    count += each.count
    if (count >= rank) break
  }
  return { bucket, count: Math.min(count, histogram.count) }
}

/** Replaces infinite bounds of a bucket; a number if only one value is possible. */
function withBounds(histogram: Histogram, bucket: Bucket): Bucket | number {
  if (!isCustom(histogram)) return bucket.lower < 0 && bucket.upper > 0 ? oneSided(histogram, bucket) : bucket
  if (bucket.lower === Number.NEGATIVE_INFINITY) return bucket.upper <= 0 ? bucket.upper : { ...bucket, lower: 0 }
  return bucket.upper === Number.POSITIVE_INFINITY ? bucket.lower : bucket
}

/** If all other buckets have one sign, the zero bucket gets that sign. */
function oneSided({ positive, negative }: Histogram, bucket: Bucket): Bucket {
  const [above, below] = [positive.indexes.length > 0, negative.indexes.length > 0]
  if (above && !below) return { ...bucket, lower: 0 }
  return below && !above ? { ...bucket, upper: 0 } : bucket
}

function interpolate(histogram: Histogram, { lower, upper }: Bucket, fraction: number): number {
  if (isCustom(histogram) || (lower <= 0 && upper >= 0)) return lower + (upper - lower) * fraction
  const [low, high] = [Math.log2(Math.abs(lower)), Math.log2(Math.abs(upper))]
  return lower > 0 ? 2 ** (low + (high - low) * fraction) : -(2 ** (high + (low - high) * (1 - fraction)))
}

/** The fraction of all observations between two values. */
export function fractionOf(lower: number, upper: number, histogram: Histogram): readonly [number, hasNan: boolean] {
  const buckets = bucketsOf(histogram).map(bucket =>
    bucket.lower <= 0 && bucket.upper >= 0
      ? { ...oneSided(histogram, bucket), linear: true }
      : { ...bucket, linear: isCustom(histogram) }
  )
  const hasNan = Number.isNaN(histogram.sum)
  // NaN observations are in no bucket.
  const ranked = hasNan ? buckets.reduce((sum, { count }) => sum + count, 0) : histogram.count
  return [fractionBetween(lower, upper, buckets, histogram.count, ranked), hasNan]
}

interface Interval {
  readonly lower: number
  readonly upper: number
  readonly count: number
  /** Whether observations are assumed to be uniform within a bucket; otherwise their logarithms are. */
  readonly linear: boolean
}

/** `buckets` ascend and touch; `count` is the number of all observations, `ranked` that of observations in buckets. */
export function fractionBetween(
  lower: number,
  upper: number,
  buckets: readonly Interval[],
  count: number,
  ranked = count
): number {
  if (count === 0 || Number.isNaN(lower) || Number.isNaN(upper)) return Number.NaN
  if (lower >= upper) return 0
  const rankOf = (value: number) => {
    let rank = 0
    for (const bucket of buckets) {
      if (bucket.lower >= value) return rank
      if (bucket.upper > value) return rankWithin(bucket, value, rank)
      rank += bucket.count
    }
    return ranked
  }
  return (Math.min(rankOf(upper), count) - Math.min(rankOf(lower), count)) / count
}

function rankWithin({ lower, upper, count, linear }: Interval, value: number, rank: number): number {
  if (linear) {
    if (lower === Number.NEGATIVE_INFINITY) return count
    return rank + (count * (value - lower)) / (upper - lower)
  }
  const [low, high, at] = [Math.log2(Math.abs(lower)), Math.log2(Math.abs(upper)), Math.log2(Math.abs(value))]
  const fraction = value > 0 ? (at - low) / (high - low) : 1 - (at - high) / (low - high)
  return rank + count * fraction
}

/** Estimated from the midpoints of the buckets. */
export function varianceOf(histogram: Histogram): number {
  const mean = histogram.sum / histogram.count
  const sum = { value: 0, error: 0 }
  for (const { lower, upper, count } of bucketsOf(histogram)) {
    if (count === 0) continue
    const delta = middle(histogram, lower, upper) - mean
    addKahan(sum, count * delta * delta)
  }
  return (sum.value + sum.error) / histogram.count
}

function middle(histogram: Histogram, lower: number, upper: number): number {
  if (isCustom(histogram)) return (lower + upper) / 2
  if (lower <= 0 && upper >= 0) return 0
  return Math.sqrt(lower * upper) * (upper < 0 ? -1 : 1)
}
