import t from 'tap'
import { startSql, visits } from './fixtures.ts'

t.test('a table is created, filled, described and queried', async t => {
  const { ask } = await startSql(t)
  t.match((await ask(visits)).body, { output: [{ affectedrows: 0 }, { affectedrows: 2 }] })
  t.match((await ask('DESC TABLE visits')).rows.slice(0, 3), [
    ['site', 'String', 'PRI', 'YES', '', 'TAG'],
    ['page', 'String', '', 'YES', '', 'FIELD'],
    ['n', 'Int64', '', 'YES', '7', 'FIELD']
  ])
  const { text, headers } = await ask('SELECT * FROM visits ORDER BY at', { format: 'csvWithNames' })
  t.equal(text, 'site,page,n,load,at\r\nnorth,/a,42,1.5,1719828000000\r\nsouth,,7,-2.0,1719830400000\r\n')
  t.equal(headers.get('x-svc-format'), 'csv')
  t.match(headers.get('x-svc-execution-time'), /^\d+$/)
  t.same((await ask('SHOW TABLES')).rows, [['visits']])
  t.same((await ask('DROP TABLE visits')).body.output, [{ affectedrows: 0 }])
  t.match((await ask('SELECT * FROM visits')).body, { code: 4001, error: /Table not found: svc\.public\.visits/ })
})

t.test('SHOW CREATE TABLE gives a statement that makes the same table', async t => {
  const { ask } = await startSql(t)
  await ask(`CREATE TABLE logs (
    site STRING NOT NULL,
    page STRING FULLTEXT INDEX WITH (case_sensitive = 'true'),
    id STRING SKIPPING INDEX, code INT INVERTED INDEX COMMENT 'it''s', price DECIMAL(10, 2), big BIGINT UNSIGNED,
    at TIMESTAMP(9) DEFAULT CURRENT_TIMESTAMP(),
    TIME INDEX (at), PRIMARY KEY (site),
  ) ENGINE=mito WITH (ttl = '7d', append_mode = 'true', comment = 'x')`)
  const first = (await ask('SHOW CREATE TABLE logs')).rows[0]![1] as string
  t.ok(first.includes('"at" TIMESTAMP(9) NOT NULL DEFAULT CURRENT_TIMESTAMP()'))
  t.ok(
    first.includes(
      `"page" STRING NULL FULLTEXT INDEX WITH(analyzer = 'English', backend = 'bloom', case_sensitive = 'true'`
    )
  )
  t.ok(first.endsWith(`)\n\nENGINE=embedded\nWITH(\n  'comment' = 'x',\n  append_mode = 'true',\n  ttl = '7days'\n)`))
  await ask('DROP TABLE logs')
  t.equal((await ask(first)).status, 200)
  t.equal((await ask('SHOW CREATE TABLE logs')).rows[0]![1], first)
})

t.test('statements of one request share USE and SET and answer in order', async t => {
  const { ask } = await startSql(t)
  const { body } = await ask(`CREATE DATABASE shop; USE shop; ${visits};
    SET time_zone = '+02:00'; INSERT INTO visits (site, at) VALUES ('zone', '2024-07-01 10:00:00');
    SELECT at FROM visits WHERE at = '2024-07-01 10:00:00'; SHOW VARIABLES time_zone`)
  const output = body.output!
  t.same(output[0], { affectedrows: 1 })
  t.same(output[1]!.records!.rows, [])
  t.same(output.at(-2)!.records!.rows, [[1719820800000]])
  t.same(output.at(-1)!.records!.rows, [['+02:00']])
  t.same((await ask('SELECT count(*) FROM shop.visits')).rows, [[3]])
  t.match((await ask('SELECT 1; SELECT 2', { format: 'csv' })).body, { code: 1004 })
  t.match((await ask('SELECT * FROM visits', { db: 'nope' })).body, { code: 4004, error: 'Database not found: nope' })
  t.match((await ask('DROP DATABASE public')).body, { code: 1004, error: 'Schema `public` is in use' })
})

t.test('columns are named as the user wrote the call', async t => {
  const { ask } = await startSql(t)
  await ask(visits)
  const { text } = await ask(
    'SELECT COUNT(*), avg(visits.n), max(n) FILTER (WHERE n > 0), now() > at AS past FROM visits GROUP BY past',
    {
      format: 'csvWithNames'
    }
  )
  t.equal(text, 'count(*),avg(visits.n),max(n) filter (where n > 0),past\r\n2,24.5,42,true\r\n')
})

