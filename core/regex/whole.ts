// Regular expressions that must match whole texts.
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
