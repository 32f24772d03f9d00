// For whoever waits until something is so: looks again each time it may have become so.

interface News {
  /** Something changed: all who wait look again, before the call returns. */
  tell(): void
  /** What `look` finds, as soon as it finds something. Rejects with the signal's reason. */
  until<T>(look: () => T | undefined, signal: AbortSignal): Promise<T>
}

export function createNews(): News {
  const waiting = new Set<() => void>()
  return {
    tell() {
      for (const again of [...waiting]) again()
    },
    until: <T>(look: () => T | undefined, signal: AbortSignal) =>
      new Promise<T>((resolve, reject) => {
        const end = () => {
          waiting.delete(again)
          signal.removeEventListener('abort', stop)
        }
        const stop = () => {
          end()
          reject(signal.reason)
        }
        const again = () => {
          const found = look()
          if (found === undefined) return
          end()
          resolve(found)
        }
        if (signal.aborted) return reject(signal.reason)
        waiting.add(again)
        signal.addEventListener('abort', stop, { once: true })
        again()
      })
  }
}
