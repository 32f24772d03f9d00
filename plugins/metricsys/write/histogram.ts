// A native histogram: read from protobuf, checked, and written as the JSON text its column holds. Back again for remote read.

import { DbError, parseJson, writeJsonFloat } from '../../../core/index.ts'
import { ProtoReader, ProtoWriter } from '../../../core/wire/index.ts'
import type { HistogramBuckets, NativeHistogram } from '../../services.ts'

/** Field numbers of the message, the same in both versions. */
const field = {
  count_int: 1,
  count_float: 2,
  sum: 3,
  schema: 4,
  zero_threshold: 5,
  zero_count_int: 6,
  zero_count_float: 7,
  negative_spans: 8,
  negative_deltas: 9,
  negative_counts: 10,
  positive_spans: 11,
  positive_deltas: 12,
  positive_counts: 13,
  reset_hint: 14,
  timestamp: 15,
  custom_values: 16,
  start_timestamp: 17
} as const

const customSchema = -53
const lowestSchema = -4
const highestSchema = 8
/** Schemas above it have finer buckets than can be stored; schemas below the least one are unknown. */
const reducible = 52
/** The bits of a sum that say that the series ended. */
const staleSum = 0x7ff0000000000002n

type Span = HistogramBuckets['spans'][number]

/** A histogram with its time in milliseconds since 1970. */
interface Histogram extends NativeHistogram {
  readonly time: bigint
}

/** Reads and checks `bytes[start … end]`. Throws DbError `InvalidArguments` saying what does not fit together. */
export function readHistogram(bytes: Uint8Array, start: number, end: number): Histogram {
  const raw = readRaw(new ProtoReader(bytes, start, end))
  const side = (spans: readonly Span[], deltas: readonly bigint[], counts: readonly number[]): HistogramBuckets => ({
    spans,
    counts: raw.float ? counts : absolute(deltas)
  })
  const { float, schema, zeroThreshold, sumBits, resetHint, startTime, time, customValues } = raw
  const histogram: Histogram = {
    ...{ float, schema, zeroThreshold, sumBits, resetHint, startTime, time, customValues },
    count: float ? raw.countFloat : raw.countInt,
    zeroCount: float ? raw.zeroFloat : raw.zeroInt,
    positive: side(raw.positiveSpans, raw.positiveDeltas, raw.positiveCounts),
    negative: side(raw.negativeSpans, raw.negativeDeltas, raw.negativeCounts)
  }
  checkHistogram(histogram)
  return histogram
}

function readRaw(reader: ProtoReader) {
  const raw = {
    ...{ float: false, schema: 0, zeroThreshold: 0, sumBits: 0n, resetHint: 0, startTime: 0n, time: 0n },
    ...{ countInt: 0n, countFloat: 0, zeroInt: 0n, zeroFloat: 0 },
    ...{ customValues: [] as number[], positiveSpans: [] as Span[], negativeSpans: [] as Span[] },
    ...{ positiveDeltas: [] as bigint[], negativeDeltas: [] as bigint[] },
    ...{ positiveCounts: [] as number[], negativeCounts: [] as number[] }
  }
  const takers: Readonly<Record<number, () => unknown>> = {
    [field.count_int]: () => (raw.countInt = reader.uint64()),
    [field.count_float]: () => {
      raw.float = true
      raw.countFloat = reader.double()
    },
    [field.sum]: () => (raw.sumBits = reader.bits64()),
    [field.schema]: () => (raw.schema = reader.sint32()),
    [field.zero_threshold]: () => (raw.zeroThreshold = reader.double()),
    [field.zero_count_int]: () => (raw.zeroInt = reader.uint64()),
    [field.zero_count_float]: () => (raw.zeroFloat = reader.double()),
    [field.negative_spans]: () => raw.negativeSpans.push(readSpan(reader.message())),
    [field.positive_spans]: () => raw.positiveSpans.push(readSpan(reader.message())),
    [field.negative_deltas]: () => reader.repeated(each => raw.negativeDeltas.push(each.sint64())),
    [field.positive_deltas]: () => reader.repeated(each => raw.positiveDeltas.push(each.sint64())),
    [field.negative_counts]: () => reader.repeated(each => raw.negativeCounts.push(each.double())),
    [field.positive_counts]: () => reader.repeated(each => raw.positiveCounts.push(each.double())),
    [field.reset_hint]: () => (raw.resetHint = reader.uint()),
    [field.timestamp]: () => (raw.time = reader.int64()),
    [field.custom_values]: () => reader.repeated(each => raw.customValues.push(each.double())),
    [field.start_timestamp]: () => (raw.startTime = reader.int64())
  }
  while (reader.next()) (takers[reader.field] ?? (() => reader.skip()))()
  return raw
}

