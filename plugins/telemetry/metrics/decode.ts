// Decodes `ExportMetricsServiceRequest` into samples: origin (resource and scope) by origin, metric by metric, point by point.

import { endsStep, type Steps } from '../../../core/index.ts'
import type { ProtoReader } from '../../../core/wire/index.ts'
import { checkScopes } from '../wire/expansion.ts'
import { resource, scope } from '../wire/field.ts'
import { type Outline, type OutlineLimits, outlineOf, stepBytes, tooLarge } from '../wire/outline.ts'
import type { Ranges } from '../wire/ranges.ts'
import { readExponentialPoint } from './exponential-point.ts'
import { readHistogramPoint } from './histogram-point.ts'
import type { KnownOfScope, Origin } from './known.ts'
import { type AttributeReader, addLabel, type Labels, textOf } from './labels.ts'
import { type Metric, type MetricKind, pointsField } from './metric.ts'
import { translateName } from './name.ts'
import { readNumberPoint } from './number-point.ts'
import type { PointReader } from './point-reader.ts'
import type { Policy } from './policy.ts'
import { readSummaryPoint } from './summary-point.ts'

/** Points, and metrics handled between two yields to other requests. */
const stepPoints = 64
/** Fields passed between two yields to other requests. */
const stepFields = 4_096

const field = { name: 1, description: 2, unit: 3 } as const
const data = { points: 1, temporality: 2, isMonotonic: 3 } as const
const dataFields: ReadonlySet<number> = new Set(Object.values(pointsField))

/**
 * Reads the body of `points`, which get what is found. `limits.items` bounds resources, scopes and metrics together, `limits.itemBytes` a
 * point. Throws DbError `InvalidArguments`: with the byte offset if the body is not valid protobuf, with status 413 for more than
 * `limits.items`.
 */
export function* decodeMetrics(
  points: PointReader,
  known: KnownOfScope,
  policy: Policy,
  { itemBytes = Number.POSITIVE_INFINITY, ...limits }: OutlineLimits = {}
): Steps<void> {
  const decode = { points, known, policy, itemBytes }
  const outline = yield* outlineOf(points.body, limits)
  checkScopes(outline, points.body)
  const { items: metrics } = outline
  let owner = -1
  let origin: Origin | undefined
  for (let i = 0; i < metrics.count; i++) {
    if (origin === undefined || metrics.owners[i] !== owner) {
      owner = metrics.owners[i]!
      origin = originOf(decode, outline, owner)
    }
    points.reader.seek(metrics.starts[i]!, metrics.ends[i]!)
    yield* readMetric(decode, origin)
    if (endsStep(i, stepPoints)) yield
  }
}

/** What every step of a request's decoding needs. */
interface Decoding {
  readonly points: PointReader
  readonly known: KnownOfScope
  readonly policy: Policy
  readonly itemBytes: number
}

function originOf({ points, known, policy }: Decoding, outline: Outline, scopeAt: number): Origin {
  const { resources, scopes, scopeUrls } = outline
  const owner = scopes.owners[scopeAt]!
  const text = (ranges: Ranges, i: number) => points.body.toString('latin1', ranges.starts[i]!, ranges.ends[i]!)
  const scopeText = `${text(scopes, scopeAt)}\0${text(scopeUrls, scopeAt)}`
  return known.origin(text(resources, owner), scopeText, () => originLabels(points, policy, outline, scopeAt))
}

/** The labels that all series of a resource and scope have. */
function originLabels(
  { body, reader, attributes }: PointReader,
  policy: Policy,
  { resources, scopes, scopeUrls }: Outline,
  scopeAt: number
): Labels {
  const labels: Labels = new Map()
  const owner = scopes.owners[scopeAt]!
  const own = new Map<string, Uint8Array>()
  attributes.each(reader, resources.starts[owner]!, resources.ends[owner]!, resource.attributes, (key, value) => {
    own.set(key, value)
    if (policy.promotes(key)) addLabel(labels, key, value, policy.strategy)
  })
  for (const [label, key] of [['job', 'service.name'] as const, ['instance', 'service.instance.id'] as const]) {
    const value = own.get(key)
    if (value !== undefined && value.length > 0) labels.set(label, value)
  }
  if (policy.scope) addScope(labels, reader, attributes, policy, scopes.starts[scopeAt]!, scopes.ends[scopeAt]!)
  const url = body.subarray(scopeUrls.starts[scopeAt], scopeUrls.ends[scopeAt])
  if (policy.scope && url.length > 0) labels.set('otel_scope_schema_url', url)
  // Copied: cached labels must not keep the body in memory.
  for (const [name, value] of labels) labels.set(name, Uint8Array.from(value))
  return labels
}

function addScope(
  labels: Labels,
  reader: ProtoReader,
  attributes: AttributeReader,
  { strategy }: Policy,
  start: number,
  end: number
): void {
  const { at, end: outer } = reader
  reader.seek(start, end)
  while (reader.next()) {
    const name = reader.field === scope.name ? 'name' : reader.field === scope.version ? 'version' : undefined
    if (name === undefined) reader.skip()
    else {
      const value = reader.data()
      if (value.length > 0) labels.set(`otel_scope_${name}`, value)
    }
  }
  reader.seek(at, outer)
  attributes.each(reader, start, end, scope.attributes, (key, value) => {
    addLabel(labels, `otel_scope_${key}`, value, strategy)
  })
}

