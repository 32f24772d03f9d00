// SQL text as tokens, and tokens as canonical text: one line, no comments, one form of quoting.
// Parser and engine both read the canonical text, so nothing can look like a comment or a string to one of them only.
import { DbError, endsStep, ParseError, quoteName, quoteText, runAtOnce, type Steps } from '../../../core/index.ts'

export { quoteName, quoteText }

type TokenKind = 'word' | 'quoted' | 'string' | 'bytes' | 'number' | 'symbol'

export interface Token {
  readonly kind: TokenKind
  /** What it means: a name without quotes, a string's characters, a blob's hexadecimal digits, else as written. */
  readonly value: string
  /** Offset into the source. */
  readonly start: number
  /** Offset behind it. */
  readonly end: number
  /** Whether space or a comment stands before it. */
  readonly spaced: boolean
  /** Of the tokens of a parameter's value: the parameter, such as `$1`, at the first one, no text at the others. */
  readonly parameter?: string
}

const space = /\s+/y
const wordStart = /[\p{L}_]/u
const word = /[\p{L}_][\p{L}\p{M}\p{N}_$]*/uy
const number = /0x[0-9a-f]+|(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?/iy
const dollarTag = /\$(?:[A-Za-z_]\w*)?\$/y
const symbols = '()[]{},.;:+-*/<>=~!@#%^&|?$'

/** Kinds of ASCII characters: nearly all of a text is told apart by them, and patterns, which take longer, read the rest. */
const [ofSpace, ofWord, ofNumber, ofSymbol] = [1, 2, 4, 8] as const
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code)
  // A number may begin with a point, a text with a dollar.
  const always = symbols.includes(char) && !'.$'.includes(char)
  return (
    (/\s/.test(char) ? ofSpace : 0) |
    (/[\w$]/.test(char) ? ofWord : 0) |
    (/\d/.test(char) ? ofNumber : 0) |
    (always ? ofSymbol : 0)
  )
})

const [newline, dollar, apostrophe, asterisk, hyphen, slash, backslash] = [10, 36, 39, 42, 45, 47, 92] as const

/**
 * A token is read in one go, and a long INSERT may be nothing but one. Characters of the white space and the comments between two tokens, or of a
 * word or number; doubled quotes and escapes of a text or quoted name.
 */
const [maxPlainLength, maxEscapes] = [1 << 20, 250_000] as const

/** Offset behind the characters of a kind. */
function behind(sql: string, from: number, kind: number): number {
  const most = from + maxPlainLength + 1
  let at = from
  // Of the characters beyond ASCII, and of the end of the text, there is no kind.
  while (at < most && ((kinds[sql.charCodeAt(at)] ?? 0) & kind) !== 0) at++
  return checkPlain(sql, from, at)
}

/** Returns `end`. Throws ParseError where more than `maxPlainLength` characters lie between. */
function checkPlain(sql: string, from: number, end: number): number {
  if (end - from <= maxPlainLength) return end
  throw errorAt(sql, from, `more than ${maxPlainLength} characters of white space, of comments or of one word`)
}

/**
 * All tokens of a text. Throws ParseError for what can be no token, DbError `InvalidArguments` where there are more than `max`. With
 * `backslashes`, they escape in every text.
 */
export function tokenize(sql: string, max?: number, backslashes?: boolean): Token[] {
  return runAtOnce(tokenSteps(sql, max, backslashes))
}

/** Tokens read between two yields to other requests. */
export const stepTokens = 500

/** `tokenize` in steps. */
export function* tokenSteps(sql: string, max = Number.POSITIVE_INFINITY, backslashes = false): Steps<Token[]> {
  const tokens: Token[] = []
  let at = 0
  for (;;) {
    const token = nextToken(sql, at, backslashes)
    if (token === undefined) return tokens
    if (tokens.length >= max) throw new TooManyTokens(max)
    tokens.push(token)
    at = token.end
    if (endsStep(tokens.length - 1, stepTokens)) yield
  }
}

