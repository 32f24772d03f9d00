import { ProtoWriter } from '../../../../core/wire/index.ts'
// Encodes trace requests as protobuf and JSON, independently of the decoder.

/** A value: bigint is an integer, number a double, Uint8Array bytes; undefined is an unset value. */
export type Value =
  | string
  | boolean
  | bigint
  | number
  | Uint8Array
  | undefined
  | readonly Value[]
  | { readonly [key: string]: Value }
export type Pairs = readonly (readonly [key: string, value: Value])[]

export interface TestEvent {
  readonly time?: bigint
  readonly name?: string
  readonly attributes?: Pairs
  readonly dropped?: number
}

export interface TestLink {
  readonly traceId: string
  readonly spanId: string
  readonly traceState?: string
  readonly attributes?: Pairs
  readonly dropped?: number
  readonly flags?: number
}

export interface TestSpan {
  /** Hexadecimal. */
  readonly traceId?: string
  readonly spanId?: string
  readonly parentSpanId?: string
  readonly traceState?: string
  readonly name?: string
  readonly kind?: number
  /** Nanoseconds since 1970. */
  readonly start?: bigint
  readonly end?: bigint
  readonly attributes?: Pairs
  readonly droppedAttributes?: number
  readonly events?: readonly TestEvent[]
  readonly droppedEvents?: number
  readonly links?: readonly TestLink[]
  readonly droppedLinks?: number
  readonly status?: { readonly code?: number; readonly message?: string }
  readonly flags?: number
}

export interface TestScope {
  readonly name?: string
  readonly version?: string
  readonly attributes?: Pairs
  readonly schemaUrl?: string
  readonly spans: readonly TestSpan[]
}

export interface TestResource {
  readonly attributes?: Pairs
  readonly schemaUrl?: string
  readonly scopes: readonly TestScope[]
}

const hex = (text: string) => Buffer.from(text, 'hex')

export function encodeTraces(resources: readonly TestResource[]): Buffer {
  const out = new ProtoWriter()
  for (const { attributes = [], schemaUrl, scopes } of resources) {
    const entry = new ProtoWriter().data(1, pairs(new ProtoWriter(), 1, attributes).bytes)
    for (const scope of scopes) entry.data(2, encodeScope(scope).bytes)
    if (schemaUrl !== undefined) entry.text(3, schemaUrl)
    out.data(1, entry.bytes)
  }
  return Buffer.from(out.bytes)
}

function encodeScope({ name, version, attributes = [], schemaUrl, spans }: TestScope): ProtoWriter {
  const scope = new ProtoWriter()
  if (name !== undefined) scope.text(1, name)
  if (version !== undefined) scope.text(2, version)
  pairs(scope, 3, attributes)
  const entry = new ProtoWriter().data(1, scope.bytes)
  for (const span of spans) entry.data(2, encodeSpan(span).bytes)
  if (schemaUrl !== undefined) entry.text(3, schemaUrl)
  return entry
}

function encodeSpan(span: TestSpan): ProtoWriter {
  const out = new ProtoWriter()
  if (span.traceId !== undefined) out.data(1, hex(span.traceId))
  if (span.spanId !== undefined) out.data(2, hex(span.spanId))
  if (span.traceState !== undefined) out.text(3, span.traceState)
  if (span.parentSpanId !== undefined) out.data(4, hex(span.parentSpanId))
  if (span.name !== undefined) out.text(5, span.name)
  if (span.kind !== undefined) out.uint(6, span.kind)
  if (span.start !== undefined) fixed64(out, 7, span.start)
  if (span.end !== undefined) fixed64(out, 8, span.end)
  pairs(out, 9, span.attributes ?? [])
  if (span.droppedAttributes !== undefined) out.uint(10, span.droppedAttributes)
  for (const event of span.events ?? []) out.data(11, encodeEvent(event).bytes)
  if (span.droppedEvents !== undefined) out.uint(12, span.droppedEvents)
  for (const link of span.links ?? []) out.data(13, encodeLink(link).bytes)
  if (span.droppedLinks !== undefined) out.uint(14, span.droppedLinks)
  if (span.status !== undefined) {
    const status = new ProtoWriter()
    if (span.status.message !== undefined) status.text(2, span.status.message)
    if (span.status.code !== undefined) status.uint(3, span.status.code)
    out.data(15, status.bytes)
  }
  if (span.flags !== undefined) fixed32(out, 16, span.flags)
  return out
}

