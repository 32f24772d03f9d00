// Who may call what: every route of both servers, with every method, as every kind of user.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import type { FastifyInstance, InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import type { Route } from '../../../core/http/method.ts'
import { routeTable } from '../../../core/server.ts'
import { makeCertificate, signed } from '../../certificates.ts'
import { rowsOf } from '../../contract/kept.ts'
import { askSql, startServer, type TestServer, temporaryFolder } from '../../helpers.ts'
import { findProgram } from '../../programs.ts'

/** Routes that need no user, whatever is configured: what operators ask for, pages, and signs of life. */
const open = new Set([
  '/',
  '/config',
  '/dashboard',
  '/dashboard/*',
  '/dashboard/pages.json',
  '/dashboard/pages/:file',
  '/debug/enable_trace',
  '/debug/log_level',
  '/debug/prof/cpu',
  '/debug/prof/mem',
  '/debug/prof/mem/activate',
  '/debug/prof/mem/deactivate',
  '/debug/prof/mem/gdump',
  '/debug/prof/mem/status',
  '/debug/prof/mem/symbol',
  '/health',
  '/metrics',
  '/ready',
  '/status',
  '/v1/eventcollector/services/collector/health',
  '/v1/eventcollector/services/collector/health/1.0',
  '/v1/health',
  '/v1/lineproto/health',
  '/v1/lineproto/ping'
])

/** Routes that need a user and declare no permission: they check it by what the request asks for. */
const checkThemselves = new Set([
  'DELETE /admin/backup/:id',
  'GET /admin/backup/:id/:file',
  'POST /admin/backup',
  'GET /v1/openapi.json',
  'POST /v1/pipelines/:name',
  'GET /v1/sql',
  'POST /v1/sql'
])

/** What a user may do, by database; `all` in each. */
type Mode = 'ro' | 'rw' | 'wo'
interface Identity {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  /** Name in the certificate it shows, and who signed that; absent: it shows none. */
  readonly certificate?: { readonly name: string; readonly by: 'clients' | 'strangers' }
  /** Absent: these are no credentials. */
  readonly modes?: Readonly<Record<string, Mode>>
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })
const digest = (token: string) => createHash('sha256').update(token).digest('hex')

const root: Identity = { name: 'root', headers: basic('root:r'), modes: { all: 'rw' } }

const hasCertificates = findProgram('openssl') !== undefined
/** Where certificates can be made, they ask over connections of their own. */
const shown = (name: string, by: 'clients' | 'strangers', modes?: Identity['modes']): Identity[] =>
  hasCertificates
    ? [{ name: `certificate of ${name} by ${by}`, headers: {}, certificate: { name, by }, ...(modes && { modes }) }]
    : []

/** Those who may change nothing come first: after them all is as it was. */
const strangers: readonly Identity[] = [
  { name: 'nobody', headers: {} },
  { name: 'a wrong password', headers: basic('root:wrong') },
  { name: 'an unknown user', headers: basic('stranger:r') },
  { name: 'a wrong token', headers: bearer('wrong') },
  { name: 'a token that has ended', headers: bearer('old') },
  { name: 'a scheme nobody knows', headers: { authorization: 'Digest root' } },
  ...shown('stranger', 'clients'),
  ...shown('card', 'strangers')
]
const readers: readonly Identity[] = [
  { name: 'a reader', headers: basic('reader:r'), modes: { all: 'ro' } },
  { name: 'a reader of one database', headers: basic('peek:r'), modes: { a: 'ro' } },
  { name: 'a token that reads one database', headers: bearer('scoped'), modes: { a: 'ro' } },
  ...shown('card', 'clients', { a: 'ro' })
]
const writers: readonly Identity[] = [
  { name: 'a writer of one database', headers: basic('drop:r'), modes: { a: 'wo' } },
  { name: 'a user of one database', headers: basic('ann:r'), modes: { a: 'rw' } },
  ...shown('stamp', 'clients', { a: 'wo' }),
  { name: 'a reader of one and writer of another', headers: basic('mix:r'), modes: { a: 'ro', c: 'wo' } },
  { name: 'a writer', headers: basic('writer:r'), modes: { all: 'wo' } }
]

const usersFile = `root=r
reader:ro=r
writer:wo=r
ann:rw@a=r
peek:ro@a=r
drop:wo@a=r
mix:ro@a;wo@c=r
bot:ro@a=token_sha256:${digest('scoped')}
bot:rw=token_sha256:${digest('old')}:2001-01-01T00:00:00Z
card:ro@a=certificate:
stamp:wo@a=certificate:
`

