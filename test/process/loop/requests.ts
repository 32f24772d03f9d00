import { zstdCompressSync } from 'node:zlib'
import { encodeSnappy, ProtoWriter } from '../../../core/wire/index.ts'
// Requests at the limits of every protocol that writes: the largest body, many new series, tables and columns.

export interface LoopRequest {
  readonly name: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  body(): Uint8Array
  /** What it is answered with. */
  readonly status: number
  /** Rows it leaves, as a statement counts them. */
  readonly count?: { readonly sql: string; readonly rows: number }
}

/** How much of each: the limits, or less where a test has less time. */
export interface LoopSize {
  /** Bytes of a body. */
  readonly bytes: number
  readonly series: number
  readonly tables: number
  readonly columns: number
}

export const largest: LoopSize = { bytes: 60 << 20, series: 200_000, tables: 10_000, columns: 1_900 }

const time = 1_700_000_000_000
const json = { 'content-type': 'application/json' }
const ndjson = { 'content-type': 'application/x-ndjson' }
const text = { 'content-type': 'text/plain' }
const proto = { 'content-type': 'application/x-protobuf' }
const remoteWrite = { ...proto, 'content-encoding': 'snappy', 'x-prometheus-remote-write-version': '0.1.0' }

const lines = '/v1/lineproto/write?precision=ms'
const put = '/v1/tsdbput/api/put'
const ingest = (table: string) => `/v1/ingest?table=${table}&pipeline_name=svc_identity`
const push = '/v1/logpush/api/v1/push'
const events = '/v1/eventcollector/services/collector/event'
const otlp = '/v1/telemetry/v1'
const write = '/v1/metricsys/write'

const range = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
const count = (table: string, rows: number) => ({ sql: `SELECT count(*) FROM "${table}"`, rows })

