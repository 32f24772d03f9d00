// Label matchers as functions; regular expressions are anchored at both ends.
import { listedTexts, wholeTest } from '../../../core/index.ts'
import type { Matcher } from './ast.ts'

/** By matcher, because several callers compile the same one. */
const tests = new WeakMap<Matcher, (found: string) => boolean>()

/** A test of a label's value; a missing label has the value ''. Throws DbError `InvalidArguments` for a wrong expression, the test for a value that would take too long. */
export function compileMatcher(matcher: Matcher): (found: string) => boolean {
  const known = tests.get(matcher)
  if (known !== undefined) return known
  const test = compile(matcher)
  tests.set(matcher, test)
  return test
}

function compile(matcher: Matcher): (found: string) => boolean {
  const { name, op, value } = matcher
  if (op === '=') return found => found === value
  if (op === '!=') return found => found !== value
  const test = wholeTest(name, value)
  return op === '=~' ? test : found => !test(found)
}

/** Whether a matcher has a regular expression that has to be compiled. */
export function hasPattern({ op, value }: Matcher): boolean {
  return (op === '=~' || op === '!~') && listedTexts(value) === undefined
}

/** The error in a matcher's regular expression; undefined if it has no error or no expression. */
export function patternProblem(matcher: Matcher): string | undefined {
  try {
    compileMatcher(matcher)
    return undefined
  } catch (error) {
    const { message } = error as Error
    return `error parsing regexp: ${message.replace(/^".*" is not a regular expression: /s, '')}`
  }
}
