// Regular expressions in options.
import { compileRegex, isDbError, type LinearRegex } from '../../../core/compute.ts'
import type { ProcessorOptions } from '../../services.ts'

/** Compiles an expression of an option; what is wrong with it names the processor. */
export function compilePattern(options: ProcessorOptions, source: string): LinearRegex {
  try {
    return compileRegex(source)
  } catch (cause) {
    throw isDbError(cause) ? options.error(`pattern ${cause.message}`) : cause
  }
}

/** Where patterns are documented. */
export const patternSyntax = 'RE2 syntax: no look-around, no back-references'