export function loopRequests({ bytes, series, tables, columns }: LoopSize): readonly LoopRequest[] {
  /** As much of a count as the bodies are of the largest. */
  const part = (count: number) => Math.ceil((count * bytes) / largest.bytes)
  const all: LoopRequest[] = []
  const add = (
    name: string,
    path: string,
    headers: LoopRequest['headers'],
    status: number,
    body: () => string | Uint8Array,
    count?: LoopRequest['count']
  ) => {
    const make = () => Buffer.from(body() as string)
    all.push({ name, path, headers, status, body: make, ...(count && { count }) })
  }
  /** Copies of a text with a number in it, up to the size of a body; `#` is the number. */
  const filled = (one: string, between = '', most = Number.POSITIVE_INFINITY) => {
    const copies = copiesOf(one, between, most)
    return range(copies, i => one.replaceAll('#', String(time + i))).join(between)
  }
  const copiesOf = (one: string, between: string, most: number) =>
    Math.min(most, Math.floor(bytes / (one.replaceAll('#', String(time)).length + between.length)))

  const line = 'big,host=web-1,cpu=3 user=0.5,system=1.25,note="a text" #\n'
  add('line protocol: body', lines, text, 204, () => filled(line), count('big', copiesOf(line, '', 1e9)))
  const words = `big_text,host=web-1 note="${'word '.repeat(2000)}" #\n`
  add('line protocol: texts', lines, text, 204, () => filled(words))
  add(
    'line protocol: series',
    lines,
    text,
    204,
    () => range(series, i => `wide,id=${i} v=1 ${time}\n`).join(''),
    count('wide', series)
  )
  add('line protocol: tables', lines, text, 204, () => range(tables, i => `new_${i} v=1 ${time}\n`).join(''))
  add('line protocol: columns', lines, text, 204, () => `fields ${range(columns, i => `f${i}=1`).join()} ${time}\n`)
  const fields = range(columns, i => `f${i}=1`).join()
  add('line protocol: tables of many columns', lines, text, 204, () =>
    range(20, i => `broad_${i} ${fields} ${time}\n`).join('')
  )
  add('line protocol: name', lines, text, 400, () => `${'a'.repeat(bytes)} v=1 ${time}`)
  add('line protocol: last line wrong', lines, text, 400, () => `${filled(line.replace('big', 'wrong'))}wrong x`)

  const point = '{"metric":"put","timestamp":#,"value":1,"tags":{"host":"a"}}'
  const points = copiesOf(point, ',', part(800_000))
  add('put: body', put, json, 204, () => `[${filled(point, ',', part(800_000))}]`, count('put', points))
  const one = (metric: string, tags: string) => `{"metric":"${metric}","timestamp":${time},"value":1,"tags":{${tags}}}`
  add(
    'put: series',
    put,
    json,
    204,
    () => `[${range(series, i => one('put_wide', `"id":"${i}"`)).join()}]`,
    count('put_wide', series)
  )
  add('put: tables', put, json, 204, () => `[${range(tables, i => one(`put_${i}`, '"a":"b"')).join()}]`)
  const few = Math.min(columns, 900)
  add('put: columns', put, json, 204, () => `[${one('put_tags', range(few, i => `"t${i}":"b"`).join())}]`)
  add('put: details', `${put}?details`, json, 200, () => `[${filled(point.replace('1,', '"x",'), ',', part(800_000))}]`)

  const labels = (i: number, name: string, more: readonly (readonly [string, string])[] = []) =>
    [['__name__', name] as const, ['instance', String(i)] as const, ...more].reduce(
      (out, [name, value]) => out.data(1, new ProtoWriter().text(1, name).text(2, value).bytes),
      new ProtoWriter()
    )
  const sample = (at: number) => new ProtoWriter().double(1, 1).int64(2, BigInt(time + at)).bytes
  const samples = Math.floor(bytes / 22)
  add('remote write: body', write, remoteWrite, 204, () => {
    const out = labels(0, 'written')
    for (let i = 0; i < samples; i++) out.data(2, sample(i))
    return encodeSnappy(new ProtoWriter().data(1, out.bytes).bytes)
  })
  const written = (count: number, make: (i: number) => ProtoWriter) => () => {
    const out = new ProtoWriter()
    for (let i = 0; i < count; i++) out.data(1, make(i).data(2, sample(0)).bytes)
    return encodeSnappy(out.bytes)
  }
  add(
    'remote write: series',
    write,
    remoteWrite,
    204,
    written(series, i => labels(i, 'written_wide'))
  )
  add(
    'remote write: metrics',
    write,
    remoteWrite,
    204,
    written(tables, i => labels(0, `written_${i}`))
  )
  add(
    'remote write: labels',
    write,
    remoteWrite,
    204,
    written(1, i =>
      labels(
        i,
        'written_labels',
        range(60, k => [`l${k}`, 'x'] as const)
      )
    )
  )
  add(
    'remote write: long label',
    write,
    remoteWrite,
    400,
    written(1, i => labels(i, 'written_long', [['a', 'x'.repeat(bytes - 1_000)]]))
  )

  const item = '{"ts":#,"a":1,"b":"text","c":[1,2,3]}\n'
  add('NDJSON: body', ingest('items'), ndjson, 200, () => filled(item, '', part(650_000)))
  add('NDJSON: columns', ingest('item_fields'), ndjson, 200, () => `{${range(columns, i => `"f${i}":1`).join()}}\n`)
  add('JSON: body', ingest('json_items'), json, 200, () => `[${filled(item.trim(), ',', part(600_000))}]`)
  add('JSON: numbers', ingest('json_list'), json, 200, () => `[{"a":[${'1,'.repeat(part(4_900_000))}1]}]`)
  add('text: body', ingest('text_lines'), text, 200, () => filled('# a line of text with some words in it\n'))

  const entry = '["#000000","a line of text with some words in it"]'
  const stream = (labels: string, values: string) => `{"stream":{${labels}},"values":[${values}]}`
  const pushed = (table: string) => ({ ...json, 'x-svc-log-table-name': table })
  add(
    'push: body',
    push,
    pushed('pushed'),
    200,
    () => `{"streams":[${stream('"app":"x"', filled(entry, ',', part(1_200_000)))}]}`
  )
  const streams = series
  add(
    'push: streams',
    push,
    pushed('pushed_streams'),
    200,
    () => `{"streams":[${range(streams, i => stream(`"id":"${i}"`, '["1700000000000000000","x"]')).join()}]}`,
    count('pushed_streams', streams)
  )
  add(
    'push: columns',
    push,
    pushed('pushed_labels'),
    200,
    () => `{"streams":[${stream(range(100, i => `"l${i}":"x"`).join(), '["1700000000000000000","x"]')}]}`
  )

  const event = '{"time":#,"event":{"a":"b","c":[1,2]}}'
  add('events: body', `${events}?table=events`, json, 200, () => filled(event, '', part(600_000)))
  add('events: tables', events, json, 200, () =>
    range(Math.min(tables, 1000), i => `{"time":1700000000,"index":"events_${i}","event":"x"}`).join('')
  )
  add(
    'events: columns',
    `${events}?table=event_fields`,
    json,
    200,
    () => `{"time":1700000000,"event":"x","fields":{${range(few, i => `"f${i}":"x"`).join()}}}`
  )
  add('raw: body', `${events.replace(/event$/, 'raw')}?table=raw_lines`, text, 200, () =>
    filled('# a line of text with some words in it\n')
  )

  const any = (value: string) => new ProtoWriter().text(1, value).bytes
  const attribute = (key: string, value: string) => new ProtoWriter().text(1, key).data(2, any(value)).bytes
  const nanoseconds = fixed64(1, BigInt(time) * 1_000_000n)
  const enclosed = (inner: Uint8Array) => {
    const scope = new ProtoWriter().data(2, inner)
    return new ProtoWriter().data(1, new ProtoWriter().data(2, scope.bytes).bytes).bytes
  }
  /** Items of one scope. */
  const scoped = (items: Iterable<Uint8Array>) => {
    const scope = new ProtoWriter()
    for (const item of items) scope.data(2, item)
    return new ProtoWriter().data(1, new ProtoWriter().data(2, scope.bytes).bytes).bytes
  }
  const logRecord = Buffer.concat([
    nanoseconds,
    new ProtoWriter().data(5, any('a line of text with some words in it')).data(6, attribute('a', 'b')).bytes
  ])
  const records = Math.min(part(900_000), Math.floor(bytes / (logRecord.length + 4)))
  add('OTLP logs: body', `${otlp}/logs`, { ...proto, 'x-svc-log-table-name': 'otlp_logs' }, 200, () =>
    scoped(range(records, () => logRecord))
  )
  const span = (i: number, attributes: Uint8Array) =>
    Buffer.concat([
      new ProtoWriter()
        .data(1, Buffer.alloc(16, (i % 250) + 1))
        .data(2, Buffer.alloc(8, 1))
        .text(5, 'GET /').bytes,
      fixed64(7, BigInt(time) * 1_000_000n),
      fixed64(8, BigInt(time + 1) * 1_000_000n),
      attributes
    ])
  const plain = new ProtoWriter().data(9, attribute('route', '/x')).bytes
  const spans = Math.min(part(900_000), Math.floor(bytes / (span(0, plain).length + 4)))
  add('OTLP traces: body', `${otlp}/traces`, proto, 200, () =>
    scoped(
      (function* () {
        for (let i = 0; i < spans; i++) yield span(i, plain)
      })()
    )
  )
  add('OTLP traces: columns', `${otlp}/traces`, { ...proto, 'x-svc-trace-table-name': 'span_fields' }, 200, () =>
    enclosed(
      span(
        0,
        range(few, i => attribute(`k${i}`, 'x')).reduce((out, each) => out.data(9, each), new ProtoWriter()).bytes
      )
    )
  )
  const gaugePoint = (i: number) =>
    Buffer.concat([
      new ProtoWriter().data(7, attribute('id', String(i))).bytes,
      fixed64(3, BigInt(time) * 1_000_000n),
      new ProtoWriter().double(4, 1).bytes
    ])
  const gauge = (name: string, points: Iterable<Uint8Array>) => {
    const data = new ProtoWriter()
    for (const point of points) data.data(1, point)
    return new ProtoWriter().text(1, name).data(5, data.bytes).bytes
  }
  const same = gaugePoint(1)
  const manyPoints = Math.min(part(900_000), Math.floor(bytes / (same.length + 4)))
  add('OTLP metrics: body', `${otlp}/metrics`, proto, 200, () =>
    scoped([
      gauge(
        'gauged',
        range(manyPoints, () => same)
      )
    ])
  )
  add('OTLP metrics: series', `${otlp}/metrics`, proto, 200, () =>
    scoped([gauge('gauged_wide', range(series, gaugePoint))])
  )
  add('OTLP metrics: metrics', `${otlp}/metrics`, proto, 200, () =>
    scoped(range(tables, i => gauge(`gauged_${i}`, [same])))
  )
  add(
    'OTLP JSON logs: body',
    `${otlp}/logs`,
    { ...json, 'x-svc-log-table-name': 'otlp_json_logs' },
    200,
    () =>
      `{"resourceLogs":[{"scopeLogs":[{"logRecords":[${filled('{"timeUnixNano":"#000000","body":{"stringValue":"a line of text"}}', ',', part(600_000))}]}]}]}`
  )

  const otlpLogs = (records: string) => `{"resourceLogs":[{"scopeLogs":[{"logRecords":[${records}]}]}]}`
  const otlpMetrics = (metrics: string) => `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[${metrics}]}]}]}`
  const otlpSpans = (spans: string) => `{"resourceSpans":[{"scopeSpans":[{"spans":[${spans}]}]}]}`
  const jsonAttribute = (key: string, value = 'x') => `{"key":"${key}","value":{"stringValue":"${value}"}}`
  const jsonLogs = (table: string) => ({ ...json, 'x-svc-log-table-name': table })
  add('OTLP JSON logs: one text', `${otlp}/logs`, jsonLogs('otlp_text'), 200, () =>
    otlpLogs(`{"timeUnixNano":"1","body":{"stringValue":"${'a text '.repeat(bytes / 8)}"}}`)
  )
  add('OTLP JSON logs: one text of escapes', `${otlp}/logs`, jsonLogs('otlp_text'), 200, () =>
    otlpLogs(`{"timeUnixNano":"1","body":{"stringValue":"${'\\n\\u00e9'.repeat(bytes / 9)}"}}`)
  )
  add('OTLP JSON logs: attributes', `${otlp}/logs`, jsonLogs('otlp_attributes'), 200, () =>
    otlpLogs(`{"timeUnixNano":"1","attributes":[${range(part(600_000), i => jsonAttribute(`k${i}`)).join()}]}`)
  )
  add('OTLP JSON logs: one array', `${otlp}/logs`, jsonLogs('otlp_array'), 200, () =>
    otlpLogs(`{"timeUnixNano":"1","body":{"arrayValue":{"values":[${'{"intValue":1},'.repeat(part(2_000_000))}{}]}}}`)
  )
  add(
    'OTLP JSON logs: what nobody knows',
    `${otlp}/logs`,
    json,
    200,
    () => `{"other":[${'1,'.repeat(part(4_900_000))}1]}`
  )
  const jsonPoint = (i: number) =>
    `{"timeUnixNano":"${time}000000","asDouble":1,"attributes":[${jsonAttribute('id', String(i))}]}`
  const jsonGauge = (name: string, points: string) => `{"name":"${name}","gauge":{"dataPoints":[${points}]}}`
  add('OTLP JSON metrics: series', `${otlp}/metrics`, json, 200, () =>
    otlpMetrics(jsonGauge('json_wide', range(series, jsonPoint).join()))
  )
  add('OTLP JSON metrics: metrics', `${otlp}/metrics`, json, 200, () =>
    otlpMetrics(range(tables, i => jsonGauge(`json_${i}`, jsonPoint(1))).join())
  )
  add('OTLP JSON metrics: buckets', `${otlp}/metrics`, json, 200, () =>
    otlpMetrics(
      `{"name":"json_buckets","histogram":{"aggregationTemporality":2,"dataPoints":[{"timeUnixNano":"${time}000000","count":"1","sum":1,"bucketCounts":[${'"1",'.repeat(part(2_000_000))}"1"],"explicitBounds":[${range(part(2_000_000), i => i).join()}]}]}}`
    )
  )
  const jsonSpan = (i: number, attributes: string) =>
    `{"traceId":"${(i + 1).toString(16).padStart(32, '0')}","spanId":"0000000000000001","name":"GET /","startTimeUnixNano":"${time}000000","endTimeUnixNano":"${time}000001","attributes":[${attributes}]}`
  add('OTLP JSON traces: body', `${otlp}/traces`, { ...json, 'x-svc-trace-table-name': 'json_spans' }, 200, () =>
    otlpSpans(range(part(250_000), i => jsonSpan(i, jsonAttribute('route', '/x'))).join())
  )
  add('OTLP JSON traces: one trace', `${otlp}/traces`, { ...json, 'x-svc-trace-table-name': 'json_spans' }, 200, () =>
    otlpSpans(range(part(100_000), () => jsonSpan(7_000_000, jsonAttribute('route', '/x'))).join())
  )
  add('OTLP JSON traces: attributes', `${otlp}/traces`, { ...json, 'x-svc-trace-table-name': 'json_keys' }, 400, () =>
    otlpSpans(jsonSpan(0, range(150_000, i => jsonAttribute(`k${i}`)).join()))
  )
  const nested = (levels: number, text: string) =>
    `${'{"arrayValue":{"values":['.repeat(levels)}{"stringValue":"${text}"}${']}}'.repeat(levels)}`
  add('OTLP JSON logs: one text in arrays', `${otlp}/logs`, jsonLogs('otlp_text'), 200, () =>
    otlpLogs(`{"timeUnixNano":"1","body":${nested(40, 'a text '.repeat(bytes / 8))}}`)
  )
  add('OTLP JSON logs: one text of escapes in arrays', `${otlp}/logs`, jsonLogs('otlp_text'), 200, () =>
    otlpLogs(`{"timeUnixNano":"1","body":${nested(40, '\\n\\u00e9'.repeat(bytes / 9))}}`)
  )
  /** The JSON of an attribute that is a map of many members; each takes 14 bytes as Protocol Buffers. */
  const jsonMap = (members: number) =>
    `{"key":"map","value":{"kvlistValue":{"values":[${range(members, i => jsonAttribute(`k${i}`)).join()}]}}}`
  /** An attribute that takes less than `max_item_size` as Protocol Buffers. */
  const emptyMaps = (count: number) =>
    `{"key":"maps","value":{"arrayValue":{"values":[${'{"kvlistValue":{}},'.repeat(count)}{}]}}}`
  const manyMaps = () => emptyMaps(250_000)
  /** As many as a pipeline takes in one item. */
  const fewerMaps = () => emptyMaps(99_000)
  for (const [through, to, headers, attributes] of [
    ['', '', {}, manyMaps],
    [' through a pipeline', '_piped', { 'x-svc-pipeline-name': 'svc_identity' }, fewerMaps]
  ] as const) {
    add(`OTLP JSON logs: maps${through}`, `${otlp}/logs`, { ...jsonLogs(`otlp_maps${to}`), ...headers }, 200, () =>
      otlpLogs(range(Math.ceil(bytes / (12 << 20)), () => `{"timeUnixNano":"1","attributes":[${attributes()}]}`).join())
    )
    add(
      `OTLP JSON logs: map${through}`,
      `${otlp}/logs`,
      { ...jsonLogs(`otlp_map${to}`), ...headers },
      through === '' ? 200 : 400,
      () => otlpLogs(`{"timeUnixNano":"1","attributes":[${jsonMap(60_000)}]}`)
    )
  }
  const inResource = (kind: string, attributes: string, items: string) =>
    `{"resource${kind}":[{"resource":{"attributes":[${attributes}]},"scope${kind}":[{${items}}]}]}`
  const inScope = (kind: string, attributes: string, items: string) =>
    `{"resource${kind}":[{"scope${kind}":[{"scope":{"name":"s","attributes":[${attributes}]},${items}}]}]}`
  for (const [where, inside] of [
    ['resource', inResource],
    ['scope', inScope]
  ] as const)
    for (const [what, status, attributes, statusOfPiped] of [
      ['maps', 200, manyMaps, 413],
      ['fewer maps', 200, fewerMaps, 200],
      ['too large a map', 413, () => jsonMap(100_000), 413]
    ] as const) {
      const record = '"logRecords":[{"timeUnixNano":"1"}]'
      const logs = jsonLogs('otlp_owner')
      add(`OTLP JSON logs: ${what} of a ${where}`, `${otlp}/logs`, logs, status, () =>
        inside('Logs', attributes(), record)
      )
      const piped = { ...jsonLogs('otlp_owner_piped'), 'x-svc-pipeline-name': 'svc_identity' }
      add(`OTLP JSON logs: ${what} of a ${where} through a pipeline`, `${otlp}/logs`, piped, statusOfPiped, () =>
        inside('Logs', attributes(), record)
      )
      const spans = { ...json, 'x-svc-trace-table-name': 'span_owner' }
      add(`OTLP JSON traces: ${what} of a ${where}`, `${otlp}/traces`, spans, status, () =>
        inside('Spans', attributes(), `"spans":[${jsonSpan(0, '')}]`)
      )
      add(`OTLP JSON metrics: ${what} of a ${where}`, `${otlp}/metrics`, json, status, () =>
        inside('Metrics', attributes(), `"metrics":[${jsonGauge('owned', jsonPoint(1))}]`)
      )
    }
  add('OTLP JSON traces: maps', `${otlp}/traces`, { ...json, 'x-svc-trace-table-name': 'span_maps' }, 200, () =>
    otlpSpans(range(Math.ceil(bytes / (12 << 20)), i => jsonSpan(i, manyMaps())).join())
  )
  const logOf = (inner: Uint8Array) => Buffer.concat([nanoseconds, inner])
  // Some bytes that inflate to the largest body: in Protocol Buffers two of its spaces are a field nobody knows.
  const spaces = () => zstdCompressSync(Buffer.alloc(largest.bytes, 0x20))
  const zstd = { 'content-encoding': 'zstd' }
  for (const signal of ['logs', 'traces', 'metrics'])
    add(`OTLP ${signal}: unknown fields`, `${otlp}/${signal}`, { ...proto, ...zstd }, 200, spaces)
  add('remote write: unknown fields', write, { ...proto, ...zstd }, 204, spaces)
  add('put: white space', put, { ...json, ...zstd }, 400, spaces)
  add('OTLP logs: one text', `${otlp}/logs`, { ...proto, 'x-svc-log-table-name': 'otlp_one' }, 200, () =>
    scoped([logOf(new ProtoWriter().data(5, any('a text '.repeat(bytes / 8))).bytes)])
  )
  const attributesOf = (field: number, count: number) => {
    const out = new ProtoWriter()
    for (let i = 0; i < count; i++) out.data(field, attribute(`k${i}`, 'x'))
    return out.bytes
  }
  add('OTLP logs: attributes', `${otlp}/logs`, { ...proto, 'x-svc-log-table-name': 'otlp_keys' }, 200, () =>
    scoped([logOf(attributesOf(6, part(2_500_000)))])
  )
  add(
    'OTLP logs: attributes as columns',
    `${otlp}/logs`,
    {
      ...proto,
      'x-svc-log-table-name': 'otlp_extract',
      'x-svc-log-extract-keys': range(60, i => `k${i}`).join()
    },
    200,
    () => scoped(range(part(20_000), () => logOf(attributesOf(6, 60))))
  )
  add(
    'OTLP logs: pipeline',
    `${otlp}/logs`,
    { ...proto, 'x-svc-log-table-name': 'otlp_pipe', 'x-svc-pipeline-name': 'svc_identity' },
    200,
    () => scoped(range(Math.min(part(500_000), records), () => logRecord))
  )
  add('OTLP traces: attributes', `${otlp}/traces`, { ...proto, 'x-svc-trace-table-name': 'span_keys' }, 400, () =>
    scoped([span(0, attributesOf(9, part(2_000_000)))])
  )
  add('OTLP traces: events', `${otlp}/traces`, { ...proto, 'x-svc-trace-table-name': 'span_events' }, 200, () => {
    const out = new ProtoWriter()
    for (let i = 0; i < 200; i++) out.data(11, new ProtoWriter().text(2, 'event').bytes)
    return scoped(range(bytes >> 12, i => span(i, out.bytes)))
  })
  add('OTLP metrics: resources', `${otlp}/metrics`, proto, 200, () => {
    const out = new ProtoWriter()
    for (let i = 0; i < part(100_000); i++) {
      const resource = new ProtoWriter().data(1, attribute('service.name', `s${i}`)).bytes
      const scope = new ProtoWriter().data(2, gauge('resourced', [same])).bytes
      out.data(1, new ProtoWriter().data(1, resource).data(2, scope).bytes)
    }
    return out.bytes
  })
  add('OTLP metrics: exemplars', `${otlp}/metrics`, proto, 200, () => {
    const exemplar = Buffer.concat([fixed64(2, BigInt(time) * 1_000_000n), new ProtoWriter().double(3, 1).bytes])
    const out = new ProtoWriter()
    for (let i = 0; i < part(1_000_000); i++) out.data(5, exemplar)
    return scoped([gauge('exemplary', [Buffer.concat([same, out.bytes])])])
  })
  add('OTLP metrics: histograms', `${otlp}/metrics`, proto, 200, () => {
    const bounds = new ProtoWriter()
    const point = Buffer.concat([
      fixed64(3, BigInt(time) * 1_000_000n),
      fixed64(4, 5n),
      new ProtoWriter()
        .double(5, 1)
        .data(6, Buffer.alloc(8 * 101))
        .data(7, new Float64Array(range(100, i => i)).buffer as never).bytes
    ])
    for (let i = 0; i < part(10_000); i++)
      bounds.data(1, Buffer.concat([point, new ProtoWriter().data(9, attribute('id', String(i % 500))).bytes]))
    return scoped([new ProtoWriter().text(1, 'histo').data(9, bounds.uint(2, 2).bytes).bytes])
  })
  add('OTLP metrics: exponential histograms', `${otlp}/metrics`, proto, 200, () => {
    const out = new ProtoWriter()
    const buckets = new ProtoWriter().sint64(1, 1n).data(2, Buffer.alloc(100, 1)).bytes
    for (let i = 0; i < part(20_000); i++) {
      const point = Buffer.concat([
        new ProtoWriter().data(1, attribute('id', String(i))).bytes,
        fixed64(3, BigInt(time) * 1_000_000n),
        fixed64(4, 100n),
        new ProtoWriter().double(5, 1).data(8, buckets).bytes
      ])
      out.data(1, point)
    }
    return scoped([new ProtoWriter().text(1, 'exponential').data(10, out.uint(2, 2).bytes).bytes])
  })
  const metadataMessage = (i: number) => new ProtoWriter().uint(1, 1).text(2, `told_${i}`).text(4, 'help').bytes
  add('remote write: metadata', write, remoteWrite, 204, () => {
    const out = new ProtoWriter()
    for (let i = 0; i < part(200_000); i++) out.data(3, metadataMessage(i))
    return encodeSnappy(out.bytes)
  })
  add('remote write: exemplars', write, remoteWrite, 204, () => {
    const one = labels(0, 'exemplified').data(2, sample(0))
    const exemplar = new ProtoWriter().double(2, 1).int64(3, BigInt(time)).bytes
    for (let i = 0; i < part(300_000); i++) one.data(3, exemplar)
    return encodeSnappy(new ProtoWriter().data(1, one.bytes).bytes)
  })
  add(
    'remote write: pipeline',
    write,
    { ...remoteWrite, 'x-svc-pipeline-name': 'svc_identity' },
    204,
    written(part(100_000), i => labels(i, 'piped'))
  )
  add(
    'remote write: tables through a pipeline',
    write,
    { ...remoteWrite, 'x-svc-pipeline-name': 'svc_identity' },
    204,
    written(200, i => labels(i, `piped_${i}`))
  )
  add('line protocol: one text', lines, text, 400, () => `one_text note="${'a text '.repeat(3_000_000)}" ${time}\n`)
  add(
    'line protocol: one text of escapes',
    lines,
    text,
    400,
    () => `one_text note="${'\\"x\\"'.repeat(4_000_000)}" ${time}\n`
  )
  add('line protocol: wide rows', lines, text, 204, () => {
    const fields = range(columns, i => `f${i}=${i}`).join()
    return range(2_000, i => `wide_rows ${fields} ${time + i}\n`).join('')
  })
  add('line protocol: columns one by one', lines, text, 204, () =>
    range(columns, i => `by_one f${i}=1 ${time}\n`).join('')
  )
  add('NDJSON: one text', ingest('item_text'), ndjson, 200, () => `{"a":"${'a text '.repeat(bytes / 8)}"}\n`)
  add(
    'NDJSON: one text of escapes',
    ingest('item_text'),
    ndjson,
    200,
    () => `{"a":"${'\\n\\u00e9'.repeat(bytes / 9)}"}\n`
  )
  add('NDJSON: arrays', ingest('item_array'), ndjson, 200, () => `{"a":[${'{"b":1},'.repeat(part(2_000_000))}1]}\n`)
  add('NDJSON: wide rows', ingest('item_wide'), ndjson, 200, () => {
    const one = `{${range(columns, i => `"f${i}":${i}`).join()}}\n`
    return one.repeat(1_000)
  })
  add('text: one line', ingest('text_one'), text, 200, () => 'a text '.repeat(bytes / 8))
  add(
    'push: one line',
    push,
    pushed('pushed_one'),
    200,
    () => `{"streams":[${stream('"app":"x"', `["1700000000000000000","${'a text '.repeat(bytes / 8)}"]`)}]}`
  )
  add(
    'push: metadata',
    push,
    pushed('pushed_meta'),
    200,
    () =>
      `{"streams":[${stream('"app":"x"', `["1700000000000000000","x",{${range(part(1_000_000), i => `"k${i}":"v"`).join()}}]`)}]}`
  )
  add(
    'push: protobuf',
    push,
    { ...proto, 'content-encoding': 'snappy', 'x-svc-log-table-name': 'pushed_proto' },
    200,
    () => {
      const out = new ProtoWriter().text(1, '{app="x"}')
      const stamp = new ProtoWriter().uint(1, 1_700_000_000).bytes
      const one = new ProtoWriter().data(1, stamp).text(2, 'a line of text with some words in it').bytes
      for (let i = 0; i < part(1_000_000); i++) out.data(2, one)
      return encodeSnappy(new ProtoWriter().data(1, out.bytes).bytes)
    }
  )
  add(
    'push: streams in protobuf',
    push,
    { ...proto, 'content-encoding': 'snappy', 'x-svc-log-table-name': 'pushed_proto' },
    200,
    () => {
      const out = new ProtoWriter()
      const stamp = new ProtoWriter().uint(1, 1_700_000_000).bytes
      const one = new ProtoWriter().data(1, stamp).text(2, 'x').bytes
      for (let i = 0; i < series; i++) out.data(1, new ProtoWriter().text(1, `{id="${i}"}`).data(2, one).bytes)
      return encodeSnappy(out.bytes)
    }
  )
  const pushProto = { ...proto, 'content-encoding': 'snappy', 'x-svc-log-table-name': 'pushed_proto' }
  // Some bytes that inflate to the largest body.
  add('push: unknown fields', push, pushProto, 200, () => encodeSnappy(Buffer.alloc(largest.bytes, 0x20)))
  add('push: long labels in protobuf', push, pushProto, 413, () => {
    const labels = new ProtoWriter().text(1, `{a="${'x'.repeat(largest.bytes - 1_000)}"}`)
    const one = labels.data(2, new ProtoWriter().text(2, 'x').bytes).bytes
    return encodeSnappy(new ProtoWriter().data(1, one).bytes)
  })
  for (const [what, status, body] of [
    ['unknown field', 200, () => `{"x":[${'1,'.repeat(4_900_000)}1],"streams":[]}`],
    ['entries that are none', 200, () => `{"streams":[{"values":[${'[],'.repeat(2_000_000)}1]}]}`],
    ['long label', 413, () => `{"streams":[{"stream":{"a":"${'x'.repeat(bytes)}"},"values":[["1","x"]]}]}`]
  ] as const)
    add(`push: ${what}`, push, pushed('pushed_odd'), status, body)
  add(
    'events: one text',
    `${events}?table=event_text`,
    json,
    413,
    () => `{"time":1700000000,"event":"${'a text '.repeat(bytes / 8)}"}`
  )
  add(
    'events: one array',
    `${events}?table=event_array`,
    json,
    413,
    () => `{"time":1700000000,"event":[${'{"b":1},'.repeat(part(2_000_000))}1]}`
  )
  add('events: more tables than are taken', events, json, 400, () =>
    range(part(300_000) * 4, i => `{"event":"a","index":"i${i}"}`).join('')
  )
  add('events: two tables through a pipeline', events, { ...json, 'x-svc-pipeline-name': 'svc_identity' }, 200, () =>
    '{"event":"a","index":"piped_a"}{"event":"a","index":"piped_b"}'.repeat(part(400_000))
  )
  const protobufOfZstd = { ...proto, ...zstd }
  /** A metric that inflates from some bytes. */
  const inflated = (metric: Uint8Array) => zstdCompressSync(scoped([metric]))
  add('OTLP metrics: a long name', `${otlp}/metrics`, protobufOfZstd, 200, () =>
    inflated(gauge('x'.repeat(largest.bytes - 1_000), [same]))
  )
  add('OTLP metrics: empty points', `${otlp}/metrics`, protobufOfZstd, 200, () =>
    inflated(new ProtoWriter().text(1, 'no_points').data(5, Buffer.alloc(8 << 20, Buffer.of(10, 0))).bytes)
  )
  add('OTLP metrics: unknown fields of a metric', `${otlp}/metrics`, protobufOfZstd, 200, () =>
    inflated(new ProtoWriter().text(1, 'unknown').data(5, Buffer.alloc(largest.bytes >> 1, 0x20)).bytes)
  )
  add('raw: one line', `${events.replace(/event$/, 'raw')}?table=raw_one`, text, 200, () => 'a text '.repeat(bytes / 8))
  add('put: one tag', put, json, 400, () => `[${one('put_one', `"a":"${'x'.repeat(bytes / 2)}"`)}]`)
  add(
    'put: tags of one point',
    put,
    json,
    400,
    () => `[${one('put_one', range(part(1_000_000), i => `"t${i}":"b"`).join())}]`
  )
  add('put: wrong', put, json, 400, () => `[${filled(point.replace('1,', '"x",'), ',', part(800_000))}]`)

  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  add('form: broken signs', '/v1/sql', form, 400, () => `sql=${'%ffa'.repeat(part(1_000_000))}`)
  add('form: long LIKE', '/v1/sql', form, 200, () => `sql=SHOW TABLES LIKE '${'%25_'.repeat(part(200_000))}b'`)
  add('form: columns', '/v1/sql', form, 200, () => `sql=SELECT ${'1,'.repeat(12_490)}1`)
  add('form: operators', '/v1/sql', form, 400, () => `sql=SELECT 1${'%2B1'.repeat(24_990)}`)
  const long = () => 'y'.repeat(bytes - 200)
  add(
    'put: one long text',
    put,
    json,
    400,
    () => `[{"metric":"${long()}","timestamp":1700000000,"value":1,"tags":{"host":"a"}}]`
  )
  add('events: one long text', `${events}?table=one_long`, json, 413, () => `{"time":1700000000,"event":"${long()}"}`)
  add(
    'logpush: one long text',
    push,
    json,
    200,
    () => `{"streams":[{"stream":{"a":"b"},"values":[["1700000000000000000","${long()}"]]}]}`
  )
  add('dashboard: one long text', '/dashboard/api/boards', json, 413, () => `{"title":"${long()}","document":{}}`)
  return all
}

function fixed64(field: number, value: bigint): Buffer {
  const bytes = Buffer.alloc(9)
  bytes[0] = field * 8 + 1
  bytes.writeBigUInt64LE(value, 1)
  return bytes
}
