// Random metrics in both encodings, with the expected samples computed from the definitions of the protocol.
import type { Random } from '../../../fuzz/random.ts'
import { type Attributes, exportRequest, jsonAttributes, type Value } from '../proto.ts'
import type { ReadSample } from './decode.ts'
import {
  base,
  type ExponentialPoint,
  exponential,
  gauge,
  type Head,
  type HistogramPoint,
  histogram,
  type NumberPoint,
  type SummaryPoint,
  second,
  sum,
  summary
} from './messages.ts'

type Model =
  | { readonly kind: 'gauge'; readonly head: Head; readonly points: readonly NumberPoint[] }
  | { readonly kind: 'sum'; readonly head: Head; readonly points: readonly NumberPoint[]; readonly monotonic: boolean }
  | { readonly kind: 'histogram'; readonly head: Head; readonly points: readonly HistogramPoint[] }
  | { readonly kind: 'exponentialHistogram'; readonly head: Head; readonly points: readonly ExponentialPoint[] }
  | { readonly kind: 'summary'; readonly head: Head; readonly points: readonly SummaryPoint[] }

export interface Made {
  readonly protobuf: Buffer
  readonly json: string
  /** Without those of exponential histograms, of which there are `exponentials`. */
  readonly samples: readonly ReadSample[]
  readonly exponentials: number
}

const values: readonly Value[] = ['a', 'é"\n', '7', true, 0n, -(2n ** 63n), 0.25, 1e21, ['x', 1n], { k: null }]
const keys = ['http.route', 'k', 'zone', 'ok']
const bounds = [0.005, 0.5, 1, 2.5, 1e6]

export function makeMetrics(random: Random): Made {
  const resource = attributesOf(random, ['service.name', 'host.name'])
  const scope = { name: random.pick(['lib', 'ä']), version: '1', attributes: {} }
  const metrics = Array.from({ length: random.below(5) }, () => makeMetric(random))
  const entry = { scope: { name: scope.name, version: scope.version }, metrics: metrics.map(jsonOf) }
  return {
    protobuf: exportRequest([{ resource, scope, items: metrics.map(protobufOf) }]),
    json: JSON.stringify({
      resourceMetrics: [{ resource: { attributes: jsonAttributes(resource) }, scopeMetrics: [entry] }]
    }),
    samples: metrics.flatMap(metric => samplesOf(metric, originOf(resource, scope.name))),
    exponentials: metrics.reduce(
      (count, { kind, points }) => count + (kind === 'exponentialHistogram' ? points.length : 0),
      0
    )
  }
}

function attributesOf(random: Random, names: readonly string[]): Attributes {
  return Object.fromEntries(names.filter(() => random.once(2)).map(name => [name, random.pick(values)]))
}

function makeMetric(random: Random): Model {
  const head = { name: random.pick(['m', 'cpu.time', 'größe']), unit: '', description: random.pick(['', 'What.']) }
  const many = <T>(make: (i: number) => T) => Array.from({ length: random.below(4) }, (_, i) => make(i))
  const common = (i: number) => ({
    time: base + BigInt(i) * second + BigInt(random.below(1_000_000_000)),
    ...(random.once(2) && { start: base }),
    attributes: attributesOf(random, keys)
  })
  const number = () => random.pick([0, 1.5, -2, 1e300, Number.POSITIVE_INFINITY, 3n, -(2n ** 40n)])
  const count = () => random.below(1000)
  switch (random.below(5)) {
    case 0:
      return { kind: 'gauge', head, points: many(i => ({ ...common(i), value: number() })) }
    case 1:
      return { kind: 'sum', head, monotonic: random.once(2), points: many(i => ({ ...common(i), value: number() })) }
    case 2:
      return {
        kind: 'histogram',
        head,
        points: many(i => {
          const own = bounds.filter(() => random.once(2))
          const counts = random.once(4) && own.length === 0 ? [] : [...own, 0].map(count)
          return { ...common(i), count: count(), ...(random.once(2) && { sum: 1.5 }), bounds: own, counts }
        })
      }
    case 3:
      return {
        kind: 'exponentialHistogram',
        head,
        points: many(i => ({ ...common(i), count: 5, sum: 1, scale: 2, positive: { offset: -3, counts: [1, 0, 4] } }))
      }
    default:
      return {
        kind: 'summary',
        head,
        points: many(i => ({
          ...common(i),
          count: count(),
          sum: 2.5,
          quantiles: [
            [0, -1],
            [0.5, 2],
            [1, 3]
          ] as const
        }))
      }
  }
}

