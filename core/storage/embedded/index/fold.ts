// Lower case as DuckDB makes it, for the characters of which that is beyond doubt.

/** Latin, Greek and Cyrillic letters with one letter as their lower case. */
const plainCase = /^[\u00c0-\u012f\u0132-\u017e\u0386-\u03ff\u0400-\u052f]$/

/** The term in lower case; undefined when it holds a letter whose lower case may be another to another table of Unicode. */
export function foldTerm(term: string): string | undefined {
  let folded = ''
  for (const char of term) {
    const lower = char.toLowerCase()
    const isSure = char < '\x80' || (lower === char && char.toUpperCase() === char) || plainCase.test(char)
    if (!isSure || [...lower].length !== 1) return undefined
    folded += lower
  }
  return folded
}
