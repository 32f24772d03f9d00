import t from 'tap'
import { startServer } from '../../helpers.ts'
import { ask, began, otherTraceId, sendSpans, traceId } from './spans.ts'

const server = await startServer(t)
await sendSpans(server)

t.test('a trace has its spans in order, their parents, links, tags, logs and processes', async t => {
  const [trace, ...others] = await ask(server, `/traces/${traceId}`)
  t.equal(others.length, 0)
  t.equal(trace.traceID, traceId)
  const [root, call, get] = trace.spans
  t.match(root, {
    traceID: traceId,
    spanID: '00f067aa0ba902b7',
    operationName: 'GET /cart',
    references: [],
    startTime: Number(began / 1000n),
    duration: 900_000,
    processID: 'p1'
  })
  t.same(root.tags, [
    { key: 'http.request.method', type: 'string', value: 'GET' },
    { key: 'http.response.status_code', type: 'int64', value: 500 },
    { key: 'user.id', type: 'int64', value: '9007199254740993' },
    { key: 'ratio', type: 'float64', value: 0.5 },
    { key: 'cached', type: 'bool', value: false },
    { key: 'roles', type: 'string', value: '["a","b"]' },
    { key: 'raw', type: 'binary', value: 'aGk=' },
    { key: 'span.kind', type: 'string', value: 'server' },
    { key: 'otel.scope.name', type: 'string', value: 'lib' },
    { key: 'otel.scope.version', type: 'string', value: '1.2' },
    { key: 'w3c.tracestate', type: 'string', value: 'a=b' },
    { key: 'otel.status_code', type: 'string', value: 'ERROR' },
    { key: 'otel.status_description', type: 'string', value: 'it broke' },
    { key: 'error', type: 'bool', value: true },
    { key: 'otel.scope.deep', type: 'bool', value: true }
  ])
  t.same(root.logs, [
    {
      timestamp: Number(began / 1000n) + 5_000,
      fields: [
        { key: 'event', type: 'string', value: 'exception' },
        { key: 'exception.type', type: 'string', value: 'Oops' }
      ]
    }
  ])
  t.same(call.references, [{ refType: 'CHILD_OF', traceID: traceId, spanID: '00f067aa0ba902b7' }])
  t.same(get.references, [
    { refType: 'CHILD_OF', traceID: traceId, spanID: '00f067aa0ba902b8' },
    { refType: 'FOLLOWS_FROM', traceID: otherTraceId, spanID: '00f067aa0ba902ff' }
  ])
  t.equal(call.processID, root.processID)
  t.match(trace.processes, {
    p1: {
      serviceName: 'frontend',
      tags: [
        { key: 'host.name', type: 'string', value: 'h1' },
        { key: 'process.pid', type: 'int64', value: 7 }
      ]
    },
    p2: { serviceName: 'cart' }
  })
})

t.test('identifiers come in any case and without leading zeros', async t => {
  const [trace] = await ask(server, `/traces/${traceId.toUpperCase()}`)
  t.equal(trace.spans.length, 3)
  const [other] = await ask(server, '/traces/10000000000000002')
  t.equal(other.traceID, otherTraceId)
  t.match(await ask(server, '/traces/xyz'), /^400 unable to parse param 'traceID'/)
  t.equal(await ask(server, '/traces/1234'), '404 trace not found')
  const both = await ask(server, `/traces?traceID=${traceId}&traceID=${otherTraceId}&traceID=1234`)
  t.same(
    both.map(({ traceID }: { traceID: string }) => traceID),
    [traceId, otherTraceId]
  )
})

t.test('a trace may be asked for with the time it lies in', async t => {
  const at = Number(began / 1000n)
  t.equal((await ask(server, `/traces/${traceId}?start=${at}&end=${at}`))[0].spans.length, 1)
  t.equal(await ask(server, `/traces/${traceId}?start=${at + 1_000_000}`), '404 trace not found')
})

const start = Number(began / 1000n) - 1
const found = async (query: string) => {
  const data = await ask(server, `/traces?service=frontend&start=${start}&end=${start + 3_600_000_000}&${query}`)
  return typeof data === 'string' ? data : data.map(({ traceID }: { traceID: string }) => traceID)
}

