import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import t from 'tap'
import { databaseMaker, startServer } from '../../helpers.ts'
import { clientOf, serve } from './serve.ts'

const server = await startServer(t)
const database = databaseMaker(server)
const fresh = async () => clientOf(server, await database())

t.test('a point becomes a row with typed columns', async t => {
  const { write, sql } = await fresh()
  const line = String.raw`weather,city=Oslo\ S temp=-3.5,wet=true,note="snow \"heavy\"",n=4i,big=7u 1700000000123`
  t.equal((await write(line, '?precision=ms')).status, 204)
  t.strictSame(await sql('SELECT city, temp, wet, note, n, big, svc_timestamp FROM weather'), [
    ['Oslo S', -3.5, true, 'snow "heavy"', 4, 7, 1700000000123000000]
  ])
  t.strictSame(
    (await sql('DESC weather')).map((row: unknown[]) => [row[0], row[1], row[5]]),
    [
      ['city', 'String', 'TAG'],
      ['temp', 'Float64', 'FIELD'],
      ['wet', 'Boolean', 'FIELD'],
      ['note', 'String', 'FIELD'],
      ['n', 'Int64', 'FIELD'],
      ['big', 'UInt64', 'FIELD'],
      ['svc_timestamp', 'TimestampNanosecond', 'TIMESTAMP']
    ],
    'tags, fields, time'
  )
  const [[, ddl]] = await sql('SHOW CREATE TABLE weather')
  t.match(ddl, /merge_mode = 'last_non_null'/)
})

t.test(
  'fields of the same tags and time are put together; a later value wins, a missing one changes nothing',
  async t => {
    const { write, sql } = await fresh()
    await write('m,a=1 x=1,y=2 1\nm,a=1 z=3 1')
    await write('m,a=1 y=5 1\nm,a=2 x=9 1')
    t.strictSame(await sql('SELECT a, x, y, z FROM m ORDER BY a'), [
      ['1', 1, 5, 3],
      ['2', 9, null, null]
    ])
  }
)

t.test('new tags and fields widen a table; a tag that is missing is null and another series', async t => {
  const { write, sql } = await fresh()
  await write('m,host=a cpu=1 1')
  await write('m,host=a mem=2 2\nm,host=a,dc=eu cpu=3 2\nm cpu=4 2')
  t.strictSame(
    (await sql('DESC m')).map((row: unknown[]) => row[0]),
    ['host', 'cpu', 'svc_timestamp', 'dc', 'mem']
  )
  t.strictSame(await sql('SELECT host, dc, cpu, mem FROM m ORDER BY svc_timestamp, host, dc'), [
    ['a', null, 1, null],
    ['a', 'eu', 3, null],
    ['a', null, null, 2],
    [null, null, 4, null]
  ])
})

t.test('tags in any order are one series, known or new', async t => {
  const { write, sql } = await fresh()
  await write('m,a=1,b=2 x=1 1')
  await write('m,b=2,a=1 y=2 1\nm,a=1,b=2 z=3 1')
  t.strictSame(await sql('SELECT a, b, x, y, z FROM m'), [['1', '2', 1, 2, 3]])
})

t.test('every precision of both versions', async t => {
  const { write, post, sql } = await fresh()
  const cases = [
    ['n', 1_700_000_000_000_000_001n],
    ['ns', 1_700_000_000_000_000_002n],
    ['u', 1_700_000_000_000_003n],
    ['us', 1_700_000_000_000_004n],
    ['ms', 1_700_000_000_005n],
    ['s', 1_700_000_006n],
    ['m', 28_333_334n],
    ['h', 472_223n]
  ] as const
  for (const [precision, time] of cases) {
    t.equal((await write(`m,p=${precision} v=1 ${time}`, `?precision=${precision}`)).status, 204, precision)
    t.equal((await post(`api/v2/write?precision=${precision}`, `m,p=${precision}2 v=1 -${time}`)).status, 204)
  }
  const times = Object.fromEntries(await sql("SELECT p, epoch_ns(svc_timestamp)::VARCHAR FROM m WHERE p NOT LIKE '%2'"))
  t.equal(times['ns'], '1700000000000000002')
  t.equal(times['u'], '1700000000000003000')
  t.equal(times['ms'], '1700000000005000000')
  t.equal(times['s'], '1700000006000000000')
  t.equal(times['m'], '1700000040000000000')
  t.equal(times['h'], '1700002800000000000')
  for (const precision of ['', 'ps', 'S']) {
    const { status, body } = await write('m v=1', `?precision=${precision}`)
    t.equal(status, 400)
    t.match(JSON.parse(body).error, `Failed to convert time precision, name: ${precision}`)
  }
})

