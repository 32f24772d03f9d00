// The series of a comparison: counters, gauges and histograms of every kind, with gaps, ends and resets.
import { ProtoReader, ProtoWriter } from '../../../../core/wire/index.ts'
import { type Labels, staleBits, type TestSeries, writeV1 } from '../../metricsys/messages.ts'

/** Milliseconds since 1970 of the first sample. */
export const start = 1_700_000_000_000 - (1_700_000_000_000 % 3_600_000)
export const interval = 15_000
export const samples = 200

/** Numbers from 0 to below 1, the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

type Shape = (i: number, random: () => number) => number | bigint | undefined

function floats(labels: Labels, shape: Shape, seed: number): TestSeries {
  const random = randomFrom(seed)
  const found: [number, number | bigint][] = []
  for (let i = 0; i < samples; i++) {
    const value = shape(i, random)
    if (value !== undefined) found.push([start + i * interval, value])
  }
  return { labels, samples: found }
}

const counter = (perStep: number, resetEvery = 1e9): Shape => {
  let total = 0
  return (i, random) => {
    if (i % resetEvery === resetEvery - 1) total = 0
    total += Math.floor(random() * perStep)
    return total
  }
}
const gauge =
  (size: number): Shape =>
  (_, random) =>
    Math.round((random() - 0.5) * size * 1000) / 1000
const withGaps =
  (shape: Shape): Shape =>
  (i, random) => {
    const value = shape(i, random)
    return i % 50 > 20 && i % 50 < 45 ? (i % 50 === 21 ? staleBits : undefined) : value
  }
const odd: Shape = i => [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1.5, -0, 1e300][i % 6]

export interface HistogramShape {
  readonly schema: number
  readonly zeroThreshold?: number
  readonly zeroCount?: number
  readonly positive?: readonly (readonly [index: number, count: number])[]
  readonly negative?: readonly (readonly [index: number, count: number])[]
  readonly sum: number
  readonly custom?: readonly number[]
  /** 0 unknown, 1 reset, 2 no reset, 3 gauge. */
  readonly hint?: number
}

/** A histogram of float counts as remote write sends it. */
export function histogramBytes(shape: HistogramShape, time: number): Uint8Array {
  const { schema, zeroThreshold = 0, zeroCount = 0, positive = [], negative = [], sum, custom = [], hint = 0 } = shape
  const total = [...positive, ...negative].reduce((all, [, count]) => all + count, zeroCount)
  const out = new ProtoWriter().double(2, total).double(3, sum).sint64(4, BigInt(schema))
  out.double(5, zeroThreshold).double(7, zeroCount)
  for (const [spans, counts, buckets] of [[8, 10, negative] as const, [11, 13, positive] as const]) {
    let next = 0
    const packed = new ProtoWriter()
    for (const [index, count] of buckets) {
      out.data(spans, new ProtoWriter().sint64(1, BigInt(index - next)).uint(2, 1).bytes)
      packed.rawDouble(count)
      next = index + 1
    }
    if (buckets.length > 0) out.data(counts, packed.bytes)
  }
  out.uint(14, hint).int64(15, BigInt(time))
  const bounds = new ProtoWriter()
  for (const bound of custom) bounds.rawDouble(bound)
  if (custom.length > 0) out.data(16, bounds.bytes)
  return out.bytes
}

function histograms(
  labels: Labels,
  seed: number,
  shape: (i: number, random: () => number) => HistogramShape | undefined
) {
  const random = randomFrom(seed)
  const found: Uint8Array[] = []
  for (let i = 0; i < samples; i++) {
    const value = shape(i, random)
    if (value !== undefined) found.push(histogramBytes(value, start + i * interval))
  }
  return { labels, histograms: found } satisfies TestSeries
}

/** Far above what a histogram grows by: before version 3.6 Prometheus did not ask when a histogram was 0. */
const base = 2_000

/** A growing histogram whose resolution and zero bucket change now and then. */
function growing(schemas: readonly number[], thresholds: readonly number[], resetEvery: number, negative: boolean) {
  let counts = new Map<number, number>()
  let [zero, sum] = [base, 0]
  return (i: number, random: () => number): HistogramShape => {
    const turn = Math.floor(i / 25)
    const schema = schemas[turn % schemas.length]!
    if (i % resetEvery === 0 || i % 25 === 0) [counts, zero, sum] = [new Map(), base, 0]
    for (let n = 0; n < 3; n++) {
      const index = Math.floor(random() * 9) - 2
      counts.set(index, (counts.get(index) ?? 0) + Math.ceil(random() * 5))
    }
    zero += Math.floor(random() * 3)
    sum += random() * 20
    const zeroThreshold = thresholds[turn % thresholds.length]!
    // The zero bucket may cut a bucket, it covers none.
    const isOutside = ([index]: readonly [number, number]) => 2 ** (index * 2 ** -schema) > zeroThreshold
    const buckets = [...counts].sort(([a], [b]) => a - b).filter(isOutside)
    const low = buckets.filter((_, at) => at % 2 === 0)
    return { schema, zeroThreshold, zeroCount: zero, positive: buckets, sum, ...(negative && { negative: low }) }
  }
}

function custom(bounds: readonly (readonly number[])[]) {
  const counts = Array.from({ length: 12 }, () => base)
  let sum = 0
  return (i: number, random: () => number): HistogramShape => {
    const own = bounds[Math.floor(i / 40) % bounds.length]!
    for (let n = 0; n < 3; n++) counts[Math.floor(random() * (own.length + 1))]! += 1
    sum += random() * 10
    const positive = counts.slice(0, own.length + 1).map((count, index) => [index, count] as const)
    return { schema: -53, custom: own, positive: positive.filter(([, count]) => count > 0), sum }
  }
}

