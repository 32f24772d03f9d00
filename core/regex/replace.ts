// Replaces matches, and parses templates such as `$1-${name}`.
import { DbError } from '../errors.ts'
import type { RegexMatch } from './regex.ts'

/** The replacement: a constant text, or a function of the match. */
export type Replacement = string | ((match: RegexMatch) => string)

export interface ReplaceLimits {
  /** Maximum replacements; default: all. */
  readonly limit?: number | undefined
  /** Maximum UTF-16 units of the result. */
  readonly maxLength?: number | undefined
}

/** `text` with the first `limit` matches replaced. Throws DbError `InvalidArguments` if the result is longer than `maxLength`. */
export function replaceMatches(
  text: string,
  matches: Iterable<RegexMatch>,
  by: Replacement,
  { limit = Number.POSITIVE_INFINITY, maxLength = Number.POSITIVE_INFINITY }: ReplaceLimits = {}
): string {
  let result = ''
  let at = 0
  let left = limit
  for (const match of matches) {
    if (left-- <= 0) break
    result += text.slice(at, match.start) + (typeof by === 'string' ? by : by(match))
    at = match.end
    if (result.length + text.length - at > maxLength) throw tooLong(maxLength)
  }
  return at === 0 && result === '' ? text : result + text.slice(at)
}

/**
 * Parses a template: `$1` and `${1}` are groups by number, `$name` and `${name}` by name, `$$` is a dollar sign. Names are as long as
 * possible: `$1a` is the group named `1a`. Groups that do not exist or took no part are empty. `names` is that of LinearRegex.
 */
export function parseReplacement(template: string, names: readonly (string | undefined)[]): Replacement {
  const texts: string[] = []
  const groups: number[] = []
  let text = ''
  let at = 0
  for (const found of template.matchAll(/\$(?:\$|\{([^}]*)\}|(\w+))/g)) {
    text += template.slice(at, found.index)
    at = found.index + found[0].length
    if (found[0] === '$$') text += '$'
    else {
      texts.push(text)
      groups.push(groupNumber(found[1] ?? found[2]!, names))
      text = ''
    }
  }
  text += template.slice(at)
  if (groups.length === 0) return text
  return match => groups.reduce((made, group, i) => made + texts[i]! + (match.groups[group] ?? ''), '') + text
}

/** −1 if there is no such group. */
function groupNumber(name: string, names: readonly (string | undefined)[]): number {
  return /^\d+$/.test(name) ? Number(name) : names.indexOf(name)
}

function tooLong(max: number): DbError {
  return new DbError('InvalidArguments', `the text would have more than ${max} characters with its matches replaced`)
}
