// Clients that send a body a byte at a time, or stop in its midst: on every route that takes a body, of both servers.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { routeTable } from '../../../core/server.ts'
import { eventually } from '../../eventually.ts'
import { startServer } from '../../helpers.ts'

const types = [
  'application/json',
  'application/x-ndjson',
  'application/x-protobuf',
  'application/x-www-form-urlencoded',
  'application/yaml',
  'text/plain'
]

/** Ends with its test; `name` says what it asks for. */
interface SlowClient {
  readonly name: string
  readonly socket: Socket
  /** The first line of the answer; '' before it came. */
  answer(): string
}

async function startSlow(
  t: Test,
  url: string,
  path: string,
  method: string,
  type: string,
  chunked: boolean,
  timeout?: string
) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => {})
  t.teardown(() => socket.destroy())
  let answer = ''
  socket.on('data', data => {
    answer ||= String(data).split('\r\n')[0]!
  })
  await once(socket, 'connect')
  const length = chunked ? 'transfer-encoding: chunked' : `content-length: ${60 << 20}`
  const asked = timeout === undefined ? '' : `x-svc-timeout: ${timeout}\r\n`
  const snappy = type === 'application/x-protobuf' ? 'content-encoding: snappy\r\n' : ''
  socket.write(
    `${method} ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${type}\r\n${snappy}${asked}${length}\r\n\r\n`
  )
  socket.write(chunked ? '8\r\n{"a":[1,\r\n' : '{"a":[1,')
  return { name: `${method} ${path} ${type}${chunked ? ' in chunks' : ''}`, socket, answer: () => answer }
}

t.test('a slow body ends with the time of its request, holds no room, and stops no writer', async t => {
  const server = await startServer(
    t,
    'max_in_flight_write_bytes = "1MiB"\n[http]\ntimeout = "3s"\nenable_api_server = true\nmax_connections = 10000\n'
  )
  const { main: mainUrl, public: publicUrl } = server.addresses
  const clients: SlowClient[] = []
  for (const [app, url] of [
    [server.main, mainUrl],
    [server.public, publicUrl]
  ] as const) {
    for (const { method, path } of routeTable(app!)) {
      if (['GET', 'HEAD', 'OPTIONS'].includes(method)) continue
      for (const [i, type] of types.entries())
        clients.push(await startSlow(t, url!, path.replace(/:\w+|\*/g, 'x'), method, type, i % 2 === 1))
    }
  }
  t.ok(clients.length > 400, `${clients.length} slow clients`)
  // Half of them go on a byte at a time, the others stop.
  const drip = setInterval(() => {
    for (const [i, { name, socket }] of clients.entries())
      if (i % 4 < 2 && socket.writable) socket.write(name.endsWith('in chunks') ? '1\r\n1\r\n' : '1')
  }, 200)
  t.teardown(() => clearInterval(drip))
  const written = async (i: number) => {
    const url = `${mainUrl}/v1/lineproto/write?precision=ms`
    const { status } = await fetch(url, { method: 'POST', body: `honest v=${i} ${1_700_000_000_000 + i}\n` })
    return status
  }
  for (let i = 0; i < 20; i++) {
    t.equal(await written(i), 204, 'an honest write')
    await pause(50)
  }
  const unanswered = () => clients.filter(({ answer }) => answer() === '').map(({ name }) => name)
  await eventually(unanswered, left => left.length === 0, 500).catch(() => {})
  t.strictSame(unanswered(), [], 'all are answered within the time of a request')
  const refused = /^HTTP\/1\.1 (40[0-9]|41[0-9]|422|429|503|504) /
  t.strictSame(
    clients.filter(({ answer }) => !refused.test(answer())).map(each => `${each.name}: ${each.answer()}`),
    []
  )
  const held = async () => (await server.main.inject('/metrics')).body
  await eventually(held, text => text.includes('svc_servers_request_memory_in_use_bytes 0\n'))
})

t.test('a client cannot lengthen the time for its body, only for the answer', async t => {
  const server = await startServer(t, '[http]\ntimeout = "500ms"\n')
  const { main: url } = server.addresses
  const started = await Promise.all(
    ['600s', '0s', '100ms'].map(timeout =>
      startSlow(t, url, '/v1/lineproto/write', 'POST', 'text/plain', false, timeout)
    )
  )
  const answers = () => started.map(({ answer }) => answer().slice(0, 12))
  const refused = Array(3).fill('HTTP/1.1 408')
  await eventually(answers, found => found.every(each => each !== ''), 100).catch(() => {})
  t.strictSame(answers(), refused)
  const sql = encodeURIComponent('SELECT count(*) FROM range(60000) a, range(60000) b')
  const answer = await fetch(`${url}/v1/sql?sql=${sql}`, { headers: { 'x-svc-timeout': '60s' } })
  t.equal(answer.status, 200, 'an answer may take longer')
})