function readSpan(reader: ProtoReader): Span {
  const span = { offset: 0, length: 0 }
  while (reader.next()) {
    if (reader.field === 1) span.offset = reader.sint32()
    else if (reader.field === 2) span.length = reader.uint()
    else reader.skip()
  }
  return span
}

function absolute(deltas: readonly bigint[]): bigint[] {
  let count = 0n
  return deltas.map(delta => {
    count += delta
    return count
  })
}

/** Throws DbError `InvalidArguments` saying what does not fit together. */
export function checkHistogram(histogram: NativeHistogram): void {
  const { schema, positive, negative, customValues, count, zeroCount } = histogram
  if (sumOf(histogram) === 'stale') return
  if (schema > highestSchema && schema <= reducible) {
    throw invalidHistogram(`schema ${schema} must be reduced to at most ${highestSchema}`)
  }
  if (schema !== customSchema && (schema < lowestSchema || schema > highestSchema))
    throw invalidHistogram(`unknown schema ${schema}`)
  for (const [name, { spans, counts }] of [['positive', positive] as const, ['negative', negative] as const]) {
    const length = spans.reduce((sum, span) => sum + span.length, 0)
    if (length !== counts.length)
      throw invalidHistogram(`${name} spans cover ${length} buckets, there are ${counts.length}`)
    for (const [i, { offset }] of spans.entries())
      if (i > 0 && offset < 0) throw invalidHistogram(`a ${name} span goes back by ${-offset}`)
    const low = counts.find(each => each < 0)
    if (low !== undefined) throw invalidHistogram(`a ${name} bucket has the count ${low}`)
  }
  if (count < 0 || zeroCount < 0) throw invalidHistogram(`a count is below 0`)
  if (schema === customSchema) checkCustom(histogram)
  else if (customValues.length > 0) throw invalidHistogram(`custom values need schema ${customSchema}`)
  if (!histogram.float) checkTotal(histogram)
}

function checkCustom({ customValues, zeroCount, zeroThreshold, negative }: NativeHistogram): void {
  for (const [i, value] of customValues.entries()) {
    if (Number.isNaN(value) || value === Number.POSITIVE_INFINITY)
      throw invalidHistogram(`custom value ${value} is not a bound`)
    if (i > 0 && value <= customValues[i - 1]!) throw invalidHistogram(`custom values must ascend, ${value} does not`)
  }
  if (Number(zeroCount) !== 0 || zeroThreshold !== 0)
    throw invalidHistogram('a histogram of custom bounds has no zero bucket')
  if (negative.counts.length > 0 || negative.spans.length > 0)
    throw invalidHistogram('a histogram of custom bounds has no negative buckets')
}

function checkTotal(histogram: NativeHistogram): void {
  const { count, zeroCount, positive, negative } = histogram
  let total = zeroCount as bigint
  for (const each of [...positive.counts, ...negative.counts]) total += each as bigint
  const fits = sumOf(histogram) === 'nan' ? total <= (count as bigint) : total === count
  if (!fits) throw invalidHistogram(`its buckets hold ${total} observations, its count says ${count}`)
}

function sumOf({ sumBits }: NativeHistogram): 'stale' | 'nan' | number {
  if (sumBits === staleSum) return 'stale'
  const sum = new Float64Array(BigUint64Array.of(sumBits).buffer)[0]!
  return Number.isNaN(sum) ? 'nan' : sum
}

