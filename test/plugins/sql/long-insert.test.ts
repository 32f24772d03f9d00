// INSERT … VALUES beyond the limits of texts: read row by row, stored as a whole.
import t from 'tap'
import { startSql } from './fixtures.ts'

const limits = '[plugins.sql]\nmax_sql_length = "1KiB"\nmax_sql_tokens = 600\n'
const rows = 20_000
const values = (row: (i: number) => string) => Array.from({ length: rows }, (_, i) => row(i)).join(', ')

t.test('an INSERT of any length is stored as a whole', async t => {
  const { ask, url } = await startSql(t, limits)
  await ask(
    'CREATE TABLE m (ts TIMESTAMP(3) TIME INDEX, host STRING, v DOUBLE, n BIGINT DEFAULT 3, PRIMARY KEY (host))'
  )
  const text = `INSERT INTO m (ts, v, host, n) VALUES ${values(i => `(${i}, ${i} / 4.0 -- c)\n, 'it''s (;)${i % 7}', ${i % 2 ? 'DEFAULT' : `-${i}`})`)} ; `
  const reply = await ask(text)
  t.equal(reply.status, 200, reply.text)
  t.same(reply.body.output, [{ affectedrows: rows }])
  const sums = 'SELECT count(*), sum(v), sum(n), count(DISTINCT host), max(host) FROM m'
  const half = rows / 2
  const expected = [[rows, (rows * (rows - 1)) / 8, 3 * half - half * (half - 1), 7, "it's (;)6"]]
  t.same((await ask(sums)).rows, expected)

  const bytes = await fetch(`${url}/v1/sql`, {
    method: 'POST',
    body: text,
    headers: { 'content-type': 'application/sql' }
  })
  t.equal(bytes.status, 200, 'as the body itself')
  t.same((await ask(sums)).rows, expected, 'the same rows again')
})

t.test('a faulty row stores nothing, and is told with its position', async t => {
  const { ask } = await startSql(t, limits)
  await ask('CREATE TABLE m (ts TIMESTAMP(3) TIME INDEX, v BIGINT)')
  const wrong: Readonly<Record<string, RegExp>> = {
    [values(i => `(${i}, ${i === 19_999 ? "'x'" : i})`)]: /row 20000, column v: x is not a valid Int64/,
    [values(i => (i === 15_000 ? `(${i})` : `(${i}, 1)`))]: /columns: 2, values: 1/,
    [values(i => (i === 15_000 ? `${i}, 1` : `(${i}, 1)`))]: /expected \(, found 15000 at line 1, column/,
    [values(i => (i === 15_000 ? `(${i},, 1)` : `(${i}, 1)`))]: /expected a value, found ,/,
    [`${values(i => `(${i}, 1)`)}, (1, (2)`]: /expected \), found end of statement/,
    [`${values(i => `(${i}, 1)`)}; DROP TABLE m`]: /one INSERT and nothing behind it/,
    [`${values(i => `(${i}, 1)`)} RETURNING v`]: /expected , or the end of the statement, found RETURNING/,
    [values(i => `(${i}, $1)`)]: /Parser Error|parameter/
  }
  for (const [text, error] of Object.entries(wrong)) {
    const reply = await ask(`INSERT INTO m VALUES ${text}`)
    t.equal(reply.status, 400, text.slice(-40))
    t.match(reply.body.error, error)
  }
  t.same((await ask('SELECT count(*) FROM m')).rows, [[0]])
  const absent = await ask(`INSERT INTO nowhere VALUES ${values(i => `(${i}, 1)`)}`)
  t.match(absent.body.error, /Table not found: svc.public.nowhere/)
})

t.test('other texts are as long as they may be', async t => {
  const { ask } = await startSql(t, limits)
  const long = await ask(`SELECT ${'1 + '.repeat(400)} 1`)
  t.match(long.body.error, /at most are 1024 \(\[plugins.sql\] max_sql_length = "1KiB"\)/)
  const many = await ask(`SELECT ${'1+'.repeat(400)}1`)
  t.match(many.body.error, /more than 600 words, values and signs \(\[plugins.sql\] max_sql_tokens\)/)
  await ask('CREATE TABLE m (ts TIMESTAMP(3) TIME INDEX, v BIGINT)')
  const tokens = Array.from({ length: 150 }, (_, i) => `(${i},1)`).join(',')
  t.same((await ask(`INSERT INTO m VALUES ${tokens}`)).body.output, [{ affectedrows: 150 }], 'many tokens in few bytes')
  const select = await ask(`INSERT INTO m SELECT ${'1 + '.repeat(400)} 1, 2`)
  t.match(select.body.error, /max_sql_length/)
  const asked = await ask(`INSERT INTO m VALUES ${values(i => `(${i}, ?)`)}`, { params: '[1]' })
  t.match(asked.body.error, /max_sql_length/, 'with params, too')
})

t.test('a row of an INSERT of any length has as many words as a statement at most', async t => {
  const { ask } = await startSql(t, limits)
  await ask('CREATE TABLE m (ts TIMESTAMP(3) TIME INDEX, v BIGINT)')
  const row = (terms: number) => `(1, ${'1+'.repeat(terms)}1)`
  const long = await ask(`INSERT INTO m VALUES ${row(20_000)}`)
  t.match(long.body, { code: 1004, error: /a row of the INSERT has more than 600 words, values and signs/ })
  // All rows together have more words than are read in one go.
  const many = await ask(`INSERT INTO m VALUES ${Array.from({ length: 2000 }, () => row(10)).join()}`)
  t.same(many.body.output, [{ affectedrows: 2000 }], many.text)
  t.same((await ask('SELECT v FROM m')).rows, [[11]])
})

t.test('it holds the event loop for no long stretch', async t => {
  const { url, ask } = await startSql(t)
  await ask('CREATE TABLE m (ts TIMESTAMP(3) TIME INDEX, v BIGINT)')
  const body = `INSERT INTO m VALUES ${Array.from({ length: 300_000 }, (_, i) => `(${i}, ${i})`).join(', ')}`
  const holds: number[] = []
  let last = process.threadCpuUsage()
  const look = setInterval(() => {
    const { user, system } = process.threadCpuUsage(last)
    holds.push((user + system) / 1000)
    last = process.threadCpuUsage()
  }, 0)
  t.teardown(() => clearInterval(look))
  const reply = await fetch(`${url}/v1/sql`, { method: 'POST', headers: { 'content-type': 'application/sql' }, body })
  t.equal(reply.status, 200)
  t.ok(Math.max(...holds) < 100, `${Math.max(...holds)} ms of processor time`)
})
