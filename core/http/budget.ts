// How many bytes of request bodies the process holds at once; beyond that requests wait a while or are refused.
import { DbError } from '../errors.ts'
import type { Metrics } from '../metrics/metrics.ts'

export interface BudgetOptions {
  /** Bytes; 0 sets no limit. */
  readonly limit: number
  /** Milliseconds a request waits for room; 0 refuses at once. */
  readonly wait: number
}

/** The memory of all bodies. */
export interface Budget {
  lease(): Lease
}

/** What one request holds of it. */
export interface Lease {
  /** True when the request may hold this many bytes, all together; false: ask `wait`. */
  raise(bytes: number): boolean
  /** Resolves when there is room; rejects with `RateLimited` (429) when it takes too long, or with the signal's reason. */
  wait(bytes: number, signal: AbortSignal): Promise<void>
  /** Holds this many bytes whether there is room or not, for memory that is taken already. */
  force(bytes: number): void
  release(): void
}

interface Waiter {
  readonly bytes: number
  readonly go: () => void
}

const step = 1024

export function createBudget(options: BudgetOptions, metrics: Metrics): Budget {
  const waiting = new Set<Waiter>()
  let used = 0
  const rejected = metrics.counter(
    'svc_servers_request_memory_rejected_total',
    'Requests refused because too many bytes of bodies were in flight.',
    ['reason']
  )
  metrics.gauge('svc_servers_request_memory_in_use_bytes', 'Bytes of request bodies in flight.', [], gauge =>
    gauge.set(used)
  )
  metrics
    .gauge('svc_servers_request_memory_limit_bytes', 'Limit of the bytes of request bodies in flight, 0 for none.')
    .set(options.limit)

  const fits = (bytes: number) => options.limit === 0 || used + bytes <= options.limit
  const add = (bytes: number) => {
    used += bytes
    if (bytes > 0) return
    for (const waiter of waiting) {
      if (!fits(waiter.bytes)) break
      waiting.delete(waiter)
      used += waiter.bytes
      waiter.go()
    }
  }
  const refuse = (reason: string) => {
    rejected.add(1, { reason })
    return new DbError(
      'RateLimited',
      `Request body memory limit exceeded: ${used} of ${options.limit} bytes of bodies are in flight (max_in_flight_write_bytes)`,
      { retryAfter: 1 }
    )
  }

  const enter = (bytes: number, signal: AbortSignal, taken: () => void) =>
    new Promise<void>((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        waiting.delete(waiter)
        signal.removeEventListener('abort', stop)
      }
      const giveUp = (reason: unknown) => {
        leave()
        add(0)
        reject(reason)
      }
      const stop = () => giveUp(signal.reason)
      const go = () => {
        leave()
        taken()
        resolve()
      }
      const waiter: Waiter = { bytes, go }
      const timer = setTimeout(() => giveUp(refuse('timeout')), options.wait)
      signal.addEventListener('abort', stop)
      waiting.add(waiter)
    })

  const lease = (): Lease => {
    let held = 0
    const missing = (bytes: number) => Math.max(0, Math.ceil(bytes / step) * step - held)
    return {
      raise(bytes) {
        const more = missing(bytes)
        if (more > 0 && (waiting.size > 0 || !fits(more))) return false
        held += more
        add(more)
        return true
      },
      async wait(bytes, signal) {
        const more = missing(bytes)
        if (options.wait === 0 || (options.limit > 0 && held + more > options.limit)) throw refuse('no_room')
        signal.throwIfAborted()
        await enter(more, signal, () => {
          held += more
        })
      },
      force(bytes) {
        const more = missing(bytes)
        held += more
        add(more)
      },
      release() {
        add(-held)
        held = 0
      }
    }
  }
  return { lease }
}
