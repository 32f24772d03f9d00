import t from 'tap'
import { exportRequest, type Value } from '../proto.ts'
import { serve } from '../serve.ts'
import { record } from './messages.ts'

const served = serve(t)
const fresh = async () => (await served).fresh()
const time = 1_700_000_000_000_000_001n
const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'

/** JSON columns as what they hold. */
const parsed = (rows: unknown[][]) =>
  rows.map(row => row.map(each => (typeof each === 'string' && /^[[{]/.test(each) ? JSON.parse(each) : each)))

t.test('a record keeps what it is, its scope and its resource apart', async t => {
  const { send, sql } = await fresh()
  const log = {
    ...{ time, severityNumber: 9, severityText: 'INFO', body: 'hello "you"', flags: 1, traceId, spanId },
    attributes: { n: 3n, f: 1.5, ok: true, list: ['a', 1n], map: { deep: { x: 'é\n' } }, bytes: Buffer.from([1, 2]) }
  }
  const entry = {
    resource: { 'service.name': 'cart' },
    resourceUrl: 'https://r',
    scope: { name: 'lib', version: '1.2', attributes: { s: 't' } },
    scopeUrl: 'https://s',
    items: [record(log)]
  }
  t.same(await send('logs', exportRequest([entry])), { rejected: 0, message: '' })
  const names = (await sql('DESC TABLE telemetry_logs')).map((row: string[]) => row[0])
  t.same(names, [
    ...['timestamp', 'trace_id', 'span_id', 'severity_text', 'severity_number', 'body', 'log_attributes'],
    ...['trace_flags', 'scope_name', 'scope_version', 'scope_attributes', 'scope_schema_url'],
    ...['resource_attributes', 'resource_schema_url']
  ])
  t.same(parsed(await sql('SELECT * FROM telemetry_logs')), [
    [
      ...[Number(time), traceId, spanId, 'INFO', 9, 'hello "you"'],
      { n: 3, f: 1.5, ok: true, list: ['a', 1], map: { deep: { x: 'é\n' } }, bytes: 'AQI=' },
      ...[1, 'lib', '1.2', { s: 't' }, 'https://s', { 'service.name': 'cart' }, 'https://r']
    ]
  ])
  t.match((await sql('SHOW CREATE TABLE telemetry_logs'))[0][1], /`?"?body"? STRING.*FULLTEXT INDEX/s)
})

t.test('bodies of every kind', async t => {
  const { send, sql } = await fresh()
  const bodies: (Value | undefined)[] = [
    'text',
    7n,
    1.25,
    true,
    ['a', 2n],
    { k: 'v' },
    Buffer.from('hi'),
    null,
    undefined
  ]
  const items = bodies.map((body, i) => record({ time: time + BigInt(i), ...(body !== undefined && { body }) }))
  await send('logs', exportRequest([{ items }]))
  t.same((await sql('SELECT body FROM telemetry_logs ORDER BY timestamp')).flat(), [
    ...['text', '7', '1.25', 'true', '["a",2]', '{"k":"v"}', '"aGk="'],
    ...[null, null]
  ])
})

t.test('a record without a time has that of its observation, else that of the request', async t => {
  const { send, sql } = await fresh()
  await send('logs', exportRequest([{ items: [record({ body: 'a', observed: time }), record({ body: 'b' })] }]))
  const rows = await sql('SELECT body, timestamp FROM telemetry_logs ORDER BY body')
  t.same(rows[0], ['a', Number(time)])
  t.ok(Math.abs(Number(rows[1][1]) / 1e6 - Date.now()) < 60_000)
})

t.test('a record of a time that cannot be kept is left out and told', async t => {
  const { send, sql } = await fresh()
  const items = [record({ time: 2n ** 63n, body: 'far' }), record({ time, body: 'near' })]
  const taken = await send('logs', exportRequest([{ items }]))
  t.equal(taken.rejected, 1)
  t.match(taken.message, /after the year 2262/)
  t.same(await sql('SELECT body FROM telemetry_logs'), [['near']])
})

t.test('keys of the header become tags, from the record, the scope or the resource', async t => {
  const { send, sql } = await fresh()
  const headers = { 'x-svc-log-extract-keys': 'tenant, n ,ok, host, tenant,none', 'x-svc-log-table-name': 'app' }
  const entry = {
    resource: { host: 'r1', tenant: 'of the resource' },
    scope: { name: 's', attributes: { OK: true } },
    items: [record({ time, attributes: { Tenant: 't1', n: 5n } }), record({ time: time + 1n, attributes: { n: -6n } })]
  }
  await send('logs', exportRequest([entry]), headers)
  t.same(await sql('SELECT tenant, n, ok, host FROM app ORDER BY timestamp'), [
    ['t1', 5, true, 'r1'],
    ['of the resource', -6, true, 'r1']
  ])
  const described = await sql('DESC TABLE app')
  const kinds = Object.fromEntries(described.map((row: string[]) => [row[0], row.at(-1)]))
  t.match(kinds, { tenant: 'TAG', n: 'TAG', ok: 'TAG', host: 'TAG', none: undefined })
  const list = exportRequest([{ items: [record({ time, attributes: { tenant: ['a'] } })] }])
  await t.rejects(send('logs', list, headers), /attribute tenant is neither a text nor an integer nor a boolean/)
})

t.test('a table made by hand gets what it can hold', async t => {
  const { send, sql } = await fresh()
  await sql(`CREATE TABLE mine (ts TIMESTAMP(3) TIME INDEX, body STRING, severity_number STRING,
    log_attributes STRING, host STRING) WITH (append_mode = 'true')`)
  const headers = { 'x-svc-log-table-name': 'mine', 'x-svc-log-extract-keys': 'host,port' }
  const request = exportRequest([
    { items: [record({ time, body: 'x', severityNumber: 9, attributes: { host: 5n, port: 80n } })] }
  ])
  t.same(await send('logs', request, headers), { rejected: 0, message: '' })
  const wanted = 'ts, body, severity_number, log_attributes, host, port'
  t.same(parsed(await sql(`SELECT ${wanted} FROM mine`)), [
    [Number(time / 1_000_000n), 'x', '9', { host: 5, port: 80 }, '5', 80]
  ])
  await sql(`CREATE TABLE other (ts TIMESTAMP(3) TIME INDEX, host DOUBLE) WITH (append_mode = 'true')`)
  const named = { 'x-svc-log-table-name': 'other', 'x-svc-log-extract-keys': 'host' }
  await t.rejects(send('logs', request, named), /failed to align log column 'host'/)
})

t.test('events keep their name', async t => {
  const { send, sql } = await fresh()
  await send('logs', exportRequest([{ items: [record({ time, eventName: 'click' }), record({ time })] }]))
  t.same(await sql('SELECT event_name, count(*) FROM telemetry_logs GROUP BY 1 ORDER BY 1'), [
    ['', 1],
    ['click', 1]
  ])
})

t.test('a pipeline gets items with all that is known of a record', async t => {
  const { send, sql, main, db } = await fresh()
  const log = {
    time,
    severityNumber: 17,
    severityText: 'ERROR',
    body: { k: 'v' },
    attributes: { a: 1n },
    traceId,
    spanId
  }
  const entry = { resource: { 'service.name': 'cart' }, scope: { name: 'lib' }, items: [record(log)] }
  const headers = { 'x-svc-pipeline-name': 'svc_identity', 'x-svc-log-table-name': 'flat' }
  t.same(await send('logs', exportRequest([entry]), headers), { rejected: 0, message: '' })
  const wanted =
    '"Timestamp", "SeverityText", "SeverityNumber", "Body.k", "LogAttributes.a", "ResourceAttributes.service.name", "ScopeName", "TraceId"'
  const rows = await sql(`SELECT ${wanted} FROM flat`)
  t.same(rows, [[Number(time), 'ERROR', 17, 'v', 1, 'cart', 'lib', traceId]])
  const yaml = `version: 2
processors:
  - dissect:
      fields: [Body]
      patterns: ['%{verb} %{what}']
transform:
  - fields: [verb, what]
    type: string
  - field: Timestamp
    type: time
    index: timestamp
`
  const url = `/v1/pipelines/words?db=${db}`
  const made = await main.inject({
    method: 'POST',
    url,
    payload: yaml,
    headers: { 'content-type': 'application/x-yaml' }
  })
  t.equal(made.statusCode, 200, made.body)
  const request = exportRequest([{ items: [record({ time, body: 'get it' }), record({ time, body: 'none' })] }])
  const named = { 'x-svc-pipeline-name': 'words', 'x-svc-log-table-name': 'words' }
  await t.rejects(send('logs', request, named), /item 1/)
  const lenient = await send('logs', request, { ...named, 'x-svc-pipeline-params': 'skip_error=true' })
  t.equal(lenient.rejected, 1)
  t.same(await sql('SELECT verb, what FROM words'), [['get', 'it']])
  await t.rejects(send('logs', request, { 'x-svc-pipeline-name': 'nowhere' }), /Pipeline not found, name: nowhere/)
})

t.test('text that is not UTF-8 and values that are nested too deep are refused', async t => {
  const { send } = await fresh()
  const broken = record({ time, body: 'AAAA' })
  broken[broken.indexOf('AAAA')] = 0xff
  await t.rejects(send('logs', exportRequest([{ items: [broken] }])), /not valid UTF-8/)
  let deep: Value = 'x'
  for (let i = 0; i < 200; i++) deep = [deep]
  await t.rejects(send('logs', exportRequest([{ items: [record({ time, body: deep })] }])), /deeper than 100 levels/)
  await t.rejects(
    send('logs', exportRequest([{ items: [record({ time, attributes: { deep } })] }])),
    /deeper than 100 levels/
  )
})
