import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { loadConfig } from '../../../core/config/load.ts'
import { openOtlp } from '../../../core/trace/otlp.ts'
import { overrides, startServer, type TestServer } from '../../helpers.ts'
import { startCollector } from './collector.ts'

const turn = ({ main }: TestServer, payload: string) =>
  main.inject({ method: 'POST', url: '/debug/enable_trace', payload })
const ask = ({ main }: TestServer, sql: string, headers = {}) =>
  main.inject({ url: `/v1/sql?sql=${encodeURIComponent(sql)}`, headers })

function ingest({ main }: TestServer) {
  const headers = { 'content-type': 'application/x-ndjson' }
  return main.inject({
    method: 'POST',
    url: '/v1/ingest?table=logs&pipeline_name=svc_identity',
    headers,
    payload: '{"a":1}\n{"a":2}'
  })
}

// They mostly wait, each for a server of its own.
t.jobs = 6

t.test('tracing is switched on and off while the server runs', { buffered: true }, async t => {
  const collector = await startCollector(t)
  const server = await startServer(t, `[tracing]\notlp_endpoint = "${collector.url}"\notlp_headers = "x-team=blue"`)
  await ask(server, 'SELECT 1')
  const on = await turn(server, 'true')
  t.equal(on.body, 'trace enabled')
  t.match(on.headers['content-type'], 'text/plain')
  await ask(server, 'SELECT 2')
  const span = await collector.find(({ name }) => name === 'GET /v1/sql')
  t.match(span, { kind: 2, parent: '', failure: '', trace: /^[0-9a-f]{32}$/ })
  t.match(span.facts, {
    'http.request.method': 'GET',
    'http.route': '/v1/sql',
    'http.response.status_code': 200,
    'weir.server': 'main',
    'weir.plugin': 'sql'
  })
  t.equal(collector.headers[0]!['x-team'], 'blue')
  t.match((await server.main.inject('/metrics')).body, 'svc_tracing_enabled 1')
  t.notMatch((await server.main.inject('/config')).body, 'x-team=blue', 'headers may hold secrets')

  t.equal((await turn(server, 'false')).body, 'trace disabled')
  await ask(server, 'SELECT 3')
  await sleep(50)
  const queries = collector.spans.filter(({ name }) => name === 'GET /v1/sql')
  t.equal(queries.length, 1, 'only what was asked while it was on')
  const { body } = await server.main.inject('/metrics')
  t.match(body, 'svc_tracing_enabled 0')
  t.match(body, /svc_tracing_spans_total\{result="sent"\} [1-9]/)
  for (const wrong of ['', 'yes', '1', 'truefalse']) {
    const refused = await turn(server, wrong)
    t.equal(refused.statusCode, 400)
    t.match(refused.json(), { error: /expected true or false/ })
  }
})

t.test(
  'a request, its pipeline, the log and its queries are one trace; a flush is its own',
  { buffered: true },
  async t => {
    const collector = await startCollector(t)
    const server = await startServer(t, `[tracing]\nenable = true\notlp_endpoint = "${collector.url}"`)
    t.equal((await ingest(server)).statusCode, 200)
    const request = await collector.find(({ name }) => name === 'POST /v1/ingest')
    const pipeline = await collector.find(({ name }) => name === 'pipeline')
    t.match(pipeline, { parent: request.id, trace: request.trace, kind: 1 })
    t.match(pipeline.facts, { 'weir.pipeline': 'svc_identity', 'weir.items': 2 })
    const log = await collector.find(({ name, trace }) => name === 'log.append' && trace === request.trace)
    t.match(log, { parent: request.id, facts: { 'weir.rows': 2 } })

    await ask(server, 'SELECT count(*) FROM logs')
    const query = await collector.find(({ name }) => name === 'query')
    const asked = await collector.find(({ name }) => name === 'GET /v1/sql')
    t.match(query, { parent: asked.id, trace: asked.trace, facts: { 'weir.query.kind': 'sql' } })

    await ask(server, "ADMIN flush_table('logs')")
    const flush = await collector.find(({ name, facts }) => name === 'flush' && facts['weir.rows'] === 2)
    t.equal(flush.parent, '')
  }
)

