import t from 'tap'
import { startServer } from '../../helpers.ts'
import { ask, began, sendSpans } from './spans.ts'

t.test('services and operations are known once spans came, and nothing before', async t => {
  const server = await startServer(t)
  t.same(await ask(server, '/services'), [])
  t.same(await ask(server, '/services/cart/operations'), [])
  t.same(await ask(server, '/operations?service=cart'), [])
  t.same(await ask(server, '/traces?service=cart'), [])
  t.equal(await ask(server, '/traces/12'), '404 trace not found')
  t.same(await ask(server, '/dependencies'), [])
  await sendSpans(server)
  t.same(await ask(server, '/services'), ['cart', 'frontend'])
  t.same(await ask(server, '/services/frontend/operations'), ['GET /', 'GET /cart', 'call cart'])
  t.same(await ask(server, '/operations?service=frontend'), [
    { name: 'GET /', spanKind: 'server' },
    { name: 'GET /cart', spanKind: 'server' },
    { name: 'call cart', spanKind: 'client' }
  ])
  t.same(await ask(server, '/operations?service=frontend&spanKind=client'), [{ name: 'call cart', spanKind: 'client' }])
  t.equal(await ask(server, '/operations'), "400 parameter 'service' is required")
})

t.test('dependencies are calls from one service to another', async t => {
  const server = await startServer(t)
  await sendSpans(server)
  const end = began / 1_000_000n + 60_000n
  t.same(await ask(server, `/dependencies?endTs=${end}&lookback=3600000`), [
    { parent: 'frontend', child: 'cart', callCount: 1 }
  ])
  t.same(await ask(server, `/dependencies?endTs=${began / 1_000_000n}&lookback=1`), [])
  t.match(await ask(server, '/dependencies?endTs=x'), /^400 unable to parse param 'endTs'/)
  t.match(await ask(server, '/dependencies?endTs=9999999999999'), /^400 unable to parse param 'endTs'.*292 years/)
  t.same(await ask(server, '/dependencies?endTs=1000&lookback=9000000000000'), [])
})

t.test('another table, by header or parameter, in another database', async t => {
  const server = await startServer(t)
  await server.main.inject({ url: '/v1/sql?sql=CREATE+DATABASE+shop' })
  await sendSpans(server, undefined, { 'x-svc-db-name': 'shop', 'x-svc-trace-table-name': 'spans' })
  const url = '/v1/jaeger/api/services'
  const header = await server.main.inject({
    url,
    headers: { 'x-svc-db-name': 'shop', 'x-svc-trace-table-name': 'spans' }
  })
  t.same(header.json(), { data: ['cart', 'frontend'], total: 2, limit: 0, offset: 0, errors: null })
  t.same(await ask(server, '/services?db=shop&table=spans'), ['cart', 'frontend'])
  t.same(await ask(server, '/services?db=shop'), [])
  t.equal(await ask(server, '/services?db=nowhere'), '400 Database not found: nowhere')
  t.match(await ask(server, '/services?db=shop&table=spans_services'), /^400 table shop.spans_services holds no spans/)
})

t.test('without the tables beside them names come from the spans', async t => {
  const server = await startServer(t)
  await sendSpans(server)
  for (const name of ['services', 'operations']) {
    await server.main.inject({ url: `/v1/sql?sql=DROP+TABLE+telemetry_traces_${name}` })
  }
  t.same(await ask(server, '/services'), ['cart', 'frontend'])
  t.same(await ask(server, '/operations?service=cart'), [{ name: 'Get', spanKind: 'server' }])
  await sendSpans(server)
  t.ok(server.core.store.table('public', 'telemetry_traces_services'), 'and they are made again')
  t.same(await ask(server, '/services'), ['cart', 'frontend'])
})

t.test('limits are named', async t => {
  const server = await startServer(t, '[plugins.jaeger]\nmax_names = 1\nmax_spans = 2\n')
  await sendSpans(server)
  t.equal(await ask(server, '/services'), '400 the answer has more than 1 names (plugins.jaeger.max_names)')
  t.match(
    await ask(server, '/traces?service=frontend&start=0'),
    /^400 the answer has more than 2 spans \(plugins.jaeger.max_spans\)/
  )
  const small = await startServer(t, '[plugins.jaeger]\nmax_answer_size = "200B"\n')
  await sendSpans(small)
  t.match(
    await ask(small, '/traces?service=frontend&start=0'),
    /^400 the answer has spans of more than 200B \(plugins.jaeger.max_answer_size\)/
  )
})