t.test('names that differ only in case are told apart or refused with the way to write them', async t => {
  const { ask } = await startSql(t)
  await ask(
    'CREATE TABLE "Log" ("Host" STRING, host STRING, at TIMESTAMP TIME INDEX); INSERT INTO "Log" VALUES (\'A\', \'b\', 1)'
  )
  const { text } = await ask('SELECT "Host", l.host, l."Host" FROM "Log" l', { format: 'csvWithNames' })
  t.equal(text, 'Host,host,Host\r\nA,b,A\r\n')
  t.equal((await ask('SELECT * FROM "Log"', { format: 'csvWithNames' })).text, 'Host,host,at\r\nA,b,1\r\n')
  t.same((await ask('SELECT HOST FROM "Log"')).rows, [['b']])
  t.match((await ask('SELECT "HOST" FROM "Log"')).body, { code: 3000, error: /did you mean "Host" or "host"/ })
  t.match((await ask('SELECT * FROM Log')).body, { code: 4001, error: /did you mean "Log"/ })
})

t.test('errors say what, where and what was expected', async t => {
  const { ask } = await startSql(t)
  await ask(visits)
  const cases: [string, number, RegExp | string][] = [
    ['', 1004, 'empty statements'],
    ['SELEC 1', 1001, 'SQL statement is not supported, keyword: SELEC'],
    ['SELECT\n  (1 +', 2000, 'expected an expression, found end of statement at line 2, column 7'],
    ['SELECT 1\n2', 2000, 'expected the end of the statement, found 2 at line 2, column 1'],
    [
      'SELECT count(*) FILTER (n > 1) FROM visits',
      2000,
      /^expected the end of the statement, .* at line 1, column \d+$/
    ],
    ['SELECT n\n FROM visits WHERE placing > 1', 2000, 'syntax error at placing at line 2, column 20'],
    ['DESC visits now', 2000, 'expected the end of the statement, found now at line 1, column 13'],
    ["SELECT '👍', (n n n) FROM visits", 2000, /at line 1, column 16$/],
    ['SELECT [9223372036854775807::hugeint * 4]', 3000, /does not fit into 64 bits/],
    ['SELECT ~~~', 2000, /line 1/],
    ['SELECT nope FROM visits', 3000, /Failed to plan SQL: No field named nope at line 1, column 8\. Valid fields are/],
    [
      'INSERT INTO visits (site, at) VALUES (1)',
      1004,
      'Invalid SQL, error: column count mismatch, columns: 2, values: 1'
    ],
    [
      "INSERT INTO visits (n, at) VALUES (1, 1), ('x', 2)",
      2000,
      /Failed to parse value: row 2, column n: x is not a valid Int64/
    ],
    ['INSERT INTO visits (nope, at) VALUES (1, 1)', 4002, 'Column nope not exists in table visits'],
    ['INSERT INTO visits (at) VALUES (NULL)', 1004, /row 1, column at: the column takes no nulls/],
    ['INSERT INTO visits (n) VALUES (1)', 1004, /time index/],
    ['CREATE TABLE a (n INT)', 2000, 'Missing time index constraint'],
    ['CREATE TABLE a (n INT TIME INDEX)', 1004, /^Invalid column option, column name: n, error: time index column/],
    ["CREATE TABLE a (at TIMESTAMP TIME INDEX) WITH (foo = 'x')", 1004, 'Unrecognized table option key: foo'],
    ['CREATE TABLE a (n INT DEFAULT 1.5, at TIMESTAMP TIME INDEX)', 2000, /column n: 1.5 is not a valid Int32/],
    ['CREATE TABLE visits (at TIMESTAMP TIME INDEX)', 4000, 'Table already exists: `svc.public.visits`'],
    ['CREATE DATABASE public', 1004, 'Schema public already exists'],
    ['DROP TABLE visits, nope', 4001, 'Table not found: svc.public.nope'],
    ['DESC nope', 4001, 'Table not found: nope'],
    ['USE nope', 1004, 'Failed to find schema, schema info: nope'],
    ['SET foo = 1', 1001, 'Unsupported set variable FOO'],
    ['INSERT INTO information_schema.tables VALUES (1)', 1001, 'Schema `information_schema` is read-only']
  ]
  for (const [sql, code, error] of cases) {
    const reply = await ask(sql)
    t.equal(reply.status, 400, sql)
    t.match(reply.body, { code, error }, sql)
    t.equal(reply.headers.get('x-svc-err-code'), String(code))
  }
  t.same((await ask('SELECT count(*) FROM visits')).rows, [[2]])
})