t.test('a client that traces decides, and its trace goes on', { buffered: true }, async t => {
  const collector = await startCollector(t)
  const server = await startServer(t, `[tracing]\nenable = true\nsample_ratio = 0\notlp_endpoint = "${collector.url}"`)
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
  await ask(server, 'SELECT 1')
  await ask(server, 'SELECT 2', { traceparent: `00-${trace.replace('4', '5')}-00f067aa0ba902b7-00` })
  await ask(server, 'SELECT 3', { traceparent: `00-${trace}-00f067aa0ba902b7-01` })
  t.match(await collector.find(({ kind }) => kind === 2), { trace, parent: '00f067aa0ba902b7' })
  t.ok(
    collector.spans.every(span => span.trace === trace),
    'nothing else was sampled'
  )
})

t.test('failed work marks its span, and a missing collector harms no request', { buffered: true }, async t => {
  const collector = await startCollector(t)
  const server = await startServer(t, `[tracing]\nenable = true\notlp_endpoint = "${collector.url}"`)
  const { main, folder } = server
  t.equal((await ask(server, 'SELECT no_such_function()')).statusCode, 400)
  const query = await collector.find(({ name, failure }) => name === 'query' && failure !== '')
  t.match(query.failure, /no_such_function/)

  const own = overrides(folder)
  const gone = { ...own, tracing: { enable: true, otlp_endpoint: 'http://127.0.0.1:9/v1/traces' } }
  await server.reload(loadConfig({ overrides: gone }).config)
  await sleep(20)
  t.equal((await ask(server, 'SELECT 1')).statusCode, 200)
  await turn(server, 'false')
  const failed = async () =>
    /svc_tracing_spans_total\{result="failed"\} [1-9]/.test((await main.inject('/metrics')).body)
  while (!(await failed())) await sleep(50)
  t.equal((await ask(server, 'SELECT 1')).statusCode, 200)
})

t.test('spans that a collector does not take in time are dropped, and counted', { buffered: true }, async t => {
  const answers: (() => void)[] = []
  const stuck = createServer((_request, response) => answers.push(() => response.end()))
  await new Promise<void>(resolve => stuck.listen(0, '127.0.0.1', resolve))
  t.teardown(() => stuck.close())
  const { port } = stuck.address() as { port: number }
  const counts = { sent: 0, dropped: 0 }
  const backend = openOtlp({
    endpoint: `http://127.0.0.1:${port}/v1/traces`,
    headers: {},
    ratio: 1,
    sent: count => {
      counts.sent += count
    },
    dropped: () => counts.dropped++
  })
  const make = (count: number) => {
    for (let i = 0; i < count; i++) backend.start('work', {}, undefined, undefined).end()
  }
  make(5000)
  t.equal(counts.dropped, 5000 - 4096)
  while (answers.length === 0) await sleep(5)
  make(10)
  t.equal(counts.dropped, 5010 - 4096, 'those under way count')
  const answering = setInterval(() => {
    for (const answer of answers.splice(0)) answer()
  }, 5)
  await backend.close()
  clearInterval(answering)
  t.equal(counts.sent, 4096)
})

t.test('a server can keep its own spans, and makes none of sending them', { buffered: true }, async t => {
  const server = await startServer(t, '[http]\nenable_api_server = true')
  const { core, addresses, folder } = server
  const tracing = {
    enable: true,
    otlp_endpoint: `${addresses.public}/v1/telemetry/v1/traces`,
    otlp_headers: 'x-svc-pipeline-name=svc_trace_v1'
  }
  await server.reload(loadConfig({ overrides: { ...overrides(folder), tracing } }).config)
  while (!core.tracing.isOn()) await sleep(5)
  await ask(server, 'SELECT 1')
  const sent = async () => {
    const samples = await core.metrics.samples()
    return samples.find(({ name, labels }) => name === 'svc_tracing_spans_total' && labels['result'] === 'sent')?.value
  }
  while (((await sent()) ?? 0) < 2) await sleep(20)
  const before = await sent()
  await sleep(1200)
  t.equal(await sent(), before, 'what was sent made nothing to send')
  const names = await ask(server, 'SELECT span_name FROM telemetry_traces ORDER BY 1')
  t.strictSame(names.json().output[0].records.rows, [['GET /v1/sql'], ['query']])
})
