// A limit on how many things run at once; further ones wait their turn.
export interface Gate {
  /** Resolves when there is a place; what it returns frees the place. Rejects with the signal's reason. */
  enter(signal: AbortSignal): Promise<() => void>
  /** How many have a place. */
  running(): number
  /** How many wait for one. */
  waiting(): number
  /** Another limit from now on, 0 for none; whoever is inside stays. */
  setLimit(limit: number): void
}

/** `most` 0: no limit. */
export function createGate(most: number): Gate {
  let limit = most
  let inside = 0
  const waiting = new Set<() => void>()
  const leave = () => {
    inside--
    const [next] = waiting
    next?.()
  }
  return {
    async enter(signal) {
      while (limit > 0 && inside >= limit) {
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
    waiting: () => waiting.size,
    setLimit(most) {
      limit = most
      for (const next of [...waiting]) next()
    }
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
