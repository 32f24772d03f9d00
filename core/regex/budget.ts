// A budget for the regular expressions of one request: compiling them holds the event loop, however short each is.
import { DbError } from '../errors.ts'
import { classLength, compileLength } from './size.ts'

/** Characters of all expressions of one request, where no key says otherwise. */
export const defaultPatternLength = 10_000
/** Characters added for each expression, because compiling a short one takes time, too. */
const addedLength = 150

/** What counts against the budget, for the meaning of a key. */
export const countedLength = `${addedLength} are added for each, a repetition such as \`a{9}\` counts as what it repeats, written so often, and a class of Unicode (\`\\p\`) as ${classLength} more`

interface BudgetOptions {
  /** Characters. */
  readonly max?: number
  /** The configuration key that sets `max`. */
  readonly key?: string
  /** Whose expressions they are, for the message. */
  readonly of?: string
}

/** Bounds the characters of the regular expressions that one request, or another piece of work, has compiled. */
export class RegexBudget {
  readonly #options: BudgetOptions
  #left: number

  constructor(options: BudgetOptions = {}) {
    this.#options = options
    this.#left = options.max ?? defaultPatternLength
  }

  /** Counts an expression that will be compiled. Throws DbError `InvalidArguments` when the expressions are too long together. */
  take(source: string): void {
    this.#left -= compileLength(source) + addedLength
    if (this.#left >= 0) return
    const { max = defaultPatternLength, key, of = 'the request' } = this.#options
    const limit = `${max} characters${key === undefined ? '' : ` (${key})`}`
    throw new DbError(
      'InvalidArguments',
      `the regular expressions of ${of} have more than ${limit}; ${countedLength.replaceAll('`', '')}`
    )
  }
}
