// Replaces matches, and reads templates such as `$1-${name}` that say by what.
import type { RegexMatch } from './regex.ts'

/** What stands in the place of a match: always the same text, or one made of the match. */
export type Replacement = string | ((match: RegexMatch) => string)

/** `text` with each of the first `limit` matches replaced. */
export function replaceMatches(
  text: string,
  matches: Iterable<RegexMatch>,
  by: Replacement,
  limit = Number.POSITIVE_INFINITY
): string {
  let result = ''
  let at = 0
  let left = limit
  for (const match of matches) {
    if (left-- <= 0) break
    result += text.slice(at, match.start) + (typeof by === 'string' ? by : by(match))
    at = match.end
  }
  return at === 0 && result === '' ? text : result + text.slice(at)
}

/**
 * Reads a template: `$1` and `${1}` are groups by number, `$name` and `${name}` by name, `$$` a dollar sign. A name is as long as it
 * can be: `$1a` is the group named `1a`. Groups that do not exist or took no part are empty text. `names` as in LinearRegex.
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

/** −1 where there is no such group. */
function groupNumber(name: string, names: readonly (string | undefined)[]): number {
  return /^\d+$/.test(name) ? Number(name) : names.indexOf(name)
}
