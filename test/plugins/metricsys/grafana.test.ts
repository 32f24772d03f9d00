// The requests Grafana's Prometheus data source sends, in their form: health check, query editor, variables, panels, annotations.
import t, { type Test } from 'tap'
import { serveRooms } from './api.ts'

const browser = {
  'accept-encoding': 'gzip',
  'user-agent': 'Grafana/11.2.0',
  'x-datasource-uid': 'ae2b9',
  'x-dashboard-uid': 'd1',
  'x-panel-id': '2',
  'x-grafana-org-id': '1',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
}

async function open(t: Test) {
  const { get, post } = await serveRooms(t)
  return {
    get: (path: string, parameters = '') => get(path, parameters, browser),
    form: (path: string, parameters: Record<string, string>) =>
      post(path, new URLSearchParams(parameters).toString(), browser)
  }
}

t.test('saving a data source asks for a sum, the version and the labels', async t => {
  const { get, form } = await open(t)
  const sum = await form('query', { query: '1+1', time: '1700000000.123' })
  t.same(sum.body.data, { resultType: 'scalar', result: [1_700_000_000.123, '2'] })
  const version = await get('status/buildinfo')
  t.match(version.body, { status: 'success', data: { version: /^\d+\.\d+\.\d+/ } })
  t.equal((await get('labels', 'start=0&end=60')).status, 200)
})

t.test('the query editor lists metrics, labels, values and metadata', async t => {
  const { get, form } = await open(t)
  const window = { start: '0', end: '60' }
  t.same((await form('labels', { ...window, 'match[]': '{__name__="temp"}' })).body.data, ['__name__', 'room'])
  t.same((await form('labels', { ...window, limit: '40000' })).body.data, ['__name__', 'a.b', 'room'])
  t.same((await get('label/__name__/values', 'start=0&end=60&limit=40000')).body.data, ['hits_total', 'temp'])
  t.same((await get('label/room/values', 'start=0&end=60&match%5B%5D=%7B__name__%3D%22temp%22%7D')).body.data, [
    'bath',
    'kitchen'
  ])
  t.same((await get('label/room/values', `match[]=${encodeURIComponent('{__name__=~".*(?i:TEMP).*"}')}`)).body.data, [
    'bath',
    'kitchen'
  ])
  t.equal((await form('series', { ...window, 'match[]': 'temp{}' })).body.data.length, 2)
  t.same((await get('metadata', 'limit=10000')).body.data.temp, [
    { type: 'gauge', unit: 'celsius', help: 'How warm it is.' }
  ])
})

t.test('panels ask for ranges by form, tables and stats for an instant', async t => {
  const { form } = await open(t)
  const range = await form('query_range', {
    query: 'max by (room) (rate(temp{room=~"bath|kitchen"}[1m0s]))',
    start: '0',
    end: '60',
    step: '15',
    timeout: '30s'
  })
  t.equal(range.body.data.resultType, 'matrix')
  t.equal(range.body.data.result.length, 2)
  const instant = await form('query', { query: 'topk(1, temp)', time: '45', stats: 'all' })
  t.equal(instant.body.data.result[0].value[1], '23')
  t.ok(instant.body.data.stats)
  const missing = await form('query_range', { query: 'nothing{}', start: '0', end: '60', step: '15' })
  t.same(missing.body, { status: 'success', data: { resultType: 'matrix', result: [] } })
  const wrong = await form('query_range', { query: 'sum(', start: '0', end: '60', step: '15' })
  t.equal(wrong.status, 400)
  t.match(wrong.body, { status: 'error', errorType: 'bad_data', error: /parse error/ })
})

t.test('missing routes are answered in a way the data source takes for absent', async t => {
  const { get } = await open(t)
  for (const path of ['query_exemplars', 'status/config', 'targets', 'features']) {
    const { status, body } = await get(path)
    t.equal(status, 404, path)
    t.match(body, { status: 'error', errorType: 'not_found' })
  }
})
