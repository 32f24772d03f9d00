// A weighted semaphore: a limited amount (bytes, for example) that is taken in parts; users that wait take turns.
import { FairQueue } from '../storage/fair-queue.ts'
import { after } from '../timer.ts'

interface Waiter {
  readonly amount: number
  /** Whether it may be let in beyond the limit, see `letOneIn`. */
  readonly isStuck: boolean
  readonly go: () => void
}

export interface Entry {
  readonly user: string
  /** Milliseconds. */
  readonly wait: number
  readonly signal: AbortSignal
  /** It holds something, and gives it back only once it has got more. */
  readonly isStuck: boolean
  /** Called the moment the amount is taken. */
  taken(): void
}

export class WeightedSemaphore {
  readonly limit: number
  used = 0
  readonly #waiting = new FairQueue<Waiter>()

  /** A limit of 0 is none. */
  constructor(limit: number) {
    this.limit = limit
  }

  /** Takes the amount if it is free and nobody waits. */
  take(amount: number): boolean {
    if (amount > 0 && (this.#waiting.size > 0 || !this.#fits(amount))) return false
    this.used += amount
    return true
  }

  force(amount: number): void {
    this.used += amount
  }

  give(amount: number): void {
    this.used -= amount
    for (let next = this.#waiting.first(); next !== undefined && this.#fits(next.amount); next = this.#waiting.first())
      this.#letIn(this.#waiting.next()!)
  }

  /** Lets the first in that holds something already, whether it fits or not: all could wait for each other. */
  letOneIn(): void {
    const stuck = this.#waiting.find(({ isStuck }) => isStuck)
    if (stuck !== undefined) this.#letIn(stuck)
  }

  #letIn({ amount, go }: Waiter): void {
    this.used += amount
    go()
  }

  /** Waits for its turn. False after `wait` milliseconds; rejects with the signal's reason. */
  enter(amount: number, { user, wait, signal, isStuck, taken }: Entry): Promise<boolean> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const leave = () => {
        timer.stop()
        this.#waiting.remove(user, waiter)
        signal.removeEventListener('abort', stop)
      }
      const giveUp = (settle: () => void) => {
        leave()
        settle()
        // Those behind may fit now.
        this.give(0)
      }
      const stop = () => giveUp(() => reject(signal.reason))
      const go = () => {
        leave()
        taken()
        resolve(true)
      }
      const waiter: Waiter = { amount, isStuck, go }
      const timer = after(wait, () => giveUp(() => resolve(false)))
      signal.addEventListener('abort', stop)
      this.#waiting.add(user, waiter)
    })
  }

  #fits(amount: number): boolean {
    return this.limit === 0 || this.used + amount <= this.limit
  }
}
