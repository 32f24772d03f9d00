// The server socket of TCP-based listeners: limits, certificate, address, shutdown.
import type { Server, Socket } from 'node:net'
import { parseAddress } from '../http/address.ts'
import { openTls, type Tls } from '../http/tls.ts'
import { after } from '../timer.ts'
import type { ListenerAddress, TcpOptions } from './listener.ts'
import type { ListenerScope } from './open.ts'

/** Milliseconds a client has for the TLS handshake. */
export const handshakeTimeout = 10_000

interface OpenServer {
  readonly address: ListenerAddress
  /** Accepts no more connections, waits for `finish`, then closes those that are left. */
  stop(finish: () => Promise<void>): Promise<void>
}

/** `make` makes the server, with a certificate if one is configured. Rejects if the address cannot be used. */
export async function openServer(
  options: TcpOptions,
  scope: ListenerScope,
  make: (tls: Tls['options'] | undefined) => Server
): Promise<OpenServer> {
  const { core, path } = scope
  const files = { ...options, min_version: 'TLSv1.2', client_certificate: 'required' } as const
  const tls = openTls(files, core.log, core.metrics, path)
  const server = make(tls?.options)
  server.maxConnections = options.max_connections
  server.on('drop', () => scope.dropped('connections'))
  server.on('tlsClientError', (error, socket) => scope.failed(error, socket.remoteAddress))
  // Includes connections still in their handshake, because only this list can close them.
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(parseAddress(options.addr), () => {
      server.off('error', reject)
      resolve()
    })
  })
  server.on('error', error => scope.report('failed', error.message))
  const certificate = tls?.follow([{ server }])
  const { address, port } = server.address() as { address: string; port: number }
  return {
    address: { host: address, port },
    async stop(finish) {
      certificate?.close()
      const closed = new Promise(resolve => server.close(resolve))
      await finish()
      for (const socket of sockets) socket.destroy()
      await closed
    }
  }
}

/** Calls `drop` after so many milliseconds without a call of `touch`; 0: never. */
export function idleWatch(idle: number, drop: () => void) {
  if (idle === 0) return { touch() {}, stop() {} }
  let timer = after(idle, drop)
  return {
    touch() {
      timer.stop()
      timer = after(idle, drop)
    },
    stop: () => timer.stop()
  }
}
