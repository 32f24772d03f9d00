import { gzipSync, zstdCompressSync } from 'node:zlib'
import t from 'tap'
import plugin from '../../../plugins/telemetry/index.ts'
import { pluginContract } from '../../contract/index.ts'
import { startServer } from '../../helpers.ts'
import { record } from './logs/messages.ts'
import { gauge } from './metrics/messages.ts'
import { exportRequest, readStatus } from './proto.ts'
import { serve } from './serve.ts'

const served = serve(t)
const json = { 'content-type': 'application/json' }
const time = 1_700_000_000_000_000_001n

await pluginContract(t, {
  plugin,
  good: {
    method: 'POST',
    url: '/v1/telemetry/v1/logs',
    payload: exportRequest([{ items: [record({ time, body: 'x' })] }])
  },
  bad: { method: 'POST', url: '/v1/telemetry/v1/logs', payload: 'no protobuf' }
})

t.test('nothing to do is success, in the encoding of the request', async t => {
  const { post } = await served
  for (const signal of ['metrics', 'traces', 'logs'] as const) {
    const empty = await post(signal, '')
    t.same([empty.status, empty.headers['content-type'], empty.body.length], [200, 'application/x-protobuf', 0])
    const answer = await post(signal, '{}', { 'content-type': 'application/json; charset=utf-8' })
    t.same([answer.status, answer.headers['content-type'], String(answer.body)], [200, 'application/json', '{}'])
  }
})

t.test('protobuf goes by three names, JSON by one, nothing else is taken', async t => {
  const { post } = await served
  const body = exportRequest([{ items: [record({ time, body: 'x' })] }])
  t.equal((await post('logs', body, { 'content-type': 'application/protobuf' })).status, 200)
  const other = await post('logs', body, { 'content-type': 'text/plain' })
  t.same([other.status, other.headers['content-type']], [415, 'application/x-protobuf'])
  t.match(readStatus(other.body), { code: 3, message: /content type text\/plain is not supported/ })
})

t.test('bodies may be compressed', async t => {
  const { post } = await served
  const body = exportRequest([{ items: [record({ time, body: 'x' })] }])
  t.equal((await post('logs', gzipSync(body), { 'content-encoding': 'gzip' })).status, 200)
  t.equal((await post('logs', zstdCompressSync(body), { 'content-encoding': 'zstd' })).status, 200)
  t.equal((await post('logs', gzipSync('{}'), { ...json, 'content-encoding': 'gzip' })).status, 200)
  t.equal((await post('logs', body, { 'content-encoding': 'gzip' })).status, 400)
  t.equal((await post('logs', body, { 'content-encoding': 'lzma' })).status, 415)
})

t.test('failures are a Status in the encoding of the request', async t => {
  const { post, main } = await served
  const broken = await post('metrics', Buffer.from([0x0a, 0x7f, 1]))
  t.same([broken.status, broken.headers['content-type']], [400, 'application/x-protobuf'])
  t.match(readStatus(broken.body), { code: 3, message: /not a valid protobuf message/ })
  const wrong = await post('metrics', '{"resourceMetrics": 5}', json)
  t.equal(wrong.headers['content-type'], 'application/json')
  t.same(JSON.parse(String(wrong.body)), { code: 3, message: 'resourceMetrics: expected an array, got 5' })
  const nowhere = await post('logs', '{}', { ...json, 'x-svc-db-name': 'nowhere' })
  t.same([nowhere.status, JSON.parse(String(nowhere.body)).message], [400, 'Database not found: nowhere'])
  const get = await main.inject({ method: 'GET', url: '/v1/telemetry/v1/logs' })
  t.equal(get.statusCode, 405)
})

