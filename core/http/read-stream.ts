// Collects the chunks of a request body within its limits.
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { DbError } from '../errors.ts'
import { joinPaced, Pace } from '../pace.ts'
import { free } from '../workers/free.ts'
import type { Lease } from './budget.ts'

interface Bounds {
  /** Bytes, 0 for no limit. */
  readonly limit: number
  readonly lease: Lease
  readonly signal: AbortSignal
  readonly tooLarge: (limit: number, received: string) => DbError
  /** Memory that is large enough for the body. */
  readonly into?: Buffer | undefined
}

const drained = 16 << 20

/** Shorter chunks are copied together: as an array of its own, a byte takes some hundred bytes. */
const minChunk = 4 << 10
/** Bytes of such a copy at least and at most; in between as many as were received before. */
const [minBlock, maxBlock] = [1 << 10, 64 << 10]

/** Chunks of a body in their order. Beside the bytes received they take 64 KiB at most, however short they are. */
class Chunks {
  readonly #parts: Buffer[] = []
  #block = Buffer.alloc(0)
  #used = 0
  #total = 0

  add(chunk: Buffer): void {
    // Most bodies are a single chunk.
    if (chunk.length >= minChunk || this.#total === 0) {
      this.#endPart()
      this.#parts.push(chunk)
    } else this.#copy(chunk)
    this.#total += chunk.length
  }

  /** All of them; nothing can be added afterwards. */
  take(): Buffer[] {
    this.#endPart()
    return this.#parts
  }

  #copy(chunk: Buffer): void {
    for (let from = 0; from < chunk.length; ) {
      if (this.#used === this.#block.length) this.#begin()
      const copied = chunk.copy(this.#block, this.#used, from)
      this.#used += copied
      from += copied
    }
  }

  #begin(): void {
    this.#endPart()
    this.#block = Buffer.allocUnsafeSlow(Math.min(maxBlock, Math.max(minBlock, this.#total)))
  }

  #endPart(): void {
    if (this.#used === 0) return
    this.#parts.push(this.#block.subarray(0, this.#used))
    this.#block = this.#block.subarray(this.#used)
    this.#used = 0
  }
}

/** The whole body. Rejects with the error of `tooLarge`, the refusal of the lease, or the signal's reason. */
export async function readStream(payload: Readable, bounds: Bounds): Promise<Buffer> {
  const { chunks, total } = await collect(payload, bounds)
  return joinPaced(new Pace(bounds), chunks, total)
}

function collect(payload: Readable, bounds: Bounds): Promise<{ chunks: Buffer[]; total: number }> {
  const { limit, lease, signal, tooLarge, into } = bounds
  return new Promise((resolve, reject) => {
    const chunks = new Chunks()
    let total = 0
    // Node allocates each chunk for this reader alone, so it need not be copied.
    const isOwn = payload instanceof IncomingMessage && payload.socket instanceof Socket
    const leave = () => {
      payload.off('data', take).off('end', end).off('error', fail).off('close', cut)
      signal.removeEventListener('abort', stop)
    }
    const refuse = (error: unknown) => {
      leave()
      drain(payload)
      reject(error)
    }
    const take = (chunk: Buffer) => {
      total += chunk.length
      if (limit > 0 && total > limit) return refuse(tooLarge(limit, `${total} bytes received so far`))
      if (into === undefined) chunks.add(chunk)
      else {
        into.set(chunk, total - chunk.length)
        if (isOwn) free(chunk)
      }
      if (lease.raise(total)) return
      payload.pause()
      lease.wait(total, signal).then(() => payload.resume(), refuse)
    }
    const end = () => {
      leave()
      resolve({ chunks: into === undefined ? chunks.take() : [into.subarray(0, total)], total })
    }
    const fail = (cause: unknown) => {
      leave()
      reject(new DbError('Cancelled', 'the client closed the connection before the body was complete', { cause }))
    }
    const cut = () => fail(undefined)
    const stop = () => refuse(signal.reason)
    if (signal.aborted) return refuse(signal.reason)
    payload.on('data', take).once('end', end).once('error', fail).once('close', cut)
    signal.addEventListener('abort', stop)
  })
}

/** Reads the rest of a refused body, so that the client gets to read the response; gives up on endless bodies. */
export function drain(payload: Readable): void {
  let left = drained
  payload.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) payload.destroy()
  })
  payload.on('error', () => {})
  payload.resume()
}
