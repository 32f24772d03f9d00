// Cross-site requests, which a browser sends for another site's page, change nothing, whatever their form.
import t from 'tap'
import { askSql, startServer } from '../../helpers.ts'

const form = (fields: Record<string, string>) => ({
  payload: new URLSearchParams(fields).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded' }
})
const text = (payload: string, type = 'text/plain') => ({ payload, headers: { 'content-type': type } })
const sql = (text: string) => `/v1/sql?${new URLSearchParams({ sql: text })}`

interface Change {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly url: string
  readonly payload?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Ways to change something, each of a protocol or statement of its own. */
const changes: Record<string, Change> = {
  'INSERT by GET': { method: 'GET', url: sql('INSERT INTO a VALUES (1, 1)') },
  'INSERT by a form': { method: 'POST', url: '/v1/sql', ...form({ sql: 'INSERT INTO a VALUES (1, 1)' }) },
  'CREATE TABLE': { method: 'GET', url: sql('CREATE TABLE b (ts TIMESTAMP TIME INDEX)') },
  'ALTER TABLE': { method: 'GET', url: sql('ALTER TABLE a ADD COLUMN w BIGINT') },
  'DROP TABLE': { method: 'GET', url: sql('DROP TABLE a') },
  DELETE: { method: 'GET', url: sql('DELETE FROM a') },
  TRUNCATE: { method: 'GET', url: sql('TRUNCATE TABLE a') },
  'CREATE DATABASE': { method: 'GET', url: sql('CREATE DATABASE c') },
  'ADMIN flush': { method: 'GET', url: sql("ADMIN flush_table('a')") },
  'a view': { method: 'GET', url: sql('CREATE VIEW w AS SELECT 1') },
  'log lines': { method: 'POST', url: '/v1/ingest?table=a2&pipeline_name=svc_identity', ...text('{"x":1}') },
  'line protocol': { method: 'POST', url: '/v1/lineproto/write', ...text('m v=1') },
  'a pipeline': {
    method: 'POST',
    url: '/v1/pipelines/p',
    ...text('processors: []\ntransform: []', 'application/x-yaml')
  },
  'a put': {
    method: 'POST',
    url: '/v1/tsdbput/api/put',
    ...text('{"metric":"m","timestamp":1,"value":1,"tags":{"a":"b"}}')
  },
  'log level': { method: 'POST', url: '/debug/log_level', ...text('debug') },
  tracing: { method: 'POST', url: '/debug/enable_trace', ...text('true') },
  backup: { method: 'POST', url: '/admin/backup' }
}

const attackers: Record<string, Record<string, string>> = {
  'fetch of another origin': { origin: 'https://evil.example', host: 'localhost:4000', 'sec-fetch-site': 'cross-site' },
  'a form of a sandbox': { origin: 'null', host: 'localhost:4000' },
  'an image': { host: 'localhost:4000', 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' },
  'another port of the same machine': { origin: 'http://localhost:9999', host: 'localhost:4000' },
  'a rebound name': { origin: 'http://evil.example:4000', host: 'evil.example:4000', 'sec-fetch-site': 'same-origin' },
  'a rebound name by a link': { referer: 'http://evil.example:4000/', host: 'evil.example:4000' },
  'a rebound name without an origin': { host: 'evil.example', 'sec-fetch-mode': 'no-cors' },
  'a host that is not a host': { host: '%%%', 'sec-fetch-mode': 'cors' }
}

const friends: Record<string, Record<string, string>> = {
  'an agent under any name': { host: 'weir.internal:4000' },
  'the own page': { origin: 'http://localhost:4000', host: 'localhost:4000', 'sec-fetch-site': 'same-origin' },
  'the own page at an address': {
    origin: 'http://127.0.0.1:4000',
    host: '127.0.0.1:4000',
    referer: 'http://127.0.0.1:4000/dashboard'
  },
  'an address typed in': { host: '[::1]:4000', 'sec-fetch-site': 'none' }
}

for (const provider of ['', 'user_provider = "static_user_provider:cmd:a=b"\n'])
  t.test(`every change × every attacker, ${provider === '' ? 'open' : 'with users'}`, async t => {
    const server = await startServer(t, provider)
    const user = provider === '' ? {} : { user: 'a:b' }
    const authorization: Record<string, string> = provider === '' ? {} : { authorization: `Basic ${btoa('a:b')}` }
    await askSql(server, 'CREATE TABLE a (ts TIMESTAMP TIME INDEX, v BIGINT)', user)
    const state = async () => {
      const [tables, rows] = [
        await askSql(server, 'SHOW TABLES', user),
        await askSql(server, 'SELECT count(*) FROM a', user)
      ]
      return JSON.stringify([tables, rows, await askSql(server, 'SHOW DATABASES', user)])
    }
    const before = await state()
    for (const [who, headers] of Object.entries(attackers)) {
      for (const [what, change] of Object.entries(changes)) {
        const answer = await server.main.inject({
          ...change,
          headers: { ...change.headers, ...authorization, ...headers }
        })
        t.equal(answer.statusCode, 403, `${what} by ${who}: ${answer.body.slice(0, 100)}`)
      }
      const read = await server.main.inject({ url: sql('SELECT 1'), headers: { ...authorization, ...headers } })
      t.equal(read.statusCode, 200, 'what only reads is answered: the browser keeps it from the page')
    }
    t.equal(await state(), before)
    t.equal(server.core.log.level, 'info')
    for (const [who, headers] of Object.entries(friends)) {
      const change = changes['INSERT by GET']!
      const { statusCode } = await server.main.inject({ ...change, headers: { ...authorization, ...headers } })
      t.equal(statusCode, 200, who)
    }
  })

t.test('origins and hosts that are named may', async t => {
  const toml = '[http]\ncors_allowed_origins = ["https://app.example"]\nallowed_hosts = ["weir.example"]'
  const { main } = await startServer(t, toml)
  const status = async (headers: Record<string, string>) =>
    (await main.inject({ url: sql('CREATE TABLE IF NOT EXISTS a (ts TIMESTAMP TIME INDEX)'), headers })).statusCode
  t.equal(await status({ origin: 'https://app.example', host: 'api.example', 'sec-fetch-site': 'cross-site' }), 200)
  t.equal(await status({ origin: 'https://weir.example', host: 'weir.example', 'sec-fetch-site': 'same-origin' }), 200)
  t.equal(await status({ origin: 'https://other.example', host: 'weir.example' }), 403)
  t.equal(await status({ referer: 'https://x.example/', host: 'weir.example.evil.example' }), 403)
})

t.test('http.read_only_get leaves changes to POST', async t => {
  const { main } = await startServer(t, '[http]\nread_only_get = true')
  const statement = 'CREATE TABLE a (ts TIMESTAMP TIME INDEX)'
  const refused = await main.inject(sql(statement))
  t.equal(refused.statusCode, 403)
  t.match(refused.json().error, /http\.read_only_get/)
  t.equal((await main.inject(sql('SELECT 1'))).statusCode, 200)
  t.equal((await main.inject({ method: 'POST', url: '/v1/sql', ...form({ sql: statement }) })).statusCode, 200)
})
