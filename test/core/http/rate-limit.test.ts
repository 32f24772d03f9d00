import t from 'tap'
import { loadConfig } from '../../../core/config/load.ts'
import { overrides, startServer } from '../../helpers.ts'

const as = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })
const users = 'user_provider = "static_user_provider:cmd:mia=plum,leo=pear"\n'

t.test('a user may make so many requests in a window, others still may', async t => {
  const toml = `${users}[http]\nenable_api_server = true\n[http.rate_limit]\nper_user = 3\nwindow = "1h"`
  const { main, public: open } = await startServer(t, toml)
  const ask = (user: string, app = main) => app.inject({ url: '/v1/sql?sql=SELECT+1', headers: as(user) })
  for (let i = 0; i < 3; i++) t.equal((await ask('mia:plum')).statusCode, 200)
  const refused = await ask('mia:plum')
  t.equal(refused.statusCode, 429)
  t.match(refused.json(), {
    code: 6001,
    error: /^this user may make 3 requests in 3600000 ms \(http.rate_limit.per_user\)/
  })
  const wait = Number(refused.headers['retry-after'])
  t.ok(wait > 3500 && wait <= 3600, `Retry-After: ${wait}`)
  t.equal((await ask('leo:pear')).statusCode, 200)
  t.equal((await ask('mia:plum', open!)).statusCode, 200, 'each server counts for itself')
  t.equal((await main.inject('/status')).statusCode, 200, 'operators are not counted')
  for (let i = 0; i < 5; i++) t.equal((await main.inject('/v1/health')).statusCode, 200, 'nor is what needs no user')
  t.match((await main.inject('/metrics')).body, 'svc_servers_rate_limited_total{limit="per_user"} 1')
})

t.test('passwords cannot be tried faster than an address may ask', async t => {
  const { main } = await startServer(t, `${users}[http.rate_limit]\nper_address = 2\nwindow = "1h"`)
  const ask = (user: string, remoteAddress: string) =>
    main.inject({ url: '/v1/sql?sql=SELECT+1', headers: as(user), remoteAddress })
  t.equal((await ask('mia:a', '10.0.0.1')).statusCode, 401)
  t.equal((await ask('mia:b', '10.0.0.1')).statusCode, 401)
  const refused = await ask('mia:plum', '10.0.0.1')
  t.equal(refused.statusCode, 429, 'not even with the right one')
  t.match(refused.json(), { error: /this address may make 2 requests/ })
  t.equal((await ask('mia:plum', '10.0.0.2')).statusCode, 200)
  for (const host of ['1', '2']) t.equal((await ask('mia:plum', `2001:db8::${host}`)).statusCode, 200)
  t.equal((await ask('mia:plum', '2001:db8::3')).statusCode, 429, 'a network of IPv6 is one client')
})

t.test('the limits come and go while the server runs', async t => {
  const { main, reload, folder } = await startServer(t)
  const ask = async () => (await main.inject('/v1/health')).statusCode
  const change = async (per_address: number) =>
    reload(
      loadConfig({
        overrides: { ...overrides(folder), http: { ...overrides(folder).http, rate_limit: { per_address } } }
      }).config
    )
  for (let i = 0; i < 5; i++) t.equal(await ask(), 200)
  await change(1)
  t.equal(await ask(), 200)
  t.equal(await ask(), 429)
  await change(0)
  t.equal(await ask(), 200)
})
