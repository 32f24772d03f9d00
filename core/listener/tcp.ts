// A TCP listener, with TLS if a certificate is configured.
import { createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { beginWork } from '../pace.ts'
import { after } from '../timer.ts'
import type { TcpListener } from './listener.ts'
import type { ListenerScope, OpenListener } from './open.ts'
import { handshakeTimeout, idleWatch, openServer } from './server.ts'

export async function openTcp({ options, serve }: TcpListener, scope: ListenerScope): Promise<OpenListener> {
  // `allowHalfOpen`, because a client that has sent everything may still wait for an answer.
  const shared = { allowHalfOpen: true, pauseOnConnect: false }
  const ending = new AbortController()
  const open = new Set<Promise<void>>()
  const { address, stop } = await openServer(options, scope, tls => {
    const server = tls === undefined ? createServer(shared) : createTlsServer({ ...shared, handshakeTimeout, ...tls })
    return server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
      const work = run(socket, { idle: options.idle_timeout, serve, scope, ending: ending.signal })
      open.add(work)
      scope.connections(open.size)
      void work.then(() => {
        open.delete(work)
        scope.connections(open.size)
      })
    })
  })
  return {
    address,
    close: () =>
      stop(async () => {
        ending.abort()
        await Promise.all(open)
      })
  }
}

/** Milliseconds a client has to close its side. */
const linger = 500

interface Run {
  /** Milliseconds, 0 for no limit. */
  readonly idle: number
  readonly serve: TcpListener['serve']
  readonly scope: ListenerScope
  /** Fires when nothing more shall be read. */
  readonly ending: AbortSignal
}

/** Handles one connection from its beginning to its end; never rejects. */
async function run(socket: Socket, { idle, serve, scope, ending }: Run): Promise<void> {
  const from = socket.remoteAddress
  const gone = new AbortController()
  const drop = () => socket.destroy()
  const closed = new Promise<void>(resolve => {
    socket.once('close', () => {
      gone.abort(new Error('the connection is closed'))
      resolve()
    })
  })
  // An error of the socket ends its chunks.
  socket.on('error', () => {})
  const watch = idleWatch(idle, drop)
  scope.stopping.addEventListener('abort', drop, { once: true })
  try {
    if (scope.stopping.aborted) drop()
    await serve({
      ctx: scope.context(from, gone.signal),
      chunks: () =>
        chunksOf(socket, ending, bytes => {
          watch.touch()
          scope.received(bytes)
          // A connection may last for ever, its messages are short.
          beginWork(gone.signal)
        }),
      write: bytes => write(socket, bytes)
    })
  } catch (error) {
    // Without a client there is nobody to refuse.
    if (!gone.signal.aborted) scope.failed(error, from)
  }
  watch.stop()
  scope.stopping.removeEventListener('abort', drop)
  // Closing a socket with unread data discards the answer, so the client gets a moment to close its side.
  const last = after(linger, drop)
  socket.end()
  socket.resume()
  await closed
  last.stop()
}

async function* chunksOf(
  socket: Socket,
  ending: AbortSignal,
  received: (bytes: number) => void
): AsyncGenerator<Buffer> {
  let wake = () => {}
  const events = ['readable', 'end', 'close'] as const
  const onEvent = () => wake()
  for (const event of events) socket.on(event, onEvent)
  ending.addEventListener('abort', onEvent)
  try {
    for (;;) {
      const more = new Promise<void>(resolve => {
        wake = resolve
      })
      const chunk = socket.read() as Buffer | null
      if (chunk !== null) {
        received(chunk.length)
        yield chunk
      } else if (socket.readableEnded || socket.destroyed || ending.aborted) return
      else await more
    }
  } finally {
    for (const event of events) socket.off(event, onEvent)
    ending.removeEventListener('abort', onEvent)
  }
}

function write(socket: Socket, bytes: Uint8Array | string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(bytes, error => (error ? reject(error) : resolve()))
  })
}