t.test('values are converted to the type of their column', async t => {
  const { ask } = await startSql(t)
  await ask(`CREATE TABLE v (i8 TINYINT, u64 BIGINT UNSIGNED, f FLOAT, b BOOLEAN, x VARBINARY, j JSON, d DATE, p DECIMAL(30, 3),
    s STRING, at TIMESTAMP(9) TIME INDEX);
    INSERT INTO v VALUES
      (-128, 18446744073709551615, 0.1, true, X'00ff', '{"a":[1]}', '2024-02-29', 1234567890123456789.5, "text", 1),
      (1+1, 0x10, 1e3, 'false', 'a', NULL, 0, -0.0005, 5, '2024-07-01T00:00:00.000000001+02:00')`)
  const { text } = await ask('SELECT * FROM v ORDER BY at', {})
  t.ok(
    text.includes(
      '[[-128,18446744073709551615,0.1,true,[0,255],{"a":[1]},19782,"1234567890123456789.500","text",1],' +
        '[2,16,1000.0,false,[97],null,0,"-0.001","5",1719784800000000001]]'
    ),
    text
  )
  t.match((await ask('INSERT INTO v (i8, at) VALUES (128, 2)')).body, { error: /128 is not a valid Int8/ })
  t.match((await ask("INSERT INTO v (j, at) VALUES ('{', 2)")).body, { error: /is not a valid Json/ })
  t.same((await ask('INSERT INTO v (s, at) SELECT s, at + INTERVAL 1 hour FROM v')).body.output, [{ affectedrows: 2 }])
})

t.test('parameters come from the query before the form, whatever the content type of an empty body', async t => {
  const { url } = await startSql(t)
  const json = { 'content-type': 'application/json' }
  const empty = await fetch(`${url}/v1/sql?sql=SELECT+1&format=csv`, { method: 'POST', headers: json })
  t.equal(await empty.text(), '1\r\n')
  const get = await fetch(`${url}/v1/sql?sql=SELECT+%2B1&format=csv`)
  t.equal(await get.text(), '1\r\n')
  const form = new URLSearchParams({ sql: 'SELECT 2', format: 'table', limit: '0' })
  const both = await fetch(`${url}/v1/sql?sql=SELECT+1&format=csv`, { method: 'POST', body: form })
  t.equal(await both.text(), '')
  const wrong = await fetch(`${url}/v1/sql`, { method: 'POST', headers: json, body: '{}' })
  t.equal(wrong.status, 415)
  const none = await fetch(`${url}/v1/sql`)
  t.match(await none.json(), { code: 1004, error: 'sql parameter is required.' })
  for (const parameter of ['format=xml', 'epoch=h', 'compression=gzip', 'limit=x']) {
    const reply = await fetch(`${url}/v1/sql?sql=SELECT+1&${parameter}`)
    t.equal(reply.status, 400, parameter)
  }
})

t.test('format and parse read without running', async t => {
  const { url } = await startSql(t)
  const get = async (path: string, sql: string) =>
    (await fetch(`${url}/v1/sql/${path}?${new URLSearchParams({ sql })}`)).json() as Promise<unknown>
  t.same(await get('format', 'select  1 as x;with t as (select 2.5) select * from t'), {
    formatted: 'SELECT 1 AS x;\nWITH t AS (SELECT 2.5) SELECT * FROM t;'
  })
  t.same(await get('format', 'drop table  if exists Visits'), { formatted: 'DROP TABLE IF EXISTS Visits;' })
  t.match(await get('parse', 'desc visits'), [{ DescribeTable: { name: [{ text: 'visits' }] } }])
  t.match(await get('parse', 'select 1'), [{ Query: { body: {} } }])
  t.match(await get('parse', 'select ('), { code: 2000 })
})

