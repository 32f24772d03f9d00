// Limits of connections: their number, how long one may be idle (also before its first request), and how long a client may leave an answer
// unread.
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/schema.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { after, type Timer } from '../timer.ts'
import type { ServerKind } from './context.ts'
import type { OneByOne } from './one-by-one.ts'

interface ConnectionDependencies {
  readonly kind: ServerKind
  readonly http: Config['http']
  readonly metrics: Metrics
  readonly requests: OneByOne
}

/** Bounds the connections of a server as `http.max_connections` and `http.keep_alive_timeout` say. */
export function limitConnections(
  app: FastifyInstance,
  { kind, http, metrics, requests }: ConnectionDependencies
): void {
  const { server } = app
  const help = 'Connections of clients.'
  const open = metrics.gauge('svc_servers_connections', help, ['server'])
  const dropHelp = 'Connections closed at once because there were http.max_connections.'
  const dropped = metrics.counter('svc_servers_connections_dropped_total', dropHelp, ['server'])
  const idleHelp =
    'Connections closed because within http.keep_alive_timeout nothing was asked on them, or the rest of a body whose request was answered did not arrive.'
  const silent = metrics.counter('svc_servers_connections_silent_total', idleHelp, ['server'])
  for (const counter of [dropped, silent]) counter.add(0, { server: kind })
  open.set(0, { server: kind })
  server.maxConnections = http.max_connections || standardLimit(http.enable_api_server ? 2 : 1)
  server.on('drop', () => dropped.add(1, { server: kind }))

  let count = 0
  const waiting = new WeakMap<Socket, Timer>()
  const answered = (socket: Socket) => {
    waiting.get(socket)?.stop()
    waiting.delete(socket)
  }
  // For TLS, a connection counts from its handshake on; the handshake has its own limit.
  const isTls = 'setSecureContext' in server
  /** Closes a connection after the time it may be idle. */
  const closeLater = (socket: Socket): Timer | undefined => {
    if (http.keep_alive_timeout === 0) return undefined
    const end = () => {
      silent.add(1, { server: kind })
      socket.destroy()
    }
    return after(http.keep_alive_timeout, end).unref()
  }
  server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => {
    open.set(++count, { server: kind })
    const timer = closeLater(socket)
    if (timer !== undefined) waiting.set(socket, timer)
    socket.once('close', () => {
      open.set(--count, { server: kind })
      answered(socket)
    })
  })
  server.on('request', (request, response) => {
    answered(request.socket)
    // Node reads the rest of a body that was answered early, for as long as it comes.
    response.once('finish', () => {
      if (request.complete) return
      const timer = closeLater(request.socket)
      request.once('close', () => timer?.stop())
    })
  })
  const unreadHelp = 'Connections closed because an answer was not read for http.unread_timeout.'
  const unread = metrics.counter('svc_servers_connections_unread_total', unreadHelp, ['server'])
  unread.add(0, { server: kind })
  closeQuietOnes(app, requests)
  // `timeout` fires when nothing was read or written for so long, also between two requests.
  server.timeout = Math.min(http.unread_timeout, maxTimeout)
  server.on('timeout', (socket: Socket) => {
    if (waiting.has(socket)) return
    if (requests.isAnswering(socket)) {
      // Connections without unread output may stay: their answer is still being made, or they are idle.
      if (socket.writableLength === 0) return
      unread.add(1, { server: kind })
    }
    socket.destroy()
  })
}

/**
 * When the server stops, closes connections on which nothing is to be answered, also those that have sent nothing or part of a request's head: Node
 * would wait for them.
 */
function closeQuietOnes(app: FastifyInstance, requests: OneByOne): void {
  const { server } = app
  /** By address and port of the client. */
  const open = new Map<string, Socket>()
  let isClosing = false
  const add = (socket: Socket) => {
    if (isClosing) {
      socket.destroy()
      return
    }
    const client = `${socket.remoteAddress} ${socket.remotePort}`
    open.set(client, socket)
    socket.once('close', () => {
      if (open.get(client) === socket) open.delete(client)
    })
  }
  server.on('connection', add)
  // From its handshake on, a TLS connection is another object, which takes the place of the first.
  server.on('secureConnection', add)
  app.addHook('preClose', async () => {
    isClosing = true
    for (const socket of open.values()) if (!requests.isAnswering(socket)) socket.destroy()
  })
}

/** The longest time of Node's timers in milliseconds. */
const maxTimeout = 2 ** 31 - 1

/** The default limit: half of the files the process may open, divided by the servers; the rest is for data. */
function standardLimit(servers: number): number {
  return Math.max(16, Math.floor(maxOpenFiles() / 2 / servers))
}

/** The limit of open files; 1024, the usual one, if the system does not tell. */
function maxOpenFiles(): number {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))
    return found === null ? 1024 : Number(found[1])
  } catch {
    return 1024
  }
}
