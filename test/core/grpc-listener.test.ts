// gRPC listeners: calls of real clients, invalid calls, authentication, limits, shutdown.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { type ClientHttp2Session, connect, constants, type OutgoingHttpHeaders } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import type { Test } from 'tap'
import t from 'tap'
import { Type } from 'typebox'
import { DbError, definePlugin, type GrpcCall, grpcOptions, pause } from '../../core/index.ts'
import { eventually } from '../eventually.ts'
import { startServer, temporaryFolder } from '../helpers.ts'
import { findProgram } from '../programs.ts'
import { slowness } from '../time.ts'

type Method = (call: GrpcCall) => Promise<Uint8Array>

const path = '/mine.v1.Echo/Call'

const plugin = (method: Method) =>
  definePlugin({
    name: 'mine',
    prefix: '/v1/mine',
    servers: [],
    config: Type.Object({ grpc: grpcOptions('', 'Calls.') }),
    listeners: (_, { grpc }) => [{ transport: 'grpc', name: 'grpc', options: grpc, methods: { [path]: method } }]
  })

const table = (more = '') => `[plugins.mine.grpc]\naddr = "127.0.0.1:0"\n${more}`

const echo: Method = async ({ message }) => message

async function serve(t: Test, method: Method, toml = table(), scheme = 'http', tls: object = {}) {
  const server = await startServer(t, toml, { plugins: [plugin(method)] })
  const { port } = server.listeners.get('mine.grpc')!
  const open = (options: object = tls): ClientHttp2Session => {
    const session = connect(`${scheme}://127.0.0.1:${port}`, options).on('error', () => {})
    t.teardown(() => session.destroy())
    return session
  }
  return { server, port, open, session: open() }
}

interface Reply {
  readonly status: number
  /** `grpc-status`; -1 where there was none. */
  readonly code: number
  readonly text: string
  readonly details: string
  readonly message: Buffer
  readonly reset: number
}

/** A message with its prefix. */
function framed(message: string | Buffer, flag = 0): Buffer {
  const bytes = Buffer.from(message)
  const prefix = Buffer.alloc(5)
  prefix[0] = flag
  prefix.writeUInt32BE(bytes.length, 1)
  return Buffer.concat([prefix, bytes])
}

function begin(session: ClientHttp2Session, headers: OutgoingHttpHeaders = {}) {
  return session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers
  })
}

function call(session: ClientHttp2Session, body: Buffer, headers: OutgoingHttpHeaders = {}): Promise<Reply> {
  const stream = begin(session, headers)
  stream.end(body)
  return replyOf(stream)
}

function replyOf(stream: ReturnType<typeof begin>): Promise<Reply> {
  const found: Record<string, unknown> = {}
  const parts: Buffer[] = []
  return new Promise(resolve => {
    const settle = () => {
      const body = Buffer.concat(parts)
      resolve({
        status: Number(found[':status'] ?? 0),
        code: Number(found['grpc-status'] ?? -1),
        text: decodeURIComponent(String(found['grpc-message'] ?? '')),
        details: Buffer.from(String(found['grpc-status-details-bin'] ?? ''), 'base64').toString('latin1'),
        message: body.subarray(5),
        reset: stream.rstCode
      })
    }
    stream
      .on('response', headers => Object.assign(found, headers))
      .on('trailers', headers => Object.assign(found, headers))
      .on('data', part => parts.push(part))
      .on('error', () => {})
      .on('close', settle)
  })
}

t.test('a message is answered by one, plain or compressed, cut anywhere', async t => {
  const { session, server } = await serve(t, async ({ message, headers, ctx }) =>
    Buffer.from(`${message} ${headers['x-own']} ${ctx.db} ${ctx.user.mode} ${ctx.address} ${ctx.timezone}`)
  )
  const plain = await call(session, framed('hello'), { 'x-own': 'a' })
  t.match(plain, { status: 200, code: 0, text: '' })
  t.equal(String(plain.message), 'hello a public wo 127.0.0.1 UTC')
  const zipped = await call(session, framed(gzipSync('zipped'), 1), {
    'grpc-encoding': 'gzip',
    'x-svc-db-name': 'other',
    'x-svc-timezone': '+02:00'
  })
  t.equal(String(zipped.message), 'zipped undefined other wo 127.0.0.1 +02:00')
  const zstd = await call(session, framed(zstdCompressSync(Buffer.from('zstd')), 1), { 'grpc-encoding': 'zstd' })
  t.match(String(zstd.message), /^zstd /)
  t.match(String((await call(session, framed('not compressed'), { 'grpc-encoding': 'gzip' })).message), /^not comp/)
  const stream = begin(session)
  const reply = replyOf(stream)
  for (const byte of framed('slow')) {
    stream.write(Buffer.of(byte))
    await pause(1)
  }
  stream.end()
  t.match(String((await reply).message), /^slow /)
  t.equal((await call(session, framed(''), {})).code, 0, 'a message may be empty')
  const metrics = await server.core.metrics.expose()
  t.match(metrics, `svc_listener_calls_total{plugin="mine",listener="grpc",method="${path}",status="0"} 6`)
  t.match(metrics, 'svc_listener_connections{plugin="mine",listener="grpc"} 1')
  t.match(metrics, /svc_listener_received_bytes_total\{plugin="mine",listener="grpc"\} [1-9]/)
})

