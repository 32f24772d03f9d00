// A semaphore: limits how many things run at once. Further ones wait in a queue in which users take turns.
import { type AdmissionOptions, AdmissionQueue } from './admission-queue.ts'

export interface Semaphore {
  /**
   * Waits for a free slot and takes it; calling the result frees it. Rejects with the signal's reason, or with `RateLimited` if the queue is full or
   * the wait takes too long.
   */
  enter(signal: AbortSignal, user?: string): Promise<() => void>
  /** Number of taken slots. */
  running(): number
  /** Number of waiters. */
  waiting(): number
}

/** A semaphore with `max` slots; 0 means no limit, and a function is asked each time. Without `options`, the queue and the wait have no limits. */
export function createSemaphore(
  max: number | (() => number),
  options: Pick<AdmissionOptions, 'queue' | 'refused'> = {}
): Semaphore {
  let inside = 0
  const hasSlot = () => {
    const limit = typeof max === 'number' ? max : max()
    return limit === 0 || inside < limit
  }
  const queue = new AdmissionQueue({ what: 'queries', hasSlot, ...options })
  const enter = () => {
    inside++
    let left = false
    return () => {
      if (left) return
      left = true
      inside--
      queue.letIn()
    }
  }
  return {
    enter: (signal, user = '') => queue.run(user, signal, enter),
    running: () => inside,
    waiting: () => queue.waiting
  }
}
