// Bodies whose lines each bring a key of their own: what they take in memory has little to do with their bytes.
import t from 'tap'
import { startServer } from './helpers.ts'

const count = 1_500
const lines = (line: (i: number) => string) => Array.from({ length: count }, (_, i) => line(i)).join('\n')
const entry = (i: number) => ({ stream: { [`k${i}`]: 'v' }, values: [['1700000000000000000', 'x']] })
const time = '1700000000000000000'
const requests = {
  ingest: {
    url: '/v1/ingest?table=a&pipeline_name=svc_identity',
    headers: { 'content-type': 'application/x-ndjson' },
    payload: lines(i => `{"k${i}":1}`)
  },
  eventcollector: {
    url: '/v1/eventcollector/services/collector',
    headers: {},
    payload: lines(i => `{"event":{"k${i}":1}}`)
  },
  lineproto: { url: '/v1/lineproto/write', headers: {}, payload: lines(i => `a k${i}=1 ${time}`) },
  logpush: {
    url: '/v1/logpush/api/v1/push',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({ streams: Array.from({ length: count }, (_, i) => entry(i)) })
  }
} as const

/** Room for each body, but not for what is made of it. */
const tight = 'max_in_flight_write_bytes = "1MiB"\nwrite_bytes_exhausted_policy = "fail"'

for (const [name, { url, headers, payload }] of Object.entries(requests)) {
  t.test(`${name}: what is made of a body is counted as it grows, and given back`, async t => {
    const { main, core } = await startServer(t, tight)
    const refused = await main.inject({ method: 'POST', url, headers, payload })
    t.ok([429, 503].includes(refused.statusCode), `${refused.statusCode} ${refused.body.slice(0, 200)}`)
    t.match(refused.body, /max_in_flight_write_bytes|busy/)
    const samples = await core.metrics.samples()
    const value = (metric: string) => samples.find(({ name }) => name === metric)?.value
    t.equal(value('svc_servers_request_memory_rejected_total'), 1)
    t.equal(value('svc_servers_request_memory_in_use_bytes'), 0)
    const few =
      name === 'logpush' ? JSON.stringify({ streams: [entry(0)] }) : payload.split('\n').slice(0, 3).join('\n')
    const taken = await main.inject({ method: 'POST', url, headers, payload: few })
    t.ok(taken.statusCode < 300, taken.body)
  })
}

t.test('a short body that takes much time or memory for its bytes is decoded in a thread', async t => {
  const { main, core } = await startServer(t)
  const threadRuns = async () =>
    (await core.metrics.samples()).find(
      ({ name, labels }) => name === 'svc_pipeline_thread_work_total' && labels['use'] === 'run'
    )?.value ?? 0
  const { url, headers, payload } = requests.ingest
  t.equal((await main.inject({ method: 'POST', url, headers, payload: '{"k1":1}' })).statusCode, 200)
  t.equal(await threadRuns(), 0, 'few items are decoded at once')
  const wide = await main.inject({ method: 'POST', url, headers, payload })
  t.equal(wide.statusCode, 200, wide.body)
  t.equal(await threadRuns(), 1, 'many keys')
  const bad = await main.inject({
    method: 'POST',
    url: `${url}&skip_error=true`,
    headers,
    payload: `{"k1":1}\n${'x\n'.repeat(20_000)}`
  })
  t.equal(bad.statusCode, 200, bad.body)
  t.equal(await threadRuns(), 2, 'many invalid lines')
})