t.test('JSON says what is wrong and where', async t => {
  const { post } = await served
  const refused = async (record: object) => {
    const body = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] })
    const answer = await post('logs', body, json)
    t.equal(answer.status, 400)
    return JSON.parse(String(answer.body)).message.replace('resourceLogs[0].scopeLogs[0].logRecords[0]', '…')
  }
  t.equal(
    await refused({ timeUnixNano: true }),
    '….timeUnixNano: expected an integer of 64 bits without a sign, got true'
  )
  t.equal(
    await refused({ timeUnixNano: '-1' }),
    '….timeUnixNano: expected an integer of 64 bits without a sign, got "-1"'
  )
  t.equal(await refused({ traceId: 'xyz1' }), '….traceId: expected hexadecimal digits, got "xyz1"')
  t.equal(await refused({ body: { bytesValue: '?' } }), '….body.bytesValue: expected base64, got "?"')
  t.equal(await refused({ body: { doubleValue: 'x' } }), '….body.doubleValue: expected a number, got "x"')
  t.equal(await refused({ body: [] }), '….body: expected an object, got an array')
  t.equal(
    await refused({ severityNumber: 'LOUD' }),
    '….severityNumber: expected the number of an enumeration, got "LOUD"'
  )
  t.match(String((await post('logs', '{"resourceLogs":', json)).body), /the body is not valid JSON/)
})

t.test('numbers of 64 bits, their words and hexadecimal ids in either case are read from JSON', async t => {
  const { fresh, post } = await served
  const { sql, db } = await fresh()
  const text = `{"resourceLogs":[{"unknown":1,"resource":null,"scopeLogs":[{"logRecords":[
    {"timeUnixNano":1700000000000000001,"traceId":"0AF7651916CD43DD8448EB211C80319C","severityNumber":"SEVERITY_NUMBER_WARN2",
     "body":{"kvlistValue":{"values":[{"key":"n","value":{"intValue":"9223372036854775807"}},{"key":"d","value":{"doubleValue":"NaN"}}]}}}]}]}]}`
  const answer = await post('logs', text, { ...json, 'x-svc-db-name': db })
  t.same([answer.status, String(answer.body)], [200, '{}'])
  t.same(await sql('SELECT timestamp, trace_id, severity_number, body FROM telemetry_logs'), [
    [Number(time), '0af7651916cd43dd8448eb211c80319c', 14, '{"n":9223372036854775807,"d":"NaN"}']
  ])
})

t.test('left-out items are told in JSON, too', async t => {
  const { post } = await served
  const points = [{ timeUnixNano: String(time) }, { timeUnixNano: String(time), asInt: 5 }]
  const body = { resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: 'm', gauge: { dataPoints: points } }] }] }] }
  const answer = await post('metrics', JSON.stringify(body), json)
  t.equal(answer.status, 200)
  t.same(JSON.parse(String(answer.body)), {
    partialSuccess: { rejectedDataPoints: '1', errorMessage: 'metric m: a point has no value' }
  })
})

t.test('metrics need the plugin that keeps them; logs and traces do not', async t => {
  const { main } = await startServer(t, '[plugins.metricsys]\nenabled = false\n')
  const post = (signal: string, payload: Buffer) =>
    main.inject({ method: 'POST', url: `/v1/telemetry/v1/${signal}`, payload })
  const refused = await post('metrics', exportRequest([{ items: [gauge({ name: 'g' }, [{ value: 1 }])] }]))
  t.equal(refused.statusCode, 400)
  t.match(
    readStatus(refused.rawPayload).message,
    /a metric needs the plugin metricsys, which is off \(\[plugins\.metricsys\] enabled = false\)/
  )
  t.equal((await post('logs', exportRequest([{ items: [record({ body: 'x' })] }]))).statusCode, 200)
})

t.test('a small request that would become large in memory is refused', async t => {
  const { post } = await serve(t, '[plugins.telemetry]\nmax_items = 5\nmax_extract_keys = 2')
  const items = (count: number) => Array.from({ length: count }, () => record({ time, body: 'x' }))
  t.equal((await post('logs', exportRequest([{ items: items(3) }]))).status, 200)
  for (const signal of ['metrics', 'traces', 'logs'] as const) {
    const many = await post(signal, exportRequest([{ items: items(4) }]))
    t.equal(many.status, 413)
    t.match(readStatus(many.body).message, /more than 5 resources, scopes and items \(plugins\.telemetry\.max_items\)/)
  }
  t.equal((await post('logs', exportRequest([{ items: items(1) }, { items: items(1) }]))).status, 413)
  const keys = await post('logs', exportRequest([{ items: items(1) }]), { 'x-svc-log-extract-keys': 'a,b,c' })
  t.equal(keys.status, 400)
  t.match(readStatus(keys.body).message, /3 keys are more than 2 \(plugins\.telemetry\.max_extract_keys\)/)
})