t.test('a line without a time gets the time it came at', async t => {
  const { write, sql } = await fresh()
  const before = Date.now()
  await write('m v=1', '?precision=h')
  const [[time]] = await sql('SELECT epoch_ms(svc_timestamp) FROM m')
  t.ok(time >= before && time <= Date.now() + 1, String(time))
})

t.test(
  'a bad line fails the request with its place, in both shapes of the protocol, and nothing is written',
  async t => {
    const { write, post, sql } = await fresh()
    const lines = 'good v=1 1\ngood v=2 2\nbad v=x 3\n'
    for (const answer of [await write(lines), await post('api/v2/write', lines)]) {
      const body = JSON.parse(answer.body)
      t.equal(answer.status, 400)
      t.equal(body.code, 'invalid')
      t.match(body.error, /"x" is not a value.* at line 3, column 7/)
      t.equal(body.message, body.error)
      t.match(answer.headers['x-influxdb-error'], /line 3, column 7/)
    }
    t.strictSame(await sql('SHOW TABLES'), [], 'nothing is made')
    t.match(await server.core.metrics.expose(), /svc_refused_total\{plugin="lineproto",code="InvalidSyntax"\} 2/)
  }
)

t.test('conflicts of types and places name table, column, both and the line; nothing is written', async t => {
  const { write, sql } = await fresh()
  const problem = async (lines: string) => {
    const { status, body } = await write(lines)
    t.equal(status, 400, lines)
    return JSON.parse(body).error as string
  }
  t.match(
    await problem('m v=1 1\nm v=1i 2'),
    /field v of table m is Int64 here and Float64 in line 1 at line 2, column 5/
  )
  await write('m,host=a v=1 1')
  t.match(await problem('m v=1 1\nm v=1i 2'), /field v of table m is Int64 here/)
  t.match(
    await problem('x w=1 1\nm w=2,v="s" 2'),
    /column v of table m is Float64, the field is String at line 2, column 7/
  )
  t.match(
    await problem('x w=1 1\nm,v=s w=2 2'),
    /column v of table m is a field, the line has a tag of that name at line 2/
  )
  t.match(
    await problem('x w=1 1\nm host="a" 2'),
    /column host of table m is a tag, the line has a field of that name at line 2/
  )
  t.match(await problem('y,a=1 a=1 1'), /column a of table y is a field, the line has a tag/)
  t.match(await problem('y svc_timestamp=1 1'), /name of the time index/)
  t.match(await problem('m svc_timestamp=1 1'), /is the time index/)
  t.match(await problem('y,svc_timestamp=a v=1 1'), /is the time index/)
  t.strictSame(await sql('SELECT count(*) FROM m'), [[1]])
  t.strictSame(await sql('SHOW TABLES'), [['m']])
})

t.test('a table somebody made keeps its time index, its unit and its rules', async t => {
  const { write, sql } = await fresh()
  await sql('CREATE TABLE hand (host STRING NOT NULL, v DOUBLE, ts TIMESTAMP(3) TIME INDEX, PRIMARY KEY (host))')
  t.equal((await write('hand,host=a v=1.5 1700000000123999999\nhand,host=a v=2 -1')).status, 204)
  t.equal((await write('hand,host=a v=3 1700000001000000000')).status, 204, 'the series is known')
  t.strictSame(await sql('SELECT host, v, epoch_ms(ts) FROM hand ORDER BY ts'), [
    ['a', 2, -1],
    ['a', 1.5, 1700000000123],
    ['a', 3, 1700000001000]
  ])
  t.match(JSON.parse((await write('hand v=1 1')).body).error, /column host of table hand takes no nulls/)
  await sql('CREATE TABLE bare (v DOUBLE, host STRING, ts TIMESTAMP(0) TIME INDEX)')
  t.match(JSON.parse((await write('bare,host=a v=1 1')).body).error, /column host of table bare is a field/)
  t.equal((await write('bare,dc=eu v=1,host="x" 1999999999')).status, 204, 'a table without tags gets one')
  t.strictSame(await sql('SELECT v, host, dc, epoch_ms(ts) FROM bare'), [[1, 'x', 'eu', 1000]])
})

