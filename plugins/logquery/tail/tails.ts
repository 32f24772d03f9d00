// Limits the number of running tails, and ends them when a server stops.
import { DbError } from '../../../core/index.ts'

export interface Tails {
  /** Takes a slot; the result frees it. Throws RateLimited if all are taken. */
  enter(): () => void
  running(): number
}

export function createTails(max: number): Tails {
  let running = 0
  return {
    enter() {
      if (running >= max) {
        throw new DbError('RateLimited', `${max} tails run already (plugins.logquery.max_tails)`, { retryAfter: 5 })
      }
      running++
      let open = true
      return () => {
        if (open) running--
        open = false
      }
    },
    running: () => running
  }
}
