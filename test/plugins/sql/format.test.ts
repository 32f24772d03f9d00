// The routes for tools that format or parse statements; nothing is executed.
import t from 'tap'
import { startServer } from '../../helpers.ts'

type Ask = (path: 'format' | 'parse', sql: string) => Promise<{ status: number; body: unknown }>

async function open(test: Parameters<typeof startServer>[0]): Promise<Ask> {
  const server = await startServer(test)
  return async (path, sql) => {
    const body = new URLSearchParams({ sql })
    const response = await fetch(`${server.addresses.main}/v1/sql/${path}`, { method: 'POST', body })
    return { status: response.status, body: await response.json() }
  }
}

t.test('every kind of statement is printed on one line, keywords in upper case, the rest as written', async t => {
  const ask = await open(t)
  const printed: Record<string, string> = {
    'select  1 as x': 'SELECT 1 AS x',
    "with a as (select 1.50 as n)\nselect * from a where s = 'It''s' -- why\n":
      "WITH a AS (SELECT 1.50 AS n) SELECT * FROM a WHERE s = 'It''s'",
    'select * exclude (a) from t qualify row_number() over (order by b) = 1':
      'SELECT * EXCLUDE (a) FROM t QUALIFY row_number() OVER (ORDER BY b) = 1',
    "create table if not exists T (s string not null, at timestamp(3) time index, primary key (s)) engine=mito with (ttl='7d')":
      "CREATE TABLE IF NOT EXISTS T (s string NOT NULL, at timestamp(3) TIME INDEX, PRIMARY KEY (s)) ENGINE=mito WITH (ttl='7d')",
    'create table t (at timestamp, time index (at))': 'CREATE TABLE t (at timestamp, TIME INDEX (at))',
    'alter table t add column c int default 1 first': 'ALTER TABLE t ADD COLUMN c int DEFAULT 1 FIRST',
    "insert into t (a) values (1), ('x')": "INSERT INTO t (a) VALUES (1), ('x')",
    'truncate table t': 'TRUNCATE TABLE t',
    'desc "Visits"': 'DESC "Visits"',
    "show full tables from d like 'a%'": "SHOW FULL TABLES FROM d LIKE 'a%'",
    "admin flush_table('visits')": "ADMIN flush_table('visits')",
    "copy t to 'x.parquet' with (format='parquet')": "COPY t TO 'x.parquet' WITH (FORMAT='parquet')",
    'create or replace view v as select * from t': 'CREATE OR REPLACE VIEW v AS SELECT * FROM t',
    'tql eval (0, 10, \'5s\')\n  sum by (host) (rate(x{a=~"b.*"}[5m])) as Load':
      'TQL EVAL (0, 10, \'5s\') sum by (host) (rate(x{a=~"b.*"}[5m])) AS load',
    "select at, max(v) range '10s' fill prev as top from t where v > 1 align '10s' to now by (host) order by at":
      "SELECT at, max(v) RANGE '10s' FILL PREV AS top FROM t WHERE v > 1 ALIGN '10s' TO NOW BY (host) ORDER BY at",
    "with a as (select at, avg(v) range '1m' from t align '1m') select count(*) from a":
      "WITH a AS (SELECT at, avg(v) RANGE '1m' FROM t ALIGN '1m') SELECT count(*) FROM a",
    'with t as (tql eval (0, 10, \'5s\') sum by (time) (up{a=~"(x"}) as v) select v from t where v > 1':
      'WITH t AS (TQL EVAL (0, 10, \'5s\') sum by (time) (up{a=~"(x"}) as v) SELECT v FROM t WHERE v > 1',
    'create table t (range int, at timestamp time index)': 'CREATE TABLE t (range int, at timestamp TIME INDEX)',
    "tql analyze verbose (now() - interval '1 hour', now(), '1m', '5m') up":
      "TQL ANALYZE VERBOSE (now() - interval '1 hour', now(), '1m', '5m') up"
  }
  for (const [sql, line] of Object.entries(printed)) {
    t.same((await ask('format', sql)).body, { formatted: `${line};` }, sql)
    t.same((await ask('format', line)).body, { formatted: `${line};` }, `once more: ${line}`)
  }
  t.same((await ask('format', 'select 1;;desc t;')).body, { formatted: 'SELECT 1;\nDESC t;' })
})

t.test('the tree of every statement is an object named after its kind', async t => {
  const ask = await open(t)
  const kinds: Record<string, string> = {
    'select 1': 'Query',
    'from t': 'Query',
    'desc visits': 'DescribeTable',
    'create table t (at timestamp time index)': 'CreateTable',
    'alter table t drop column c': 'AlterTable',
    'insert into t values (1)': 'Insert',
    'delete from t': 'Delete',
    'show tables': 'Show',
    "admin flush_table('t')": 'Admin',
    "tql eval (0, 10, '5s') up as v": 'Tql',
    "select at, max(v) range '10s' from t align '10s' by ()": 'Query',
    "with t as (tql eval (0, 10, '5s') up) select * from t": 'Query',
    'explain select 1': 'Explain',
    'use d': 'Use'
  }
  for (const [sql, kind] of Object.entries(kinds)) {
    const { body } = await ask('parse', sql)
    t.same(
      (body as object[]).map(tree => Object.keys(tree)),
      [[kind]],
      sql
    )
  }
  const { body } = await ask('parse', "tql eval (0, 10, '5s', '1m') sum(up) as v")
  t.match(body, [
    { Tql: { command: 'eval', start: '0', end: '10', step: "'5s'", lookback: "'1m'", query: 'sum(up)', alias: 'v' } }
  ])
  const ranges = await ask('parse', "select max(v) range '10s' from t align '5s' by (host) fill 0")
  t.match(ranges.body, [
    {
      Query: {
        ranges: [{ align_ms: 5000, by: ['host'], calls: [{ call: 'max(v)', range_ms: 10_000, fill: { value: '0' } }] }]
      }
    }
  ])
  t.same((await ask('parse', 'drop table gone; select 1')).status, 200, 'nothing runs')
})

t.test('a syntax error has its line and column on both routes', async t => {
  const ask = await open(t)
  const wrong: Record<string, RegExp> = {
    'select (': /end of statement at line 1, column 9$/,
    'select 1,\n  2 3': /found 3 at line 2, column 5$/,
    'select * from t\nwhere a = = 1': /at line 2, column 11$/,
    "select 'abc": /unterminated string at line 1, column 8$/,
    'create table t (a int': /at line 1, column 22$/,
    'drop tabel x': /expected TABLE, found tabel at line 1, column 6$/,
    'tql run (1, 2, 3) x': /expected EVAL, EXPLAIN or ANALYZE, found run at line 1, column 5$/,
    'tql eval (1, 2) x': /expected start, end, step and perhaps lookback, found \) at line 1, column 15$/,
    "tql eval (1, 2, '3s')": /expected a PromQL query, found end of statement at line 1, column 22$/
  }
  for (const [sql, error] of Object.entries(wrong)) {
    for (const path of ['format', 'parse'] as const) {
      t.match(await ask(path, sql), { status: 400, body: { code: 2000, error } }, `${path}: ${sql}`)
    }
  }
  t.match((await ask('format', 'selec 1')).body, {
    code: 1001,
    error: 'SQL statement is not supported, keyword: SELEC'
  })
  t.match((await ask('parse', ' ; ')).body, { code: 1004, error: 'empty statements' })
})
