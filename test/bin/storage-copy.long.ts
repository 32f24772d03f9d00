// `weir storage copy` from a data folder to a cluster and back: killed half way and continued, what it refuses, what it reports.
import { type ChildProcess, execFile } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { needingClickHouse, startClickHouse } from '../clickhouse/server.ts'
import { killWithTest, type ServerProcess, serverFolder, sql, startProcess } from '../process/server.ts'

t.setTimeout(280_000)

const entry = join(import.meta.dirname, '../../bin/weir.js')

interface Outcome {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

function run(t: Test, ...args: readonly string[]): { child: ChildProcess; outcome: Promise<Outcome> } {
  const { promise: outcome, resolve } = Promise.withResolvers<Outcome>()
  const child = execFile(process.execPath, [entry, 'storage', 'copy', ...args], (_error, out, err) =>
    resolve({ code: child.exitCode, signal: child.signalCode, out, err })
  )
  killWithTest(t, child)
  return { child, outcome }
}

const copy = (t: Test, ...args: readonly string[]) => run(t, ...args).outcome

async function post(server: ServerProcess, path: string, body: string, type = 'text/plain'): Promise<void> {
  const response = await fetch(server.url + path, { method: 'POST', headers: { 'content-type': type }, body })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
}

/** Lines without a key, points with one, and 200 series of a metric; and a pipeline. */
async function fill(server: ServerProcess): Promise<void> {
  await sql(
    server,
    "CREATE TABLE lines (host STRING, n BIGINT, note STRING FULLTEXT INDEX, ts TIMESTAMP(3) TIME INDEX, PRIMARY KEY (host)) WITH (append_mode = 'true')"
  )
  const start = 1_780_272_000_000
  for (let part = 0; part < 20; part++) {
    const rows = Array.from({ length: 5_000 }, (_, i) => {
      const n = part * 5_000 + i
      return `lines,host=h${n % 10} n=${n}i,note="line ${n % 100} ä" ${start + (n >> 1) * 1_000}`
    })
    await post(server, '/v1/lineproto/write?precision=ms', rows.join('\n'))
  }
  const points = Array.from({ length: 20_000 }, (_, n) => `points,host=h${n % 10} usage=${n / 7} ${start + n * 1_000}`)
  await post(server, '/v1/lineproto/write?precision=ms', points.join('\n'))
  await sql(
    server,
    `CREATE TABLE cpu (instance STRING, ts TIMESTAMP(3) TIME INDEX, val DOUBLE, PRIMARY KEY (instance)) WITH (physical_table = 'samples')`
  )
  const samples = Array.from({ length: 10_000 }, (_, n) => `('i${n % 200}', ${start + n * 1_000}, ${n / 3})`)
  for (let from = 0; from < samples.length; from += 1_000)
    await sql(server, `INSERT INTO cpu (instance, ts, val) VALUES ${samples.slice(from, from + 1_000).join(', ')}`)
  await post(
    server,
    '/v1/pipelines/shared',
    'processors:\n  - date:\n      field: ts\ntransform:\n  - fields: [host]\n    type: string\n  - field: ts\n    type: time\n    index: timestamp\n',
    'application/x-yaml'
  )
}

const questions = [
  'SELECT count(*), count(DISTINCT n), sum(n), min(note), max(note) FROM lines',
  'SELECT count(*), sum(usage) > 0, max(usage) FROM points',
  'SELECT count(*), count(DISTINCT instance), max(val) FROM cpu',
  'SHOW CREATE TABLE lines',
  'SHOW CREATE TABLE cpu'
]

async function answers(server: ServerProcess): Promise<string> {
  const found = await Promise.all(questions.map(question => sql(server, question)))
  return JSON.stringify(found)
}

t.test('a folder goes to a cluster and back, killed again and again', needingClickHouse(), async t => {
  const { url } = await startClickHouse(t)
  const toml = `[storage.clickhouse]\nurls = ["${url}"]\n`
  const dir = serverFolder(t, toml)
  const config = join(dir, 'weir.toml')
  const data = join(dir, 'data')
  let server = await startProcess(t, dir)
  await fill(server)
  const wanted = await answers(server)
  t.match(await copy(t, '--from', data, '--to', 'clickhouse', '--config', config), {
    code: 1,
    out: '',
    err: /another process holds it; stop that server/
  })
  await server.kill('SIGKILL')

  const there = ['--from', data, '--to', 'clickhouse', '--config', config, '--contents'] as const
  const kills = await killed(t, there)
  const whole = await copy(t, ...there)
  t.match(whole, {
    code: 0,
    out: /^\d+ tables with \d+ rows, \d+ of them written now, compared by what they hold: the same\n$/
  })
  t.match(whole.err, /copying 100 %, \d+ rows of \d+ rows/)
  t.ok(kills >= 3, `killed ${kills} times`)
  const front = serverFolder(t)
  const text = `[http]\naddr = "127.0.0.1:0"\n[logging]\nlog_format = "json"\nmax_log_files = 0\n[storage]\nengine = "clickhouse"\ndata_home = "${join(front, 'data')}"\n${toml}`
  writeFileSync(join(front, 'weir.toml'), text)
  server = await startProcess(t, front)
  const [[lines, distinct]] = (await sql(server, 'SELECT count(*), count(DISTINCT n) FROM lines')) as [[number, number]]
  t.strictSame([Number(lines), Number(distinct)], [100_000, 100_000], 'no row is there twice')
  t.equal((await fetch(`${server.url}/v1/pipelines/shared`)).status, 200, 'the pipeline is there')
  await server.kill('SIGTERM')

  const back = join(dir, 'back')
  const home = ['--from', 'clickhouse', '--to', back, '--config', config, '--contents'] as const
  t.ok((await killed(t, home)) >= 3)
  t.match(await copy(t, ...home), { code: 0, out: /: the same\n$/ })
  rmSync(data, { recursive: true })
  t.match(await copy(t, '--from', back, '--to', data), { code: 0, out: /counted on both sides: the same\n$/ })
  server = await startProcess(t, dir)
  t.equal(await answers(server), wanted, 'all is as it was')
  t.equal((await fetch(`${server.url}/v1/pipelines/shared`)).status, 200)
})

/** Kills copies later and later, by shares of the time so far, for a copy may take long; tells how many were killed before one ended. */
async function killed(t: Test, args: readonly string[]): Promise<number> {
  for (let kills = 0; ; kills++) {
    const { child, outcome } = run(t, ...args)
    const { promise: copying, resolve } = Promise.withResolvers<void>()
    child.stderr!.on('data', data => String(data).includes('counting 100') && resolve())
    await Promise.race([copying, outcome])
    await Promise.race([sleep(150 * (1.3 ** kills - 1)), outcome])
    child.kill('SIGKILL')
    const { signal, code, err } = await outcome
    if (signal === 'SIGKILL') continue
    t.equal(code, 0, err)
    return kills
  }
}

t.test('a table that is another one, and rows that are too many, are told', async t => {
  const dir = serverFolder(t)
  const data = join(dir, 'data')
  const server = await startProcess(t, dir)
  await sql(server, "CREATE TABLE lines (n BIGINT, ts TIMESTAMP(3) TIME INDEX) WITH (append_mode = 'true')")
  await sql(server, "INSERT INTO lines (n, ts) VALUES (1, '2026-06-01 00:00:10'), (2, '2026-06-01 00:00:20')")
  await server.kill('SIGTERM')
  const target = join(dir, 'target')
  t.match(await copy(t, '--from', data, '--to', target), { code: 0, out: /with \d+ rows.*: the same\n$/ })
  const change = async (statement: string) => {
    const other = serverFolder(t)
    writeFileSync(
      join(other, 'weir.toml'),
      `[http]\naddr = "127.0.0.1:0"\n[storage]\ndata_home = "${target}"\n[logging]\nlog_format = "json"\nmax_log_files = 0\n`
    )
    const running = await startProcess(t, other)
    await sql(running, statement)
    await running.kill('SIGTERM')
  }
  await change("INSERT INTO lines (n, ts) VALUES (3, '2026-06-01 00:00:30')")
  t.match(await copy(t, '--from', data, '--to', target), {
    code: 1,
    out: /^difference: public\.lines, 2026-06-01T00:00:00Z to 2026-06-01T00:01:00Z: 2 rows at the source, 3 at the target\n.*: 1 tables differ\n$/m
  })
  await change('ALTER TABLE lines ADD COLUMN more STRING')
  t.match(await copy(t, '--from', data, '--to', target), {
    code: 1,
    out: '',
    err: /^weir: table public\.lines: column more is missing at the source\n$/
  })
})

t.test('an impossible copy is refused at once', async t => {
  const dir = serverFolder(t)
  const none = join(dir, 'none')
  t.match(await copy(t), { code: 2, err: /^weir: --from is missing / })
  t.match(await copy(t, '--from', none), { code: 2, err: /^weir: --to is missing / })
  t.match(await copy(t, '--from', none, '--to', 'clickhouse', '--form'), {
    code: 2,
    err: /unknown option --form, did you mean --from/
  })
  t.match(await copy(t, '--from', 'clickhouse', '--to', 'clickhouse'), { code: 2, err: /are both clickhouse/ })
  mkdirSync(join(dir, 'same'))
  t.match(await copy(t, '--from', join(dir, 'same'), '--to', join(dir, 'none/../same')), {
    code: 2,
    err: /are the same folder/
  })
  t.match(await copy(t, '--from', none, '--to', join(dir, 'to')), {
    code: 1,
    err: /none is not a data folder: it has no catalog\.db/
  })
  t.notOk(existsSync(none) || existsSync(join(dir, 'to')), 'no folder was made')
  writeFileSync(join(dir, 'weir.toml'), '[storage.clickhouse]\nurls = ["http://127.0.0.1:9"]\n')
  const config = ['--config', join(dir, 'weir.toml')]
  t.match(await copy(t, '--from', 'clickhouse', '--to', join(dir, 'to'), ...config), {
    code: 2,
    err: /storage\.clickhouse\.urls.*no ClickHouse answers at http:\/\/127\.0\.0\.1:9/
  })
  writeFileSync(join(dir, 'weir.toml'), '[wal]\ndir = "/tmp/one-log"\n')
  t.match(await copy(t, '--from', join(dir, 'same'), '--to', join(dir, 'to'), ...config), {
    code: 2,
    err: /wal\.dir names one folder/
  })
  t.match(await copy(t, '--help'), { code: 0, out: /Usage: weir storage copy --from PLACE --to PLACE/ })
})
