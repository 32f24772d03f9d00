// The requests of Grafana's Jaeger data source, in its own form, and the parts of the answers it depends on.
import t from 'tap'
import { startServer } from '../../helpers.ts'
import { ask, began, otherTraceId, sendSpans, traceId } from './spans.ts'

const server = await startServer(t)
await sendSpans(server)
const start = Number(began / 1000n) - 60_000_000
const range = `start=${start}&end=${start + 600_000_000}&lookback=custom`

t.test('saving the data source asks for services', async t => {
  const answer = await server.main.inject({ url: '/v1/jaeger/api/services', headers: { 'x-grafana-org-id': '1' } })
  t.equal(answer.statusCode, 200)
  t.same(answer.json(), { data: ['cart', 'frontend'], total: 2, limit: 0, offset: 0, errors: null })
})

t.test('the search form fills its lists and searches', async t => {
  t.same(await ask(server, '/services/frontend/operations'), ['GET /', 'GET /cart', 'call cart'])
  const tags = encodeURIComponent('{"error":"true","http.response.status_code":"500"}')
  const url = `/traces?service=frontend&operation=GET%20%2Fcart&tags=${tags}&minDuration=100ms&maxDuration=1.2s&limit=20&${range}`
  const [found, ...others] = await ask(server, url)
  t.equal(others.length, 0)
  // The table of results shows the root's service and operation, when it began and how long it took.
  const root = found.spans.find(({ references }: { references: unknown[] }) => references.length === 0)
  t.match(found, { traceID: traceId, processes: { [root.processID]: { serviceName: 'frontend' } } })
  t.match(root, { operationName: 'GET /cart', startTime: Number(began / 1000n), duration: 900_000 })
})

t.test('empty fields of the form are sent along', async t => {
  const found = await ask(
    server,
    `/traces?service=frontend&operation=&tags=%7B%7D&minDuration=&maxDuration=&limit=&${range}`
  )
  t.same(
    found.map(({ traceID }: { traceID: string }) => traceID),
    [otherTraceId, traceId]
  )
})

t.test('a trace is opened by its id, with the time range or without', async t => {
  for (const query of ['', `?start=${start}&end=${start + 600_000_000}`]) {
    const [trace] = await ask(server, `/traces/${traceId}${query}`)
    const ids = new Set(trace.spans.map(({ spanID }: { spanID: string }) => spanID))
    for (const { references, processID, logs, tags } of trace.spans) {
      t.ok(Array.isArray(logs) && Array.isArray(tags) && processID in trace.processes)
      const parents = references.filter(({ refType }: { refType: string }) => refType === 'CHILD_OF')
      for (const { spanID } of parents) t.ok(ids.has(spanID))
    }
  }
  const missing = await server.main.inject({ url: '/v1/jaeger/api/traces/1' })
  t.equal(missing.statusCode, 404)
  t.same(missing.json().errors, [{ code: 404, msg: 'trace not found' }])
})

t.test('the graph of services asks for dependencies', async t => {
  const end = Math.round(start / 1000) + 600_000
  t.same(await ask(server, `/dependencies?endTs=${end}&lookback=3600000`), [
    { parent: 'frontend', child: 'cart', callCount: 1 }
  ])
})