t.test('permissions are those of each statement', async t => {
  const { ask } = await startSql(t, 'user_provider = "static_user_provider:cmd:rw=a,reader:ro=a,writer:wo=a"\n')
  const as = (user: string) => ({ authorization: `Basic ${Buffer.from(`${user}:a`).toString('base64')}` })
  t.equal((await ask(visits, {}, as('rw'))).status, 200)
  for (const sql of ['SELECT 1', 'SHOW TABLES', 'DESC visits', 'EXPLAIN SELECT 1']) {
    t.equal((await ask(sql, {}, as('reader'))).status, 200, sql)
    t.match(await ask(sql, {}, as('writer')), { status: 403, body: { code: 7006 } }, sql)
  }
  for (const sql of ['INSERT INTO visits (at) VALUES (1)', 'CREATE DATABASE d', "ADMIN flush_table('visits')"]) {
    t.match(await ask(sql, {}, as('reader')), { status: 403, body: { code: 7006 } }, sql)
    t.equal((await ask(sql, {}, as('writer'))).status, 200, sql)
  }
})

t.test('EXPLAIN tells the plan and no file of the server', async t => {
  const { ask } = await startSql(t)
  await ask(`${visits}; ADMIN flush_table('visits')`)
  for (const sql of ['EXPLAIN', 'EXPLAIN ANALYZE', 'EXPLAIN FORMAT JSON', 'EXPLAIN ANALYZE FORMAT JSON']) {
    const { status, text } = await ask(`${sql} SELECT sum(n) FROM visits`)
    t.equal(status, 200, sql)
    t.notMatch(text, /\.parquet/, sql)
    t.match(text, /READ_PARQUET|PARQUET/, sql)
    t.match(text, /public\.visits.*file.*scan/, sql)
  }
})

t.test('EXPLAIN ANALYZE of what statistics of files answer has the plan for operators: nothing runs', async t => {
  const { ask } = await startSql(t)
  await ask(`${visits}; ADMIN flush_table('visits')`)
  for (const item of ['count(*)', 'max(load)', 'sum(n)']) {
    const lines = (await ask(`EXPLAIN ANALYZE SELECT ${item} FROM visits`)).rows
    t.match(lines[0], [0, 0, /[A-Z]+_[A-Z]+/], item)
    t.match(lines.at(-1), [1, 0, /public\.visits file/], item)
    const [json] = (await ask(`EXPLAIN ANALYZE FORMAT JSON SELECT ${item} FROM visits`)).rows
    t.notMatch(json, [0, 0, /"result"/], item)
  }
})

t.test('EXPLAIN tells how each file and memtable is read, and why', async t => {
  const { ask } = await startSql(t)
  await ask(`${visits}; ADMIN flush_table('visits'); INSERT INTO visits SELECT * FROM visits`)
  const lines = async (sql: string) => {
    const { rows } = await ask(sql)
    return rows.map((row: unknown[]) => String(row.at(-1))).filter((line: string) => line.startsWith('public.visits'))
  }
  const merged = await lines('EXPLAIN SELECT sum(n) FROM visits')
  t.match(merged, [
    /^public\.visits file \d+: merge, it shares times with other rows; rows=\d+ bytes=\d+$/,
    /^public\.visits memory 1: merge, it shares times with other rows; rows=\d+ bytes=\d+$/
  ])
  t.same(await lines('EXPLAIN ANALYZE SELECT sum(n) FROM visits'), merged)
  t.match(await lines("EXPLAIN SELECT sum(n) FROM visits WHERE at > '2100-01-01'"), [
    /file \d+: skip, its rows are outside of the times asked for/,
    /memory 1: skip/
  ])
})

t.test('information_schema and filters of SHOW', async t => {
  const { ask } = await startSql(t)
  await ask(visits)
  t.same((await ask("SELECT table_name, engine FROM information_schema.tables WHERE table_schema = 'public'")).rows, [
    ['visits', 'embedded']
  ])
  t.same((await ask("SELECT column_name FROM information_schema.columns WHERE semantic_type = 'TAG'")).rows, [['site']])
  t.same((await ask('SHOW DATABASES')).rows, [['information_schema'], ['public'], ['svc_private']])
  t.same((await ask("SHOW TABLES LIKE 'v_s%'")).rows, [['visits']])
  t.same((await ask("SHOW FULL TABLES WHERE Tables <> 'visits'")).rows, [])
})
