// Random spans: every value is in the columns, compared by an independent implementation of the rules.
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { type Column, isValid, runAtOnce, type Table, type TableWrite } from '../../../../core/index.ts'
import { decodeSpans } from '../../../../plugins/telemetry/traces/decode.ts'
import { spansWrite } from '../../../../plugins/telemetry/traces/table-write.ts'
import { protobufOf } from '../../../../plugins/telemetry/wire/from-json.ts'
import { requests } from '../../../../plugins/telemetry/wire/message.ts'
import { encodeTraces, type Pairs, type TestResource, type TestSpan, tracesJson, type Value } from './encode.ts'

const hexId = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map(id => Buffer.from(id.map((byte, i) => (i === 0 ? byte | 1 : byte))).toString('hex'))
const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.string({ maxLength: 300 }))
const double = fc.double().map(value => (Number.isNaN(value) ? 0.1 : value))
const scalar = fc.oneof<fc.Arbitrary<Value>[]>(
  text,
  fc.boolean(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: 0n, max: 300n }),
  double,
  fc.uint8Array({ maxLength: 200 }),
  fc.constant(undefined)
)
const value: fc.Arbitrary<Value> = fc.oneof(
  { weight: 5, arbitrary: scalar },
  fc.array(scalar, { maxLength: 4 }),
  fc.dictionary(text, fc.oneof(scalar, fc.array(scalar, { maxLength: 2 })), { maxKeys: 3, noNullPrototype: true })
)
const key = fc.oneof({ weight: 6, arbitrary: fc.constantFrom('a', 'b', 'c.d', 'é', 'long'.repeat(40)) }, text)
const pairs: fc.Arbitrary<Pairs> = fc.uniqueArray(fc.tuple(key, value), { maxLength: 6, selector: ([name]) => name })
const time = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n })
const count = fc.integer({ min: 0, max: 2 ** 32 - 1 })
const optional = { requiredKeys: [] as [] }

const span: fc.Arbitrary<TestSpan> = fc
  .record(
    {
      parentSpanId: fc.oneof(hexId(8), fc.constant('')),
      traceState: text,
      name: text,
      kind: fc.integer({ min: 0, max: 5 }),
      start: time,
      end: time,
      attributes: pairs,
      droppedAttributes: count,
      events: fc.array(fc.record({ time, name: text, attributes: pairs, dropped: count }, optional), { maxLength: 3 }),
      droppedEvents: count,
      links: fc.array(
        fc.record({
          traceId: hexId(16),
          spanId: hexId(8),
          traceState: text,
          attributes: pairs,
          dropped: count,
          flags: count
        }),
        { maxLength: 2 }
      ),
      droppedLinks: count,
      status: fc.record({ code: fc.integer({ min: 0, max: 2 }), message: text }, optional),
      flags: count
    },
    optional
  )
  .chain(rest => fc.tuple(hexId(16), hexId(8)).map(([traceId, spanId]) => ({ traceId, spanId, ...rest })))

const scopes = fc.array(
  fc.record(
    { name: text, version: text, attributes: pairs, schemaUrl: text, spans: fc.array(span, { maxLength: 5 }) },
    { requiredKeys: ['spans'] }
  ),
  { maxLength: 3 }
)
const resource: fc.Arbitrary<TestResource> = fc.record(
  { attributes: pairs, schemaUrl: text, scopes },
  { requiredKeys: ['scopes'] }
)
/** Some repeat themselves: texts that do are kept in another way. */
const request = fc
  .tuple(fc.array(resource, { maxLength: 3 }), fc.constantFrom(1, 1, 1, 20))
  .map(([resources, times]) => Array.from({ length: times }, () => resources).flat())

interface Row {
  readonly resource: TestResource
  readonly scope: TestResource['scopes'][number]
  readonly span: TestSpan
}

const rowsOf = (resources: readonly TestResource[]): Row[] =>
  resources.flatMap(resource => resource.scopes.flatMap(scope => scope.spans.map(span => ({ resource, scope, span }))))

function write(body: Uint8Array, table?: Table, maxColumns = 1000): TableWrite {
  const { batch } = runAtOnce(decodeSpans(body, 1000))
  return runAtOnce(spansWrite(batch, { table: 't', maxColumns }, table)).write
}

