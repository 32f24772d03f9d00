// Statements in the query process: their answers, the order in which they run, and how they end.
import { getEventListeners } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openDuckdb } from '../../../core/storage/embedded/duckdb/index.ts'
import type { SqlAnswer } from '../../../core/storage/embedded/sql/sql-process.ts'
import { temporaryFolder } from '../../helpers.ts'
import { slowness } from '../../time.ts'
import { never } from './fixtures.ts'
import { collect, rowsOf, startProcess, until } from './sql-process-fixtures.ts'

/** SQL of a column each, over a row number `i`. */
const columns: Readonly<Record<string, string>> = {
  booleans: 'i % 2 = 0',
  'signed integers': '(i % 100)::TINYINT, (i - 9000)::SMALLINT, (i * -100000)::INTEGER, i * 10000000000',
  'unsigned integers':
    '(i % 200)::UTINYINT, i::USMALLINT, (i * 100000)::UINTEGER, 18446744073709551615::UBIGINT - i::UBIGINT',
  'integers of 128 bits': '(i * 1000)::HUGEINT, i::UHUGEINT, i * 20000000000000000000::HUGEINT',
  floats:
    "i / 3, (i / 7)::FLOAT, CASE i % 4 WHEN 0 THEN 'nan' WHEN 1 THEN '-inf' WHEN 2 THEN '-0' ELSE '1e300' END::DOUBLE",
  decimals: '(i / 10)::DECIMAL(9, 3), (i * 1.5)::DECIMAL(38, 10)',
  'short and long texts': `repeat(chr(97 + (i % 26)::INT), (i % 40)::INT)`,
  'texts beyond ASCII': `repeat(['a', 'ä', '😀', '日'][(i * i) % 4 + 1], (i % 30)::INT)`,
  'repeated texts': `['the first long text', 'another, longer text', 'kurz'][i % 3 + 1], 'a constant that is long'`,
  'beginnings of one text': `'abcdefghijklmnopqrstuvwxyz'[:13 + i % 10]`,
  blobs: `encode('blob ' || i)`,
  JSON: `('{"a":' || i || '}')::JSON`,
  dates: "DATE '2020-01-01' + i::INT, TIME '01:02:03.456789' + INTERVAL (i) SECOND",
  timestamps:
    "TIMESTAMP '2020-01-01 00:00:00.123456' + INTERVAL (i) HOUR, make_timestamptz(i * 1000), epoch_ms(i)::TIMESTAMP_MS, (epoch_ms(i))::TIMESTAMP_S, make_timestamp_ns(i)",
  intervals: 'INTERVAL (i) MONTH + INTERVAL (i) DAY + INTERVAL (-i) MICROSECOND',
  'what has no type of its own': `gen_random_uuid() IS NULL, '0b8c5a5e-1c1a-4c7e-8f1d-2d1a3c4b5e6f'::UUID, (i % 2)::BIT, CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END::ENUM('a', 'b'), TIMETZ '12:00:00+02'`,
  'lists, structs and maps':
    "[i, NULL, i + 1], {'a': i, 'b': [{'c': 'text ' || i}], '__proto__': 1}, MAP {'k' || i: i::HUGEINT}, [1.5, i]::DECIMAL(9, 1)[2], [encode('x'), NULL], [DATE '2020-01-01']",
  unions: 'union_value(number := i)',
  nothing: 'NULL'
}

