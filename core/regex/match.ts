// Iterates over matches, with a time limit for patterns that scan the whole text for each.

import { DbError } from '../errors.ts'
import { shorten } from '../model/shorten.ts'
import type { RegexMatch } from './regex.ts'

/** Processor time for all matches of a text: a multiple of what normal patterns need. */
const baseMilliseconds = 100
const millisecondsPerCharacter = 0.01
/** Matches between two readings of the clock. */
const stride = 32

/** Finds the matches of one text in order. */
interface Finder {
  /** Undefined after the last one. */
  next(): RegexMatch | undefined
  at: number
}

/** `find` returns the first match at or behind a position. */
export function* eachMatch(
  source: string,
  text: string,
  find: (from: number) => RegexMatch | undefined
): Iterable<RegexMatch> {
  const finder = createFinder(text, find)
  for (let count = 0; count < stride; count++) {
    const match = finder.next()
    if (match === undefined) return
    yield match
  }
  // Finds a few matches in advance, so that the caller's time does not count.
  let left = baseMilliseconds + text.length * millisecondsPerCharacter
  for (;;) {
    const start = processorTime()
    const found: RegexMatch[] = []
    for (let match = finder.next(); match !== undefined; match = finder.next()) {
      if (found.push(match) === stride) break
    }
    left -= processorTime() - start
    yield* found
    if (found.length < stride) return
    if (left < 0) throw tooLong(source, text, finder.at)
  }
}

function createFinder(text: string, find: (from: number) => RegexMatch | undefined): Finder {
  let last = -1
  const finder: Finder = {
    at: 0,
    next() {
      while (finder.at <= text.length) {
        const match = find(finder.at)
        if (match === undefined) break
        const { start, end } = match
        const touches = end === start && start === last
        last = end
        finder.at = end > start ? end : end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1)
        if (!touches) return match
      }
      finder.at = text.length + 1
      return undefined
    }
  }
  return finder
}

/** Processor time of this thread in milliseconds, independent of the machine's load. */
function processorTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

function tooLong(source: string, text: string, at: number): DbError {
  const shown = shorten(source, 60)
  const stop = `stopped at character ${at} of ${text.length}`
  return new DbError(
    'InvalidArguments',
    `"${shown}" takes too long to find all matches: ${stop}, it looks at much of the text for every match`
  )
}
