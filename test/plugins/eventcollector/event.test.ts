import { gzipSync } from 'node:zlib'
import t from 'tap'
import { databaseMaker, startServer } from '../../helpers.ts'
import { base, clientOf, serve } from './serve.ts'

const success = { text: 'Success', code: 0 }
const table = 'eventcollector_logs'

const server = await startServer(t)
const database = databaseMaker(server)
const fresh = async () => clientOf(server, await database())

t.test('events become rows: their own keys are tags, so are fields, members of the event are columns', async t => {
  const { send, sql } = await fresh()
  const before = Date.now()
  const body =
    '{"time":1700000000.5,"host":"h1","index":"web logs","event":"started","fields":{"dc":"eu","n":1}}' +
    '{"host":"h2","index":"web logs","source":"s","event":{"lvl":"warn","n":2,"deep":{"a":[1,{"b":2}],"ok":true}},"extra":{"x":1.5}}'
  t.same((await send('/event', body)).body, success)
  const [[, created]] = await sql('SHOW CREATE TABLE web_logs')
  t.match(created, /PRIMARY KEY \("host", "source", "dc", "n"\)/)
  t.match(created, /"n" BIGINT NULL/)
  t.match(created, /append_mode = 'true'/)
  const names = [
    'svc_timestamp',
    'host',
    'source',
    'dc',
    'n',
    'event',
    'event.deep.a',
    'event.deep.ok',
    'event.lvl',
    'event.n',
    'extra.x'
  ]
  t.same(
    (await sql('DESC web_logs')).map((row: unknown[]) => row[0]),
    names
  )
  const rows = await sql(`SELECT ${names.map(name => `"${name}"`).join()} FROM web_logs ORDER BY host`)
  t.same(rows[0], [1_700_000_000_500_000_000, 'h1', null, 'eu', 1, 'started', null, null, null, null, null])
  t.same(rows[1].slice(1), ['h2', 's', null, null, null, '[1,{"b":2}]', true, 'warn', 2, 1.5])
  t.ok(rows[1][0] / 1e6 >= before - 1 && rows[1][0] / 1e6 <= Date.now() + 1, 'without a time it is the time of receipt')
})

t.test('values come one after the other, with anything or nothing between them, or in arrays', async t => {
  const { send, sql } = await fresh()
  const body = ' {"event":"a"}{"event":"b"} \n\t[{"event":"c"},{"event":"d"}]\r\n[] {"event":"e"} '
  for (const path of ['', '/event', '/event/1.0']) t.match(await send(path, body), { status: 200, body: success }, path)
  t.same(await sql(`SELECT event, count(*) FROM ${table} GROUP BY event ORDER BY event`), [
    ['a', 3],
    ['b', 3],
    ['c', 3],
    ['d', 3],
    ['e', 3]
  ])
  const mixed = await send('', '1 {"event":"x"} "y" [[]]')
  t.match(mixed, {
    status: 200,
    body: { ...success, skipped: { count: 3, errors: [{ index: 0, message: /a number/ }] } }
  })
})

t.test('content types do not matter, compression does', async t => {
  const { send, sql } = await fresh()
  const body = '{"event":"x"}'
  for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain', 'nonsense']) {
    t.match(await send('', body, { 'content-type': type }), { status: 200, body: success }, type)
  }
  t.match(await send('', gzipSync(body), { 'content-encoding': 'gzip' }), { status: 200 })
  t.same(await sql(`SELECT count(*) FROM ${table}`), [[5]])
})

t.test('times come as numbers and text, in seconds and what is too large for them', async t => {
  const { send, sql } = await fresh()
  const times: [string, number][] = [
    ['1700000000', 1_700_000_000_000_000_000],
    ['1700000000.123', 1_700_000_000_123_000_000],
    ['"1700000000.123"', 1_700_000_000_123_000_000],
    ['" 1700000000.5 "', 1_700_000_000_500_000_000],
    ['1700000000123', 1_700_000_000_123_000_000],
    ['1700000000123.456', 1_700_000_000_123_456_000],
    ['"1700000000123456"', 1_700_000_000_123_456_000],
    ['1.7e9', 1_700_000_000_000_000_000],
    ['0', 0],
    ['-1.5', -1_500_000_000]
  ]
  for (const [time, ns] of times) {
    const url = `?table=t${times.findIndex(each => each[0] === time)}`
    t.match(await send(url, `{"time":${time},"event":"x"}`), { status: 200 }, time)
    t.same(await sql(`SELECT svc_timestamp FROM ${url.slice(7)}`), [[ns]], time)
  }
  for (const time of ['"abc"', '""', 'true', '{}', '"1.2.3"', '99999999999999999999', '1e300', '"12 34"']) {
    const { status, body } = await send('', `{"event":"ok"}{"time":${time},"event":"x"}`)
    t.match(
      { status, body },
      { status: 400, body: { text: 'Invalid data format', code: 6, 'invalid-event-number': 1 } },
      time
    )
  }
  t.match(await send('', '{"time":null,"event":"x"}'), { status: 200 })
})

