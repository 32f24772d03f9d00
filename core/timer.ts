// Timers of any length. Those of the runtime hold 24.8 days at most, and take a longer time for one millisecond.

/** Milliseconds one timer of the runtime is asked to hold. */
const maxDelay = 24 * 86_400_000

export interface Timer {
  /** No further run; safe to call twice. */
  stop(): void
  /** The timer no longer keeps the process alive. */
  unref(): this
}

/** Runs something once, after `milliseconds`. */
export function after(milliseconds: number, run: () => void): Timer {
  return schedule(milliseconds, run, () => undefined)
}

/** Runs something every `milliseconds`, for the first time after as long. */
export function every(milliseconds: number, run: () => void): Timer {
  return schedule(milliseconds, run, () => milliseconds)
}

interface PauseOptions {
  /** Ends the pause: it rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** False: the pause does not keep the process alive. */
  readonly ref?: boolean
}

/** Resolves after `milliseconds`. */
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

/** `next` says after how long to run again, undefined for never. */
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
