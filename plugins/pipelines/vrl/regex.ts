// Regular expressions of programs: linear time whatever the pattern. The one place that knows the engine.
import { RE2JS } from 're2js'

/** Longest pattern in UTF-16 units. */
const maxPattern = 32_768

/** Where a pattern was found: offsets in UTF-16 units, `groups[0]` is the whole match, undefined groups took no part. */
export interface Match {
  readonly start: number
  readonly end: number
  readonly groups: readonly (string | undefined)[]
}

/** A compiled pattern; equal when the pattern texts are. */
export class Regex {
  readonly source: string
  /** Group numbers by name. */
  readonly names: ReadonlyMap<string, number>
  readonly groupCount: number
  readonly #pattern: RE2JS

  /** Throws an Error that says what is wrong with the pattern. */
  constructor(source: string) {
    if (source.length > maxPattern) throw new Error(`pattern is longer than ${maxPattern} characters`)
    this.source = source
    this.#pattern = RE2JS.compile(source)
    this.names = new Map(Object.entries(this.#pattern.namedGroups()))
    this.groupCount = this.#pattern.groupCount()
  }

  test(text: string): boolean {
    return this.#pattern.matcher(text).find()
  }

  /** The first match at or after `from`. */
  exec(text: string, from = 0): Match | undefined {
    const matcher = this.#pattern.matcher(text)
    if (from > text.length || !matcher.find(from)) return undefined
    const groups: (string | undefined)[] = []
    for (let i = 0; i <= this.groupCount; i++) groups.push(matcher.group(i) ?? undefined)
    return { start: matcher.start(), end: matcher.end(), groups }
  }

  /** All matches from left to right, none overlapping; an empty match steps one character on. */
  *matches(text: string): Generator<Match> {
    let at = 0
    let last = -1
    while (at <= text.length) {
      const match = this.exec(text, at)
      if (match === undefined) return
      const empty = match.end === match.start
      if (!empty || match.start !== last) yield match
      last = match.end
      at = empty ? match.end + (text.codePointAt(match.end)! > 0xffff ? 2 : 1) : match.end
    }
  }
}