/** The text of the column. Numbers JSON has no word for are texts: `"NaN"`, `"Infinity"`; a sum that says that the series ended is `"stale"`. */
export function histogramJson(histogram: NativeHistogram): string {
  const { float, positive, negative } = histogram
  const sum = sumOf(histogram)
  const kind = float ? 'f64' : 'i64'
  const parts: [string, string][] = [
    ['schema', String(histogram.schema)],
    ['zero_threshold', number(histogram.zeroThreshold)],
    ['sum', sum === 'stale' ? '"stale"' : number(sum === 'nan' ? Number.NaN : sum)],
    ['reset_hint', String(histogram.resetHint)],
    ['start_timestamp', String(histogram.startTime)],
    ['custom_values', list(histogram.customValues)],
    ['positive_span_offsets', list(positive.spans.map(span => BigInt(span.offset)))],
    ['positive_span_lengths', list(positive.spans.map(span => BigInt(span.length)))],
    ['negative_span_offsets', list(negative.spans.map(span => BigInt(span.offset)))],
    ['negative_span_lengths', list(negative.spans.map(span => BigInt(span.length)))],
    [`count_${kind}`, number(histogram.count)],
    [`zero_count_${kind}`, number(histogram.zeroCount)],
    [`positive_buckets_${kind}`, list(positive.counts)],
    [`negative_buckets_${kind}`, list(negative.counts)]
  ]
  return `{${parts.map(([name, text]) => `"${name}":${text}`).join(',')}}`
}

function list(values: readonly (number | bigint)[]): string {
  return `[${values.map(number).join(',')}]`
}

function number(value: number | bigint): string {
  if (typeof value === 'bigint') return String(value)
  return Number.isFinite(value) ? writeJsonFloat(value) : `"${value}"`
}

/** The text of the column as protobuf, at a time in milliseconds. */
export function writeHistogram(text: string, time: bigint): Uint8Array {
  const object = parseJson(text) as Readonly<Record<string, unknown>>
  const out = new ProtoWriter()
  const float = object['count_f64'] !== undefined
  const numbers = (name: string) => ((object[name] ?? []) as readonly unknown[]).map(Number)
  if (float) out.double(field.count_float, readNumber(object['count_f64']))
  else out.uint(field.count_int, BigInt(object['count_i64'] as bigint | number))
  if (object['sum'] === 'stale') out.bits64(field.sum, 2, 0x7ff00000)
  else out.double(field.sum, readNumber(object['sum']))
  out.sint64(field.schema, BigInt(object['schema'] as bigint | number))
  out.double(field.zero_threshold, readNumber(object['zero_threshold']))
  if (float) out.double(field.zero_count_float, readNumber(object['zero_count_f64']))
  else out.uint(field.zero_count_int, BigInt(object['zero_count_i64'] as bigint | number))
  for (const side of ['negative', 'positive'] as const) {
    const lengths = numbers(`${side}_span_lengths`)
    numbers(`${side}_span_offsets`).forEach((offset, i) => {
      const span = new ProtoWriter().sint64(1, BigInt(offset)).uint(2, lengths[i]!)
      out.data(field[`${side}_spans`], span.bytes)
    })
    const inner = new ProtoWriter()
    if (float) {
      for (const count of numbers(`${side}_buckets_f64`)) inner.rawDouble(count)
    } else writeDeltas(inner, (object[`${side}_buckets_i64`] ?? []) as readonly (bigint | number)[])
    if (inner.length > 0) out.data(float ? field[`${side}_counts`] : field[`${side}_deltas`], inner.bytes)
  }
  out.uint(field.reset_hint, readNumber(object['reset_hint']))
  out.int64(field.timestamp, time)
  const bounds = new ProtoWriter()
  for (const bound of (object['custom_values'] ?? []) as readonly unknown[]) bounds.rawDouble(readNumber(bound))
  if (bounds.length > 0) out.data(field.custom_values, bounds.bytes)
  return out.bytes
}

function writeDeltas(out: ProtoWriter, counts: readonly (bigint | number)[]): void {
  let before = 0n
  for (const count of counts) {
    const delta = BigInt(count) - before
    before = BigInt(count)
    out.varint(BigInt.asUintN(64, (delta << 1n) ^ (delta >> 63n)))
  }
}

function readNumber(value: unknown): number {
  return Number(value)
}

function invalidHistogram(message: string): DbError {
  return new DbError('InvalidArguments', `native histogram: ${message}`)
}