/** The first token behind an offset; undefined at the end of the text. Throws ParseError. */
export function nextToken(sql: string, at: number, backslashes = false): Token | undefined {
  const start = skipSpace(sql, at)
  return start >= sql.length ? undefined : readToken(sql, start, start > at, backslashes)
}

export class TooManyTokens extends DbError {
  constructor(max: number, what = 'the SQL text') {
    super(
      'InvalidArguments',
      `${what} has more than ${max} words, values and signs ([plugins.sql] max_sql_tokens): send it in parts, or rows by an ingest protocol`
    )
  }
}

/** A ParseError at an offset of the source. */
export function errorAt(sql: string, offset: number, message: string): ParseError {
  const [line, column] = lineAndColumn(sql, offset)
  return new ParseError(message, line, column)
}

/** ` at line 1, column 8` */
export function locationOf(sql: string, offset: number): string {
  const [line, column] = lineAndColumn(sql, offset)
  return ` at line ${line}, column ${column}`
}

function lineAndColumn(sql: string, offset: number): readonly [number, number] {
  let [line, column] = [1, 1]
  for (let at = 0; at < offset; at++) {
    const code = sql.charCodeAt(at)
    if (code === newline) {
      line++
      column = 1
    } else if (!isLowSurrogate(code)) column++
  }
  return [line, column]
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000
}

function skipSpace(sql: string, from: number): number {
  let at = from
  for (;;) {
    at = checkPlain(sql, from, behind(sql, at, ofSpace))
    const code = sql.charCodeAt(at)
    if (code === hyphen && sql.charCodeAt(at + 1) === hyphen) at = lineEnd(sql, at)
    else if (code === slash && sql.charCodeAt(at + 1) === asterisk) at = commentEnd(sql, at)
    else if (code > 127) {
      space.lastIndex = at
      if (!space.test(sql)) return at
      at = space.lastIndex
    } else return at
  }
}

function lineEnd(sql: string, from: number): number {
  const length = plainAt(sql, from).search(lineBreak)
  return length < 0 ? Math.min(sql.length, from + maxPlainLength + 1) : from + length
}

/** Comments nest. */
function commentEnd(sql: string, from: number): number {
  let depth = 0
  for (let at = from; at < sql.length; at++) {
    const [code, next] = [sql.charCodeAt(at), sql.charCodeAt(at + 1)]
    if (code === slash && next === asterisk) {
      depth++
      at++
    } else if (code === asterisk && next === slash) {
      at++
      if (--depth === 0) return at + 1
    }
    checkPlain(sql, from, at)
  }
  throw errorAt(sql, from, 'unterminated comment')
}

function readToken(sql: string, start: number, spaced: boolean, backslashes: boolean): Token {
  const char = sql[start]!
  if (kinds[sql.charCodeAt(start)] === ofSymbol) return { kind: 'symbol', value: char, start, end: start + 1, spaced }
  const quoteFollows = sql[start + 1] === "'"
  const make = (kind: TokenKind, value: string, end: number): Token => ({ kind, value, start, end, spaced })
  if (char === "'") return make('string', ...(backslashes ? escaped(sql, start) : quoted(sql, start, "'")))
  if (char === '"' || char === '`') return make('quoted', ...quoted(sql, start, char))
  if (quoteFollows && /[eE]/.test(char)) return make('string', ...escaped(sql, start + 1))
  if (quoteFollows && /[xX]/.test(char)) return make('bytes', ...hexadecimal(sql, start))
  const tag = char === '$' ? match(dollarTag, sql, start) : undefined
  if (tag !== undefined) return make('string', ...dollarQuoted(sql, start, tag))
  if (startsWord(sql, start)) {
    const end = wordEnd(sql, start)
    return make('word', sql.slice(start, end), end)
  }
  const end = numberEnd(sql, start)
  if (end > start) return make('number', sql.slice(start, end), end)
  if (symbols.includes(char)) return make('symbol', char, start + 1)
  throw errorAt(sql, start, `unexpected character ${JSON.stringify(String.fromCodePoint(sql.codePointAt(start)!))}`)
}