t.test('a faulty call is answered with its status, and the connection goes on', async t => {
  const { session, server } = await serve(t, echo, table('max_message = 1000'))
  const wrong: readonly [string, Promise<Reply>, number, RegExp][] = [
    [
      'method',
      call(session, framed('x'), { ':path': '/mine.v1.Echo/Cal' }),
      12,
      /no method \/mine\.v1\.Echo\/Cal, there/
    ],
    ['type', call(session, framed('x'), { 'content-type': 'application/json' }), 3, /expected application\/grpc/],
    ['coding', call(session, framed('x', 1), { 'grpc-encoding': 'br' }), 12, /identity, gzip, deflate, zstd/],
    ['no coding', call(session, framed('x', 1)), 3, /grpc-encoding does not say how/],
    ['no gzip', call(session, framed('x', 1), { 'grpc-encoding': 'gzip' }), 3, /is not valid gzip/],
    ['nothing', call(session, Buffer.of()), 3, /ended after 0 bytes/],
    ['cut', call(session, framed('abc').subarray(0, 6)), 3, /after 1 of 3 bytes/],
    ['flag', call(session, framed('x', 7)), 3, /the byte 0 or 1, not 7/],
    ['two', call(session, Buffer.concat([framed('x'), framed('y')])), 12, /several messages/],
    ['large', call(session, framed(Buffer.alloc(1001))), 3, /larger than 1000 bytes \(max_message\)/],
    ['bomb', call(session, framed(gzipSync(Buffer.alloc(1e6)), 1), { 'grpc-encoding': 'gzip' }), 3, /max_message/],
    ['zone', call(session, framed('x'), { 'x-svc-timezone': 'Nowhere' }), 3, /unknown time zone Nowhere/],
    ['hint', call(session, framed('x'), { 'x-svc-hints': 'tll=1d' }), 3, /unknown hint tll/]
  ]
  for (const [name, reply, code, text] of wrong) {
    const found = await reply
    t.equal(found.code, code, `${name}: ${found.text}`)
    t.match(found.text, text, name)
    t.equal(found.details, '', 'no use to try again')
  }
  t.equal((await call(session, framed('still'))).code, 0)
  t.match(await server.core.metrics.expose(), /svc_refused_total\{plugin="mine",code="InvalidArguments"\} \d/)
  t.match(await server.core.metrics.expose(), 'method="unknown",status="12"} 1')
})

t.test('errors of a method: codes, when to try again, nothing of a defect', async t => {
  const errors: Record<string, () => unknown> = {
    limited: () => new DbError('RateLimited', 'später, 100% voll\n', { retryAfter: 7 }),
    away: () => new DbError('StorageUnavailable', 'no room'),
    read: () => new DbError('PermissionDenied', 'no'),
    defect: () => new TypeError('a secret of the server')
  }
  const { session } = await serve(t, async ({ message }) => {
    throw errors[String(message)]!()
  })
  const limited = await call(session, framed('limited'))
  t.match(limited, { status: 200, code: 8, text: 'später, 100% voll\n' })
  // Status{1 code, 2 message, 3 Any{1 type, 2 RetryInfo{1 Duration{1 seconds}}}}.
  t.match(limited.details, 'type.googleapis.com/google.rpc.RetryInfo\x12\x04\n\x02\x08\x07')
  t.match(await call(session, framed('away')), { code: 14, details: 'RetryInfo\x12\x04\n\x02\x08\x01' })
  t.match(await call(session, framed('read')), { code: 7, details: '' })
  t.match(await call(session, framed('defect')), { code: 13, text: 'Internal error: 1003', details: '' })
})

t.test('with users a call needs one who may write', async t => {
  const users = 'user_provider = "static_user_provider:cmd:all=a,reader:ro=r,writer:wo=w"\n'
  const { session } = await serve(t, async ({ ctx }) => Buffer.from(ctx.user.name), users + table())
  const as = (text: string) =>
    call(session, framed('x'), { authorization: `Basic ${Buffer.from(text).toString('base64')}` })
  t.match(await call(session, framed('x')), { code: 16 })
  t.match(await as('all:wrong'), { code: 16 })
  t.match(await as('reader:r'), { code: 7 })
  t.equal(String((await as('writer:w')).message), 'writer')
  t.equal(String((await as('all:a')).message), 'all')
})

t.test('a header that has one value is refused where a call brings two', async t => {
  const { session } = await serve(t, async ({ ctx }) => Buffer.from(ctx.db))
  const twice = await call(session, framed('x'), { 'x-svc-db-name': ['a', 'b'] })
  t.match(twice, { code: 3, text: /header x-svc-db-name may be sent once only/ })
  t.match(await call(session, framed('x'), { 'x-own': ['a', 'b'] }), { code: 0 })
})

