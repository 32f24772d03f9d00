// A limit on how many things run at once; further ones wait their turn.
export interface Gate {
  /** Resolves when there is a place; what it returns frees the place. Rejects with the signal's reason. */
  enter(signal: AbortSignal): Promise<() => void>
}

/** `limit` 0: no limit. */
export function createGate(limit: number): Gate {
  let inside = 0
  const waiting: (() => void)[] = []
  const leave = () => {
    inside--
    waiting.shift()?.()
  }
  return {
    async enter(signal) {
      while (limit > 0 && inside >= limit) {
        signal.throwIfAborted()
        await new Promise<void>(resolve => {
          waiting.push(resolve)
          signal.addEventListener('abort', () => resolve(), { once: true })
        })
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
