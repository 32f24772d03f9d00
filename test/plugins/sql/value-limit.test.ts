// Every statement that holds a query meets the limit of single values, and says where and which key.
import t from 'tap'
import { startSql, visits } from './fixtures.ts'

/** Of too many bytes. */
const huge = "repeat('x', 2000000)"

const statements: readonly string[] = [
  `SELECT ${huge}`,
  `SELECT page.repeat(2000000) FROM visits`,
  `SELECT visits.page.repeat(2000000) FROM visits`,
  `SELECT main.${huge}`,
  `SELECT jsonb_build_object('a', ${huge})`,
  `SELECT [${huge} FOR x IN [1]]`,
  `SELECT list_transform([2000000], n -> repeat('x', n))`,
  `SELECT initcap(${huge}), site FROM visits`,
  `SELECT format('%s', lpad('x', 2000000))`,
  `SELECT * FROM visits WHERE page = ${huge}`,
  `SELECT CASE WHEN n > 1 THEN ${huge} END FROM visits`,
  `WITH a AS (SELECT ${huge} AS s) SELECT count(*) FROM a`,
  `SELECT * FROM (VALUES (${huge})) v(s)`,
  `SELECT * FROM visits, unnest(range(200000))`,
  `SELECT * FROM visits PIVOT (max(${huge}) FOR site IN ('north'))`,
  `PIVOT visits ON ${huge} USING count(*)`,
  `PIVOT (SELECT ${huge} AS s) ON s USING count(*)`,
  `SELECT at, max(length(${huge})) RANGE '1h' FROM visits ALIGN '1h'`,
  `SELECT date_bin_gapfill(INTERVAL '1 hour', at) AS t, locf(max(${huge})) FROM visits WHERE at >= 0 AND at < 9 GROUP BY t`,
  `EXPLAIN SELECT ${huge}`,
  `EXPLAIN ANALYZE SELECT ${huge}`,
  `INSERT INTO visits (at, page) SELECT 1, ${huge}`,
  `DELETE FROM visits WHERE page = ${huge}`,
  `CREATE TABLE copied AS SELECT now() AS at, ${huge} AS s`,
  `CREATE VIEW w AS SELECT ${huge} AS s`,
  `CREATE FLOW f SINK TO s AS SELECT date_bin(INTERVAL '1 hour', at) AS h, max(${huge}) AS m FROM visits GROUP BY h`,
  `COPY (SELECT ${huge} AS s) TO 'huge.csv'`,
  `TQL EVAL (length(${huge}), 1, '1s') up`
]

t.test('a value that constants make too long is refused in every statement', async t => {
  const { ask } = await startSql(t, '[plugins.sql]\nvalue_limit = "1MiB"\n')
  t.equal((await ask(visits)).status, 200)
  for (const sql of statements) {
    const { status, body } = await ask(sql)
    t.equal(status, 400, sql)
    t.match(body.error, /(?:repeat|lpad|range) would make a value of more than 1MiB \(plugins\.sql\.value_limit\)/, sql)
  }
  const placed = await ask('SELECT n,\n  repeat(site, 2000000) FROM visits')
  t.match(placed.body.error, /^repeat would .* \(plugins\.sql\.value_limit\) at line 2, column 3$/)
  for (const params of ['[2000000]', '["2000000"]']) {
    const given = await ask("SELECT repeat('x', ?)", { params })
    t.match(given.body.error, /^repeat would make/, params)
  }
  t.strictSame((await ask("SELECT length(repeat('x', ?))", { params: '[1000]' })).rows, [[1000]])
})

t.test('values within the limit are made, in a view, too', async t => {
  const { ask } = await startSql(t, '[plugins.sql]\nvalue_limit = "4MiB"\n')
  t.equal((await ask(`CREATE VIEW w AS SELECT length(${huge}) AS n`)).status, 200)
  t.strictSame((await ask('SELECT n FROM w')).rows, [[2_000_000]])
  t.match(
    (await ask("SELECT repeat('x', n) FROM (SELECT 5 AS n) q JOIN (SELECT repeat('y', 5000000) AS s) r ON true")).body,
    {
      error: /4MiB/
    }
  )
})

t.test('a limit that is reached while a statement runs is no error of its plan', async t => {
  const { ask } = await startSql(t, '')
  const deep = await ask(
    "SELECT json_contains(j::JSON, '1') FROM (SELECT repeat('[', n) || repeat(']', n) AS j FROM range(9000, 9001) r(n))"
  )
  t.equal(deep.status, 400)
  t.equal(deep.body.code, 1004)
  t.match(deep.body.error, /^the JSON is nested deeper than 128 levels/)
})

t.test('slots of gaps are a list, too, which is not begun if it would be too long', async t => {
  const { ask } = await startSql(t, '[plugins.sql]\nvalue_limit = "1MiB"\n')
  await ask(visits)
  await ask('INSERT INTO visits (at, n) VALUES (0, 1), (1741064767000, 2)')
  const slots = (step: string, to: number) =>
    ask(
      `SELECT date_bin_gapfill(INTERVAL '${step}', at) AS t, count(*) AS n FROM visits WHERE at >= 0 AND at < ${to} GROUP BY t`
    )
  const long = await slots('1 microsecond', 1_741_064_767_000)
  t.equal(long.status, 400)
  t.equal(long.body.code, 1004)
  t.match(
    long.body.error,
    /^date_bin_gapfill would make a list of more than 131072 slots \(plugins\.sql\.value_limit is 1MiB/
  )
  t.equal((await slots('1 second', 132_000_000)).status, 400)
  t.equal((await slots('1 second', 131_000_000)).status, 200)
  const filled = (step: string) => ask(`SELECT at, max(n) RANGE '${step}' FILL 0 FROM visits ALIGN '${step}' BY ()`)
  const wide = await filled('1ms')
  t.equal(wide.status, 400)
  t.equal(wide.body.code, 1004)
  t.match(wide.body.error, /^FILL would make a list of more than 131072 slots/)
  t.equal((await filled('365d')).status, 200)
})
