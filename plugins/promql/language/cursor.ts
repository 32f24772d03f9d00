// The token cursor of the parsers, with the limits of a query.
import { RegexBudget } from '../../../core/index.ts'
import { QueryError } from './error.ts'
import { parseNumber, unquote } from './literal.ts'
import { readTokens, type Token, unexpected } from './tokens.ts'

/** Limits of a query text. */
export interface ParseLimits {
  /** Characters. */
  readonly length: number
  /** Maximum nesting. */
  readonly depth: number
  /** Operators, subscripts and modifiers that follow operands, in total. */
  readonly operators: number
  /** Characters of all regular expressions together. */
  readonly patterns: number
}

/** Tokenises lazily, so that a text beyond a limit is not read to its end. */
export class Cursor {
  readonly #text: string
  readonly #source: Iterator<Token, void>
  readonly #tokens: Token[] = []
  readonly #limits: ParseLimits
  #at = 0
  #depth = 0
  #operators = 0
  readonly #patterns: RegexBudget

  constructor(text: string, limits: ParseLimits) {
    this.#text = text
    this.#source = readTokens(text)
    this.#limits = limits
    this.#patterns = new RegexBudget({ max: limits.patterns, key: 'plugins.promql.max_pattern_length' })
  }

  get token(): Token {
    return this.#tokenAt(this.#at)
  }

  /** The token after the current one. */
  get following(): Token {
    return this.token.kind === 'end' ? this.token : this.#tokenAt(this.#at + 1)
  }

  /** End of the last consumed token. */
  get end(): number {
    return this.#tokens[this.#at - 1]?.end ?? 0
  }

  /** The current token in lower case if it is an identifier, else ''. */
  get word(): string {
    const { kind, text } = this.token
    return kind === 'identifier' ? text.toLowerCase() : ''
  }

  next(): Token {
    return this.#tokenAt(this.#at++)
  }

  /** Consumes an operator or bracket with such a text; false if the current token is another one. */
  skip(text: string): boolean {
    const { token } = this
    if (token.text !== text || (token.kind !== 'operator' && token.kind !== 'bracket')) return false
    this.#at++
    return true
  }

  /** Accepts an identifier with this text, in any case. */
  skipWord(word: string): boolean {
    if (this.word !== word) return false
    this.#at++
    return true
  }

  expect(text: string): void {
    if (!this.skip(text)) throw this.unexpected()
  }

  /** Runs work one level deeper. */
  deeper<T>(work: () => T): T {
    if (++this.#depth > this.#limits.depth) {
      const message = `the query nests more than ${this.#limits.depth} deep (plugins.promql.max_query_depth)`
      throw this.error(this.token.start, message)
    }
    const result = work()
    this.#depth--
    return result
  }

  /** Counts an operator, a sign, a subscript or a modifier. */
  count(): void {
    if (++this.#operators <= this.#limits.operators) return
    const message = `the query has more than ${this.#limits.operators} operators (plugins.promql.max_query_operators)`
    throw this.error(this.token.start, message)
  }

  /** Counts a regular expression that begins at `start` and will be compiled. */
  countPattern(source: string, start: number): void {
    try {
      this.#patterns.take(source)
    } catch (error) {
      throw this.error(start, (error as Error).message)
    }
  }

  /** Seconds for a duration. */
  number({ text, start }: Token): number {
    const value = parseNumber(text)
    if (value !== undefined) return value
    const isLong = /[ywdhms]$/.test(text)
    throw this.error(start, isLong ? 'duration out of range' : `error parsing number: ${text} is out of range`)
  }

  string({ text, start }: Token): string {
    const value = unquote(text)
    if (value === undefined) throw this.error(start, 'unterminated quoted string or invalid escape')
    return value
  }

  /** The error for an unexpected token. */
  unexpected(): QueryError {
    const { start, message } = unexpected(this.#tokens, this.#at)
    return this.error(start, message)
  }

  error(offset: number, message: string): QueryError {
    return new QueryError(this.#text, offset, message)
  }

  #tokenAt(at: number): Token {
    while (this.#tokens.length <= at) {
      const { value } = this.#source.next()
      if (!value) return this.#tokens.at(-1)!
      this.#tokens.push(value)
    }
    return this.#tokens[at]!
  }
}
