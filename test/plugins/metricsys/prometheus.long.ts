// A real Prometheus scrapes this server and writes the samples to it; another one reads them back.

import t from 'tap'
import { encodeSnappy } from '../../../core/wire/index.ts'
import { eventually } from '../../eventually.ts'
import { startServer } from '../../helpers.ts'
import { majorVersion, needingVersion, startPeer } from '../../prometheus.ts'
import { writeV1 } from './messages.ts'

const v2 = 'io.prometheus.write.v2.Request'

type Samples = readonly (readonly [time: number, value: string])[]

/** Samples by series, as the peer answers a query for a range of them. */
async function samplesOf(url: string, query: string, time: number): Promise<ReadonlyMap<string, Samples>> {
  const answer = await fetch(`${url}/api/v1/query?time=${time}&query=${encodeURIComponent(query)}`)
  const { data } = (await answer.json()) as { data: { result: { metric: Record<string, string>; values: Samples }[] } }
  const entries = data.result.map(
    ({ metric, values }) => [JSON.stringify(Object.entries(metric).sort()), values] as const
  )
  return new Map(entries)
}

const versions = [
  { name: '1.0', message: 'prometheus.WriteRequest', since: 2 },
  { name: '2.0', message: v2, since: 3 }
]

const major = majorVersion()

for (const { name, message, since } of versions) {
  const options = needingVersion(since, `does not speak remote write ${name}`)

  t.test(
    `samples that one server writes by version ${name} are read back by another, each of them`,
    options,
    async t => {
      const server = await startServer(t)
      const address = server.addresses.main!
      const host = address.replace('http://', '')
      const scrape = `
global: { scrape_interval: 500ms }
scrape_configs: [{ job_name: weir, static_configs: [{ targets: ['${host}'] }] }]`
      const sender = await startPeer(
        t,
        `${scrape}
remote_write:
  - url: ${address}/v1/metricsys/write${major >= 3 ? `\n    protobuf_message: ${message}` : ''}
    send_exemplars: true
    queue_config: { batch_send_deadline: 300ms }
    metadata_config: { send_interval: 1s }`,
        ['exemplar-storage', 'metadata-wal-records']
      )
      const table = 'svc_servers_http_requests_total'
      await eventually(
        async () => (await samplesOf(sender.url, `up[1m]`, Date.now() / 1000)).values().next().value!.length > 5
      )
      await eventually(async () => server.core.store.table('public', table) !== undefined)
      await new Promise(resolve => setTimeout(resolve, 1500))
      const time = Date.now() / 1000 - 1
      const query = '{job="weir"}[3s]'
      const sent = await samplesOf(sender.url, query, time)
      await eventually(async () => server.core.store.table('public', 'svc_metric_metadata') !== undefined)
      await sender.stop()
      t.ok(sent.size > 100, `${sent.size} series`)
      const reader = await startPeer(t, `remote_read: [{ url: '${address}/v1/metricsys/read', read_recent: true }]`, [
        'exemplar-storage'
      ])
      t.same(await samplesOf(reader.url, query, time), sent)
      const one = await samplesOf(reader.url, `${table}{path=~"/v1/metricsys/.+"}[1h]`, time)
      t.ok(one.size > 0, 'its own requests are among the metrics')
      t.same(await samplesOf(reader.url, 'no_such_metric[1h]', time), new Map())
      await reader.stop()
      const metrics = await server.core.metrics.expose()
      t.notMatch(metrics, /svc_refused_total\{plugin="metricsys"/, 'nothing was refused')
    }
  )
}

const reading = needingVersion(3, 'reads samples alone')

t.test('a reader counts series of several metrics that come one among the other', reading, async t => {
  const server = await startServer(t)
  const now = Math.floor(Date.now() / 1000) * 1000
  const series = ['zz_a', 'zz_b', 'zz_c'].flatMap(metric =>
    ['1', '2', '3', '4'].map(Zone => ({ labels: { Zone, __name__: metric, job: 'x' }, samples: [[now, 1] as const] }))
  )
  const payload = Buffer.from(encodeSnappy(writeV1(series)))
  await server.main.inject({ method: 'POST', url: '/v1/metricsys/write', payload })
  const config = `remote_read: [{ url: '${server.addresses.main}/v1/metricsys/read', read_recent: true }]`
  const reader = await startPeer(t, config, ['exemplar-storage'])
  const count = async (query: string) => {
    const answer = await fetch(`${reader.url}/api/v1/query?time=${now / 1000}&query=${encodeURIComponent(query)}`)
    const { data } = (await answer.json()) as { data: { result: { value: [number, string] }[] } }
    return data.result.map(({ value }) => value[1])
  }
  t.same(await count('count({__name__=~"zz_.*"})'), ['12'])
  t.same(await count('count by (Zone) ({__name__=~"zz_.*"})'), ['3', '3', '3', '3'])
  t.same(await count('count(zz_b)'), ['4'])
  await reader.stop()
})
