import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { Type } from 'typebox'
import { type Core, DbError, definePlugin } from '../../../core/index.ts'
import type { RootLogger } from '../../../core/log/log.ts'
import { startServer } from '../../helpers.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')

/** What is logged of a second answer to a request. */
const warnings: unknown[] = []
const answeredTwice = Promise.withResolvers<void>()

const failing = definePlugin({
  name: 'failing',
  prefix: '/v1/failing',
  servers: ['main'],
  config: Type.Object({}),
  routes(app) {
    app.get('/known', async () => {
      throw new DbError('TableNotFound', 'Table not found: té\r\nx-evil: 1')
    })
    app.get('/defect', async () => {
      throw new TypeError('secret path /etc/passwd')
    })
    app.get('/masked', async () => {
      throw new DbError('Internal', 'secret detail')
    })
    app.get('/long', async () => {
      throw new DbError('TableNotFound', `no ${'x'.repeat(900_000)} beside "${'ab '.repeat(9_000)}" at line 1`)
    })
    app.get('/full', async () => {
      throw new DbError('StorageUnavailable', 'disk full', { retryAfter: 7 })
    })
    app.get('/stream', async () =>
      Readable.from(
        (async function* () {
          yield* []
          throw new DbError('EngineExecuteQuery', 'overflow')
        })()
      )
    )
    app.get('/trickle', async () =>
      Readable.from(
        (async function* () {
          yield 'early '
          await sleep(200)
          yield 'late'
        })()
      )
    )
    app.get('/slow', async () => {
      await sleep(400)
      return { late: true }
    })
    app.get('/stubborn', async (_request, reply) => {
      await sleep(100)
      reply.log = Object.assign(Object.create(reply.log), { warn: (given: unknown) => warnings.push(given) })
      reply.code(204).send()
      answeredTwice.resolve()
      return reply
    })
    app.get('/patient', { config: { timeLimit: false } }, async () => {
      await sleep(150)
      return { done: true }
    })
    app.get('/aborted', async request => {
      await new Promise(resolve => request.ctx.signal.addEventListener('abort', resolve))
      throw request.ctx.signal.reason
    })
    app.post('/slow', async ({ body }) => ({ length: (body as Buffer).length }))
    app.put('/items/:id', async () => ({}))
    app.get('/items/:id', async () => ({ found: true }))
    app.get('/items/special', async () => ({}))
  }
})

const shaped = definePlugin({
  name: 'shaped',
  prefix: '/v1/shaped',
  servers: ['main'],
  config: Type.Object({}),
  routes(app) {
    app.get('', async () => {
      throw new DbError('DatabaseNotFound', 'no such database')
    })
    app.get('/masked', async () => {
      throw new DbError('Internal', 'secret detail')
    })
    app.post('', async () => ({}))
  },
  formatError: error => ({ status: 418, contentType: 'text/x-mine', body: `${error.code}: ${error.message}` })
})

