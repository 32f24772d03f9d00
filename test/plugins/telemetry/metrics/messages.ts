// Metrics as protobuf, for tests.
import {
  type Attributes,
  attributes,
  double,
  fixed64,
  inner,
  message,
  type Part,
  packedDoubles,
  packedFixed,
  packedVarints,
  text,
  uint,
  zigzag
} from '../proto.ts'

export interface Point {
  readonly start?: bigint
  readonly time?: bigint
  readonly attributes?: Attributes
  readonly exemplars?: readonly Buffer[]
  readonly flags?: number
}

export interface Head {
  readonly name: string
  readonly description?: string
  readonly unit?: string
}

export const second = 1_000_000_000n
/** 2023-11-14T22:13:20Z. */
export const base = 1_700_000_000n * second

const optional = <T>(value: T | undefined, write: (value: T) => Buffer): Part =>
  value === undefined ? undefined : write(value)

const times = ({ start, time = base }: Point): Part[] => [optional(start, value => fixed64(2, value)), fixed64(3, time)]

const metric = ({ name, description, unit }: Head, data: Buffer): Buffer =>
  message(
    text(1, name),
    optional(description, value => text(2, value)),
    optional(unit, value => text(3, value)),
    data
  )

export interface NumberPoint extends Point {
  /** A bigint is sent as an integer; undefined as no value. */
  readonly value: number | bigint | undefined
}

export function numberPoint({ value, attributes: own, exemplars = [], flags, ...point }: NumberPoint): Buffer {
  return message(
    ...times(point),
    typeof value === 'number' ? double(4, value) : undefined,
    ...exemplars.map(each => inner(5, each)),
    typeof value === 'bigint' ? fixed64(6, value) : undefined,
    own && attributes(7, own),
    optional(flags, each => uint(8, each))
  )
}

export const gauge = (head: Head, points: readonly NumberPoint[]): Buffer =>
  metric(head, inner(5, ...points.map(point => inner(1, numberPoint(point)))))

export const sum = (head: Head, points: readonly NumberPoint[], { temporality = 2, isMonotonic = true } = {}): Buffer =>
  metric(
    head,
    inner(7, ...points.map(point => inner(1, numberPoint(point))), uint(2, temporality), uint(3, isMonotonic ? 1 : 0))
  )

export interface HistogramPoint extends Point {
  readonly count: number
  readonly sum?: number
  readonly counts: readonly number[]
  readonly bounds: readonly number[]
}

export const histogram = (head: Head, points: readonly HistogramPoint[], temporality = 2): Buffer =>
  metric(
    head,
    inner(
      9,
      ...points.map(({ count, sum: total, counts, bounds, attributes: own, exemplars = [], flags, ...point }) =>
        inner(
          1,
          ...times(point),
          fixed64(4, count),
          optional(total, value => double(5, value)),
          counts.length > 0 ? packedFixed(6, counts) : undefined,
          bounds.length > 0 ? packedDoubles(7, bounds) : undefined,
          ...exemplars.map(each => inner(8, each)),
          own && attributes(9, own),
          optional(flags, each => uint(10, each))
        )
      ),
      uint(2, temporality)
    )
  )

export interface ExponentialPoint extends Point {
  readonly count: number
  readonly sum?: number
  readonly scale: number
  readonly zeroCount?: number
  readonly zeroThreshold?: number
  readonly positive?: { readonly offset: number; readonly counts: readonly number[] }
  readonly negative?: { readonly offset: number; readonly counts: readonly number[] }
}

export const exponential = (head: Head, points: readonly ExponentialPoint[], temporality = 2): Buffer =>
  metric(
    head,
    inner(
      10,
      ...points.map(point => {
        const side = (field: number, buckets: ExponentialPoint['positive']) =>
          buckets && inner(field, uint(1, zigzag(buckets.offset)), packedVarints(2, buckets.counts))
        return inner(
          1,
          point.attributes && attributes(1, point.attributes),
          ...times(point),
          fixed64(4, point.count),
          optional(point.sum, value => double(5, value)),
          uint(6, zigzag(point.scale)),
          fixed64(7, point.zeroCount ?? 0),
          side(8, point.positive),
          side(9, point.negative),
          optional(point.flags, each => uint(10, each)),
          ...(point.exemplars ?? []).map(each => inner(11, each)),
          optional(point.zeroThreshold, value => double(14, value))
        )
      }),
      uint(2, temporality)
    )
  )

export interface SummaryPoint extends Point {
  readonly count: number
  readonly sum: number
  readonly quantiles: readonly (readonly [quantile: number, value: number])[]
}

export const summary = (head: Head, points: readonly SummaryPoint[]): Buffer =>
  metric(
    head,
    inner(
      11,
      ...points.map(({ count, sum: total, quantiles, attributes: own, flags, ...point }) =>
        inner(
          1,
          ...times(point),
          fixed64(4, count),
          double(5, total),
          ...quantiles.map(([quantile, value]) => inner(6, double(1, quantile), double(2, value))),
          own && attributes(7, own),
          optional(flags, each => uint(8, each))
        )
      )
    )
  )

export interface TestExemplar {
  readonly time?: bigint
  readonly value: number | bigint
  readonly traceId?: string
  readonly spanId?: string
  readonly attributes?: Attributes
}

export function exemplar({ time = base, value, traceId, spanId, attributes: own }: TestExemplar): Buffer {
  return message(
    fixed64(2, time),
    typeof value === 'number' ? double(3, value) : undefined,
    optional(spanId, id => inner(4, Buffer.from(id, 'hex'))),
    optional(traceId, id => inner(5, Buffer.from(id, 'hex'))),
    typeof value === 'bigint' ? fixed64(6, value) : undefined,
    own && attributes(7, own)
  )
}
