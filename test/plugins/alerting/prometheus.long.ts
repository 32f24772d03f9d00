// A real Prometheus with the same rule file and samples goes through the same states.

import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { encodeSnappy } from '../../../core/wire/index.ts'
import { eventually } from '../../eventually.ts'
import { needing } from '../../programs.ts'
import { startPeer } from '../../prometheus.ts'
import { writeV1 } from '../metricsys/messages.ts'
import { integers } from '../metricsys/native.ts'
import { serveRules } from './serve.ts'

const rules = `groups:
- name: live
  interval: 500ms
  rules:
  - {record: x:sum, expr: sum(x), labels: {kind: recorded}}
  - alert: Held
    expr: x > 3
    for: 1s
    labels: {severity: page}
    annotations: {summary: '{{ $labels.i }}: {{ humanize $value }}'}
  - {alert: Now, expr: x:sum > 8}
  - {alert: Never, expr: x > 1000, for: 1s}
  - {alert: Long, expr: x > 3, for: 1m}
`

/** Values of three series, two seconds each. */
const phases = [
  [0, 0, 0],
  [5, 0, 9],
  [5, 0, 9],
  [5, 0, 0],
  [0, 4, 0],
  [0, 0, 0]
]

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers
type Any = any

t.test('the same files lead through the same states', needing('prometheus'), async t => {
  const server = await serveRules(t, rules)
  const config = `rule_files: ["${server.file}"]`
  const peer = await startPeer(t, config, ['promql-at-modifier'], ['--web.enable-remote-write-receiver'])
  const theirs = async (path: string): Promise<Any> => (await fetch(`${peer.url}/api/v1/${path}`)).json()
  const began = Date.now()
  /** Seconds this machine took longer than it should: evaluations are as late. */
  let late = 0
  for (const values of phases) {
    for (let i = 0; i < 4; i++) {
      const turn = Date.now()
      const series = values.map((value, n) => ({
        labels: { __name__: 'x', i: String(n) },
        samples: [[Date.now(), value] as const]
      }))
      await server.put(series)
      const headers = { 'content-encoding': 'snappy', 'content-type': 'application/x-protobuf' }
      const body = new Uint8Array(encodeSnappy(writeV1(series)))
      const reply = await fetch(`${peer.url}/api/v1/write`, { method: 'POST', headers, body })
      t.equal(reply.status, 204)
      await sleep(500)
      late += (Date.now() - turn - 500) / 1_000
    }
  }
  const settled = (groups: Any) =>
    groups[0].rules.every((rule: Any) => rule.health === 'ok' && (rule.alerts ?? []).length === 0)
  await eventually(
    async () => settled((await theirs('rules')).data.groups) && settled((await server.api('rules')).groups)
  )

  const range = `start=${began / 1_000 - 1}&end=${Date.now() / 1_000}&step=0.5`
  const query = `query_range?query=${encodeURIComponent('ALERTS or x:sum')}&${range}`
  const [ours, others] = [await server.api(query), (await theirs(query)).data]
  /** Seconds a series was there, and the values it went through. */
  const lives = ({ result }: Any) =>
    new Map<string, { length: number; values: string[] }>(
      result.map(({ metric, values }: Any) => [
        JSON.stringify(Object.entries(metric).sort()),
        {
          length: values.length / 2,
          values: values
            .map(([, value]: Any) => value)
            .filter((value: Any, i: number, all: Any[]) => value !== all[i - 1])
        }
      ])
    )
  const [mine, peers] = [lives(ours), lives(others)]
  t.strictSame([...mine.keys()].sort(), [...peers.keys()].sort(), 'the same series')
  t.ok(mine.size >= 6, `${mine.size} series`)
  for (const [key, { length, values }] of mine) {
    const peer = peers.get(key)!
    t.strictSame(values, peer.values, `${key}: the same values in the same order`)
    // Each evaluates at its own place of an interval.
    t.ok(Math.abs(length - peer.length) <= 1.5 + late, `${key}: ${length} s, there ${peer.length} s`)
  }
  const shape = (groups: Any) =>
    groups.map((group: Any) => ({
      ...{ name: group.name, interval: group.interval, limit: group.limit },
      rules: group.rules.map(({ evaluationTime: _e, lastEvaluation: _l, language: _g, ...rule }: Any) => ({
        ...rule,
        labels: rule.labels ?? {}
      }))
    }))
  t.strictSame(
    shape((await server.api('rules')).groups),
    shape((await theirs('rules')).data.groups),
    'rules are described alike'
  )
})

const histogramRules = `groups:
- name: histograms
  interval: 500ms
  rules:
  - {record: 'job:seconds', expr: sum by (job) (seconds) and on () (wanted == 1), labels: {kind: recorded}}
  - {record: 'job:sum', expr: histogram_sum(job:seconds)}
  - {alert: Measured, expr: seconds and on () (wanted == 1)}
`

t.test('native histograms are recorded, and end, as there', { ...needing('prometheus'), timeout: 120_000 }, async t => {
  const server = await serveRules(t, histogramRules)
  const flags = ['native-histograms']
  const peer = await startPeer(t, `rule_files: ["${server.file}"]`, flags, ['--web.enable-remote-write-receiver'])
  const theirs = async (path: string): Promise<Any> => (await fetch(`${peer.url}/api/v1/${path}`)).json()
  const send = async (wanted: number) => {
    const time = Date.now()
    const histogram = (n: number) => integers({ count: 10 + n, zero: 4 + n, time })
    const series = [
      ...['a', 'b'].map((host, n) => ({
        labels: { __name__: 'seconds', job: 'api', host },
        histograms: [histogram(n)]
      })),
      { labels: { __name__: 'wanted' }, samples: [[time, wanted] as const] }
    ]
    await server.put(series)
    const headers = { 'content-encoding': 'snappy', 'content-type': 'application/x-protobuf' }
    const body = new Uint8Array(encodeSnappy(writeV1(series)))
    const reply = await fetch(`${peer.url}/api/v1/write`, { method: 'POST', headers, body })
    t.equal(reply.status, 204, await reply.text())
  }
  const both = async (text: string): Promise<[Any[], Any[]]> => {
    const path = `query?query=${encodeURIComponent(text)}`
    return [(await server.api(path)).result, (await theirs(path)).data.result]
  }
  const plain = (result: Any[]) =>
    result.map(({ metric, value, histogram }) => ({ metric, value: value?.[1], histogram: histogram?.[1] }))
  const recorded = '{__name__=~"job:seconds|job:sum"}'
  const byName = (result: Any[]) => plain(result).sort((a, b) => (a.metric.__name__ < b.metric.__name__ ? -1 : 1))
  await eventually(async () => {
    await send(1)
    return (await both(recorded)).every(({ length }) => length === 2)
  })
  const [ours, others] = await both(recorded)
  t.strictSame(byName(ours), byName(others), 'the same histogram, and the same sum of it')
  t.equal(byName(ours)[0]!.histogram.count, '21')
  const [firing, theirFiring] = [await server.api('alerts'), (await theirs('alerts')).data]
  const alertsOf = ({ alerts }: Any) =>
    alerts
      .map(({ labels, value, state }: Any) => ({ labels, value, state }))
      .sort((a: Any, b: Any) => (a.labels.host < b.labels.host ? -1 : 1))
  t.strictSame(alertsOf(firing), alertsOf(theirFiring), 'alerts of histograms have the value 0')
  t.equal(firing.alerts.length, 2)
  await send(0)
  await eventually(async () => (await both(`${recorded} or ALERTS`)).every(({ length }) => length === 0))
})
