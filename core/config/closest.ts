// Spelling suggestions: the known word closest to an unknown one.

/**
 * Pairs of characters compared for one suggestion (some milliseconds), because words and candidates come from requests and may be long and
 * many.
 */
const maxPairs = 1_000_000

/**
 * The candidate with the fewest edits, if they are at most `max` (default: a third of the longer word); else undefined. Of many long
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
    // The difference in length is a lower bound of the edits.
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

/** `, did you mean X?` with `prefix` before the name; empty if nothing is close. */
export function didYouMean(word: string, candidates: Iterable<string>, before = ''): string {
  const best = closest(word, candidates)
  return best === undefined ? '' : `, did you mean ${before}${best}?`
}

/** Damerau-Levenshtein distance: insertions, deletions, changes and swaps of neighbours. */
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
