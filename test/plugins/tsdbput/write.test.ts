import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { deflateSync, gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { askSql, startServer } from '../../helpers.ts'
import { needing } from '../../programs.ts'

async function serve(t: Test, toml = '') {
  const server = await startServer(t, toml)
  const put = async (points: unknown, query = '', headers: Record<string, string> = {}) => {
    const payload = typeof points === 'string' || Buffer.isBuffer(points) ? points : JSON.stringify(points)
    const url = `/v1/tsdbput/api/put${query}`
    const answer = await server.main.inject({ method: 'POST', url, payload, headers })
    return { status: answer.statusCode, body: answer.body, json: () => answer.json() }
  }
  const sql = (text: string, db = 'public') => askSql(server, text, { db })
  return { ...server, put, sql }
}

const point = (over: object = {}) => ({
  metric: 'sys.load',
  timestamp: 1_700_000_000,
  value: 0.5,
  tags: { host: 'a' },
  ...over
})

t.test('one point and many, in seconds and milliseconds, numbers as texts', async t => {
  const { put, sql } = await serve(t)
  const one = await put(point())
  t.equal(one.status, 204)
  t.equal(one.body, '')
  const many = [
    point({ timestamp: 1_700_000_001_500, value: 1, tags: { host: 'a', cpu: '1' } }),
    point({ timestamp: '1700000002', value: '2.5e1', more: { x: [1, { y: null }] } }),
    point({ timestamp: -5, value: '-.5', tags: { host: 'ü "q"', dc: '' } }),
    { tags: {}, value: 7, timestamp: 9, metric: 'größe/x y' }
  ]
  t.equal((await put(many)).status, 204)
  t.same(await sql('SELECT host, cpu, svc_value, epoch_ms(svc_timestamp) FROM "sys.load" ORDER BY 4'), [
    ['ü "q"', null, -0.5, -5000],
    ['a', null, 0.5, 1_700_000_000_000],
    ['a', '1', 1, 1_700_000_001_500],
    ['a', null, 25, 1_700_000_002_000]
  ])
  t.same(await sql('SELECT svc_value, epoch_ms(svc_timestamp) FROM "größe/x y"'), [[7, 9000]])
  t.equal((await put(point({ value: 9 }))).status, 204, 'the same point again')
  t.same(await sql('SELECT svc_value FROM "sys.load" WHERE svc_timestamp = 1700000000000'), [[9]], 'replaces it')
  const types = (await sql('DESC "sys.load"')).map((row: unknown[]) => [row[0], row[1], row[5]])
  t.same(types, [
    ['host', 'String', 'TAG'],
    ['svc_value', 'Float64', 'FIELD'],
    ['svc_timestamp', 'TimestampMillisecond', 'TIMESTAMP'],
    ['cpu', 'String', 'TAG']
  ])
})

t.test('summary and details say what was stored; flags count whatever their value', async t => {
  const { put, sql, core } = await serve(t)
  const good = [point(), point({ timestamp: 1_700_000_001_500, tags: { host: 'a', cpu: '1' } })]
  t.equal((await put(good, '?summary')).body, '{"success":2,"failed":0}')
  t.equal((await put(good, '?details')).body, '{"success":2,"failed":0,"errors":[]}')
  t.equal(
    (await put(good, '?summary=&details=false&sync&sync_timeout=60')).body,
    '{"success":2,"failed":0,"errors":[]}'
  )
  t.equal((await put(good, '?sync')).status, 204)
  await sql('CREATE TABLE words (svc_value STRING, ts TIMESTAMP TIME INDEX)')
  const mixed = [
    point({ timestamp: 1 }),
    point({ metric: '' }),
    point({ value: 'many' }),
    point({ value: '' }),
    point({ timestamp: 'now' }),
    point({ metric: 'x'.repeat(256) }),
    point({ metric: 'words' }),
    point({ tags: { svc_value: 'a' } }),
    point({ tags: { '': 'a' } }),
    point({ timestamp: 2 })
  ]
  const { status, json } = await put(mixed, '?details')
  t.equal(status, 200)
  const { success, failed, errors } = json()
  t.same([success, failed], [2, 8])
  t.same(
    errors.map((error: { datapoint: unknown }) => error.datapoint),
    mixed.slice(1, 9),
    'the points as they came'
  )
  const reasons = errors.map((error: { error: string }) => error.error)
  t.match(reasons, [
    /Metric name was empty/,
    /Unable to parse value to a number: many/,
    /Empty value/,
    /Invalid timestamp: now/,
    /at most 255/,
    /Column datatype mismatch.*svc_value.*String.*Float64.*words/,
    /tag svc_value of metric sys.load/,
    /the name of a column is empty/
  ])
  t.same(await sql('SELECT count(*) FROM "sys.load" WHERE svc_timestamp < 10000'), [[2]])
  t.equal((await put(mixed, '?summary')).body, '{"success":2,"failed":8}')
  t.match(await core.metrics.expose(), /svc_tsdbput_points_refused_total 16/)
})

t.test('a value that would lose digits fails its point', async t => {
  const { put, sql } = await serve(t)
  await sql('CREATE TABLE narrow (svc_value FLOAT, ts TIMESTAMP TIME INDEX, host STRING, PRIMARY KEY (host))')
  const exact = 9_007_199_254_740_992n
  const raw = (metric: string, value: string) =>
    `{"metric":"${metric}","timestamp":1,"value":${value},"tags":{"host":"a"}}`
  const body = [
    raw('wide', String(exact)),
    raw('wide', String(exact + 1n)),
    raw('wide', `"${exact + 1n}"`),
    raw('narrow', '0.1'),
    raw('narrow', '16777217'),
    raw('narrow', '1e300')
  ]
  const { json } = await put(`[${body.join()}]`, '?details')
  const { success, failed, errors } = json()
  t.same([success, failed], [2, 4])
  t.match(
    errors.map((error: { error: string }) => error.error),
    [/lose digits/, /lose digits/, /svc_value of type Float32/, /svc_value of type Float32/]
  )
  t.same(await sql('SELECT svc_value FROM narrow'), [[0.1]])
})

t.test('without flags a point that is wrong fails all of them', async t => {
  const { put, sql } = await serve(t)
  for (const wrong of [point({ value: 'many' }), point({ tags: { svc_timestamp: 'x' } }), point({ metric: '' })]) {
    const { status, json } = await put([point({ metric: 'good' }), wrong])
    t.equal(status, 400)
    const { error } = json()
    t.equal(error.code, 400)
    t.equal(error.message, 'One or more data points had errors')
    t.match(error.details, /details/)
  }
  t.same(await sql('SHOW TABLES'), [])
})

t.test('an invalid point is refused with its position, with flags or without', async t => {
  const { put, sql } = await serve(t)
  const cases = [
    ['', /No datapoints found/],
    ['[]', /No datapoints found/],
    ['{', /a key in quotes/],
    ['[{"metric":"m"},]', /no timestamp/],
    ['nope', /a point as an object/],
    ['"text"', /a point as an object/],
    ['[1]', /a point as an object, got "1" at line 1, column 2/],
    [`[${JSON.stringify(point())}`, /expected ',' or '\]', got the end/],
    [`${JSON.stringify(point())} x`, /the end of the document/],
    [JSON.stringify(point({ metric: 5 })), /metric as a text/],
    [JSON.stringify(point({ tags: { a: 1 } })), /the value of a tag as a text/],
    [JSON.stringify(point({ tags: [] })), /tags as an object/],
    [JSON.stringify(point({ value: null })), /value as a number or a text/],
    [JSON.stringify(point({ value: true })), /value as a number or a text/],
    [JSON.stringify(point({ timestamp: 1.5 })), /not an integer/],
    ['{"metric":"m","timestamp":1,"value":NaN,"tags":{}}', /value as a number or a text/],
    ['{"metric":"m","timestamp":1,"value":1e999,"tags":{}}', /out of range/],
    ['{"metric":"m","timestamp":1,"tags":{}}', /no value/],
    ['{"metric":"m","timestamp":1,"value":1}', /no tags/],
    ['{"timestamp":1,"value":1,"tags":{}}', /no metric/],
    [JSON.stringify(point()).replace('sys', String.raw`\u00`), /hexadecimal/],
    [JSON.stringify(point()).replace('"a"', String.raw`"\x"`), /unknown escape/],
    [Buffer.from('{"metric":"\xff"}', 'latin1'), /UTF-8/]
  ] as const
  for (const [body, message] of cases) {
    for (const query of ['', '?details']) {
      const { status, json } = await put(body, query)
      t.equal(status, 400, String(body))
      t.match(json().error.message, message)
    }
  }
  t.same(await sql('SHOW TABLES'), [])
})

t.test('a table somebody made keeps its names and units', async t => {
  const { put, sql } = await serve(t)
  await sql('CREATE TABLE load (host STRING, one FLOAT, at TIMESTAMP(0) TIME INDEX, PRIMARY KEY (host))')
  t.equal((await put(point({ metric: 'load', timestamp: 1_700_000_000_999 }))).status, 204)
  t.same(await sql('SELECT host, one, epoch_ms("at") FROM load'), [['a', 0.5, 1_700_000_000_000]])
})

t.test('bodies come compressed; whatever their type is said to be', async t => {
  const { put, sql } = await serve(t)
  const body = (i: number) => JSON.stringify(point({ timestamp: i }))
  t.equal((await put(gzipSync(body(1)), '', { 'content-encoding': 'gzip' })).status, 204)
  t.equal((await put(deflateSync(body(2)), '', { 'content-encoding': 'deflate' })).status, 204)
  t.equal((await put(body(3), '', { 'content-type': 'application/x-www-form-urlencoded' })).status, 204)
  t.equal((await put(body(4), '', { 'content-type': 'none' })).status, 204)
  t.equal((await put(body(5), '', { 'content-encoding': 'lzma' })).status, 400)
  t.same(await sql('SELECT count(*) FROM "sys.load"'), [[4]])
})

t.test('databases, hints and limits', async t => {
  const { put, sql } = await serve(t, '[limits]\nmax_tables = 2\nmax_series = 2\nmax_columns = 4\n')
  await sql('CREATE DATABASE other')
  t.equal((await put(point(), '?db=other')).status, 204)
  t.same(await sql('SELECT count(*) FROM "sys.load"', 'other'), [[1]])
  t.match((await put(point(), '?db=none')).body, /Database not found: none/)
  t.equal((await put(point(), '', { 'x-svc-hints': 'auto_create_table=false' })).status, 400)
  t.equal(
    (await put(point(), '?summary', { 'x-svc-hints': 'auto_create_table=false' })).body,
    '{"success":0,"failed":1}'
  )
  await put([point(), point({ tags: { host: 'b' } })])
  t.match((await put(point({ tags: { host: 'c' } }), '?details')).body, /max_series/)
  t.equal((await put(point({ timestamp: 5 }))).status, 204, 'known series go on')
  t.match((await put(point({ metric: 'm', tags: { a: '1', b: '2', c: '3' } }), '?details')).body, /max_columns/)
  await put(point({ metric: 'm' }))
  t.match((await put(point({ metric: 'n' }), '?details')).body, /max_tables/)
})

t.test('limits hold within one request, and points that fit are stored', async t => {
  const { put, sql } = await serve(
    t,
    '[limits]\nmax_tables = 3\nmax_series = 2\nmax_columns = 4\n[plugins.tsdbput]\nmax_request_tables = 3\n'
  )
  const metric = (metric: string, ...tags: Record<string, string>[]) => tags.map(tags => point({ metric, tags }))
  const wide = metric('wide', { a: '1' }, { b: '1' }, { c: '1' })
  t.match(await put(wide), { status: 400, body: /more than 4 columns \(limits.max_columns\)/ })
  const many = metric('many', { a: '1' }, { a: '2' }, { a: '1' }, { a: '3' })
  t.match(await put(many), { status: 400, body: /more than 2 series \(limits.max_series\)/ })
  t.same(await sql('SHOW TABLES'), [], 'nothing of a refused request')
  const { success, failed, errors } = (await put([...wide, ...many], '?details')).json()
  t.same([success, failed], [5, 2])
  t.match(errors, [
    { datapoint: { tags: { c: '1' } }, error: /max_columns/ },
    { datapoint: { tags: { a: '3' } }, error: /max_series/ }
  ])
  t.same(await sql('SELECT a, b FROM wide ORDER BY a'), [
    ['1', null],
    [null, '1']
  ])
  const five = ['n', 'o', 'p', 'q'].flatMap(name => metric(name, {}))
  t.match(await put(five, '?details'), { status: 400, body: /of 4 metrics, at most are 3 .*max_request_tables/ })
  t.same((await put(five.slice(0, 2), '?summary')).json(), { success: 1, failed: 1 }, 'one more table fits')
})

t.test('many points that do not fit among others that do', async t => {
  const { put, sql } = await serve(t)
  await sql('CREATE TABLE m (at TIMESTAMP(3) TIME INDEX, v DOUBLE, must STRING NOT NULL, PRIMARY KEY (must))')
  const tags = [{ must: 'a' }, { v: '1', must: 'a' }, {}, { at: '1', must: 'a' }, { must: 'b' }]
  const points = Array.from({ length: 5000 }, (_, i) => point({ metric: 'm', timestamp: i, tags: tags[i % 5] }))
  const { success, failed, errors } = (await put(points, '?details')).json()
  t.same([success, failed], [2000, 3000])
  t.match(errors.slice(0, 3), [
    { error: /tag v of metric m has the name of a column/ },
    { error: /tag must of metric m is missing/ },
    { error: /tag at of metric m has the name of a column/ }
  ])
  t.same(await sql('SELECT must, count(*) FROM m GROUP BY 1 ORDER BY 1'), [
    ['a', 1000],
    ['b', 1000]
  ])
  const fixed = points
    .slice(0, 5)
    .map((each, i) => ({ ...each, tags: { must: 'a', ...(i > 2 && { [`t${i}`]: '1' }) } }))
  const answer = await put(fixed, '?details', { 'x-svc-hints': 'auto_create_table=false' })
  t.match(answer.json(), { success: 3, failed: 2, errors: [{ error: /auto_create_table is off/ }] })
})

t.test('long values are shortened in messages', async t => {
  const { put } = await serve(t)
  for (const over of [{ value: 'x'.repeat(1000) }, { timestamp: '9'.repeat(1000) }]) {
    const { status, body } = await put(point(over))
    t.equal(status, 400)
    t.ok(body.length < 300)
  }
})

t.test('curl puts points', needing('curl'), async t => {
  const { main, sql } = await serve(t, 'user_provider = "static_user_provider:cmd:al=p"')
  const { port } = main.server.address() as { port: number }
  const url = `http://127.0.0.1:${port}/v1/tsdbput/api/put`
  const curl = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)('curl', ['-s', '-w', '%{http_code}', ...args])
    return stdout
  }
  const points = JSON.stringify([point(), point({ timestamp: 1_700_000_001 })])
  t.match(await curl(url, '-d', points), /401$/)
  t.equal(await curl('-u', 'al:p', url, '-d', points), '204')
  t.equal(await curl('-u', 'al:p', `${url}?details`, '--json', points), '{"success":2,"failed":0,"errors":[]}200')
  // Large enough that curl asks before it sends.
  const large = JSON.stringify(
    Array.from({ length: 20_000 }, (_, i) => point({ timestamp: i, tags: { host: `h${i % 9}` } }))
  )
  const { spawn } = await import('node:child_process')
  const child = spawn('curl', [
    '-s',
    '-u',
    'al:p',
    `${url}?summary`,
    '-H',
    'Expect: 100-continue',
    '--data-binary',
    '@-'
  ])
  child.stdin.end(large)
  let answer = ''
  for await (const part of child.stdout) answer += part
  t.equal(answer, '{"success":20000,"failed":0}')
  t.ok(sql)
})
