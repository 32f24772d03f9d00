// Two front ends over one ClickHouse: mixed load with faults, and pipelines and flows that one makes and the other uses.

import t from 'tap'
import { encodeSnappy } from '../../core/wire/index.ts'
import { eventually } from '../eventually.ts'
import { askSql, startServer } from '../helpers.ts'
import { writeV1 } from '../plugins/metricsys/messages.ts'
import { runMixed } from './mixed/run.ts'
import { needingClickHouse, startClickHouse } from './server.ts'

t.setTimeout(280_000)

const pipeline = `processors:
  - dissect:
      fields: [message]
      patterns: ['%{host} %{text}']
transform:
  - fields: [host, text]
    type: string
  - field: ts
    type: epoch, ms
    index: timestamp
`

t.test(
  'every answered row is there once, and nothing fails that a client cannot repeat',
  needingClickHouse(),
  async t => {
    const seed = Math.floor(Math.random() * 2 ** 31)
    t.comment(`seed ${seed}`)
    const { requests, problems } = await runMixed(t, { seconds: 20, seed, report: line => t.comment(line) })
    t.ok(requests > 50, `${requests} requests`)
    t.strictSame(problems, [], `seed ${seed}`)
  }
)

t.test('a pipeline that one front end makes is there for the other', needingClickHouse(), async t => {
  const { url } = await startClickHouse(t)
  const toml = `[storage]\nengine = "clickhouse"\n[storage.clickhouse]\nurls = ["${url}"]\nrefresh_interval = "1s"\n`
  const [one, two] = [await startServer(t, toml), await startServer(t, toml)]
  const made = await one.main.inject({
    method: 'POST',
    url: '/v1/pipelines/shared',
    headers: { 'content-type': 'application/x-yaml' },
    payload: pipeline
  })
  t.equal(made.statusCode, 200, made.body)
  await eventually(async () => (await two.main.inject('/v1/pipelines/shared')).statusCode === 200)
  const sent = await two.main.inject({
    method: 'POST',
    url: '/v1/ingest?table=lines&pipeline_name=shared',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify([{ message: 'a hello', ts: 5 }])
  })
  t.equal(sent.statusCode, 200, sent.body)
  await eventually(async () => JSON.stringify(await askSql(one, 'SELECT host, text FROM lines')) === '[["a","hello"]]')
})

t.test(
  'a flow that one front end creates, replaces and drops runs at the other, and no longer',
  needingClickHouse(),
  async t => {
    const { url } = await startClickHouse(t)
    const toml = `[storage]\nengine = "clickhouse"\n[storage.clickhouse]\nurls = ["${url}"]\nrefresh_interval = "1s"\n`
    const [one, two] = [await startServer(t, toml), await startServer(t, toml)]
    await askSql(one, 'CREATE TABLE source (v BIGINT, ts TIMESTAMP TIME INDEX)')
    const create = (aggregate: string, or = '') =>
      askSql(
        one,
        `CREATE ${or} FLOW sums SINK TO sums AS
       SELECT toStartOfInterval(ts, INTERVAL 1 minute) AS minute, ${aggregate}(v) AS n FROM source GROUP BY minute`
      )
    const shown = async (server: typeof one) => JSON.stringify(await askSql(server, 'SHOW CREATE FLOW sums'))
    await create('sum')
    await eventually(async () => (await shown(two).catch(() => '')).includes('sum(v)'))
    await askSql(one, "INSERT INTO source VALUES (7, '2024-01-01 00:00:01')")
    await askSql(two, "ADMIN FLUSH_FLOW('sums')")
    t.strictSame(await askSql(two, 'SELECT CAST(n AS Int64) FROM sums'), [[7]])
    await create('max', 'OR REPLACE')
    await eventually(async () => (await shown(two)).includes('max(v)'))
    await askSql(two, 'DROP FLOW sums')
    await eventually(async () => JSON.stringify(await askSql(one, 'SHOW FLOWS')) === '[]')
  }
)