interface Served extends TestServer {
  /** The connections of somebody with a certificate. */
  agentOf(certificate: NonNullable<Identity['certificate']>): Agent
}

async function serve(t: Test): Promise<Served> {
  const folder = temporaryFolder(t)
  const file = join(folder, 'users')
  writeFileSync(file, usersFile)
  const [own, clients, other] = hasCertificates
    ? ['own', 'clients', 'other'].map(name => makeCertificate(folder, name))
    : []
  const tls =
    own && `[http.tls]\ncert_path = "${own.cert}"\nkey_path = "${own.key}"\nclient_ca_path = "${clients!.cert}"\n`
  const server = await startServer(
    t,
    `user_provider = "static_user_provider:file:${file}"\n[http]\nenable_api_server = true\n${tls ?? ''}`
  )
  const agents = new Map<string, Agent>()
  const agentOf = ({ name, by }: NonNullable<Identity['certificate']>) => {
    const key = `${name} ${by}`
    const known = agents.get(key)
    if (known !== undefined) return known
    const pair = signed(folder, key.replace(' ', '-'), by === 'clients' ? clients! : other!, name)
    const agent = new Agent({ ca: readFileSync(own!.cert), ...pair, keepAlive: true })
    agents.set(key, agent)
    t.teardown(() => agent.destroy())
    return agent
  }
  const sql = (text: string, db = 'public') => askSql(server, text, { db, user: 'root:r' })
  for (const db of ['a', 'b', 'c']) await sql(`CREATE DATABASE ${db}`)
  for (const db of ['b', 'public']) {
    const post = async (url: string, payload: string | object) => {
      const { statusCode, body } = await server.main.inject({
        method: 'POST',
        url: `${url}${url.includes('?') ? '&' : '?'}db=${db}`,
        headers: { ...root.headers, ...(typeof payload === 'string' && { 'content-type': 'text/plain' }) },
        payload
      })
      if (statusCode >= 300) throw new Error(`${url}: ${body}`)
    }
    await post('/v1/lineproto/write?precision=ms', 'points,tag=canary canary_field=7,text="canary" 1000')
    await post('/v1/tsdbput/api/put', [{ metric: 'canary_metric', timestamp: 1, value: 1, tags: { host: 'canary' } }])
    await post('/v1/telemetry/v1/logs', {
      resourceLogs: [{ scopeLogs: [{ logRecords: [{ timeUnixNano: '1000000000', body: { stringValue: 'canary' } }] }] }]
    })
    await post('/v1/telemetry/v1/traces', { resourceSpans: [canarySpan] })
    await sql('CREATE VIEW peep AS SELECT * FROM points', db)
  }
  await sql('CREATE TABLE points (canary_own BIGINT, ts TIMESTAMP TIME INDEX)', 'c')
  return { ...server, agentOf }
}

const canarySpan = {
  resource: { attributes: [{ key: 'service.name', value: { stringValue: 'canary' } }] },
  scopeSpans: [
    {
      spans: [
        {
          ...{ traceId: '01'.repeat(16), spanId: '02'.repeat(8), name: 'canary', kind: 2 },
          ...{ startTimeUnixNano: '1000000000', endTimeUnixNano: '2000000000' }
        }
      ]
    }
  ]
}

/** Parameters of all routes, each after what it must not give: rows of another database. */
const parameters = {
  query: '{__database__="b",__name__=~".+"}',
  'match[]': '{__database__="b",__name__=~".+"}',
  ...{ start: '0', end: '10', step: '5', time: '1', endTs: '10000', lookback: '10000' },
  ...{ format: 'json', table: 'points', service: 'x', version: '2020-01-01T00:00:00Z', precision: 'ms' },
  ...{
    seconds: '0.01',
    output: 'text',
    revision: '0',
    pipeline_name: 'svc_identity',
    channel: digest('x').slice(0, 32)
  }
}
const statements = [
  'SELECT * FROM b.points',
  'SHOW TABLES FROM b',
  'DELETE FROM b.points',
  "INSERT INTO b.points (tag, greptime_timestamp) VALUES ('x', 1)",
  'CREATE TABLE b.more (ts TIMESTAMP TIME INDEX)',
  'DROP TABLE b.points',
  'TRUNCATE TABLE b.points'
]

const form = 'application/x-www-form-urlencoded'

