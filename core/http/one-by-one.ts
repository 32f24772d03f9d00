// Handles the requests of one connection one after the other, however many a client sends before the first answer (HTTP/1.1 pipelining).
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

type Exchange = readonly [IncomingMessage, ServerResponse]

/** Requests that may wait on a connection before nothing more is read from it. While nothing is read, it is not seen either that the client leaves. */
const maxWaiting = 100

/**
 * The requests of a server's connections. Each is handled when those before it on its connection are answered. Requests that waited are started in
 * different rounds of the event loop: one packet may bring a thousand.
 */
export class OneByOne {
  /** By connection with a request that is being answered: those behind it. */
  readonly #waiting = new WeakMap<Socket, Exchange[]>()

  /** Whether a request of the connection is being answered. */
  isAnswering(socket: Socket): boolean {
    return this.#waiting.has(socket)
  }

  /** Takes the place of the server's only listener of requests, and calls it. */
  serve(server: Server): void {
    const [handle] = server.listeners('request') as [RequestListener]
    server.removeListener('request', handle)
    server.on('request', (request, response) => {
      const { socket } = request
      const queue = this.#waiting.get(socket)
      if (queue !== undefined) {
        if (queue.push([request, response]) === maxWaiting) hold(socket)
        return
      }
      this.#waiting.set(socket, [])
      this.#start(handle, socket, [request, response])
    })
  }

  #start(handle: RequestListener, socket: Socket, [request, response]: Exchange): void {
    response.once('close', () => {
      if (this.#waiting.get(socket)!.length > 0) setImmediate(() => this.#next(handle, socket))
      else this.#waiting.delete(socket)
    })
    handle(request, response)
  }

  #next(handle: RequestListener, socket: Socket): void {
    const queue = this.#waiting.get(socket)!
    const exchange = queue.shift()!
    if (socket.destroyed) return
    if (queue.length === maxWaiting - 1) release(socket)
    this.#start(handle, socket, exchange)
  }
}

/** Reads nothing from the connection, also where a request that ended would have it read on. */
function hold(socket: Socket): void {
  socket.on('resume', pauseAgain)
  socket.pause()
}

function release(socket: Socket): void {
  socket.off('resume', pauseAgain)
  socket.resume()
}

function pauseAgain(this: Socket): void {
  this.pause()
}
