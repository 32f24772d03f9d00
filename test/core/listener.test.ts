// Listeners of plugins: what arrives reaches the plugin, is limited, and is processed before the server closes.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { parse } from 'smol-toml'
import t from 'tap'
import { Type } from 'typebox'
import {
  type Connection,
  type Datagram,
  DbError,
  definePlugin,
  flag,
  Pace,
  pause,
  type RequestContext,
  tcpOptions,
  udpOptions
} from '../../core/index.ts'
import { eventually } from '../eventually.ts'
import { startServer } from '../helpers.ts'

interface Handlers {
  serve?(connection: Connection): Promise<void>
  receive?(datagrams: readonly Datagram[], ctx: RequestContext): Promise<void>
}

const plugin = ({ serve = async () => {}, receive = async () => {} }: Handlers) =>
  definePlugin({
    name: 'mine',
    prefix: '/v1/mine',
    servers: [],
    config: Type.Object({ tcp: tcpOptions('', 'In streams.'), udp: udpOptions('', 'In datagrams.') }),
    listeners: (_, { tcp, udp }) => [
      { transport: 'tcp', name: 'tcp', options: tcp, serve },
      { transport: 'udp', name: 'udp', options: udp, receive }
    ]
  })

const tcp = (more = '') => `[plugins.mine.tcp]\naddr = "127.0.0.1:0"\n${more}`
const udp = (more = '') => `[plugins.mine.udp]\naddr = "127.0.0.1:0"\n${more}`

