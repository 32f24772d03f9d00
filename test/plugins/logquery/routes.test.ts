import t from 'tap'
import { eventually } from '../../eventually.ts'
import { embeddedOnly } from '../../helpers.ts'
import { type LogReply, readReply, startLogs, weblog } from './fixtures.ts'

t.test('the query comes in the body or a parameter, by GET or POST', async t => {
  const { sql, url, server } = await startLogs(t)
  await sql(weblog)
  const query = JSON.stringify({ table: 'weblog', columns: ['host'], limit: { fetch: 1 } })
  const wanted = [['b']]
  const parameter = `/v1/logs?query=${encodeURIComponent(query)}`
  t.strictSame((await readReply(await fetch(url + parameter))).rows, wanted, 'GET with a parameter')
  t.strictSame((await readReply(await fetch(url + parameter, { method: 'POST' }))).rows, wanted, 'POST with one')
  const inject = await server.main.inject({ method: 'GET', url: '/v1/logs', payload: query })
  t.strictSame(inject.json().output[0].records.rows, wanted, 'GET with a body')
  for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
    const response = await fetch(`${url}/v1/logs`, { method: 'POST', body: query, headers: { 'content-type': type } })
    t.strictSame((await readReply(response)).rows, wanted, type)
  }
  const missing = await readReply(await fetch(`${url}/v1/logs`, { method: 'POST' }))
  t.match(missing, { status: 400, code: 1004, error: /the query is missing/ })
})

t.test('answers come in every format of results', async t => {
  const { sql, url } = await startLogs(t)
  await sql(weblog)
  const body = JSON.stringify({ table: 'weblog', columns: ['host', 'took'], limit: { fetch: 2 } })
  const ask = (format: string) => fetch(`${url}/v1/logs?format=${format}`, { method: 'POST', body })
  t.equal(await (await ask('csvWithNames')).text(), 'host,took\r\nb,3.0\r\na,2.0\r\n')
  const response = await ask('svc_v1')
  t.equal(response.headers.get('x-svc-format'), 'svc_v1')
  t.match(response.headers.get('x-svc-execution-time'), /^\d+$/)
  t.match(await readReply(await ask('xml')), { status: 400, error: /svc_v1/ })
})

