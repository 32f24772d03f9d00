// Native histograms in the form that metric tables store.
import type { HistogramBuckets, NativeHistogram } from '../../services.ts'
import type { Buckets, Histogram, ResetHint } from './histogram.ts'

const hints: readonly ResetHint[] = ['unknown', 'reset', 'no-reset', 'gauge']

/** With counts as numbers, as every result of PromQL has them. */
export function nativeOf(histogram: Histogram): NativeHistogram {
  const { schema, zeroThreshold, zeroCount, count, sum, positive, negative, bounds, hint } = histogram
  return {
    float: true,
    ...{ schema, zeroThreshold, zeroCount, count },
    sumBits: new BigUint64Array(Float64Array.of(sum).buffer)[0]!,
    resetHint: hints.indexOf(hint),
    startTime: 0n,
    customValues: bounds,
    positive: spansOf(positive),
    negative: spansOf(negative)
  }
}

/** Indexes that follow each other are one span. */
function spansOf({ indexes, counts }: Buckets): HistogramBuckets {
  const spans: { offset: number; length: number }[] = []
  let next = 0
  for (const index of indexes) {
    if (spans.length === 0 || index !== next) spans.push({ offset: index - next, length: 0 })
    spans.at(-1)!.length++
    next = index + 1
  }
  return { spans, counts: [...counts] }
}