function encodeEvent({ time = 0n, name = '', attributes = [], dropped = 0 }: TestEvent): ProtoWriter {
  const out = new ProtoWriter()
  fixed64(out, 1, time)
  return pairs(out.text(2, name), 3, attributes).uint(4, dropped)
}

function encodeLink({
  traceId,
  spanId,
  traceState = '',
  attributes = [],
  dropped = 0,
  flags = 0
}: TestLink): ProtoWriter {
  const out = new ProtoWriter().data(1, hex(traceId)).data(2, hex(spanId)).text(3, traceState)
  pairs(out, 4, attributes).uint(5, dropped)
  fixed32(out, 6, flags)
  return out
}

function fixed64(out: ProtoWriter, field: number, value: bigint): void {
  out.bits64(field, Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n)))
}

function fixed32(out: ProtoWriter, field: number, value: number): void {
  out.varint(field * 8 + 5).raw(new Uint8Array(Uint32Array.of(value).buffer))
}

export function pairs(out: ProtoWriter, field: number, all: Pairs): ProtoWriter {
  for (const [key, value] of all) out.data(field, new ProtoWriter().text(1, key).data(2, anyValue(value).bytes).bytes)
  return out
}

function anyValue(value: Value): ProtoWriter {
  const out = new ProtoWriter()
  if (typeof value === 'string') return out.text(1, value)
  if (typeof value === 'boolean') return out.uint(2, value ? 1 : 0)
  if (typeof value === 'bigint') return out.int64(3, value)
  if (typeof value === 'number') return out.double(4, value)
  if (value === undefined) return out
  if (value instanceof Uint8Array) return out.data(7, value)
  const inside = new ProtoWriter()
  if (Array.isArray(value)) {
    for (const each of value as readonly Value[]) inside.data(1, anyValue(each).bytes)
    return out.data(5, inside.bytes)
  }
  return out.data(6, pairs(inside, 1, Object.entries(value as { readonly [key: string]: Value })).bytes)
}

/** The same request as JSON. */
export function tracesJson(resources: readonly TestResource[]): string {
  const list = (all: Pairs | undefined) => (all ?? []).map(([key, value]) => ({ key, value: jsonValue(value) }))
  const resourceSpans = resources.map(({ attributes, schemaUrl, scopes }) => ({
    resource: { attributes: list(attributes) },
    schemaUrl,
    scopeSpans: scopes.map(({ name, version, attributes, schemaUrl, spans }) => ({
      scope: { name, version, attributes: list(attributes) },
      schemaUrl,
      spans: spans.map(span => ({
        traceId: span.traceId?.toUpperCase(),
        spanId: span.spanId,
        parentSpanId: span.parentSpanId,
        traceState: span.traceState,
        name: span.name,
        kind: span.kind,
        startTimeUnixNano: span.start === undefined ? undefined : String(span.start),
        endTimeUnixNano: span.end === undefined ? undefined : String(span.end),
        attributes: list(span.attributes),
        droppedAttributesCount: span.droppedAttributes,
        events: span.events?.map(({ time = 0n, name, attributes, dropped }) => ({
          timeUnixNano: String(time),
          name,
          attributes: list(attributes),
          droppedAttributesCount: dropped
        })),
        droppedEventsCount: span.droppedEvents,
        links: span.links?.map(({ attributes, dropped, ...link }) => ({
          ...link,
          attributes: list(attributes),
          droppedAttributesCount: dropped
        })),
        droppedLinksCount: span.droppedLinks,
        status: span.status,
        flags: span.flags
      }))
    }))
  }))
  return JSON.stringify({ resourceSpans })
}

function jsonValue(value: Value): unknown {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'bigint') return { intValue: String(value) }
  if (typeof value === 'number') return { doubleValue: Number.isFinite(value) ? value : String(value) }
  if (value === undefined) return {}
  if (value instanceof Uint8Array) return { bytesValue: Buffer.from(value).toString('base64') }
  if (Array.isArray(value)) return { arrayValue: { values: (value as readonly Value[]).map(jsonValue) } }
  const values = Object.entries(value).map(([key, each]) => ({ key, value: jsonValue(each as Value) }))
  return { kvlistValue: { values } }
}