/** Reads the Metric the reader has been set to. */
function* readMetric(decode: Decoding, origin: Origin): Steps<void> {
  const { points } = decode
  const { reader, body } = points
  const { at: start, end } = reader
  let dataField: number | undefined
  let headEnd = start
  let dataStart = 0
  let dataEnd = 0
  for (let i = 0; reader.next(); i++) {
    if (endsStep(i, stepFields)) yield
    if (dataFields.has(reader.field)) {
      dataField = reader.field
      dataStart = reader.pass()
      dataEnd = reader.at
    } else {
      reader.skip()
      if (dataField === undefined) headEnd = reader.at
    }
  }
  const own = end - start - (dataEnd - dataStart)
  if (own > decode.itemBytes) {
    points.reject(tooLarge('a metric without its points', own, decode.itemBytes))
    return
  }
  if (dataField === undefined) {
    const { name } = describe(body, reader, start, end)
    points.reject(`metric ${name}: it has no points of a kind that is known`)
    return
  }
  const key = dataEnd === end ? body.toString('latin1', start, headEnd) : keyOf(describe(body, reader, start, end))
  yield* readPoints(decode, origin, key, { dataField, start, end, dataStart, dataEnd })
}

/** Where a Metric and the message with its points lie in the body, in bytes, and the number of the field that holds that message. */
interface MetricRange {
  readonly dataField: number
  readonly start: number
  readonly end: number
  readonly dataStart: number
  readonly dataEnd: number
}

function* readPoints(decode: Decoding, origin: Origin, key: string, metricRange: MetricRange): Steps<void> {
  const { points, known, policy, itemBytes } = decode
  const { reader, body } = points
  const { start, end, dataStart, dataEnd } = metricRange
  const found = { field: metricRange.dataField, temporality: 0, isMonotonic: false }
  let count = 0
  reader.seek(dataStart, dataEnd)
  for (let i = 0; reader.next(); i++) {
    if (endsStep(i, stepFields)) yield
    if (reader.field === data.temporality) found.temporality = reader.uint()
    else if (reader.field === data.isMonotonic) found.isMonotonic = reader.uint() !== 0
    else {
      if (reader.field === data.points) count++
      reader.skip()
    }
  }
  const kind: MetricKind = found
  const full = `${kind.field * 8 + kind.temporality * 2 + (kind.isMonotonic ? 1 : 0)}\0${key}`
  const metric = known.metric(origin, full, kind, () => metadataOf(describe(body, reader, start, end), kind, policy))
  if (metric.problem !== undefined) {
    points.reject(metric.problem.message, count)
    return
  }
  reader.seek(dataStart, dataEnd)
  let step = reader.at
  for (let fields = 0, i = 0; reader.next(); fields++) {
    if (endsStep(fields, stepFields)) yield
    if (reader.field !== data.points) {
      reader.skip()
      continue
    }
    const outer = reader.enter()
    if (reader.end - reader.at <= itemBytes) readPoint(points, metric)
    else {
      points.reject(`metric ${metric.metadata.metric}: ${tooLarge('a point', reader.end - reader.at, itemBytes)}`)
      reader.at = reader.end
    }
    reader.leave(outer)
    if (++i % stepPoints !== 0 && reader.at - step < stepBytes) continue
    step = reader.at
    yield
  }
}

function readPoint(points: PointReader, metric: Metric): void {
  switch (metric.kind.field) {
    case pointsField.histogram:
      readHistogramPoint(points, metric)
      break
    case pointsField.exponential:
      readExponentialPoint(points, metric)
      break
    case pointsField.summary:
      readSummaryPoint(points, metric)
      break
    default:
      readNumberPoint(points, metric)
  }
}

interface Description {
  name: string
  description: string
  unit: string
}

function describe(body: Uint8Array, reader: ProtoReader, start: number, end: number): Description {
  const { at, end: outer } = reader
  const found: Description = { name: '', description: '', unit: '' }
  reader.seek(start, end)
  while (reader.next()) {
    const key = (Object.keys(field) as (keyof Description)[]).find(each => field[each] === reader.field)
    if (key === undefined) reader.skip()
    else {
      const from = reader.pass()
      found[key] = textOf(body, from, reader.at)
    }
  }
  reader.seek(at, outer)
  return found
}

function keyOf({ name, description, unit }: Description): string {
  return [name, description, unit].join('\0')
}

function metadataOf({ name, description, unit }: Description, kind: MetricKind, { strategy }: Policy) {
  const isSum = kind.field === pointsField.sum
  const isGauge = kind.field === pointsField.gauge
  const metric = translateName({ name, unit, isMonotonicSum: isSum && kind.isMonotonic, isGauge }, strategy)
  return { metric, type: typeOf(kind), unit, help: description }
}

/** The type as Prometheus' exposition format names it. */
function typeOf({ field, isMonotonic }: MetricKind): string {
  if (field === pointsField.summary) return 'summary'
  if (field === pointsField.histogram || field === pointsField.exponential) return 'histogram'
  return field === pointsField.sum && isMonotonic ? 'counter' : 'gauge'
}