t.test('a circle of flows that two front ends close at the same time does not run', needingClickHouse(), async t => {
  const { url } = await startClickHouse(t)
  const toml = `[storage]\nengine = "clickhouse"\n[storage.clickhouse]\nurls = ["${url}"]\nrefresh_interval = "1s"\n`
  const [one, two] = [await startServer(t, toml), await startServer(t, toml)]
  for (const name of ['m', 'a'])
    await askSql(one, `CREATE TABLE ${name} (v DOUBLE, ts TIMESTAMP TIME INDEX) WITH (merge_mode = 'last_row')`)
  const names = async (server: typeof one) => JSON.stringify(await askSql(server, 'SHOW TABLES'))
  await eventually(async () => (await names(two)).includes('"a"'))
  const create = (server: typeof one, name: string, from: string, to: string) =>
    askSql(
      server,
      `CREATE FLOW ${name} SINK TO ${to} AS SELECT toStartOfInterval(ts, INTERVAL 1 minute) AS ts, sum(v) + 1 AS v FROM ${from} GROUP BY 1`
    )
  // Neither has seen the other's yet.
  await Promise.all([create(one, 'there', 'm', 'a'), create(two, 'back', 'a', 'm')])
  const flows = async (server: typeof one) => (await askSql(server, 'SHOW FLOWS')).length
  for (const server of [one, two]) await eventually(async () => (await flows(server)) === 2)
  // What the other one sees fills its table first: that takes a row of it which no source has.
  for (const server of [one, two]) await askSql(server, "ADMIN FLUSH_FLOW('back')")
  const failed = async (server: typeof one) =>
    /^svc_flows_failed_total\{.*code="InvalidArguments"\} [1-9]/m.test((await server.main.inject('/metrics')).body)
  await askSql(one, "INSERT INTO m VALUES (7, '2024-01-01 00:00:00')")
  for (const server of [one, two]) await eventually(() => failed(server), Boolean, 300)
  const value = async () => JSON.stringify(await askSql(one, 'SELECT v FROM m ORDER BY ts'))
  const settled = await value()
  await new Promise(resolve => setTimeout(resolve, 8_000))
  t.equal(await value(), settled, 'rows do not run in a circle')
})

t.test('series go on after the other front end took their samples away', needingClickHouse(), async t => {
  const { url } = await startClickHouse(t)
  const toml = `[storage]\nengine = "clickhouse"\n[storage.clickhouse]\nurls = ["${url}"]\nrefresh_interval = "1s"\n`
  const [one, two] = [await startServer(t, toml), await startServer(t, toml)]
  const write = async (value: number) => {
    const payload = Buffer.from(
      encodeSnappy(writeV1([{ labels: { __name__: 'm', host: 'a' }, samples: [[1000 * value, value]] }]))
    )
    const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' }
    const { statusCode, body } = await one.main.inject({ method: 'POST', url: '/v1/metricsys/write', headers, payload })
    t.equal(statusCode, 204, body)
  }
  const asked = async (server: typeof one, query: string) => {
    const { statusCode, body } = await server.main.inject(
      `/v1/metricsys/api/v1/query?query=${encodeURIComponent(query)}&time=3`
    )
    t.equal(statusCode, 200, body)
    return JSON.parse(body).data.result.map(
      ({ metric, value }: { metric: { host?: string }; value: [number, string] }) => [metric.host, value[1]]
    )
  }
  await write(1)
  // A new name is there for others a refresh later.
  await eventually(async () => JSON.stringify(await asked(two, 'm')) === '[["a","1"]]')
  await askSql(two, 'TRUNCATE TABLE m')
  t.strictSame(await asked(two, 'm'), [])
  await write(2)
  for (const server of [one, two]) {
    t.strictSame(await asked(server, 'm'), [['a', '2']])
    t.strictSame(await asked(server, 'sum by (host) (m)'), [['a', '2']])
    t.strictSame(await asked(server, 'm{host=~"a|b"}'), [['a', '2']])
  }
})
