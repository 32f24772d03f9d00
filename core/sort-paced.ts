// Sorts many items in steps, so that other requests run in between.
import type { Pace } from './pace.ts'

/** Items sorted without a pause; sorted runs of this length are then merged. */
const runLength = 1_024

/** Like `toSorted`, pausing when needed. */
export async function sortPaced<T>(pace: Pace, items: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> {
  if (items.length <= runLength) return items.toSorted(compare)
  let runs: T[][] = []
  for (let start = 0; start < items.length; start += runLength) {
    runs.push(items.slice(start, start + runLength).sort(compare))
    if (pace.isDue) await pace.pause()
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let i = 0; i < runs.length; i += 2) merged.push(await merge(pace, runs[i]!, runs[i + 1] ?? [], compare))
    runs = merged
  }
  return runs[0]!
}

async function merge<T>(pace: Pace, a: readonly T[], b: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> {
  const merged: T[] = []
  for (let [i, j] = [0, 0]; i < a.length || j < b.length; ) {
    merged.push(j >= b.length || (i < a.length && compare(a[i]!, b[j]!) <= 0) ? a[i++]! : b[j++]!)
    if (merged.length % runLength === 0 && pace.isDue) await pace.pause()
  }
  return merged
}
