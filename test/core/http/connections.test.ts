import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { eventually } from '../../eventually.ts'
import { startServer, type TestServer } from '../../helpers.ts'

async function open(t: Test, { addresses }: TestServer): Promise<Socket> {
  const socket = connect(Number(new URL(addresses.main).port), '127.0.0.1')
  socket.on('error', () => {})
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  socket.resume()
  return socket
}

const ask = (socket: Socket) => socket.write('GET /v1/health HTTP/1.1\r\nhost: localhost\r\n\r\n')

t.test('a connection that asks nothing is closed, before its first request and between two', async t => {
  const server = await startServer(t, '[http]\nkeep_alive_timeout = "400ms"')
  const [silent, idle] = await Promise.all([open(t, server), open(t, server)])
  ask(idle)
  await Promise.all([silent, idle].map(socket => once(socket, 'close')))
  const metrics = async () => (await server.main.inject('/metrics')).body
  t.match(await metrics(), 'svc_servers_connections_silent_total{server="main"} 1')
  // The server notices a little later that the client has disconnected.
  while (!(await metrics()).includes('svc_servers_connections{server="main"} 0')) await sleep(20)
})

t.test('a connection on which the rest of an answered body goes on for ever is closed', async t => {
  const server = await startServer(t, '[http]\ntimeout = "300ms"\nkeep_alive_timeout = "400ms"')
  const slow = await open(t, server)
  slow.write('POST /v1/lineproto/write HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000000\r\n\r\n')
  const drip = setInterval(() => slow.write('x'), 50)
  t.teardown(() => clearInterval(drip))
  const closed = once(slow, 'close')
  const [answer] = await once(slow, 'data')
  t.match(String(answer), /^HTTP\/1\.1 408 /)
  await closed
  t.match((await server.main.inject('/metrics')).body, 'svc_servers_connections_silent_total{server="main"} 1')
})

t.test('the rest of a body that was answered early may come', async t => {
  const server = await startServer(t, '[http]\nkeep_alive_timeout = "2s"\nbody_limit = "1KiB"')
  const client = await open(t, server)
  client.write('POST /v1/lineproto/write HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2000\r\n\r\n')
  const [refused] = await once(client, 'data')
  t.match(String(refused), /^HTTP\/1\.1 413 /)
  client.write('x'.repeat(2000))
  for (const end = performance.now() + 3_000; performance.now() < end; await sleep(500)) {
    const answer = once(client, 'data')
    ask(client)
    t.match(String(await answer), /^HTTP\/1\.1 200 /)
  }
  t.notOk(client.destroyed)
})