t.test('the table is the index, made a name, else the parameter, else the default', async t => {
  const { send, sql } = await fresh()
  const body =
    '{"index":"a/b","event":1}{"index":"a/b","event":2}{"index":" 9é ","event":3}{"index":" ","event":4}{"index":7,"event":5}{"event":6}{"index":"a/b","event":7}'
  t.match(await send('?table=given', body), { status: 200 })
  t.same(await sql('SHOW TABLES'), [['_9_'], ['a_b'], ['given']])
  t.same(await sql('SELECT count(*) FROM a_b'), [[3]])
  t.same(await sql('SELECT event FROM given ORDER BY event'), [[4], [5], [6]])
  t.match(await send(`?table=${'x'.repeat(256)}`, '{"event":1}'), {
    status: 400,
    body: { text: 'Incorrect index', code: 7, error: /256 bytes/ }
  })
})

t.test('the first wrong event refuses all of them, by its own number', async t => {
  const { send, core } = await serve(t)
  const cases: [string | Buffer, number, RegExp][] = [
    ['', 5, /No data/],
    [' \n', 5, /No data/],
    ['[]', 5, /No data/],
    ['1 "x" null', 6, /no value is an object/],
    ['{"event":"x"}{', 6, /line 1, column 15/],
    ['{"event":"x"}]', 6, /expected/],
    [Buffer.from('{"event":"\xff"}', 'latin1'), 6, /not valid UTF-8/],
    ['{"event":"x"}{"host":"h"}', 12, /event 1: it has no key event/],
    ['{"event":null}', 13, /event 0: its event is null or blank/],
    ['{"event":" \\t"}', 13, /null or blank/],
    ['{"event":1}{"event":"x"}', 6, /For column: event, the events have Int64 and String/]
  ]
  for (const [body, code, error] of cases) {
    const { status, body: answer } = await send('', body)
    t.match({ status, code: answer.code }, { status: 400, code }, String(error))
    t.match(answer.error ?? answer.text, error)
  }
  t.equal(core.store.table('public', table), undefined, 'nothing is made of it')
  t.match(await core.metrics.expose(), /svc_refused_total\{plugin="eventcollector",code="InvalidArguments"\} \d/)
})

t.test('events without host, source, sourcetype or index get those of the query', async t => {
  const { send, sql } = await fresh()
  const query = '?host=qh&source=qs&sourcetype=qt&index=from+query&table=unused'
  const events = '{"event":1}{"event":2,"host":"own","index":"own"}{"event":3,"source":null,"fields":{"host":"among"}}'
  t.match(await send(query, events), { status: 200 })
  const ask = (table: string) => sql(`SELECT event, host, source, sourcetype FROM ${table} ORDER BY event`)
  t.same(await ask('from_query'), [
    [1, 'qh', 'qs', 'qt'],
    [3, 'among', 'qs', 'qt']
  ])
  t.same(await ask('own'), [[2, 'own', 'qs', 'qt']])
  t.match(await send('?host=&index=&table=blank', '{"event":1}'), { status: 200 })
  t.same(
    (await sql('DESC blank')).map((row: unknown[]) => row[0]),
    ['svc_timestamp', 'event']
  )
})

t.test('types are those of the table; integers go where it has floats', async t => {
  const { send, sql } = await fresh()
  t.match(await send('', '{"event":{"took":1}}{"event":{"took":2.5}}'), { status: 200 })
  t.match(await send('', '{"event":{"took":3}}'), { status: 200 })
  t.same(await sql(`SELECT "event.took" FROM ${table} ORDER BY 1`), [[1], [2.5], [3]])
  for (const events of ['{"event":{"took":9007199254740993}}', '{"event":{"x":9007199254740993}}{"event":{"x":0.5}}']) {
    const lossy = await send('', events)
    t.match(lossy, { status: 400, body: { code: 6, error: /the integer 9007199254740993 would lose digits/ } })
  }
  const { status, body } = await send('', '{"event":{"took":"long"}}')
  t.match(
    { status, body },
    { status: 400, body: { code: 6, error: /event.took, expected datatype: Float64, actual datatype: String/ } }
  )
})

