import t from 'tap'
import { startSql, visits } from './fixtures.ts'

const escapes = [
  "SELECT * FROM 'data/public-1/visits-1/1.parquet'",
  'SELECT * FROM "data/public-1/visits-1/1.parquet"',
  'SELECT * FROM `x.parquet`',
  "SELECT * FROM public.'x.parquet'",
  "FROM 'x.parquet'",
  "FROM 'x.parquet' SELECT *",
  "SELECT (FROM 'x.parquet')",
  "SELECT * FROM visits, 'x.parquet'",
  "SELECT * FROM visits POSITIONAL JOIN 'x.parquet'",
  "SELECT * FROM visits ASOF JOIN 'x.parquet' x ON visits.at >= x.at",
  "SELECT * FROM read_parquet('x.parquet')",
  "SELECT * FROM READ_PARQUET('x.parquet')",
  'SELECT * FROM "read_parquet"(\'x.parquet\')',
  "SELECT * FROM main.read_parquet('x.parquet')",
  "SELECT * FROM parquet_scan('x.parquet')",
  "SELECT * FROM parquet_metadata('x.parquet')",
  "SELECT * FROM read_csv_auto('/etc/passwd')",
  "SELECT * FROM read_text('/etc/passwd')",
  "SELECT * FROM read_blob('/etc/passwd')",
  "SELECT * FROM read_json('x.json')",
  "SELECT * FROM glob('*')",
  "SELECT * FROM sniff_csv('x.csv')",
  'SELECT * FROM duckdb_settings()',
  'SELECT * FROM duckdb_tables()',
  'SELECT * FROM duckdb_tables',
  "SELECT * FROM pragma_table_info('visits')",
  'SELECT * FROM pragma_database_list',
  'SELECT * FROM sqlite_master',
  'SELECT * FROM pg_catalog.pg_tables',
  'SELECT * FROM pg_class',
  'SELECT * FROM main.information_schema.tables',
  'SELECT * FROM system.information_schema.tables',
  'SELECT * FROM mem_1_0',
  'SELECT * FROM main.mem_1_0',
  'SELECT * FROM memory.main.mem_1_0',
  "SELECT * FROM query('SELECT 1')",
  "SELECT * FROM query_table('visits')",
  "SELECT * FROM query_table(['x.parquet'])",
  "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
  "SELECT * FROM sql_auto_complete('SEL')",
  'SELECT * FROM histogram(visits, n)',
  "SELECT getenv('HOME')",
  'SELECT "getenv"(\'HOME\')',
  "SELECT 'HOME'.getenv()",
  "SELECT current_setting('allowed_directories')",
  "SELECT main.current_setting('threads')",
  "SELECT which_secret('s3://x', 's3')",
  "SELECT getvariable('x')",
  "SELECT nextval('x')",
  "SELECT 1 WHERE EXISTS (SELECT * FROM read_text('/etc/passwd'))",
  "SELECT 1 IN (SELECT n FROM 'x.parquet')",
  "SELECT ARRAY(SELECT n FROM 'x.parquet')",
  "WITH x AS (SELECT * FROM 'x.parquet') SELECT * FROM x",
  'WITH "x.parquet" AS (SELECT * FROM "x.parquet") SELECT * FROM "x.parquet"',
  'SELECT * FROM (WITH hidden AS (SELECT 1) SELECT * FROM hidden) a, hidden',
  'WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a',
  "SELECT * FROM (SELECT 1) x JOIN LATERAL (SELECT * FROM 'x.parquet') y ON true",
  "SELECT 1 UNION ALL SELECT content FROM read_text('/etc/passwd')",
  "SELECT * FROM visits ORDER BY (SELECT max(n) FROM 'x.parquet')",
  "SELECT * FROM visits LIMIT (SELECT max(n) FROM 'x.parquet')",
  "SELECT sum(n) OVER (ORDER BY (SELECT 1 FROM 'x.parquet')) FROM visits",
  "SELECT list_transform([1], x -> (SELECT count(*) FROM 'x.parquet'))",
  "SELECT * FROM unnest((SELECT list(content) FROM read_text('/etc/passwd')))",
  "VALUES ((SELECT content FROM read_text('/etc/passwd')))",
  "SELECT * FROM visits PIVOT (sum(n) FOR site IN (SELECT site FROM 'x.parquet'))",
  "(TABLE 'x.parquet')",
  'SELECT * FROM (SHOW TABLES)',
  'SELECT * FROM (DESCRIBE visits)',
  'SELECT * FROM (SUMMARIZE visits)',
  'SELECT 1 INTO visits',
  "SELECT n'x' FROM visits /* ' */ , \"x.parquet\" -- '",
  "SELECT $$ $$ || ' FROM ' FROM read_text('/etc/passwd') -- $$",
  "SELECT 1 /* /* */ FROM visits */ FROM 'x.parquet'",
  "INSERT INTO visits (at, page) VALUES (1, (SELECT content FROM read_text('/etc/passwd')))",
  "INSERT INTO visits (at, page) SELECT 1, content FROM read_text('/etc/passwd')",
  "SHOW TABLES WHERE Tables = (SELECT content FROM read_text('/etc/passwd'))",
  "EXPLAIN SELECT * FROM 'x.parquet'",
  "EXPLAIN ANALYZE COPY visits TO 'x.csv'",
  "COPY visits TO '../x.csv'",
  "COPY (SELECT 1) TO '/tmp/x.csv'",
  "ATTACH 'x.db' AS x",
  'DETACH memory',
  'INSTALL httpfs',
  'LOAD httpfs',
  'PRAGMA database_list',
  'CALL pragma_database_list()',
  "EXPORT DATABASE 'x'",
  "IMPORT DATABASE 'x'",
  'SET enable_external_access = true',
  'SET GLOBAL lock_configuration = false',
  'RESET threads',
  'CREATE MACRO f() AS 1',
  "CREATE VIEW v AS SELECT * FROM 'x.parquet'",
  "CREATE TABLE x AS SELECT * FROM 'x.parquet'",
  'CREATE SECRET s (TYPE S3)',
  'CHECKPOINT',
  'VACUUM',
  'SELECT 1; SELECT * FROM "x.parquet"'
]

