// Waits until a condition holds, however slow the machine is.
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'

/** Milliseconds a test waits for anything: only a test that fails takes so long. */
export const patience = 60_000

/**
 * Asks until the answer is wanted, and returns it; an error is not an answer. Throws with the last answer or error when it has not come after
 * `patience`.
 */
export async function eventually<T>(
  ask: () => T | Promise<T>,
  isWanted: (answer: T) => boolean = Boolean,
  interval = 50
): Promise<T> {
  for (const end = performance.now() + patience; ; await sleep(interval)) {
    let last: unknown
    try {
      const answer = await ask()
      if (isWanted(answer)) return answer
      last = answer
    } catch (error) {
      last = error
    }
    if (performance.now() > end)
      throw new Error(`after ${patience / 1000} s it is still ${inspect(last)}, not what ${ask} should give`)
  }
}