t.test('JSON of too many values is refused before it is read; what stands in texts is not a value', async t => {
  const { post } = await serve(t, '[http]\nmax_body_values = 30')
  const many = await post('logs', `{"x":[${'{},'.repeat(15)}{}]}`, json)
  t.equal(many.status, 413)
  t.match(JSON.parse(String(many.body)), {
    code: 3,
    message: /more than 30 values \(http\.max_body_values\)/
  })
  const text = JSON.stringify(`${'[,{'.repeat(50)}"\\`)
  const records = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":${text}}}]}]}]}`
  t.equal((await post('logs', records, json)).status, 200)
})

t.test('attributes of a resource are counted in each of its rows', async t => {
  const { post } = await served
  const resource = { large: 'x'.repeat(1_000_000) }
  const items = (count: number) => Array.from({ length: count }, () => record({ time, body: 'x' }))
  for (const signal of ['traces', 'logs'] as const) {
    const answer = await post(signal, exportRequest([{ resource, items: items(68) }]))
    t.equal(answer.status, 413)
    t.match(readStatus(answer.body).message, /^68 (spans|log records) with what .* would take \d+ bytes as columns/)
  }
  t.equal((await post('logs', exportRequest([{ resource, items: items(60) }]))).status, 200)
})

t.test('a request with a large resource or scope is refused', async t => {
  const { post } = await served
  const attributes = { large: 'x'.repeat(1 << 20) }
  for (const signal of ['metrics', 'traces', 'logs'] as const)
    for (const owner of ['resource', 'scope'] as const) {
      const items = [record({ time, body: 'x' })]
      const answer = await post(
        signal,
        exportRequest([{ [owner]: owner === 'scope' ? { attributes } : attributes, items }])
      )
      t.equal(answer.status, 413)
      const message = new RegExp(
        `^a ${owner} takes 10\\d+ bytes, more than 1048576 \\(plugins.telemetry.max_item_size\\)`
      )
      t.match(readStatus(answer.body).message, message)
    }
})

t.test('a metric with a long name is refused', async t => {
  const { post } = await served
  const scoped = (metric: string) => `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[${metric}]}]}]}`
  const named = (name: string) =>
    scoped(`{"name":"${name}","gauge":{"dataPoints":[{"timeUnixNano":"1","asDouble":1}]}}`)
  const answer = await post('metrics', named('x'.repeat(2 << 20)), json)
  t.equal(answer.status, 200)
  t.match(
    answer.body.toString(),
    /a metric without its points takes 20971\d\d bytes, more than 1048576 \(plugins.telemetry.max_item_size\)/
  )
})

t.test('a pipeline takes so many values of an item, of a resource and of a scope, each by itself', async t => {
  const { post } = await serve(t, '[plugins.telemetry]\nmax_item_values = 1000')
  const piped = { ...json, 'x-svc-pipeline-name': 'svc_identity' }
  // The attribute itself is one of them.
  const attributes = (values: number) =>
    `"attributes":[{"key":"k","value":{"arrayValue":{"values":[${Array.from({ length: values - 1 }, () => '{"boolValue":true}').join()}]}}}]`
  const body = (resource: number, scope: number, record: number) =>
    `{"resourceLogs":[{"resource":{${attributes(resource)}},"scopeLogs":[{"scope":{${attributes(scope)}},"logRecords":[
      {"timeUnixNano":"1",${attributes(record)}},{"timeUnixNano":"2",${attributes(record)}}]}]}]}`
  t.equal((await post('logs', body(1000, 1000, 1000), piped)).status, 200)
  for (const [resource, scope, record] of [
    [1001, 1, 1],
    [1, 1001, 1],
    [1, 1, 1001]
  ] as const) {
    const answer = await post('logs', body(resource, scope, record), piped)
    t.equal(answer.status, 413)
    t.match(
      JSON.parse(String(answer.body)).message,
      /holds more than 1000 values \(plugins\.telemetry\.max_item_values\)/
    )
    t.equal(
      (await post('logs', body(resource, scope, record), json)).status,
      200,
      'without a pipeline no thread gets it'
    )
  }
})
