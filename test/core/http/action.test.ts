// The permission a route requires, counts of refusals by plugin and code, and error bodies that depend on the request.
import t from 'tap'
import { Type } from 'typebox'
import { DbError } from '../../../core/errors.ts'
import { definePlugin } from '../../../core/plugin.ts'
import { startServer } from '../../helpers.ts'

const actions = ['read', 'write', 'read_all', 'write_all'] as const

const plugin = definePlugin({
  name: 'mine',
  prefix: '/v1/mine',
  servers: ['main'],
  config: Type.Object({}),
  setup: () => ({ calls: 0 }),
  routes(app) {
    for (const action of actions)
      app.post(`/${action}`, { config: { action } }, async () => ({ calls: ++app.services.mine.calls }))
    app.get('/fails', async () => {
      throw new DbError('InvalidSyntax', 'no')
    })
  },
  formatError: ({ status, message }, { headers }) => ({
    status,
    contentType: 'text/plain',
    body: `${headers['x-own']}: ${message}`
  })
})

const toml = `user_provider = "static_user_provider:cmd:all=p,reader:ro=p,writer:wo=p,some:rw@a=p,mixed:ro@a;wo@b=p"`
const header = (user: string) => ({ authorization: `Basic ${Buffer.from(`${user}:p`).toString('base64')}` })

t.test('a route is called only for users who may do what it says', async t => {
  const { main } = await startServer(t, toml, { plugins: [plugin] })
  const may: Record<string, readonly string[]> = {
    all: actions,
    reader: ['read', 'read_all'],
    writer: ['write', 'write_all'],
    'some in a': ['read', 'write'],
    'some in b': [],
    'mixed in a': ['read'],
    'mixed in b': ['write']
  }
  let calls = 0
  for (const [who, allowed] of Object.entries(may)) {
    const [user = '', db] = who.split(' in ')
    for (const action of actions) {
      const url = `/v1/mine/${action}${db === undefined ? '' : `?db=${db}`}`
      const { statusCode, body } = await main.inject({ method: 'POST', url, headers: header(user) })
      t.equal(statusCode, allowed.includes(action) ? 200 : 403, `${who}: ${action}`)
      if (statusCode === 200) t.equal(JSON.parse(body).calls, ++calls, 'nobody else was let in before')
    }
  }
  t.equal((await main.inject({ method: 'POST', url: '/v1/mine/read' })).statusCode, 401)
  const metrics = (await main.inject('/metrics')).body
  t.match(metrics, 'svc_refused_total{plugin="mine",code="PermissionDenied"} 8')
  t.match(metrics, 'svc_refused_total{plugin="mine",code="AuthHeaderNotFound"} 1')
})

t.test('the database of a form counts, too', async t => {
  const { main } = await startServer(t, toml)
  const ask = (db: string) =>
    main.inject({
      method: 'POST',
      url: '/v1/sql/format',
      headers: { ...header('mixed'), 'content-type': 'application/x-www-form-urlencoded' },
      payload: `sql=select+1&db=${db}`
    })
  t.equal((await ask('a')).statusCode, 200)
  t.equal((await ask('b')).statusCode, 403)
})

t.test('an error body may depend on the request', async t => {
  const { main } = await startServer(t, '', { plugins: [plugin] })
  const { statusCode, body } = await main.inject({ url: '/v1/mine/fails', headers: { 'x-own': 'here' } })
  t.same([statusCode, body], [400, 'here: no'])
})

t.test('types hold a plugin to the service map', async t => {
  const broken = () =>
    definePlugin({
      name: 'sql',
      prefix: '/v1/x',
      servers: ['main'],
      config: Type.Object({}),
      // @ts-expect-error: the service of this name has a method `query`
      setup: () => ({ ask: () => 1 })
    })
  t.equal(broken().name, 'sql')
})
