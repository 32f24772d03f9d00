// Schemas of the OTLP messages by the JSON names of their fields, for transcoding from JSON.

export type FieldKind =
  | 'text'
  /** Base64 in JSON. */
  | 'bytes'
  /** Hexadecimal in JSON. */
  | 'id'
  | 'bool'
  /** Unsigned varint of 32 bits. */
  | 'uint32'
  /** Unsigned and signed varint of 64 bits. */
  | 'uint64'
  | 'int64'
  | 'sint32'
  | 'fixed32'
  | 'fixed64'
  | 'sfixed64'
  | 'double'

export interface Field {
  readonly number: number
  readonly repeated: boolean
  /** Its type: a kind, a message, or the names of an enumeration by number. */
  readonly holds: FieldKind | Message | readonly string[]
}

/** Fields by their JSON names. */
export type Message = { readonly [name: string]: Field }

const one = (number: number, holds: Field['holds']): Field => ({ number, repeated: false, holds })
const many = (number: number, holds: Field['holds']): Field => ({ number, repeated: true, holds })

/** AnyValue is recursive, hence completed after its creation. */
const anyValue: { [name: string]: Field } = {
  stringValue: one(1, 'text'),
  boolValue: one(2, 'bool'),
  intValue: one(3, 'int64'),
  doubleValue: one(4, 'double'),
  bytesValue: one(7, 'bytes')
}
const keyValue: Message = { key: one(1, 'text'), value: one(2, anyValue) }
anyValue['arrayValue'] = one(5, { values: many(1, anyValue) })
anyValue['kvlistValue'] = one(6, { values: many(1, keyValue) })

const resource: Message = { attributes: many(1, keyValue), droppedAttributesCount: one(2, 'uint32') }
const scope: Message = {
  name: one(1, 'text'),
  version: one(2, 'text'),
  attributes: many(3, keyValue),
  droppedAttributesCount: one(4, 'uint32')
}

/** A request is resources with scopes with items: spans, metrics or log records. */
function requestOf(resources: string, scopes: string, items: string, item: Message): Message {
  const scopeEntry = { scope: one(1, scope), [items]: many(2, item), schemaUrl: one(3, 'text') }
  const resourceEntry = { resource: one(1, resource), [scopes]: many(2, scopeEntry), schemaUrl: one(3, 'text') }
  return { [resources]: many(1, resourceEntry) }
}

const temporality = [
  'AGGREGATION_TEMPORALITY_UNSPECIFIED',
  'AGGREGATION_TEMPORALITY_DELTA',
  'AGGREGATION_TEMPORALITY_CUMULATIVE'
]
const exemplar: Message = {
  timeUnixNano: one(2, 'fixed64'),
  asDouble: one(3, 'double'),
  spanId: one(4, 'id'),
  traceId: one(5, 'id'),
  asInt: one(6, 'sfixed64'),
  filteredAttributes: many(7, keyValue)
}
const numberPoint: Message = {
  startTimeUnixNano: one(2, 'fixed64'),
  timeUnixNano: one(3, 'fixed64'),
  asDouble: one(4, 'double'),
  exemplars: many(5, exemplar),
  asInt: one(6, 'sfixed64'),
  attributes: many(7, keyValue),
  flags: one(8, 'uint32')
}
const histogramPoint: Message = {
  startTimeUnixNano: one(2, 'fixed64'),
  timeUnixNano: one(3, 'fixed64'),
  count: one(4, 'fixed64'),
  sum: one(5, 'double'),
  bucketCounts: many(6, 'fixed64'),
  explicitBounds: many(7, 'double'),
  exemplars: many(8, exemplar),
  attributes: many(9, keyValue),
  flags: one(10, 'uint32'),
  min: one(11, 'double'),
  max: one(12, 'double')
}
const buckets: Message = { offset: one(1, 'sint32'), bucketCounts: many(2, 'uint64') }
const exponentialPoint: Message = {
  attributes: many(1, keyValue),
  startTimeUnixNano: one(2, 'fixed64'),
  timeUnixNano: one(3, 'fixed64'),
  count: one(4, 'fixed64'),
  sum: one(5, 'double'),
  scale: one(6, 'sint32'),
  zeroCount: one(7, 'fixed64'),
  positive: one(8, buckets),
  negative: one(9, buckets),
  flags: one(10, 'uint32'),
  exemplars: many(11, exemplar),
  min: one(12, 'double'),
  max: one(13, 'double'),
  zeroThreshold: one(14, 'double')
}
const summaryPoint: Message = {
  startTimeUnixNano: one(2, 'fixed64'),
  timeUnixNano: one(3, 'fixed64'),
  count: one(4, 'fixed64'),
  sum: one(5, 'double'),
  quantileValues: many(6, { quantile: one(1, 'double'), value: one(2, 'double') }),
  attributes: many(7, keyValue),
  flags: one(8, 'uint32')
}
const pointsOf = (point: Message): Message => ({
  dataPoints: many(1, point),
  aggregationTemporality: one(2, temporality),
  isMonotonic: one(3, 'bool')
})
const metric: Message = {
  name: one(1, 'text'),
  description: one(2, 'text'),
  unit: one(3, 'text'),
  gauge: one(5, pointsOf(numberPoint)),
  sum: one(7, pointsOf(numberPoint)),
  histogram: one(9, pointsOf(histogramPoint)),
  exponentialHistogram: one(10, pointsOf(exponentialPoint)),
  summary: one(11, pointsOf(summaryPoint)),
  metadata: many(12, keyValue)
}