/** What a column holds, row by row, as plain values. */
function cells({ data, type }: Column): unknown[] {
  if (data.kind === 'fixed') {
    return Array.from<number | bigint, unknown>(data.values as ArrayLike<number | bigint>, (each, i) =>
      isValid(data.valid, i) ? (type === 'Boolean' ? each === 1 : each) : undefined
    )
  }
  const { offsets, bytes } = data.kind === 'bytes' ? data : data.dictionary
  const rows = data.kind === 'bytes' ? offsets.length - 1 : data.codes.length
  return Array.from({ length: rows }, (_, i) => {
    if (!isValid(data.valid, i)) return undefined
    const at = data.kind === 'bytes' ? i : data.codes[i]!
    const part = Buffer.from(bytes.subarray(offsets[at], offsets[at + 1]))
    return type === 'Binary' ? part.toString('base64') : part.toString()
  })
}

/** A value as it stands in JSON; numbers are told apart from integers. */
function json(value: Value): string {
  if (value === undefined) return 'null'
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? floatText(value) : `"${value}"`
  if (typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value)
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString('base64')}"`
  if (Array.isArray(value)) return `[${(value as Value[]).map(json).join()}]`
  return object(Object.entries(value))
}

const floatText = (value: number) =>
  Object.is(value, -0) ? '-0.0' : Number.isInteger(value) && !String(value).includes('e') ? `${value}.0` : String(value)
const object = (all: Pairs) => `{${all.map(([name, each]) => `${JSON.stringify(name)}:${json(each)}`).join()}}`

/** What a value has to look like in a column of a type. */
function inColumn(value: Value, type: string): unknown {
  if (value === undefined) return undefined
  if (type === 'Json') return json(value)
  if (type === 'Binary') return Buffer.from(value as Uint8Array).toString('base64')
  if (type === 'String') return String(value)
  if (type === 'Boolean') return String(value) === 'true'
  return type === 'Int64' ? BigInt(value as bigint) : Number(value)
}

const single: Readonly<Record<string, string>> = {
  string: 'String',
  boolean: 'Boolean',
  bigint: 'Int64',
  number: 'Float64'
}

/** The only type that values of one kind may get. */
function typeOf(values: readonly Value[]): string | undefined {
  const kinds = new Set(values.map(each => (each instanceof Uint8Array ? 'Binary' : (single[typeof each] ?? 'Json'))))
  return kinds.size === 1 ? [...kinds][0] : kinds.has('Json') || kinds.has('Binary') ? 'Json' : undefined
}

function check(t: Test, property: fc.IProperty<[readonly TestResource[]]>, numRuns: number): void {
  fc.assert(property, { numRuns })
  t.pass(`${numRuns} requests`)
}

const plain = (resources: readonly TestResource[]) => write(encodeTraces(resources))

t.test('every attribute of every level is in its column', async t => {
  check(
    t,
    fc.property(request, resources => {
      const rows = rowsOf(resources)
      const { columns } = plain(resources)
      for (const [level, of] of [
        ['span_attributes', (row: Row) => row.span.attributes],
        ['scope_attributes', (row: Row) => row.scope.attributes],
        ['resource_attributes', (row: Row) => row.resource.attributes]
      ] as const) {
        const lists = rows.map(row => new Map(of(row) ?? []))
        const keys = new Set(
          lists.flatMap(list => [...list].flatMap(([name, each]) => (each === undefined ? [] : [name])))
        )
        for (const name of keys) {
          if (level === 'resource_attributes' && name === 'service.name') continue
          const column = columns.find(each => each.name === `${level}.${name}`)
          if (Buffer.byteLength(`${level}.${name}`) > 255 || name.includes('\0')) continue
          if (column === undefined) throw new Error(`no column for ${level}.${name}`)
          const wanted = lists.map(list => inColumn(list.get(name), column.type))
          if (!rows.length) continue
          const values = lists.flatMap(list => (list.get(name) === undefined ? [] : [list.get(name)]))
          const type = level === 'span_attributes' ? typeOf(values) : undefined
          if (type !== undefined && type !== column.type) throw new Error(`${name}: ${column.type} instead of ${type}`)
          same(cells(column), wanted, column.name)
        }
      }
    }),
    150
  )
})

function same(found: readonly unknown[], wanted: readonly unknown[], what: string): void {
  const shown = (all: readonly unknown[]) => all.map(each => `${typeof each} ${String(each)}`).join('\n')
  if (shown(found) !== shown(wanted)) throw new Error(`${what}\n${shown(found)}\ninstead of\n${shown(wanted)}`)
}

