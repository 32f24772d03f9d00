import t from 'tap'
import { readPartial, readStatus } from '../proto.ts'
import { serve } from '../serve.ts'
import { encodeTraces, type Pairs, type TestSpan, tracesJson, type Value } from './encode.ts'

const server = await serve(t, '[plugins.telemetry]\nmax_attribute_columns = 6\nmax_operations = 3\n')

let spans = 0
/** A span with ids of its own. */
const span = (attributes: Pairs = [], more: TestSpan = {}): TestSpan => {
  const id = (++spans).toString(16)
  return {
    traceId: id.padStart(32, '0'),
    spanId: id.padStart(16, '0'),
    name: 'work',
    start: BigInt(spans),
    attributes,
    ...more
  }
}

const requestOf = (all: readonly TestSpan[], service: Value = 'shop', scope = {}) =>
  encodeTraces([{ attributes: [['service.name', service]], scopes: [{ ...scope, spans: all }] }])

const typeIn = (db: string, name: string) =>
  server.core.store.table(db, 'telemetry_traces')?.columns.find(column => column.name === name)?.type

t.test('a table of spans comes with its columns, key, indexes and mode', async t => {
  const { send, sql } = await server.fresh()
  t.strictSame(await send('traces', requestOf([span([['k', 1n]])])), { rejected: 0, message: '' })
  const [[, ddl]] = await sql('SHOW CREATE TABLE telemetry_traces')
  const columns = [...ddl.matchAll(/^ {2}"(.*?)" (.*?) (?:NOT )?NULL/gm)].map(([, name, type]) => `${name} ${type}`)
  t.strictSame(columns, [
    'timestamp TIMESTAMP(9)',
    'timestamp_end TIMESTAMP(9)',
    'duration_nano BIGINT UNSIGNED',
    'parent_span_id STRING',
    'trace_id STRING',
    'span_id STRING',
    'span_kind STRING',
    'span_name STRING',
    'span_status_code STRING',
    'span_status_message STRING',
    'trace_state STRING',
    'scope_name STRING',
    'scope_version STRING',
    'service_name STRING',
    'span_attributes.k BIGINT',
    'span_events JSON',
    'span_links JSON'
  ])
  t.match(ddl, /PRIMARY KEY \("service_name"\)/)
  t.match(ddl, /append_mode = 'true'/)
  const indexed = [...ddl.matchAll(/^ {2}"(.*?)" .* SKIPPING INDEX/gm)].map(([, name]) => name)
  t.strictSame(indexed, ['parent_span_id', 'trace_id', 'service_name'])
})

t.test('JSON and protobuf are stored alike, and answered in kind', async t => {
  const { db, sql } = await server.fresh()
  const resources = [
    { attributes: [['service.name', 'a']], scopes: [{ name: 's', spans: [span([['x', 0.5]])] }] }
  ] as const
  const json = await server.post('traces', tracesJson(resources), {
    'content-type': 'application/json',
    'x-svc-db-name': db
  })
  t.strictSame([json.status, json.body.toString()], [200, '{}'])
  const proto = await server.post('traces', encodeTraces(resources), { 'x-svc-db-name': db })
  t.strictSame([proto.status, proto.body.length], [200, 0])
  const [first, second, ...others] = await sql('SELECT * FROM telemetry_traces')
  t.strictSame(first, second)
  t.equal(others.length, 0)
  for (const body of [Buffer.alloc(0), requestOf([])]) {
    t.equal((await server.post('traces', body, { 'x-svc-db-name': db })).status, 200)
  }
})

t.test('a value becomes what its column is, a column what its values need, and none is lost', async t => {
  const { db, send, sql } = await server.fresh()
  const both = async (first: Value, second: Value) => {
    await send('traces', requestOf([span([['v', first]])]), { 'x-svc-trace-table-name': 'telemetry_traces' })
    await send('traces', requestOf([span([['v', second]])]))
    const type = typeIn(db, 'span_attributes.v')
    const rows = await sql('SELECT "span_attributes.v" FROM telemetry_traces ORDER BY timestamp')
    await sql('DROP TABLE telemetry_traces')
    return [type, ...rows.flat()]
  }
  t.strictSame(await both(1n, 2.5), ['Float64', 1, 2.5])
  t.strictSame(await both(1n, 2), ['Int64', 1, 2])
  t.strictSame(await both(1n, '7'), ['Int64', 1, 7])
  t.strictSame(await both(1n, 'x'), ['Json', 1, 'x'])
  t.strictSame(await both(1n, true), ['Json', 1, true])
  t.strictSame(await both(1.5, 7n), ['Float64', 1.5, 7])
  t.strictSame(await both(1.5, '2e3'), ['Float64', 1.5, 2000])
  t.equal((await both(1.5, 9_007_199_254_740_993n))[0], 'Json', 'a float would lose the last digit')
  t.strictSame(await both(7n, '007'), ['Json', 7, '007'])
  t.strictSame(await both(1.5, ['a']), ['Json', 1.5, ['a']])
  t.strictSame(await both(true, 'false'), ['Boolean', true, false])
  t.strictSame(await both(true, 1n), ['Json', true, 1])
  t.strictSame(await both('a', 1n), ['String', 'a', '1'])
  t.strictSame(await both('a', 1.5), ['String', 'a', '1.5'])
  t.strictSame(await both('a', false), ['String', 'a', 'false'])
  t.strictSame(await both('7', { deep: [1n] }), ['Json', '7', { deep: [1] }])
  t.strictSame(await both(['a'], 'b'), ['Json', ['a'], 'b'])
  t.strictSame(await both(Buffer.from('hi'), 'b'), ['Json', 'aGk=', 'b'])
})

