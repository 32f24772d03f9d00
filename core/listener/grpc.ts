// A gRPC listener: HTTP/2, with TLS if a certificate is configured. The plugin's methods answer the calls.
import {
  createSecureServer,
  createServer,
  type Http2Server,
  type Http2Session,
  type ServerHttp2Session
} from 'node:http2'
import type { Socket } from 'node:net'
import { DbError } from '../errors.ts'
import { answerCall } from './grpc-call.ts'
import type { GrpcListener } from './listener.ts'
import type { ListenerScope, OpenListener } from './open.ts'
import { handshakeTimeout, idleWatch, openServer } from './server.ts'

/** Bytes a client may send ahead of the server: per call, and per connection. */
const callWindow = 1 << 18
const connectionWindow = 1 << 20

export async function openGrpc(listener: GrpcListener, scope: ListenerScope): Promise<OpenListener> {
  const { options } = listener
  const calls = new Set<Promise<unknown>>()
  const sessions = new Map<ServerHttp2Session, ReturnType<typeof idleWatch>>()
  const observe = createObserver(scope)
  const { address, stop } = await openServer(options, scope, tls => {
    const settings = { maxConcurrentStreams: options.max_calls, initialWindowSize: callWindow }
    const server: Http2Server =
      tls === undefined
        ? createServer({ settings })
        : (createSecureServer({ settings, handshakeTimeout, ...tls }) as unknown as Http2Server)
    server.on('session', session => {
      const watch = idleWatch(options.idle_timeout, () => session.destroy())
      sessions.set(session, watch)
      scope.connections(sessions.size)
      session.setLocalWindowSize(connectionWindow)
      session.once('close', () => {
        watch.stop()
        sessions.delete(session)
        scope.connections(sessions.size)
      })
    })
    server.on('sessionError', (error: Error, session: Http2Session) =>
      scope.failed(notHttp2(error), addressOf(session))
    )
    server.on('unknownProtocol', (socket: Socket) => {
      scope.failed(notHttp2(new Error('h2 is not offered by ALPN')), socket.remoteAddress)
      socket.destroy()
    })
    return server.on('stream', (stream, headers, _flags, rawHeaders) => {
      const path = headers[':path'] ?? ''
      const done = observe(Object.hasOwn(listener.methods, path) ? path : 'unknown')
      const watch = sessions.get(stream.session as ServerHttp2Session)
      watch?.touch()
      const received = (bytes: number) => {
        watch?.touch()
        scope.received(bytes)
      }
      const call = answerCall(stream, { headers, rawHeaders }, listener, { ...scope, received }).then(done)
      calls.add(call)
      void call.then(() => calls.delete(call))
    })
  })
  return {
    address,
    close: () =>
      stop(async () => {
        // Running calls continue; clients are told to send no more.
        const closed = [...sessions.keys()].map(session => new Promise<void>(resolve => session.close(resolve)))
        await Promise.all(calls)
        await Promise.race([Promise.all(closed), scope.stopping.aborted || aborted(scope.stopping)])
        for (const session of sessions.keys()) session.destroy()
      })
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/** Counts and times calls by their status code. */
function createObserver({ core: { metrics }, labels }: ListenerScope) {
  const names = ['plugin', 'listener', 'method', 'status']
  const counted = metrics.counter(
    'svc_listener_calls_total',
    'Calls of gRPC listeners, by the code of their status.',
    names
  )
  const elapsed = metrics.histogram(
    'svc_listener_calls_elapsed',
    'Seconds from the headers of a call to its answer.',
    names
  )
  return (method: string) => {
    const start = performance.now()
    return (status: string) => {
      const facts = { ...labels, method, status }
      counted.add(1, facts)
      elapsed.observe((performance.now() - start) / 1000, facts)
    }
  }
}

function notHttp2(cause: Error): DbError {
  return new DbError('InvalidArguments', `the connection does not speak HTTP/2: ${cause.message}`, { cause })
}

function addressOf(session: Http2Session): string | undefined {
  return session.destroyed ? undefined : session.socket.remoteAddress
}