function startsWord(sql: string, at: number): boolean {
  const code = sql.codePointAt(at)!
  if (code > 127) return wordStart.test(String.fromCodePoint(code))
  return code !== dollar && kinds[code] === ofWord
}

function wordEnd(sql: string, start: number): number {
  const end = behind(sql, start, ofWord)
  return sql.charCodeAt(end) > 127 ? checkPlain(sql, start, start + match(word, sql, start)!.length) : end
}

/** `start` where no number begins. */
function numberEnd(sql: string, start: number): number {
  const end = behind(sql, start, ofNumber)
  if (end === start && sql[start] !== '.') return start
  const isWhole = end > start && !/[\w.]/.test(sql[end] ?? '')
  return isWhole ? end : checkPlain(sql, start, start + (match(number, sql, start)?.length ?? 0))
}

function match(pattern: RegExp, sql: string, at: number): string | undefined {
  pattern.lastIndex = 0
  return pattern.exec(plainAt(sql, at))?.[0]
}

/** What a pattern may look at, so that it ends soon: one character more than `maxPlainLength`. */
function plainAt(sql: string, at: number): string {
  return sql.slice(at, at + maxPlainLength + 1)
}

/** Text between quotes, of which two stand for one. */
function quoted(sql: string, start: number, quote: string): [string, number] {
  const parts: string[] = []
  let from = start + 1
  for (;;) {
    const end = sql.indexOf(quote, from)
    if (end < 0) throw errorAt(sql, start, quote === "'" ? 'unterminated string' : 'unterminated quoted name')
    parts.push(sql.slice(from, end))
    if (sql[end + 1] !== quote) return [clean(sql, start, parts.join(quote)), end + 1]
    checkEscapes(sql, start, parts.length)
    from = end + 2
  }
}

const lineBreak = /[\n\r]/
const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

const escapeCode = /x[\da-fA-F]{1,2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}/y

/** `E'…'`: backslashes escape. `start` is the quote. */
function escaped(sql: string, start: number): [string, number] {
  const parts: string[] = []
  let from = start + 1
  for (let at = from; at < sql.length; at++) {
    const code = sql.charCodeAt(at)
    if (code !== apostrophe && code !== backslash) continue
    parts.push(sql.slice(from, at))
    if (code === backslash) at += readEscape(sql, at + 1, parts)
    else if (sql.charCodeAt(at + 1) !== apostrophe) return [clean(sql, start, parts.join('')), at + 1]
    else at++
    // Of two quotes the second one is text.
    from = code === backslash ? at + 1 : at
    checkEscapes(sql, start, parts.length)
  }
  throw errorAt(sql, start, 'unterminated string')
}

/** Appends what an escape stands for; returns the length of what is behind its backslash. */
function readEscape(sql: string, at: number, parts: string[]): number {
  const next = sql[at] ?? ''
  const code = 'xuU'.includes(next) ? match(escapeCode, sql, at) : undefined
  if (code === undefined) {
    parts.push(escapes[next] ?? next)
    return 1
  }
  const point = Number.parseInt(code.slice(1), 16)
  if (point > 0x10ffff) throw errorAt(sql, at - 1, 'no such character')
  parts.push(String.fromCodePoint(point))
  return code.length
}

function checkEscapes(sql: string, start: number, count: number): void {
  if (count <= maxEscapes) return
  throw errorAt(sql, start, `a text or name with more than ${maxEscapes} doubled quotes or escapes`)
}

function dollarQuoted(sql: string, start: number, tag: string): [string, number] {
  const end = sql.indexOf(tag, start + tag.length)
  if (end < 0) throw errorAt(sql, start, 'unterminated string')
  return [clean(sql, start, sql.slice(start + tag.length, end)), end + tag.length]
}

