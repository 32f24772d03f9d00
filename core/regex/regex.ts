// Regular expressions of users: RE2 syntax, in time linear in the length of the text, whatever the pattern.

import { RE2JS } from 're2js'
import { DbError } from '../errors.ts'
import { shorten } from '../model/shorten.ts'
import { eachMatch } from './match.ts'
import { nativeRoute } from './native.ts'
import { re2Route } from './re2.ts'
import { type ReplaceLimits, type Replacement, replaceMatches } from './replace.ts'
import { sizeProblem } from './size.ts'

/** A match. `groups[0]` is all of it; groups that took no part are undefined. Positions count UTF-16 units. */
export interface RegexMatch {
  readonly start: number
  readonly end: number
  readonly groups: readonly (string | undefined)[]
}

/** An engine that runs an expression. Text is a string, or UTF-8 bytes from `start` to `end`. */
export interface RegexRoute {
  test(text: string): boolean
  /** A function that finds the first match at or behind a position of this text. */
  search(text: string): (from: number) => RegexMatch | undefined
  testBytes(bytes: Uint8Array, start: number, end: number): boolean
  /** Writes the byte range of group g to `spans[2 * g]` and `spans[2 * g + 1]`; −1 for groups that took no part. */
  find(bytes: Uint8Array, start: number, end: number, spans: Int32Array): boolean
  /** Replaces all matches by the same text; undefined if the engine cannot do so at once. */
  replaceAll?(text: string, by: string): string | undefined
}

/** A compiled expression. Finds the leftmost match; of those, the one that backtracking would find first. */
export interface LinearRegex {
  readonly source: string
  /** The engine that runs it on ASCII text. */
  readonly engine: 'native' | 're2'
  /** Names of groups by number; undefined for unnamed groups. `names[0]`, the whole match, is undefined. */
  readonly names: readonly (string | undefined)[]
  /** Steps of its automaton; in the worst case each is tried for each character of a text. */
  readonly size: number
  test(text: string): boolean
  exec(text: string, from?: number): RegexMatch | undefined
  /**
   * All matches, not overlapping; an empty one does not touch the match before it. Throws DbError `InvalidArguments` if that takes far more
   * time than the length of the text allows, because a pattern may scan all of the text for every match.
   */
  matchAll(text: string): Iterable<RegexMatch>
  /** Replaces matches, by default all. `by` as a string is inserted literally. Throws like `matchAll`, and if the result becomes too long. */
  replace(text: string, by: Replacement, limits?: ReplaceLimits): string
  testBytes(bytes: Uint8Array, start: number, end: number): boolean
  find(bytes: Uint8Array, start: number, end: number, spans: Int32Array): boolean
}

/**
 * Compiles an expression in RE2 syntax, which has no look-around and no back-references. `flags` are letters of `imsU`, as in `(?im)`. Throws
 * DbError `InvalidArguments` that tells what is wrong.
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
    // In the worst case every character is a match.
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

/** Names the feature of other engines that the pattern seems to use and RE2 lacks. */
function limitOf(source: string): string {
  if (/\(\?<?[=!]/.test(source)) return ' (there is no look-around)'
  return /\\[1-9]/.test(source) ? ' (there are no back-references)' : ''
}

function invalidRegex(source: string, reason: string): DbError {
  const shown = shorten(source, 60)
  return new DbError('InvalidArguments', `"${shown}" is not a regular expression: ${reason}`)
}

function groupNames(expression: RE2JS): (string | undefined)[] {
  const names = new Array<string | undefined>(expression.groupCount() + 1).fill(undefined)
  for (const [name, group] of Object.entries(expression.namedGroups())) names[group] = name
  return names
}
