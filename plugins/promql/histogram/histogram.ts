// Native histograms: sparse buckets with exponential or custom bounds. Values never change; every operation makes a new one.

/** The relation of a histogram to the previous one in its series. */
export type ResetHint = 'unknown' | 'reset' | 'no-reset' | 'gauge'

/** Non-empty buckets, by ascending index. */
export interface Buckets {
  readonly indexes: Int32Array
  readonly counts: Float64Array
}

export interface Histogram {
  /** Resolution: bounds grow by 2^(2^-schema); `customSchema` has its bounds in `bounds`. */
  readonly schema: number
  readonly zeroThreshold: number
  readonly zeroCount: number
  readonly count: number
  readonly sum: number
  readonly positive: Buckets
  readonly negative: Buckets
  /** Upper bounds of custom buckets, ascending; the last bucket goes on to infinity. */
  readonly bounds: readonly number[]
  readonly hint: ResetHint
}

export const customSchema = -53
export const noBuckets: Buckets = { indexes: new Int32Array(0), counts: new Float64Array(0) }

export function isCustom({ schema }: Histogram): boolean {
  return schema === customSchema
}

/** One bucket as an interval. */
export interface Bucket {
  readonly lower: number
  readonly upper: number
  readonly lowerInclusive: boolean
  readonly upperInclusive: boolean
  readonly count: number
}

/** All buckets in ascending order, possibly with empty ones. A bucket that overlaps the zero bucket begins where that ends. */
export function bucketsOf(histogram: Histogram): Bucket[] {
  const { negative, positive, zeroThreshold, zeroCount } = histogram
  const list: Bucket[] = []
  for (let i = negative.indexes.length - 1; i >= 0; i--) {
    const { lower, upper, count } = outsideZero(histogram, positiveBucket(histogram, negative, i))
    list.push({ lower: -upper, upper: -lower, lowerInclusive: true, upperInclusive: false, count })
  }
  if (zeroCount > 0) {
    const both = { lowerInclusive: true, upperInclusive: true }
    list.push({ lower: -zeroThreshold, upper: zeroThreshold, ...both, count: zeroCount })
  }
  for (let i = 0; i < positive.indexes.length; i++) {
    const bucket = outsideZero(histogram, positiveBucket(histogram, positive, i))
    const first = isCustom(histogram) && positive.indexes[i] === 0
    list.push({ ...bucket, lowerInclusive: first, upperInclusive: true })
  }
  return list
}

function outsideZero<T extends { readonly lower: number }>({ zeroThreshold }: Histogram, bucket: T): T {
  return bucket.lower > 0 && bucket.lower < zeroThreshold ? { ...bucket, lower: zeroThreshold } : bucket
}

function positiveBucket(histogram: Histogram, { indexes, counts }: Buckets, i: number) {
  const index = indexes[i]!
  return { lower: upperBound(histogram, index - 1), upper: upperBound(histogram, index), count: counts[i]! }
}

/** Upper bound of the positive bucket with this index. */
export function upperBound({ schema, bounds }: Histogram, index: number): number {
  if (schema !== customSchema) return exponentialBound(schema, index)
  if (index < 0) return Number.NEGATIVE_INFINITY
  return index < bounds.length ? bounds[index]! : Number.POSITIVE_INFINITY
}

/**
 * By schema from 0 on: bounds from 0.5 to below 1. Every other one is that of the schema before, those between are the one below times
 * the factor the schema stands for: so they are the numbers Prometheus and its clients have, to the last bit.
 */
const fractions: readonly Float64Array[] = makeFractions(8)

function makeFractions(highest: number): readonly Float64Array[] {
  const all = [Float64Array.of(0.5)]
  for (let schema = 1; schema <= highest; schema++) {
    const coarser = all[schema - 1]!
    // The square root of 2 is rounded down there.
    const factor = schema === 1 ? Math.SQRT2 - 2 ** -52 : 2 ** (2 ** -schema)
    all.push(Float64Array.from({ length: 2 ** schema }, (_, i) => coarser[i >> 1]! * (i % 2 === 0 ? 1 : factor)))
  }
  return all
}

function exponentialBound(schema: number, index: number): number {
  if (schema < 0) {
    const exponent = index * 2 ** -schema
    return exponent === 1024 ? Number.MAX_VALUE : 2 ** exponent
  }
  const exponent = (index >> schema) + 1
  const fraction = fractions[schema]![index & (2 ** schema - 1)]!
  if (fraction === 0.5 && exponent === 1025) return Number.MAX_VALUE
  // In two steps: 2 ** 1024 would be infinite.
  return exponent > 1023 ? fraction * 2 * 2 ** (exponent - 1) : fraction * 2 ** exponent
}

/** Multiplies every count and the sum. */
export function scale(histogram: Histogram, factor: number): Histogram {
  return mapCounts(histogram, count => count * factor)
}

/** Divides every count and the sum; division by zero keeps only count and sum. */
export function divide(histogram: Histogram, divisor: number): Histogram {
  const quotient = mapCounts(histogram, count => count / divisor)
  return divisor === 0 ? { ...quotient, positive: noBuckets, negative: noBuckets } : quotient
}

function mapCounts(histogram: Histogram, change: (count: number) => number): Histogram {
  const buckets = ({ indexes, counts }: Buckets) => ({ indexes, counts: counts.map(change) })
  const changed = {
    ...histogram,
    zeroCount: change(histogram.zeroCount),
    count: change(histogram.count),
    sum: change(histogram.sum),
    positive: buckets(histogram.positive),
    negative: buckets(histogram.negative)
  }
  return change(1) < 0 ? { ...changed, hint: 'gauge' } : changed
}

/** Without empty buckets. */
export function compact(histogram: Histogram): Histogram {
  return { ...histogram, positive: withoutEmpty(histogram.positive), negative: withoutEmpty(histogram.negative) }
}

function withoutEmpty(buckets: Buckets): Buckets {
  if (!buckets.counts.includes(0)) return buckets
  const kept = [...buckets.indexes.keys()].filter(i => buckets.counts[i] !== 0)
  return {
    indexes: Int32Array.from(kept, i => buckets.indexes[i]!),
    counts: Float64Array.from(kept, i => buckets.counts[i]!)
  }
}

/** Whether two are equal; hints and empty buckets are ignored. */
export function equals(left: Histogram, right: Histogram): boolean {
  const [a, b] = [compact(left), compact(right)]
  return (
    a.schema === b.schema &&
    a.count === b.count &&
    Object.is(a.sum, b.sum) &&
    a.zeroCount === b.zeroCount &&
    a.zeroThreshold === b.zeroThreshold &&
    sameBuckets(a.positive, b.positive) &&
    sameBuckets(a.negative, b.negative) &&
    a.bounds.length === b.bounds.length &&
    a.bounds.every((bound, i) => bound === b.bounds[i])
  )
}

function sameBuckets(a: Buckets, b: Buckets): boolean {
  return (
    a.indexes.length === b.indexes.length &&
    a.indexes.every((index, i) => index === b.indexes[i]) &&
    a.counts.every((count, i) => count === b.counts[i])
  )
}