t.test('series stay what they are when tables are dropped, changed and made anew', async t => {
  const { write, sql } = await fresh()
  await write('m,host=a v=1 1')
  await sql('DROP TABLE m')
  await write('m,host=a v="text" 1\nm,host=b v="more" 1')
  t.strictSame(await sql('SELECT host, v FROM m ORDER BY host'), [
    ['a', 'text'],
    ['b', 'more']
  ])
  await sql('ALTER TABLE m RENAME other')
  await write('m,host=a v=1 1')
  t.strictSame(await sql('SELECT host, v FROM m'), [['a', 1]])
  t.strictSame(await sql('SELECT count(*) FROM other'), [[2]])
  await sql('DELETE FROM m')
  await write('m,host=a v=2 2')
  t.strictSame(await sql('SELECT host, v FROM m'), [['a', 2]])
})

t.test('names are any UTF-8', async t => {
  const { write, sql } = await fresh()
  await write(String.raw`größe\,\ 1=x,tag\ key\,a\=b=wert\ \=\,ü,b\\c=d\e field\ ü\=1="ñ",f\x=2i 1`)
  t.strictSame(await sql('SELECT "tag key,a=b", "b\\c", "field ü=1", "f\\x" FROM "größe, 1=x"'), [
    ['wert =,ü', 'd\\e', 'ñ', 2]
  ])
  t.equal((await write(`${'é'.repeat(127)},${'k'.repeat(255)}=v v=1 1`)).status, 204)
  t.match(JSON.parse((await write(`${'é'.repeat(128)} v=1 1`)).body).error, /at most 255.*line 1, column 1/)
  t.match(JSON.parse((await write(Buffer.from([0x6d, 0x0a, 0xff, 0x20]))).body).error, /UTF-8.*line 2/)
})

t.test('bodies come compressed', async t => {
  const { write, sql } = await fresh()
  const codecs = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync }
  for (const [encoding, encode] of Object.entries(codecs)) {
    t.equal((await write(encode(`m,c=${encoding} v=1 1`), '', { 'content-encoding': encoding })).status, 204, encoding)
  }
  t.strictSame(await sql('SELECT count(*) FROM m'), [[4]])
  t.equal((await write('m v=1', '', { 'content-encoding': 'gzip' })).status, 400, 'not what it says')
  t.equal((await write('m v=1', '', { 'content-encoding': 'lzma' })).status, 400, 'unknown')
})

t.test('databases by every name the versions have', async t => {
  const { write, post, sql } = await serve(t)
  await sql('CREATE DATABASE one')
  await sql('CREATE DATABASE two')
  await sql('CREATE DATABASE "two/raw"')
  const target = async (path: string, headers = {}) => {
    const { status } = await post(path, `m,p=${status204++} v=1 1`, headers)
    return status
  }
  let status204 = 0
  for (const path of ['write?db=one&rp=x&consistency=all', 'write?db=one/autogen', 'write?db=svc-one'])
    t.equal(await target(path), 204, path)
  for (const path of [
    'api/v2/write?bucket=one&org=o',
    'api/v2/write?bucket=one/autogen',
    'api/v2/write?bucket=two&db=one'
  ])
    t.equal(await target(path), 204, path)
  t.equal(await target('write', { 'x-svc-db-name': 'one' }), 204)
  t.equal(await target('api/v2/write?bucket=two/raw', { 'x-svc-db-name': 'one' }), 204)
  t.strictSame(await sql('SELECT count(*) FROM m', 'one'), [[7]])
  t.strictSame(await sql('SELECT count(*) FROM m', 'two/raw'), [[1]])
  for (const path of ['write?db=none', 'api/v2/write?bucket=none', 'write?db=none/x']) {
    const { status, body } = await post(path, '')
    t.equal(status, 400, path)
    t.match(JSON.parse(body).message, /Database not found: none/)
  }
  t.equal((await write('m v=1', '', { 'content-type': 'none' })).status, 204, 'of a content type that is none')
  t.equal((await write('')).status, 204, 'an empty body')
  t.equal((await write('# only\n\n  \t\r\n')).status, 204, 'nothing but comments')
})

