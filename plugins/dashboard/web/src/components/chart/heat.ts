// Histograms over time as cells: how many values fell into which range when.
import { readBound, type Series } from '../../api/promql.ts'

interface Cell {
  /** Seconds since 1970 at which its step begins. */
  readonly time: number
  /** Indexes in `bounds` of the bounds it lies between. */
  readonly low: number
  readonly high: number
  readonly count: number
}

export interface Heat {
  /** Seconds a cell is wide. */
  readonly step: number
  /** Ascending; may begin and end with an infinity. */
  readonly bounds: readonly number[]
  readonly cells: readonly Cell[]
  /** The largest count. */
  readonly max: number
}

/** Bounds put between buckets that are far from each other. */
const maxBounds = 300

/** Undefined unless the series are one histogram: classic buckets that differ only in `le`, or a native one. */
export function heatOf(series: readonly Series[], step: number): Heat | undefined {
  const [first] = series
  if (first === undefined) return undefined
  if (series.length === 1 && first.histograms.length > 0) return ofNative(first, step)
  const isClassic = series.length > 1 && series.every(({ labels }) => 'le' in labels)
  const others = new Set(series.map(({ labels: { le, ...rest } }) => JSON.stringify(rest)))
  return isClassic && others.size === 1 ? ofClassic(series, step) : undefined
}

/** Counts of classic buckets are cumulative. */
function ofClassic(series: readonly Series[], step: number): Heat {
  const buckets = series
    .map(({ labels, times, values }) => ({ upper: readBound(labels['le']!), times, values }))
    .sort((a, b) => a.upper - b.upper)
  const before = new Map<number, number>()
  const cells: Cell[] = []
  for (const [low, { times, values }] of buckets.entries()) {
    for (const [i, time] of times.entries()) {
      const count = values[i]! - (before.get(time) ?? 0)
      before.set(time, values[i]!)
      if (count > 0) cells.push({ time: time - step, low, high: low + 1, count })
    }
  }
  return heat([buckets[0]!.upper > 0 ? 0 : -Infinity, ...buckets.map(({ upper }) => upper)], cells, step)
}

function ofNative({ histograms }: Series, step: number): Heat {
  const known = new Set(histograms.flatMap(({ buckets }) => buckets.flatMap(({ lower, upper }) => [lower, upper])))
  const bounds = evenly([...known].sort((a, b) => a - b))
  const indexOf = new Map(bounds.map((bound, i) => [bound, i]))
  const cells = histograms.flatMap(({ time, buckets }) =>
    buckets
      .filter(({ count }) => count > 0)
      .map(({ lower, upper, count }) => ({
        time: time - step,
        low: indexOf.get(lower)!,
        high: indexOf.get(upper)!,
        count
      }))
  )
  return heat(bounds, cells, step)
}

/** With bounds of empty buckets, which native histograms do not name. */
function evenly(bounds: readonly number[]): readonly number[] {
  const factors = bounds.slice(1).map((bound, i) => growth(bounds[i]!, bound))
  const usual = Math.min(...factors.filter(factor => factor > 1))
  if (!Number.isFinite(usual)) return bounds
  const all = bounds.flatMap((bound, i) => {
    const missing = Math.round(Math.log(factors[i] ?? 1) / Math.log(usual)) - 1
    return [bound, ...Array.from({ length: Math.max(0, missing) }, (_, k) => between(bound, usual ** (k + 1)))]
  })
  return all.length > maxBounds ? bounds : all
}

/** The ratio of the bounds' distances from zero; 1 when zero is between them. */
function growth(low: number, high: number): number {
  if (!Number.isFinite(low) || !Number.isFinite(high) || low * high <= 0) return 1
  return low > 0 ? high / low : low / high
}

function between(bound: number, factor: number): number {
  return bound > 0 ? bound * factor : bound / factor
}

function heat(bounds: readonly number[], cells: readonly Cell[], step: number): Heat {
  return { step, bounds, cells, max: cells.reduce((max, { count }) => Math.max(max, count), 0) }
}
