// How many bytes of request bodies the process holds at once; beyond that requests wait a while or are refused.
import { DbError } from '../errors.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { Room } from './room.ts'

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

/** Waits until a request may hold this many bytes; undefined where it may at once. */
export function holdBytes(lease: Lease, bytes: number, signal: AbortSignal): Promise<void> | undefined {
  return lease.raise(bytes) ? undefined : lease.wait(bytes, signal)
}

const step = 1024

export function createBudget({ limit, wait }: BudgetOptions, metrics: Metrics): Budget {
  const room = new Room(limit)
  const refuse = countRefusals(room, metrics)
  /** The one that may go beyond the limit, so that bodies that have come in half do not all wait for each other. */
  let beyond: object | undefined
  const lease = (): Lease => {
    const self = {}
    let held = 0
    const missing = (bytes: number) => Math.max(0, Math.ceil(bytes / step) * step - held)
    return {
      raise(bytes) {
        const more = missing(bytes)
        if (!room.take(more)) return false
        held += more
        return true
      },
      async wait(bytes, signal) {
        const more = missing(bytes)
        if (wait === 0 || (limit > 0 && held + more > limit)) throw refuse('no_room', held + more)
        const isStuck = held > 0
        if (isStuck && (beyond === undefined || beyond === self)) {
          beyond = self
          held += more
          room.force(more)
          return
        }
        const taken = () => {
          held += more
          if (room.used > limit) beyond = self
        }
        if (!(await room.enter(more, { wait, signal, isStuck, taken }))) throw refuse('timeout', held + more)
      },
      force(bytes) {
        const more = missing(bytes)
        held += more
        room.force(more)
      },
      release() {
        room.give(held)
        held = 0
        if (beyond !== self) return
        beyond = undefined
        room.letOneIn()
      }
    }
  }
  return { lease }
}

/** Shows the room in the metrics; the result counts a refusal and makes its error. */
function countRefusals(room: Room, metrics: Metrics): (reason: string, bytes: number) => DbError {
  const rejected = metrics.counter(
    'svc_servers_request_memory_rejected_total',
    'Requests refused because too many bytes of bodies were in flight.',
    ['reason']
  )
  metrics.gauge('svc_servers_request_memory_in_use_bytes', 'Bytes of request bodies in flight.', [], gauge =>
    gauge.set(room.used)
  )
  metrics
    .gauge('svc_servers_request_memory_limit_bytes', 'Limit of the bytes of request bodies in flight, 0 for none.')
    .set(room.limit)
  return (reason, bytes) => {
    rejected.add(1, { reason })
    return new DbError(
      'RateLimited',
      `Request body memory limit exceeded: this body takes ${bytes} bytes, ${room.used} of ${room.limit} are in use (max_in_flight_write_bytes)`,
      { retryAfter: 1 }
    )
  }
}