t.test('a search finds whole traces, the latest first', async t => {
  t.same(await found(''), [otherTraceId, traceId])
  t.same(await found('limit=1'), [otherTraceId])
  t.same(await found('operation=GET+%2Fcart'), [traceId])
  t.same(await found('minDuration=500ms'), [traceId])
  t.same(await found('maxDuration=20ms&minDuration='), [otherTraceId])
  t.same(await found('minDuration=0.9s&maxDuration=0.9s'), [traceId])
  t.same(await found('minDuration=901ms'), [])
  const [, whole] = await ask(server, `/traces?service=frontend&start=${start}&end=${start + 3_600_000_000}`)
  t.equal(whole.spans.length, 3, 'with spans of other services')
})

t.test('tags are compared with attributes of every type and level, events, and what is shown as a tag', async t => {
  const tags = async (of: object) => found(`tags=${encodeURIComponent(JSON.stringify(of))}`)
  const tagged = [
    { 'http.request.method': 'GET', 'http.response.status_code': '500' },
    { 'http.response.status_code': 500 },
    { ratio: '0.5' },
    { cached: 'false' },
    { roles: '["a","b"]' },
    { raw: 'aGk=' },
    { error: 'true' },
    { 'otel.status_code': 'ERROR' },
    { 'otel.status_description': 'it broke' },
    { 'w3c.tracestate': 'a=b' },
    { 'exception.type': 'Oops' },
    { event: 'exception' }
  ]
  for (const each of tagged) t.same(await tags(each), [traceId], JSON.stringify(each))
  for (const each of [{ 'host.name': 'h1' }, { 'process.pid': '7' }, { 'span.kind': 'server' }, { deep: 'true' }]) {
    t.same(await tags(each), [otherTraceId, traceId], JSON.stringify(each))
  }
  for (const each of [{ error: 'false', ratio: '0.5' }, { nothing: 'x' }, { cached: 'x' }, { 'a\'b"c': "'" }]) {
    t.same(await tags(each), [], JSON.stringify(each))
  }
  t.same(await found('tag=error:true&tag=ratio:0.5'), [traceId])
})

t.test('an unreadable parameter is refused by its name', async t => {
  for (const [query, reason] of [
    ['limit=x', 'unable to parse param \'limit\': "x" is not a number from 1 on'],
    ['limit=0', 'unable to parse param \'limit\': "0" is not a number from 1 on'],
    ['limit=1501', "unable to parse param 'limit': 1501 is more than 1500 (plugins.jaeger.max_traces)"],
    ['minDuration=5', 'unable to parse param \'minDuration\': "5" is not a duration such as 1.5s or 100ms'],
    ['minDuration=5s&maxDuration=4s', "'maxDuration' should be greater than 'minDuration'"],
    ['tags=x', 'unable to parse param \'tags\': "x" is not a JSON object such as {"error":"true"}'],
    ['tag=x', 'unable to parse param \'tag\': "x" is not of the form key:value']
  ]) {
    t.equal(await found(query!), `400 ${reason}`)
  }
  t.equal(await ask(server, '/traces'), "400 parameter 'service' is required")
  t.equal(
    await ask(server, '/traces?service=a&start=1s'),
    '400 unable to parse param \'start\': "1s" is not a time in microseconds since 1970'
  )
  t.equal(
    await ask(server, '/traces?service=a&lookback=x'),
    '400 unable to parse param \'lookback\': "x" is not a duration such as 1h'
  )
})

t.test('texts of others stay texts', async t => {
  for (const hostile of ["'; DROP TABLE telemetry_traces; --", "' OR 1=1 --", 'a\0b', '\\', '%', '"']) {
    const text = encodeURIComponent(hostile)
    t.same(await ask(server, `/traces?service=${text}&start=0`), [], hostile)
    t.same(await ask(server, `/services/${text}/operations`), [])
    t.same(await found(`operation=${text}`), [])
    t.same(await found(`tags=${encodeURIComponent(JSON.stringify({ [hostile]: hostile }))}`), [])
  }
  t.same(await ask(server, '/services'), ['cart', 'frontend'])
})
