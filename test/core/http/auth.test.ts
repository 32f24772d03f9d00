import t from 'tap'
import { Type } from 'typebox'
import { definePlugin } from '../../../core/index.ts'
import { startServer } from '../../helpers.ts'

const who = definePlugin({
  name: 'who',
  prefix: '/v1/who',
  servers: ['main', 'public'],
  config: Type.Object({}),
  routes(app) {
    app.get('', async request => ({ user: request.ctx.user.name, mode: request.ctx.user.mode }))
    app.get('/ping', { config: { public: true } }, async () => ({ pong: true }))
  }
})

const token = definePlugin({
  name: 'token',
  prefix: '/v1/token',
  servers: ['main'],
  config: Type.Object({}),
  routes(app) {
    app.get('', async request => ({ user: request.ctx.user.name }))
  },
  credentials({ headers }) {
    const [user, password] = /^token (.*):(.*)$/i.exec(headers.authorization ?? '')?.slice(1) ?? []
    return user === undefined ? undefined : { kind: 'password', user, password: password! }
  }
})

const basic = (text: string, scheme = 'Basic') => `${scheme} ${Buffer.from(text).toString('base64')}`

t.test('with a user provider', async t => {
  const toml = 'user_provider = "static_user_provider:cmd:mia=plum:88,dash:ro=see"\n[http]\nenable_api_server = true'
  const servers = await startServer(t, toml, { plugins: [who, token] })
  const { main } = servers
  const get = (url: string, headers: Record<string, string> = {}) => main.inject({ url, headers })

  t.test('good credentials are taken', async t => {
    t.strictSame((await get('/v1/who', { authorization: basic('mia:plum:88') })).json(), { user: 'mia', mode: 'rw' })
    t.strictSame((await get('/v1/who', { authorization: basic('dash:see', 'bAsIc') })).json(), {
      user: 'dash',
      mode: 'ro'
    })
  })

  t.test('x-svc-auth wins over Authorization', async t => {
    const good = basic('mia:plum:88')
    const bad = basic('mia:wrong')
    t.equal((await get('/v1/who', { 'x-svc-auth': good, authorization: bad })).statusCode, 200)
    t.equal((await get('/v1/who', { 'x-svc-auth': bad, authorization: good })).statusCode, 401)
  })

  t.test('a plugin reads its own scheme, and the standard ones work beside it', async t => {
    t.strictSame((await get('/v1/token', { authorization: 'Token dash:see' })).json(), { user: 'dash' })
    t.strictSame((await get('/v1/token', { authorization: basic('dash:see') })).json(), { user: 'dash' })
    const both = { 'x-svc-auth': basic('mia:plum:88'), authorization: 'Token dash:see' }
    t.strictSame((await get('/v1/token', both)).json(), { user: 'mia' }, 'x-svc-auth wins here, too')
    t.equal((await get('/v1/token', { authorization: 'Token dash:no' })).statusCode, 401)
    t.equal((await get('/v1/who', { authorization: 'Token dash:see' })).statusCode, 401, 'on its own routes only')
  })

  t.test('bad credentials are refused with one code for user and password, and a challenge', async t => {
    const cases: [string | undefined, number][] = [
      [undefined, 7003],
      [basic('mia:wrong'), 7002],
      [basic('nobody:x'), 7002],
      [basic('no colon'), 7004],
      ['Basic ???', 7004],
      ['Basic', 7004],
      ['Digest a=b', 7004],
      ['Bearer abc', 7002]
    ]
    const texts = new Set<string>()
    for (const [authorization, code] of cases) {
      const response = await get('/v1/who', authorization === undefined ? {} : { authorization })
      t.equal(response.statusCode, 401, authorization ?? 'none')
      t.match(response.json(), { code })
      t.equal(response.headers['x-svc-err-code'], String(code))
      t.match(response.headers['www-authenticate'], /^Basic realm="svc"/)
      if (authorization?.startsWith('Basic ') && code === 7002) {
        texts.add(response.json().error.replace(/mia|nobody/, 'NAME'))
      }
    }
    t.equal(texts.size, 1, 'one text')
  })

  t.test('unknown paths and methods under /v1 do not show themselves to strangers', async t => {
    t.equal((await get('/v1/nowhere')).statusCode, 401)
    t.equal((await main.inject({ method: 'DELETE', url: '/v1/who' })).statusCode, 401)
    const headers = { authorization: basic('mia:plum:88') }
    t.equal((await get('/v1/nowhere', headers)).statusCode, 404)
    t.equal((await main.inject({ method: 'DELETE', url: '/v1/who', headers })).statusCode, 405)
  })

  t.test('spelling a path differently leads nowhere', async t => {
    for (const url of ['/%76%31/who', '/v1%2fwho', '/V1/who', '//v1/who', '/v1/./who', '/v1/who%00', '/x/../v1/who']) {
      const response = await main.inject({ url })
      t.ok([401, 404].includes(response.statusCode), `${url}: ${response.statusCode}`)
    }
  })

  t.test('health and what a plugin declares public is open, and so are paths outside /v1', async t => {
    for (const url of ['/v1/health', '/v1/who/ping', '/health', '/metrics']) {
      t.equal((await get(url)).statusCode, 200, url)
    }
    t.equal((await get('/')).headers.location, '/dashboard', 'the first page is the dashboard')
  })

  t.test('the public server asks the same', async t => {
    t.equal((await servers.public!.inject('/v1/who')).statusCode, 401)
    t.equal((await servers.public!.inject('/health')).statusCode, 404)
  })

  t.test('a refused request is refused before its body is read', async t => {
    const payload = Buffer.alloc(1000)
    const response = await main.inject({
      method: 'POST',
      url: '/v1/who',
      payload,
      headers: { 'content-encoding': 'x' }
    })
    t.equal(response.statusCode, 401)
  })

  t.test('refusals are counted by code', async t => {
    t.match(await servers.core.metrics.expose(), /svc_servers_auth_failure_count\{code="UserPasswordMismatch"\} [1-9]/)
  })
})

t.test('without a user provider everybody is the default user, whatever the headers say', async t => {
  const { main } = await startServer(t, '', { plugins: [who] })
  for (const authorization of [undefined, basic('mia:x'), 'nonsense']) {
    const headers = authorization === undefined ? {} : { authorization }
    t.strictSame((await main.inject({ url: '/v1/who', headers })).json(), { user: 'svc', mode: 'rw' })
  }
})
