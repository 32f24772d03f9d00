// Label matchers as functions; regular expressions are anchored at both ends.
import { compileRegex, type LinearRegex } from '../../../core/index.ts'
import type { Matcher } from './ast.ts'

/** A test of a label's value; a missing label has the value ''. Throws DbError `InvalidArguments` for a wrong expression. */
export function compileMatcher(matcher: Matcher): (found: string) => boolean {
  const { op, value } = matcher
  if (op === '=') return found => found === value
  if (op === '!=') return found => found !== value
  const test = compilePattern(matcher)
  return op === '=~' ? test : found => !test(found)
}

/** Values an expression lets through, where it is a choice of plain words, as dashboards write them: a|b|c. */
function listedValues({ op, value }: Matcher): readonly string[] | undefined {
  if (op === '=') return [value]
  if (op !== '=~') return undefined
  const words = value.startsWith('(') && value.endsWith(')') ? value.slice(1, -1) : value
  return /^[\w\-:/ ]+(\|[\w\-:/ ]+)*$/.test(words) ? words.split('|') : undefined
}

function compilePattern({ name, value }: Matcher): (found: string) => boolean {
  if (value === '.*') return () => true
  if (value === '.+') return found => found !== ''
  const words = listedValues({ name, op: '=~', value })
  if (words !== undefined) return found => words.includes(found)
  const regex = compileWhole(value)
  return found => regex.test(found)
}

/** What is wrong with the expression of a matcher; undefined when nothing is, or it has none. */
export function patternProblem({ name, op, value }: Matcher): string | undefined {
  if (op === '=' || op === '!=' || listedValues({ name, op: '=~', value }) !== undefined) return undefined
  try {
    compileWhole(value)
    return undefined
  } catch (error) {
    const { message } = error as Error
    return `error parsing regexp: ${message.replace(/^".*" is not a regular expression: /s, '')}`
  }
}

/** An expression for whole texts, line breaks included. Throws DbError `InvalidArguments` that shows it as it was given. */
export function compileWhole(pattern: string): LinearRegex {
  try {
    // Brackets that only match those put around it are no expression.
    if (/[()\\[]/.test(pattern)) compileRegex(pattern)
    return compileRegex(`^(?s:${pattern})$`)
  } catch (error) {
    compileRegex(pattern)
    throw error
  }
}
