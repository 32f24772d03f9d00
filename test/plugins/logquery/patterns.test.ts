import t from 'tap'
import { Patterns, type TemplateLines } from '../../../plugins/logquery/patterns/cluster.ts'
import { regexOf, textOf } from '../../../plugins/logquery/patterns/text.ts'
import { eventually } from '../../eventually.ts'
import { type LogServer, startLogs } from './fixtures.ts'

interface PatternsReply {
  readonly status: number
  readonly error?: string
  readonly column: string
  readonly lines: number
  readonly older: number
  readonly empty: number
  readonly others: number
  readonly patterns: readonly {
    readonly pattern: string
    readonly regex: string
    readonly count: number
    readonly first: string
    readonly last: string
    readonly examples: readonly string[]
  }[]
}

async function ask(url: string, query: object): Promise<PatternsReply> {
  const response = await fetch(`${url}/v1/logs/patterns`, { method: 'POST', body: JSON.stringify(query) })
  return { status: response.status, ...((await response.json()) as object) } as PatternsReply
}

/** A table with these lines, a second from each other from noon of 2024-07-01 on. */
async function withLines({ sql, url }: LogServer, lines: readonly (string | null)[]): Promise<void> {
  await sql(`CREATE TABLE IF NOT EXISTS lines (at TIMESTAMP(3) TIME INDEX, host STRING, message STRING)
    WITH (append_mode = 'true')`)
  const noon = Date.UTC(2024, 6, 1, 12)
  const items = lines.map((message, i) => ({ at: noon + i * 1000, host: `h${i % 2}`, message }))
  const body = items.map(item => JSON.stringify(item)).join('\n')
  const headers = { 'content-type': 'application/x-ndjson' }
  const path = '/v1/ingest?table=lines&pipeline_name=svc_identity&custom_time_index=at;epoch;ms'
  const response = await fetch(url + path, { method: 'POST', headers, body })
  if (!response.ok) throw new Error(await response.text())
}

const query = { table: 'lines', columns: ['message'] }

t.test('similar lines are one pattern, with counts, times and examples', async t => {
  const server = await startLogs(t)
  const lines = Array.from({ length: 100 }, (_, i) =>
    i % 10 === 0 ? `user u-${i} signed in from 10.0.0.${i}` : `GET /cart/${i} took ${i * 3} ms (status=200)`
  )
  await withLines(server, [...lines, null, '', 'stopped'])
  const { column, ...reply } = await ask(server.url, query)
  t.equal(column, 'message')
  t.match(reply, { status: 200, lines: 103, older: 0, empty: 2, others: 0 })
  t.strictSame(
    reply.patterns.map(({ pattern, count }) => [pattern, count]),
    [
      ['GET /cart/<*> took <*> ms (status=<*>)', 90],
      ['user <*> signed in from <*>', 10],
      ['stopped', 1]
    ]
  )
  const [get, user] = reply.patterns
  t.match(get, { first: '2024-07-01T12:00:01Z', last: '2024-07-01T12:01:39Z' })
  t.strictSame(get!.examples, ['GET /cart/99 took 297 ms (status=200)'], 'the last line')
  const { logs, url } = server
  const regex = { Single: { expr: { NamedIdent: 'message' }, filters: [{ Regex: user!.regex }] } }
  t.equal((await logs({ ...query, filters: regex })).rows.length, 10, 'the expression finds the lines')
  t.equal((await ask(url, { ...query, filters: regex })).lines, 10, 'filters')
  const time_filter = { start: '2024-07-01 12:00:30', end: '2024-07-01 12:00:40' }
  t.equal((await ask(url, { ...query, time_filter })).lines, 10, 'times')
  const limited = await ask(url, { ...query, limit: { skip: 1, fetch: 1 } })
  t.match(limited, { others: 91, patterns: [{ count: 10 }] }, 'limits count patterns')
})

t.test('lines beyond what is looked at are counted', async t => {
  const toml = '[plugins.logquery]\nmax_pattern_lines = 50\nmax_pattern_templates = 3\nmax_pattern_length = 20'
  const server = await startLogs(t, toml)
  const words = ['zero', 'one', 'two', 'three', 'four']
  await withLines(
    server,
    Array.from({ length: 80 }, (_, i) => (i < 40 ? 'old' : `${words[i % 5]} ${'x'.repeat(30)}`))
  )
  const reply = await ask(server.url, query)
  t.match(reply, { lines: 80, older: 30, empty: 0 })
  t.equal(reply.patterns.length, 3)
  t.equal(
    reply.patterns.reduce((sum, { count }) => sum + count, reply.others),
    50
  )
  const cut = reply.patterns.find(({ pattern }) => pattern.startsWith('one'))
  t.match(cut, { pattern: `one ${'x'.repeat(16)}…`, regex: '^one ', examples: [`one ${'x'.repeat(16)}`] })
  const same = await startLogs(t, toml)
  await same.sql(`CREATE TABLE lines (at TIMESTAMP(3) TIME INDEX, message STRING) WITH (append_mode = 'true')`)
  await same.sql(`INSERT INTO lines VALUES ${Array.from({ length: 200 }, () => "('2024-07-01 12:00:00', 'x')")}`)
  t.match(await ask(same.url, query), { lines: 200, older: 150 }, 'lines of one time, too')
})

