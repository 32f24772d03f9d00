// A weighted semaphore: an amount (of bytes, for example) that many share. Waiting users take turns.
import { after } from '../timer.ts'
import { FairQueue } from './fair-queue.ts'

interface Waiter {
  readonly amount: number
  /** Whether it may exceed the limit, see `letOneIn`. */
  readonly isStuck: boolean
  readonly go: () => void
}

interface Entry {
  readonly user: string
  /** Milliseconds. */
  readonly wait: number
  readonly signal: AbortSignal
  /** It already holds a part and returns it only after it got more. */
  readonly isStuck: boolean
  /** Called as soon as the amount is taken. */
  taken(): void
}

export class WeightedSemaphore {
  readonly limit: number
  used = 0
  readonly #waiting = new FairQueue<Waiter>()

  /** A limit of 0 means none. */
  constructor(limit: number) {
    this.limit = limit
  }

  /** Takes the amount if it is free and nobody waits. */
  acquire(amount: number): boolean {
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

  /** Lets in the first waiter that already holds a part, even beyond the limit, because otherwise all could wait for each other. */
  letOneIn(): void {
    const stuck = this.#waiting.find(({ isStuck }) => isStuck)
    if (stuck !== undefined) this.#letIn(stuck)
  }

  #letIn({ amount, go }: Waiter): void {
    this.used += amount
    go()
  }

  /** Waits in the queue. False after `wait` milliseconds; rejects with the signal's reason. */
  enter(amount: number, { user, wait, signal, isStuck, taken }: Entry): Promise<boolean> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const leave = () => {
        timer.stop()
        this.#waiting.remove(user, waiter)
        signal.removeEventListener('abort', stop)
      }
      const giveUp = (answer: () => void) => {
        leave()
        answer()
        // Waiters behind this one may fit now.
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
