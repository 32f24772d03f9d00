// Label matchers as functions; regular expressions are anchored at both ends.
import { compileWhole, DbError, type LinearRegex } from '../../../core/index.ts'
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
  const { op, value } = matcher
  if (op === '=') return found => found === value
  if (op === '!=') return found => found !== value
  const test = compilePattern(matcher)
  return op === '=~' ? test : found => !test(found)
}

/** The values an expression accepts if it is an alternation of plain words, as dashboards write them: a|b|10\.0. */
function listedValues({ op, value }: Matcher): readonly string[] | undefined {
  if (op === '=') return [value]
  if (op !== '=~') return undefined
  const words = value.startsWith('(') && value.endsWith(')') ? value.slice(1, -1) : value
  if (!/^(?:[\w\-:/ ]|\\[.\-+])+(?:\|(?:[\w\-:/ ]|\\[.\-+])+)*$/.test(words)) return undefined
  return words.replaceAll('\\', '').split('|')
}

/** Maximum matching steps of one test: some tens of milliseconds without a pause. */
const maxSteps = 32e6

function compilePattern({ name, value }: Matcher): (found: string) => boolean {
  if (value === '.*') return () => true
  if (value === '.+') return found => found !== ''
  const words = listedValues({ name, op: '=~', value })
  if (words !== undefined) {
    const known = new Set(words)
    return found => known.has(found)
  }
  const regex = compileWhole(value)
  return found => {
    checkSteps(name, regex, found)
    return regex.test(found)
  }
}

/** Throws DbError `InvalidArguments` for a label value that would take the expression too long. */
export function checkSteps(name: string, { size }: LinearRegex, value: string): void {
  if (value.length * size <= maxSteps) return
  const what = `the regular expression for ${name} has ${size} steps, too many for a value of ${value.length} characters`
  throw new DbError('InvalidArguments', what)
}

/** Characters that a matcher counts for against the limit; 0 if it has no expression. */
export function patternLength({ op, value }: Matcher): number {
  const isPattern = op === '=~' || op === '!~'
  return isPattern && listedValues({ name: '', op: '=~', value }) === undefined ? value.length + addedLength : 0
}

/** Characters added per expression for the cost of compiling it, whatever its length. */
export const addedLength = 150

/** The error in a matcher's regular expression; undefined if it has no error or no expression. */
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
