// `/v1/sql` over ClickHouse: statements in its own dialect, over tables of this server and nothing else.
import t, { type Test } from 'tap'
import { startServer } from '../helpers.ts'
import { needingClickHouse, startClickHouse } from './server.ts'

t.setTimeout(200_000)

interface Answer {
  readonly status: number
  readonly error: string
  readonly rows: readonly (readonly unknown[])[]
  readonly columns: readonly string[]
}

async function start(t: Test, more = '') {
  const { url } = await startClickHouse(t)
  const toml = `[storage]\nengine = "clickhouse"\n[storage.clickhouse]\nurls = ["${url}"]\n${more}`
  const { main } = await startServer(t, toml)
  const sql = async (
    text: string,
    query: Record<string, string> = {},
    headers: Record<string, string> = {}
  ): Promise<Answer> => {
    const { statusCode, body } = await main.inject({
      method: 'POST',
      url: `/v1/sql?${new URLSearchParams(query)}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: new URLSearchParams({ sql: text }).toString()
    })
    const read = JSON.parse(body)
    const records = read.output?.at(-1)?.records
    return {
      status: statusCode,
      error: read.error ?? '',
      rows: records?.rows ?? [],
      columns: (records?.schema.column_schemas ?? []).map(
        ({ name, data_type }: Record<string, string>) => `${name} ${data_type}`
      )
    }
  }
  const rows = async (text: string, query?: Record<string, string>) => {
    const { status, error, rows } = await sql(text, query)
    if (status !== 200) throw new Error(`${text}: ${error}`)
    return rows
  }
  return { url, main, sql, rows }
}

t.test('SELECT over tables of each kind', needingClickHouse(), async t => {
  const { main, sql, rows } = await start(t)
  await rows(
    "CREATE TABLE logs (ts TIMESTAMP(3) TIME INDEX, host STRING PRIMARY KEY, line STRING, extra JSON) WITH (append_mode = 'true')"
  )
  await rows('CREATE TABLE state (ts TIMESTAMP(3) TIME INDEX, host STRING PRIMARY KEY, v BIGINT)')
  await rows(
    "INSERT INTO logs VALUES (1000, 'a', 'it''s', '{\"n\":1}'), (2000, 'b', 'two', NULL), (2000, 'b', 'two', NULL)"
  )
  await rows("INSERT INTO state VALUES (1000, 'a', 1), (2000, 'a', 2)")
  await rows("INSERT INTO state VALUES (1000, 'a', 10)")
  t.strictSame(await rows('SELECT count() FROM logs'), [[3]])
  t.strictSame(await rows('SELECT v FROM state ORDER BY ts'), [[10], [2]], 'the newest version of each row')
  t.strictSame(
    (await sql('SELECT * FROM state LIMIT 0')).columns,
    ['ts TimestampMillisecond', 'host String', 'v Int64'],
    'columns of our own never show'
  )
  t.strictSame((await sql('SELECT * FROM logs LIMIT 1')).columns.at(-1), 'extra Json')
  t.match((await sql('SELECT __version FROM state')).error, /__version/)
  t.strictSame(await rows("SELECT line FROM logs WHERE line = 'it\\'s'"), [["it's"]], 'a backslash escapes')
  t.strictSame(await rows("SELECT line FROM logs AS l WHERE l.line = 'it''s' -- a comment"), [["it's"]])
  t.strictSame(
    await rows(
      "WITH logs AS (SELECT * FROM logs WHERE host = 'b') SELECT DISTINCT l.line, s.v FROM logs AS l, public.state JOIN state AS s ON s.host = public.state.host WHERE s.v = 2 ORDER BY ALL"
    ),
    [['two', 2]]
  )
  t.strictSame(
    await rows(
      'SELECT public.state.v, state.host FROM svc.public.state FINAL WHERE v IN (SELECT v FROM state WHERE v > 2)'
    ),
    [[10, 'a']]
  )
  t.strictSame(await rows('WITH x AS (SELECT 7 AS n) SELECT n, (SELECT max(v) FROM state) FROM x WHERE n IN x'), [
    [7, 10]
  ])
  t.strictSame(
    await rows(
      "SELECT EXTRACT(YEAR FROM ts), trim(BOTH ' ' FROM line) FROM logs WHERE host IS NOT NULL ORDER BY line LIMIT 1"
    ),
    [[1970, "it's"]]
  )
  t.strictSame(await rows('SELECT number FROM numbers(3)'), [[0], [1], [2]])
  const line = await main.inject({
    method: 'POST',
    url: '/v1/lineproto/write?precision=ms',
    payload: 'load,Host=a Value=1.5 3000'
  })
  t.equal(line.statusCode, 204)
  t.strictSame(await rows('SELECT `Host`, `Value` FROM load'), [['a', 1.5]])
  await rows('CREATE VIEW hosts AS SELECT host AS h, v * 2 AS twice FROM state')
  t.strictSame(await rows("SELECT twice FROM hosts WHERE h = 'a' ORDER BY 1"), [[4], [20]])
  t.strictSame(
    await rows("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1"),
    [['hosts'], ['load'], ['logs'], ['state']]
  )
  t.strictSame(await rows('SELECT * FROM information_schema.weir_engine'), [['clickhouse', 'clickhouse']])
  t.strictSame(await rows("SHOW TABLES WHERE Tables = 'logs'"), [['logs']])
  t.strictSame(await rows("SHOW TABLES LIKE 'l_g%'"), [['logs']])
  await rows('CREATE TABLE copied (ts TIMESTAMP(3) TIME INDEX, host STRING PRIMARY KEY, v BIGINT)')
  await rows('INSERT INTO copied SELECT ts, host, v FROM state')
  t.strictSame(await rows('SELECT sum(v) FROM copied'), [[12]])
  await rows('DELETE FROM copied WHERE v = 10')
  t.strictSame(await rows('SELECT v FROM copied'), [[2]])
  t.match((await rows('EXPLAIN SELECT * FROM state'))[0]?.[1], /ReadFromMergeTree/)
})

t.test('nothing else is read, and what is not known is refused', needingClickHouse(), async t => {
  const { url, sql, rows } = await start(t)
  await rows('CREATE TABLE state (ts TIMESTAMP(3) TIME INDEX, host STRING PRIMARY KEY, v BIGINT)')
  await rows("INSERT INTO state VALUES (1000, 'a', 1)")
  await fetch(`${url}/?query=${encodeURIComponent('CREATE TABLE default.secret ENGINE = Memory AS SELECT 42 AS n')}`, {
    method: 'POST'
  })
  const refused: readonly (readonly [text: string, said: RegExp])[] = [
    ['SELECT * FROM system.users', /Database not found: system/],
    ['SELECT * FROM weir_public.state', /Database not found/],
    ['SELECT * FROM default.secret', /Database not found: default/],
    ['SELECT * FROM secret', /Table not found: svc\.public\.secret/],
    ['SELECT 42 IN secret', /secret/],
    ['SELECT 42 IN (secret)', /secret/],
    ['SELECT 42 IN default.secret', /IN default\.secret is not allowed/],
    ['SELECT 42 GLOBAL NOT IN `default`.`secret`', /is not allowed/],
    ['SELECT in(42, default.secret)', /IN default\.secret is not allowed/],
    [
      'WITH c AS (SELECT 1) SELECT * FROM (WITH secret AS (SELECT 2 AS n) SELECT n FROM secret) AS x, secret',
      /Table not found: svc\.public\.secret/
    ],
    ["SELECT * FROM file('/etc/passwd', 'LineAsString')", /table function file is not allowed/],
    ["SELECT * FROM url('http://127.0.0.1/', 'LineAsString')", /table function url is not allowed/],
    ["SELECT * FROM remote('127.0.0.1', system.users)", /table function remote is not allowed/],
    ["SELECT * FROM merge('default', '.*')", /table function merge is not allowed/],
    ["SELECT * FROM s3('http://127.0.0.1/')", /table function s3 is not allowed/],
    ["SELECT * FROM cluster('default', system.one)", /table function cluster is not allowed/],
    ["SELECT * FROM executable('x', 'TSV', 'a String')", /table function executable is not allowed/],
    ['SELECT * FROM (EXPLAIN SELECT 1)', /table function viewExplain is not allowed/],
    ["SELECT file('/etc/passwd')", /function file is not allowed/],
    ["SELECT dictGet('d', 'a', 1)", /function dictGet is not allowed/],
    ["SELECT joinGet('default.secret', 'n', 1)", /function joinGet is not allowed/],
    ["SELECT hasColumnInTable('default', 'secret', 'n')", /function hasColumnInTable is not allowed/],
    ['SELECT sleep(3)', /function sleep is not allowed/],
    ['SELECT hostName(), currentUser()', /function hostName is not allowed/],
    ["SELECT getSetting('max_threads')", /function getSetting is not allowed/],
    ['SELECT totalyNew(1)', /function totalyNew is not allowed/],
    ['SELECT * APPLY(toString) FROM state', /APPLY is not allowed/],
    ['SELECT 1 SETTINGS max_threads = 1', /SETTINGS is not allowed/],
    ["SELECT 1 INTO OUTFILE '/tmp/x'", /Syntax error/],
    ["SELECT 1) INTO OUTFILE '/tmp/x'", /Syntax error/],
    ['SELECT 1 FORMAT Null', /Syntax error/],
    ['SELECT * FROM state # x', /unexpected character "#"/],
    ['SELECT {p1:Identifier}', /unexpected character/],
    ['SELECT `a\nb` FROM state', /control characters/],
    ['SELECT 1 FROM __weir_table_0, state', /__weir_table_0/],
    ['WITH __weir_table_0 AS (SELECT 1) SELECT 1 FROM state', /^$/],
    ["SELECT 1 AS x ORDER BY x WITH FILL INTERPOLATE (x AS file('a'))", /file|Syntax/],
    ['SELECT * FROM state WHERE', /Syntax error: unexpected end of the statement.* at line 1, column 21/],
    ['SELECT v,\n ts FRUM state', /Syntax error: unexpected state.* at line 2, column 10/]
  ]
  for (const [text, said] of refused) {
    const { status, error } = await sql(text)
    if (String(said) === '/^$/') t.equal(status, 200, `${text}: ${error}`)
    else t.equal(status, 400, `${text}: ${status} ${error}`)
    t.match(error, said, text)
    t.notMatch(error, /In scope|weir_public`|__version|FORMAT Native/i, 'it does not tell what really ran')
  }
  const unknown = await sql('SELECT nope FROM state')
  t.match(unknown.error, /^Failed to plan SQL: .*nope/)
  t.notMatch(unknown.error, /weir_|FINAL/)
})

