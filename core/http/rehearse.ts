// Requests a server asks of itself while it rests after its start, so that the first ones of clients meet code that is compiled already.
import { type Duplex, duplexPair } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Rehearsal } from '../plugin.ts'
import { runAtRest } from '../rest.ts'

/** Milliseconds a server must have rested for. */
const rest = 200

/** On connections a server has made to itself; nothing that comes from outside can have it. */
const mark = Symbol('rehearsal')

/** Whether the server asks itself: such a request needs no user and is counted nowhere. */
export function isRehearsal({ raw }: FastifyRequest): boolean {
  return mark in raw.socket
}

/** Goes through the rehearsals, each once it is ready; resolves when their time is spent or the signal fires. */
export async function rehearse(
  { server }: FastifyInstance,
  rehearsals: readonly Rehearsal[],
  signal: AbortSignal
): Promise<void> {
  const aborted = new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))
  const goThrough = async ({ ready, time, path }: Rehearsal) => {
    await Promise.race([ready, aborted])
    if (signal.aborted) return
    const connection = new OwnConnection(server)
    const run = async (turn: number) => {
      const next = await path(turn)
      return next !== undefined && (await connection.get(next)) === 200
    }
    const end = () => connection.close()
    signal.addEventListener('abort', end)
    try {
      await runAtRest({ rest, time, signal, run })
    } finally {
      signal.removeEventListener('abort', end)
      connection.close()
    }
  }
  await Promise.all(rehearsals.map(goThrough))
}

/** A connection to a server of this process that no network sees. */
class OwnConnection {
  readonly #socket: Duplex
  #held = Buffer.alloc(0)
  #settle: { resolve(status: number): void; reject(error: Error): void } | undefined

  constructor(server: FastifyInstance['server']) {
    const [own, theirs] = duplexPair()
    this.#socket = own
    own.on('data', chunk => this.#read(chunk))
    own.on('error', () => {})
    own.once('close', () => this.#settle?.reject(new Error('the connection was closed')))
    Object.assign(theirs, { [mark]: true })
    theirs.on('error', () => {})
    // With a certificate the server takes connections once they are decrypted.
    server.emit('setSecureContext' in server ? 'secureConnection' : 'connection', theirs)
  }

  /** Resolves with the status once the answer is here as a whole; one at a time. */
  get(path: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
      this.#socket.write(
        `GET ${path} HTTP/1.1\r\nhost: localhost\r\naccept: */*\r\naccept-encoding: gzip, deflate\r\n\r\n`
      )
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    this.#held = Buffer.concat([this.#held, chunk])
    const head = this.#held.indexOf('\r\n\r\n')
    if (head < 0) return
    const [, status, length] =
      /^HTTP\/1\.1 (\d+)[\s\S]*\r\ncontent-length: (\d+)\r\n/i.exec(this.#held.toString('latin1', 0, head + 2)) ?? []
    // A long answer comes in pieces and says nothing of its length: too much for a rehearsal.
    if (length === undefined) {
      this.close()
      return
    }
    if (this.#held.length < head + 4 + Number(length)) return
    this.#held = Buffer.alloc(0)
    this.#settle?.resolve(Number(status))
    this.#settle = undefined
  }
}