t.test('results are those of an instance in this process, whatever their types', async t => {
  const { process } = startProcess(t)
  const folder = temporaryFolder(t)
  const here = await openDuckdb({ folders: [folder], spill: folder, memoryLimit: 1 << 28, threads: 2 })
  t.teardown(() => here.close())
  for (const [name, sql] of Object.entries(columns)) {
    for (const rows of [0, 1, 5000]) {
      const text = `WITH v AS (SELECT i, ${sql} FROM range(${rows}) r(i)) SELECT v.* FROM range(${rows}) n(n) LEFT JOIN v ON n.n = v.i AND n.n % 5 <> 3 ORDER BY n.n`
      const expected = await here.stream({ sql: text }, never, () => {})
      const found = await process.run({ text, timezone: 'UTC' }, never)
      t.strictSame(found.columns, expected.columns, name)
      const [a, b] = [await collect(found.batches()), await collect(expected.batches())]
      t.strictSame(rowsOf(found.columns, a), rowsOf(expected.columns, b), `${name}, ${rows} rows`)
      for (const [c, { values }] of (a[0]?.columns ?? []).entries()) {
        t.equal(values.constructor, b[0]!.columns[c]!.values.constructor, `${name}: the same kind of array`)
      }
    }
  }
})

t.test('errors are those of an instance in this process', async t => {
  const { process, ask } = startProcess(t)
  const folder = temporaryFolder(t)
  const here = await openDuckdb({ folders: [folder], spill: folder, memoryLimit: 1 << 28, threads: 2 })
  t.teardown(() => here.close())
  for (const text of [
    'SELEC 1',
    'SELECT nothing',
    "SELECT 'x'::INTEGER",
    "SELECT ('x' || i)::INTEGER FROM range(10) r(i)",
    'SELECT CASE WHEN i = 9999 THEN error(i::VARCHAR) ELSE i::VARCHAR END FROM range(10000) r(i)',
    'SELECT list(i) FROM range(100000000) r(i)',
    'SELECT 170141183460469231731687303715884105727::HUGEINT'
  ]) {
    const told = (error: { code: string; message: string }) => ({
      code: error.code,
      message: error.message.replace(/[\d.]+ MiB/g, 'some')
    })
    const read = async (result: Promise<Pick<SqlAnswer, 'batches'>>) => void (await collect((await result).batches()))
    const expected = await read(here.stream({ sql: text }, never, () => {})).catch(told)
    t.strictSame(await read(process.run({ text, timezone: 'UTC' }, never)).catch(told), expected, text)
    t.strictSame(await ask('SELECT 1'), [[1]])
  }
  t.equal(process.statistics().restarts.died, 0)
})

t.test('any of the first statements may call macros, several at once, one of them cancelled', async t => {
  const { process, ask } = startProcess(t, { threads: 1 })
  const stop = new AbortController()
  const left = ask("SELECT substring_index('a.b', '.', 1)", {}, stop.signal)
  const asked = ["SELECT toyear(DATE '2026-01-01')", 'SELECT TOSTRING(1)', 'SELECT 1'].map(text => ask(text))
  stop.abort()
  await t.rejects(left, { code: 'Cancelled' })
  t.strictSame(await Promise.all(asked), [[[2026n]], [['1']], [[1]]])
  const { pid } = process.statistics()
  globalThis.process.kill(pid!, 'SIGKILL')
  await until(() => process.statistics().alive && process.statistics().pid !== pid, 'new process')
  t.strictSame(await ask('SELECT tostring(2)'), [['2']], 'in the next process')
})

t.test('the position of an error in a macro is that of its call', async t => {
  const { ask } = startProcess(t)
  const text = 'SELECT 1, toyear(true)'
  for (const which of ['the first', 'another']) {
    const error = await ask(text).catch(error => error)
    t.match(error, { code: 'PlanQuery', offset: text.indexOf('toyear') }, which)
  }
})

