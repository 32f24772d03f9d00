// Suites of plugins over ClickHouse: the same tests, each in a process of its own whose servers keep their data there.
import { join } from 'node:path'
import t from 'tap'
import { needingClickHouse, startClickHouse } from './server.ts'

t.setTimeout(870_000)

const suites = `
  admin/self dashboard/boards-api eventcollector/ack eventcollector/raw eventcollector/token flows/flows ingest/routes jaeger/grafana jaeger/names
  jaeger/traces lineproto/concurrent logquery/patterns logquery/property logquery/query logquery/routes logquery/tail
  metricsys/cardinality metricsys/labels metricsys/query-api metricsys/read pipelines/routes pipelines/routing promql/routes
  sql/concurrent-ddl sql/service telemetry/transport
`

t.test('over chdb', needingClickHouse(), async t => {
  const { url } = await startClickHouse(t)
  const env = { ...process.env, WEIR_TEST_CLICKHOUSE: url }
  for (const suite of suites.trim().split(/\s+/)) {
    const file = join(import.meta.dirname, '..', 'plugins', `${suite}.test.ts`)
    await t.spawn(process.execPath, [...process.execArgv, file], { env, timeout: 120_000 }, suite)
  }
})