t.test('a deadline ends a call, and so does its client', async t => {
  const ended: string[] = []
  let begun = 0
  const { session } = await serve(
    t,
    ({ ctx }) =>
      new Promise((_, reject) => {
        begun++
        ctx.signal.addEventListener('abort', () => {
          ended.push(ctx.signal.reason.code)
          reject(ctx.signal.reason)
        })
      })
  )
  t.match(await call(session, framed('x'), { 'grpc-timeout': '1S' }), { code: 4, text: /within 1000 ms/ })
  const stream = begin(session)
  stream.end(framed('x'))
  while (begun < 2) await pause(5)
  const reply = replyOf(stream)
  stream.close(constants.NGHTTP2_CANCEL)
  await reply
  await eventually(() => ended.length === 2)
  t.strictSame(ended, ['DeadlineExceeded', 'Cancelled'])
})

t.test('a message waits for room among the bodies of all requests', async t => {
  const go = Promise.withResolvers<void>()
  const top = 'max_in_flight_write_bytes = "1MiB"\nwrite_bytes_exhausted_policy = "wait(1s)"\n'
  const { session } = await serve(
    t,
    async () => {
      await go.promise
      return Buffer.of()
    },
    top + table()
  )
  const first = call(session, framed(Buffer.alloc(900_000)))
  await pause(200)
  const second = call(session, framed(Buffer.alloc(900_000)))
  await pause(200)
  go.resolve()
  t.match(await first, { code: 0 })
  t.match(await second, { code: 0 })
  t.match(await call(session, framed(Buffer.alloc(2_000_000))), { code: 8, details: /RetryInfo/ })
})

t.test('calls beyond max_calls wait at the client, connections beyond max_connections are dropped', async t => {
  let running = 0
  let most = 0
  const slow: Method = async () => {
    most = Math.max(most, ++running)
    await pause(30)
    running--
    return Buffer.of()
  }
  const { session, open, server } = await serve(t, slow, table('max_calls = 3\nmax_connections = 2'))
  await call(session, framed('x'))
  const replies = await Promise.all(Array.from({ length: 20 }, () => call(session, framed('x'))))
  t.ok(replies.every(({ code }) => code === 0))
  t.equal(most, 3)
  t.equal((await call(open(), framed('x'))).code, 0)
  t.equal((await call(open(), framed('x'))).code, -1, 'the third is closed')
  const dropped = 'svc_listener_dropped_total{plugin="mine",listener="grpc",reason="connections"} 1'
  t.match(await server.core.metrics.expose(), dropped)
})

t.test('silent connections and others than HTTP/2 are closed', async t => {
  const { session, port, server } = await serve(t, echo, table('idle_timeout = "300ms"'))
  await call(session, framed('x'))
  await new Promise(resolve => session.once('close', resolve))
  const socket = connectTcp(port, '127.0.0.1')
  const closed = new Promise(resolve => socket.on('error', () => {}).once('close', resolve))
  socket.resume().write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await closed
  t.match(await server.core.metrics.expose(), 'svc_refused_total{plugin="mine",code="InvalidArguments"} 1')
})

t.test('a stop lets calls end, within shutdown_grace', async t => {
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { session, server } = await serve(t, async ({ message }) => {
    first.resolve()
    await pause(300)
    return message
  })
  const running = call(session, framed('running'))
  await first.promise
  const away = new Promise(resolve => session.once('goaway', resolve))
  const stopped = server.close()
  await away
  t.equal(String((await running).message), 'running')
  await stopped

  const other = await serve(t, async ({ ctx }) => {
    second.resolve()
    await new Promise(resolve => ctx.signal.addEventListener('abort', resolve))
    return Buffer.of()
  })
  const stuck = call(other.session, framed('stuck'))
  await second.promise
  const start = performance.now()
  await other.server.close()
  t.ok(performance.now() - start < 5000 * slowness())
  await stuck
})

t.test('TLS, with certificates on both sides', async t => {
  const folder = temporaryFolder(t)
  const file = (name: string) => join(folder, name)
  for (const name of ['server', 'client']) {
    const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '9']
    const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1']
    const files = ['-keyout', file(`${name}.key`), '-out', file(`${name}.pem`)]
    execFileSync(findProgram('openssl')!, ['req', ...kind, ...subject, ...files], { stdio: 'pipe' })
  }
  const keys = `cert_path = "${file('server.pem')}"\nkey_path = "${file('server.key')}"\nclient_ca_path = "${file('client.pem')}"`
  const users = `user_provider = "static_user_provider:file:${file('users')}"\n`
  writeFileSync(file('users'), 'client:wo=certificate:\n')
  const read = (name: string) => readFileSync(file(name))
  const trust = { ca: read('server.pem') }
  const { session, open, server } = await serve(
    t,
    async ({ ctx }) => Buffer.from(ctx.user.name),
    users + table(keys),
    'https',
    { ...trust, cert: read('client.pem'), key: read('client.key') }
  )
  t.equal(String((await call(session, framed('x'))).message), 'client', 'the certificate says who it is')
  t.equal((await call(open(trust), framed('x'))).code, -1, 'nobody without a certificate')
  t.equal((await call(open({ ...trust, ALPNProtocols: ['http/1.1'] }), framed('x'))).code, -1)
  await server.close()
})
