// A serial queue: work that must not overlap.

/**
 * A new serial queue. The returned function runs `work` after all work given to it before, even if that failed, and settles as `work` does.
 */
export function serialQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const next = last.then(work)
    last = next.catch(() => {})
    return next
  }
}
