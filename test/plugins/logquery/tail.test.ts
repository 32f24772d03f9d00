import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { eventually } from '../../eventually.ts'
import { embeddedOnly } from '../../helpers.ts'
import { slowness } from '../../time.ts'
import { startLogs, weblog } from './fixtures.ts'
import { openEvents } from './sse.ts'

const tailUrl = (url: string, query: unknown) =>
  `${url}/v1/logs/tail?query=${encodeURIComponent(JSON.stringify(query))}`
const single = (name: string, ...filters: unknown[]) => ({ Single: { expr: { NamedIdent: name }, filters } })

t.test('a tail sends new rows that match, soon and whatever their time', async t => {
  const { sql, url } = await startLogs(t)
  await sql(weblog)
  const query = { table: 'weblog', columns: ['at', 'message'], filters: single('message', { Contains: 'new' }) }
  const tail = await openEvents(tailUrl(url, query))
  t.equal(tail.status, 200)
  t.equal(tail.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  t.strictSame(await tail.next(), {
    name: 'schema',
    data: {
      column_schemas: [
        { name: 'at', data_type: 'TimestampMillisecond' },
        { name: 'message', data_type: 'String' }
      ]
    }
  })
  await sql("INSERT INTO weblog (at, message) VALUES (5, 'a new one'), (6, 'another')")
  const written = performance.now()
  t.strictSame(await tail.rows(1), [[5, 'a new one']])
  t.ok(performance.now() - written < 3000 * slowness(), `after ${Math.round(performance.now() - written)} ms`)
  await sql("INSERT INTO weblog (at, host, message) VALUES (-1, 'x', 'old and new')")
  await sql("ADMIN flush_table('weblog')")
  await sql('ALTER TABLE weblog ADD COLUMN more STRING')
  await sql(`INSERT INTO weblog (at, message, more) VALUES (${Date.now()}, 'newer', 'x')`)
  t.strictSame((await tail.rows(2)).map(([, message]) => message).sort(), ['newer', 'old and new'])
  t.strictSame(tail.others, [])
  tail.close()
})

t.test('no row comes twice and none is missed, whoever writes and whatever is flushed', async t => {
  const { server, sql, url } = await startLogs(t)
  await sql(
    "CREATE TABLE lines (at TIMESTAMP(3) TIME INDEX, id BIGINT, host STRING PRIMARY KEY) WITH (append_mode = 'true')"
  )
  const body = JSON.stringify({
    table: 'lines',
    columns: ['id'],
    filters: single('id', { GreatThan: { value: '-1' } })
  })
  const tails = await Promise.all([1, 2].map(() => openEvents(`${url}/v1/logs/tail`, { method: 'POST', body })))
  const total = 4000
  let next = 0
  const write = async () => {
    while (next < total) {
      const ids = Array.from({ length: 50 }, () => next++)
      const items = ids.map(id => `{"at":${(id * 7919) % 100_000},"id":${id},"host":"h${id % 3}"}`)
      const url = `/v1/ingest?table=lines&pipeline_name=svc_identity&custom_time_index=${encodeURIComponent('at;epoch;ms')}`
      const headers = { 'content-type': 'application/x-ndjson' }
      const response = await server.main.inject({ method: 'POST', url, headers, payload: items.join('\n') })
      if (response.statusCode !== 200) throw new Error(response.body)
      await pause(5)
    }
  }
  const flush = async () => {
    for (let i = 0; i < 4; i++) {
      await pause(100)
      await sql("ADMIN flush_table('lines')")
      await sql("ADMIN compact_table('lines')")
    }
  }
  const reading = tails.map(tail => tail.rows(total))
  await Promise.all([write(), write(), flush()])
  for (const rows of await Promise.all(reading)) {
    const ids = rows.map(([id]) => Number(id)).sort((a, b) => a - b)
    t.equal(ids.length, total)
    t.ok(
      ids.every((id, i) => id === i),
      'each once'
    )
  }
  await pause(500)
  for (const tail of tails) {
    t.notOk(tail.others.some(({ name }) => name !== 'schema'))
    tail.close()
  }
})

t.test('a tail of expressions, a range that goes on, and a number of rows', async t => {
  const { sql, url } = await startLogs(t)
  await sql(weblog)
  const query = {
    table: 'weblog',
    time_filter: { span: '1h' },
    limit: { fetch: 2 },
    exprs: [{ ScalarFunc: { name: 'upper', args: [{ NamedIdent: 'level' }], alias: 'l' } }]
  }
  const tail = await openEvents(tailUrl(url, query))
  await tail.next()
  const now = Date.now()
  const times = [now, now - 7_200_000, now + 60_000, now + 120_000]
  await sql(`INSERT INTO weblog (at, level) VALUES ${times.map((at, i) => `(${at}, 'l${i}')`)}`)
  t.strictSame(await tail.rows(2), [['L0'], ['L2']])
  t.strictSame(await tail.next(), { name: 'end', data: { reason: 'limit.fetch rows were sent' } })
  t.equal(await tail.next(), undefined)
})

t.test('a query that a tail cannot run is refused before it starts', async t => {
  const { sql, url } = await startLogs(t)
  await sql(weblog)
  const aggregate = { AggrFunc: { expr: [{ name: 'count' }] } }
  const cases: readonly (readonly [Record<string, unknown>, RegExp, number])[] = [
    [{ exprs: [aggregate] }, /^\$\.exprs\[0\]\.AggrFunc: a tail has no AggrFunc/, 1004],
    [{ context: { Lines: [1, 1] } }, /^\$\.context\.Lines: a tail has no context/, 1004],
    [{ order_by: ['at'] }, /^\$\.order_by: /, 1004],
    [{ limit: { skip: 1 } }, /^\$\.limit\.skip: /, 1004],
    [{ columns: Array.from({ length: 17 }, () => 'message') }, /^\$: the columns of a tail hold 17 columns/, 1004],
    [{ table: 'none' }, /Table not found/, 4001],
    [{ filters: single('nothing') }, /no column "nothing"/, 1004]
  ]
  for (const [query, error, code] of cases) {
    const response = await fetch(tailUrl(url, { table: 'weblog', ...query }))
    t.match(await response.json(), { code, error })
    t.equal(response.status, 400)
  }
})

t.test(
  'tails are limited and counted, send heartbeats, and end with their client, their table or their server',
  async t => {
    const { server, sql, url } = await startLogs(t, '[plugins.logquery]\nmax_tails = 2\ntail_heartbeat = "300ms"')
    await sql(weblog)
    await sql("CREATE TABLE other (at TIMESTAMP TIME INDEX) WITH (append_mode = 'true')")
    const running = async () => /^svc_logquery_tails_running (\d+)$/m.exec(await server.core.metrics.expose())?.[1]
    const [one, two] = await Promise.all(['weblog', 'other'].map(table => openEvents(tailUrl(url, { table }))))
    const third = await fetch(tailUrl(url, { table: 'weblog' }))
    t.equal(third.status, 429)
    t.match(await third.json(), { code: 6001, error: '2 tails run already (plugins.logquery.max_tails)' })
    t.equal(await running(), '2')
    for (const tail of [one, two]) t.equal((await tail!.next())?.name, 'schema')
    t.equal((await one!.next())?.name, 'heartbeat')
    await sql('DROP TABLE other')
    while (true) {
      const event = await two!.next()
      if (event?.name === 'heartbeat') continue
      t.strictSame(event, { name: 'end', data: { reason: 'no more rows of this table will come' } })
      break
    }
    one!.close()
    t.equal((await fetch(tailUrl(url, { table: 'weblog' }), { method: 'HEAD' })).status, 200)
    await eventually(running, each => each === '0')
    const last = await openEvents(tailUrl(url, { table: 'weblog' }))
    await last.next()
    const began = performance.now()
    await server.close()
    t.strictSame(await last.next(), { name: 'end', data: { reason: 'the server is stopping' } })
    t.ok(performance.now() - began < 5000 * slowness(), 'the stop does not wait for it')
    t.equal(await last.next(), undefined)
  }
)

t.test('a client that reads too slowly is told how many rows it missed', embeddedOnly, async t => {
  const { sql, url } = await startLogs(t, '[plugins.logquery]\ntail_buffer = "256KiB"')
  await sql("CREATE TABLE lines (at TIMESTAMP TIME INDEX, id BIGINT, text STRING) WITH (append_mode = 'true')")
  const tail = await openEvents(tailUrl(url, { table: 'lines', columns: ['id', 'text'] }))
  await tail.next()
  const writes = 100
  const rows = 100
  for (let i = 0; i < writes; i++) {
    await sql(`INSERT INTO lines SELECT r, r, repeat('x', 3000) FROM range(${i * rows}, ${(i + 1) * rows}) t(r)`)
  }
  const seen: number[] = []
  let lost = 0
  while (seen.length + lost < writes * rows) {
    const event = await tail.next()
    if (event?.name === 'rows') seen.push(...(event.data as { rows: unknown[][] }).rows.map(([id]) => Number(id)))
    else if (event?.name === 'lost') lost += (event.data as { rows: number }).rows
    else if (event === undefined) break
  }
  t.ok(lost > 0, `${lost} lost`)
  t.equal(seen.length + lost, writes * rows)
  t.equal(new Set(seen).size, seen.length, 'none twice')
  tail.close()
})
