// Hints for misspelt names, as far off as those that the language itself gives.

/** A note naming the candidate that is nearest to a name, if one is near. */
export function closest(name: string, candidates: readonly string[]): string[] {
  let best: string | undefined
  let least = Math.max(2, Math.floor(name.length / 2)) + 1
  for (const candidate of candidates) {
    const found = distance(name, candidate)
    if (found < least) {
      least = found
      best = candidate
    }
  }
  return best === undefined ? [] : [`did you mean "${best}"?`]
}

/** Letters to insert, remove or replace. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const following = [i]
    for (let j = 1; j <= b.length; j++)
      following.push(Math.min(row[j]! + 1, following[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    row = following
  }
  return row[b.length]!
}