t.test('a faulty query is refused with its position', async t => {
  const { sql, logs } = await startLogs(t, '[plugins.logquery]\nmax_query_nodes = 20\nmax_query_size = "64KiB"')
  await sql(weblog)
  await sql('CREATE VIEW seen AS SELECT * FROM weblog')
  const single = (...filters: unknown[]) => ({ Single: { expr: { NamedIdent: 'message' }, filters } })
  const call = (name: string, ...args: unknown[]) => ({ ScalarFunc: { name, args } })
  const message = { NamedIdent: 'message' }
  const cases: readonly (readonly [Record<string, unknown> | string, string | RegExp, number?])[] = [
    ['', /the query is missing/],
    ['{"table": "weblog",}', /line 1, column 20/, 2000],
    ['[]', '$: expected an object, found a list'],
    [{}, '$: the key table is missing'],
    [{ table: 7 }, '$.table: expected an object, found 7'],
    [{ table: 'weblogs' }, /^\$\.table: Table not found: svc\.public\.weblogs, did you mean weblog/, 4001],
    [{ table: { schema_name: 'none', table_name: 'weblog' } }, '$.table: Database not found: none', 4004],
    [{ table: { catalog_name: 'other', table_name: 'weblog' } }, /^\$\.table\.catalog_name: /],
    [{ table: 'seen' }, '$.table: seen is a view, which only SQL reads', 1001],
    [{ filter: [] }, /^\$\.filter: unknown key, did you mean filters/],
    [{ 'a b': 1 }, /^\$\["a b"\]: unknown key/],
    [{ columns: ['at', 'mesage'] }, '$.columns[1]: no column "mesage", did you mean message?'],
    [{ columns: 'at' }, '$.columns: expected a list, found the text "at"'],
    [{ limit: { fetch: -1 } }, '$.limit.fetch: expected a whole number from 0 on, found -1'],
    [{ limit: { fetch: 1.5 } }, /^\$\.limit\.fetch: expected a whole number/],
    [{ context: { Lines: [1] } }, '$.context.Lines: expected two numbers: [before, after]'],
    [{ context: 'Some' }, /^\$\.context: unknown kind "Some"/],
    [{ filters: {} }, /^\$\.filters: expected an object with one of the keys Single, And, Or, Not, found no key/],
    [
      { filters: { And: [single({ Contain: 'x' })] } },
      /^\$\.filters\.And\[0\]\.Single\.filters\[0\]\.Contain: unknown kind "Contain", did you mean Contains/
    ],
    [{ filters: single({ Contains: 7 }) }, '$.filters.Single.filters[0].Contains: expected a text, found 7'],
    [
      { filters: single({ Regex: '(' }) },
      /^\$\.filters\.Single\.filters\[0\]\.Regex: "\(" is not a regular expression/
    ],
    [{ filters: single({ Regex: '(?=x)' }) }, /there is no look-around/],
    [
      { filters: single({ Matches: '"open' }) },
      /^\$\.filters\.Single\.filters\[0\]\.Matches: invalid search query .* the quote is not closed/
    ],
    [
      { filters: single({ Equal: { Int: 'x' } }) },
      '$.filters.Single.filters[0].Equal.Int: expected a whole number, found the text "x"'
    ],
    [
      { filters: single() },
      '$.filters.Single: without filters the expression must be true or false, message is String'
    ],
    [{ filters: single('IsTrue') }, '$.filters.Single.filters[0]: message is String, not Boolean'],
    [
      { filters: single({ In: ['a', null] }) },
      /^\$\.filters\.Single\.filters\[0\]\.In\[1\]: expected a text, a number/
    ],
    [
      { filters: single({ Compound: [[], 'Xor'] }) },
      /^\$\.filters\.Single\.filters\[0\]\.Compound\[1\]: unknown kind "Xor"/
    ],
    [
      { filters: { Single: { expr: { PositionalIdent: 8 }, filters: ['Exist'] } } },
      '$.filters.Single.expr.PositionalIdent: there are 8 columns, counted from 0'
    ],
    [
      { filters: { Single: { expr: { NamedIdent: 'took' }, filters: [{ Contains: 'x' }] } } },
      '$.filters.Single.filters[0].Contains: needs a text, took is Float64'
    ],
    [
      { exprs: [call('lowr', message)] },
      /^\$\.exprs\[0\]\.ScalarFunc\.name: unknown function "lowr", did you mean lower/
    ],
    [
      { exprs: [call('count', message)] },
      '$.exprs[0].ScalarFunc.name: unknown function "count": it stands only in AggrFunc'
    ],
    [{ exprs: [call('lower')] }, '$.exprs[0].ScalarFunc: lower takes 1 arguments, found 0'],
    [
      { exprs: [call('abs', message)] },
      '$.exprs[0].ScalarFunc.args[0].NamedIdent: expected a number, message is String'
    ],
    [
      { exprs: [call('date_trunc', { Literal: 'eon' }, { NamedIdent: 'at' })] },
      /^\$\.exprs\[0\]\.ScalarFunc\.args\[0\]\.Literal: unknown unit "eon"/
    ],
    [{ exprs: [call('regexp_extract', message, message)] }, /expected a constant, found the column message/],
    [
      { exprs: [{ AggrFunc: { expr: [{ name: 'nothing' }] } }] },
      /^\$\.exprs\[0\]\.AggrFunc\.expr\[0\]\.name: unknown aggregate "nothing"/
    ],
    [{ exprs: [{ AggrFunc: { expr: [] } }] }, '$.exprs[0].AggrFunc: expected at least one function in expr'],
    [{ exprs: [{ Decompose: {} }] }, /^\$\.exprs\[0\]\.Decompose: Decompose is not supported/],
    [{ exprs: [{ Alias: { expr: { AggrFunc: {} }, alias: 'x' } }] }, /AggrFunc stands only in exprs itself/],
    [
      { exprs: [{ BinaryOp: { left: message, op: 'Plus', right: { Literal: 1 } } }] },
      '$.exprs[0].BinaryOp.left.NamedIdent: expected a number, message is String'
    ],
    [
      { exprs: [{ BinaryOp: { left: message, op: 'Like', right: message } }] },
      /^\$\.exprs\[0\]\.BinaryOp\.op: unknown kind "Like"/
    ],
    [
      { exprs: [call('concat', ...Array.from({ length: 17 }, () => message))] },
      /would join more than 16 columns|plugins\.logquery\.max_query_nodes/
    ],
    [
      { filters: single({ In: Array.from({ length: 30 }, (_, i) => `${i}`) }) },
      /more than 20 filters, expressions and values \(plugins\.logquery\.max_query_nodes\)/
    ],
    [{ columns: ['x'.repeat(70_000)] }, '$: the query is longer than 64KiB (plugins.logquery.max_query_size)'],
    [
      { filters: single(...Array.from({ length: 10 }, () => ({ Regex: 'a.*'.repeat(700) }))) },
      /^\$\.filters\.Single\.filters\[4\]\.Regex: the regular expressions of the request have more than 10000 characters/
    ],
    [
      { filters: single(...Array.from({ length: 10 }, (_, i) => ({ Regex: `${i}${'a{1000}'.repeat(3)}` }))) },
      /^\$\.filters\.Single\.filters\[3\]\.Regex: .* have more than 10000 characters.* written so often/
    ],
    ['['.repeat(200), /nested deeper than 128 levels/, 2000]
  ]
  for (const [query, wanted, code = 1004] of cases) {
    const { table = 'weblog' } = typeof query === 'string' ? {} : query
    const hasTable = typeof query === 'string' || Object.keys(query).length === 0
    const reply: LogReply = await logs(hasTable ? (query as string) : { table, ...query })
    const name = JSON.stringify(query).slice(0, 100)
    t.strictSame([reply.status, reply.code], [400, code], name)
    if (typeof wanted === 'string') t.equal(reply.error, wanted, name)
    else t.match(reply.error, wanted, name)
  }
})

