// Requests that the embedded engine answers but ClickHouse cannot are refused with 400 and a reason, never with a server error.
import t from 'tap'
import { startServer } from '../helpers.ts'
import { needingClickHouse, startClickHouse } from './server.ts'

t.setTimeout(100_000)

/** Statements, and what is said of them. */
const refused: readonly (readonly [statement: string, said: RegExp])[] = [
  ["COPY logs TO '/tmp/logs.parquet' WITH (FORMAT = 'parquet')", /COPY|files/],
  ["COPY logs FROM '/tmp/logs.parquet' WITH (FORMAT = 'parquet')", /COPY|files/],
  ["COPY DATABASE public TO '/tmp/all' WITH (FORMAT = 'parquet')", /COPY|files/],
  ["COPY (SELECT * FROM logs) TO '/tmp/logs.csv' WITH (FORMAT = 'csv')", /COPY|files/],
  ['EXPLAIN ANALYZE SELECT * FROM logs', /EXPLAIN ANALYZE/],
  [
    "SELECT ts, avg(v) RANGE '5m' FROM logs ALIGN '1m'",
    /clickhouse has no RANGE and ALIGN: group by a bucket of the time/
  ],
  ["SELECT ts, host, max(v) RANGE '5m' FROM logs ALIGN '1m' BY (host) FILL PREV", /has no RANGE and ALIGN/],
  ["SELECT * FROM logs WHERE matches(line, 'a b')", /function matches is not allowed/],
  [
    "SELECT * FROM (TQL EVAL (0, 10, '1s') load)",
    /has no TQL in a query: send it as a statement of its own at line 1, column 16/
  ],
  ['SELECT approx_quantile(v, 0.5) FROM logs', /function approx_quantile is not allowed/],
  ["SELECT read_parquet('/tmp/x.parquet')", /function read_parquet is not allowed/],
  ["SELECT * FROM read_parquet('/tmp/x.parquet')", /table function read_parquet is not allowed/],
  ["SELECT * FROM '/tmp/x.parquet'", /not allowed/],
  ['SELECT * FROM logs TABLESAMPLE 10 PERCENT', /Syntax|SAMPLE|TABLESAMPLE/i],
  [
    'SELECT * FROM logs QUALIFY row_number() OVER (PARTITION BY host ORDER BY ts) = 1 SETTINGS x = 1',
    /Unknown setting|SETTINGS/
  ],
  ['ALTER TABLE logs DROP COLUMN host', /remove index column host/],
  ['ALTER TABLE logs MODIFY COLUMN host BIGINT', /host/],
  ["ALTER TABLE logs SET 'append_mode' = 'false'", /append_mode/],
  ["SELECT toInt32('x')", /Cannot parse string 'x'/],
  ["SELECT CAST('x' AS UUID)", /./],
  ['SELECT intDiv(v, 0) FROM logs', /[Dd]ivision by zero/],
  ["SELECT match(line, '(') FROM logs", /./],
  ['SELECT (SELECT v FROM logs)', /./],
  ['SELECT 1 UNION ALL SELECT 1, 2', /./],
  ['SELECT arrayMap((x, y) -> x + y, [1, 2], [1])', /./],
  ['SELECT a + 1 AS b, b + 1 AS a', /./],
  ['SELECT length(line, 1) FROM logs', /./],
  ['SELECT arrayElement(range(1000000000000), 1)', /./],
  ["SELECT repeat('x', 1000000000)", /./],
  ["SELECT toDateTime64('never', 3)", /./],
  ['SELECT v + line FROM logs', /./],
  ['PRAGMA database_list', /PRAGMA/i],
  ['ATTACH DATABASE x', /ATTACH/i],
  ['VACUUM', /VACUUM/i]
]

t.test('over chdb', needingClickHouse(), async t => {
  const { url } = await startClickHouse(t)
  const { main } = await startServer(t, `[storage]\nengine = "clickhouse"\n[storage.clickhouse]\nurls = ["${url}"]\n`)
  const ask = async (sql: string) => {
    const { statusCode, body } = await main.inject({
      method: 'POST',
      url: '/v1/sql',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ sql }).toString()
    })
    return { statusCode, error: String(JSON.parse(body).error ?? '') }
  }
  const made = await ask(
    "CREATE TABLE logs (ts TIMESTAMP(3) TIME INDEX, host STRING PRIMARY KEY, line STRING, v BIGINT) WITH (append_mode = 'true')"
  )
  t.equal(made.statusCode, 200, made.error)
  t.equal((await ask("INSERT INTO logs VALUES (1, 'a', 'x', 1), (2, 'a', 'y', 2)")).statusCode, 200)
  for (const [statement, said] of refused) {
    const { statusCode, error } = await ask(statement)
    t.equal(statusCode, 400, `${statement}: ${statusCode} ${error}`)
    t.match(error, said, statement)
    t.notMatch(error, /weir_public|__version|In scope/i, 'it does not tell what really ran')
  }
  const tql = await main.inject(`/v1/sql?${new URLSearchParams({ sql: "TQL ANALYZE (0, 10, '1s') load" })}`)
  t.not(tql.statusCode, 500, tql.body)
  t.equal((await ask('SELECT count() FROM logs')).statusCode, 200, 'the server goes on')
})

t.test('series of ordinary tables are counted for each request only', needingClickHouse(), async t => {
  const { url } = await startClickHouse(t)
  const storage = `[storage]\nengine = "clickhouse"\n[storage.clickhouse]\nurls = ["${url}"]\n`
  const { main } = await startServer(t, `${storage}[limits]\nmax_series = 3\n`)
  const write = (...hosts: string[]) =>
    main.inject({
      method: 'POST',
      url: '/v1/lineproto/write?precision=ms',
      payload: hosts.map(host => `load,host=${host} v=1 1`).join('\n')
    })
  const many = await write('a', 'b', 'c', 'd')
  t.equal(many.statusCode, 400, many.body)
  t.match(many.body, /more than 3 series \(limits\.max_series\)/)
  for (const hosts of [['a', 'b'], ['c', 'd'], ['e']]) {
    const { statusCode, body } = await write(...hosts)
    t.equal(statusCode, 204, body)
  }
})
