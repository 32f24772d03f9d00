// Regular expressions as values of programs: the server's linear-time ones, with the language's Unicode classes and verbose mode.

import { compileRegex, isDbError, type LinearRegex, type RegexMatch } from '../../../core/compute.ts'
import { maxPatternLength } from './bounds.ts'
import { Failure } from './failure.ts'
import { stripVerbose, unicodeClasses } from './regex-syntax.ts'

/** Where a pattern was found: offsets in UTF-16 units, `groups[0]` is the whole match, undefined groups took no part. */
export type Match = RegexMatch

// biome-ignore lint/suspicious/noControlCharactersInRegex: every character of ASCII
const ascii = /^[\x00-\x7f]*$/

/** A compiled pattern; equal when the pattern texts are. */
export class Regex {
  readonly source: string
  /** Group numbers by name. */
  readonly names: ReadonlyMap<string, number>
  /** Groups without the whole match. */
  readonly groupCount: number
  /** The expression for ASCII text, for which `\d` and similar classes mean the same with and without Unicode. */
  readonly #plain: LinearRegex
  #unicode: LinearRegex | undefined

  /** Throws an Error with the reason if the pattern is invalid. */
  constructor(source: string) {
    if (source.length > maxPatternLength) throw new Error(`the pattern is longer than ${maxPatternLength} characters`)
    const pattern = stripVerbose(source)
    const wide = unicodeClasses(pattern)
    this.source = source
    this.#plain = compileRegex(pattern)
    this.#unicode = wide === pattern ? this.#plain : undefined
    this.names = namesOf(this.#plain)
    this.groupCount = this.#plain.names.length - 1
  }

  test(text: string): boolean {
    return this.#for(text).test(text)
  }

  /** The first match at or after `from`. */
  exec(text: string, from = 0): Match | undefined {
    return this.#for(text).exec(text, from)
  }

  /** All matches from left to right, none overlapping. Fails, for good, where a pattern and a text take too long together. */
  *matches(text: string): Iterable<Match> {
    try {
      yield* this.#for(text).matchAll(text)
    } catch (error) {
      throw isDbError(error) ? new Failure(error.message, 'limit') : error
    }
  }

  #for(text: string): LinearRegex {
    if (this.#unicode === this.#plain || ascii.test(text)) return this.#plain
    this.#unicode ??= compileRegex(unicodeClasses(stripVerbose(this.source)))
    return this.#unicode
  }
}

function namesOf({ names }: LinearRegex): Map<string, number> {
  const found = new Map<string, number>()
  for (const [i, name] of names.entries()) if (name !== undefined) found.set(name, i)
  return found
}