t.test('a statement has parameters and a time zone', async t => {
  const { ask } = startProcess(t)
  const parameters = ['täxt', 2n ** 63n - 1n, -0, Number.NaN, Number.NEGATIVE_INFINITY, 0.1, true]
  const typed = 'SELECT $1::VARCHAR, $2::BIGINT, $3::DOUBLE, $4::DOUBLE, $5::DOUBLE, $6::DOUBLE, $7::BOOLEAN'
  t.strictSame(await ask(typed, { parameters }), [[...parameters.slice(0, 6), 1]])
  const hour = "SELECT extract(hour FROM TIMESTAMPTZ '2026-01-01 00:00:00+00')"
  t.strictSame(await ask(hour, { timezone: 'Asia/Tokyo' }), [[9n]])
  const zones = Array.from({ length: 24 }, (_, i) => ['UTC', 'Asia/Tokyo', 'Asia/Dubai'][(i + (i >> 2)) % 3]!)
  const hours: Readonly<Record<string, bigint>> = { UTC: 0n, 'Asia/Tokyo': 9n, 'Asia/Dubai': 4n }
  // At the same time and one after the other: connections are used again, also for another zone.
  const together = await Promise.all(zones.map(timezone => ask(hour, { timezone })))
  t.strictSame(
    together,
    zones.map(zone => [[hours[zone]]])
  )
  for (const timezone of zones) t.strictSame(await ask(hour, { timezone }), [[hours[timezone]]], timezone)
  await t.rejects(ask(hour, { timezone: 'Nowhere/Zone' }))
  t.strictSame(await ask(hour), [[0n]], 'a zone that does not exist leaves nothing behind')
  t.strictSame(await ask(hour), [[0n]])
})

t.test('statements read the folders and nothing else, and change nothing', async t => {
  const { process, data, home, ask } = startProcess(t)
  const file = join(data, 'rows.parquet')
  await ask('SELECT 7 AS n', { target: { path: file, options: 'FORMAT parquet' } })
  const given = (sql: string) => ({
    tables: [{ start: 'SELECT * FROM '.length, end: 'SELECT * FROM rows'.length, sql }]
  })
  const rows = given(`read_parquet('${file}')`)
  t.strictSame(await ask('SELECT * FROM rows', rows), [[7]], 'the server says what a name stands for')
  t.strictSame(await ask('SELECT * FROM rows AS r WHERE n = (SELECT 7)', rows), [[7]])
  const elsewhere = [
    "SELECT 'rows'",
    'SELECT 1 AS rows',
    'SELECT rows(1)',
    'WITH rows AS (SELECT 1) SELECT 1',
    'SELECT * FROM main.rows'
  ]
  for (const text of elsewhere) {
    const start = text.indexOf('rows')
    const tables = [{ start, end: start + 4, sql: `read_parquet('${file}')` }]
    await t.rejects(ask(text, { tables }), { name: 'DbError' }, text)
  }
  const denied = [
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_blob('/proc/self/environ')",
    "SELECT * FROM '/etc/passwd'",
    `SELECT * FROM read_parquet('${home}/other.parquet')`,
    `SELECT * FROM read_text('${data}/../../../etc/passwd')`,
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM read_parquet('https://example.com/x.parquet')",
    `COPY (SELECT 1) TO '${data}/copy.csv'`,
    `COPY (SELECT 1) TO '${home}/copy.csv'`,
    `EXPLAIN ANALYZE COPY (SELECT 1) TO '${data}/copy.csv'`,
    `explain /* a /* comment */ */ analyze -- another\n COPY (SELECT 1) TO '${data}/copy.csv'`,
    `EXPLAIN (ANALYZE) COPY (SELECT 1) TO '${data}/copy.csv'`,
    `EXPLAIN (ANALYZE, FORMAT JSON) COPY (SELECT 1) TO '${data}/copy.csv'`,
    `EXPLAIN (FORMAT JSON) COPY (SELECT 1) TO '${data}/copy.csv'`,
    'EXPLAIN ANALYZE CREATE TABLE t (i INTEGER)',
    `EXPORT DATABASE '${data}/export'`,
    `EXPLAIN EXPORT DATABASE '${data}/export'`,
    `EXPLAIN (ANALYZE) EXPORT DATABASE '${data}/export'`,
    `EXPLAIN (values) EXPORT DATABASE '${data}/export'`,
    `SELECT 1; EXPORT DATABASE '${data}/export'`,
    `WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x`,
    `ATTACH '${data}/other.db'`,
    `ATTACH '${home}/other.db'`,
    'CREATE TABLE t (i INTEGER)',
    'CREATE TEMP TABLE t (i INTEGER)',
    'CREATE MACRO m() AS 1',
    "CREATE SECRET s (TYPE http, BEARER_TOKEN 'x')",
    'INSTALL httpfs',
    'LOAD httpfs',
    "LOAD '/tmp/x.duckdb_extension'",
    'SET threads=64',
    "SET TimeZone='Asia/Tokyo'",
    'SET GLOBAL enable_external_access=true',
    'SET GLOBAL lock_configuration=false',
    "SET allowed_directories=['/']",
    "SET memory_limit='100GB'",
    "SET temp_directory='/tmp/elsewhere'",
    'RESET memory_limit',
    'PRAGMA threads=64',
    "PRAGMA memory_limit='100GB'",
    'PRAGMA enable_profiling',
    'CALL force_checkpoint()',
    'CHECKPOINT',
    'BEGIN TRANSACTION',
    'PREPARE p AS SELECT 1',
    'USE memory',
    'VACUUM'
  ]
  for (const text of denied) await t.rejects(ask(text), { name: 'DbError' }, text)
  t.strictSame(readdirSync(data), ['rows.parquet'])
  for (const explain of ['EXPLAIN ', 'EXPLAIN ANALYZE ', 'EXPLAIN (FORMAT JSON) ']) {
    t.equal((await ask('SELECT 1', { explain })).length, 1, explain)
    await t.rejects(ask(`COPY (SELECT 1) TO '${data}/copy.csv'`, { explain }), { code: 'PermissionDenied' })
  }
  const settings = await ask('SELECT * FROM rows', {
    ...given(
      "(SELECT name, value FROM duckdb_settings() WHERE name IN ('threads', 'TimeZone', 'enable_external_access', 'lock_configuration'))"
    )
  })
  t.strictSame(Object.fromEntries(settings), {
    TimeZone: 'UTC',
    enable_external_access: 'false',
    lock_configuration: 'true',
    threads: '2'
  })
  t.strictSame(process.statistics().restarts, { memory: 0, stuck: 0, died: 0 })
})

