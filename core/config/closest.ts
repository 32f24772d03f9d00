// Did you mean: the known word nearest to an unknown one.

/** Pairs of characters that are compared for one suggestion, some milliseconds: words come from requests, and may be of any length and number. */
const maxPairs = 1_000_000

/**
 * The candidate with the fewest edits, when they are at most `max` (absent: a third of the longer word); undefined otherwise. Of many long
 * candidates only the first are compared.
 */
export function closest(word: string, candidates: Iterable<string>, max?: number): string | undefined {
  const folded = word.toLowerCase()
  let best: string | undefined
  let fewest = Number.POSITIVE_INFINITY
  let pairs = 0
  for (const candidate of candidates) {
    const length = Math.max(word.length, candidate.length)
    const most = max ?? Math.max(1, Math.floor(length / 3))
    // Each character more is an edit.
    if (length - Math.min(word.length, candidate.length) > most) continue
    pairs += word.length * candidate.length
    if (pairs > maxPairs) break
    const edits = distance(folded, candidate.toLowerCase())
    if (edits < fewest && edits < length && edits <= most) {
      best = candidate
      fewest = edits
    }
  }
  return best
}

/** `, did you mean X?`, with what stands before the name, or nothing. */
export function didYouMean(word: string, candidates: Iterable<string>, before = ''): string {
  const best = closest(word, candidates)
  return best === undefined ? '' : `, did you mean ${before}${best}?`
}

/** Insertions, deletions, changes and swaps of neighbours that turn one word into the other. */
function distance(a: string, b: string): number {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      let min = Math.min(change, above[j]! + 1, row[j - 1]! + 1)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) min = Math.min(min, before[j - 2]! + 1)
      row.push(min)
    }
    before = above
    above = row
  }
  return above[b.length]!
}