/** Bodies by content type. */
const bodies: Readonly<Record<string, readonly string[]>> = {
  'application/json': [
    '{}',
    JSON.stringify({ table: { schema_name: 'b', table_name: 'points' }, limit: { fetch: 1 } }),
    JSON.stringify([{ metric: 'put', timestamp: 1, value: 1, tags: { host: 'x' } }]),
    JSON.stringify({ event: 'x', index: 'b' })
  ],
  'application/x-ndjson': ['{"m":"x"}'],
  'application/x-yaml': ['transform:\n  - field: ts\n    type: epoch, ms\n    index: timestamp\n'],
  'text/plain': ['points,tag=x canary_field=1 1000'],
  'application/x-protobuf': [''],
  'application/octet-stream': ['x'],
  [form]: statements.map(sql => `${new URLSearchParams({ sql, activate: 'x' })}`)
}

interface Asked {
  readonly what: string
  readonly options: InjectOptions
  /** The database it names; absent: none. */
  readonly db?: string
}

/** Where a request names its database. */
const namings = [
  { where: '' },
  { where: 'query', db: 'a' },
  { where: 'query', db: 'b' },
  { where: 'header', db: 'b' },
  { where: 'form', db: 'b' }
] as const

/** Requests to a route: each of its content types, and each way to name a database. */
function* requestsTo({ method, path, schema }: Pick<Route, 'method' | 'path' | 'schema'>): Generator<Asked> {
  const url = path
    .replace(/:traceID/, '01'.repeat(16))
    .replace(/:\w+/g, '__name__')
    .replace('*', 'x')
  const isSql = path === '/v1/sql'
  const consumed = Object.keys(schema?.consumes ?? { 'text/plain': {} })
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const sent: readonly { sql?: string; type?: string; payload?: string }[] = hasBody
    ? consumed.flatMap(type => {
        const some = bodies[type] ?? ['x']
        return (type === form && !isSql ? some.slice(0, 1) : some).map(payload => ({ type, payload }))
      })
    : statements.slice(0, isSql ? undefined : 1).map(sql => ({ sql }))
  for (const { sql, type, payload } of sent) {
    for (const { where, db } of namings as readonly { where: string; db?: string }[]) {
      if (where === 'form' && type !== form) continue
      const query = new URLSearchParams({ ...parameters, ...(sql && { sql }), ...(where === 'query' && { db }) })
      yield {
        what: `${method} ${path} ${where} db=${db} ${type ?? ''} ${payload ?? sql}`,
        ...(db !== undefined && { db }),
        options: {
          method: method as 'GET',
          url: `${url}?${query}`,
          headers: {
            'x-svc-trace-table-name': 'points',
            ...(type && { 'content-type': type }),
            ...(where === 'header' && { 'x-svc-db-name': db })
          },
          ...(payload !== undefined && { payload: where === 'form' ? `${payload}&db=${db}` : payload })
        }
      }
    }
  }
}

async function ask(server: Served, app: FastifyInstance, asked: Asked, identity: Identity) {
  return identity.certificate === undefined
    ? askInside(app, asked, identity)
    : askOverTls(
        app === server.main ? server.addresses.main : server.addresses.public!,
        asked,
        server.agentOf(identity.certificate)
      )
}

function askOverTls(address: string, { options }: Asked, agent: Agent): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', payload } = options
    const headers = {
      ...options.headers,
      ...(payload !== undefined && { 'content-length': Buffer.byteLength(String(payload)) })
    }
    const sent = request(
      `${address}${options.url}`,
      { method, headers: headers as Record<string, string>, agent },
      response => {
        const status = response.statusCode!
        let body = ''
        if (String(response.headers['content-type']).startsWith('text/event-stream')) {
          response.destroy()
          resolve({ status, body })
          return
        }
        response.on('data', part => (body += part))
        response.on('end', () => resolve({ status, body }))
        response.on('error', reject)
      }
    )
    sent.on('error', error => reject(new Error(`${method} ${options.url}`, { cause: error }))).end(payload)
  })
}

async function askInside(app: FastifyInstance, { options }: Asked, { headers }: Identity) {
  const response = await app.inject({
    ...options,
    headers: { ...options.headers, ...headers },
    payloadAsStream: true
  })
  const status = response.statusCode
  const stream = response.stream()
  // A tail does not end.
  if (String(response.headers['content-type']).startsWith('text/event-stream')) {
    stream.destroy()
    return { status, body: '' }
  }
  let body = ''
  for await (const chunk of stream) body += chunk
  return { status, body }
}

function modeIn({ modes = {} }: Identity, db: string | undefined): Mode | undefined {
  return modes['all'] ?? modes[db ?? 'a']
}

/** Whether the route must refuse the user, as far as it declares. */
function isForbidden({ action }: Route, identity: Identity, db: string | undefined): boolean {
  const mode = modeIn(identity, db)
  if (mode === undefined) return true
  if (action === undefined) return false
  if (action.endsWith('_all') && identity.modes!['all'] === undefined) return true
  return mode === (action.startsWith('read') ? 'wo' : 'ro')
}