function hexadecimal(sql: string, start: number): [string, number] {
  const [digits, end] = quoted(sql, start + 1, "'")
  if (!/^(?:[0-9a-f]{2})*$/i.test(digits))
    throw errorAt(sql, start, 'a binary literal holds an even number of hexadecimal digits')
  return [digits, end]
}

function clean(sql: string, start: number, value: string): string {
  if (value.includes('\0')) throw errorAt(sql, start, 'a NUL character is not allowed')
  return value.toWellFormed()
}

/** Whether a token is this unquoted word (lower case) or symbol. */
export function isToken(token: Token | undefined, text: string): boolean {
  // The length first: most tokens are another word, and lower case takes time.
  if (token === undefined || token.value.length !== text.length) return false
  return token.kind === 'word' ? token.value.toLowerCase() === text : token.kind === 'symbol' && token.value === text
}

/** Whether two symbols stand here that touch each other. */
export function isPair(tokens: readonly Token[], at: number, first: string, second: string): boolean {
  return isToken(tokens[at], first) && isToken(tokens[at + 1], second) && !tokens[at + 1]!.spaced
}

/** Whether a value may end with a token. */
export function endsValue(token: Token | undefined): boolean {
  if (token?.kind === 'word') return !noValues.has(token.value.toLowerCase())
  return token !== undefined && (token.kind !== 'symbol' || ')]'.includes(token.value))
}

/** Whether a token is the operator of `j ? 'key'`, which is not a parameter. */
export function isKeyOperator(tokens: readonly Token[], at: number): boolean {
  return isToken(tokens[at], '?') && endsValue(tokens[at - 1]) && tokens[at + 1]?.kind === 'string'
}

/** Whether a token may be a name. */
export function isName(token: Token | undefined): token is Token {
  return token?.kind === 'word' || token?.kind === 'quoted'
}

/** Words that are no values and no names of functions, wherever they stand. */
export const noValues: ReadonlySet<string> = new Set(
  'all and any between by case distinct else from having in is like not on or return returning select then values when where'.split(
    ' '
  )
)

/** SQL of ours, or tokens of the user. */
export type Piece = string | readonly Token[]

/** Pieces as tokens; what is ours stands, for messages, where a token of the user does. */
export function tokensAt({ start, end }: Token, pieces: readonly Piece[]): Token[] {
  return pieces.flatMap(piece => {
    const tokens = typeof piece === 'string' ? tokenize(piece).map(token => ({ ...token, start, end })) : piece
    return tokens.map((token, i) =>
      i > 0 || isToken(token, ',') || isToken(token, ')') ? token : { ...token, spaced: true }
    )
  })
}

/** Lists with commas between. */
export function separated(lists: readonly (readonly Piece[])[]): Piece[] {
  return lists.flatMap((list, i) => (i === 0 ? list : [',', ...list]))
}

/** The canonical form of one token. */
export function tokenText(token: Token): string {
  switch (token.kind) {
    case 'string':
      return quoteText(token.value)
    case 'quoted':
      return quoteName(token.value)
    case 'bytes':
      return `CAST(${quoteText(token.value.replace(/../g, '\\x$&'))} AS BLOB)`
    case 'word':
      return isPlain(token.value) ? token.value : quoteName(token.value.toLowerCase())
  }
  return token.kind === 'number' ? numberText(token.value) : token.value
}

/** Keywords of the grammar that no query here has: to the engine, and to users, they are names. */
const namesOnly = new Set(['cluster', 'distribute', 'sort', 'top', 'view'])

function isPlain(word: string): boolean {
  return /^[\w$]+$/.test(word) && !namesOnly.has(word.toLowerCase())
}

/** `2.5` is a float here and a decimal to the engine, which takes an exponent as a float; more digits than a float has stay. */
function numberText(digits: string): string {
  const plain = /^\d*\.\d*$/.test(digits) && digits.length <= 16
  return plain ? `${digits}${digits.endsWith('.') ? '0' : ''}e0` : digits
}