t.test('values of several kinds in one request find a type for all', async t => {
  const { db, send, sql } = await server.fresh()
  const mixed = async (...values: Value[]) => {
    await send('traces', requestOf(values.map(value => span([['v', value]]))))
    const type = typeIn(db, 'span_attributes.v')
    const rows = await sql('SELECT "span_attributes.v" FROM telemetry_traces ORDER BY timestamp')
    await sql('DROP TABLE telemetry_traces')
    return [type, ...rows.flat()]
  }
  t.strictSame(await mixed(1n, 1.5), ['Float64', 1, 1.5])
  t.strictSame(await mixed(1n, '2'), ['Int64', 1, 2])
  t.strictSame(await mixed(true, 'false'), ['Boolean', true, false])
  t.strictSame(await mixed(true, 1n), ['String', 'true', '1'])
  t.strictSame(await mixed('a', 1n, 2.5), ['String', 'a', '1', '2.5'])
  t.strictSame(await mixed('a', [1n], Buffer.from('hi')), ['Json', 'a', [1], 'aGk='])
})

t.test('requests that disagree at the same time all get their way', async t => {
  const { send, sql } = await server.fresh()
  const values: Value[] = [1n, 'x', 2.5, true, [1n], { a: 'b' }, 'y', 3n]
  await Promise.all(values.map(value => send('traces', requestOf([span([['v', value]])]))))
  await Promise.all(
    values.map(value =>
      send(
        'traces',
        requestOf([
          span([
            ['w', 1n],
            ['v', value]
          ])
        ])
      )
    )
  )
  const rows = await sql('SELECT "span_attributes.v" FROM telemetry_traces')
  const shown = (all: readonly unknown[]) => all.map(each => JSON.stringify(each)).sort()
  const given = [1, 'x', 2.5, true, [1], { a: 'b' }, 'y', 3]
  t.strictSame(shown(rows.flat()), shown([...given, ...given]))
})

t.test('attributes beyond the limit of columns, and those no column can be named after, share one of JSON', async t => {
  const { send, sql } = await server.fresh()
  const many: Pairs = Array.from({ length: 9 }, (_, i) => [`k${i}`, BigInt(i)])
  await send('traces', requestOf([span(many), span([['k1', 1n]])]))
  await send(
    'traces',
    requestOf([
      span([
        ['k0', 5n],
        ['k7', 'x'],
        ['n\0', 1n],
        ['l'.repeat(300), true]
      ])
    ])
  )
  const rows = await sql(
    'SELECT "span_attributes.k0", "span_attributes.k5", span_attributes FROM telemetry_traces ORDER BY timestamp'
  )
  t.strictSame(rows, [
    [0, 5, { k6: 6, k7: 7, k8: 8 }],
    [null, null, null],
    [5, null, { k7: 'x', 'n\0': 1, ['l'.repeat(300)]: true }]
  ])
})

t.test('version 0 of the table keeps attributes of a level together', async t => {
  const { db, send, sql } = await server.fresh()
  const body = requestOf([span([['a', 1n]]), span()], 'shop', { attributes: [['b', 'x']] })
  await send('traces', body, {
    'x-svc-pipeline-name': 'svc_trace_v0',
    'x-svc-trace-table-name': Buffer.from('öld').toString('latin1')
  })
  const rows = await sql('SELECT service_name, span_attributes, scope_attributes FROM "öld" ORDER BY timestamp')
  t.strictSame(rows, [
    ['shop', { a: 1 }, { b: 'x' }],
    ['shop', null, { b: 'x' }]
  ])
  const unknown = await server.post('traces', body, { 'x-svc-db-name': db, 'x-svc-pipeline-name': 'mine' })
  t.strictSame(
    [unknown.status, readStatus(unknown.body).message],
    [400, 'pipeline mine is not one for traces, expected svc_trace_v1 or svc_trace_v0']
  )
  const hint = (value: string) =>
    server.post('traces', body, { 'x-svc-db-name': db, 'x-svc-hints': `ttl=1d, trace_table_partitions=${value}` })
  for (const value of ['0', '1', '4', '65536']) t.equal((await hint(value)).status, 200, value)
  for (const value of ['3', 'x', '131072', '-2']) t.equal((await hint(value)).status, 400, value)
})

