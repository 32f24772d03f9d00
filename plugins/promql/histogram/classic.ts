// Classic histograms: cumulative counts in series with the label `le`.
import { fractionBetween } from './quantile.ts'

export interface ClassicBucket {
  readonly upper: number
  /** Observations up to `upper`. */
  count: number
}

/** Corrections of counts that were not monotonic. */
interface Forced {
  readonly from: number
  readonly to: number
  readonly difference: number
}

interface ClassicQuantile {
  readonly value: number
  readonly forced?: Forced
}

/** Relative difference below which counts are taken for equal. */
const tolerance = 1e-12

/** Modifies `buckets`. */
export function classicQuantile(q: number, buckets: ClassicBucket[]): ClassicQuantile {
  if (Number.isNaN(q)) return { value: Number.NaN }
  if (q < 0) return { value: Number.NEGATIVE_INFINITY }
  if (q > 1) return { value: Number.POSITIVE_INFINITY }
  const merged = coalesce(buckets)
  if (merged.at(-1)?.upper !== Number.POSITIVE_INFINITY) return { value: Number.NaN }
  const forced = forceMonotonic(merged)
  const value = merged.length < 2 ? Number.NaN : valueAt(q, merged)
  return forced === undefined ? { value } : { value, forced }
}

function valueAt(q: number, buckets: readonly ClassicBucket[]): number {
  const observations = buckets.at(-1)!.count
  if (observations === 0 || Number.isNaN(observations)) return Number.NaN
  const rank = q * observations
  const found = buckets.slice(0, -1).findIndex(({ count }) => count >= rank)
  if (found < 0) return buckets.at(-2)!.upper
  const { upper, count } = buckets[found]!
  if (found === 0) return upper <= 0 ? upper : upper * (rank / count)
  const below = buckets[found - 1]!
  return below.upper + (upper - below.upper) * ((rank - below.count) / (count - below.count))
}

/** The fraction of all observations between two values. */
export function classicFraction(lower: number, upper: number, buckets: ClassicBucket[]): number {
  const merged = coalesce(buckets)
  if (merged.at(-1)?.upper !== Number.POSITIVE_INFINITY) return Number.NaN
  const intervals = merged.map(({ upper, count }, i) => {
    const before = merged[i - 1]
    const start = before?.upper ?? (upper > 0 ? 0 : Number.NEGATIVE_INFINITY)
    return { lower: start, upper, count: count - (before?.count ?? 0), linear: true }
  })
  return fractionBetween(lower, upper, intervals, merged.at(-1)!.count)
}

/** Sorts buckets and merges those with equal bounds. */
function coalesce(buckets: ClassicBucket[]): ClassicBucket[] {
  const merged: ClassicBucket[] = []
  for (const bucket of buckets.sort((a, b) => a.upper - b.upper)) {
    const last = merged.at(-1)
    if (last?.upper === bucket.upper) last.count += bucket.count
    else merged.push({ ...bucket })
  }
  return merged
}

/** Raises counts that are lower than the one before; reports it unless they are lower by rounding only. */
function forceMonotonic(buckets: ClassicBucket[]): Forced | undefined {
  let forced: Forced | undefined
  let highest = buckets[0]!.count
  for (const bucket of buckets.slice(1)) {
    const { count, upper } = bucket
    if (count === highest) continue
    const same = isClose(highest, count)
    if (same || count < highest) bucket.count = highest
    else highest = count
    if (same || count >= highest) continue
    const difference = Math.max(forced?.difference ?? 0, highest - count)
    forced = { from: forced?.from ?? upper, to: upper, difference }
  }
  return forced
}

function isClose(a: number, b: number): boolean {
  const sum = Math.abs(a) + Math.abs(b)
  if (a === 0 || b === 0 || sum < 2 ** -1022) return Math.abs(a - b) < tolerance * 2 ** -1022
  return Math.abs(a - b) / Math.min(sum, Number.MAX_VALUE) < tolerance
}
