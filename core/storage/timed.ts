// Measures how long results take to arrive.

/** Passes items on and reports the milliseconds each took to arrive, the end included; the reader's own time does not count. */
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
