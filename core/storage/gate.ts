// A limit on how many things run at once; further ones wait, and users take turns.
import { Turns, type TurnsOptions } from './turns.ts'

export interface Gate {
  /**
   * Resolves when there is a place; what it returns frees the place. Rejects with the signal's reason, or with `RateLimited` where too many
   * wait or it takes too long.
   */
  enter(signal: AbortSignal, user?: string): Promise<() => void>
  /** How many have a place. */
  running(): number
  /** How many wait for one. */
  waiting(): number
}

/** `max` 0: no limit; a function is asked each time. Without `options` any number may wait for any time. */
export function createGate(max: number | (() => number), options: Pick<TurnsOptions, 'queue' | 'refused'> = {}): Gate {
  let inside = 0
  const hasPlace = () => {
    const limit = typeof max === 'number' ? max : max()
    return limit === 0 || inside < limit
  }
  const turns = new Turns({ what: 'queries', hasPlace, ...options })
  const enter = () => {
    inside++
    let left = false
    return () => {
      if (left) return
      left = true
      inside--
      turns.letIn()
    }
  }
  return {
    enter: (signal, user = '') => turns.run(user, signal, enter),
    running: () => inside,
    waiting: () => turns.waiting
  }
}
