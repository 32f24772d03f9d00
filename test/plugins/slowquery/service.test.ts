import { setTimeout } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { Type } from 'typebox'
import { definePlugin } from '../../../core/index.ts'
import type { SlowQueryService } from '../../../plugins/services.ts'
import { withoutSecrets } from '../../../plugins/slowquery/secrets.ts'
import { startServer } from '../../helpers.ts'
import { slowness } from '../../time.ts'
import { askServer } from '../sql/fixtures.ts'

const all = '[slow_query]\nthreshold = "0s"\n'

/** A server, and what waits until every slow query is stored. */
async function startWatched(t: Test, toml: string) {
  let service: (SlowQueryService & { flush?(): Promise<void> }) | undefined
  const probe = definePlugin({
    name: 'probe',
    prefix: '',
    servers: [],
    uses: ['slowquery'],
    config: Type.Object({}),
    setup(_core, _config, { slowquery }) {
      service = slowquery
    }
  })
  const server = await startServer(t, toml, { plugins: [probe] })
  return { ...server, flush: () => service!.flush!() }
}

t.test('slow statements are read back by SQL, one row each, with what they were and what they took', async t => {
  const server = await startWatched(t, all)
  const ask = askServer(server.addresses.main!)
  await ask("SELECT 1 AS one; SELECT count(*) FROM range(100000) r(n) WHERE 'x' = 'y'")
  await ask('SELECT nothing')
  await fetch(`${server.addresses.main}/v1/promql?query=vector(1)&start=0&end=10&step=5s`)
  await server.flush()
  const { rows } = await ask(
    'SELECT query, cost >= 0, threshold, is_promql, promql_range, promql_step FROM svc_private.slow_queries ORDER BY timestamp'
  )
  t.same(rows.slice(0, 4), [
    ['SELECT 1 AS one', true, 0, false, null, null],
    ["SELECT count(*) FROM range(100000) r(n) WHERE 'x' = 'y'", true, 0, false, null, null],
    ['SELECT nothing', true, 0, false, null, null],
    ['vector(1)', true, 0, true, 10_000, 5_000]
  ])
  const { rows: created } = await ask('SHOW CREATE TABLE svc_private.slow_queries')
  t.match(created[0]![1], /append_mode = 'true',\s+ttl = '2months 29days/)
  t.match(await server.core.metrics.expose(), /svc_slow_queries_total\{plugin="sql"\} [4-9]/)
})

t.test('a query ended by its time limit is slow, too; the time of a slow reader does not count', async t => {
  // Filling the pipe to a reader that stands still is work and counts: a third of a second, more where the machine is busy.
  const threshold = Math.ceil(2_000 * slowness())
  const server = await startWatched(t, `[slow_query]\nthreshold = "${threshold}ms"\n`)
  const url = server.addresses.main!
  const ask = askServer(url)
  const endless = 'SELECT count(*) FROM range(10000000000) a(i), range(10000000000) b(j) WHERE (i * j) % 7 = 11'
  t.equal((await ask(endless, {}, { 'x-svc-timeout': `${threshold + 500}ms` })).status, 408)
  const gone = new AbortController()
  const body = new URLSearchParams({ sql: "SELECT n, 'a text to fill the pipe with' FROM range(30000000) r(n)" })
  const response = await fetch(`${url}/v1/sql?format=csv`, { method: 'POST', body, signal: gone.signal })
  const reader = response.body!.getReader()
  await reader.read()
  await setTimeout(2 * threshold + 500)
  gone.abort()
  await setTimeout(100)
  await server.flush()
  t.same((await ask(`SELECT query, cost >= ${threshold} FROM svc_private.slow_queries`)).rows, [[endless, true]])
})

t.test('the log alone may keep them, and none need be kept', async t => {
  for (const toml of [`${all}record_type = "log"\n`, `${all}sample_ratio = 0.0\n`, `${all}enable = false\n`]) {
    const server = await startWatched(t, toml)
    const ask = askServer(server.addresses.main!)
    t.equal((await ask('SELECT 1')).status, 200)
    await server.flush()
    t.match((await ask('SELECT * FROM svc_private.slow_queries')).body, { code: 4001 })
  }
})

t.test('without the plugin, queries run and nothing is recorded', async t => {
  const server = await startServer(t, `${all}[plugins.slowquery]\nenabled = false\n`)
  const ask = askServer(server.addresses.main!)
  t.same((await ask('SELECT 1; TQL EVAL (0, 10, 5) vector(1)')).status, 200)
  t.equal((await fetch(`${server.addresses.main}/v1/promql?query=1&start=0&end=10&step=5`)).status, 200)
  t.match((await ask('SELECT * FROM svc_private.slow_queries')).body, { code: 4001 })
  t.notMatch(await server.core.metrics.expose(), /svc_slow_queries_total/)
})

t.test('secrets among the constants are not kept', async t => {
  t.equal(
    withoutSecrets("COPY x TO 'y' WITH (password = 'p''w', access_key_id='k', format = 'csv') -- token 'a"),
    "COPY x TO 'y' WITH (password = '***', access_key_id='***', format = 'csv') -- token '***'"
  )
  t.equal(
    withoutSecrets('SELECT * FROM t WHERE "user_token" = \'abc\''),
    'SELECT * FROM t WHERE "user_token" = \'***\''
  )
  const server = await startWatched(t, all)
  const ask = askServer(server.addresses.main!)
  await ask(`SELECT '${'long '.repeat(3000)}'`)
  await server.flush()
  t.same((await ask('SELECT max(length(query)) FROM svc_private.slow_queries')).rows, [[4096]])
})
