// Patterns of two times beside each other.
import type { LogPattern } from '../../api/logs.ts'

export interface PatternPair {
  /** Of the time looked at; where there is none, of the other time. */
  readonly pattern: LogPattern
  readonly now: number
  /** Undefined: nothing is compared. */
  readonly before: number | undefined
}

/** With the largest differences first; without another time in the order they come. */
export function pairPatterns(now: readonly LogPattern[], before: readonly LogPattern[] | undefined): PatternPair[] {
  if (before === undefined) return now.map(pattern => ({ pattern, now: pattern.count, before: undefined }))
  const left = new Set(before)
  const pairs: PatternPair[] = now.map(pattern => {
    const same = [...left].filter(other => areAlike(pattern, other))
    for (const other of same) left.delete(other)
    return { pattern, now: pattern.count, before: same.reduce((sum, { count }) => sum + count, 0) }
  })
  for (const pattern of left) pairs.push({ pattern, now: 0, before: pattern.count })
  return pairs.sort((a, b) => Math.abs(b.now - b.before!) - Math.abs(a.now - a.before!))
}

/** The same lines may have been grouped a little differently. */
function areAlike(a: LogPattern, b: LogPattern): boolean {
  return a.pattern === b.pattern || matchesAll(a.regex, b.examples) || matchesAll(b.regex, a.examples)
}

function matchesAll(regex: string, examples: readonly string[]): boolean {
  try {
    const pattern = new RegExp(regex, 's')
    return examples.length > 0 && examples.every(example => pattern.test(example))
  } catch {
    // The server accepts regular expressions that the browser does not.
    return false
  }
}
