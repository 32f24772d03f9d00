// Aborts a query after its time limit, or when its client is gone.
import { after, DbError, formatDuration } from '../../core/index.ts'

interface Deadline {
  /** Fires when the time is over or the outer signal fires, with a DbError as its reason. */
  readonly signal: AbortSignal
  clear(): void
}

/** `key`: the configuration key of the limit, for the error message. */
export function createDeadline(outer: AbortSignal, milliseconds: number, key: string): Deadline {
  const controller = new AbortController()
  const late = () => {
    const message = `query timed out: no result within ${formatDuration(milliseconds)} (${key})`
    controller.abort(new DbError('DeadlineExceeded', message, { status: 408 }))
  }
  const timer = after(milliseconds, late)
  const stop = () => controller.abort(outer.reason)
  if (outer.aborted) stop()
  else outer.addEventListener('abort', stop)
  return {
    signal: controller.signal,
    clear() {
      timer.stop()
      outer.removeEventListener('abort', stop)
    }
  }
}
