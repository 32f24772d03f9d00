// The end of a query that takes too long, or that nobody waits for any more.
import { DbError, formatDuration } from '../../core/index.ts'

export interface Deadline {
  /** Fires when the time is over or the outer signal fires, with a DbError as its reason. */
  readonly signal: AbortSignal
  clear(): void
}

/** What a timer of the runtime can hold, some 24 days. */
const longestTimer = 2 ** 31 - 1

/** `key` says where the limit comes from. */
export function createDeadline(outer: AbortSignal, milliseconds: number, key: string): Deadline {
  const controller = new AbortController()
  const late = () => {
    const message = `query timed out: no result within ${formatDuration(milliseconds)} (${key})`
    controller.abort(new DbError('DeadlineExceeded', message, { status: 408 }))
  }
  const timer = setTimeout(late, Math.min(milliseconds, longestTimer))
  const stop = () => controller.abort(outer.reason)
  if (outer.aborted) stop()
  else outer.addEventListener('abort', stop)
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer)
      outer.removeEventListener('abort', stop)
    }
  }
}
