// Work that must not overlap: each piece starts when the one before it is over.

/**
 * A queue of its own. What it returns runs `work` after all that was given to it before, also where that failed, and resolves or rejects as
 * `work` does.
 */
export function serialQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const next = last.then(work)
    last = next.catch(() => {})
    return next
  }
}
