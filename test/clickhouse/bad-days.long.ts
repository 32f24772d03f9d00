// Problems of a cluster are reported in one clear line: by `weir config check`, at the start, and by a running server.
import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { eventually } from '../eventually.ts'
import { askSql, startServer } from '../helpers.ts'
import { type Answer, answeringProxy, exception, textRow } from './answering-proxy.ts'
import { needingClickHouse, startClickHouse } from './server.ts'

t.setTimeout(200_000)

const entry = join(import.meta.dirname, '../../bin/weir.js')

interface Outcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

function weir(...args: string[]): Promise<Outcome> {
  return new Promise(resolve => {
    const child = execFile(process.execPath, [entry, ...args], { cwd: tmpdir() }, (_error, out, err) =>
      resolve({ code: child.exitCode, out, err })
    )
  })
}

/** A file with these keys of the cluster; the first line of them is its fifth. */
function fileOf(t: Test, keys: string): string {
  const head = '[http]\naddr = "127.0.0.1:0"\n[storage]\nengine = "clickhouse"\n[storage.clickhouse]\n'
  return join(t.testdir({ 'weir.toml': head + keys }), 'weir.toml')
}

t.test('config check says what a cluster is, and each thing that is wrong with it', needingClickHouse(), async t => {
  const { url, stop } = await startClickHouse(t, { password: 'secret' })
  const dir = t.testdir({ right: 'secret\n', wrong: 'other\n' })
  const right = `password_file = ${JSON.stringify(join(dir, 'right'))}\n`
  const check = (t: Test, keys: string) => weir('config', 'check', fileOf(t, keys))
  await t.test('nothing', async t => {
    const { code, out, err } = await check(t, `urls = ["${url}"]\n${right}`)
    t.strictSame({ code, err }, { code: 0, err: '' })
    t.match(out, /weir\.toml: ok\nhttp:\S+ is ClickHouse \d+\.\d+\S*\nthe tables of one request are stored one after/)
  })
  const wrong = async (t: Test, keys: string, ...said: RegExp[]) => {
    const { code, err } = await check(t, keys)
    t.equal(code, 2)
    const lines = err.trimEnd().split('\n')
    t.equal(lines.length, said.length, err)
    for (const [i, each] of said.entries()) t.match(lines[i], each)
  }
  await t.test('password', t =>
    wrong(
      t,
      `urls = ["${url}"]\npassword_file = ${JSON.stringify(join(dir, 'wrong'))}\n`,
      /weir\.toml:7: storage\.clickhouse\.password_file: the cluster takes no user default with this password/
    )
  )
  await t.test('address, and cluster', t =>
    wrong(
      t,
      `urls = ["http://127.0.0.1:1", "${url}"]\ncluster = "main"\n${right}`,
      /storage\.clickhouse\.urls\.0: .*ECONNREFUSED.*start it or correct the address$/,
      /storage\.clickhouse\.cluster: the server knows no cluster 'main': it has /
    )
  )
  // The user of chdb may not make roles.
  await t.test('rights', t =>
    wrong(
      t,
      `urls = ["${url}"]\nreader_username = "guest"\n${right}reader_password_file = ${JSON.stringify(join(dir, 'wrong'))}\n`,
      /storage\.clickhouse\.username: user default lacks rights: GRANT CREATE ROLE ON \*\.\* TO `default`; GRANT ROLE ADMIN/,
      /storage\.clickhouse\.reader_password_file: the cluster takes no user guest with this password/
    )
  )
  await stop()
})