t.test('time zone, ttl, databases of a user', needingClickHouse(), async t => {
  const { main, sql, rows } = await start(t)
  await rows('CREATE TABLE logs (ts TIMESTAMP(3) TIME INDEX, host STRING PRIMARY KEY, v BIGINT)')
  await rows("INSERT INTO logs VALUES ('2026-06-01T22:30:00Z', 'a', 1)")
  const berlin = { 'x-svc-timezone': 'Europe/Berlin' }
  t.strictSame(
    (await sql("SELECT toHour(ts), toString(toDate(ts)), ts = '2026-06-02 00:30:00' FROM logs", {}, berlin)).rows,
    [[0, '2026-06-02', 1]]
  )
  t.strictSame((await sql('SELECT toHour(ts), toString(toDate(ts)) FROM logs')).rows, [[22, '2026-06-01']])
  await rows("CREATE TABLE brief (ts TIMESTAMP(3) TIME INDEX, v BIGINT) WITH (ttl = '1h')")
  await main.inject({
    method: 'POST',
    url: '/v1/lineproto/write?precision=ms',
    payload: `brief v=1i ${Date.now() - 7_200_000}`
  })
  await main.inject({ method: 'POST', url: '/v1/lineproto/write?precision=ms', payload: `brief v=2i ${Date.now()}` })
  t.strictSame(await rows('SELECT v FROM brief'), [[2]], 'rows past their ttl are not there')
  await rows('CREATE DATABASE shop')
  await rows('CREATE TABLE shop.items (ts TIMESTAMP(3) TIME INDEX, v BIGINT)')
  await rows('INSERT INTO shop.items VALUES (1, 5)')
  t.strictSame(await rows('SELECT v FROM items', { db: 'shop' }), [[5]])
  t.strictSame(await rows('SELECT items.v, shop.items.v FROM shop.items'), [[5, 5]])
  t.strictSame(await rows('SELECT current_schema(), currentDatabase()', { db: 'shop' }), [['shop', 'shop']])
  const between = { params: JSON.stringify(['2026-06-01T22:00:00.000Z', '2026-06-01T23:00:00.000Z']) }
  t.strictSame(
    await rows(
      'SELECT v FROM logs WHERE ts >= parseDateTime64BestEffort(?, 3) AND ts < parseDateTime64BestEffort(?, 3)',
      between
    ),
    [[1]]
  )
})
