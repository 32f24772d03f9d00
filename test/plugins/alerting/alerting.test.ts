// Rules in a running server: evaluated at intervals, kept across restarts and reloads, sent to receivers.
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loadConfig } from '../../../core/config/load.ts'
import { eventually } from '../../eventually.ts'
import { askSql, overrides, temporaryFolder } from '../../helpers.ts'
import { slowness } from '../../time.ts'
import { type RulesServer, serveRules } from './serve.ts'

const fast = 'evaluation_interval = "200ms"\n'
const now = () => Date.now()
const sample = (labels: Record<string, string>, value: number, at = now()) => ({
  labels: { __name__: 'x', ...labels },
  samples: [[at, value] as const]
})

interface Told {
  readonly path: string
  readonly authorization: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies
  readonly body: any
}

/** A receiver; `answer` says the status of each message. */
async function receive(t: Test, answer: (count: number) => number = () => 200) {
  const told: Told[] = []
  let count = 0
  const server = createServer(async (request: IncomingMessage, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const status = answer(count++)
    if (status === 200) {
      const { authorization } = request.headers
      told.push({ path: request.url!, authorization, body: JSON.parse(Buffer.concat(parts).toString()) })
    }
    response.writeHead(status).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  return { told, attempts: () => count, host: `127.0.0.1:${port}` }
}

async function metric(server: RulesServer, name: string): Promise<number> {
  const { body } = await server.main.inject('/metrics')
  return Number(
    body
      .split('\n')
      .find(line => line.startsWith(`${name} `))
      ?.split(' ')[1]
  )
}

const states = async (server: RulesServer, rule: string) => {
  const { groups } = await server.api('rules')
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers
  const found = groups.flatMap((group: any) => group.rules).find((each: any) => each.name === rule)
  return found as { state: string; health: string; lastError?: string; alerts: { state: string; activeAt: string }[] }
}

t.test('alerts become pending, fire and end; webhooks and Alertmanagers are told', async t => {
  const webhook = await receive(t, count => (count === 0 ? 503 : 200))
  const manager = await receive(t)
  const server = await serveRules(
    t,
    `groups:
- name: g
  rules:
  - {record: x:sum, expr: sum by (job) (x)}
  - alert: High
    expr: x:sum > 3
    for: 600ms
    labels: {severity: page}
    annotations: {summary: '{{ $labels.job }} has {{ $value }}', broken: '{{ humanize $labels.job }}'}
  - {alert: Other, expr: x > 100}
`,
    `${fast}webhooks = ["http://me:secret@${webhook.host}/hook"]\nexternal_labels = ["region=eu", "job=other"]\nalertmanagers = ["http://${manager.host}/am/"]
external_url = "http://weir.example/"`
  )
  await server.put([sample({ job: 'a', i: '1' }, 2), sample({ job: 'a', i: '2' }, 3), sample({ job: 'b', i: '1' }, 1)])
  await eventually(async () => (await states(server, 'High')).state === 'firing')
  t.match(await server.api('alerts'), {
    alerts: [
      {
        labels: { alertname: 'High', job: 'a', severity: 'page' },
        annotations: { summary: 'a has 5', broken: '<error expanding template: expected a number, got "a">' },
        state: 'firing',
        value: '5e+00'
      }
    ]
  })
  t.match(await server.api('rules?type=record'), {
    groups: [{ name: 'g', db: 'public', rules: [{ name: 'x:sum', type: 'recording' }] }]
  })
  t.match((await server.api('rules?rule_name[]=Other')).groups[0].rules, [
    { state: 'inactive', health: 'ok', duration: 0 }
  ])
  t.strictSame(await server.api('rules?rule_group[]=none'), { groups: [] })
  t.strictSame((await server.api('rules?exclude_alerts=true')).groups[0].rules[1].alerts, [])
  t.strictSame(await server.api('rules?db=other'), { groups: [] })
  await eventually(async () => webhook.told.length > 0 && manager.told.length > 0)
  const fingerprint = webhook.told[0]!.body.alerts[0].fingerprint
  t.match(fingerprint, /^[\da-f]{16}$/)
  t.match(webhook.told[0], {
    path: '/hook',
    authorization: `Basic ${Buffer.from('me:secret').toString('base64')}`,
    body: {
      version: '4',
      status: 'firing',
      groupLabels: { alertname: 'High' },
      commonLabels: { job: 'a' },
      alerts: [
        { status: 'firing', labels: { job: 'a', region: 'eu' }, annotations: { summary: 'a has 5' }, fingerprint }
      ]
    }
  })
  t.match(manager.told[0]!.path, '/am/api/v2/alerts')
  t.match(manager.told[0]!.body, [
    {
      labels: { alertname: 'High', severity: 'page', region: 'eu' },
      generatorURL: /^http:\/\/weir\.example\/dashboard/
    }
  ])
  await server.put([sample({ job: 'a', i: '2' }, 0)])
  await eventually(async () => webhook.told.length > 1 && manager.told.length > 1)
  t.match(webhook.told[1]!.body, { status: 'resolved', alerts: [{ status: 'resolved', fingerprint }] })
  const ended = manager.told.at(-1)!.body[0]
  t.ok(Date.parse(ended.endsAt) <= now(), 'an end that has come')
  t.ok(webhook.attempts() >= 3, 'a webhook that failed was tried again')
  const sent = () => metric(server, 'svc_alerting_notifications_total{receiver="webhook",result="sent"}')
  await eventually(sent, count => count === 2)
  t.ok((await metric(server, 'svc_alerting_template_failures_total')) > 0)
  const kept = await askSql(server, `SELECT alertstate, count(*) AS n FROM "ALERTS" GROUP BY 1 ORDER BY 1`)
  t.strictSame(
    kept.map(([state]: [string]) => state),
    ['firing', 'pending'],
    'states are kept as series'
  )
})

t.test('a rule is evaluated exactly once in an interval, without drift', async t => {
  const server = await serveRules(t, 'groups: [{name: g, rules: [{record: one, expr: vector(1)}]}]', fast)
  await eventually(async () => (await askSql(server, 'SELECT count(*) FROM one'))[0][0] >= 12)
  const rows = await askSql(server, 'SELECT CAST(epoch_ms(svc_timestamp) AS BIGINT) FROM one ORDER BY 1')
  const times = rows.map(([time]: [number]) => time) as number[]
  const missed = await metric(server, 'svc_alerting_evaluations_missed_total')
  const remainders = new Set(times.map(time => time % 200))
  t.equal(remainders.size, 1, 'always at the same place of the interval')
  t.equal(new Set(times).size, times.length)
  const intervals = (times.at(-1)! - times[0]!) / 200 + 1
  t.ok(times.length <= intervals && times.length >= intervals - missed - 1, `${times.length} of ${intervals}`)
})

t.test('a restart keeps for how long an alert has been pending, and that it fires', async t => {
  const folder = temporaryFolder(t)
  const webhook = await receive(t)
  const rules = `groups:
- name: g
  rules:
  - {alert: Held, expr: x > 3, for: 30m, labels: {severity: page}}
  - {alert: Fires, expr: x > 3}
  - {alert: Ends, expr: x > 3}
`
  const options = `${fast}webhooks = ["http://${webhook.host}/"]`
  const first = await serveRules(t, rules, options, folder)
  await first.put([sample({ i: '1' }, 5)])
  // The sample may have arrived between two evaluations; the next start finds the state that the last one stored.
  await eventually(async () => (await first.api('query?query=ALERTS_FOR_STATE')).result.length === 3)
  const before = (await states(first, 'Held')).alerts[0]!
  const stopped = now()
  const fired = (await states(first, 'Fires')).alerts[0]!
  await first.close()
  webhook.told.length = 0
  await new Promise(resolve => setTimeout(resolve, 1_200))
  const again = await serveRules(
    t,
    rules.replace('{alert: Ends, expr: x > 3}', '{alert: Ends, expr: x > 30}'),
    options,
    folder
  )
  await eventually(async () => (await states(again, 'Ends')).health === 'ok')
  const [held] = (await states(again, 'Held')).alerts
  t.equal(held!.state, 'pending')
  const shift = Date.parse(held!.activeAt) - Date.parse(before.activeAt)
  t.ok(shift >= 500 && shift <= now() - stopped + 1_500 * slowness(), `the time nobody looked does not count: ${shift}`)
  t.match((await states(again, 'Fires')).alerts, [{ state: 'firing' }])
  t.ok(Math.abs(Date.parse((await states(again, 'Fires')).alerts[0]!.activeAt) - Date.parse(fired.activeAt)) < 1_000)
  t.strictSame((await states(again, 'Ends')).alerts, [])
  await eventually(async () => webhook.told.some(({ body }) => body.status === 'resolved'))
  const resolved = webhook.told.find(({ body }) => body.status === 'resolved')!
  t.match(resolved.body.alerts, [{ labels: { alertname: 'Ends', i: '1' } }], 'what ended meanwhile is told')
})

t.test('rules of SQL: columns are labels, a column of numbers the value', async t => {
  const server = await serveRules(
    t,
    `groups:
- name: g
  rules:
  - alert: Errors
    sql: SELECT host, code, count(*) AS value FROM lines WHERE code >= 500 GROUP BY host, code
    annotations: {text: '{{ $labels.host }} {{ $labels.code }}: {{ $value }}'}
  - {record: lines:count, sql: 'SELECT host, count(*) FROM lines GROUP BY host'}
  - {alert: Writes, sql: DELETE FROM lines}
  - {alert: Two, sql: 'SELECT 1 AS a, 2 AS b'}
  - {alert: Many, sql: 'SELECT i AS value, CAST(i AS VARCHAR) AS t FROM range(200) r(i)'}
`,
    `${fast}max_series = 100`
  )
  await askSql(server, 'CREATE TABLE lines (ts TIMESTAMP TIME INDEX, host STRING PRIMARY KEY, code INT)')
  await askSql(server, "INSERT INTO lines VALUES (1, 'a', 500), (2, 'a', 500), (3, 'b', 200), (4, NULL, 503)")
  await eventually(async () => (await states(server, 'Errors')).alerts.length === 2)
  await eventually(async () => (await states(server, 'Many')).health === 'err')
  const { alerts } = await server.api('alerts')
  const of = (name: string) =>
    alerts.filter(({ labels }: { labels: { alertname: string } }) => labels.alertname === name)
  t.match(
    of('Errors')
      .map(({ annotations }: { annotations: unknown }) => annotations)
      .sort((a: { text: string }) => (a.text[0] === 'a' ? -1 : 1)),
    [{ text: 'a 500: 2' }, { text: ' 503: 1' }]
  )
  t.match(await states(server, 'Writes'), { health: 'err', lastError: /may only read|answers with rows/ })
  t.match(await states(server, 'Two'), {
    health: 'err',
    lastError: 'the statement needs one column of numbers, or one that is named value'
  })
  t.match(await states(server, 'Many'), {
    health: 'err',
    lastError: 'a rule may give at most 100 series (plugins.alerting.max_series)'
  })
  t.equal((await askSql(server, 'SELECT count(*) FROM lines'))[0][0], 4, 'nothing was deleted')
  await eventually(async () => (await askSql(server, 'SELECT DISTINCT host FROM "lines:count"')).length === 3)
})

t.test('a reload takes over all files or none; alerts of rules that stay go on, those of others end', async t => {
  const webhook = await receive(t)
  const rules = 'groups: [{name: g, rules: [{alert: A, expr: x > 3}, {alert: B, expr: x > 3}]}]'
  const server = await serveRules(t, rules, `${fast}webhooks = ["http://${webhook.host}/"]`)
  const reload = () => {
    const file = join(server.folder, 'weir.toml')
    return server.reload(() => loadConfig({ file, overrides: overrides(server.folder) }).config)
  }
  await server.put([sample({ i: '1' }, 5)])
  await eventually(async () => webhook.told.length === 2)
  const [before] = (await states(server, 'A')).alerts
  server.writeRules(rules.replace('x > 3}]', 'x > }]'))
  await t.rejects(reload(), { message: /rules\.yml:1: group "g", rule 2 \(B\), expr: / })
  t.equal((await states(server, 'B')).state, 'firing', 'everything is as it was')
  server.writeRules('groups: [{name: g, rules: [{alert: A, expr: x > 4}, {alert: C, expr: x > 3}]}]')
  await reload()
  await eventually(async () => (await states(server, 'C')).state === 'firing')
  t.match((await states(server, 'A')).alerts, [{ activeAt: before!.activeAt }])
  t.equal(await states(server, 'B'), undefined)
  await eventually(async () => webhook.told.length === 4)
  const told = webhook.told.map(({ body }) => `${body.alerts[0].labels.alertname} ${body.status}`).sort()
  t.strictSame(told, ['A firing', 'B firing', 'B resolved', 'C firing'])
  await server.put([])
  // The series of B has ended, that of C begins when it has been kept.
  await eventually(
    async () => {
      const { result } = await server.api('query?query=ALERTS')
      return result.map(({ metric }: { metric: { alertname: string } }) => metric.alertname).sort()
    },
    names => String(names) === 'A,C'
  )
})

t.test('a receiver that stays away costs a bounded queue, and one that refuses is not asked again', async t => {
  const [away, refusing] = [await receive(t, () => 503), await receive(t, () => 400)]
  const server = await serveRules(
    t,
    'groups: [{name: g, rules: [{alert: A, expr: x > 3}]}]',
    `${fast}notify_queue = 3\nresend_delay = "1ms"\nalertmanagers = ["http://${away.host}"]\nwebhooks = ["http://${refusing.host}"]`
  )
  await server.put([sample({ i: '1' }, 5)])
  await eventually(
    async () => (await metric(server, 'svc_alerting_notifications_total{receiver="alertmanager",result="dropped"}')) > 0
  )
  t.ok((await metric(server, 'svc_alerting_notifications_waiting')) <= 4)
  t.equal(await metric(server, 'svc_alerting_notifications_total{receiver="webhook",result="refused"}'), 1)
  t.equal(refusing.attempts(), 1)
})
