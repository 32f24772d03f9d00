// Statements that ask for more than their share: each gets an answer, and the server keeps answering others.
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { eventually } from '../../eventually.ts'
import { startServer } from '../../helpers.ts'
import { slowness } from '../../time.ts'
import { askServer } from './fixtures.ts'

const endless = 'SELECT count(*) FROM range(10000000000) a(i), range(10000000000) b(j) WHERE (i * j) % 7 = 11'

t.test('an endless statement ends with the time limit', async t => {
  const server = await startServer(t)
  const ask = askServer(server.addresses.main!)
  const statements = [
    endless,
    'SELECT count(i % 3) FROM generate_series(1, 1000000000000) t(i)',
    'WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r',
    'SELECT max(i) FROM (SELECT i, row_number() OVER (ORDER BY hash(i)) FROM range(1000000000) t(i))',
    'SELECT count(sha256(i::VARCHAR)) FROM range(10000000000) t(i)',
    `INSERT INTO nowhere SELECT 1 FROM range(10000000000) a(i), range(10000000000) b(j) WHERE i + j < 0`
  ]
  for (const sql of statements) {
    const began = performance.now()
    const { status, body } = await ask(sql, {}, { 'x-svc-timeout': '500ms' })
    const [expected, code] = sql.startsWith('INSERT') ? [400, 4001] : [408, 1008]
    t.match({ status, code: body.code }, { status: expected, code }, sql)
    t.ok(performance.now() - began < 5000 * slowness(), sql)
  }
  await eventually(async () => {
    const before = process.cpuUsage()
    await setTimeout(400)
    return process.cpuUsage(before).user < 300_000
  })
  t.pass('nothing runs any more')
  t.same((await ask('SELECT 1')).rows, [[1]])
})

t.test('values that would be huge are refused before they are made', async t => {
  const server = await startServer(t)
  const ask = askServer(server.addresses.main!)
  const huge = [
    "SELECT repeat('x', 10000000000)",
    "SELECT length(repeat('x', 4e9::BIGINT))",
    "SELECT repeat('a longer text', 10000000)",
    "SELECT repeat(repeat('x', 100000), 100000)",
    "SELECT repeat(upper(rpad('x', 1000000, ' ')), 1000)",
    'SELECT generate_series(1, 1000000000000)',
    'SELECT len(range(1_000_000_000)) FROM range(3) t(i)',
    'SELECT * FROM range(3) t(i) WHERE len(range(0, -1000000000, -1)) > i',
    'SELECT * FROM range(3) t(i) JOIN range(3) s(j) ON len(generate_series(1000000000)) > i',
    "SELECT lpad('x', 2000000000, 'y')",
    "SELECT \"rpad\"('x', (2000000000), 'y')",
    'SELECT list_resize([1], 4000000000, 0)'
  ]
  for (const sql of huge) {
    t.match(await ask(sql), { status: 400, body: { code: 1004, error: /more than 64MiB/ } }, sql)
  }
  const allowed: [string, unknown][] = [
    ["SELECT length(repeat('x', 1000000))", 1_000_000],
    ['SELECT len(range(1000000))', 1_000_000],
    ['SELECT count(*) FROM range(3) a(i), range(100000000) b(j) WHERE j < 2', 6],
    ['SELECT count(*) FROM generate_series(1, 20000000)', 20_000_000],
    ["SELECT lpad('7', 3, '0')", '007']
  ]
  for (const [sql, value] of allowed) t.same((await ask(sql)).rows, [[value]], sql)
})

t.test('answers that wait for the last of several statements share one room', async t => {
  const server = await startServer(t)
  const ask = askServer(server.addresses.main!)
  const many = 'SELECT n FROM range(600000) r(n)'
  const error = /only the last of several statements may answer with many rows/
  t.match((await ask(`${many}; ${many}; SELECT 1`)).body, { code: 1004, error })
  t.match((await ask("SELECT repeat('x', 1000000) || n FROM range(400) r(n); SELECT 1")).body, { code: 1004, error })
  t.same((await ask(`${many}; SELECT 1`)).rows, [[1]])
  const wide = await ask("SELECT repeat('x', 250000) || n FROM range(1600) r(n)", { format: 'table' })
  t.match(wide.body, { code: 1004, error: /takes at most 1000000 rows or 256 MiB/ })
  const long = await ask("SELECT repeat('x', 1000000)", { format: 'table' })
  t.match(long.body, {
    code: 1004,
    error: /a value has more than 262144 characters, which the format table does not take/
  })
})

t.test('texts that are hard to read or to match are answered in no time', async t => {
  const server = await startServer(t)
  const ask = askServer(server.addresses.main!)
  const nested = (open: string, inner: string, close: string, depth: number) =>
    `SELECT ${open.repeat(depth)}${inner}${close.repeat(depth)}`
  const hard = [
    nested('(', '1', ')', 5000),
    nested('NOT ', 'true', '', 20_000),
    nested('CASE WHEN true THEN ', '1', ' END', 2000),
    nested('(SELECT ', '1', ')', 1000),
    `SELECT 1${' + 1'.repeat(20_000)}`,
    `SELECT regexp_matches(repeat('a', 100000), '(a*)*(a*)*(a*)*b')`,
    `SELECT regexp_matches('a', '((((a{100}){100}){100}){100})')`,
    `SELECT repeat('a', 100000) LIKE '${'%a'.repeat(1000)}b'`,
    `SELECT '${'9'.repeat(100_000)}'::DOUBLE`
  ]
  for (const sql of hard) {
    const began = performance.now()
    const { status, text } = await ask(sql, {}, { 'x-svc-timeout': '10s' })
    t.ok(status === 200 || status === 400, `${sql.slice(0, 60)}: ${status} ${text.slice(0, 100)}`)
    t.ok(performance.now() - began < 5000 * slowness())
  }
})

t.test('sorting and grouping more than the memory limit goes to the disk; what cannot is refused', async t => {
  const server = await startServer(t, '[storage]\nmemory_limit = "96MiB"\nquery_threads = 2\n')
  const ask = askServer(server.addresses.main!)
  const sorted = 'SELECT sum(n) FROM (SELECT row_number() OVER (ORDER BY hash(i)) AS n FROM range(4000000) t(i))'
  t.same((await ask(sorted)).rows, [[8_000_002_000_000]])
  const { status, body } = await ask('SELECT len(list(i)) FROM range(200000000) t(i)')
  t.match({ status, body }, { status: 500, body: { code: 6000, error: /limit: storage\.memory_limit/ } })
  t.same((await ask('SELECT 1')).rows, [[1]])
})

t.test('queries wait for their place, no longer than they may, and one that is gone leaves its place', async t => {
  const server = await startServer(t, 'max_concurrent_queries = 1\n')
  const ask = askServer(server.addresses.main!)
  const patience = Math.ceil(1500 * slowness())
  const long = ask(endless, {}, { 'x-svc-timeout': `${patience}ms` })
  await setTimeout(200)
  const began = performance.now()
  t.equal((await ask('SELECT 1', {}, { 'x-svc-timeout': '300ms' })).status, 408)
  t.ok(performance.now() - began < patience - 300, 'it did not wait for the long one')
  t.same((await ask('SELECT 2')).rows, [[2]], 'it waited for the long one')
  t.equal((await long).status, 408)
  t.same((await ask('SELECT 3')).rows, [[3]])
})
