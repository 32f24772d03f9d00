// Queries for the last rows of a table read only its latest parts, however they are written; others read all they need.
import t from 'tap'
import { startSql } from './fixtures.ts'

const last = [
  'SELECT * FROM lines ORDER BY at DESC LIMIT 3',
  'select n, t.at as moment from lines as t order by t.AT desc, n limit 2 offset 1',
  'SELECT n + 1 AS m FROM lines ORDER BY at DESC NULLS LAST LIMIT 3',
  'SELECT count(*) FROM (SELECT * FROM lines ORDER BY at DESC LIMIT 3) WHERE n > 0',
  'WITH newest AS (SELECT n FROM lines ORDER BY at DESC LIMIT 3) SELECT max(n) FROM newest'
]

const others = [
  'SELECT * FROM lines ORDER BY at LIMIT 3',
  'SELECT * FROM lines ORDER BY n DESC LIMIT 3',
  'SELECT * FROM lines ORDER BY n, at DESC LIMIT 3',
  'SELECT * FROM lines WHERE n = 1 ORDER BY at DESC LIMIT 3',
  'SELECT DISTINCT n FROM lines ORDER BY n DESC LIMIT 3',
  'SELECT n AS at FROM lines ORDER BY at DESC LIMIT 3',
  'SELECT max(n) FROM lines GROUP BY at ORDER BY at DESC LIMIT 3',
  'SELECT sum(n) OVER (), at FROM lines ORDER BY at DESC LIMIT 3',
  'SELECT * FROM lines ORDER BY at DESC',
  'SELECT * FROM lines ORDER BY at DESC LIMIT 2 + 1',
  'SELECT a.n FROM lines a, lines b ORDER BY a.at DESC LIMIT 3',
  '(SELECT n, at FROM lines) UNION ALL (SELECT 7, now()::TIMESTAMP_MS) ORDER BY at DESC LIMIT 3'
]

t.test('the last rows', async t => {
  const { ask } = await startSql(t)
  await ask("CREATE TABLE lines (at TIMESTAMP(3) TIME INDEX, n BIGINT) WITH (append_mode = 'true')")
  const insert = (from: number) =>
    ask(
      `INSERT INTO lines VALUES ${Array.from({ length: 5 }, (_, i) => `(${from + i}, ${(from + i) % 7})`).join(', ')}`
    )
  for (const from of [1000, 2000, 3000]) {
    await insert(from)
    await ask("ADMIN flush_table('lines')")
  }
  await insert(500)
  const skipped = async (sql: string) => {
    const { text } = await ask(`EXPLAIN ${sql}`)
    return text.split('as many rows as are asked for are later').length - 1
  }
  for (const sql of last) t.ok((await skipped(sql)) >= 2, sql)
  for (const sql of others) t.equal(await skipped(sql), 0, sql)
  const limited = await ask('SELECT epoch_ms(at) FROM lines ORDER BY at DESC LIMIT 7')
  const all = await ask('SELECT epoch_ms(at) FROM (SELECT at, n FROM lines WHERE n >= 0) ORDER BY at DESC LIMIT 7')
  t.equal(all.rows.length, 7)
  t.strictSame(limited.rows, all.rows)
})
