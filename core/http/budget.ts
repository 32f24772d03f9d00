// A budget for the memory of all request bodies: requests beyond it wait a while, then are refused.
import { DbError } from '../errors.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { RequestMemory } from '../pace.ts'
import { WeightedSemaphore } from '../storage/weighted-semaphore.ts'

interface BudgetOptions {
  /** Bytes; 0 means no limit. */
  readonly limit: number
  /** Milliseconds a request waits for memory; 0 refuses at once. */
  readonly wait: number
}

/** The memory budget of all bodies. */
export interface Budget {
  /** Begins a lease. `user` is called if the request has to wait, because users take turns. */
  lease(user?: () => string): Lease
}

/** The memory that one request holds. */
export interface Lease {
  /** Bytes that it holds. */
  readonly held: number
  /** True if the request may hold this many bytes in total; false: call `wait`. */
  raise(bytes: number): boolean
  /** Resolves when there is memory; rejects with `RateLimited` (429) if that takes too long, or with the signal's reason. */
  wait(bytes: number, signal: AbortSignal): Promise<void>
  release(): void
}

/** Waits until a request may hold this many bytes; returns undefined if it may at once. */
export function holdBytes(lease: Lease, bytes: number, signal: AbortSignal): Promise<void> | undefined {
  return lease.raise(bytes) ? undefined : lease.wait(bytes, signal)
}

/** The memory that a request holds beside its body, once that was read: both are one lease. */
export function memoryOf(lease: Lease, signal: AbortSignal): RequestMemory {
  let body: number | undefined
  return {
    hold(bytes) {
      body ??= lease.held
      return holdBytes(lease, body + bytes, signal)
    }
  }
}

const step = 1024
/** Decompressed bytes of a small body. Small bodies have a sixteenth of the limit, on top of it, for themselves. */
const smallBody = 64 << 10
const smallShare = 1 / 16

export function createBudget({ limit, wait }: BudgetOptions, metrics: Metrics): Budget {
  const bodies = new WeightedSemaphore(limit)
  const smallBodies = new WeightedSemaphore(limit * smallShare)
  const used = () => bodies.used + smallBodies.used
  const refuse = countRefusals(limit, used, metrics)
  /** The one lease that may exceed the limit. Otherwise bodies that are half received could all wait for each other. */
  let beyond: object | undefined
  const lease = (user = () => ''): Lease => {
    const self = {}
    let held = 0
    /** The part of these bytes that counts as small bodies. */
    let heldSmall = 0
    /** The request has ended: work that continues gets no more memory, because nobody would return it, and fails. */
    let isReleased = false
    const missing = (bytes: number) => Math.max(0, Math.ceil(bytes / step) * step - held)
    return {
      get held() {
        return held
      },
      raise(bytes) {
        if (isReleased) return false
        const more = missing(bytes)
        if (!bodies.acquire(more)) {
          if (held + more > smallBody || !smallBodies.acquire(more)) return false
          heldSmall += more
        }
        held += more
        return true
      },
      async wait(bytes, signal) {
        signal.throwIfAborted()
        if (isReleased) throw new DbError('Cancelled', 'the request has ended')
        const more = missing(bytes)
        if (wait === 0 || (limit > 0 && held + more > limit)) throw refuse('no_room', held + more)
        const isStuck = held > 0
        if (isStuck && (beyond === undefined || beyond === self)) {
          beyond = self
          held += more
          bodies.force(more)
          return
        }
        const taken = () => {
          if (isReleased) {
            bodies.give(more)
            return
          }
          held += more
          if (bodies.used > limit) beyond = self
        }
        if (!(await bodies.enter(more, { user: user(), wait, signal, isStuck, taken })))
          throw refuse('timeout', held + more)
      },
      release() {
        isReleased = true
        const given = held - heldSmall
        smallBodies.give(heldSmall)
        held = heldSmall = 0
        bodies.give(given)
        if (beyond !== self) return
        beyond = undefined
        bodies.letOneIn()
      }
    }
  }
  return { lease }
}

/** Exposes the memory as metrics; the result counts a refusal and makes its error. */
function countRefusals(
  limit: number,
  used: () => number,
  metrics: Metrics
): (reason: string, bytes: number) => DbError {
  const rejected = metrics.counter(
    'svc_servers_request_memory_rejected_total',
    'Requests refused because too many bytes of bodies were in flight.',
    ['reason']
  )
  metrics.gauge('svc_servers_request_memory_in_use_bytes', 'Bytes of request bodies in flight.', [], gauge =>
    gauge.set(used())
  )
  metrics
    .gauge('svc_servers_request_memory_limit_bytes', 'Limit of the bytes of request bodies in flight, 0 for none.')
    .set(limit)
  return (reason, bytes) => {
    rejected.add(1, { reason })
    return new DbError(
      'RateLimited',
      `Request body memory limit exceeded: this request takes ${bytes} bytes, ${used()} of ${limit} are in use (max_in_flight_write_bytes)`,
      { retryAfter: 1 }
    )
  }
}
