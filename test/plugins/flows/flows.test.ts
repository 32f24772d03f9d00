// Flows: their tables equal their queries, whatever is written and whenever the server restarts.
import t from 'tap'
import { eventually } from '../../eventually.ts'
import { askSql, embeddedOnly, onClickHouse, startServer, temporaryFolder } from '../../helpers.ts'
import { isLong } from '../../long.ts'

const options = '[plugins.flows]\ninterval = "50ms"\nmax_flows = 4\n'

/** Queries of flows by the names of their tables. `kind` is a field: a row may leave its group. */
const queries: Readonly<Record<string, string>> = onClickHouse
  ? {
      by_minute:
        'SELECT toStartOfInterval(ts, INTERVAL 1 minute) AS minute, host, sum(v) AS total, count() AS n FROM m GROUP BY minute, host',
      by_kind: `SELECT date_trunc('hour', at.ts) AS hour, kind, max(v) AS top FROM m AS at WHERE v > 20 GROUP BY 1, at.kind HAVING count(*) > 1`,
      by_month: 'SELECT uniqExact(host) AS hosts, time_bucket(ts, INTERVAL 1 day) AS day FROM m GROUP BY day'
    }
  : {
      by_minute: `SELECT date_bin(INTERVAL '1 minute', ts) AS minute, host, sum(v) AS total, count(*) AS n FROM m GROUP BY minute, host`,
      by_kind: `SELECT date_trunc('hour', at.ts) AS hour, kind, max(v) AS top FROM m AS at WHERE v > 20 GROUP BY 1, at.kind HAVING count(*) > 1`,
      by_month: `SELECT count(DISTINCT host) AS hosts, time_bucket(INTERVAL '1 month', ts) AS month FROM m GROUP BY month`
    }

