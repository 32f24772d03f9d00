// A semaphore: limits how many things run at once. Further ones wait in a queue in which users take turns.
import { type AdmissionOptions, AdmissionQueue } from './admission-queue.ts'

export interface Semaphore {
  /**
   * Resolves when a slot is free and takes it; calling the result frees it. Rejects with the signal's reason, or with `RateLimited` where too many
   * wait or it takes too long.
   */
  enter(signal: AbortSignal, user?: string): Promise<() => void>
  /** How many have a slot. */
  running(): number
  /** How many wait for one. */
  waiting(): number
}

/** `max` 0: no limit; a function is asked each time. Without `options` any number may wait for any time. */
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
