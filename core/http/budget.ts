// How many bytes of request bodies the process holds at once; beyond that requests wait a while or are refused.
import { DbError } from '../errors.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { WeightedSemaphore } from './weighted-semaphore.ts'

export interface BudgetOptions {
  /** Bytes; 0 sets no limit. */
  readonly limit: number
  /** Milliseconds a request waits for memory; 0 refuses at once. */
  readonly wait: number
}

/** The memory of all bodies. */
export interface Budget {
  /** `user` is asked when the request has to wait: users take turns. */
  lease(user?: () => string): Lease
}

/** What one request holds of it. */
export interface Lease {
  /** True when the request may hold this many bytes, all together; false: ask `wait`. */
  raise(bytes: number): boolean
  /** Resolves when there is memory; rejects with `RateLimited` (429) when it takes too long, or with the signal's reason. */
  wait(bytes: number, signal: AbortSignal): Promise<void>
  /** Holds this many bytes whether there is memory or not, for memory that is taken already. */
  force(bytes: number): void
  release(): void
}

/** Waits until a request may hold this many bytes; undefined where it may at once. */
export function holdBytes(lease: Lease, bytes: number, signal: AbortSignal): Promise<void> | undefined {
  return lease.raise(bytes) ? undefined : lease.wait(bytes, signal)
}

const step = 1024
/** Bytes of a body, inflated, that is small: such bodies have a sixteenth of the limit, beyond it, to themselves. */
const smallBody = 64 << 10
const smallShare = 1 / 16

export function createBudget({ limit, wait }: BudgetOptions, metrics: Metrics): Budget {
  const bodies = new WeightedSemaphore(limit)
  const smallBodies = new WeightedSemaphore(limit * smallShare)
  const used = () => bodies.used + smallBodies.used
  const refuse = countRefusals(limit, used, metrics)
  /** The one that may go beyond the limit, so that bodies that have come in half do not all wait for each other. */
  let beyond: object | undefined
  const lease = (user = () => ''): Lease => {
    const self = {}
    let held = 0
    /** Of these, what is of the memory for small bodies. */
    let heldSmall = 0
    /** Its request has ended: whatever goes on of it gets nothing any more, since nobody would give it back, and ends. */
    let isReleased = false
    const missing = (bytes: number) => Math.max(0, Math.ceil(bytes / step) * step - held)
    return {
      raise(bytes) {
        if (isReleased) return false
        const more = missing(bytes)
        if (!bodies.take(more)) {
          if (held + more > smallBody || !smallBodies.take(more)) return false
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
      force(bytes) {
        if (isReleased) return
        const more = missing(bytes)
        held += more
        bodies.force(more)
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

/** Shows the memory in the metrics; the result counts a refusal and makes its error. */
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
      `Request body memory limit exceeded: this body takes ${bytes} bytes, ${used()} of ${limit} are in use (max_in_flight_write_bytes)`,
      { retryAfter: 1 }
    )
  }
}
