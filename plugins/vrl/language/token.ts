// The lexer: text → tokens. Blanks are gone, but each token knows whether a newline or nothing at all stood before it.
import { CompileError } from './diagnostic.ts'
import { readString, type StringPart } from './string-literal.ts'

type TokenType =
  | 'ident'
  /** An identifier with `(` or `!` directly after it. */
  | 'name'
  /** A path field that starts with digits. */
  | 'field'
  | 'integer'
  | 'float'
  | 'string'
  | 'raw'
  | 'regex'
  | 'time'
  | 'mark'
  | 'end'

export interface Token {
  readonly type: TokenType
  /** The text as written; for raw strings, regexes and times the part between the quotes. */
  readonly text: string
  readonly start: number
  readonly end: number
  /** Whether a newline separates this token from the previous one. */
  readonly newline: boolean
  readonly parts?: readonly StringPart[]
}

const blank = /(?:[^\S\n]|#[^\n]*)*/y
const identifier = /[A-Za-z_@][A-Za-z0-9_@]*/y
const digitField = /[0-9_]*[0-9][0-9_]*[A-Za-z@][A-Za-z0-9_@]*/y
const number = /-?[0-9][0-9_]*(\.[0-9][0-9_]*)?/y
const quoted = /[srt]'/y
const mark = /->|\|=|\|\||&&|\?\?|==|!=|>=|<=|[-+*/|<>=!.%,:;()[\]{}]/y
const quotedTypes = { s: 'raw', r: 'regex', t: 'time' } as const

/** Throws CompileError for invalid input. */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  let newline = false
  for (;;) {
    at += match(blank, source, at).length
    if (source[at] === '\n') {
      newline = true
      at++
      continue
    }
    const token =
      at >= source.length ? { type: 'end' as const, text: '', start: at, end: at, newline } : read(source, at, newline)
    tokens.push(token)
    if (token.type === 'end') return tokens
    at = token.end
    newline = false
  }
}

function read(source: string, start: number, newline: boolean): Token {
  const make = (type: TokenType, text: string): Token => ({ type, text, start, end: start + text.length, newline })
  if (match(quoted, source, start) !== '') return readQuoted(source, start, newline)
  const word = match(identifier, source, start)
  if (word !== '') {
    const next = source[start + word.length]
    return make(next === '(' || next === '!' ? 'name' : 'ident', word)
  }
  const field = match(digitField, source, start)
  if (field !== '') return make('field', field)
  const digits = match(number, source, start)
  if (digits !== '') return make(digits.includes('.') ? 'float' : 'integer', digits)
  if (source[start] === '"') {
    const { end, parts } = readString(source, start)
    return { type: 'string', text: source.slice(start, end), start, end, newline, parts }
  }
  const found = match(mark, source, start)
  if (found !== '') return make('mark', found)
  const [character] = source.slice(start, start + 2)
  throw new CompileError(
    200,
    'invalid token',
    { start, end: start + 1 },
    `${JSON.stringify(character)} begins no token`
  )
}

function readQuoted(source: string, start: number, newline: boolean): Token {
  let end = start + 2
  while (source[end] !== "'") {
    if (end >= source.length)
      throw new CompileError(208, 'invalid literal', { start, end: start + 1 }, 'the literal has no closing quote')
    end += source[end] === '\\' ? 2 : 1
  }
  const type = quotedTypes[source[start] as 's' | 'r' | 't']
  return { type, text: source.slice(start + 2, end), start, end: end + 1, newline }
}

function match(pattern: RegExp, source: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(source)?.[0] ?? ''
}
