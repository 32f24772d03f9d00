import { gzipSync } from 'node:zlib'
import t from 'tap'
import { serve } from './serve.ts'

const table = 'eventcollector_logs'

t.test('each line is an event, its tags and time come by the query', async t => {
  const { send, sql } = await serve(t)
  const trace = 'Error: no\r\n  at a (b.js:1)\n\n \t\n  at c'
  for (const path of ['/raw', '/raw/1.0']) {
    const query = '?host=h&source=s&sourcetype=st&time=1700000000.25&channel=any'
    t.match(await send(path + query, trace), { status: 200, body: { text: 'Success', code: 0 } })
  }
  const tags = [1_700_000_000_250_000_000, 'h', 's', 'st']
  t.same(await sql(`SELECT DISTINCT svc_timestamp, host, source, sourcetype, message FROM ${table} ORDER BY 5`), [
    [...tags, '  at a (b.js:1)'],
    [...tags, '  at c'],
    [...tags, 'Error: no']
  ])
  const [[, created]] = await sql(`SHOW CREATE TABLE ${table}`)
  t.match(created, /PRIMARY KEY \("host", "source", "sourcetype"\)/)
  t.match(await send('/raw?index=my+index&host=', gzipSync('x'), { 'content-encoding': 'gzip' }), { status: 200 })
  t.same(
    (await sql('DESC my_index')).map((row: unknown[]) => row[0]),
    ['svc_timestamp', 'message']
  )
})

t.test('the whole body is one event where the request or the operator wants it', async t => {
  const text = 'Error: no\r\n  at c\n'
  const { send, sql } = await serve(t)
  t.match(await send('/raw?lines=false', text), { status: 200 })
  t.same(await sql(`SELECT message FROM ${table}`), [[text]])
  const kept = await serve(t, '[plugins.eventcollector]\nraw_lines = false')
  t.match(await kept.send('/raw', text), { status: 200 })
  t.same(await kept.sql(`SELECT message FROM ${table}`), [[text]])
  t.match(await kept.send('/raw?lines=true&table=lines', text), { status: 200 })
  t.same(await kept.sql('SELECT message FROM lines ORDER BY message'), [['  at c'], ['Error: no']])
})

t.test('a line breaker parts the body, blank parts are none', async t => {
  const { send, sql } = await serve(t)
  t.match(await send('/raw?linebreaker=%0A&table=lines', ' a\r\n\n \nb\n'), { status: 200 })
  t.same(await sql('SELECT message FROM lines ORDER BY message'), [[' a\r'], ['b']])
  t.match(await send('/raw?linebreaker=%7C%7C&table=parts', '||x|y||z||'), { status: 200 })
  t.same(await sql('SELECT message FROM parts ORDER BY message'), [['x|y'], ['z']])
  t.match(await send('/raw?linebreaker=&table=blank', 'x\ny'), { status: 200 })
  t.same(await sql('SELECT message FROM blank ORDER BY message'), [['x'], ['y']])
  const many = 'line\n'.repeat(5000)
  t.match(await send('/raw?linebreaker=%0A&table=many', many), { status: 200 })
  t.same(await sql('SELECT count(*) FROM many'), [[5000]])
})

t.test('refused raw events have the protocol’s error numbers', async t => {
  const { send, core } = await serve(t)
  const cases: [string, string | Buffer, Record<string, string>, number, RegExp][] = [
    ['/raw', '', {}, 5, /No data/],
    ['/raw', ' \n\t', {}, 5, /No data/],
    ['/raw?linebreaker=,', ', ,', {}, 5, /No data/],
    ['/raw?lines=no', 'x', {}, 6, /lines must be true or false, not no/],
    ['/raw', Buffer.of(0x61, 0xff), {}, 6, /not valid UTF-8/],
    ['/raw?time=soon', 'x', {}, 6, /the time is not a number since 1970: soon/],
    ['/raw', 'x', { 'content-encoding': 'zip' }, 6, /zip is not supported/],
    ['/raw', 'x', { 'content-encoding': 'gzip' }, 6, /not valid gzip/],
    [`/raw?table=${'x'.repeat(256)}`, 'x', {}, 7, /256 bytes/],
    ['/raw?db=nowhere', 'x', {}, 6, /Database not found: nowhere/],
    ['/raw?pipeline_name=none', 'x', {}, 6, /Pipeline not found/]
  ]
  for (const [path, body, headers, code, error] of cases) {
    const { status, body: answer } = await send(path, body, headers)
    t.match({ status, code: answer.code }, { status: 400, code }, String(error))
    t.match(answer.error ?? answer.text, error)
  }
  t.equal(core.store.table('public', table), undefined)
})

t.test('a pipeline gets the text as message', async t => {
  const { main, send, sql } = await serve(t)
  const document = `
processors:
  - dissect: { fields: [message], patterns: ['%{level} %{text}'] }
  - epoch: { field: svc_timestamp, resolution: ns }
transform:
  - { fields: [host, level, text], type: string }
  - { field: svc_timestamp, type: 'timestamp, ns', index: timestamp }
`
  const headers = { 'content-type': 'application/x-yaml' }
  t.equal(
    (await main.inject({ method: 'POST', url: '/v1/pipelines/split', payload: document, headers })).statusCode,
    200
  )
  t.match(await send('/raw?pipeline_name=split&host=h&time=1&linebreaker=%0A', 'warn a b\ninfo c'), { status: 200 })
  t.same(await sql(`SELECT svc_timestamp, host, level, text FROM ${table} ORDER BY level`), [
    [1_000_000_000, 'h', 'info', 'c'],
    [1_000_000_000, 'h', 'warn', 'a b']
  ])
})
