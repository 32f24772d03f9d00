// A limit on how many things run at once; further ones wait their turn.
export interface Gate {
  /** Resolves when there is a place; what it returns frees the place. Rejects with the signal's reason. */
  enter(signal: AbortSignal): Promise<() => void>
}

/** `limit` 0: no limit. */
export function createGate(limit: number): Gate {
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
