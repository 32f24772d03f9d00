import { deflateSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { encodeSnappy } from '../../../core/wire/index.ts'
import { databaseMaker, startServer } from '../../helpers.ts'
import { type TestStream, writeJsonPush, writeProtobuf } from './messages.ts'
import { clientOf, path, serve } from './serve.ts'

const ns = 1_700_000_000_000_000_001n
const hello: TestStream[] = [
  {
    labels: { env: 'dev', app: 'api' },
    entries: [
      { time: ns, line: 'hello', metadata: { req: '9' } },
      { time: ns + 1n, line: 'bye' }
    ]
  }
]
const all = 'SELECT svc_timestamp, line, structured_metadata, app, env FROM logpush_logs ORDER BY line DESC'

const server = await startServer(t)
const database = databaseMaker(server)
const fresh = async () => clientOf(server, await database())

t.test('streams become a table: labels are tags, times keep their nanoseconds', async t => {
  const { pushJson, pushProtobuf, sql } = await fresh()
  const json = await pushJson(hello)
  t.equal(json.status, 200)
  t.match(json.body, { output: [{ affectedrows: 2 }], execution_time_ms: Number })
  t.notOk('skipped' in json.body)
  t.equal((await pushProtobuf(hello)).status, 200)
  const rows = await sql(all)
  const first = [Number(ns), 'hello', { req: '9' }, 'api', 'dev']
  const second = [Number(ns + 1n), 'bye', {}, 'api', 'dev']
  t.same(rows, [first, first, second, second], 'equal entries are all kept')
  const [[, created]] = await sql('SHOW CREATE TABLE logpush_logs')
  t.match(
    created,
    /"svc_timestamp" TIMESTAMP\(9\) NOT NULL,\s+"line" STRING NULL,\s+"structured_metadata" JSON NULL,\s+"app" STRING NULL,\s+"env" STRING NULL/
  )
  t.match(created, /PRIMARY KEY \("app", "env"\)/)
  t.match(created, /append_mode = 'true'/)
  t.same(await sql(`SELECT count(*) FROM logpush_logs WHERE svc_timestamp = ${ns}`), [[2]], 'no nanosecond is lost')
})

t.test('new labels join the key, entries come in any order', async t => {
  const { pushJson, sql } = await fresh()
  await pushJson(hello)
  const older = [{ labels: { zone: 'a', app: 'web' }, entries: [{ time: 5n, line: 'old' }] }]
  t.equal((await pushJson(older)).status, 200)
  t.same(await sql('SELECT app, env, zone FROM logpush_logs ORDER BY svc_timestamp LIMIT 1'), [['web', null, 'a']])
  const [[, created]] = await sql('SHOW CREATE TABLE logpush_logs')
  t.match(created, /PRIMARY KEY \("app", "env", "zone"\)/)
})

t.test('table, database and table options come by header', async t => {
  const { pushJson, sql } = await fresh()
  await sql('CREATE DATABASE other')
  const headers = {
    'x-svc-log-table-name': Buffer.from('größe').toString('latin1'),
    'x-svc-hints': 'ttl=30d'
  }
  t.equal((await pushJson(hello, headers, '?db=other')).status, 200)
  const [[, created]] = await sql('SHOW CREATE TABLE "größe"', 'other')
  t.match(created, /append_mode = 'true'/)
  t.match(created, /ttl = '30days'/)
  const unknown = await pushJson(hello, { 'x-svc-db-name': 'nowhere' })
  t.match(unknown, { status: 400, body: { error: 'Database not found: nowhere' } })
  t.equal(unknown.headers['x-svc-err-code'], '4004')
  const closed = await pushJson(hello, { 'x-svc-hints': 'auto_create_table=false' })
  t.match(closed, { status: 400, body: { error: /`logpush_logs` does not exist/ } })
})

t.test('left-out entries are told and counted', async t => {
  const { send, sql, core } = await serve(t)
  const body = '{"streams":[{"stream":{"a":"1","n":1},"values":[["1","x"],["y","z"],["2"]]},{}]}'
  const { status, body: answer } = await send(body, { 'content-type': 'application/json' })
  t.equal(status, 200)
  t.match(answer, {
    output: [{ affectedrows: 1 }],
    skipped: { count: 2, errors: [{ index: 1, message: /nanoseconds/ }, { index: 2 }] }
  })
  t.same(await sql('SELECT line, a FROM logpush_logs'), [['x', '1']])
  const metrics = await core.metrics.expose()
  t.match(metrics, /svc_items_skipped_total\{plugin="logpush",reason="decode"\} 2/)
  t.match(metrics, /svc_logpush_parts_dropped_total\{reason="label"\} 1/)
})

t.test('a push without entries succeeds and creates nothing', async t => {
  const { send, pushProtobuf, core } = await serve(t)
  for (const body of ['{"streams":[]}', '{"streams":[{"stream":{"a":"1"},"values":[]}]}', '{"streams":[1]}']) {
    t.match(await send(body, { 'content-type': 'application/json' }), {
      status: 200,
      body: { output: [{ affectedrows: 0 }] }
    })
  }
  t.match(await pushProtobuf([]), { status: 200, body: { output: [{ affectedrows: 0 }] } })
  t.equal(core.store.table('public', 'logpush_logs'), undefined)
})

t.test('bodies come with any content type and coding that clients use', async t => {
  const { send, sql } = await fresh()
  const json = Buffer.from(writeJsonPush(hello))
  const block = Buffer.from(encodeSnappy(writeProtobuf(hello)))
  const taken: [Buffer, Record<string, string>][] = [
    [json, { 'content-type': 'application/json; charset=utf-8' }],
    [json, { 'content-type': 'Application/JSON', 'content-encoding': 'identity' }],
    [gzipSync(json), { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
    [deflateSync(json), { 'content-type': 'application/json', 'content-encoding': 'deflate' }],
    [json, {}],
    [block, {}],
    [block, { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' }],
    [gzipSync(block), { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' }]
  ]
  for (const [body, headers] of taken) t.equal((await send(body, headers)).status, 200, JSON.stringify(headers))
  t.same(await sql('SELECT count(*) FROM logpush_logs'), [[taken.length * 2]])
  // A block of 123 bytes begins like JSON.
  const brace = encodeSnappy(writeProtobuf([{ labels: { a: 'x' }, entries: [{ time: 1n, line: 'y'.repeat(102) }] }]))
  t.equal(brace[0], 0x7b)
  t.equal((await send(Buffer.from(brace))).status, 200)
})

t.test('an unreadable push is refused with the protocol’s error body', async t => {
  const { send, pushJson, sql } = await serve(t, '[http]\nbody_limit = "4KiB"')
  const json = { 'content-type': 'application/json' }
  const protobuf = { 'content-type': 'application/x-protobuf' }
  const bomb = Buffer.from(encodeSnappy(Buffer.alloc(5000)))
  const cases: [string | Buffer, Record<string, string>, number, RegExp][] = [
    ['', json, 400, /expected a value/],
    ['nonsense', json, 400, /Failed to parse payload as json: .* at line 1, column 1/],
    ['[]', json, 400, /payload is not an object/],
    ['{}', json, 400, /missing streams/],
    ['{"streams":1}', json, 400, /streams is not an array/],
    [
      '{"streams":[]}',
      { 'content-type': 'text/plain' },
      400,
      /content type text\/plain, expected application\/json or/
    ],
    ['x', protobuf, 400, /not a Snappy block/],
    ['x', { ...json, 'content-encoding': 'gzip' }, 400, /not valid gzip/],
    ['x', { ...json, 'content-encoding': 'zip' }, 415, /zip is not supported/],
    [Buffer.alloc(5000, 32), json, 413, /larger than/],
    [bomb, protobuf, 413, /larger than 4KiB \(http.body_limit\): the Snappy block holds 5000 bytes/]
  ]
  for (const [body, headers, status, error] of cases) {
    const answer = await send(body, headers)
    t.match(answer, { status, body: { error } }, String(error))
    t.same(Object.keys(answer.body), ['error'])
  }
  await sql('CREATE TABLE logpush_logs (svc_timestamp TIMESTAMP(3) TIME INDEX, line BIGINT)')
  t.match(await pushJson(hello), {
    status: 400,
    body: { error: /svc_timestamp, expected datatype: TimestampMillisecond/ }
  })
  const line = [{ labels: { line: 'x' }, entries: [{ time: 1n, line: 'y' }] }]
  t.match(await pushJson(line), { status: 400, body: { error: /the label line has the name of a column/ } })
  const nameless = [{ labels: { '': 'x' }, entries: [{ time: 1n, line: 'y' }] }]
  t.match(await pushJson(nameless, { 'x-svc-log-table-name': 'a' }), {
    status: 400,
    body: { error: /name of a column is empty/ }
  })
})

t.test('labels have limits', async t => {
  const { pushJson } = await serve(t, '[limits]\nmax_columns = 5\nmax_series = 3\nmax_tables = 2')
  const push = (labels: Record<string, string>) => pushJson([{ labels, entries: [{ time: 1n, line: 'x' }] }])
  t.equal((await push({ a: '1', b: '1' })).status, 200)
  t.match(await push({ c: '1' }), {
    status: 400,
    body: { error: /would have more than 5 columns \(limits.max_columns\)/ }
  })
  t.equal((await push({ a: '2' })).status, 200)
  t.equal((await push({ a: '3' })).status, 200)
  t.match(await push({ a: '4' }), {
    status: 400,
    body: { error: /would have more than 3 series \(limits.max_series\)/ }
  })
  t.equal((await push({ a: '3' })).status, 200, 'labels it knows go on')
  const streams = ['6', '7', '6', '8', '9'].map(a => ({ labels: { a }, entries: [{ time: 1n, line: 'x' }] }))
  const other = { 'x-svc-log-table-name': 'other' }
  t.match(await pushJson(streams, other), { status: 400, body: { error: /table other .* 3 series/ } }, 'all at once')
  t.equal((await pushJson(streams.slice(0, 4), other)).status, 200)
  t.match(await pushJson(streams.slice(0, 1), { 'x-svc-log-table-name': 'third' }), {
    status: 400,
    body: { error: /database public would have more than 2 tables \(limits.max_tables\)/ }
  })
})

t.test('a pipeline gets line, labels and metadata as fields and decides on the columns', async t => {
  const { main, pushProtobuf, pushJson, send, sql } = await fresh()
  const document = `
processors:
  - epoch: { field: svc_timestamp, resolution: ns }
  - gsub: { field: logpush_line, pattern: l+, replacement: L }
transform:
  - { field: 'logpush_line, text', type: string }
  - { field: 'logpush_label_app, app', type: string, tag: true }
  - { field: 'logpush_metadata_req, request', type: int64, on_failure: ignore }
  - { field: 'svc_timestamp, at', type: 'timestamp, ns', index: timestamp }
`
  const headers = { 'content-type': 'application/x-yaml' }
  const created = await main.inject({ method: 'POST', url: '/v1/pipelines/lines', payload: document, headers })
  t.equal(created.statusCode, 200, created.body)
  const through = { 'x-svc-pipeline-name': 'lines', 'x-svc-log-table-name': 'piped' }
  t.match(await pushProtobuf(hello, through), { status: 200, body: { output: [{ affectedrows: 2 }] } })
  t.same(await sql('SELECT at, text, app, request FROM piped ORDER BY at'), [
    [Number(ns), 'heLo', 'api', 9],
    [Number(ns + 1n), 'bye', 'api', null]
  ])
  const identity = { 'x-svc-log-pipeline-name': 'svc_identity', 'x-svc-log-table-name': 'plain' }
  t.equal((await pushJson(hello, identity)).status, 200)
  const columns = 'svc_timestamp, logpush_line, logpush_label_app, logpush_metadata_req'
  t.same(await sql(`SELECT ${columns} FROM plain ORDER BY 1 LIMIT 1`), [[Number(ns), 'hello', 'api', '9']])
  t.match(await pushJson(hello, { 'x-svc-pipeline-name': 'none' }), {
    status: 400,
    body: { error: /Pipeline not found, name: none/ }
  })
  const partly = '{"streams":[{"stream":{},"values":[["1","x"],["y"]]}]}'
  const skipping = { ...through, 'content-type': 'application/json', 'x-svc-pipeline-params': 'skip_error=true' }
  t.match(await send(partly, skipping), { status: 200, body: { output: [{ affectedrows: 1 }], skipped: { count: 1 } } })
})

t.test('the path has one method, and one form', async t => {
  const { main } = await fresh()
  const get = await main.inject({ method: 'GET', url: path })
  t.equal(get.statusCode, 405)
  t.equal(get.headers['allow'], 'POST')
  t.equal((await main.inject({ method: 'POST', url: `${path}/` })).statusCode, 404)
})
