// The bulk API of Elasticsearch: its official client, and requests as Filebeat, Vector, Fluent Bit and Logstash send them.
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Test } from 'tap'
import t from 'tap'
import { pluginContract } from '../contract/index.ts'
import { askSql, startServer } from '../helpers.ts'
import { installExtra } from './install.ts'

// Its types name a module of another package that is not there.
const clientPackage: string = '@elastic/elasticsearch'
const { Client } = await import(clientPackage)

const users = 'user_provider = "static_user_provider:cmd:agent:wo=w,reader:ro=r"\n'

async function serve(t: Test, top = '', options = '') {
  const { folder } = installExtra(t, 'weir-plugin-elastic-bulk')
  const toml = `${top}[plugins.elastic]\nmodule = "weir-plugin-elastic-bulk"\n${options}`
  const server = await startServer(t, toml, { folder })
  const url = `${server.addresses.main}/v1/elastic`
  const send = async (
    path: string,
    body: string | Buffer | undefined,
    headers: Record<string, string> = {},
    method = 'POST'
  ) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: new Uint8Array(Buffer.from(body)) })
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
  }
  const sql = (text: string, user = '') => askSql(server, text, { user })
  return { server, url, send, sql }
}

const lines = (...values: readonly unknown[]) => `${values.map(value => JSON.stringify(value)).join('\n')}\n`
const ndjson = { 'content-type': 'application/x-ndjson' }
const at = '2026-01-02T03:04:05.678Z'
const ns = Date.parse(at) * 1e6

t.test("Elastic's own client: bulk, its helper, single documents, keys", async t => {
  const { url, sql, server } = await serve(t, users)
  for (const auth of [{ username: 'agent', password: 'w' }, { apiKey: Buffer.from('agent:w').toString('base64') }]) {
    const client = new Client({ node: url, auth, compression: true })
    t.match(await client.info(), { version: { number: '8.17.0' }, tagline: 'You Know, for Search' })
    const bulk = await client.bulk({
      operations: [
        { index: { _index: 'shop-2026.01.02' } },
        { '@timestamp': at, message: 'first', http: { status: 200, took: 1.5 } },
        { create: { _index: 'shop-2026.01.03', _id: 'a1' } },
        { '@timestamp': at, message: 'second', big: 9007199254740993n.toString() },
        { delete: { _index: 'shop-2026.01.03', _id: 'a1' } },
        { update: { _index: 'shop-2026.01.03', _id: 'a1' } },
        { doc: { message: 'changed' } }
      ]
    })
    t.equal(bulk.errors, true)
    t.match(bulk.items, [
      { index: { _index: 'shop-2026.01.02', status: 201, result: 'created' } },
      { create: { _index: 'shop-2026.01.03', _id: 'a1', status: 201 } },
      { delete: { _id: 'a1', status: 400, error: { type: 'illegal_argument_exception', reason: /only added/ } } },
      { update: { status: 400 } }
    ])
    t.match(await client.index({ index: 'shop', document: { '@timestamp': at, message: 'third' } }), {
      result: 'created'
    })
    t.match(await client.create({ index: 'shop', id: 'x', document: { '@timestamp': at } }), { _id: 'x' })
    await client.close()
  }
  const rows = await sql(
    'SELECT message, "http.status", "http.took", _id, "@timestamp" FROM shop ORDER BY message',
    'reader:r'
  )
  t.strictSame(rows.slice(0, 4), [
    ['first', 200, 1.5, null, ns],
    ['first', 200, 1.5, null, ns],
    ['second', null, null, 'a1', ns],
    ['second', null, null, 'a1', ns]
  ])
  t.equal(rows.length, 8)

  const client = new Client({ node: url, auth: { username: 'agent', password: 'w' } })
  const stats = await client.helpers.bulk({
    datasource: Array.from({ length: 5000 }, (_, n) => ({ '@timestamp': at, n })),
    onDocument: () => ({ create: { _index: 'many' } }),
    flushBytes: 50_000
  })
  t.match(stats, { total: 5000, successful: 5000, failed: 0 })
  t.strictSame(await sql('SELECT count(*), sum(n) FROM many', 'reader:r'), [[5000, 12_497_500]])
  await client.close()

  const stranger = new Client({ node: url, auth: { username: 'agent', password: 'no' }, maxRetries: 0 })
  await t.rejects(stranger.info(), { name: 'ResponseError', message: /security_exception/ })
  const reader = new Client({ node: url, auth: { username: 'reader', password: 'r' }, maxRetries: 0 })
  await t.rejects(reader.index({ index: 'shop', document: {} }), /security_exception/)
  t.match(await server.core.metrics.expose(), 'svc_items_skipped_total{plugin="elastic",reason="document"} 4')
})

