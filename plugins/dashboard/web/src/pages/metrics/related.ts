// Metrics that are about the same thing, as their names tell.

/** Metrics named at most. */
const maxMetrics = 8

/** Those that share most words of the name, the first ones above all. */
export function relatedMetrics(name: string, names: readonly string[]): readonly string[] {
  const words = wordsOf(name)
  return names
    .flatMap(other => {
      const score = other === name ? 0 : likeness(words, wordsOf(other))
      return score > 1 ? [{ other, score }] : []
    })
    .sort((a, b) => b.score - a.score || (a.other < b.other ? -1 : 1))
    .slice(0, maxMetrics)
    .map(({ other }) => other)
}

function wordsOf(name: string): readonly string[] {
  return name.split(/[_:.]+/).filter(word => word !== '')
}

function likeness(a: readonly string[], b: readonly string[]): number {
  const first = a.findIndex((word, i) => word !== b[i])
  const leading = first < 0 ? a.length : first
  const inBoth = new Set(a.slice(leading).filter(word => b.includes(word, leading)))
  return 2 * leading + inBoth.size
}