t.test('everything else of a span is in the columns all spans have', async t => {
  const kinds = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER']
  const statuses = ['UNSET', 'OK', 'ERROR']
  const events = (all: TestSpan['events'] = []) =>
    all.map(
      ({ name = '', time = 0n, attributes = [], dropped = 0 }) =>
        `{"name":${JSON.stringify(name)},"time":"${iso(time)}","attributes":${object(attributes)}${dropped > 0 ? `,"dropped_attributes_count":${dropped}` : ''}}`
    )
  const links = (all: TestSpan['links'] = []) =>
    all.map(
      ({ traceId, spanId, traceState = '', attributes = [], dropped = 0, flags = 0 }) =>
        `{"trace_id":"${traceId}","span_id":"${spanId}","trace_state":${JSON.stringify(traceState)},"attributes":${object(attributes)}${dropped > 0 ? `,"dropped_attributes_count":${dropped}` : ''}${flags > 0 ? `,"flags":${flags}` : ''}}`
    )
  const expected: Readonly<Record<string, (row: Row) => unknown>> = {
    timestamp: ({ span }) => span.start ?? 0n,
    timestamp_end: ({ span }) => span.end ?? 0n,
    duration_nano: ({ span: { start = 0n, end = 0n } }) => (end > start ? end - start : 0n),
    parent_span_id: ({ span }) => span.parentSpanId || undefined,
    trace_id: ({ span }) => span.traceId,
    span_id: ({ span }) => span.spanId,
    span_kind: ({ span }) => `SPAN_KIND_${kinds[span.kind ?? 0]}`,
    span_name: ({ span }) => span.name ?? '',
    span_status_code: ({ span }) => (span.status ? `STATUS_CODE_${statuses[span.status.code ?? 0]}` : ''),
    span_status_message: ({ span }) => span.status?.message ?? '',
    trace_state: ({ span }) => span.traceState ?? '',
    scope_name: ({ scope }) => scope.name ?? '',
    scope_version: ({ scope }) => scope.version ?? '',
    span_events: ({ span }) => `[${events(span.events).join()}]`,
    span_links: ({ span }) => `[${links(span.links).join()}]`
  }
  const rare: Readonly<Record<string, (row: Row) => unknown>> = {
    span_flags: ({ span }) => span.flags ?? 0,
    dropped_attributes_count: ({ span }) => span.droppedAttributes ?? 0,
    dropped_events_count: ({ span }) => span.droppedEvents ?? 0,
    dropped_links_count: ({ span }) => span.droppedLinks ?? 0,
    scope_schema_url: ({ scope }) => scope.schemaUrl ?? '',
    resource_schema_url: ({ resource }) => resource.schemaUrl ?? ''
  }
  check(
    t,
    fc.property(request, resources => {
      const rows = rowsOf(resources)
      if (rows.length === 0) return
      const { columns } = plain(resources)
      const named = new Map(columns.map(column => [column.name, column]))
      for (const [name, of] of Object.entries(expected)) same(cells(named.get(name)!), rows.map(of), name)
      for (const [name, of] of Object.entries(rare)) {
        const wanted = rows.map(of)
        if (named.has(name)) same(cells(named.get(name)!), wanted, name)
        else if (wanted.some(Boolean)) throw new Error(`no column ${name}`)
      }
    }),
    150
  )
})

const iso = (ns: bigint) => {
  const digits = String(ns % 1_000_000_000n)
    .padStart(9, '0')
    .replace(/(000){1,3}$/, '')
  return `${new Date(Number(ns / 1_000_000_000n) * 1000).toISOString().slice(0, 19)}${digits && `.${digits}`}Z`
}

t.test('JSON comes to the same as protobuf', async t => {
  check(
    t,
    fc.property(request, resources => {
      const show = (body: Uint8Array) =>
        write(body).columns.map(column => [column.name, column.type, cells(column).map(String)])
      const fromJson = show(runAtOnce(protobufOf(requests.traces, Buffer.from(tracesJson(resources)))))
      same([JSON.stringify(fromJson)], [JSON.stringify(show(encodeTraces(resources)))], 'columns')
    }),
    80
  )
})

t.test('without room for columns all attributes are in one of JSON', async t => {
  check(
    t,
    fc.property(request, resources => {
      const rows = rowsOf(resources)
      if (rows.length === 0) return
      const { columns } = write(encodeTraces(resources), undefined, 0)
      if (columns.some(({ name }) => name.includes('attributes.'))) throw new Error('a column of its own')
      const column = columns.find(({ name }) => name === 'span_attributes')
      const found = column === undefined ? rows.map(() => undefined) : cells(column)
      rows.forEach(({ span }, i) => {
        const given = (span.attributes ?? []).filter(([, each]) => each !== undefined)
        const members = found[i] === undefined ? [] : Object.keys(JSON.parse(String(found[i])))
        same(members.toSorted(), given.map(([name]) => name).toSorted(), 'members')
        for (const pair of given)
          if (!String(found[i]).includes(object([pair]).slice(1, -1))) throw new Error(`${found[i]}`)
      })
    }),
    80
  )
})