t.test('errors', async t => {
  const { main, addresses } = await startServer(t, '[http]\ntimeout = "100ms"', { plugins: [failing, shaped] })
  const get = (url: string, headers: Record<string, string> = {}) => main.inject({ url: `/v1/failing${url}`, headers })

  t.test('have one shape, with their code in the body and in headers', async t => {
    const response = await get('/known')
    t.equal(response.statusCode, 400)
    t.match(response.headers['content-type'], 'application/json')
    t.match(response.json(), { code: 4001, error: 'Table not found: té\r\nx-evil: 1', execution_time_ms: Number })
    t.equal(response.headers['x-svc-err-code'], '4001')
    t.match(response.headers['x-svc-err-msg'], /^error: Table not found: t\\u00e9 x-evil: 1, execution_time_ms: \d+$/)
    t.equal(response.headers['x-evil'], undefined)
  })

  t.test('show the beginning of long names, and the end that says where', async t => {
    const { error } = (await get('/long')).json<{ error: string }>()
    t.ok(error.startsWith(`no ${'x'.repeat(120)}… beside "ab ab `))
    t.match(error, /ab ab .*…[ab ]* ab " at line 1$/)
    t.ok(error.length < 10_000)
  })

  t.test('hide what only the log may say', async t => {
    for (const url of ['/defect', '/masked']) {
      const response = await get(url)
      t.equal(response.statusCode, 500)
      t.match(response.json(), { code: 1003, error: 'Internal error: 1003' })
      t.notMatch(JSON.stringify(response.headers), 'secret')
    }
    const response = await main.inject('/v1/shaped/masked')
    t.equal(response.body, 'Internal: Internal error: 1003', 'in the shape of a plugin too')
  })

  t.test('say when to come back', async t => {
    t.equal((await get('/full')).headers['retry-after'], '7')
  })

  t.test('of a stream that has not begun are answered', async t => {
    const response = await get('/stream')
    t.equal(response.statusCode, 500)
    t.match(response.json(), { code: 3001, error: 'overflow' })
  })

  t.test('take the shape of their plugin, also where its handler never ran', async t => {
    const response = await main.inject('/v1/shaped')
    t.equal(response.statusCode, 418)
    t.equal(response.headers['content-type'], 'text/x-mine')
    t.equal(response.body, 'DatabaseNotFound: no such database')
    t.equal(response.headers['x-svc-err-code'], '4004')
    const refused = await main.inject({
      method: 'POST',
      url: '/v1/shaped',
      payload: 'x',
      headers: { 'content-encoding': 'x-mystery' }
    })
    t.match(refused.body, /^Unsupported: content encoding mystery/)
  })

  t.test('of unknown paths are 404 as JSON', async t => {
    for (const url of ['/nowhere', '/v1/nowhere?password=hunter2', '/v10/failing', '/v1/failing/known/']) {
      const response = await main.inject(url)
      t.equal(response.statusCode, 404, url)
      t.match(response.json(), { code: 1001, error: `there is no ${url.split('?')[0]}` })
      t.notMatch(response.body, 'hunter2')
    }
    const malformed = await main.inject('/v1/%zz')
    t.equal(malformed.statusCode, 400)
    t.match(malformed.json(), { code: 1004, error: /%zz/, execution_time_ms: Number })
  })

  t.test('of known paths with another method are 405 and name the methods', async t => {
    const cases: [string, string, string][] = [
      ['POST', '/v1/failing/known', 'GET, HEAD'],
      ['DELETE', '/v1/failing/items/7', 'PUT, GET, HEAD'],
      ['PUT', '/v1/failing/items/special', 'GET, HEAD'],
      ['OPTIONS', '/v1/failing/known', 'GET, HEAD'],
      ['PUT', '/v1/health', 'GET, POST, HEAD']
    ]
    for (const [method, url, allow] of cases) {
      const response = await main.inject({ method: method as 'GET', url })
      t.equal(response.statusCode, 405, `${method} ${url}`)
      t.equal(response.headers.allow, allow)
    }
  })

  t.test('HEAD answers like GET without a body', async t => {
    const response = await main.inject({ method: 'HEAD', url: '/v1/failing/items/7' })
    t.equal(response.statusCode, 200)
    t.equal(response.body, '')
    t.equal(response.headers['content-length'], '14')
  })

  t.test('of time: 408 as JSON after http.timeout, and the handler sees its signal', async t => {
    for (const url of ['/slow', '/aborted']) {
      const response = await get(url)
      t.equal(response.statusCode, 408, url)
      t.match(response.json(), { code: 1008, error: 'no answer within 100 ms (http.timeout or header x-svc-timeout)' })
    }
    t.equal((await get('/patient')).statusCode, 200, 'routes may be exempt')
  })

  t.test('of time: an answer that has begun may take as long as it likes', async t => {
    const response = await fetch(`${addresses.main}/v1/failing/trickle`)
    t.equal(await response.text(), 'early late')
  })

  t.test('of time: x-svc-timeout wins over the configuration', async t => {
    t.equal((await get('/slow', { 'x-svc-timeout': '1m' })).statusCode, 200)
    t.equal((await get('/slow', { 'x-svc-timeout': '0s' })).statusCode, 200)
    t.equal((await get('/patient', { 'x-svc-timeout': '20ms' })).statusCode, 408)
    t.equal((await get('/patient', { 'x-svc-timeout': '90years' })).statusCode, 200)
    t.equal((await get('/patient', { 'x-svc-timeout': 'soon' })).statusCode, 200, 'unreadable: as if absent')
  })

  t.test('of time: a body that does not come is given up', async t => {
    const body = new ReadableStream({ start: controller => controller.enqueue(new Uint8Array(10)) })
    const init = { method: 'POST', body, duplex: 'half' } as RequestInit
    const response = await fetch(`${addresses.main}/v1/failing/slow`, init)
    t.equal(response.status, 408)
  })
})

t.test('x-svc-timeout counts without http.timeout too', async t => {
  const { main } = await startServer(t, '[http]\ntimeout = "0s"', { plugins: [failing] })
  const response = await main.inject({ url: '/v1/failing/slow', headers: { 'x-svc-timeout': '20ms' } })
  t.equal(response.statusCode, 408)
})

t.test('a handler that answers after its time does no harm, and nothing is logged of it', async t => {
  const { main } = await startServer(t, '', { plugins: [failing] })
  const response = await main.inject({ url: '/v1/failing/stubborn', headers: { 'x-svc-timeout': '20ms' } })
  t.equal(response.statusCode, 408)
  await answeredTwice.promise
  t.strictSame(warnings, [])
})

t.test('a client that goes away ends its request', async t => {
  const began = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<unknown>()
  const waiting = definePlugin({
    name: 'waiting',
    prefix: '/v1/waiting',
    servers: ['main'],
    config: Type.Object({}),
    routes(app) {
      app.get('', request => {
        return new Promise((_, reject) => {
          request.ctx.signal.addEventListener('abort', () => {
            ended.resolve(request.ctx.signal.reason)
            reject(request.ctx.signal.reason)
          })
          began.resolve()
        })
      })
    }
  })
  const { addresses } = await startServer(t, '', { plugins: [waiting] })
  const controller = new AbortController()
  const request = fetch(`${addresses.main}/v1/waiting`, { signal: controller.signal })
  void began.promise.then(() => controller.abort())
  await t.rejects(request)
  t.match(await ended.promise, { code: 'Cancelled' })
})

t.test('a client learns no folder of the server, whatever fails', async t => {
  const told = definePlugin({
    name: 'told',
    prefix: '/v1/told',
    servers: ['main'],
    config: Type.Object({}),
    routes(app) {
      const { storage, wal, logging } = app.core.config
      for (const [name, folder] of Object.entries({
        data: storage.data_home,
        wal: wal.dir,
        log: logging.dir,
        own: root
      }))
        app.get(`/${name}`, async () => {
          throw new DbError('StorageUnavailable', `cannot write "${folder}/a/b.parquet"`)
        })
    },
    formatError: ({ message, status }) => ({ status, contentType: 'text/plain', body: message })
  })
  const server = await startServer(t, '', { plugins: [told] })
  const expected = { data: '{storage.data_home}', wal: '{wal.dir}', log: '{logging.dir}', own: '{program}' }
  for (const [name, folder] of Object.entries(expected)) {
    const { body, headers } = await server.main.inject(`/v1/told/${name}`)
    t.equal(body, `cannot write "${folder}/a/b.parquet"`)
    t.notMatch(String(headers['x-svc-err-msg']), server.folder)
  }
})

t.test('errors tell no stored value to a user without read permission', async t => {
  const users = 'user_provider = "static_user_provider:cmd:all=a,reader:ro=r,writer:wo=w"\n'
  const server = await startServer(t, users)
  const ask = async (sql: string, user: string) => {
    const headers = { authorization: `Basic ${Buffer.from(user).toString('base64')}` }
    const { body } = await server.main.inject({ url: `/v1/sql?${new URLSearchParams({ sql })}`, headers })
    return body
  }
  await ask('CREATE TABLE s (ts TIMESTAMP TIME INDEX, word STRING, big BIGINT)', 'all:a')
  await ask("INSERT INTO s VALUES (1, 'swordfish', 9007199254740993)", 'all:a')
  const statements = [
    'DELETE FROM s WHERE error(word)',
    'DELETE FROM s WHERE cast(word AS BIGINT) = 1',
    "DELETE FROM s WHERE word = 'swordfish'",
    'DELETE FROM s WHERE cast(big AS TINYINT) = 1',
    'ALTER TABLE s MODIFY COLUMN word BIGINT',
    'ALTER TABLE s MODIFY COLUMN big TINYINT',
    'INSERT INTO s SELECT ts, cast(cast(word AS BIGINT) AS STRING), 1 FROM s',
    'INSERT INTO s VALUES (2, (SELECT error(word) FROM s), 1)',
    'CREATE VIEW v AS SELECT cast(word AS BIGINT) FROM s',
    "COPY s TO 'x.csv'",
    'SELECT cast(word AS BIGINT) FROM s',
    'EXPLAIN ANALYZE SELECT cast(word AS BIGINT) FROM s'
  ]
  for (const sql of statements) t.notMatch(await ask(sql, 'writer:w'), /swordfish|9007199254740993/, sql)
  t.match(await ask('SELECT cast(word AS BIGINT) FROM s', 'reader:r'), /swordfish/, 'who may read is told')
  t.match(await ask("SELECT count(*) AS n FROM s WHERE word = 'swordfish'", 'all:a'), '"rows":[[1]]', 'nothing is gone')
})

t.test('a plugin may have a route of its prefix with and without the slash', async t => {
  const plugin = definePlugin({
    name: 'rooted',
    prefix: '/v1/rooted',
    servers: ['main'],
    config: Type.Object({}),
    routes(app) {
      app.get('/', async () => ({ ok: true }))
      app.put('/:name', async () => ({ ok: true }))
    }
  })
  const { main } = await startServer(t, '', { plugins: [plugin] })
  for (const url of ['/v1/rooted', '/v1/rooted/']) {
    t.equal((await main.inject(url)).statusCode, 200)
    t.equal((await main.inject({ method: 'HEAD', url })).statusCode, 200)
    const other = await main.inject({ method: 'POST', url })
    t.match([other.statusCode, other.headers.allow], [405, /GET/], url)
  }
  t.equal((await main.inject({ method: 'GET', url: '/v1/rooted/x' })).headers.allow, 'PUT')
})

t.test('long paths and messages are cut in the log: nobody fills it without a password', async t => {
  const { main } = await startServer(t)
  const log = main.getDecorator<Core>('core').log as RootLogger
  const lines: string[] = []
  const end = log.listen(line => void lines.push(line))
  const response = await main.inject(`/${'x'.repeat(30_000)}`)
  end()
  t.equal(response.statusCode, 404)
  const told = lines.filter(line => line.includes('xxxx'))
  t.equal(told.length, 1)
  t.ok(told[0]!.length < 1_500, `${told[0]!.length} characters`)
})