t.test('hints and limits', async t => {
  const toml =
    '[limits]\nmax_series = 3\nmax_columns = 4\nmax_tables = 2\n[plugins.lineproto]\nmax_request_cells = 50\nmax_request_tables = 3\n'
  const { write, sql } = await serve(t, toml)
  const hinted = (lines: string, hints: string) => write(lines, '', { 'x-svc-hints': hints })
  const now = `${Date.now()}000000`
  await hinted(`appended,a=1 v=1 ${now}\nappended,a=1 v=2 ${now}`, 'append_mode=true, ttl=30d')
  t.strictSame(await sql('SELECT count(*) FROM appended'), [[2]])
  t.match(
    (await sql('SHOW CREATE TABLE appended'))[0][1],
    /append_mode = 'true'.*merge_mode = 'last_row'.*ttl = '30days'/s
  )
  t.equal((await hinted('missing v=1 1', 'auto_create_table=false')).status, 400)
  await hinted('m,a=1 v=1 1', 'merge_mode=last_row')
  t.match((await sql('SHOW CREATE TABLE m'))[0][1], /merge_mode = 'last_row'/)
  const refused = async (lines: string) => JSON.parse((await write(lines)).body).error as string
  t.match(await refused('third v=1 1'), /max_tables/)
  t.match(await refused('m,a=2 v=1 1\nm,a=3 v=1 1\nm,a=4 v=1'), /max_series/)
  t.equal((await write('m,a=1 v=5 9')).status, 204, 'known series go on')
  t.match(await refused('m,a=1 v=1,w=2,x=3,y=4 1'), /max_columns/)
  t.match(await refused('m,a=1,b=2,c=3 v=1 1'), /max_columns/)
  t.match(await refused('a v=1\nb v=1\nc v=1\nd v=1'), /max_request_tables/)
  const many = Array.from({ length: 90_000 }, (_, i) => `t${i}=x`).join()
  const before = process.threadCpuUsage()
  t.equal(await refused(`m,${many} v=1 1`), 'table m would have more than 4 columns (limits.max_columns)')
  const { user, system } = process.threadCpuUsage(before)
  t.ok(user + system < 150_000, `tags beyond the limit are not read: ${user + system} µs`)
  t.match(await refused(Array.from({ length: 51 }, (_, i) => `m,a=1 v=1 ${i}`).join('\n')), /max_request_cells/)
})

t.test('ping and health tell the version without a user', async t => {
  const { main } = await serve(t, 'user_provider = "static_user_provider:cmd:u=p"')
  for (const url of ['/v1/lineproto/ping', '/v1/lineproto/ping?verbose=true']) {
    const ping = await main.inject({ method: 'GET', url })
    t.equal(ping.statusCode, 204)
    t.match(ping.headers['x-influxdb-version'], /^\d+\.\d+/)
  }
  t.equal((await main.inject({ method: 'HEAD', url: '/v1/lineproto/ping' })).statusCode, 204)
  const health = await main.inject({ method: 'GET', url: '/v1/lineproto/health' })
  t.equal(health.json().status, 'pass')
})

t.test('users come in every way of the protocol', async t => {
  const { post } = await serve(t, 'user_provider = "static_user_provider:cmd:al:wo=p:w ü,ro:ro=r"')
  const attempt = async (query: string, headers: Record<string, string> = {}) =>
    (await post(`write${query}`, 'm v=1 1', headers)).status
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  t.equal(await attempt(''), 401)
  t.equal(await attempt('?u=al&p=p%3Aw+%C3%BC'), 204, 'parameters')
  t.equal(await attempt('?u=al'), 401, 'half of them')
  t.equal(await attempt('?p=x'), 401)
  t.equal(await attempt('?u=al&p=no'), 401)
  t.equal(await attempt('', { authorization: basic('al:p:w ü') }), 204, 'Basic')
  const token = Buffer.from('p:w ü').toString('latin1')
  t.equal(await attempt('', { authorization: `Token al:${token}` }), 204, 'Token')
  t.equal(await attempt('', { authorization: `token al:${token}` }), 204, 'in any case')
  t.equal(await attempt('', { authorization: 'Token al' }), 401)
  t.equal(await attempt('?u=al&p=p%3Aw+%C3%BC', { authorization: 'Token al:no' }), 401, 'the header wins')
  t.equal(await attempt('', { 'x-svc-auth': basic('al:p:w ü') }), 204)
  t.equal(await attempt('?u=ro&p=r'), 403, 'a reader writes nothing')
})