t.test('a version that is too old and rights that are missing end a start, too', needingClickHouse(), async t => {
  const { url } = await startClickHouse(t)
  const both = async (t: Test, answer: (sql: string) => Answer | undefined, checked: RegExp, started: RegExp) => {
    const file = fileOf(t, `urls = ["${await answeringProxy(t, url, answer)}"]\n`)
    for (const [args, said] of [
      [['config', 'check', file], checked],
      [['start', '--data-home', t.testdirName, '--config', file], started]
    ] as const) {
      const { code, err } = await weir(...args)
      t.equal(code, 2, args[0])
      t.match(err.trimEnd(), said, args[0])
      t.equal(err.trimEnd().split('\n').length, 1, 'one line')
    }
  }
  await t.test('version', async t => {
    const old =
      /storage\.clickhouse\.urls\S*: the cluster is ClickHouse 24\.8\.1\.2, which has no CoalescingMergeTree: 25\.6 or newer/
    await both(
      t,
      sql => (sql.startsWith('SELECT version()') ? { body: textRow('version', '24.8.1.2') } : undefined),
      old,
      old
    )
  })
  await t.test('rights', async t => {
    const denied = exception(
      497,
      "weir: Not enough privileges. To execute this query, it's necessary to have the grant CREATE DATABASE ON weir_svc_private.*. (ACCESS_DENIED)"
    )
    await both(
      t,
      sql => {
        if (sql.startsWith('CREATE DATABASE')) return denied
        return /^CHECK GRANT (?:INSERT|DROP) ON `weir_public`/.test(sql) ? { body: textRow('result', '0') } : undefined
      },
      /storage\.clickhouse\.username: user default lacks rights: GRANT DROP ON weir_\*\.\* TO `default`; GRANT INSERT ON weir_\*\.\* TO `default`$/,
      /storage\.clickhouse\.username: .*CREATE DATABASE ON weir_svc_private.*GRANT the user default CREATE, ALTER/
    )
  })
})

t.test('a server starts though the cluster is busy at first', needingClickHouse(), async t => {
  const { url } = await startClickHouse(t)
  let refused = 0
  const busy = exception(252, 'Too many parts (3000). Merges are slower than inserts. (TOO_MANY_PARTS)')
  const through = await answeringProxy(t, url, sql =>
    /^(?:INSERT|CREATE TABLE)/.test(sql) && refused++ < 2 ? busy : undefined
  )
  const server = await startServer(t, `[storage]\nengine = "clickhouse"\n[storage.clickhouse]\nurls = ["${through}"]\n`)
  t.ok(refused > 2, 'it was asked again')
  t.equal((await server.main.inject('/ready')).statusCode, 200)
})

t.test('a table somebody altered by hand is named and answers 503; the others go on', needingClickHouse(), async t => {
  const { url } = await startClickHouse(t)
  const toml = `[storage]\nengine = "clickhouse"\n[storage.clickhouse]\nurls = ["${url}"]\nrefresh_interval = "1s"\n`
  const server = await startServer(t, toml)
  const write = (table: string, n: number) =>
    server.main.inject({
      method: 'POST',
      url: '/v1/lineproto/write?precision=ms',
      payload: `${table},host=a v=${n} ${n}`
    })
  for (const table of ['altered', 'whole']) t.equal((await write(table, 1)).statusCode, 204)
  const alter = (change: string) =>
    fetch(`${url}/?query=${encodeURIComponent(`ALTER TABLE weir_public.altered ${change}`)}`, { method: 'POST' })
  t.equal((await alter('MODIFY COLUMN v Nullable(String)')).status, 200)
  const refused = await eventually(
    () => write('altered', 2),
    ({ statusCode }) => statusCode !== 204
  )
  t.equal(refused.statusCode, 503, refused.body)
  t.ok(refused.headers['retry-after'])
  t.match(
    refused.body,
    /table public\.altered was altered in the cluster: column v is Nullable\(String\) there, not Nullable\(Float64\)/
  )
  const asked = await server.main.inject('/v1/sql?sql=SELECT+*+FROM+altered')
  t.equal(asked.statusCode, 503, asked.body)
  t.equal((await write('whole', 2)).statusCode, 204)
  t.strictSame(await askSql(server, 'SELECT count() FROM whole'), [[2]])
  t.equal((await server.main.inject('/ready')).statusCode, 200)
  t.equal((await alter('MODIFY COLUMN v Nullable(Float64)')).status, 200)
  await eventually(async () => (await write('altered', 3)).statusCode === 204)
})