t.test('a stopping server waits for answers, not for connections on which nothing is to be answered', async t => {
  const server = await startServer(t, '[http]\nkeep_alive_timeout = "10m"')
  const [silent, part, idle, again, busy] = await Promise.all(Array.from({ length: 5 }, () => open(t, server)))
  part!.write('POST /v1/ingest HTTP/1.1\r\nhost: local')
  for (const socket of [idle!, again!]) {
    const answer = once(socket, 'data')
    ask(socket)
    await answer
  }
  again!.write('GET /v1/hea')
  const sql = 'SELECT count(*) FROM range(1000000) a, range(1000000) b'
  busy!.write(`GET /v1/sql?${new URLSearchParams({ sql })} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
  const metrics = async () => (await server.main.inject('/metrics')).body
  await eventually(async () => /^svc_query_running(\{.*\})? [1-9]/m.test(await metrics()))
  const closed = [silent, part, idle, again].map(socket => new Promise(resolve => socket!.once('close', resolve)))
  const end = server.close()
  await Promise.all(closed)
  t.notOk(busy!.destroyed, 'it has the grace that is configured')
  await end
})

t.test('a connection that is used stays', async t => {
  const server = await startServer(t, '[http]\nkeep_alive_timeout = "2s"')
  const busy = await open(t, server)
  for (const end = performance.now() + 3_000; performance.now() < end; await sleep(100)) {
    const answer = once(busy, 'data')
    ask(busy)
    await answer
  }
  t.notOk(busy.destroyed)
})

t.test('connections beyond the limit are closed and counted; those that were there go on', async t => {
  const server = await startServer(t, '[http]\nmax_connections = 3')
  const kept = await Promise.all([open(t, server), open(t, server), open(t, server)])
  const further = await open(t, server)
  await once(further, 'close')
  const answer = once(kept[0]!, 'data')
  ask(kept[0]!)
  t.match(String((await answer)[0]), '200 OK')
  const { body } = await server.main.inject('/metrics')
  t.match(body, 'svc_servers_connections{server="main"} 3')
  t.match(body, 'svc_servers_connections_dropped_total{server="main"} 1')
  kept[1]!.destroy()
  const metrics = async () => (await server.main.inject('/metrics')).body
  await eventually(async () => (await metrics()).includes('svc_servers_connections{server="main"} 2'))
  const next = await open(t, server)
  const another = once(next, 'data')
  ask(next)
  t.match(String((await another)[0]), '200 OK', 'there is room again')
})

t.test('localhost is one address: limits of connections hold for all of them', async t => {
  const server = await startServer(t, '[http]\naddr = "localhost:0"\nmax_connections = 1')
  t.strictSame(
    server.main.addresses().map(each => (each as AddressInfo).address),
    ['127.0.0.1']
  )
  const first = await open(t, server)
  const beyond = await open(t, server)
  await once(beyond, 'close')
  t.notOk(first.destroyed)
})

t.test('a connection whose answer is not read is closed; one that waits for its answer is not', async t => {
  const server = await startServer(t, '[http]\nunread_timeout = "400ms"\ntimeout = "10m"\nkeep_alive_timeout = "10m"')
  const get = (sql: string) =>
    `GET /v1/sql?${new URLSearchParams({ sql, format: 'csv' })} HTTP/1.1\r\nhost: localhost\r\n\r\n`
  const [unread, slow, idle] = await Promise.all([open(t, server), open(t, server), open(t, server)])
  unread.pause()
  unread.write(get("SELECT repeat('x', 1000) FROM range(1000000)"))
  const counted = 'SELECT count(*) AS found FROM range(20000) a(i), range(20000) b(j) WHERE (i * j) % 7 = 11'
  slow.write(get(counted))
  let answer = ''
  slow.on('data', data => {
    answer += data
  })
  const metrics = async () => (await server.main.inject('/metrics')).body
  while (!(await metrics()).includes('svc_servers_connections_unread_total{server="main"} 1')) await sleep(20)
  while (!answer.includes('\n0')) await sleep(20)
  t.notOk(idle.destroyed, 'before its first request another limit holds')
  t.match(await metrics(), 'svc_servers_connections_unread_total{server="main"} 1')
})

t.test('a request whose headers are larger than http.max_header_size is refused with 431', async t => {
  const server = await startServer(t, '[http]\nmax_header_size = "8KiB"')
  const status = async (bytes: number) => {
    const { status } = await fetch(new URL('/v1/health', server.addresses.main), { headers: { x: 'a'.repeat(bytes) } })
    return status
  }
  t.equal(await status(7_000), 200)
  t.equal(await status(8_500), 431)
  const usual = await startServer(t)
  const { status: long } = await fetch(new URL('/v1/health', usual.addresses.main), {
    headers: { x: 'a'.repeat(60_000) }
  })
  t.equal(long, 200, 'the default holds long queries in URLs')
})

t.test('a client that leaves in the midst of an answer is no error, and its query ends', async t => {
  const server = await startServer(t)
  const client = await open(t, server)
  const sql = 'SELECT range AS i, repeat(chr(97), 1000) AS text FROM range(10000000)'
  const answer = once(client, 'data')
  client.write(`GET /v1/sql?${new URLSearchParams({ sql })} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
  await answer
  client.destroy()
  const metrics = async () => (await server.main.inject('/metrics')).body
  await eventually(async () => /^svc_query_running(\{.*\})? 0$/m.test(await metrics()))
  await sleep(200)
  t.notMatch(await metrics(), /^svc_refused_total\{.*Cancelled/m, 'an error could not be answered any more')
})