t.test('Filebeat: what it asks before, and its batches', async t => {
  const { send, sql } = await serve(t)
  const get = (path: string) => send(path, undefined, { accept: 'application/json' }, 'GET')
  t.match(await get('/'), { status: 200, body: { version: { number: '8.17.0', build_flavor: 'default' } } })
  t.match(await get('/_license?human=false'), { body: { license: { type: 'basic', status: 'active' } } })
  for (const path of ['/_ilm/policy/filebeat', '/_index_template/filebeat-8.17.0', '/_data_stream/filebeat-8.17.0'])
    t.match(await get(path), { status: 200 }, path)
  t.match(await send('/_index_template/x', '{}', {}, 'PUT'), { body: { acknowledged: true } })
  const body = lines(
    { create: { _index: 'filebeat-8.17.0' } },
    {
      '@timestamp': at,
      message: 'a line',
      log: { offset: 0, file: { path: '/var/log/x' } },
      agent: { type: 'filebeat' }
    },
    { create: { _index: 'filebeat-8.17.0' } },
    { '@timestamp': at, message: 'another', input: { type: 'filestream' }, tags: ['a', 'b'] }
  )
  const path = '/_bulk?filter_path=errors%2Citems.%2A.error%2Citems.%2A.status'
  const answer = await send(path, gzipSync(body), {
    'content-type': 'application/x-ndjson; charset=UTF-8',
    'content-encoding': 'gzip'
  })
  t.match(answer, { status: 200, body: { errors: false } })
  t.strictSame(answer.body.items, [{ create: { status: 201 } }, { create: { status: 201 } }])
  t.equal(answer.headers.get('x-elastic-product'), 'Elasticsearch')
  t.strictSame(await sql('SELECT message, "log.file.path", "input.type" FROM "filebeat-8.17.0" ORDER BY message'), [
    ['a line', '/var/log/x', null],
    ['another', null, 'filestream']
  ])
})

t.test('Vector, Fluent Bit and Logstash', async t => {
  const { send, sql } = await serve(t)
  t.match(await send('/_cluster/health', undefined, {}, 'GET'), { body: { status: 'green' } })
  const vector = lines(
    { index: { _index: 'vector-2026.01.02' } },
    { timestamp: at, '@timestamp': at, message: 'v', host: 'h' }
  )
  t.match(await send('/_bulk?timeout=60s', vector, ndjson), {
    body: { errors: false, items: [{ index: { status: 201 } }] }
  })

  const fluentBit = lines(
    { create: { _index: 'fluent-bit' } },
    { '@timestamp': '2026-01-02T03:04:05.678901Z', log: 'f' }
  )
  t.match(await send('/_bulk', fluentBit, ndjson), { body: { errors: false } })

  t.equal((await send('/', undefined, {}, 'HEAD')).status, 200)
  t.match(await send('/_xpack', undefined, {}, 'GET'), { body: { license: { status: 'active' } } })
  const parameters = { _id: null, _index: 'logstash-2026.01.02', routing: null }
  const logstash = lines(
    { index: parameters },
    { '@version': '1', '@timestamp': at, message: 'l', event: { original: 'l' } }
  )
  t.match(
    await send('/_bulk?filter_path=errors,items.*.error,items.*.status', logstash, {
      'content-type': 'application/json'
    }),
    {
      body: { errors: false, items: [{ index: { status: 201 } }] }
    }
  )
  t.strictSame(await sql('SELECT message, "@timestamp" FROM vector'), [['v', ns]])
  t.strictSame(await sql('SELECT log, CAST("@timestamp" AS STRING) FROM "fluent-bit"'), [
    ['f', '2026-01-02 03:04:05.678901']
  ])
  t.strictSame(await sql('SELECT message, "@version", "event.original" FROM logstash'), [['l', '1', 'l']])
})

t.test('each document has its result, whatever becomes of the others', async t => {
  const { send, sql, server } = await serve(t, '', 'max_tables = 2\nmax_documents = 20\n')
  const good = { '@timestamp': at, message: 'good' }
  const body = `${lines({ index: {} }, good)}\n{"index":{}}\n{"message": broken}\r\n${lines(
    { create: { _index: 'other' } },
    good,
    { create: { _index: 'third' } },
    good,
    { index: { _index: '' } },
    good,
    { index: {} },
    ['no object'],
    { index: {} },
    { '@timestamp': 'no time', message: 'late' }
  )}{"index":{}}\n  {"message":"no end"}`
  const answer = await send('/app/_bulk', body, ndjson)
  t.match(answer, { status: 200, body: { errors: true } })
  const results = answer.body.items.map((item: object) => Object.values(item)[0])
  t.strictSame(
    results.map(({ status }: { status: number }) => status),
    [201, 400, 201, 400, 400, 400, 201, 201]
  )
  t.match(results[1].error, { type: 'document_parsing_exception' })
  t.match(results[3].error.reason, /more tables than 2 \(max_tables\)/)
  t.match(results[5].error.reason, /not an object/)
  t.strictSame(await sql('SELECT message FROM app ORDER BY message'), [['good'], ['late'], ['no end']])

  const many = lines(...Array.from({ length: 21 }, () => [{ index: {} }, good]).flat())
  t.match(await send('/app/_bulk', many, ndjson), {
    status: 413,
    body: { error: { reason: /max_documents/ }, status: 413 }
  })
  for (const wrong of [
    '{"index":{}',
    '{"index":{},"create":{}}\n{}\n',
    '[]\n',
    '{"upsert":{}}\n{}\n',
    '{"index":{"_index":7}}\n{}\n'
  ])
    t.match(await send('/app/_bulk', wrong, ndjson), {
      status: 400,
      body: { error: { type: 'illegal_argument_exception', reason: /malformed action in line 1/ } }
    })
  t.match(await send('/app/_bulk', '{"index":{}}\n', ndjson), {
    status: 400,
    body: { error: { reason: /ends behind/ } }
  })
  t.match(await send('/_bulk', '', ndjson), { status: 200, body: { items: [] } })
  t.match(await send('/app/_doc', '{"@timestamp": \n "x",\n"n": 9007199254740993}', ndjson), { status: 201 })
  t.strictSame(await sql('SELECT CAST(n AS STRING) FROM app WHERE n IS NOT NULL'), [['9007199254740993']])
  t.match(await send('/app/_doc', '[1]', ndjson), { status: 400, body: { error: { reason: /not an object/ } } })
  t.match(await server.core.metrics.expose(), /svc_refused_total\{plugin="elastic",code="InvalidArguments"\} [1-9]/)
})