/** Echoes each chunk. */
const echo: Handlers = {
  async serve({ chunks, write }) {
    for await (const chunk of chunks()) await write(chunk)
  }
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** All that comes until the other end closes. */
async function rest(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('utf8')
  for await (const piece of socket) text += piece
  return text
}

t.test('a connection is read and answered; the port is the one that was taken', async t => {
  const server = await startServer(t, tcp(), { plugins: [plugin(echo)] })
  const { host, port } = server.listeners.get('mine.tcp')!
  t.equal(host, '127.0.0.1')
  t.equal(server.listeners.size, 1, 'a listener without an address is off')
  const socket = await open(port)
  socket.end('hello')
  t.equal(await rest(socket), 'hello')
  t.match(await server.core.metrics.expose(), /svc_listener_received_bytes_total\{plugin="mine",listener="tcp"\} 5/)
})

t.test('nothing is read while the plugin is at work', async t => {
  const go = Promise.withResolvers<void>()
  const server = await startServer(t, tcp(), {
    plugins: [
      plugin({
        async serve({ chunks }) {
          for await (const _ of chunks()) await go.promise
        }
      })
    ]
  })
  const socket = await open(server.listeners.get('mine.tcp')!.port)
  const large = Buffer.alloc(1 << 20)
  let isFull = false
  for (let sent = 0; sent < 64 && !isFull; sent++) {
    isFull = await new Promise<boolean>(resolve => {
      const wait = setTimeout(() => resolve(true), 1000)
      socket.write(large, () => {
        clearTimeout(wait)
        resolve(false)
      })
    })
  }
  t.ok(isFull, 'the sender waits')
  go.resolve()
  socket.destroy()
})

t.test('an error of a plugin ends the connection, and is counted; the next is served', async t => {
  const server = await startServer(t, tcp(), {
    plugins: [
      plugin({
        async serve({ chunks, write }) {
          for await (const chunk of chunks()) {
            if (chunk.includes('bad')) throw new DbError('InvalidSyntax', 'no')
            if (chunk.includes('defect')) throw new TypeError('a defect')
            await write('ok')
          }
        }
      })
    ]
  })
  const { port } = server.listeners.get('mine.tcp')!
  for (const text of ['bad', 'defect']) {
    const socket = await open(port)
    socket.write(text)
    t.equal(await rest(socket), '')
  }
  const socket = await open(port)
  socket.end('good')
  t.equal(await rest(socket), 'ok')
  const metrics = await server.core.metrics.expose()
  t.match(metrics, 'svc_refused_total{plugin="mine",code="InvalidSyntax"} 1')
  t.match(metrics, 'svc_refused_total{plugin="mine",code="Internal"} 1')
})

t.test('connections beyond the limit are closed and counted, silent ones are closed', async t => {
  const server = await startServer(t, tcp('max_connections = 2\nidle_timeout = "300ms"'), { plugins: [plugin(echo)] })
  const { port } = server.listeners.get('mine.tcp')!
  const sockets = [await open(port), await open(port)]
  const extra = await open(port).catch(() => undefined)
  if (extra !== undefined) t.equal(await rest(extra).catch(() => ''), '')
  const metrics = await server.core.metrics.expose()
  t.match(metrics, 'svc_listener_dropped_total{plugin="mine",listener="tcp",reason="connections"} 1')
  await Promise.all(sockets.map(socket => rest(socket).catch(() => '')))
  const none = 'svc_listener_connections{plugin="mine",listener="tcp"} 0'
  while (!(await server.core.metrics.expose()).includes(none)) await pause(20)
})

t.test('a stop lets what has arrived be finished, and waits no longer than shutdown_grace', async t => {
  const seen: string[] = []
  const server = await startServer(t, tcp() + udp(), {
    plugins: [
      plugin({
        async serve({ chunks, write }) {
          for await (const chunk of chunks()) {
            await pause(300)
            seen.push(String(chunk))
            await write('stored')
          }
        },
        async receive(datagrams) {
          await pause(300)
          seen.push(...datagrams.map(({ data }) => String(data)))
        }
      })
    ]
  })
  const socket = await open(server.listeners.get('mine.tcp')!.port)
  socket.write('a line')
  const sender = createSocket('udp4')
  sender.send('a datagram', server.listeners.get('mine.udp')!.port, '127.0.0.1')
  await pause(100)
  sender.close()
  await server.close()
  t.strictSame(seen.sort(), ['a datagram', 'a line'])
  t.equal(await rest(socket), 'stored')

  let ended = false
  const stuck = await startServer(t, tcp(), {
    plugins: [
      plugin({
        async serve({ chunks, ctx }) {
          for await (const _ of chunks())
            await new Promise<void>(resolve => {
              ctx.signal.addEventListener('abort', () => {
                ended = true
                resolve()
              })
            })
        }
      })
    ]
  })
  const other = await open(stuck.listeners.get('mine.tcp')!.port)
  other.write('x')
  await pause(100)
  await stuck.close()
  t.ok(ended, 'the signal fires when the grace is over')
})

t.test('datagrams beyond the queue are dropped, counted, and seen in the status', async t => {
  const go = Promise.withResolvers<void>()
  const server = await startServer(t, udp('max_queue = "64KiB"'), {
    plugins: [plugin({ receive: () => go.promise })]
  })
  const sender = createSocket('udp4')
  const { port } = server.listeners.get('mine.udp')!
  const dropped = /svc_listener_dropped_total\{plugin="mine",listener="udp",reason="queue"\} [1-9]/
  await eventually(async () => {
    for (let j = 0; j < 20; j++) sender.send(Buffer.alloc(4096), port, '127.0.0.1')
    return dropped.test(await server.core.metrics.expose())
  })
  const status = async () =>
    (await server.main.inject('/status')).json().plugins.find((each: { name: string }) => each.name === 'mine')
  t.match(await status(), {
    state: 'ok',
    components: [{ component: 'udp', state: 'degraded', reason: /are dropped/, since: /^\d{4}/ }]
  })
  t.match((await server.main.inject('/ready')).json(), { components: [{ plugin: 'mine', component: 'udp' }] })
  t.match(await server.core.metrics.expose(), 'svc_plugin_status{plugin="mine",component="udp",state="degraded"} 1')
  go.resolve()
  sender.close()
  while ((await status()).components[0].state !== 'ok') await pause(20)
  t.strictSame((await server.main.inject('/ready')).json(), {})
})

t.test('an address that is taken stops the start, and is named with its key', async t => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.teardown(() => taken.close())
  const { port } = taken.address() as { port: number }
  const toml = `[plugins.mine.tcp]\naddr = "127.0.0.1:${port}"\n`
  await t.rejects(startServer(t, toml, { plugins: [plugin(echo)] }), {
    message: new RegExp(
      `plugin mine cannot start.*127.0.0.1:${port} \\(plugins.mine.tcp.addr\\): the address is already in use`
    )
  })
  await t.rejects(startServer(t, '[plugins.mine.tcp]\naddr = "514"\n', { plugins: [plugin(echo)] }), {
    message: /plugins\.mine\.tcp\.addr: expected host:port/
  })
  await t.rejects(startServer(t, tcp('cert_path = "/no/such.pem"'), { plugins: [plugin(echo)] }), {
    message: /plugins\.mine\.tcp\.cert_path: cannot read/
  })
})