t.test('a query that patterns do not take is refused with its position', async t => {
  const server = await startLogs(t)
  const { url } = server
  await withLines(server, ['a'])
  const cases: readonly (readonly [object, string | RegExp])[] = [
    [{ columns: undefined }, '$.columns: expected the name of one column of texts'],
    [{ columns: ['message', 'host'] }, '$.columns: expected the name of one column of texts'],
    [{ columns: ['at'] }, '$.columns[0]: needs texts, at is TimestampMillisecond'],
    [{ columns: ['mesage'] }, '$.columns[0]: no column "mesage", did you mean message?'],
    [{ exprs: [{ NamedIdent: 'host' }] }, '$.exprs: patterns are made of lines as they are'],
    [{ order_by: ['host'] }, '$.order_by: the most frequent pattern comes first'],
    [{ context: { Lines: [1, 1] } }, '$.context.Lines: there is no context of patterns'],
    [{ table: 'none' }, /^\$\.table: Table not found/]
  ]
  for (const [change, error] of cases) t.match(await ask(url, { ...query, ...change }), { status: 400, error })
})

t.test('reading needs the right to, on both servers, and is counted and watched', async t => {
  const toml = `user_provider = "static_user_provider:cmd:all=a,reader:ro=r,writer:wo=w"
[http]
enable_api_server = true
[slow_query]
threshold = "0ms"
record_type = "log"`
  const { server } = await startLogs(t, toml)
  const send = (user?: string, app = server.main) =>
    app.inject({
      method: 'POST',
      url: '/v1/logs/patterns',
      payload: '{"table":"none","columns":["message"]}',
      headers: user === undefined ? {} : { authorization: `Basic ${Buffer.from(user).toString('base64')}` }
    })
  t.equal((await send()).statusCode, 401)
  t.equal((await send('writer:w')).statusCode, 403)
  t.equal((await send('reader:r')).json().code, 4001)
  t.equal((await send('reader:r', server.public)).json().code, 4001)
  t.match(await server.core.metrics.expose(), /svc_logquery_queries_total\{result="refused"\} 2/)
})

t.test('hostile lines have patterns, too, and expressions that find them', async t => {
  const server = await startLogs(t)
  const lines = [
    '<*> <*> <*>',
    '^$.*+?()[]{}|\\ 1',
    '\\d+ [a-z] (?i)x{2}',
    `'; DROP TABLE lines; --`,
    '日本語 ログ 1 🚰',
    'a\u0000b 1',
    'tab\tand\nnewline 7',
    ' leading and trailing ',
    `${'{'.repeat(5000)}"a":1`,
    'word '.repeat(5000),
    `${'9'.repeat(5000)}`,
    '…',
    '\ufeffmark',
    '%s %d $1 \\1 \\0'
  ]
  await withLines(server, lines)
  const reply = await ask(server.url, query)
  t.match(reply, { status: 200, lines: lines.length, others: 0, empty: 0 })
  for (const { pattern, regex, count } of reply.patterns) {
    const filters = { Single: { expr: { NamedIdent: 'message' }, filters: [{ Regex: regex }] } }
    const found = await server.logs({ ...query, filters })
    t.ok(found.rows.length >= count, `${JSON.stringify(pattern.slice(0, 40))}: ${found.error}`)
  }
})

t.test('the work ends when the client leaves', async t => {
  const { sql, url, server } = await startLogs(t)
  await sql(`CREATE TABLE lines (at TIMESTAMP(3) TIME INDEX, message STRING) WITH (append_mode = 'true')`)
  await sql(`INSERT INTO lines SELECT r, 'line ' || r || repeat(' of many words', 60) FROM range(200000) t(r)`)
  const gone = new AbortController()
  const asked = fetch(`${url}/v1/logs/patterns`, { method: 'POST', body: JSON.stringify(query), signal: gone.signal })
  await eventually(async () => /svc_query_running 1$/m.test(await server.core.metrics.expose()), Boolean, 5)
  gone.abort()
  await t.rejects(asked)
  await eventually(async () =>
    (await server.core.metrics.expose()).includes('svc_logquery_queries_total{result="cancelled"} 1')
  )
})

const templateLines = (template: string, count = 1): TemplateLines => ({
  ...{ template, count, first: 0n, last: 0n, example: template },
  isCut: false
})

t.test('lines that share less than half of their words, or other gaps, stay apart', t => {
  const patterns = new Patterns()
  for (const template of [
    'open file a now',
    'open file b now',
    'open door c later',
    'open file, now <*>',
    'close file a now'
  ])
    patterns.add(templateLines(template))
  t.strictSame(patterns.list().map(textOf), [
    'open file <*> now',
    'open door c later',
    'open file, now <*>',
    'close file a now'
  ])
  t.end()
})

t.test('however different lines are, each is compared with few patterns and none is lost', t => {
  const patterns = new Patterns()
  const templates = 20_000
  for (let i = 0; i < templates; i++) {
    const words = Array.from({ length: 200 }, (_, j) => `w${(i * 7919 + j * 104_729) % 1_000_003}`)
    patterns.add(templateLines(`same ${words.join(' ')}`))
  }
  const list = patterns.list()
  // A line costs a comparison of as many words with each of them.
  t.ok(list.length <= 64, `${list.length} patterns`)
  t.ok(
    list.every(({ words }) => words.length <= 64),
    'of at most 64 words'
  )
  t.equal(
    list.reduce((sum, { count }) => sum + count, 0),
    templates
  )
  for (const pattern of list) t.ok(new RegExp(regexOf(pattern), 'u'))
  t.end()
})
