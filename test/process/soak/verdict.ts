// Whether what a process holds stays flat. The rule: readings of the first third are warm-up; the rest is cut into ten equal spans, and
// each span is its median. The trend is the median of the slopes between all pairs of spans (Theil and Sen). A measure is flat when the
// trend, over all the time after the warm-up, adds at most a tenth of the median, or what is allowed for it below, whichever is more.
import { type Measure, measures, type Reading } from './measure.ts'

const MiB = 2 ** 20

/** What noise may add whatever the size; infinite: only reported. */
const allowed: Readonly<Record<Measure, number>> = {
  rss: 64 * MiB,
  heap: 16 * MiB,
  external: 32 * MiB,
  handles: 4,
  fds: 16,
  threads: 2,
  delay: Number.POSITIVE_INFINITY
}

const share = 0.1
const spans = 10
const warmUp = 1 / 3

export interface Verdict {
  readonly measure: Measure
  /** After the warm-up. */
  readonly median: number
  /** An hour. */
  readonly slope: number
  /** What the trend added after the warm-up, and what it might have. */
  readonly growth: number
  readonly limit: number
  readonly isFlat: boolean
}

/** Of readings in their order; with fewer than two after the warm-up nothing is flat. */
export function judge(readings: readonly Reading[]): readonly Verdict[] {
  const end = readings.at(-1)?.at ?? 0
  const start = readings[0]?.at ?? 0
  const from = start + (end - start) * warmUp
  const late = readings.filter(({ at }) => at >= from)
  return measures.map(measure => judgeOne(late, measure, from, end))
}

function judgeOne(late: readonly Reading[], measure: Measure, from: number, end: number): Verdict {
  const duration = end - from
  const points = Array.from({ length: spans }, (_, i) => {
    const [start, stop] = [from + (duration * i) / spans, from + (duration * (i + 1)) / spans]
    const inside = late.filter(({ at }) => at >= start && (at < stop || i === spans - 1))
    return { at: (start + stop) / 2, value: median(inside.map(reading => reading[measure])) }
  }).filter(({ value }) => !Number.isNaN(value))
  const slopes = points.flatMap((a, i) => points.slice(i + 1).map(b => (b.value - a.value) / (b.at - a.at)))
  const slope = median(slopes)
  const middle = median(late.map(reading => reading[measure]))
  const growth = slope * duration
  const limit = Math.max(share * middle, allowed[measure])
  return { measure, median: middle, slope: slope * 3_600_000, growth, limit, isFlat: growth <= limit }
}

/** NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  if (sorted.length === 0) return Number.NaN
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
