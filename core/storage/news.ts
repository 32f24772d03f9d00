// A condition variable: waiters check again whenever something may have changed.

interface News {
  /** Makes all waiters check again, before the call returns. */
  tell(): void
  /** The first result of `look` that is not undefined. Rejects with the signal's reason. */
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