t.test('files and functions that are no table of this server cannot be read', async t => {
  const { ask } = await startSql(t)
  t.equal((await ask(visits)).status, 200)
  for (const sql of escapes) {
    const { status, body } = await ask(sql)
    t.equal(status, 400, sql)
    const isAbsent = /there is no (?:table )?function/.test(body.error!)
    t.ok(isAbsent || [1001, 1004, 2000, 4001, 4004].includes(body.code!), `${sql}: ${body.code} ${body.error}`)
  }
  const { rows } = await ask('SELECT count(*) FROM visits')
  t.same(rows, [[2]], 'and nothing was changed by trying')
})

t.test('functions that only make rows of their arguments are allowed', async t => {
  const { ask } = await startSql(t)
  await ask(visits)
  const allowed: [string, unknown[][]][] = [
    ['SELECT * FROM range(2)', [[0], [1]]],
    ['SELECT * FROM generate_series(1, 2) AS g(i)', [[1], [2]]],
    ['SELECT * FROM unnest([1, 2])', [[1], [2]]],
    ['WITH visits AS (SELECT 1 AS x) SELECT * FROM visits', [[1]]],
    ['WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 3) SELECT max(i) FROM r', [[3]]],
    ["SELECT count(*) FROM visits WHERE site = 'x.parquet' OR page = 'read_text('", [[0]]],
    ['SELECT v.n FROM visits v, LATERAL (SELECT 1) x ORDER BY 1', [[7], [42]]]
  ]
  for (const [sql, rows] of allowed) t.same((await ask(sql)).rows, rows, sql)
})
