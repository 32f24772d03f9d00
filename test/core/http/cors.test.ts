import t from 'tap'
import { startServer } from '../../helpers.ts'

const provider = 'user_provider = "static_user_provider:cmd:mia=plum"\n'
const page = 'https://a.example'
const preflight = (url: string, headers: Record<string, string> = {}) => ({
  method: 'OPTIONS' as const,
  url,
  headers: { origin: page, 'access-control-request-method': 'DELETE', ...headers }
})

t.test('with a user provider every origin is allowed by default', async t => {
  const { main } = await startServer(t, provider)
  const answer = await main.inject('/v1/health')
  t.equal(answer.headers['access-control-allow-origin'], '*', 'without an origin too')
  t.equal(answer.headers.vary, 'origin, access-control-request-method, access-control-request-headers')
  const refused = await main.inject({ url: '/v1/sql', headers: { origin: page } })
  t.equal(refused.headers['access-control-allow-origin'], '*', 'a page may read errors')

  const response = await main.inject(preflight('/v1/sql', { 'access-control-request-headers': 'x-svc-auth' }))
  t.equal(response.statusCode, 200, 'preflight needs no credentials')
  t.equal(response.headers['access-control-allow-methods'], 'GET,POST,PUT,DELETE,HEAD')
  t.equal(response.headers['access-control-allow-headers'], '*')
  const named = await main.inject(preflight('/v1/sql', { 'access-control-request-headers': 'Authorization' }))
  t.equal(named.headers['access-control-allow-headers'], '*, authorization', 'browsers want this one by name')
})

t.test('without a user provider no other origin is', async t => {
  const { main } = await startServer(t)
  t.notHas((await main.inject({ url: '/v1/health', headers: { origin: page } })).headers, 'access-control-allow-origin')
  t.notHas((await main.inject(preflight('/v1/health'))).headers, 'access-control-allow-origin')
})

t.test('with a list only those on it are, and they are named', async t => {
  const { main } = await startServer(t, `[http]\ncors_allowed_origins = ["${page}"]`)
  const from = (origin: string) => main.inject({ url: '/v1/health', headers: { origin } })
  t.equal((await from(page)).headers['access-control-allow-origin'], page)
  t.notHas((await from('https://b.example')).headers, 'access-control-allow-origin')
})

t.test('switched off there are no headers at all', async t => {
  const { main } = await startServer(t, `${provider}[http]\nenable_cors = false`)
  t.notHas((await main.inject('/v1/health')).headers, 'vary')
})

t.test('pages of other origins never get at the operating routes', async t => {
  const { main } = await startServer(t, `${provider}[http]\ncors_allowed_origins = ["*"]`)
  const ask = (url: string, origin: string, method: 'GET' | 'POST' = 'GET') =>
    main.inject({
      method,
      url,
      headers: { origin, host: 'localhost:4000' },
      ...(method === 'POST' && { payload: 'info' })
    })
  t.equal((await ask('/config', page)).statusCode, 403)
  t.equal((await ask('/config', 'null')).statusCode, 403)
  t.equal((await ask('/debug/log_level', page, 'POST')).statusCode, 403)
  t.equal((await ask('/config', 'http://localhost:4000')).statusCode, 200)
  t.equal((await ask('/debug/log_level', 'http://localhost:4000', 'POST')).statusCode, 200)
  t.notHas((await main.inject('/metrics')).headers, 'access-control-allow-origin')
})