t.test('it gives way to the server, and the system ends it first', async t => {
  const { process, ask } = startProcess(t)
  await ask('SELECT 1')
  const { pid } = process.statistics()
  t.equal(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8'), '500\n')
  const nice = (path: string) =>
    Number(
      readFileSync(path, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')[16]
    )
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    t.equal(nice(`/proc/${pid}/task/${thread}/stat`), Math.min(19, nice('/proc/self/stat') + 10))
  }
  t.notMatch(readFileSync(`/proc/${pid}/environ`, 'utf8'), /PATH=|HOME=/, 'it has nothing of the environment')
})

/** Runs until it is interrupted. */
const endless = 'SELECT sum(a.i * b.i) FROM range(100000) a(i), range(100000000) b(i)'

t.test('cancelled statements are answered at once, and leave their place', async t => {
  const { process, ask } = startProcess(t, { slots: () => 4 })
  await ask('SELECT 1')
  const controllers = Array.from({ length: 64 }, () => new AbortController())
  const failed = controllers.map(({ signal }) => t.rejects(ask(endless, {}, signal), { code: 'Cancelled' }))
  t.equal(process.statistics().running, 4)
  t.equal(process.statistics().waiting, 60)
  await new Promise(resolve => setTimeout(resolve, 200))
  const start = performance.now()
  for (const controller of controllers) controller.abort()
  await Promise.all(failed)
  t.ok(performance.now() - start < 1_000 * slowness(), 'nobody waits for an interruption')
  t.equal(process.statistics().waiting, 0)
  t.strictSame(await ask('SELECT 1'), [[1]])
  await until(() => process.statistics().running === 0, 'end of the statements')
  t.strictSame(process.statistics().restarts, { memory: 0, stuck: 0, died: 0 })
})

t.test('a result that is left early, or closed, ends its statement', async t => {
  const { process } = startProcess(t)
  const open = (text: string) => process.run({ text, timezone: 'UTC' }, never)
  for await (const batch of (await open('SELECT i FROM range(1000000000) r(i)')).batches()) {
    t.equal(batch.rows, 2048)
    break
  }
  const answer = await open('SELECT i FROM range(1000000000) r(i)')
  answer.close()
  t.strictSame(await collect(answer.batches()), [])
  const reading = await open('SELECT i FROM range(1000000000) r(i)')
  await t.rejects(async () => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 50)
    const text = 'SELECT i FROM range(1000000000000) r(i)'
    const aborted = await process.run({ text, timezone: 'UTC' }, controller.signal)
    await collect(aborted.batches())
  })
  reading.close()
  await until(() => process.statistics().running === 0, 'end of the statements')
  t.equal(process.statistics().stalled, 0)
})

