import { tableFromIPC } from 'apache-arrow'
import t, { type Test } from 'tap'
import { eventually } from '../../eventually.ts'
import { askSql, startServer } from '../../helpers.ts'

/** A server with the ordinary table `load(host tag, v, w, at)` and its asking. */
async function serveLoad(t: Test, toml = '') {
  const { main, core } = await startServer(t, toml)
  const sql = (text: string) => askSql({ main }, text)
  await sql('CREATE TABLE load (host STRING, v DOUBLE, w INT, at TIMESTAMP(9) TIME INDEX, PRIMARY KEY (host))')
  await sql("INSERT INTO load VALUES ('a', 1, 10, 0), ('a', 2, 20, 10000000000), ('b', 5, NULL, 10000000000)")
  const ask = (query: string, rest = '', range = 'start=0&end=10&step=10s') =>
    main.inject({ url: `/v1/promql?query=${encodeURIComponent(query)}&${range}${rest}` })
  return { main, core, sql, ask }
}

t.test('answers come in the formats of SQL: the time, the value, the labels', async t => {
  const { ask } = await serveLoad(t)
  const csv = await ask('2', '&format=csv')
  t.equal(csv.body, '0,2.0\r\n10000,2.0\r\n')
  t.match(csv.headers['content-type'], /^text\/csv/)
  const selector = 'load{__field__="v"}'
  t.equal((await ask(selector, '&format=csv')).body, '0,1.0,load,a\r\n10000,2.0,load,a\r\n10000,5.0,load,b\r\n')
  const { output } = (await ask(selector)).json()
  t.same(
    output[0].records.schema.column_schemas.map(
      ({ name, data_type }: Record<string, string>) => `${name} ${data_type}`
    ),
    ['svc_timestamp TimestampMillisecond', 'svc_value Float64', '__name__ String', 'host String']
  )
  t.same(output[0].records.rows[2], [10_000, 5, 'load', 'b'])
  t.same((await ask('sum(load{__field__="w"})', '&format=json')).json().data, [
    { svc_timestamp: 0, svc_value: 10 },
    { svc_timestamp: 10_000, svc_value: 20 }
  ])
  const arrow = tableFromIPC((await ask(selector, '&format=arrow')).rawPayload)
  t.equal(arrow.numRows, 3)
  t.same(
    arrow.schema.fields.map(({ name }) => name),
    ['svc_timestamp', 'svc_value', '__name__', 'host']
  )
})

t.test('a selector over an ordinary table takes all its numbers, or the field that is asked for', async t => {
  const { ask, sql } = await serveLoad(t)
  const lines = async (query: string, rest = '') =>
    (await ask(query, `&format=csv${rest}`)).body.trim().split('\r\n').sort()
  t.same(await lines('load', ''), [
    '0,1.0,v,load,a',
    '0,10.0,w,load,a',
    '10000,2.0,v,load,a',
    '10000,20.0,w,load,a',
    '10000,5.0,v,load,b'
  ])
  t.same(await lines('count by (__field__) (load{__field__=~"v|w"})'), [
    '0,1.0,v',
    '0,1.0,w',
    '10000,1.0,w',
    '10000,2.0,v'
  ])
  t.same(await lines('load{__field__="nothing"}'), [''])
  t.same(await lines('load{host="b"}'), ['10000,5.0,v,load,b'])
  await sql('CREATE DATABASE other')
  t.same(await lines('count(load{__database__="public"})', '&db=other'), ['0,2.0', '10000,3.0'])
  t.same(await lines('count(load)', '&db=other'), [''])
  t.same(await lines('count({__name__="load"})'), ['0,2.0', '10000,3.0'])
})