t.test('of many documents that are wrong each is told', async t => {
  const { send, sql } = await serve(t)
  const body = Array.from({ length: 60 }, (_, i) => `{"index":{}}\n${i % 2 === 0 ? `{"n":${i}}` : '{"n": broken}'}\n`)
  const { items } = (await send('/app/_bulk', body.join(''), ndjson)).body
  t.strictSame(
    items.map(({ index }: { index: { status: number } }) => index.status),
    body.map((_, i) => (i % 2 === 0 ? 201 : 400))
  )
  t.strictSame(await sql('SELECT count(*) FROM app'), [[30]])
})

t.test('through a pipeline of the server, by the request, the action or the configuration', async t => {
  const { send, sql, server } = await serve(t, '', 'pipeline = "mine"\ntable = "all"\n')
  const make = (name: string, word: string) =>
    server.main.inject({
      method: 'POST',
      url: `/v1/pipelines/${name}`,
      headers: { 'content-type': 'text/yaml' },
      payload: `processors:\n  - gsub: { field: message, pattern: secret, replacement: "${word}" }\n  - date: { field: "@timestamp", formats: ["%+"] }\ntransform:\n  - { field: message, type: string }\n  - { field: "@timestamp", type: time, index: timestamp }\n`
    })
  for (const [name, word] of [
    ['mine', 'one'],
    ['theirs', 'two'],
    ['third', 'three']
  ] as const)
    t.equal((await make(name, word)).statusCode, 200)
  const doc = { '@timestamp': at, message: 'a secret' }
  const body = lines(
    { index: { _index: 'x' } },
    doc,
    { index: { _index: 'y', pipeline: 'theirs' } },
    doc,
    { index: { _index: 'x' } },
    { message: 5 }
  )
  const answer = await send('/_bulk', body, ndjson)
  t.match(answer.body.items, [
    { index: { status: 201 } },
    { index: { status: 201 } },
    { index: { status: 400, error: {} } }
  ])
  t.match(await send('/_bulk?pipeline=third', lines({ index: { _index: 'x' } }, doc), ndjson), {
    body: { errors: false }
  })
  t.match(await send('/_bulk?pipeline=none', lines({ index: { _index: 'x' } }, doc), ndjson), {
    body: { errors: true }
  })
  t.strictSame(await sql('SELECT message FROM "all" ORDER BY message'), [['a one'], ['a three'], ['a two']])
  t.match(await send('/_ingest/pipeline/x', '{}', {}, 'PUT'), {
    status: 400,
    body: { error: { reason: /v1\/pipelines/ } }
  })
})

t.test('documents are to be sent again while the server has no room', async t => {
  const { send } = await serve(t, 'max_in_flight_write_bytes = "2KiB"\nwrite_bytes_exhausted_policy = "fail"\n')
  const answer = await send('/_bulk', lines({ index: { _index: 'x' } }, { message: 'x'.repeat(5000) }), ndjson)
  t.match(answer, { status: 429, body: { error: { type: 'es_rejected_execution_exception' }, status: 429 } })
  t.equal(answer.headers.get('retry-after'), '1')
})

t.test('it keeps the contract of plugins', async t => {
  const { module } = installExtra(t, 'weir-plugin-elastic-bulk')
  const { default: plugin } = await import(join(module, 'index.js'))
  await pluginContract(t, {
    plugin,
    good: { method: 'POST', url: '/v1/elastic/x/_bulk', payload: lines({ index: {} }, { '@timestamp': at, a: 1 }) },
    bad: { method: 'POST', url: '/v1/elastic/_bulk', payload: 'x\n' }
  })
})