t.test('waiting statements get their turn by user, and no more may wait than configured', async t => {
  const refused: string[] = []
  const queue = { max: 5, time: 60_000 }
  const { ask } = startProcess(t, { slots: () => 1, queue: () => queue, refused: reason => refused.push(reason) })
  const blocker = new AbortController()
  const blocked = t.rejects(ask(endless, {}, blocker.signal), { code: 'Cancelled' })
  const order: string[] = []
  const left = new AbortController()
  const by = async (user: string, name: string, signal = never) => {
    await ask('SELECT 1', { user }, signal)
    order.push(name)
  }
  const asked = [by('a', 'a1'), by('a', 'a2'), by('a', 'a3'), by('b', 'b1')]
  const gone = t.rejects(by('b', 'b2', left.signal), { code: 'Cancelled' })
  await t.rejects(by('c', 'c1'), { code: 'RateLimited', status: 429, retryAfter: 1 })
  left.abort()
  await gone
  asked.push(by('b', 'b3'))
  blocker.abort()
  await Promise.all([blocked, ...asked])
  t.strictSame(order, ['a1', 'b1', 'a2', 'b3', 'a3'])
  await t.rejects(ask('SELECT 1', {}, blocker.signal), { code: 'Cancelled' })
  const next = new AbortController()
  const running = t.rejects(ask(endless, {}, next.signal), { code: 'Cancelled' })
  queue.time = 50
  await t.rejects(ask('SELECT 1'), { code: 'RateLimited', status: 429, message: /query_wait_timeout/ })
  t.strictSame(refused, ['full', 'late'])
  next.abort()
  await running
})

t.test('readers that stop reading hold a few mebibytes each, and no slot', async t => {
  const { process, ask } = startProcess(t, { slots: () => 2, results: 12 })
  const { rss } = globalThis.process.memoryUsage
  await ask('SELECT 1')
  const before = rss()
  const resident = process.statistics().residentBytes
  const text = `SELECT i, repeat('some text ', 100) || i AS s FROM range(100000) r(i)`
  const answers = await Promise.all(Array.from({ length: 12 }, () => process.run({ text, timezone: 'UTC' }, never)))
  await until(() => process.statistics().stalled === 12, 'stalled statement')
  t.equal(process.statistics().running, 0)
  const held = rss() - before
  t.ok(held < 12 * (8 << 20), `${held >> 20} MiB are held`)
  const more = process.statistics().residentBytes - resident
  t.ok(more < 12 * (24 << 20), `${more >> 20} MiB more in the process`)
  const waiting = ask('SELECT 1')
  await new Promise(resolve => setTimeout(resolve, 50))
  t.equal(process.statistics().waiting, 1, 'there may be no more results')
  const [first, second, ...others] = answers
  let rows = 0
  let last: unknown
  for await (const { rows: more, columns } of first!.batches()) {
    rows += more
    last = columns[1]!.values[more - 1]
    // Slow, and to the end.
    if (rows < 50_000) await new Promise(resolve => setImmediate(resolve))
  }
  t.equal(rows, 100_000)
  t.match(last, /some text \d+$/)
  t.strictSame(await waiting, [[1]])
  second!.close()
  for (const answer of others) answer.close()
  await until(() => process.statistics().stalled + process.statistics().running === 0, 'end of the statements')
})