const spanKind = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'].map(
  name => `SPAN_KIND_${name}`
)
const statusCode = ['STATUS_CODE_UNSET', 'STATUS_CODE_OK', 'STATUS_CODE_ERROR']
const event: Message = {
  timeUnixNano: one(1, 'fixed64'),
  name: one(2, 'text'),
  attributes: many(3, keyValue),
  droppedAttributesCount: one(4, 'uint32')
}
const link: Message = {
  traceId: one(1, 'id'),
  spanId: one(2, 'id'),
  traceState: one(3, 'text'),
  attributes: many(4, keyValue),
  droppedAttributesCount: one(5, 'uint32'),
  flags: one(6, 'fixed32')
}
const span: Message = {
  traceId: one(1, 'id'),
  spanId: one(2, 'id'),
  traceState: one(3, 'text'),
  parentSpanId: one(4, 'id'),
  name: one(5, 'text'),
  kind: one(6, spanKind),
  startTimeUnixNano: one(7, 'fixed64'),
  endTimeUnixNano: one(8, 'fixed64'),
  attributes: many(9, keyValue),
  droppedAttributesCount: one(10, 'uint32'),
  events: many(11, event),
  droppedEventsCount: one(12, 'uint32'),
  links: many(13, link),
  droppedLinksCount: one(14, 'uint32'),
  status: one(15, { message: one(2, 'text'), code: one(3, statusCode) }),
  flags: one(16, 'fixed32')
}

const severities = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL']
const severityNumber = [
  'SEVERITY_NUMBER_UNSPECIFIED',
  ...severities.flatMap(name => ['', '2', '3', '4'].map(step => `SEVERITY_NUMBER_${name}${step}`))
]
const logRecord: Message = {
  timeUnixNano: one(1, 'fixed64'),
  severityNumber: one(2, severityNumber),
  severityText: one(3, 'text'),
  body: one(5, anyValue),
  attributes: many(6, keyValue),
  droppedAttributesCount: one(7, 'uint32'),
  flags: one(8, 'fixed32'),
  traceId: one(9, 'id'),
  spanId: one(10, 'id'),
  observedTimeUnixNano: one(11, 'fixed64'),
  eventName: one(12, 'text')
}

/** Export…ServiceRequest of each signal. */
export const requests = {
  metrics: requestOf('resourceMetrics', 'scopeMetrics', 'metrics', metric),
  traces: requestOf('resourceSpans', 'scopeSpans', 'spans', span),
  logs: requestOf('resourceLogs', 'scopeLogs', 'logRecords', logRecord)
} as const
