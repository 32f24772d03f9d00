// Regular expressions of users: RE2 syntax, and time that grows with the length of the text, whatever the pattern.
import { RE2JS } from 're2js'
import { DbError } from '../errors.ts'
import { eachMatch } from './match.ts'
import { nativeRoute } from './native.ts'
import { re2Route } from './re2.ts'
import { type ReplaceLimits, type Replacement, replaceMatches } from './replace.ts'
import { sizeProblem } from './size.ts'

/** One match; `groups[0]` is all of it, a group that took no part is undefined. Positions count UTF-16 units. */
export interface RegexMatch {
  readonly start: number
  readonly end: number
  readonly groups: readonly (string | undefined)[]
}

/** How one engine runs an expression. Text as a string, or as UTF-8 bytes from `start` to `end`. */
export interface RegexRoute {
  test(text: string): boolean
  /** What finds the first match at or behind a position of this text. */
  search(text: string): (from: number) => RegexMatch | undefined
  testBytes(bytes: Uint8Array, start: number, end: number): boolean
  /** Writes where group g starts and ends in `bytes` to `spans[2 * g]` and `spans[2 * g + 1]`, −1 for one that took no part. */
  find(bytes: Uint8Array, start: number, end: number, spans: Int32Array): boolean
  /** All matches replaced by the same text; undefined where the route cannot do it at once. */
  replaceAll?(text: string, by: string): string | undefined
}

/** A compiled expression. Finds the first match from the left; of those, the one that a trial of its ways in order finds first. */
export interface LinearRegex {
  readonly source: string
  /** The engine that runs it on ASCII text. */
  readonly engine: 'native' | 're2'
  /** By number, from 1; undefined for a group without a name. `names[0]` is undefined: all of the match. */
  readonly names: readonly (string | undefined)[]
  /** Steps of its automaton: in the worst case each is looked at for each character of a text. */
  readonly size: number
  test(text: string): boolean
  exec(text: string, from?: number): RegexMatch | undefined
  /**
   * All matches, none within another; an empty one does not touch the match before it. Throws DbError `InvalidArguments` where that
   * takes far more time than the length of the text allows: a pattern may look at all of the text for every match.
   */
  matchAll(text: string): Iterable<RegexMatch>
  /**
   * Matches are replaced within the limits, by default all of them. `by` as a string is put in as it is. Throws as `matchAll` does, and
   * where the result becomes too long.
   */
  replace(text: string, by: Replacement, limits?: ReplaceLimits): string
  testBytes(bytes: Uint8Array, start: number, end: number): boolean
  find(bytes: Uint8Array, start: number, end: number, spans: Int32Array): boolean
}

/**
 * Compiles an expression in RE2 syntax: no look-around, no back-references. `flags` are letters of `imsU`, as in `(?im)`. Throws
 * DbError `InvalidArguments` that tells what is wrong with it.
 */
export function compileRegex(source: string, flags = ''): LinearRegex {
  if (!/^[imsU]*$/.test(flags)) throw invalidRegex(source, `unknown flags '${flags}', expected letters of imsU`)
  const whole = flags === '' ? source : `(?${flags})${source}`
  const expression = compileRe2(source, whole)
  const re2 = re2Route(expression)
  const native = nativeRoute(whole, re2)
  const { test, search, testBytes, find } = native ?? re2
  const matchAll = (text: string) => eachMatch(source, text, search(text))
  const replace = (text: string, by: Replacement, limits: ReplaceLimits = {}) => {
    const { limit, maxLength = Number.POSITIVE_INFINITY } = limits
    // At worst every character is a match.
    const fits = typeof by === 'string' && text.length * (by.length + 1) <= maxLength
    const atOnce = fits && limit === undefined ? native?.replaceAll?.(text, by) : undefined
    return atOnce ?? replaceMatches(text, matchAll(text), by, limits)
  }
  return {
    source,
    engine: native === undefined ? 're2' : 'native',
    names: groupNames(expression),
    size: expression.programSize(),
    test,
    exec: (text, from = 0) => search(text)(from),
    matchAll,
    replace,
    testBytes,
    find
  }
}

function compileRe2(source: string, whole: string): RE2JS {
  const problem = sizeProblem(whole)
  if (problem !== undefined) throw invalidRegex(source, problem)
  try {
    return RE2JS.compile(whole)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/^error parsing regexp: /, '') : String(cause)
    throw invalidRegex(source, reason + limitOf(source))
  }
}

/** What other engines have and this syntax lacks, where the pattern seems to use it. */
function limitOf(source: string): string {
  if (/\(\?<?[=!]/.test(source)) return ' (there is no look-around)'
  return /\\[1-9]/.test(source) ? ' (there are no back-references)' : ''
}

function invalidRegex(source: string, reason: string): DbError {
  const shown = source.length > 60 ? `${source.slice(0, 60)}…` : source
  return new DbError('InvalidArguments', `"${shown}" is not a regular expression: ${reason}`)
}

function groupNames(expression: RE2JS): (string | undefined)[] {
  const names = new Array<string | undefined>(expression.groupCount() + 1).fill(undefined)
  for (const [name, group] of Object.entries(expression.namedGroups())) names[group] = name
  return names
}