t.test('answers nobody reads give way where no other can begin', async t => {
  const { process, ask } = startProcess(t, { slots: () => 2, results: 2 })
  const text = `SELECT i, repeat('some text ', 100) || i AS s FROM range(100000) r(i)`
  const answers = await Promise.all([1, 2].map(() => process.run({ text, timezone: 'UTC' }, never)))
  await until(() => process.statistics().stalled === 2, 'stalled statement')
  t.strictSame(await ask('SELECT 1'), [[1]])
  const ends = await Promise.all(
    answers.map(answer =>
      collect(answer.batches()).then(
        batches => batches.reduce((sum, { rows }) => sum + rows, 0),
        error => error.message
      )
    )
  )
  t.strictSame(
    new Set(ends),
    new Set([100_000, 'its rows were not read for 5 s, while other statements waited for room'])
  )
})

t.test('rows of any size arrive whole, up to a limit', async t => {
  const { ask } = startProcess(t, { maxRow: 20 << 20 })
  const rows = await ask(
    "SELECT i, repeat(chr(97 + i::INT), 3000000) AS s, CASE WHEN i % 2 = 0 THEN i END AS n, repeat('ä', 300000) FROM range(21) r(i)"
  )
  for (const [i, row] of rows.entries()) {
    const text = String.fromCharCode(97 + i).repeat(3_000_000)
    t.ok(row[0] === BigInt(i) && row[1] === text && row[3] === 'ä'.repeat(300_000), `row ${i}`)
    t.equal(row[2], i % 2 === 0 ? BigInt(i) : null)
  }
  const lists = await ask('SELECT range(i * 10000) AS l FROM range(12) r(i)')
  t.strictSame(
    lists.map(([list]) => (list as unknown[]).length),
    Array.from({ length: 12 }, (_, i) => i * 10_000)
  )
  await t.rejects(ask("SELECT repeat('x', 30000000)"), {
    code: 'InvalidArguments',
    message: /a row of \d+ bytes is too long/
  })
})

t.test('a thousand statements leave nothing behind', async t => {
  const { process, ask } = startProcess(t)
  const controller = new AbortController()
  const { signal } = controller
  const descriptors = (pid: number | string) => readdirSync(`/proc/${pid}/fd`).length
  const some = async (count: number) => {
    for (let i = 0; i < count; i += 10) {
      await Promise.all([
        ...Array.from({ length: 8 }, () => ask('SELECT 1', {}, signal)),
        t.rejects(ask('SELECT nothing', {}, signal)),
        ask('SELECT 1', { timezone: 'Asia/Tokyo' }, signal)
      ])
    }
  }
  await some(200)
  const pid = process.statistics().pid!
  const before = [descriptors('self'), descriptors(pid)]
  await some(1_000)
  t.strictSame([descriptors('self'), descriptors(pid)], before)
  t.equal(process.statistics().pid, pid)
  t.equal(getEventListeners(signal, 'abort').length, 0)
})

t.test('a closed process answers nothing, and is gone', async t => {
  const { process, home, ask } = startProcess(t, { slots: () => 1 })
  await ask('SELECT 1')
  const { pid } = process.statistics()
  const lost = Promise.all([
    t.rejects(ask(endless), { code: 'Cancelled' }),
    t.rejects(ask(endless), { code: 'Cancelled' })
  ])
  await process.close()
  await lost
  await t.rejects(ask('SELECT 1'), { code: 'Cancelled' })
  t.throws(() => globalThis.process.kill(pid!, 0), { code: 'ESRCH' })
  t.same(readdirSync(join(home, 'tmp', 'user')), [], 'nothing of it is left on the disk')
  await process.close()
})
