// The time work takes, as benches of single questions tell it.

/** Milliseconds: of so many runs, one after the other, the one in the middle. */
export async function medianTime(runs: number, work: () => Promise<void>): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < runs; i++) {
    const started = performance.now()
    await work()
    times.push(performance.now() - started)
  }
  return times.toSorted((a, b) => a - b)[runs >> 1]!
}
