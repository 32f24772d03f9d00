// Times how long results take to come.

/** Hands items on and tells the milliseconds each took to come, the end included: not what their reader does between them. */
export async function* timed<T>(source: AsyncIterable<T>, took: (ms: number) => void): AsyncGenerator<T> {
  const items = source[Symbol.asyncIterator]()
  try {
    for (;;) {
      const asked = performance.now()
      const next = await items.next().finally(() => took(performance.now() - asked))
      if (next.done) return
      yield next.value
    }
  } finally {
    await items.return?.()
  }
}