function protobufOf(model: Model): Buffer {
  switch (model.kind) {
    case 'gauge':
      return gauge(model.head, model.points)
    case 'sum':
      return sum(model.head, model.points, { isMonotonic: model.monotonic })
    case 'histogram':
      return histogram(model.head, model.points)
    case 'exponentialHistogram':
      return exponential(model.head, model.points)
    case 'summary':
      return summary(model.head, model.points)
  }
}

const jsonNumber = (value: number) => (Number.isFinite(value) ? value : String(value))

function jsonOf(model: Model): object {
  const { head, kind, points } = model
  const dataPoints = points.map(point => ({
    ...(point.start !== undefined && { startTimeUnixNano: String(point.start) }),
    timeUnixNano: String(point.time),
    attributes: jsonAttributes(point.attributes ?? {}),
    ...jsonPoint(point)
  }))
  const more = kind === 'sum' ? { aggregationTemporality: 2, isMonotonic: model.monotonic } : {}
  return { ...head, [kind]: { dataPoints, ...more } }
}

function jsonPoint(point: Model['points'][number]): object {
  if ('value' in point) {
    const { value } = point
    return typeof value === 'bigint' ? { asInt: String(value) } : { asDouble: jsonNumber(value!) }
  }
  if ('quantiles' in point) {
    const quantileValues = point.quantiles.map(([quantile, value]) => ({ quantile, value }))
    return { count: String(point.count), sum: point.sum, quantileValues }
  }
  if ('scale' in point) {
    const { offset, counts } = point.positive!
    return {
      count: point.count,
      sum: point.sum,
      scale: point.scale,
      positive: { offset, bucketCounts: counts.map(String) }
    }
  }
  const { count, sum: total, counts, bounds: explicitBounds } = point
  return { count, ...(total !== undefined && { sum: total }), bucketCounts: counts.map(String), explicitBounds }
}

type Texts = Readonly<Record<string, string>>

function originOf(resource: Attributes, scope: string): Texts {
  const service = resource['service.name']
  const text = service === undefined ? '' : textOf(service)
  return {
    ...(text !== '' && { job: text, service_name: text }),
    ...{ otel_scope_name: scope, otel_scope_version: '1' }
  }
}

function textOf(value: Value): string {
  if (typeof value === 'string') return value
  if (value === 1e21) return '1000000000000000000000'
  if (typeof value === 'object')
    return JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? Number(each) : each))
  return String(value)
}

function samplesOf(model: Model, origin: Texts): ReadSample[] {
  const name = model.head.name === 'cpu.time' ? 'cpu_time' : model.head.name === 'größe' ? 'gr_e' : 'm'
  const table = model.kind === 'sum' && model.monotonic ? `${name}_total` : name
  return model.points.flatMap(point => {
    const own = Object.entries(point.attributes ?? {}).map(([key, value]) => [key.replace('.', '_'), textOf(value)])
    const labels = { ...origin, ...Object.fromEntries(own) }
    const time = Number(point.time! / 1_000_000n)
    return partsOf(point).map(([suffix, label, value]) => ({
      table: table + suffix,
      labels: { ...labels, ...label },
      time,
      value
    }))
  })
}

function partsOf(point: Model['points'][number]): (readonly [string, Texts, number])[] {
  if ('value' in point) return [['', {}, Number(point.value)]]
  if ('scale' in point) return []
  const ends = [
    ...(point.sum === undefined ? [] : [['_sum', {}, point.sum] as const]),
    ['_count', {}, point.count] as const
  ]
  if ('quantiles' in point) {
    return [
      ...ends,
      ...point.quantiles.map(([quantile, value]) => ['', { quantile: String(quantile) }, value] as const)
    ]
  }
  let below = 0
  const buckets = point.counts.map((count, i) => {
    below += count
    const last = i === point.counts.length - 1
    return ['_bucket', { le: last ? '+Inf' : String(point.bounds[i]) }, last ? point.count : below] as const
  })
  return [...ends, ...buckets]
}