/** Whether a status says that credentials are wrong: one protocol has 403 for it. */
const isRefusal = ({ ownErrors }: Route, status: number) => status === 401 || (status === 403 && ownErrors)

/** Whether any answer may hold what is in the databases `b` and `public`. */
const mayReadAll = ({ modes }: Identity) => modes?.['all'] === 'ro' || modes?.['all'] === 'rw'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Everything that somebody could have changed. */
async function stateOf({ core }: TestServer) {
  const { store } = core
  const definitions = store
    .databases()
    .map(({ name }) => [name, store.tables(name).map(({ name, columns }) => ({ name, columns }))])
  return { definitions, rows: await rowsOf(core) }
}

const server = await serve(t)

t.test('routes say what they need', async t => {
  for (const app of [server.main, server.public!]) {
    for (const { method, path, needsUser, action } of routeTable(app)) {
      t.equal(needsUser, !open.has(path), `${path} needs ${open.has(path) ? 'no' : 'a'} user`)
      if (needsUser)
        t.equal(action === undefined, checkThemselves.has(`${method} ${path}`), `${method} ${path}: ${action}`)
    }
  }
})

t.test('every route and method refuses and serves whom it should', async t => {
  const refusedBy = new Set<string>()
  /** Sends all requests, and with `wrongMethods` one by each method that a path does not have. */
  const walk = async (identities: readonly Identity[], wrongMethods = false) => {
    for (const app of [server.main, server.public!]) {
      for (const [path, routes] of Map.groupBy(routeTable(app), ({ path }) => path)) {
        for (const route of routes) {
          // Whoever asks, the answer is the same.
          const some = route.needsUser ? identities : identities.slice(0, 1)
          const all = [...requestsTo(route)]
          for (const asked of route.needsUser ? all : all.slice(0, 1)) {
            // Strangers are refused before anybody looks for the database.
            for (const identity of some.filter(({ modes }) => modes !== undefined || asked.db === undefined))
              check(route, asked, identity, await ask(server, app, asked, identity))
          }
        }
        const present = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
        for (const method of wrongMethods ? methods.filter(method => !present.includes(method)) : []) {
          const [asked] = requestsTo({ method, path })
          for (const identity of [strangers[0]!, strangers[1]!, readers[0]!]) {
            const { status } = await ask(server, app, asked!, identity)
            const isRefused = routes[0]!.needsUser && identity.modes === undefined
            if (isRefused ? !isRefusal(routes[0]!, status) : status !== 405)
              t.fail(`${asked!.what} as ${identity.name}: ${status}`)
          }
        }
      }
    }
  }
  const check = (
    route: Route,
    asked: Asked,
    identity: Identity,
    { status, body }: { status: number; body: string }
  ) => {
    const fail = (why: string) => t.fail(`${asked.what} as ${identity.name}: ${why}: ${status} ${body.slice(0, 200)}`)
    if (status >= 500 && status !== 501) fail('a defect')
    if (route.needsUser && !mayReadAll(identity) && body.includes('canary')) fail('tells what it must not')
    if (!route.needsUser) {
      if (status === 401) fail('needs no user')
      return
    }
    if (identity.modes === undefined) {
      if (!isRefusal(route, status)) fail('serves strangers')
    } else if (isForbidden(route, identity, asked.db)) {
      // A body of the wrong kind is refused before permissions are looked at.
      if (status === 403) refusedBy.add(`${route.method} ${route.path}`)
      else if (status < 400) fail('serves whom it must not')
    } else if (status === 401) fail('refuses a user')
    else if (status === 403 && route.action !== undefined && asked.db === 'a' && !route.path.startsWith('/v1/sql'))
      fail('refuses whom it should serve')
  }

  const before = await stateOf(server)
  await walk([...strangers, ...readers], true)
  t.strictSame(await stateOf(server), before, 'who may not write changes nothing')
  await walk(writers.slice(0, 2))
  const others = ({ definitions, rows }: Awaited<ReturnType<typeof stateOf>>) => ({
    definitions: definitions.filter(([name]) => name === 'b' || name === 'public'),
    rows: Object.fromEntries(Object.entries(rows).filter(([name]) => /^(b|public)\./.test(name)))
  })
  t.strictSame(others(await stateOf(server)), others(before), 'who may write to one database changes no other')
  await walk([...writers.slice(2), root])
  for (const app of [server.main, server.public!]) {
    for (const { method, path, action } of routeTable(app)) {
      if (action !== undefined) t.ok(refusedBy.has(`${method} ${path}`), `${method} ${path} refused somebody`)
    }
  }
})