/** Numbers that are the same in every run. */
function random(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

t.test('tables of flows equal their queries after any writes, and after a restart', async t => {
  const folder = temporaryFolder(t)
  const next = random(23)
  const start = Date.UTC(2026, 0, 30)
  let server = await startServer(t, options, { folder })
  const ask = (sql: string) => askSql(server, sql)
  const write = async (rows: number, late: boolean) => {
    const values = Array.from({ length: rows }, () => {
      const time = start + (late ? next(4 * 86_400_000) : next(600_000)) - (next(600_000) % 1_000)
      return `(${time - (time % 10_000)}, 'h${next(3)}', 'k${next(2)}', ${next(100)})`
    })
    await ask(`INSERT INTO m (ts, host, kind, v) VALUES ${values.join(', ')}`)
  }
  const compare = async (when: string) => {
    for (const [name, query] of Object.entries(queries)) {
      await ask(`ADMIN FLUSH_FLOW('${name}')`)
      const columns = await ask(
        `SELECT column_name FROM information_schema.columns WHERE table_name = '${name}' ORDER BY ordinal_position`
      )
      const list = columns.map(([column]: string[]) => `"${column}"`).join(', ')
      const expected = await ask(`SELECT ${list} FROM (${query}) AS q ORDER BY ALL`)
      t.strictSame(await ask(`SELECT ${list} FROM ${name} ORDER BY ALL`), expected, `${name} ${when}`)
    }
  }
  await ask('CREATE TABLE m (ts TIMESTAMP(3) TIME INDEX, host STRING, kind STRING, v BIGINT, PRIMARY KEY (host))')
  await write(100, true)
  for (const [name, query] of Object.entries(queries)) await ask(`CREATE FLOW ${name} SINK TO ${name} AS ${query}`)
  await compare('after its creation')
  for (let round = 0; round < (isLong ? 12 : 4); round++) {
    await write(1 + next(30), round % 2 === 0)
    if (round % 2 === 0) await ask(`DELETE FROM m WHERE host = 'h${next(3)}' AND v % 7 = ${next(7)}`)
    if (round % 3 === 0) await compare(`after round ${round}`)
  }
  await compare('after all rounds')
  await ask('INSERT INTO m (ts, host, kind, v) VALUES (0, NULL, NULL, NULL)')
  await compare('with nulls')
  await ask('DELETE FROM m WHERE host IS NULL OR v > 50')
  await compare('after a delete alone')
  await ask('TRUNCATE TABLE m')
  await write(40, true)
  await compare('after all was truncated')
  // Nobody waits for these before the server ends.
  await write(50, true)
  await server.close()
  server = await startServer(t, options, { folder })
  t.strictSame(await ask('SHOW FLOWS'), [['by_kind'], ['by_minute'], ['by_month']])
  t.strictSame(
    await ask('SELECT flow_name, sink_table_name, expire_after FROM information_schema.flows ORDER BY 1'),
    ['by_kind', 'by_minute', 'by_month'].map(name => [name, `svc.public.${name}`, null])
  )
  await compare('after a restart')
  await ask('ALTER TABLE m ADD COLUMN more STRING')
  await write(20, true)
  await compare('after a change of its table')
  await ask('DROP FLOW by_month')
  const before = await ask('SELECT * FROM by_month ORDER BY ALL')
  await write(20, true)
  t.strictSame(await ask('SELECT * FROM by_month ORDER BY ALL'), before, 'a dropped flow leaves its table as it is')
  t.strictSame(await ask("SHOW FLOWS LIKE '%minute'"), [['by_minute']])
})

t.test('a reader sees each row in one group while a window is replaced', embeddedOnly, async t => {
  const server = await startServer(t, options)
  const ask = (sql: string) => askSql(server, sql)
  await ask('CREATE TABLE m (ts TIMESTAMP(3) TIME INDEX, host STRING, kind STRING, PRIMARY KEY (host))')
  await ask("INSERT INTO m VALUES (0, 'h', 'k0')")
  await ask(
    "CREATE FLOW f SINK TO s AS SELECT date_bin(INTERVAL '1 hour', ts) AS w, kind, count(*) AS n FROM m GROUP BY w, kind"
  )
  const seen = new Set<string>()
  for (let round = 1; round <= 15; round++) {
    await ask(`INSERT INTO m VALUES (0, 'h', 'k${round}')`)
    const flushed = ask("ADMIN FLUSH_FLOW('f')").then(() => true)
    for (let done = false; !done; ) {
      const rows: [string, number][] = await ask('SELECT kind, n FROM s')
      t.equal(rows.length, 1, JSON.stringify(rows))
      seen.add(rows[0]![0])
      done = await Promise.race([flushed, new Promise<false>(resolve => setTimeout(resolve, 1, false))])
    }
    t.strictSame(await ask('SELECT kind, n FROM s'), [[`k${round}`, 1]])
  }
  t.ok(seen.size > 10)
})

t.test('a flow that fills a large table again does so in parts', embeddedOnly, async t => {
  const folder = temporaryFolder(t)
  let server = await startServer(t, options, { folder })
  const ask = (sql: string) => askSql(server, sql)
  await ask('CREATE TABLE m (ts TIMESTAMP(3) TIME INDEX, host STRING, v BIGINT, PRIMARY KEY (host))')
  await ask("INSERT INTO m SELECT make_timestamp((i % 40) * 3600000000), 'h' || i, i FROM range(150000) AS r(i)")
  const query = "SELECT date_bin(INTERVAL '1 hour', ts) AS w, host, sum(v) AS s FROM m GROUP BY w, host"
  await ask(`CREATE FLOW f SINK TO s AS ${query}`)
  // Rows of the table that belong to no row of the query: the next fill takes them away, wherever they are.
  await ask("INSERT INTO s SELECT make_timestamp((i - 3) * 3600000000), 'none', 1 FROM range(50) AS r(i)")
  await server.close()
  server = await startServer(t, options, { folder })
  await ask("ADMIN FLUSH_FLOW('f')")
  const sums = (from: string) => ask(`SELECT count(*), sum(s), min(w), max(w), max(host) FROM ${from}`)
  t.strictSame(await sums('s'), await sums(`(${query}) AS q`))
})

t.test('windows whose rows expire stay as they are', embeddedOnly, async t => {
  const server = await startServer(t, options)
  const ask = (sql: string) => askSql(server, sql)
  await ask('CREATE TABLE m (ts TIMESTAMP(3) TIME INDEX, v BIGINT)')
  const hour = 3_600_000
  const now = Date.now()
  await ask(`INSERT INTO m VALUES (${now - 30 * hour}, 1), (${now}, 2)`)
  const query = "SELECT date_bin(INTERVAL '1 hour', ts) AS h, sum(v) AS s FROM m GROUP BY h"
  await ask(`CREATE FLOW f SINK TO s EXPIRE AFTER '1 day 0 milliseconds' COMMENT 'it''s' AS ${query}`)
  t.strictSame(await ask('SELECT s FROM s'), [[2]], 'nor are they made')
  await ask(`INSERT INTO m VALUES (${now - 30 * hour + 1}, 5), (${now + 1}, 3)`)
  await ask("ADMIN FLUSH_FLOW('f')")
  t.strictSame(await ask('SELECT sum(s) FROM s'), [[5]])
  const [[, text]] = await ask('SHOW CREATE FLOW f')
  t.equal(
    text,
    `CREATE FLOW IF NOT EXISTS "f"\nSINK TO "public"."s"\nEXPIRE AFTER '86400 s'\nCOMMENT 'it''s'\nAS ${query}`
  )
  await ask(`CREATE OR REPLACE FLOW f SINK TO s AS ${query}`)
  t.strictSame(await ask('SELECT s FROM s ORDER BY h'), [[6], [5]], 'what replaces it fills its table')
})

t.test('a query that no flow can be made of is refused with the reason', embeddedOnly, async t => {
  const server = await startServer(t, options)
  const ask = (sql: string) => askSql(server, sql)
  await ask('CREATE TABLE m (ts TIMESTAMP(3) TIME INDEX, host STRING, v BIGINT, PRIMARY KEY (host))')
  await ask("CREATE TABLE appended (w TIMESTAMP TIME INDEX, s BIGINT) WITH (append_mode = 'true')")
  await ask('CREATE TABLE keyed (w TIMESTAMP TIME INDEX, s BIGINT, host STRING, PRIMARY KEY (host))')
  const query = "SELECT date_bin(INTERVAL '1 hour', ts) AS w, sum(v) AS s FROM m GROUP BY w"
  const cases: readonly (readonly [string, RegExp])[] = [
    ['SELECT sum(v) FROM m', /GROUP BY date_bin/],
    ['SELECT host, sum(v) FROM m GROUP BY host', /groups by date_bin\(INTERVAL '…', "ts"\)/],
    [`${query} ORDER BY w`, /has no ORDER/],
    [`${query} LIMIT 1`, /has no LIMIT/],
    ["SELECT date_bin(INTERVAL '1 hour', ts) AS w FROM m GROUP BY w, host", /in its list: host/],
    ["SELECT date_bin(INTERVAL '1 hour', ts) AS w FROM nothing GROUP BY w", /one table that exists/],
    ["SELECT date_bin(INTERVAL '1 hour', ts) AS w FROM m JOIN m AS o USING (host) GROUP BY w", /one table/],
    ["SELECT date_bin(INTERVAL '1 hour', ts) AS w FROM m WHERE v > (SELECT 1) GROUP BY w", /no subquery/],
    ["SELECT date_bin(INTERVAL '1 hour', ts) AS w FROM m WHERE EXISTS (FROM keyed) GROUP BY w", /no subquery/],
    ["SELECT date_bin(INTERVAL '1 hour', ts) AS w FROM m WHERE v IN (TABLE keyed) GROUP BY w", /no subquery/],
    ["SELECT date_bin(INTERVAL '1 hour', ts) AS w, abs(sum(sum(v)) OVER ()) AS s FROM m GROUP BY w", /no OVER/],
    ["SELECT date_bin(INTERVAL '1 hour', ts) AS w, nothing FROM m GROUP BY w", /No field named nothing/],
    ["SELECT date_bin(INTERVAL '1 hour', ts) AS w, list(v) AS l FROM m GROUP BY w", /List<Int64>, which no table has/]
  ]
  for (const [text, reason] of cases)
    await t.rejects(ask(`CREATE FLOW f SINK TO s AS ${text}`), { message: reason }, text)
  await t.rejects(ask(`CREATE FLOW f SINK TO m AS ${query}`), { message: /the table it reads/ })
  await t.rejects(ask(`CREATE FLOW f SINK TO appended AS ${query}`), { message: /append mode/ })
  await t.rejects(ask(`CREATE FLOW f SINK TO keyed AS ${query}`), { message: /must have the primary key \(\)/ })
  await t.rejects(ask(`CREATE FLOW f AS ${query}`), { message: /expected SINK TO/ })
  await t.rejects(ask(`CREATE FLOW f SINK TO s EXPIRE AFTER '2 fortnights' AS ${query}`), { message: /a duration/ })
  await t.rejects(ask("ADMIN FLUSH_FLOW('f')"), { message: /there is no flow f/ })
  await t.rejects(ask('DROP FLOW f'), { message: /there is no flow f/ })
  t.strictSame(await ask('SHOW FLOWS'), [])
  for (const name of ['a', 'b', 'c', 'd']) await ask(`CREATE FLOW ${name} SINK TO ${name} AS ${query}`)
  await t.rejects(ask(`CREATE FLOW e SINK TO e AS ${query}`), { message: /max_flows/ })
  t.match((await server.main.inject('/metrics')).body, /svc_refused_total\{plugin="flows",code="InvalidArguments"\} 1/)
})

t.test('of flows of one name that are made at the same time one is, and the others are told', async t => {
  const { main } = await startServer(t, options)
  await askSql({ main }, 'CREATE TABLE m (ts TIMESTAMP(3) TIME INDEX, host STRING, v BIGINT, PRIMARY KEY (host))')
  const query = onClickHouse
    ? 'SELECT toStartOfInterval(ts, INTERVAL 1 minute) AS minute, sum(v) AS total FROM m GROUP BY minute'
    : "SELECT date_bin(INTERVAL '1 minute', ts) AS minute, sum(v) AS total FROM m GROUP BY minute"
  const create = (words: string) =>
    main.inject({ url: `/v1/sql?${new URLSearchParams({ sql: `${words} f SINK TO filled AS ${query}` })}` })
  const plain = await Promise.all(Array.from({ length: 4 }, () => create('CREATE FLOW')))
  t.strictSame(plain.map(({ statusCode }) => statusCode).sort(), [200, 400, 400, 400])
  t.match(plain.find(({ statusCode }) => statusCode === 400)!.body, /flow f exists already/)
  const lenient = await Promise.all(Array.from({ length: 4 }, () => create('CREATE FLOW IF NOT EXISTS')))
  t.strictSame([...new Set(lenient.map(({ statusCode }) => statusCode))], [200])
  t.strictSame(await askSql({ main }, 'SHOW FLOWS'), [['f']])
})

t.test('a flow that is dropped while it fills its table ends the statement that made it', embeddedOnly, async t => {
  const { main } = await startServer(t, options)
  await askSql({ main }, 'CREATE TABLE m (ts TIMESTAMP(3) TIME INDEX, v BIGINT)')
  await askSql({ main }, 'INSERT INTO m (ts, v) SELECT i * 1000, i FROM range(600000) r(i)')
  const query = "SELECT date_bin(INTERVAL '1 second', ts) AS second, sum(v) AS total FROM m GROUP BY second"
  const sql = `CREATE FLOW f SINK TO filled AS ${query}`
  const made = main.inject({ url: `/v1/sql?${new URLSearchParams({ sql })}` })
  await eventually(async () => (await askSql({ main }, 'SHOW FLOWS')).length === 1, Boolean, 1)
  await askSql({ main }, 'DROP FLOW f')
  const { statusCode, body } = await made
  t.equal(statusCode, 504)
  t.match(body, /flow f was dropped, replaced or stopped/)
  t.strictSame(await askSql({ main }, 'SHOW FLOWS'), [])
})

t.test('rows of flows do not come back to the table they were read from', embeddedOnly, async t => {
  const server = await startServer(t, options)
  const ask = (sql: string) => askSql(server, sql)
  await ask('CREATE TABLE m (ts TIMESTAMP(3) TIME INDEX, v DOUBLE)')
  const flow = (name: string, from: string, sink: string) =>
    ask(
      `CREATE OR REPLACE FLOW ${name} SINK TO ${sink} AS SELECT date_bin(INTERVAL '1 minute', ts) AS ts, sum(v) AS v FROM ${from} GROUP BY 1`
    )
  await t.rejects(flow('own', 'm', 'm'), /cannot go to the table it reads/)
  await flow('first', 'm', 'a')
  await flow('second', 'a', 'b')
  await t.rejects(
    flow('third', 'b', 'm'),
    /its rows would come back to public.b, which it reads: flows public.first, public.second/
  )
  await flow('third', 'b', 'c')
  await t.rejects(
    flow('second', 'c', 'b'),
    /come back to public.c, which it reads/,
    'one that takes the place of another'
  )
  await flow('second', 'm', 'b')
  await flow('fourth', 'c', 'a')
})
