import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { eventually } from '../../eventually.ts'
import { startServer, type TestServer, temporaryFolder } from '../../helpers.ts'

const toml = 'enable_telemetry = true\n[plugins.admin]\nself_interval = "100ms"\n'

async function rows({ main }: TestServer, sql: string): Promise<unknown[][]> {
  const response = await main.inject(`/v1/sql?db=svc_private&sql=${encodeURIComponent(sql)}`)
  return response.json().output?.[0]?.records?.rows ?? []
}

/** Asks until there is an answer. */
const wait = (server: TestServer, sql: string): Promise<unknown[][]> =>
  eventually(
    () => rows(server, sql),
    found => found.length > 0
  )

// They mostly wait, each for a server of its own.
t.jobs = 5

t.test('the server keeps its own metrics, for PromQL and SQL', { buffered: true }, async t => {
  const server = await startServer(t, toml)
  const { main } = server
  await main.inject('/v1/sql?sql=SELECT+1')
  const [found] = await wait(
    server,
    `SELECT server, plugin, code, svc_value FROM svc_servers_http_requests_total WHERE path = '/v1/sql' AND plugin = 'sql' ORDER BY code LIMIT 1`
  )
  t.strictSame(found!.slice(0, 3), ['main', 'sql', '200'])
  const query = encodeURIComponent('svc_servers_http_requests_elapsed_bucket{plugin="sql",le="+Inf"}')
  const { data } = (await main.inject(`/v1/metricsys/api/v1/query?db=svc_private&query=${query}`)).json()
  t.ok(Number(data.result[0].value[1]) >= 1, 'histograms are complete')
  const metadata = (await main.inject('/v1/metricsys/api/v1/metadata?db=svc_private&metric=svc_ready')).json()
  t.match(metadata.data, { svc_ready: [{ type: 'gauge', help: /ready/ }] })
  const [[table]] = (await rows(server, 'SHOW CREATE TABLE svc_ready')) as [string[]]
  t.ok(table)
  t.match((await rows(server, 'SHOW CREATE TABLE svc_ready'))[0]![1], /ttl = '7days'/)
})

t.test('the server keeps its own log', { buffered: true }, async t => {
  const server = await startServer(t, toml)
  await server.main.inject('/v1/sql?sql=SELEC+1')
  const [found] = await wait(
    server,
    `SELECT level, server, plugin, message, facts FROM server_logs WHERE plugin = 'sql' AND level = 'info' ORDER BY timestamp`
  )
  t.match(found!.slice(0, 3), ['info', 'main', 'sql'])
  t.match(String(found![3]), /SELEC/)
  const facts = typeof found![4] === 'string' ? JSON.parse(found![4] as string) : found![4]
  t.match(facts, { status: 400, path: '/v1/sql' })
  server.core.log.info({ time: 'noon', server: 7, level: ['odd'] }, 'an odd line')
  const [odd] = await wait(server, `SELECT server, level FROM server_logs WHERE message = 'an odd line'`)
  t.strictSame(odd, ['7', '["odd"]'], 'facts with the names of columns lose no line')
  const [started] = await wait(server, `SELECT timestamp FROM server_logs WHERE message = 'started'`)
  t.ok(started)
})

t.test('lines logged while others are written do not end the keeping', { buffered: true }, async t => {
  const server = await startServer(t, toml)
  const { log, metrics } = server.core
  const keptLines = async () =>
    (await metrics.samples()).find(
      ({ name, labels }) => name === 'svc_self_observation_total' && labels['kind'] === 'logs'
    )?.value ?? 0
  // Some of these come while the first are written, and are written right behind them.
  for (const before = await keptLines(); (await keptLines()) === before; await sleep(1)) log.info('one of many')
  // The timer that they started finds nothing to write.
  await sleep(1500)
  log.info('one after them')
  const [found] = await wait(server, `SELECT level FROM server_logs WHERE message = 'one after them'`)
  t.strictSame(found, ['info'])
})

t.test('the last log lines before the end are kept, too', { buffered: true }, async t => {
  const folder = temporaryFolder(t)
  const server = await startServer(t, toml, { folder })
  server.core.log.info({ last: true }, 'the last words')
  await server.close()
  const again = await startServer(t, '', { folder })
  t.equal((await rows(again, `SELECT 1 FROM server_logs WHERE message = 'the last words'`)).length, 1)
  await sleep(150)
  t.equal(
    (await rows(again, `SELECT 1 FROM server_logs WHERE message = 'started'`)).length,
    1,
    'and nothing without the key'
  )
})

t.test('watching itself does not feed itself, and cannot fill memory', { buffered: true }, async t => {
  const server = await startServer(t, `${toml}[logging]\nlevel = "trace"`)
  const { core } = server
  const kept = async () => {
    const samples = await core.metrics.samples()
    const value = (kind: string) =>
      samples.find(
        ({ name, labels }) =>
          name === 'svc_self_observation_total' && labels['kind'] === kind && labels['result'] === 'kept'
      )?.value ?? 0
    return { logs: value('logs'), metrics: value('metrics') }
  }
  while ((await kept()).metrics === 0) await sleep(20)
  await sleep(1200)
  const before = await kept()
  await sleep(1500)
  const after = await kept()
  t.ok(after.metrics > before.metrics, 'metrics go on')
  t.ok(
    after.logs - before.logs < 20,
    `a quiet server logs nothing by keeping its log: ${after.logs - before.logs} lines`
  )
  const long = 'x'.repeat(2 ** 20)
  for (let i = 0; i < 12; i++) core.log.info(long)
  const samples = await core.metrics.samples()
  const dropped = samples.find(
    ({ name, labels }) => name === 'svc_self_observation_total' && labels['result'] === 'dropped'
  )
  t.ok(dropped!.value >= 4, `${dropped!.value} lines of a megabyte found no place`)
})

t.test('a store that takes nothing is one line of the log, not one after the other', { buffered: true }, async t => {
  const server = await startServer(t, `${toml}[limits.databases.svc_private]\nmax_metrics = 1`)
  const lines: string[] = []
  server.core.listenToLog(line => lines.push(line))
  const lost = async () => {
    const samples = await server.core.metrics.samples()
    return samples.some(
      ({ name, labels, value }) => name === 'svc_self_observation_total' && labels['result'] === 'lost' && value > 3000
    )
  }
  while (!(await lost())) await sleep(20)
  t.equal(lines.filter(line => line.includes('cannot keep what it observes')).length < 2, true)
})
