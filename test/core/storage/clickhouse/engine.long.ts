// Servers over a cluster: several beside each other, wrong configurations, a cluster that goes and comes back, connections that break.
import t, { type Test } from 'tap'
import type { Engine } from '../../../../core/storage/engine.ts'
import { breakingProxy } from '../../../clickhouse/breaking-proxy.ts'
import { needingClickHouse, startClickHouse } from '../../../clickhouse/server.ts'
import { linesOf, never, put, rowsWrite, tableNamed, wanted } from '../../../contract/engine/rows.ts'
import { columns, createVisits, failure } from '../../../contract/engine/trial.ts'
import { eventually } from '../../../eventually.ts'
import { createRandom } from '../../../fuzz/random.ts'
import { startServer } from '../../../helpers.ts'
import { makeClickHouseEngine } from './fixtures.ts'

t.setTimeout(240_000)

async function open(t: Test, urls: readonly string[], refresh = 10_000): Promise<Engine> {
  const engine = makeClickHouseEngine({ urls: [...urls], refresh_interval: refresh })
  await engine.open()
  t.teardown(() => engine.close())
  return engine
}

t.test(
  'two processes agree on tables and columns they make at once, and see what the other makes',
  needingClickHouse(),
  async t => {
    const { url } = await startClickHouse(t)
    const one = await open(t, [url], 1000)
    const two = await open(t, [url], 1000)
    const both = [one, two]
    const tables = await Promise.all(both.map(engine => createVisits(engine, 'visits', { append_mode: true })))
    t.equal(tables[0]!.id, tables[1]!.id, 'one table')
    const extra = columns('field load Float64')
    const wider = await Promise.all(
      both.map((engine, i) => engine.catalog.changeTable(tables[i]!, { kind: 'add_columns', columns: extra }))
    )
    t.strictSame(wider[0]!.columns, wider[1]!.columns, 'one column')
    await Promise.all(both.map((engine, i) => put(engine, wider[i]!, { host: 'a', at: BigInt(i), load: i })))
    const rows = wanted(['a', 0n, null, null, 0], ['a', 1n, null, null, 1])
    for (const engine of both) t.equal(await linesOf(engine, 'visits'), rows, 'all rows')
    await createVisits(one, 'later')
    const end = Date.now() + 30_000
    while (two.catalog.table('public', 'later') === undefined && Date.now() < end) {
      await new Promise(resolve => setTimeout(resolve, 200))
    }
    t.ok(two.catalog.table('public', 'later'), 'what one made the other sees by itself')
    await one.catalog.dropTable(tableNamed(one, 'visits'))
    const error = await failure(() => put(two, tableNamed(two, 'visits'), { at: 1n }))
    t.ok(
      ['RequestOutdated', 'TableNotFound'].includes(error?.code ?? ''),
      `a table that went is outdated: ${error?.code}`
    )
  }
)

t.test('each fault of the configuration is one line with its key', needingClickHouse(), async t => {
  const { url, stop } = await startClickHouse(t, { password: 'secret' })
  const wrong = await failure(() => makeClickHouseEngine({ urls: [url] }).open())
  t.match(wrong?.message, /^storage\.clickhouse\.password_file: the cluster takes no user default with this password/)
  const missing = await failure(() => makeClickHouseEngine({ urls: [url], password_file: '/nowhere' }).open())
  t.match(missing?.message, /^storage\.clickhouse\.password_file: cannot be read: ENOENT/)
  await stop()
  const away = await failure(() => makeClickHouseEngine({ urls: [url] }).open())
  t.match(away?.message, /^storage\.clickhouse\.urls: .*ECONNREFUSED.*start it or correct the address$/)
})

t.test(
  'while the cluster is away clients are told to come again, and the server goes on when it is back',
  needingClickHouse(),
  async t => {
    const cluster = await startClickHouse(t)
    const toml = `[storage]\nengine = "clickhouse"\n[storage.clickhouse]\nurls = ["${cluster.url}"]\nrefresh_interval = "1s"`
    const { main } = await startServer(t, toml)
    const write = (n: number) =>
      main.inject({
        method: 'POST',
        url: '/v1/lineproto/write?precision=ms',
        payload: `load,host=a value=${n} ${1000 + n}`
      })
    const first = await write(1)
    t.equal(first.statusCode, 204, first.body)
    await cluster.stop()
    const refused = await write(2)
    t.equal(refused.statusCode, 503, refused.body)
    t.ok(Number(refused.headers['retry-after']) > 0, 'with a time')
    t.equal((await main.inject('/ready')).statusCode, 503, 'not ready')
    t.equal((await main.inject('/health')).statusCode, 200, 'but alive')
    await cluster.start()
    const again = await write(2)
    t.equal(again.statusCode, 204, again.body)
    t.equal((await main.inject('/ready')).statusCode, 200)
    const asked = await main.inject('/v1/metricsys/api/v1/query_range?query=sum(load)&start=1&end=2&step=1')
    t.equal(asked.statusCode, 200, asked.body)
    t.strictSame(asked.json().data.result[0]?.values?.at(-1), [2, '2'], 'what was answered is there')
    const select = () => main.inject(`/v1/sql?${new URLSearchParams({ sql: 'SELECT count() FROM load' })}`)
    t.equal((await select()).statusCode, 200)
    await cluster.stop()
    const away = await select()
    t.equal(away.statusCode, 503, away.body)
    t.ok(away.headers['retry-after'])
  }
)