t.test('a plugin may run several times, each with options, services and routes of its own', async t => {
  const counted = definePlugin({
    name: 'counted',
    prefix: '/v1/counted',
    servers: ['main'],
    config: Type.Object({ start: Type.Integer({ default: 0 }), tcp: tcpOptions('', 'In streams.') }),
    setup: (_, { start }) => ({ value: start }),
    routes(app) {
      app.get('', { config: { action: 'read' } }, async () => ({ value: app.services.counted.value++ }))
    },
    listeners: (_, { tcp }, service) => [
      { transport: 'tcp', name: 'tcp', options: tcp, serve: ({ write }) => write(String(service.value)) }
    ]
  })
  const toml = `[plugins."counted/edge"]\nstart = 100\n[plugins."counted/edge".tcp]\naddr = "127.0.0.1:0"\n`
  const server = await startServer(t, toml, { plugins: [counted] })
  const get = async (url: string) => (await server.main.inject(url)).json().value
  t.strictSame([await get('/v1/counted'), await get('/v1/counted/edge'), await get('/v1/counted')], [0, 100, 1])
  const socket = await open(server.listeners.get('counted/edge.tcp')!.port)
  t.equal(await rest(socket), '101')
  t.match(await server.core.metrics.expose(), /svc_servers_http_requests_total\{[^}]*plugin="counted\/edge"/)
  const { body } = await server.main.inject('/config')
  t.match(parse(body), { plugins: { 'counted/edge': { start: 100 } } }, 'the printed configuration can be read')
  await t.rejects(startServer(t, '[plugins."counted/a b"]', { plugins: [counted] }), { message: /expected a word/ })
})

t.test('an instance of a plugin logs under its own name', async t => {
  const told: string[] = []
  const forward = definePlugin({
    name: 'forward',
    prefix: '/v1/forward',
    servers: ['main'],
    config: Type.Object({ up: flag(true, 'Whether the receiver answers.') }),
    setup(core, { up }) {
      core.report({
        component: 'receiver',
        ...(up ? { state: 'ok' } : { state: 'degraded', reason: 'nobody answers' })
      })
      if (!up) core.refused(new DbError('InvalidArguments', 'no'))
      told.push(`${core.plugin} ${core.context().plugin}`)
    },
    routes(app) {
      app.get('', { config: { public: true } }, async () => app.core.plugin)
    }
  })
  const server = await startServer(t, '[plugins."forward/b"]\nup = false\n', { plugins: [forward] })
  t.strictSame(told, ['forward forward', 'forward/b forward/b'])
  t.strictSame(
    server.core.components
      .list()
      .filter(({ component }) => component === 'receiver')
      .map(({ plugin, state }) => [plugin, state]),
    [
      ['forward', 'ok'],
      ['forward/b', 'degraded']
    ]
  )
  t.match(await server.core.metrics.expose(), 'svc_refused_total{plugin="forward/b",code="InvalidArguments"} 1')
  const answers = ['/v1/forward', '/v1/forward/b'].map(async url => (await server.main.inject(url)).body)
  t.strictSame(await Promise.all(answers), ['forward', 'forward/b'])
  t.notOk((await server.main.inject('/ready')).body.includes('"forward"'), 'the one that is well is not named')
})

t.test('each message that arrives is a piece of work of its own: long work does not go before it', async t => {
  const stop = new AbortController()
  let steps = 0
  const long = async () => {
    const pace = new Pace(new AbortController())
    while (!stop.signal.aborted) {
      for (const end = performance.now() + 3; performance.now() < end; );
      steps++
      if (pace.isDue) await pace.pause()
    }
  }
  /** Steps of long work before each message. */
  const before: number[] = []
  const work = async (ctx: RequestContext) => {
    const at = steps
    await new Pace(ctx).pause()
    before.push(steps - at)
  }
  const handlers: Handlers = {
    async serve({ chunks, ctx }) {
      for await (const _ of chunks()) await work(ctx)
    },
    receive: (_, ctx) => work(ctx)
  }
  const { listeners } = await startServer(t, tcp() + udp(), { plugins: [plugin(handlers)] })
  const stream = await open(listeners.get('mine.tcp')!.port)
  const datagrams = createSocket('udp4')
  t.teardown(() => datagrams.close())
  const running = Array.from({ length: 20 }, long)
  // By then each of them had several turns.
  await eventually(async () => steps > 300)
  const { port } = listeners.get('mine.udp')!
  const transports = [() => stream.write('x'), () => datagrams.send('x', port, '127.0.0.1')]
  for (const send of transports)
    for (let i = 0; i < 8; i++) {
      const count = before.length
      send()
      await eventually(async () => before.length > count)
    }
  stop.abort()
  await Promise.all(running)
  stream.end()
  t.ok(Math.max(...before) <= 12, `${before.join()} steps of 3 ms before messages`)
})
