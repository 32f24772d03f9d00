// Collects the chunks of a request body within its limits.
import type { IncomingMessage } from 'node:http'
import { DbError } from '../errors.ts'
import type { Lease } from './budget.ts'

interface Bounds {
  /** Bytes, 0 for none. */
  readonly limit: number
  readonly lease: Lease
  readonly signal: AbortSignal
  readonly tooLarge: (limit: number, received: string) => DbError
}

const drained = 16 << 20

/** The whole body. Rejects with what `tooLarge` makes, the lease's refusal, or the signal's reason. */
export async function readStream(payload: IncomingMessage, bounds: Bounds): Promise<Buffer> {
  const chunks = await collect(payload, bounds)
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

function collect(payload: IncomingMessage, bounds: Bounds): Promise<Buffer[]> {
  const { limit, lease, signal, tooLarge } = bounds
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let total = 0
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
      chunks.push(chunk)
      if (lease.raise(total)) return
      payload.pause()
      lease.wait(total, signal).then(() => payload.resume(), refuse)
    }
    const end = () => {
      leave()
      resolve(chunks)
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

/** Lets the rest of a refused body run dry, so that the client gets to read the answer; gives up on endless ones. */
export function drain(payload: IncomingMessage): void {
  let left = drained
  payload.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) payload.destroy()
  })
  payload.on('error', () => {})
  payload.resume()
}