t.test('each answered row is there once, whenever connections break', needingClickHouse(), async t => {
  const { url } = await startClickHouse(t)
  const proxy = await breakingProxy(t, Number(new URL(url).port))
  const direct = await open(t, [url])
  await createVisits(direct, 'visits', { append_mode: true })
  const engine = await open(t, [proxy.url])
  const answered: bigint[] = []
  const table = tableNamed(engine, 'visits')
  const random = createRandom(27)
  const refused = { StorageUnavailable: 0, RateLimited: 0 }
  for (let n = 0n; n < BigInt(rounds); n++) {
    proxy.break(random.pick([undefined, undefined, 'before', 'after', 'twice', 'parts']))
    const failed = await failure(() => engine.write([rowsWrite(table, [{ host: 'a', at: n, n }])], never))
    if (failed === undefined) answered.push(n)
    else if (mayRepeat(failed)) refused[failed.code as keyof typeof refused]++
    else t.fail(`${failed.code}: ${failed.message}`)
  }
  proxy.break(undefined)
  t.ok(answered.length > rounds / 2, `${answered.length} of ${rounds} were answered: ${JSON.stringify(refused)}`)
  t.ok(refused.RateLimited > 0, 'a cluster that has too many parts makes clients wait')
  const found = (await linesOf(direct, 'visits')).split('\n')
  t.equal(new Set(found).size, found.length, 'none is there twice')
  const missing = answered.filter(n => !found.includes(`"a" | ${n} | ${n} | null`))
  t.strictSame(missing, [], 'none is missing')
})

t.test('a write that failed is stored once, whichever process it is repeated at', needingClickHouse(), async t => {
  const { url } = await startClickHouse(t)
  const proxy = await breakingProxy(t, Number(new URL(url).port))
  const direct = await open(t, [url])
  await createVisits(direct, 'visits', { append_mode: true })
  await createVisits(direct, 'others', { append_mode: true })
  const broken = await open(t, [proxy.url])
  const tables = ['visits', 'others'].map(name => tableNamed(direct, name))
  const write = (engine: Engine, n: bigint) =>
    engine.write(
      tables.map(table => rowsWrite(table, [{ host: 'a', at: n, n }, { at: n }])),
      never
    )
  const count = async (n: bigint) =>
    Promise.all(
      ['visits', 'others'].map(
        async name => (await linesOf(direct, name)).split('\n').filter(line => line.includes(` | ${n} | `)).length
      )
    )
  // Each attempt is applied, and no answer comes.
  const lost = Array.from({ length: 60 }, () => 'after' as const)
  proxy.break(...lost)
  t.match(await failure(() => write(broken, 1n)), { code: 'StorageUnavailable', retryAfter: 2 })
  proxy.break(undefined)
  t.strictSame(await count(1n), [2, 2], 'it is there although nobody was told')
  await write(broken, 1n)
  t.strictSame(await count(1n), [2, 2], 'the repeat adds nothing')
  await write(broken, 1n)
  t.strictSame(await count(1n), [4, 4], 'the same rows once more are other rows')

  proxy.break(...lost)
  t.ok(mayRepeat((await failure(() => write(broken, 2n)))!))
  proxy.break(undefined)
  await new Promise(resolve => setTimeout(resolve, 2000))
  await write(direct, 2n)
  t.strictSame(await count(2n), [2, 2], 'at another process, when the client was told to come')
  await write(broken, 2n)
  t.strictSame(await count(2n), [4, 4], 'which is known to the first one')
})

t.test('after the cluster was away writes wait until others have told what failed', needingClickHouse(), async t => {
  const { url } = await startClickHouse(t)
  const port = Number(new URL(url).port)
  const proxies = [await breakingProxy(t, port), await breakingProxy(t, port)]
  const [one, two] = [await open(t, [proxies[0]!.url]), await open(t, [proxies[1]!.url])]
  const table = await createVisits(one, 'visits', { append_mode: true })
  await eventually(async () => {
    await two.catalog.refresh!()
    return two.catalog.table('public', 'visits') !== undefined
  })
  const rows = () => [rowsWrite(table, [{ host: 'a', at: 1n, n: 1n }])]
  proxies[0]!.break(...Array.from({ length: 60 }, () => 'after' as const))
  const failed = failure(() => one.write(rows(), never))
  t.ok(mayRepeat((await failed)!))
  for (const proxy of proxies) {
    proxy.break(undefined)
    proxy.away(true)
  }
  await eventually(async () => mayRepeat((await failure(() => two.write(rows(), never)))!))
  for (const proxy of proxies) proxy.away(false)
  await eventually(async () => (await failure(() => two.write(rows(), never))) === undefined)
  t.equal(await linesOf(two, 'visits'), wanted(['a', 1n, 1n, null]))
})

const rounds = 500

function mayRepeat(error: { readonly code?: string; readonly retryAfter?: number }): boolean {
  return ['StorageUnavailable', 'RateLimited'].includes(error.code ?? '') && error.retryAfter !== undefined
}
