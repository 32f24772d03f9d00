// Parses native histograms from the JSON in metric tables.
import { parseJson } from '../../../core/index.ts'
import { type Buckets, customSchema, type Histogram, type ResetHint } from './histogram.ts'

const hints: readonly ResetHint[] = ['unknown', 'reset', 'no-reset', 'gauge']

/** The bits that end a series, as a number. */
const staleSum = new Float64Array(BigUint64Array.of(0x7ff0000000000002n).buffer)

/** Reads the text of a metric table's histogram column. */
export function readHistogram(text: string): Histogram {
  const object = parseJson(text) as Readonly<Record<string, unknown>>
  const schema = Number(object['schema'])
  return {
    schema,
    zeroThreshold: Number(object['zero_threshold'] ?? 0),
    zeroCount: Number(object['zero_count_f64'] ?? object['zero_count_i64'] ?? 0),
    count: Number(object['count_f64'] ?? object['count_i64'] ?? 0),
    sum: object['sum'] === 'stale' ? staleSum[0]! : Number(object['sum']),
    positive: readBuckets(object, 'positive'),
    negative: readBuckets(object, 'negative'),
    bounds: schema === customSchema ? numbers(object['custom_values']) : [],
    hint: hints[Number(object['reset_hint'] ?? 0)] ?? 'unknown'
  }
}

function readBuckets(object: Readonly<Record<string, unknown>>, side: 'positive' | 'negative'): Buckets {
  const offsets = numbers(object[`${side}_span_offsets`])
  const lengths = numbers(object[`${side}_span_lengths`])
  const counts = numbers(object[`${side}_buckets_f64`] ?? object[`${side}_buckets_i64`])
  const indexes: number[] = []
  let next = 0
  for (const [i, offset] of offsets.entries()) {
    next += offset
    for (let n = 0; n < lengths[i]!; n++) indexes.push(next++)
  }
  return { indexes: Int32Array.from(indexes), counts: Float64Array.from(counts) }
}

function numbers(list: unknown): number[] {
  return ((list ?? []) as readonly unknown[]).map(Number)
}
