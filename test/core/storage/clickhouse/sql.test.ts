// Statements in the cluster: they end there when their client disconnects, and run with the rights of the databases they read.
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { roleStatements } from '../../../../core/storage/clickhouse/readers.ts'
import { needingClickHouse, startClickHouse } from '../../../clickhouse/server.ts'
import { failure } from '../../../contract/engine/trial.ts'
import { eventually } from '../../../eventually.ts'
import { makeClickHouseEngine } from './fixtures.ts'

t.setTimeout(120_000)

interface Seen {
  readonly id: string | null
  readonly sql: string
  readonly database: string | null
}

/** Hands requests on and tells what they are; those with `held` in them are never answered. */
async function watchStatements(t: Test, to: string) {
  const seen: Seen[] = []
  const server = createServer(async (incoming, reply) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const { searchParams } = new URL(incoming.url!, to)
    const sql = searchParams.get('query') ?? body.toString()
    seen.push({ id: searchParams.get('query_id'), sql, database: searchParams.get('database') })
    if (sql.includes('held') && !sql.startsWith('EXPLAIN')) return
    const { method, headers, url } = incoming
    const passed = request(new URL(url!, to), { method: method!, headers }, answer => {
      reply.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(reply)
    })
    passed.end(body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close().closeAllConnections())
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

t.test('a statement that is cancelled is killed by its id', needingClickHouse(), async t => {
  const { url } = await startClickHouse(t)
  const watched = await watchStatements(t, url)
  const engine = makeClickHouseEngine({ urls: [watched.url] })
  await engine.open()
  t.teardown(() => engine.close())
  const controller = new AbortController()
  const text = "SELECT 'held'"
  const asked = engine.query({ kind: 'sql', text, relations: [], timezone: 'UTC' }, controller.signal)
  await eventually(() => watched.seen.some(({ sql }) => sql.startsWith("(SELECT 'held'")))
  const held = watched.seen.find(({ sql }) => sql.startsWith("(SELECT 'held'"))!
  t.equal(held.database, 'weir___empty', 'it runs where no table is')
  controller.abort()
  t.equal((await failure(() => asked))?.code, 'Cancelled')
  await eventually(() => watched.seen.some(({ sql }) => sql === `KILL QUERY WHERE query_id = '${held.id}' ASYNC`))
  const before = watched.seen.length
  const whole = await engine.query(
    { kind: 'sql', text: 'SELECT 1', relations: [], timezone: 'UTC' },
    new AbortController().signal
  )
  for await (const _ of whole.batches());
  whole.close()
  t.notOk(
    watched.seen.slice(before).some(({ sql }) => sql.startsWith('KILL')),
    'what was read to its end is over'
  )
})

t.test('a user that reads has a role for each database', async t => {
  t.strictSame(roleStatements({ prefix: 'weir_', cluster: '' }, 'weir_shop', "o'reader"), [
    'CREATE ROLE IF NOT EXISTS `weir_shop__reader`',
    'GRANT SHOW DATABASES, SELECT ON `weir_shop`.* TO `weir_shop__reader`',
    "GRANT `weir_shop__reader` TO `o'reader`"
  ])
  t.strictSame(roleStatements({ prefix: 'weir_', cluster: 'main' }, 'weir_shop', 'reader'), [
    'CREATE ROLE IF NOT EXISTS `weir_shop__reader` ON CLUSTER `main`',
    'GRANT ON CLUSTER `main` SHOW DATABASES, SELECT ON `weir_shop`.* TO `weir_shop__reader`',
    'GRANT ON CLUSTER `main` `weir_shop__reader` TO `reader`'
  ])
})
