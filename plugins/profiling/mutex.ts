// A mutex that refuses instead of waiting, because concurrent profiles would measure each other.
import { DbError } from '../../core/index.ts'

interface Mutex {
  /** Runs work that takes about `seconds`. Throws DbError `IllegalState` with status 409 while other work runs. */
  run<T>(seconds: number, work: () => Promise<T>): Promise<T>
  isTaken(): boolean
}

/** `what` is running, for the message: `a CPU profile`. */
export function createMutex(what: string): Mutex {
  let until: number | undefined
  return {
    isTaken: () => until !== undefined,
    async run(seconds, work) {
      if (until !== undefined) {
        const left = Math.max(1, Math.ceil((until - performance.now()) / 1000))
        throw new DbError('IllegalState', `${what} is being made, one at a time: try again in ${left} s`, {
          status: 409,
          retryAfter: left
        })
      }
      until = performance.now() + seconds * 1000
      try {
        return await work()
      } finally {
        until = undefined
      }
    }
  }
}