const bounds = ['0.1', '0.5', '1', '2.5', '10', '+Inf']

function classic(labels: Labels, seed: number): TestSeries[] {
  const random = randomFrom(seed)
  const totals = bounds.map(() => 0)
  const rows: number[][] = []
  for (let i = 0; i < samples; i++) {
    const at = Math.floor(random() * bounds.length)
    for (let b = at; b < bounds.length; b++) totals[b]! += 1 + Math.floor(random() * 2)
    rows.push([...totals])
  }
  return bounds.map((le, b) => ({
    labels: { ...labels, le },
    samples: rows.map((row, i) => [start + i * interval, row[b]!] as const)
  }))
}

const sorted = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)))

export const series: readonly TestSeries[] = [
  ...['a', 'b', 'c'].flatMap((instance, i) => [
    floats({ __name__: 'hits_total', instance, job: 'web', code: '200' }, counter(20, 60), i + 1),
    floats({ __name__: 'hits_total', instance, job: 'web', code: '500' }, withGaps(counter(3)), i + 11),
    floats({ __name__: 'temp', instance, job: 'node' }, gauge(100), i + 21),
    floats({ __name__: 'level', instance, job: 'node', zone: `z${i % 2}` }, withGaps(gauge(10)), i + 31),
    floats({ __name__: 'small', instance, n: String(9 + i) }, (at, _) => (at + i) % 4, i)
  ]),
  floats({ __name__: 'odd', instance: 'a' }, odd, 1),
  floats({ __name__: 'odd', instance: 'b' }, i => odd(i + 2, () => 0), 1),
  floats({ __name__: 'target_info', instance: 'a', job: 'node', version: '1' }, i => (i < 100 ? 1 : undefined), 1),
  floats({ __name__: 'target_info', instance: 'a', job: 'node', version: '2' }, i => (i < 100 ? undefined : 1), 1),
  floats({ __name__: 'target_info', instance: 'b', job: 'node', cloud: 'x' }, () => 1, 1),
  ...classic({ __name__: 'size_bucket', job: 'web', instance: 'a' }, 5),
  ...classic({ __name__: 'size_bucket', job: 'web', instance: 'b' }, 6),
  ...bounds.map((le, b) =>
    floats({ __name__: 'crooked_bucket', le }, (i, random) => Math.floor(random() * 3) + ((i + b) % 4) * 2, 40 + b)
  ),
  histograms({ __name__: 'lat', instance: 'a', job: 'web' }, 51, growing([2], [0.001], 70, false)),
  histograms({ __name__: 'lat', instance: 'b', job: 'web' }, 52, growing([0, 3], [0.001, 1.5], 45, true)),
  histograms({ __name__: 'lat', instance: 'c', job: 'web' }, 53, growing([8, -1, 1], [0, 0.3], 1000, true)),
  histograms({ __name__: 'lat', instance: 'd', job: 'web' }, 54, custom([[0.5, 1, 2]])),
  histograms({ __name__: 'own', instance: 'a' }, 55, custom([[0.5, 1, 2]])),
  histograms({ __name__: 'own', instance: 'b' }, 56, custom([[0.5, 1, 2]])),
  histograms({ __name__: 'other_bounds', instance: 'c' }, 57, custom([[-1, 0.25, 1, 2, 5]])),
  histograms({ __name__: 'steady', instance: 'a' }, 58, i => ({
    schema: 1,
    sum: i,
    positive: [
      [1, i + base],
      [2, i * 2 + base]
    ]
  })),
  histograms({ __name__: 'gauged', instance: 'a' }, 59, (_, random) => ({
    schema: 1,
    sum: random(),
    zeroThreshold: 0.01,
    zeroCount: base + Math.floor(random() * 5),
    positive: [
      [1, Math.ceil(random() * 9)],
      [4, Math.ceil(random() * 9)]
    ],
    hint: 3
  })),
  {
    ...histograms({ __name__: 'mixed', instance: 'a' }, 60, i =>
      i % 20 < 10
        ? {
            schema: 0,
            sum: i,
            positive: [
              [1, i + base],
              [3, i + base]
            ]
          }
        : undefined
    ),
    samples: floats({ __name__: 'mixed', instance: 'a' }, i => (i % 20 < 10 ? undefined : i), 1).samples!
  }
].map(each => ({ ...each, labels: sorted(each.labels) }))

/** Requests with the samples in the order of their times, as a sender sends them. */
export function requests(): Uint8Array[] {
  const bodies: Uint8Array[] = []
  const perRequest = 50
  for (let from = 0; from < samples; from += perRequest) {
    const [first, last] = [start + from * interval, start + (from + perRequest) * interval]
    const part = series.map(({ labels, samples = [], histograms = [] }) => ({
      labels,
      samples: samples.filter(([time]) => time >= first && time < last),
      histograms: histograms.filter(bytes => timeOf(bytes) >= first && timeOf(bytes) < last)
    }))
    // A series has numbers or histograms in a request.
    const split = part.flatMap(({ labels, samples, histograms }) => [
      ...(samples.length > 0 ? [{ labels, samples }] : []),
      ...(histograms.length > 0 ? [{ labels, histograms }] : [])
    ])
    bodies.push(writeV1(split))
  }
  return bodies
}

const times = new WeakMap<Uint8Array, number>()

function timeOf(bytes: Uint8Array): number {
  let time = times.get(bytes)
  if (time === undefined) {
    time = readTime(bytes)
    times.set(bytes, time)
  }
  return time
}

function readTime(bytes: Uint8Array): number {
  const reader = new ProtoReader(bytes)
  while (reader.next()) {
    if (reader.field === 15) return Number(reader.int64())
    reader.skip()
  }
  throw new Error('a histogram has no time')
}
