// Regular expressions of a query as the engine writes them.
import { compileRegex } from '../../../core/index.ts'
import { atPath } from '../document/node.ts'

/** Quoted text, escapes and classes, in which a group cannot begin; or the beginning of a named group. */
const parts = /\\Q.*?(?:\\E|$)|\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|\(\?<(?=\w)/gs

/** The engine knows one of the two ways to name a group. Throws DbError `InvalidArguments` for what is no regular expression. */
export function patternOf(text: string, path: string): string {
  atPath(path, () => compileRegex(text))
  return text.replace(parts, part => (part === '(?<' ? '(?P<' : part))
}
