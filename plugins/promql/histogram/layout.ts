// Converts histograms to a common layout: schema, zero bucket, custom bounds.
import { type Buckets, customSchema, type Histogram, isCustom, noBuckets, upperBound } from './histogram.ts'

/** Reduces the resolution to a schema. */
export function toSchema(histogram: Histogram, schema: number): Histogram {
  const levels = histogram.schema - schema
  if (isCustom(histogram) || levels <= 0) return histogram
  const coarser = (index: number) => ((index - 1) >> levels) + 1
  return {
    ...histogram,
    schema,
    positive: merged(histogram.positive, coarser),
    negative: merged(histogram.negative, coarser)
  }
}

/** Maps bucket indexes by a monotonic function; counts of equal indexes are added. */
function merged({ indexes, counts }: Buckets, move: (index: number) => number): Buckets {
  const sums = new Map<number, number>()
  for (let i = 0; i < indexes.length; i++) {
    const index = move(indexes[i]!)
    sums.set(index, (sums.get(index) ?? 0) + counts[i]!)
  }
  return { indexes: Int32Array.from(sums.keys()), counts: Float64Array.from(sums.values()) }
}

/** Both with a zero bucket of the same width, as narrow as the buckets allow. */
function sameZeroBucket(left: Histogram, right: Histogram): readonly [Histogram, Histogram] {
  let [a, b] = [left, right]
  while (a.zeroThreshold !== b.zeroThreshold) {
    if (a.zeroThreshold > b.zeroThreshold) b = widenZero(b, a.zeroThreshold)
    if (b.zeroThreshold > a.zeroThreshold) a = widenZero(a, b.zeroThreshold)
  }
  return [a, b]
}

/** Widens the zero bucket to at least this width; a bucket that it would cut is absorbed completely. */
export function widenZero(histogram: Histogram, threshold: number): Histogram {
  if (threshold === histogram.zeroThreshold) return histogram
  let wide = threshold
  for (;;) {
    const edge = filledEdge(histogram, wide)
    if (edge === wide) break
    wide = edge
  }
  let zeroCount = histogram.zeroCount
  const outside = (buckets: Buckets) => {
    const kept = [...buckets.indexes.keys()].filter(i => {
      if (upperBound(histogram, buckets.indexes[i]! - 1) >= wide) return true
      zeroCount += buckets.counts[i]!
      return false
    })
    return {
      indexes: Int32Array.from(kept, i => buckets.indexes[i]!),
      counts: Float64Array.from(kept, i => buckets.counts[i]!)
    }
  }
  const [positive, negative] = [outside(histogram.positive), outside(histogram.negative)]
  return { ...histogram, positive, negative, zeroCount, zeroThreshold: wide }
}

function filledEdge(histogram: Histogram, threshold: number): number {
  for (const { indexes, counts } of [histogram.positive, histogram.negative]) {
    for (let i = 0; i < indexes.length; i++) {
      const upper = upperBound(histogram, indexes[i]!)
      if (counts[i] !== 0 && upperBound(histogram, indexes[i]! - 1) < threshold && upper > threshold) return upper
    }
  }
  return threshold
}

function sameBounds(left: Histogram, right: Histogram): boolean {
  return left.bounds.length === right.bounds.length && left.bounds.every((bound, i) => bound === right.bounds[i])
}

/** Keeps only the listed custom bounds, all of which exist. */
export function toBounds(histogram: Histogram, bounds: readonly number[]): Histogram {
  const move = (index: number) => {
    const upper = upperBound(histogram, index)
    const at = bounds.findIndex(bound => bound >= upper)
    return at < 0 ? bounds.length : at
  }
  return { ...histogram, bounds, positive: merged(histogram.positive, move) }
}

/**
 * Both in one layout, exponential or custom. `reconciled`: custom bounds were dropped. Undefined if one is exponential and the other custom.
 */
export function align(left: Histogram, right: Histogram): Aligned | undefined {
  if (isCustom(left) !== isCustom(right)) return undefined
  if (isCustom(left)) {
    if (sameBounds(left, right)) return { left, right, reconciled: false }
    const common = left.bounds.filter(bound => right.bounds.includes(bound))
    return { left: toBounds(left, common), right: toBounds(right, common), reconciled: true }
  }
  const schema = Math.min(left.schema, right.schema)
  const [a, b] = sameZeroBucket(left, right)
  return { left: toSchema(a, schema), right: toSchema(b, schema), reconciled: false }
}

interface Aligned {
  readonly left: Histogram
  readonly right: Histogram
  readonly reconciled: boolean
}

/** An empty histogram in the layout of another. */
export function emptyLike({ schema, bounds, zeroThreshold }: Histogram): Histogram {
  const zero = { zeroThreshold, zeroCount: 0, count: 0, sum: 0, positive: noBuckets, negative: noBuckets }
  return { schema, bounds: schema === customSchema ? bounds : [], ...zero, hint: 'unknown' }
}