t.test('odd keys: the event’s own value wins over one of fields, what is not text of a tag becomes one', async t => {
  const { send, sql } = await fresh()
  const body =
    '{"host":7,"source":true,"sourcetype":["x"],"event":"a","fields":{"host":"other","event":"tag","sourcetype":5,"svc_timestamp":1}}' +
    '{"event":"b","fields":{"host":"only"}}{"event":"c","fields":"none"}{"event.x":1,"event":{"y":2},"svc_timestamp":9}'
  t.match(await send('', body), { status: 200, body: success })
  t.same(
    await sql(`SELECT host, source, sourcetype, event, "event.x", "event.y" FROM ${table} ORDER BY event NULLS LAST`),
    [
      ['7', 'true', '5', 'a', null, null],
      ['only', null, null, 'b', null, null],
      [null, null, null, 'c', null, null],
      [null, null, null, null, 1, 2]
    ]
  )
})

t.test('a table grows as far as it may', async t => {
  const { send } = await serve(
    t,
    '[limits]\nmax_columns = 3\nmax_series = 2\nmax_tables = 2\n[plugins.eventcollector]\nmax_request_tables = 2'
  )
  t.match(await send('', '{"host":"a","event":"x"}'), { status: 200 })
  t.match(await send('', '{"event":{"a":1}}'), {
    status: 400,
    body: { code: 6, error: /would have more than 3 columns \(limits.max_columns\)/ }
  })
  t.match(await send('', '{"host":"b","event":"x"}'), { status: 200 })
  t.match(await send('', '{"host":"c","event":"x"}'), {
    status: 400,
    body: { error: /would have more than 2 series \(limits.max_series\)/ }
  })
  const events = (index: string, tags: readonly object[]) =>
    tags.map(fields => JSON.stringify({ index, event: 'x', fields })).join('')
  t.match(await send('', '{"host":"b","event":"x"}'.repeat(5)), { status: 200 }, 'events of known tags go on')
  t.match(await send('', events('other', [{ n: 1 }, { n: 2 }, { n: 1 }, { n: 3 }])), {
    status: 400,
    body: { error: /table other .* 2 series/ }
  })
  t.match(await send('', events('other', [{ n: 1 }, { n: 2 }, { n: 1 }])), { status: 200 })
  t.match(await send('', events('third', [{}])), {
    status: 400,
    body: { error: /database public would have more than 2 tables \(limits.max_tables\)/ }
  })
  t.match(await send('', `${events('third', [{}])}${events('other', [{}])}{"event":"x"}`), {
    status: 400,
    body: { error: /go to more than 2 tables \(plugins.eventcollector.max_request_tables\)/ }
  })
})

t.test('a pipeline gets the event as it is and decides on the columns', async t => {
  const { main, send, sql } = await fresh()
  const document = `
processors:
  - epoch: { field: svc_timestamp, resolution: ns }
  - simple_extract: { field: 'event, level', key: level }
transform:
  - { field: host, type: string, tag: true }
  - { field: level, type: string }
  - { field: 'svc_timestamp, at', type: 'timestamp, ns', index: timestamp }
`
  const headers = { 'content-type': 'application/x-yaml' }
  const created = await main.inject({ method: 'POST', url: '/v1/pipelines/levels', payload: document, headers })
  t.equal(created.statusCode, 200, created.body)
  const body = '{"time":5,"host":"h","event":{"level":"warn"}}{"time":6,"index":"other","event":{"level":"info"}}'
  t.match(await send('?pipeline_name=levels&table=piped', body), { status: 200, body: success })
  t.same(await sql('SELECT at, host, level FROM piped'), [[5_000_000_000, 'h', 'warn']])
  t.same(await sql('SELECT at, host, level FROM other'), [[6_000_000_000, null, 'info']])
  const single = '{"time":7,"host":"h","event":{"level":"debug"}}'
  t.match(await send('?table=piped', single, { 'x-svc-pipeline-name': 'levels' }), { status: 200 })
  t.same(await sql('SELECT count(*) FROM piped'), [[2]])
  t.match(await send('?pipeline_name=svc_identity&table=plain', single), { status: 200 })
  t.same(await sql('SELECT svc_timestamp, "event.level", host FROM plain'), [[7_000_000_000, 'debug', 'h']])
  t.match(await send('?pipeline_name=none', single), {
    status: 400,
    body: { code: 6, error: /Pipeline not found, name: none/ }
  })
  t.match(await send('?pipeline_name=levels&version=x', single), { status: 400, body: { code: 6, error: /version/ } })
})

t.test('health answers anybody, other methods and paths are told apart', async t => {
  const { main } = await serve(t, 'user_provider = "static_user_provider:cmd:alice=pw"')
  for (const path of ['/health', '/health/1.0', '/health?ack=true&token=x']) {
    const answer = await main.inject({ method: 'GET', url: base + path })
    t.match(
      { status: answer.statusCode, body: answer.json() },
      { status: 200, body: { text: 'HEC is healthy', code: 17 } }
    )
  }
  const headers = { authorization: 'Splunk alice:pw' }
  const get = await main.inject({ method: 'GET', url: `${base}/event`, headers })
  t.equal(get.statusCode, 405)
  t.match(get.json(), { code: 6 })
})
