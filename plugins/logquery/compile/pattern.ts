// Regular expressions of a query in the engine's syntax.
import { compileRegex, type RegexBudget } from '../../../core/index.ts'
import { atPath } from '../document/node.ts'

/** Matches quoted text, escapes and classes, which contain no groups, or the beginning of a named group. */
const parts = /\\Q.*?(?:\\E|$)|\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|\(\?<(?=\w)/gs

/** Converts named groups to the form the engine supports. Throws DbError `InvalidArguments` for an invalid expression, and if those of the query are too long together. */
export function patternOf(regexes: RegexBudget, text: string, path: string): string {
  atPath(path, () => {
    regexes.take(text)
    compileRegex(text)
  })
  return text.replace(parts, part => (part === '(?<' ? '(?P<' : part))
}
