// The public test language of PromQL over ClickHouse: the same test as for the embedded engine.
import { join } from 'node:path'
import t from 'tap'
import { needingClickHouse, startClickHouse } from './server.ts'

t.setTimeout(880_000)

t.test('over chdb', needingClickHouse(), async t => {
  const { url } = await startClickHouse(t)
  const file = join(import.meta.dirname, '..', 'conformance', 'promql.test.ts')
  const env = { ...process.env, WEIR_TEST_CLICKHOUSE: url, TAP_TIMEOUT: '800' }
  await t.spawn(process.execPath, [...process.execArgv, file], { env, timeout: 800_000 }, 'promql')
})
