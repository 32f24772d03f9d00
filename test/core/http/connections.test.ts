import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
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
  // The server learns a little later that the client is gone, too.
  while (!(await metrics()).includes('svc_servers_connections{server="main"} 0')) await sleep(20)
})

t.test('a connection that is used stays', async t => {
  const server = await startServer(t, '[http]\nkeep_alive_timeout = "2s"')
  const busy = await open(t, server)
  for (let i = 0; i < 6; i++) {
    ask(busy)
    await sleep(500)
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
  await sleep(100)
  const next = await open(t, server)
  await sleep(100)
  t.notOk(next.destroyed, 'there is room again')
})
