// Attempts to read beyond the tables a user may read: each is refused with a reason, and no answer contains foreign data.
import { existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { runAtOnce } from '../../../core/index.ts'
import { parseStatements } from '../../../plugins/sql/statement/parse.ts'
import { startServer } from '../../helpers.ts'
import { isLong } from '../../long.ts'
import { askServer, visits } from './fixtures.ts'

/** Text in every file and table that must not be readable. */
const marker = 'nobody-may-read-this'

interface Places {
  /** A file with the marker, absolute. */
  readonly secret: string
  /** A data file of another database that holds the marker. */
  readonly foreign: string
  /** A file that must not be written. */
  readonly target: string
}

const outside = ({ secret, foreign, target }: Places): Readonly<Record<string, readonly string[]>> => ({
  'tables that are files': [
    `SELECT * FROM '${secret}'`,
    `SELECT * FROM "${secret}"`,
    `SELECT * FROM \`${secret}\``,
    `FROM '${foreign}' SELECT *`,
    `SELECT * FROM E'\\x2fetc\\x2fpasswd'`,
    `SELECT * FROM U&'\\002fetc\\002fpasswd'`,
    `SELECT * FROM $$${secret}$$`,
    `SELECT * FROM $file$${secret}$file$`,
    `SELECT * FROM 'file://${secret}'`,
    `SELECT * FROM 'https://127.0.0.1:1/x.csv'`,
    `SELECT * FROM 's3://bucket/x.parquet'`,
    `SELECT * FROM '${foreign.replace(/[^/]+$/, '*.parquet')}'`,
    `SELECT count(*) FROM visits v JOIN '${foreign}' f ON true`,
    `SELECT * FROM visits NATURAL JOIN "${foreign}"`,
    `SELECT * FROM ('${secret}')`,
    `SELECT * FROM ["${secret}"]`,
    `TABLE "${secret}"`,
    `FROM '${foreign}' WHERE true`,
    `FROM visits POSITIONAL JOIN '${foreign}'`,
    `FROM visits, "${foreign}" WHERE true`,
    `SELECT * FROM visits UNION BY NAME SELECT * FROM '${secret}'`
  ],
  'functions that read': [
    `SELECT * FROM read_csv('${secret}')`,
    `SELECT * FROM read_csv_auto('${secret}', header = false)`,
    `SELECT * FROM read_text('${secret}')`,
    `SELECT * FROM read_blob('${secret}')`,
    `SELECT * FROM read_json_auto('${secret}')`,
    `SELECT * FROM read_ndjson('${secret}')`,
    `SELECT * FROM read_json_objects('${secret}')`,
    `SELECT * FROM read_parquet(['${foreign}'])`,
    `SELECT * FROM parquet_scan('${foreign}')`,
    `SELECT * FROM parquet_schema('${foreign}')`,
    `SELECT * FROM parquet_file_metadata('${foreign}')`,
    `SELECT * FROM "READ_TEXT"('${secret}')`,
    `SELECT * FROM Read_Text /* between */ ('${secret}')`,
    `SELECT * FROM system.main.read_text('${secret}')`,
    `SELECT * FROM main."read_text"('${secret}')`,
    `SELECT (SELECT content FROM read_text('${secret}'))`,
    `SELECT read_text('${secret}')`,
    `SELECT '${secret}'.read_text()`,
    `SELECT * FROM glob('/etc/*')`,
    `SELECT glob('/etc/*')`,
    `SELECT * FROM sniff_csv('${secret}')`,
    `SELECT * FROM sqlite_scan('${secret}', 't')`,
    `SELECT * FROM postgres_scan('host=127.0.0.1', 'public', 't')`,
    `SELECT * FROM iceberg_scan('${secret}')`,
    `SELECT * FROM delta_scan('${secret}')`,
    `SELECT * FROM arrow_scan(1, 2, 3)`,
    `SELECT * FROM seq_scan('visits')`,
    `SELECT "READ_text"('${secret}')`,
    `SELECT page.read_text() FROM visits`,
    `SELECT [x.content FOR x IN read_text('${secret}')]`,
    `SELECT list_transform(['${secret}'], lambda x: read_text(x))`,
    `SELECT list_transform(['${secret}'], x -> x.read_text())`,
    `SELECT list_reduce(['${secret}', 'a'], lambda x, y: read_text(x))`,
    `SELECT list_aggregate(['${secret}'], 'read_text')`,
    `SELECT * FROM unnest((SELECT list(content) FROM "read_text"('${secret}')))`,
    `SELECT * FROM json_each((SELECT content FROM read_text('${secret}')))`,
    `SELECT * FROM visits PIVOT (count(*) FOR site IN (SELECT content FROM read_text('${secret}')))`,
    `SELECT '{"a":1}'::JSON ? (SELECT content FROM read_text('${secret}'))`,
    `SELECT page->(SELECT content FROM read_text('${secret}')) FROM visits`,
    `SELECT page FROM visits WHERE page GLOB (SELECT content FROM read_text('${secret}'))`,
    `SELECT page FROM visits WHERE page GLOB (FROM read_text('${secret}') WHERE size > 0)`,
    `SELECT * FROM visits POSITIONAL JOIN read_text('${secret}')`,
    `FROM read_text('${secret}') WHERE size > 0`,
    `FROM visits WHERE page IN (FROM read_text('${secret}') WHERE size > 0)`
  ],
  'text that becomes SQL': [
    `SELECT * FROM query('SELECT * FROM read_text(''${secret}'')')`,
    `SELECT * FROM query_table('${secret}')`,
    `SELECT * FROM query_table(['visits', '${secret}'])`,
    `SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))`,
    `SELECT * FROM from_substrait('x')`,
    `PREPARE p AS SELECT * FROM '${secret}'`,
    'EXECUTE p',
    `EXECUTE IMMEDIATE 'SELECT 1'`,
    `CREATE MACRO peek() AS TABLE SELECT * FROM read_text('${secret}')`,
    `CREATE FUNCTION peek(p) AS (SELECT content FROM read_text(p))`,
    `DO $$ SELECT 1 $$`
  ],
  'deep inside a statement': [
    `WITH a AS (WITH b AS (SELECT * FROM read_text('${secret}')) SELECT * FROM b) SELECT * FROM a`,
    `WITH RECURSIVE r AS (SELECT content FROM read_text('${secret}') UNION ALL SELECT * FROM r) SELECT * FROM r`,
    `WITH a AS MATERIALIZED (FROM '${secret}') SELECT * FROM a`,
    `SELECT CASE WHEN EXISTS (FROM '${secret}') THEN 1 END`,
    `SELECT * FROM visits WHERE n > ALL (SELECT 1 FROM '${secret}')`,
    `SELECT coalesce((SELECT max(x) FROM (SELECT content AS x FROM read_text('${secret}'))), 'none')`,
    `SELECT list_transform([1], x -> (SELECT content FROM read_text('${secret}')))`,
    `SELECT * FROM visits v, LATERAL (SELECT content FROM read_text('${secret}')) s`,
    `SELECT n FROM visits GROUP BY n HAVING max(n) < (SELECT count(*) FROM '${secret}')`,
    `SELECT n FROM visits QUALIFY row_number() OVER (ORDER BY (SELECT 1 FROM '${secret}')) = 1`,
    `SELECT n FROM visits LIMIT (SELECT count(*) FROM '${secret}')`,
    `SELECT * FROM visits TABLESAMPLE reservoir((SELECT count(*) FROM '${secret}'))`,
    `SELECT count(*) FILTER (WHERE EXISTS (FROM '${secret}')) FROM visits`,
    `SELECT * REPLACE ((SELECT content FROM read_text('${secret}')) AS page) FROM visits`,
    `SELECT COLUMNS(c -> (SELECT true FROM '${secret}')) FROM visits`,
    `PIVOT visits ON site USING (SELECT content FROM read_text('${secret}'))`,
    `SELECT struct_pack(a := (SELECT content FROM read_text('${secret}')))`,
    `INSERT INTO visits (at, page) SELECT 1, content FROM read_text('${secret}')`,
    `INSERT INTO visits (at, page) VALUES (1, (SELECT content FROM read_text('${secret}')))`,
    `DELETE FROM visits WHERE page IN (SELECT content FROM read_text('${secret}'))`,
    `CREATE VIEW peek AS SELECT * FROM read_text('${secret}')`,
    `CREATE VIEW peek AS SELECT * FROM '${foreign}'`,
    `CREATE OR REPLACE VIEW peek AS WITH a AS (FROM '${secret}') SELECT * FROM a`,
    `CREATE TABLE copied AS SELECT * FROM '${secret}'`,
    `EXPLAIN ANALYZE SELECT * FROM read_text('${secret}')`,
    `SHOW TABLES WHERE Tables IN (SELECT content FROM read_text('${secret}'))`,
    `ALTER TABLE visits ADD COLUMN x STRING DEFAULT (SELECT content FROM read_text('${secret}'))`
  ],
  'files read and written by statements': [
    `COPY visits TO '${target}'`,
    `COPY (SELECT * FROM visits) TO '${target}' (FORMAT csv)`,
    `COPY visits TO '../../${marker}.csv'`,
    `COPY visits TO 'export/../../${marker}.csv'`,
    `COPY visits TO 'link/${marker}.csv'`,
    `COPY visits FROM '${secret}'`,
    `COPY visits FROM '../public-1/visits-1/1.parquet'`,
    `COPY visits FROM 'link/secret.csv'`,
    `COPY visits FROM 'secret-link.csv'`,
    `COPY visits FROM '/proc/self/environ'`,
    `COPY visits FROM PROGRAM 'cat /etc/passwd'`,
    `COPY (SELECT * FROM '${secret}') TO 'inside.csv'`,
    `COPY visits TO STDOUT`,
    `EXPORT DATABASE '${target}'`,
    `IMPORT DATABASE '${target}'`
  ],
  'settings, extensions and other databases of the engine': [
    `ATTACH '${target}' AS other`,
    `ATTACH ':memory:' AS other`,
    'DETACH memory',
    'USE memory.main',
    'INSTALL httpfs',
    `INSTALL '${target}'`,
    'LOAD json',
    'FORCE INSTALL httpfs',
    'PRAGMA database_list',
    `PRAGMA memory_limit = '99GB'`,
    'CALL pragma_version()',
    'CALL duckdb_settings()',
    `SET enable_external_access = true`,
    `SET memory_limit = '99GB'`,
    'SET GLOBAL threads = 64',
    `SET SESSION TimeZone = 'UTC'; SET allowed_directories = ['/']`,
    'RESET enable_external_access',
    'SET VARIABLE x = 1',
    'CREATE SECRET s (TYPE s3)',
    `CREATE TYPE t AS ENUM (SELECT content FROM read_text('${secret}'))`,
    'CREATE SEQUENCE s',
    'CHECKPOINT',
    'FORCE CHECKPOINT',
    'VACUUM',
    'ANALYZE',
    'BEGIN TRANSACTION',
    `SELECT current_setting('temp_directory')`,
    `SELECT getenv('PATH')`,
    `SELECT getvariable('x')`,
    `SELECT system.main."getenv"('PATH')`,
    `SELECT "current_setting"('allowed_directories')`,
    `SELECT list_aggregate([1], 'getenv')`,
    `SELECT apply(['PATH'], x -> x.getenv())`,
    'SELECT txid_current()',
    `SELECT in_search_path('memory', 'main')`,
    `SELECT nextval('s')`,
    `SELECT write_log('x')`,
    `SELECT * FROM which_secret('a', 's3')`,
    `SELECT max(database_name) FROM duckdb_databases()`,
    'SUMMARIZE visits',
    `SELECT set_config('threads', '64', false)`,
    `SELECT pg_read_file('${secret}')`,
    `SELECT * FROM duckdb_settings()`,
    `SELECT * FROM duckdb_tables`,
    'SELECT * FROM duckdb_logs',
    'SELECT * FROM enable_logging()',
    'SELECT * FROM truncate_duckdb_logs()',
    'SELECT * FROM test_vector_types(1)',
    'SELECT * FROM sqlite_master',
    'SELECT * FROM pg_catalog.pg_class',
    'SELECT * FROM main.pg_tables',
    'SELECT * FROM system.information_schema.tables',
    'SELECT * FROM memory.information_schema.columns',
    "SELECT * FROM pragma_storage_info('visits')",
    'SHOW ALL TABLES'
  ],
  'what the server keeps for itself': [
    'SELECT __tsid FROM visits',
    'SELECT visits.__seq FROM visits',
    'SELECT "__op" FROM visits',
    'SELECT v."__tsid" FROM visits v',
    'SELECT rowid FROM visits',
    'SELECT file_row_number FROM visits',
    'SELECT filename FROM visits',
    'SELECT * FROM weir_rows(0)',
    'SELECT weir_rows(0)',
    'SELECT * FROM series_1',
    'SELECT * FROM memory.main.series_1',
    'SELECT * FROM "public-1"."visits-1"',
    'SELECT * FROM svc.private_shop.orders',
    'SELECT * FROM visits AT (VERSION => 1)',
    'SELECT stats(page) FROM visits'
  ],
  'statements about tables that are files': [
    `DESCRIBE TABLE "${secret}"`,
    `SHOW CREATE TABLE "${secret}"`,
    `SHOW COLUMNS FROM "${secret}"`,
    `TRUNCATE TABLE "${secret}"`,
    `DROP TABLE "${secret}"`,
    `DROP VIEW "${secret}"`,
    `DROP DATABASE "${secret}"`,
    `DROP FLOW "${secret}"`,
    `ALTER TABLE "${secret}" ADD COLUMN x INT`,
    `ALTER DATABASE "${secret}" SET 'ttl' = '1d'`,
    `COMMENT ON TABLE "${secret}" IS 'x'`,
    `CREATE TABLE copied LIKE "${secret}"`,
    'CREATE TABLE information_schema.peek (at TIMESTAMP TIME INDEX)',
    'CREATE DATABASE information_schema',
    `CREATE FLOW f SINK TO s AS SELECT date_bin(INTERVAL '1h', at) AS h FROM "${secret}" GROUP BY h`,
    `DELETE FROM "${secret}" WHERE 1 = 1`,
    `INSERT INTO "${secret}" VALUES (1)`,
    `ADMIN flush_table('${secret}')`,
    `USE "${secret}"`,
    `SET TIME ZONE '${secret}'`,
    `KILL '${secret}'`,
    `TQL EVAL (0, 1, '1s') {__name__="${secret}"} + on() group_left() nothing(`
  ],
  'quotes and comments': [
    `SELECT '/*' FROM read_text('${secret}') -- */`,
    `SELECT 1 /* ' */ FROM read_text('${secret}') /* ' */`,
    `SELECT 1 --\n FROM read_text('${secret}')`,
    `SELECT 1 --\r FROM read_text('${secret}')`,
    `SELECT '\\' FROM read_text('${secret}') --'`,
    `SELECT "a""b" FROM read_text('${secret}')`,
    `SELECT $a$ $b$ $a$ FROM read_text('${secret}') -- $b$`,
    `SELECT 1 FROM\u00a0read_text('${secret}')`,
    `SELECT 1 FROM re\u200bad_text('${secret}')`,
    `SELECT 1; SELECT * FROM '${secret}'`,
    `SELECT 1;;; FROM '${secret}'`
  ]
})

/** What must not be read, as it can stand in a FROM. */
const ways = ({ secret, foreign }: Places): readonly string[] => [
  `'${secret}'`,
  `"${secret}"`,
  `'${foreign}'`,
  `read_text('${secret}')`,
  `"READ_CSV"('${secret}')`,
  `system.main.read_blob('${secret}')`,
  `read_parquet(['${foreign}'])`,
  `parquet_scan('${foreign}')`,
  `sniff_csv('${secret}')`,
  `glob('/etc/*')`,
  `query('FROM ''${secret}''')`,
  `query_table('${secret}')`,
  'duckdb_settings()',
  'duckdb_tables',
  'sqlite_master',
  'information_schema.nothing',
  '(SHOW TABLES)',
  '(SUMMARIZE visits)'
]

/** Where it can stand. */
const positions: readonly string[] = [
  'FROM {}',
  'SELECT count(*) FROM visits v CROSS JOIN {}',
  'SELECT * FROM visits v LEFT JOIN {} AS x ON true',
  'SELECT * FROM visits v, LATERAL (SELECT * FROM {}) x',
  'SELECT (SELECT count(*) FROM {}) FROM visits',
  'SELECT n FROM visits WHERE EXISTS (FROM {})',
  'SELECT n FROM visits WHERE n IN (SELECT 1 FROM {})',
  'SELECT n FROM visits GROUP BY n HAVING n = (SELECT count(*) FROM {})',
  'SELECT n FROM visits ORDER BY (SELECT count(*) FROM {})',
  'SELECT n FROM visits LIMIT (SELECT count(*) FROM {})',
  'SELECT sum(n) OVER (ORDER BY (SELECT count(*) FROM {})) FROM visits',
  'SELECT count(*) FILTER (WHERE EXISTS (FROM {})) FROM visits',
  'SELECT CASE WHEN true THEN (SELECT count(*) FROM {}) END',
  'SELECT list_transform([1], x -> (SELECT count(*) FROM {}))',
  'SELECT * REPLACE ((SELECT 1 FROM {}) AS n) FROM visits',
  'WITH a AS (SELECT * FROM {}) SELECT * FROM a',
  'WITH a AS MATERIALIZED (FROM {}), b AS (FROM a) FROM b',
  'WITH RECURSIVE a AS (SELECT 1 AS i UNION ALL SELECT 1 FROM {}) FROM a',
  'SELECT 1 UNION ALL BY NAME SELECT 1 FROM {}',
  'SELECT 1 WHERE 1 = ANY (SELECT 1 FROM {})',
  'FROM {} PIVOT (count(*) FOR a IN (1))',
  'VALUES ((SELECT count(*) FROM {}))',
  'TABLE {}',
  'SELECT * EXCEPT (n) FROM {}',
  'SELECT * FROM {} TABLESAMPLE BERNOULLI (100)',
  'SELECT * FROM visits USING SAMPLE (SELECT count(*) FROM {})',
  'SELECT * FROM visits USING SAMPLE 5 ROWS UNION ALL FROM {}',
  "SELECT arrow_cast((SELECT count(*) FROM {}), 'Int64')",
  "SELECT to_local_time(now() AT TIME ZONE (SELECT 'UTC' FROM {}))",
  'SELECT nth_value(n, 1 ORDER BY (SELECT count(*) FROM {})) FROM visits',
  'SELECT json_agg((SELECT count(*) FROM {}))',
  "SELECT page ~ (SELECT '' FROM {}) FROM visits",
  'EXPLAIN (ANALYZE, FORMAT JSON) SELECT * FROM {}',
  "SELECT max(n) RANGE '1s' FROM visits WHERE EXISTS (FROM {}) ALIGN '1s'",
  "TQL EVAL ((SELECT count(*) FROM {}), 1, '1s') up",
  'EXPLAIN ANALYZE SELECT * FROM {}',
  'INSERT INTO visits (at, page) SELECT 1, count(*) FROM {}',
  'DELETE FROM visits WHERE n IN (SELECT count(*) FROM {})',
  'CREATE TABLE peek AS SELECT now() AS at FROM {}',
  'CREATE VIEW peek AS SELECT * FROM {}',
  "CREATE FLOW peek SINK TO peek AS SELECT date_bin(INTERVAL '1h', at) AS h FROM {} GROUP BY h",
  "COPY (SELECT * FROM {}) TO 'peek.csv'",
  'SHOW TABLES WHERE EXISTS (FROM {})',
  'SELECT n FROM visits WHERE n BETWEEN (SELECT count(*) FROM {}) AND 5',
  "SELECT ((SELECT 'a' FROM {}) COLLATE NOCASE) = 'A'",
  "SELECT TRY_CAST((SELECT 'a' FROM {}) AS BIGINT)",
  "SELECT {'a': (SELECT count(*) FROM {})}.a",
  "SELECT MAP {'a': (SELECT count(*) FROM {})}['a']",
  'SELECT [1, 2][(SELECT count(*) FROM {}):]',
  'SELECT [x FOR x IN (SELECT list(1) FROM {})]',
  'SELECT [x FOR x IN [1] IF EXISTS (FROM {})]',
  'SELECT now() - INTERVAL ((SELECT count(*) FROM {})) DAY',
  'SELECT array(SELECT 1 FROM {})',
  "SELECT page GLOB lower((SELECT '*' FROM {})) FROM visits",
  'SELECT coalesce(NULL, (SELECT count(*) FROM {}))',
  'SELECT struct_pack(a := (SELECT count(*) FROM {}))',
  'SELECT sum(n) OVER (ROWS BETWEEN (SELECT count(*) FROM {}) PRECEDING AND CURRENT ROW) FROM visits',
  'SELECT sum(n) OVER (PARTITION BY (SELECT count(*) FROM {})) FROM visits',
  'SELECT lag(n, 1, (SELECT count(*) FROM {})) OVER (ORDER BY n) FROM visits',
  'SELECT sum(n) FILTER (WHERE EXISTS (FROM {})) OVER () FROM visits',
  'SELECT sum(n) OVER w FROM visits WINDOW w AS (ORDER BY (SELECT count(*) FROM {}))',
  'SELECT list(n ORDER BY (SELECT count(*) FROM {})) FROM visits',
  'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY (SELECT count(*) FROM {})) FROM visits',
  'SELECT DISTINCT ON ((SELECT count(*) FROM {})) n FROM visits',
  'SELECT count(*) FROM visits GROUP BY GROUPING SETS ((n), ((SELECT count(*) FROM {})))',
  'SELECT n FROM visits QUALIFY row_number() OVER (ORDER BY n) < (SELECT count(*) FROM {})',
  'SELECT n FROM visits LIMIT 1 OFFSET (SELECT count(*) FROM {})',
  'SELECT a.n FROM visits a JOIN visits b ON a.n = (SELECT count(*) FROM {})',
  'SELECT a.n FROM visits a ASOF JOIN (SELECT now() AS at FROM {}) b ON a.at >= b.at',
  'SELECT a.n FROM visits a SEMI JOIN {} b ON true',
  'SELECT 1 EXCEPT ALL SELECT 1 FROM {}',
  'SELECT 1 INTERSECT (SELECT 1 FROM {})',
  'UNPIVOT (SELECT 1 AS a FROM {}) ON a',
  "PIVOT visits ON site IN ('a') USING max((SELECT count(*) FROM {}))",
  "PIVOT (SELECT 'a' AS s FROM {}) ON s USING count(*)",
  'SELECT * FROM generate_series(1, (SELECT count(*) FROM {}))',
  'SELECT * FROM unnest((SELECT list(1) FROM {})) WITH ORDINALITY',
  "SELECT * FROM json_array_elements((SELECT '[1]' FROM {}))",
  "SELECT date_bin_gapfill(INTERVAL '1s', at) AS t, locf(max((SELECT count(*) FROM {}))) FROM visits WHERE at >= 0 AND at < 9 GROUP BY t",
  "SELECT matches(page, 'a') FROM visits WHERE EXISTS (FROM {})",
  "WITH a AS (TQL EVAL (0, 1, '1s') vector(1)) SELECT * FROM a, {}",
  "REPLACE INTO visits (at, page) SELECT 1, 'a' FROM {}",
  'CREATE OR REPLACE VIEW peek (a) AS (SELECT 1 FROM {})',
  "CREATE TABLE peek (TIME INDEX (at)) WITH (append_mode = 'true') AS SELECT now() AS at FROM {}",
  "CREATE TABLE peek (at TIMESTAMP TIME INDEX, s STRING DEFAULT (SELECT 'a' FROM {}))",
  'COPY visits FROM {}',
  'SHOW COLUMNS FROM visits WHERE EXISTS (FROM {})',
  'DESCRIBE SELECT * FROM {}'
]

t.test('there is an attempt for every kind of statement', async t => {
  const source = readFileSync(new URL('../../../plugins/sql/statement/statement.ts', import.meta.url), 'utf8')
  const union = /export type Statement =([\s\S]*?)\n\n/.exec(source)![1]!
  const kindOf = (name: string) => new RegExp(`(?:interface|type) ${name}\\b[\\s\\S]*?kind: '(\\w+)'`).exec(source)![1]!
  const kinds = new Set([
    ...[...union.matchAll(/kind: '(\w+)'/g)].map(([, kind]) => kind!),
    ...[...union.matchAll(/\| ([A-Z]\w+)/g)].map(([, name]) => kindOf(name!))
  ])
  t.ok(kinds.size > 20, [...kinds].join(', '))
  const places = { secret: '/secret.csv', foreign: '/foreign.parquet', target: '/target' }
  const attempts = [
    ...Object.values(outside(places)).flat(),
    ...positions.flatMap(position => ways(places).map(way => position.replace('{}', () => way)))
  ]
  t.ok(attempts.length > 1600, `${attempts.length} attempts`)
  const tried = new Set<string>()
  for (const sql of attempts) {
    try {
      for (const { statement } of runAtOnce(parseStatements(sql))) tried.add(statement.kind)
    } catch {
      // Not every attempt can be read.
    }
  }
  t.strictSame(
    [...kinds].filter(kind => !tried.has(kind)),
    []
  )
})

t.test('no way out stands anywhere', async t => {
  const server = await startServer(t)
  const ask = askServer(server.addresses.main!)
  const secret = join(server.folder, 'secret.csv')
  writeFileSync(secret, `site,at,page\n${marker},1,${marker}\n`)
  await ask(`${visits}; CREATE TABLE other (note STRING, at TIMESTAMP TIME INDEX);
    INSERT INTO other VALUES ('${marker}', 1); ADMIN flush()`)
  const foreign = globSync(join(server.folder, 'data/data/public*/other*/*.parquet'))[0]!
  t.ok(foreign)
  const before = await ask('SELECT * FROM visits ORDER BY at')
  for (const [i, position] of positions.entries()) {
    // In the short run each way stands in a third of the positions, and each position has a third of the ways.
    const tried = ways({ secret, foreign, target: '' }).filter((_, k) => isLong || (i + k) % 3 === 0)
    const through = await Promise.all(
      tried.map(async way => {
        const { status, text, body } = await ask(position.replace('{}', () => way))
        const refused = status === 400 && typeof body.error === 'string'
        return refused && !text.includes(`${marker},`) ? [] : [`${way}: ${status} ${text.slice(0, 160)}`]
      })
    )
    t.strictSame(through.flat(), [], position)
  }
  const named = await ask('SELECT * FROM ?', { params: JSON.stringify([secret]) })
  t.equal(named.status, 400, named.text)
  t.same((await ask('SELECT * FROM visits ORDER BY at')).rows, before.rows, 'nothing was changed by trying')
  t.same((await ask('SHOW TABLES')).rows, [['other'], ['visits']])
})

t.test('every way out is refused, says why, and reads nothing', async t => {
  const server = await startServer(t)
  const ask = askServer(server.addresses.main!)
  const data = join(server.folder, 'data')
  const secret = join(server.folder, 'secret.csv')
  writeFileSync(secret, `site,at,page\n${marker},1,${marker}\n`)
  mkdirSync(join(data, 'export'), { recursive: true })
  symlinkSync(server.folder, join(data, 'export', 'link'))
  symlinkSync(secret, join(data, 'export', 'secret-link.csv'))
  t.equal((await ask(visits)).status, 200)
  await ask(
    `CREATE DATABASE shop; CREATE TABLE shop.orders (note STRING, at TIMESTAMP TIME INDEX);
     INSERT INTO shop.orders VALUES ('${marker}', 1); ADMIN flush()`
  )
  const foreign = globSync(join(data, 'data/shop*/**/*.parquet'))[0]!
  t.ok(foreign)
  const target = join(server.folder, `${marker}.out`)
  const before = await ask('SELECT * FROM visits ORDER BY at')
  for (const [way, statements] of Object.entries(outside({ secret, foreign, target }))) {
    await t.test(way, async t => {
      for (const sql of statements) {
        const { status, text, body } = await ask(sql)
        const refused = status >= 400 && status < 500 && typeof body.error === 'string' && body.error.length > 5
        const leaked = text.replaceAll(secret, '').replaceAll(target, '').includes(`${marker},`)
        t.ok(refused && !leaked, `${sql}: ${status} ${text.slice(0, 160)}`)
      }
    })
  }
  t.same((await ask('SELECT * FROM visits ORDER BY at')).rows, before.rows, 'nothing was changed by trying')
  t.same((await ask('SHOW TABLES')).rows, [['visits']])
  t.same(globSync('**/*.csv', { cwd: server.folder }).sort(), ['data/export/secret-link.csv', 'secret.csv'])
  t.notOk(existsSync(target))
})

/** Statements over a table of another database, which stands for `{}`. */
const others: readonly string[] = [
  'SELECT * FROM {}',
  'TABLE {}',
  '(((SELECT * FROM (FROM {}))))',
  'SELECT * FROM visits v, LATERAL (SELECT * FROM {} o WHERE o.at < v.at)',
  'SELECT * FROM visits POSITIONAL JOIN {}',
  'SELECT * FROM visits ANTI JOIN {} ON true',
  'SELECT count(*) FROM visits UNION ALL BY NAME TABLE {}',
  'WITH orders AS (SELECT 1), visits AS (SELECT * FROM {}) SELECT * FROM visits',
  'WITH hidden AS (SELECT 1 AS orders) SELECT * FROM hidden, {}',
  'SELECT * FROM (VALUES (1)) hidden(orders), {}',
  'PIVOT {} ON note USING count(*)',
  'WITH p AS (PIVOT (SELECT * FROM {}) ON note USING count(*)) SELECT * FROM p',
  'UNPIVOT {} ON note',
  'SELECT * FROM visits PIVOT (count(*) FOR site IN (SELECT note FROM {}))',
  "SELECT max(note) RANGE '1s' FROM {} ALIGN '1s'",
  "SELECT max(n) RANGE '1s' FROM visits ALIGN '1s' BY ((SELECT max(note) FROM {}))",
  "SELECT date_bin_gapfill(INTERVAL '1 second', at) AS t, max(note) FROM {} WHERE at >= 0 AND at < 10 GROUP BY t",
  "SELECT matches((SELECT max(note) FROM {}), 'x')",
  'SELECT * FROM generate_series(1, (SELECT count(*) FROM {}))',
  'SELECT * FROM peek',
  'SHOW TABLES WHERE 1 = 0 UNION SELECT note FROM {}',
  'SHOW TABLE STATUS WHERE 1 = 0 UNION SELECT note FROM {}',
  'SHOW TABLE STATUS FROM hidden',
  'SHOW CREATE TABLE {}',
  'SHOW COLUMNS FROM orders FROM hidden',
  'DESC TABLE {}',
  'EXPLAIN SELECT * FROM {}',
  'USE hidden; SELECT * FROM orders',
  'SET search_path TO hidden; SELECT * FROM orders',
  'CREATE VIEW mine AS SELECT * FROM {}',
  'CREATE VIEW hidden.mine AS SELECT 1',
  'CREATE TABLE mine LIKE {}',
  'CREATE TABLE mine AS SELECT * FROM {}',
  'CREATE TABLE hidden.mine LIKE visits',
  "CREATE FLOW f SINK TO mine AS SELECT date_bin(INTERVAL '1s', at) AS t, max(note) AS m FROM {} GROUP BY t",
  "CREATE FLOW f SINK TO hidden.mine AS SELECT date_bin(INTERVAL '1s', at) AS t, max(n) AS m FROM visits GROUP BY t",
  'INSERT INTO {} VALUES (1, 1)',
  'INSERT INTO visits (page, at) SELECT note, at FROM {}',
  'INSERT INTO visits (page, at) VALUES ((SELECT max(note) FROM {}), 5)',
  'DELETE FROM {}',
  'DELETE FROM visits WHERE page IN (SELECT note FROM {})',
  'DELETE FROM visits WHERE 1 = 1) OR (EXISTS (FROM {})',
  'TRUNCATE TABLE {}',
  'DROP TABLE visits, {}',
  'DROP DATABASE hidden CASCADE',
  'ALTER TABLE {} ADD COLUMN x INT',
  "ALTER DATABASE hidden SET 'ttl' = '1s'",
  "COMMENT ON COLUMN {}.note IS 'x'",
  "ADMIN flush_table('hidden.orders')",
  "COPY {} TO 'x.csv'"
]

t.test('a user of one database reads and changes nothing of another', async t => {
  const users = 'user_provider = "static_user_provider:cmd:root=escape,one:rw@shop=escape"'
  const server = await startServer(t, users)
  const ask = askServer(server.addresses.main!)
  const as = (user: string) => ({ authorization: `Basic ${btoa(`${user}:escape`)}` })
  const made = await ask(
    `CREATE DATABASE shop; CREATE DATABASE hidden; CREATE TABLE hidden.orders (note STRING, at TIMESTAMP TIME INDEX);
     INSERT INTO hidden.orders VALUES ('${marker}', 1); USE shop; ${visits}; CREATE VIEW peek AS SELECT * FROM hidden.orders`,
    {},
    as('root')
  )
  t.equal(made.status, 200, made.text)
  const state = async () => [
    (await ask('SELECT * FROM hidden.orders', {}, as('root'))).rows,
    (await ask('SHOW TABLES FROM hidden', {}, as('root'))).rows,
    (await ask('SELECT * FROM shop.visits ORDER BY at', {}, as('root'))).rows,
    (await ask('SHOW TABLES FROM shop', {}, as('root'))).rows
  ]
  const before = await state()
  for (const name of ['hidden.orders', 'svc.hidden.orders', '"hidden"."orders"']) {
    for (const statement of others) {
      const sql = statement.replace('{}', name)
      const { status, text } = await ask(sql, {}, as('one'))
      t.ok(status >= 400 && status < 500 && !text.includes(marker), `${sql}: ${status} ${text.slice(0, 160)}`)
    }
  }
  t.strictSame(await state(), before)
})

t.test('names of databases and tables are no paths', async t => {
  const server = await startServer(t)
  const ask = askServer(server.addresses.main!)
  const made =
    await ask(`CREATE DATABASE "../../${marker}"; CREATE TABLE "../../${marker}"."../../${marker}" (at TIMESTAMP TIME INDEX);
    INSERT INTO "../../${marker}"."../../${marker}" VALUES (1); ADMIN flush()`)
  t.equal(made.status, 200, made.text)
  const files = globSync(`**/*${marker}*`, { cwd: server.folder })
  t.ok(files.length > 0)
  for (const file of files) t.match(file, /^data\/data\//)
  t.strictSame(globSync(`../*${marker}*`, { cwd: server.folder }), [])
})

t.test('a user sees no other user’s file through the errors either', async t => {
  const server = await startServer(t)
  const ask = askServer(server.addresses.main!)
  await ask(`${visits}; ADMIN flush_table('visits')`)
  for (const sql of [
    'EXPLAIN SELECT * FROM visits',
    'SELECT n::TINYINT + 100::TINYINT FROM visits',
    'SELECT page::INT FROM visits'
  ]) {
    t.notOk((await ask(sql)).text.includes(server.folder), sql)
  }
})
