// What exceeds a protocol's own limit is refused with the name of the key, and counted: requests under their plugin, items as skipped.
import t from 'tap'
import { startServer } from '../helpers.ts'

const json = { 'content-type': 'application/json' }
const long = 'x'.repeat(10_000)

const cases: Readonly<
  Record<string, readonly [key: string, url: string, headers: Readonly<Record<string, string>>, payload: string]>
> = {
  telemetry: [
    'max_item_size',
    '/v1/telemetry/v1/logs',
    json,
    `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1","body":{"stringValue":"${long}"}}]}]}]}`
  ],
  logpush: [
    'max_entry_size',
    '/v1/logpush/api/v1/push',
    json,
    `{"streams":[{"stream":{"a":"b"},"values":[["1700000000000000000","${long}"]]}]}`
  ],
  eventcollector: [
    'max_event_size',
    '/v1/eventcollector/services/collector/event?table=e',
    json,
    `{"time":1700000000,"event":"${long}"}`
  ],
  tsdbput: [
    'max_point_size',
    '/v1/tsdbput/api/put',
    json,
    `[{"metric":"m","timestamp":1700000000,"value":1,"tags":{"a":"${long}"}}]`
  ],
  lineproto: ['max_text_size', '/v1/lineproto/write', { 'content-type': 'text/plain' }, `m v="${long}"`]
}

/** Of protocols that take the other items of a request. */
const counters: Readonly<Record<string, string>> = {
  telemetry: 'svc_telemetry_items_refused_total',
  logpush: 'svc_items_skipped_total'
}

t.test('limits of single items are refused with their key and counted', { timeout: 120_000 }, async t => {
  const toml = Object.entries(cases).map(([plugin, [key]]) => `[plugins.${plugin}]\n${key} = "5kB"\n`)
  const { main, core } = await startServer(t, toml.join(''))
  const refused = async (plugin: string) =>
    (await core.metrics.samples())
      .filter(({ name }) => name === (counters[plugin] ?? 'svc_refused_total'))
      .filter(({ labels }) => labels['plugin'] === undefined || labels['plugin'] === plugin)
      .reduce((sum, { value }) => sum + value, 0)
  for (const [plugin, [key, url, headers, payload]] of Object.entries(cases)) {
    const before = await refused(plugin)
    const { statusCode, body } = await main.inject({ method: 'POST', url, headers, payload })
    t.ok((plugin in counters ? [200] : [400, 413]).includes(statusCode), `${plugin}: ${statusCode}`)
    t.match(body, key, plugin)
    t.equal((await refused(plugin)) - before, 1, `${plugin}: counted once`)
  }
})
