// Label matchers as functions; regular expressions are anchored at both ends.
import { compileRegex } from '../../../core/index.ts'
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
export function listedValues({ op, value }: Matcher): readonly string[] | undefined {
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
  const regex = compileRegex(`^(?s:${value})$`)
  return found => regex.test(found)
}
