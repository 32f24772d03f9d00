// A limit on how many things run at once; further ones wait their turn.
export interface Gate {
  /** Resolves when there is a place; what it returns frees the place. Rejects with the signal's reason. */
  enter(signal: AbortSignal): Promise<() => void>
  /** How many have a place. */
  running(): number
  /** How many wait for one. */
  waiting(): number
}

/** `most` 0: no limit; a function is asked each time. */
export function createGate(most: number | (() => number)): Gate {
  const places = () => {
    const limit = typeof most === 'number' ? most : most()
    return limit > 0 ? limit - inside : Number.POSITIVE_INFINITY
  }
  let inside = 0
  const waiting = new Set<() => void>()
  const leave = () => {
    inside--
    // There may be more places than this one since the limit was raised.
    let free = places()
    for (const next of waiting) {
      if (--free < 0) return
      next()
    }
  }
  return {
    async enter(signal) {
      while (places() <= 0) {
        signal.throwIfAborted()
        await turn(waiting, signal)
      }
      signal.throwIfAborted()
      inside++
      let left = false
      return () => {
        if (!left) leave()
        left = true
      }
    },
    running: () => inside,
    waiting: () => waiting.size
  }
}

/** Resolves when it is called or the signal fires; either way it waits no more. */
function turn(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const stop = () => {
      waiting.delete(stop)
      signal.removeEventListener('abort', stop)
      resolve()
    }
    waiting.add(stop)
    signal.addEventListener('abort', stop)
  })
}
