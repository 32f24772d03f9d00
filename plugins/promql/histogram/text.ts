// Histograms as text and as JSON.
import { formatFloat } from '../engine/number.ts'
import { bucketsOf, type Histogram } from './histogram.ts'

/** `{count:3, sum:4.5, (0.5,1]:1, (1,2]:2}`. */
export function histogramText(histogram: Histogram): string {
  const parts = [`count:${formatFloat(histogram.count)}`, `sum:${formatFloat(histogram.sum)}`]
  for (const { lower, upper, lowerInclusive, upperInclusive, count } of bucketsOf(histogram)) {
    if (count === 0) continue
    const [open, close] = [lowerInclusive ? '[' : '(', upperInclusive ? ']' : ')']
    parts.push(`${open}${formatFloat(lower)},${formatFloat(upper)}${close}:${formatFloat(count)}`)
  }
  return `{${parts.join(', ')}}`
}

/**
 * In the form of the query API: `buckets` are [rule, lower, upper, count], with rule 0 (lower, upper], 1 [lower, upper), 2 open, 3 closed.
 */
export function histogramJson(histogram: Histogram) {
  const buckets = bucketsOf(histogram)
    .filter(({ count }) => count !== 0)
    .map(({ lower, upper, lowerInclusive, upperInclusive, count }) => {
      const rule = lowerInclusive ? (upperInclusive ? 3 : 1) : upperInclusive ? 0 : 2
      return [rule, formatFloat(lower), formatFloat(upper), formatFloat(count)] as const
    })
  const { count, sum } = histogram
  return { count: formatFloat(count), sum: formatFloat(sum), ...(buckets.length > 0 && { buckets }) }
}
