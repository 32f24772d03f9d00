// No answer contains the path of a server's folder, whatever fails and whenever.
import { readdirSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startServer } from '../../helpers.ts'

const absolute = /(?:^|[\s"'(:[])\/(?!v1\/)[\w.-]+\//

t.test('errors of damaged files and plans name tables, no folders', async t => {
  const server = await startServer(t)
  const ask = async (url: string) => {
    const reply = await server.main.inject(url)
    return { status: reply.statusCode, text: `${reply.body} ${reply.headers['x-svc-err-msg'] ?? ''}` }
  }
  const sql = (text: string, more = {}) => ask(`/v1/sql?${new URLSearchParams({ sql: text, ...more })}`)
  await sql('CREATE TABLE a (ts TIMESTAMP TIME INDEX, host STRING PRIMARY KEY, val DOUBLE)')
  const rows = Array.from({ length: 5000 }, (_, i) => `(${i}, 'h', ${i})`)
  await sql(`INSERT INTO a (ts, host, val) VALUES ${rows.join()}`)
  const plans = ['EXPLAIN', 'EXPLAIN FORMAT JSON', 'EXPLAIN ANALYZE', 'EXPLAIN ANALYZE FORMAT JSON']
  const check = async (state: string) => {
    for (const plan of plans) {
      const { status, text } = await sql(`${plan} SELECT host, max(val) FROM a WHERE val > 3 GROUP BY host`)
      t.equal(status, 200, `${state}: ${plan}`)
      t.notMatch(text, server.folder)
      t.notMatch(text, absolute)
    }
  }
  await check('in memory')
  await sql("ADMIN flush_table('a')")
  await check('in a file')
  const data = join(server.folder, 'data', 'data')
  const files = readdirSync(data, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.parquet'))
  t.ok(files.length > 0)
  for (const file of files) truncateSync(join(data, file), 200)
  const json = (query: unknown) => encodeURIComponent(JSON.stringify(query))
  const asked = {
    SQL: await sql('SELECT * FROM a'),
    CSV: await sql('SELECT * FROM a', { format: 'csv' }),
    EXPLAIN: await sql('EXPLAIN ANALYZE SELECT max(val) FROM a'),
    TQL: await sql('TQL EVAL (0, 5, 1) a'),
    PromQL: await ask('/v1/metricsys/api/v1/query?query=a&time=3'),
    logs: await ask(`/v1/logs?query=${json({ table: 'a', columns: ['host'] })}`),
    flush: await sql("ADMIN compact_table('a')")
  }
  for (const [name, { status, text }] of Object.entries(asked)) {
    t.comment(`${name}: ${status} ${text.slice(0, 200)}`)
    t.notMatch(text, server.folder, name)
    t.notMatch(text, absolute, name)
  }
  t.not(asked.SQL.status, 200)
})
