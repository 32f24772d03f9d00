// Work on many items, several of them at the same time.

/** Does `work` for all items in their order, `limit` of them at the same time. Rejects as the first `work` that does. */
export async function eachConcurrent<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>
): Promise<void> {
  const queue = items.values()
  const run = async () => {
    for (let next = queue.next(); !next.done; next = queue.next()) await work(next.value)
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, run))
}
