// Trims observations above or below a value: `histogram </ 1` keeps those up to 1.
import { type Buckets, bucketsOf, compact, type Histogram, isCustom, upperBound } from './histogram.ts'

/** `upper`: only observations at most `limit` stay; `lower`: only those above. A bucket that is cut is divided evenly. */
export function trim(histogram: Histogram, limit: number, side: 'upper' | 'lower'): Histogram {
  const keep = (lower: number, upper: number, count: number) => count * share(lower, upper, limit, side)
  const part = (buckets: Buckets, negative: boolean): Buckets => ({
    indexes: buckets.indexes,
    counts: buckets.counts.map((count, i) => {
      const [low, high] = [upperBound(histogram, buckets.indexes[i]! - 1), upperBound(histogram, buckets.indexes[i]!)]
      return negative ? keep(-high, -low, count) : keep(low, high, count)
    })
  })
  const kept = {
    ...histogram,
    positive: part(histogram.positive, false),
    negative: part(histogram.negative, true),
    zeroCount: keep(-histogram.zeroThreshold, histogram.zeroThreshold, histogram.zeroCount)
  }
  return compact({ ...kept, ...totals(kept) })
}

function share(lower: number, upper: number, limit: number, side: 'upper' | 'lower'): number {
  const below = limit >= upper ? 1 : limit <= lower ? 0 : fraction(lower, upper, limit)
  return side === 'upper' ? below : 1 - below
}

function fraction(lower: number, upper: number, limit: number): number {
  if (!Number.isFinite(lower) || !Number.isFinite(upper)) return 0
  if (lower <= 0 && upper >= 0) return (limit - lower) / (upper - lower)
  const [low, high, at] = [Math.log2(Math.abs(lower)), Math.log2(Math.abs(upper)), Math.log2(Math.abs(limit))]
  return (at - low) / (high - low)
}

/** Count and sum of the remaining buckets; the sum is estimated from their midpoints. */
function totals(histogram: Histogram): { readonly count: number; readonly sum: number } {
  let [count, sum] = [0, 0]
  for (const bucket of bucketsOf(histogram)) {
    if (bucket.count === 0) continue
    count += bucket.count
    sum += bucket.count * middle(histogram, bucket.lower, bucket.upper)
  }
  return { count, sum }
}

function middle(histogram: Histogram, lower: number, upper: number): number {
  if (!Number.isFinite(lower)) return upper
  if (!Number.isFinite(upper)) return lower
  if (isCustom(histogram) || (lower <= 0 && upper >= 0)) return (lower + upper) / 2
  return Math.sqrt(lower * upper) * (upper < 0 ? -1 : 1)
}
