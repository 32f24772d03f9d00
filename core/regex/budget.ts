// A budget for the regular expressions of one request: compiling them holds the event loop, however short each is.
import { DbError } from '../errors.ts'

/** Characters of all expressions of one request. */
const maxTotalLength = 10_000
/** Characters added for each expression, because compiling a short one takes time, too. */
export const addedLength = 150

/** Bounds the characters of the regular expressions that one request has compiled. */
export class RegexBudget {
  #left = maxTotalLength

  /** Counts an expression that will be compiled. Throws DbError `InvalidArguments` when the expressions are too long together. */
  take(source: string): void {
    this.#left -= source.length + addedLength
    if (this.#left >= 0) return
    throw new DbError(
      'InvalidArguments',
      `the regular expressions of the request have more than ${maxTotalLength} characters, ${addedLength} added for each`
    )
  }
}
