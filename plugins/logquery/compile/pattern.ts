// Regular expressions of a query in the engine's syntax.
import { compileRegex } from '../../../core/index.ts'
import { atPath } from '../document/node.ts'

/** Matches quoted text, escapes and classes, which contain no groups, or the beginning of a named group. */
const parts = /\\Q.*?(?:\\E|$)|\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|\(\?<(?=\w)/gs

/** Converts named groups to the form the engine supports. Throws DbError `InvalidArguments` for an invalid expression. */
export function patternOf(text: string, path: string): string {
  atPath(path, () => compileRegex(text))
  return text.replace(parts, part => (part === '(?<' ? '(?P<' : part))
}
