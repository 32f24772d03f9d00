// Regular expressions that must match whole texts.
import { DbError } from '../errors.ts'
import { compileRegex, type LinearRegex } from './regex.ts'
import { closesMore } from './size.ts'

/**
 * Compiles an expression that must match whole texts, including line breaks. Throws DbError `InvalidArguments` showing the expression as it
 * was given.
 */
export function compileWhole(pattern: string): LinearRegex {
  // `)(` would be valid within the added group.
  if (closesMore(pattern)) compileRegex(pattern)
  try {
    return compileRegex(wholePattern(pattern))
  } catch (error) {
    compileRegex(pattern)
    throw error
  }
}

/** The expression with anchors at both ends; `.` matches line breaks. */
export function wholePattern(pattern: string): string {
  return `^(?s:${pattern})$`
}

/** The texts that an expression accepts if it is a choice of plain words, as dashboards write them: `a|b|10\.0`. Undefined for others. */
export function listedTexts(pattern: string): readonly string[] | undefined {
  const words = pattern.startsWith('(') && pattern.endsWith(')') ? pattern.slice(1, -1) : pattern
  if (!/^(?:[\w\-:/ ]|\\[.\-+])+(?:\|(?:[\w\-:/ ]|\\[.\-+])+)*$/.test(words)) return undefined
  return words.replaceAll('\\', '').split('|')
}

/**
 * A test whether an expression matches a whole text; choices of plain words are looked up without compiling anything. Throws DbError
 * `InvalidArguments` for a wrong expression, and so does the test for a text that would take too long. `name` says in errors what is tested.
 */
export function wholeTest(name: string, pattern: string): (text: string) => boolean {
  if (pattern === '.*') return () => true
  if (pattern === '.+') return text => text !== ''
  const listed = listedTexts(pattern)
  if (listed !== undefined) {
    const known = new Set(listed)
    return text => known.has(text)
  }
  const regex = compileWhole(pattern)
  return text => {
    checkSteps(name, regex, text)
    return regex.test(text)
  }
}

/** Maximum matching steps of one test: some tens of milliseconds without a pause. */
const maxSteps = 32e6

/** Throws DbError `InvalidArguments` for a text that would take the expression too long. */
export function checkSteps(name: string, { size }: LinearRegex, text: string): void {
  if (text.length * size <= maxSteps) return
  const what = `the regular expression for ${name} has ${size} steps, too many for a value of ${text.length} characters`
  throw new DbError('InvalidArguments', what)
}