t.test('parameters may come in a form; what is missing or wrong is named', async t => {
  const { main, ask } = await serveLoad(t)
  const form = await main.inject({
    method: 'POST',
    url: '/v1/promql?format=csv',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'query=1&start=1970-01-01T00:00:00Z&end=0&step=5'
  })
  t.equal(form.body, '0,1.0\r\n')
  const refusals: readonly (readonly [query: string, range: string, code: number, text: RegExp])[] = [
    ['', 'start=0&end=1&step=1', 1004, /query/],
    ['1', 'end=1&step=1', 1004, /start/],
    ['1', 'start=0&end=x&step=1', 1004, /end is "x", expected Unix seconds or RFC 3339/],
    ['1', 'start=0&end=1', 1004, /step/],
    ['1', 'start=0&end=1&step=-1', 1004, /step/],
    ['1', 'start=2&end=1&step=1', 1004, /end lies before start/],
    ['1', 'start=0&end=1&step=1&format=xml', 1004, /xml/],
    ['1', 'start=0&end=1&step=1&lookback=x', 1004, /lookback/],
    ['1', 'start=0&end=1&step=1&db=unknown', 4004, /unknown/],
    ['1 +', 'start=0&end=1&step=1', 2000, /1:4: parse error/],
    ['1', 'start=0&end=100000&step=1', 1004, /plugins\.promql\.max_points/]
  ]
  for (const [query, range, code, text] of refusals) {
    const reply = await ask(query, '', range)
    t.equal(reply.statusCode, 400, `${query} ${range}`)
    t.equal(reply.json().code, code, range)
    t.match(reply.json().error, text)
  }
  t.equal((await ask('load * on() load', '')).statusCode, 422)
  t.equal((await ask('nothing', '&format=csv')).body, '')
})

t.test('lookback is how long a sample counts', async t => {
  const { ask } = await serveLoad(t)
  const range = 'start=20&end=20&step=1'
  const count = async (rest: string) => (await ask('count(load)', `&format=csv${rest}`, range)).body
  t.same(
    [await count(''), await count('&lookback=10s'), await count('&lookback=11')],
    ['20000,3.0\r\n', '', '20000,3.0\r\n']
  )
})

const slow = 'sum_over_time(sum_over_time(vector(1)[10h:1s])[24h:1s])'

t.test('a query that takes too long ends, and those behind it get their turn', async t => {
  const { ask } = await serveLoad(
    t,
    '[plugins.promql]\nmax_concurrent_queries = 1\ntimeout = "1s"\nmax_points = 1000000\n'
  )
  const order: string[] = []
  const first = ask(slow).then(reply => {
    order.push('slow')
    return reply
  })
  // Sent a little later, it still has time when the first has none.
  await new Promise(resolve => setTimeout(resolve, 600))
  const second = ask('1').then(reply => {
    order.push('fast')
    return reply
  })
  const late = await first
  t.equal(late.statusCode, 408)
  t.match(late.json().error, /no result within 1s \(plugins\.promql\.timeout\)/)
  t.equal((await second).statusCode, 200)
  t.same(order, ['slow', 'fast'])
})

t.test('a series counts towards the memory of all queries however few samples it has', async t => {
  const { main, ask } = await serveLoad(t, '[plugins.promql]\nmax_total_samples = 12000\n')
  const lines = Array.from({ length: 500 }, (_, i) => `many,id=${i} v=1,w=1 10\n`).join('')
  const written = await main.inject({ method: 'POST', url: '/v1/lineproto/write?precision=s', payload: lines })
  t.equal(written.statusCode, 204, written.body)
  // A selector of one field is reduced where it is read, one of two fields is not.
  for (const query of ['count(many{__field__="v"})', 'count(many)', 'count(many{id=~".*0"})']) {
    const { statusCode, body } = await ask(query)
    const isSmall = query.includes('id')
    t.equal(statusCode, isSmall ? 200 : 429, `${query}: ${body}`)
    if (!isSmall) t.match(body, /max_total_samples/)
  }
  t.match((await main.inject('/metrics')).body, /^svc_promql_samples 0$/m, 'none when they have ended')
})

t.test('a query ends when its client goes', async t => {
  const { main, core } = await serveLoad(t, '[plugins.promql]\nmax_points = 1000000\n')
  const { port } = main.server.address() as { port: number }
  const url = `http://127.0.0.1:${port}/v1/promql?query=${encodeURIComponent(slow)}&start=0&end=0&step=1`
  const running = async () => /svc_promql_queries_running (\d)/.exec(await core.metrics.expose())?.[1]
  const client = new AbortController()
  const answer = t.rejects(fetch(url, { signal: client.signal }))
  await eventually(running, count => count === '1')
  client.abort()
  await answer
  await eventually(running, count => count === '0')
  t.match(await core.metrics.expose(), /svc_promql_queries_total\{kind="range",result="cancelled"\} 1/)
})