t.test('users need the right to read, and queries are counted and watched', async t => {
  const toml = `user_provider = "static_user_provider:cmd:all=a,reader:ro=r,writer:wo=w"
[http]
enable_api_server = true
[slow_query]
threshold = "0ms"
record_type = "log"`
  const { server } = await startLogs(t, toml)
  const ask = (user?: string, query = '{"table":"none"}', app = server.main) =>
    app.inject({
      method: 'POST',
      url: '/v1/logs',
      payload: query,
      headers: user === undefined ? {} : { authorization: `Basic ${Buffer.from(user).toString('base64')}` }
    })
  t.equal((await ask()).statusCode, 401)
  t.equal((await ask('writer:w')).statusCode, 403)
  t.equal((await ask('reader:r')).json().code, 4001)
  t.equal((await ask('reader:r', undefined, server.public)).json().code, 4001, 'on the public server, too')
  const metrics = await server.core.metrics.expose()
  t.match(metrics, /svc_logquery_queries_total\{result="refused"\} 2/)
})

t.test('the work ends when the client leaves between two rows', embeddedOnly, async t => {
  const { sql, url, server } = await startLogs(t)
  await sql(`CREATE TABLE lines (at TIMESTAMP(3) TIME INDEX, message STRING) WITH (append_mode = 'true')`)
  await sql(`INSERT INTO lines SELECT r, 'line ' || r || repeat(' of many words', 60) FROM range(200000) t(r)`)
  const metric = async (pattern: RegExp) => Number(pattern.exec(await server.core.metrics.expose())?.[1] ?? 0)
  const running = () => metric(/^svc_query_running (\d+)$/m)
  const statements = () => metric(/^svc_query_process_statements\{state="(?:running|stalled)"\} ([1-9]\d*)$/m)
  const leaving = new AbortController()
  const body = JSON.stringify({ table: 'lines', limit: { fetch: 200_000 } })
  // 170 MB, of which a client that does not read takes what the sockets hold.
  const reply = await fetch(`${url}/v1/logs`, { method: 'POST', body, signal: leaving.signal })
  t.ok((await reply.body!.getReader().read()).value!.length > 0)
  t.equal(await running(), 1)
  t.equal(await statements(), 1)
  leaving.abort()
  await eventually(running, count => count === 0)
  await eventually(statements, count => count === 0)
})