t.test('spans that are none are left out, told and counted', async t => {
  const { db, sql } = await server.fresh()
  const bad: TestSpan[] = [
    { ...span(), traceId: '00'.repeat(16) },
    { ...span(), traceId: 'abcd' },
    { ...span(), spanId: '00'.repeat(8) },
    { ...span(), parentSpanId: 'abcd' },
    { ...span(), start: 2n ** 63n },
    { ...span(), end: 2n ** 63n },
    { name: 'nothing' }
  ]
  const some = await server.post('traces', requestOf([span([['a', 1n]]), ...bad, span([['b', 1n]])]), {
    'x-svc-db-name': db
  })
  t.equal(some.status, 200)
  t.strictSame(readPartial(some.body), {
    rejected: 7,
    message: 'Accepted 2 spans, rejected 7 spans; span 1: trace_id must be 16 bytes that are not all zero'
  })
  t.strictSame(await sql('SELECT "span_attributes.a", "span_attributes.b" FROM telemetry_traces ORDER BY timestamp'), [
    [1, null],
    [null, 1]
  ])
  t.match(await server.core.metrics.expose(), /svc_telemetry_items_refused_total\{signal="traces"\} 7/)
  const none = await server.post('traces', tracesJson([{ scopes: [{ spans: [bad[6]!] }] }]), {
    'content-type': 'application/json',
    'x-svc-db-name': db
  })
  t.strictSame(
    [none.status, JSON.parse(none.body.toString())],
    [400, { code: 3, message: 'Accepted 0 spans, rejected 1 spans; span 0: trace_id is missing' }]
  )
})

t.test('a body that is no request is refused as a whole', async t => {
  const { db, sql } = await server.fresh()
  const whole = requestOf([span([['a', 'b']])])
  const cases = [
    whole.subarray(0, whole.length - 1),
    Buffer.from(whole.map((byte, i) => (i === whole.lastIndexOf('b') ? 0xff : byte))),
    Buffer.from('no protobuf')
  ]
  for (const body of cases) {
    const { status, body: answer } = await server.post('traces', body, { 'x-svc-db-name': db })
    t.equal(status, 400)
    t.match(readStatus(answer).message, /not a valid protobuf message/)
  }
  t.strictSame(await sql('SHOW TABLES'), [], 'nothing was made')
  const closed = { 'x-svc-db-name': db, 'x-svc-hint-auto-create-table': 'false' }
  t.match(readStatus((await server.post('traces', whole, closed)).body).message, /does not exist/)
  await server.post('traces', requestOf([span([['a', 1n]])]), { 'x-svc-db-name': db })
  t.match(
    readStatus((await server.post('traces', whole, closed)).body).message,
    /column span_attributes.a of table telemetry_traces would have to become Json/
  )
})

t.test('services and operations are listed once, and no more than allowed', async t => {
  const { send, sql } = await server.fresh()
  for (const name of ['a', 'b', 'a'])
    await send('traces', requestOf([span([], { name, kind: 2 }), span([], { name })], 'shop'))
  await send('traces', encodeTraces([{ scopes: [{ spans: [span()] }] }]))
  t.strictSame(
    await sql('SELECT service_name, span_name, span_kind FROM telemetry_traces_operations ORDER BY 1, 2, 3'),
    [
      ['shop', 'a', 'SPAN_KIND_SERVER'],
      ['shop', 'a', 'SPAN_KIND_UNSPECIFIED'],
      ['shop', 'b', 'SPAN_KIND_SERVER']
    ]
  )
  t.strictSame(await sql('SELECT service_name, timestamp FROM telemetry_traces_services'), [
    ['shop', 4102444800000000000]
  ])
  t.match(await server.core.metrics.expose(), /svc_telemetry_operations_left_out_total 1/)
  t.equal((await sql('SELECT service_name FROM telemetry_traces WHERE service_name IS NULL')).length, 1)
})

t.test('attributes go into a table made by hand as its columns are', async t => {
  const { send, sql } = await server.fresh()
  await send('traces', requestOf([span()]), { 'x-svc-trace-table-name': 'model' })
  await sql('CREATE TABLE telemetry_traces LIKE model')
  await sql('ALTER TABLE telemetry_traces ADD COLUMN "span_attributes.n" INT')
  await sql('ALTER TABLE telemetry_traces ADD COLUMN "span_attributes.k" STRING PRIMARY KEY')
  await send(
    'traces',
    requestOf([
      span([
        ['n', 5_000_000_000n],
        ['k', [1n]]
      ])
    ])
  )
  await send('traces', requestOf([span([['n', 'x']])]))
  const rows = await sql('SELECT "span_attributes.n", "span_attributes.k" FROM telemetry_traces ORDER BY timestamp')
  t.strictSame(rows, [
    [5_000_000_000, '[1]'],
    ['x', null]
  ])
})
