// Timers for any length of time. Node's timers hold at most 24.8 days, and fire after a millisecond for longer times.

/** Milliseconds of one Node timer at most. */
const maxDelay = 24 * 86_400_000

/** A running timer. */
export interface Timer {
  /** Cancels further runs; may be called twice. */
  stop(): void
  /** Lets the process end while the timer is pending. */
  unref(): this
}

/** Calls `run` once, after `milliseconds`. `run` must not throw. */
export function after(milliseconds: number, run: () => void): Timer {
  return schedule(milliseconds, run, () => undefined)
}

/** Calls `run` every `milliseconds`, for the first time after that time, without waiting for a promise it returns. `run` must not throw. */
export function every(milliseconds: number, run: () => void): Timer {
  return schedule(milliseconds, run, () => milliseconds)
}

interface PauseOptions {
  /** Ends the pause: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** False: the process may end during the pause. */
  readonly ref?: boolean
}

/** Resolves after `milliseconds`; rejects with the signal's reason if that fires first. */
export function pause(milliseconds: number, { signal, ref = true }: PauseOptions = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const end = () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }
    const stop = () => {
      timer.stop()
      reject(signal!.reason)
    }
    const timer = after(milliseconds, end)
    if (!ref) timer.unref()
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/** `next` returns the milliseconds until the next run, undefined for none. */
function schedule(first: number, run: () => void, next: () => number | undefined): Timer {
  let handle: NodeJS.Timeout
  let isHeld = true
  let isStopped = false
  const wait = (milliseconds: number) => {
    const part = Math.min(milliseconds, maxDelay)
    handle = setTimeout(() => (milliseconds > part ? wait(milliseconds - part) : fire()), part)
    if (!isHeld) handle.unref()
  }
  const fire = () => {
    const milliseconds = next()
    if (milliseconds !== undefined) wait(milliseconds)
    if (!isStopped) run()
  }
  wait(first)
  return {
    stop() {
      isStopped = true
      clearTimeout(handle)
    },
    unref() {
      isHeld = false
      handle.unref()
      return this
    }
  }
}
