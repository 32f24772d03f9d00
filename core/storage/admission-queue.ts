// Admission control: work starts while a slot is free, and waits otherwise in a bounded queue in which users take turns.
import { DbError } from '../errors.ts'
import { after } from '../timer.ts'
import { FairQueue } from './fair-queue.ts'

export interface AdmissionOptions {
  /** A plural noun for messages: `statements`, `queries`. */
  readonly what: string
  /** Whether something may start now; asked each time. */
  hasSlot(): boolean
  /** How many may wait, and for how many milliseconds each; 0 means no limit. Asked each time; absent: no limits. */
  queue?(): { readonly max: number; readonly time: number }
  /** Called for each refusal: the queue was full, or the wait took too long. */
  refused?(reason: Refusal): void
}

type Refusal = 'full' | 'late'

interface Waiting {
  readonly start: () => void
  readonly fail: (error: unknown) => void
}

export class AdmissionQueue {
  readonly #options: AdmissionOptions
  readonly #waiting = new FairQueue<Waiting>()

  constructor(options: AdmissionOptions) {
    this.#options = options
  }

  /** Number of waiting requests. */
  get waiting(): number {
    return this.#waiting.size
  }

  /**
   * Calls `start` once a slot is free; `start` must take the slot before it returns. Rejects with the signal's reason, or with `RateLimited` if the
   * queue is full or the wait takes too long.
   */
  run<T>(user: string, signal: AbortSignal, start: () => T | Promise<T>): Promise<T> {
    if (signal.aborted) return Promise.reject(signal.reason)
    const { what, hasSlot, queue, refused } = this.#options
    if (this.#waiting.size === 0 && hasSlot()) return begin(start)
    const { max, time } = queue?.() ?? { max: Number.POSITIVE_INFINITY, time: 0 }
    if (this.#waiting.size >= max) {
      refused?.('full')
      const message = `${this.#waiting.size} ${what} wait to be run, no more than ${max} may (max_waiting_queries)`
      return Promise.reject(new DbError('RateLimited', message, { retryAfter: 1 }))
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        late?.stop()
        signal.removeEventListener('abort', abort)
      }
      const waiting: Waiting = {
        start() {
          leave()
          resolve(begin(start))
        },
        fail(error) {
          leave()
          reject(error)
        }
      }
      const giveUp = (error: unknown) => {
        this.#waiting.remove(user, waiting)
        waiting.fail(error)
      }
      const abort = () => giveUp(signal.reason)
      const isLate = () => {
        refused?.('late')
        const message = `other ${what} ran for the ${time / 1000} s that one may wait for its turn (query_wait_timeout)`
        giveUp(new DbError('RateLimited', message, { retryAfter: 1 }))
      }
      const late = time > 0 ? after(time, isLate) : undefined
      signal.addEventListener('abort', abort, { once: true })
      this.#waiting.add(user, waiting)
    })
  }

  /** Starts waiting requests while slots are free. */
  letIn(): void {
    while (this.#waiting.size > 0 && this.#options.hasSlot()) this.#waiting.next()!.start()
  }

  /** Rejects all waiting requests with the error. */
  fail(error: unknown): void {
    for (let waiting = this.#waiting.next(); waiting !== undefined; waiting = this.#waiting.next()) waiting.fail(error)
  }
}

async function begin<T>(start: () => T | Promise<T>): Promise<T> {
  return start()
}
