// The tokeniser, and error messages for unexpected tokens.
import { QueryError } from './error.ts'
import { isDuration, isNumeral } from './literal.ts'

export interface Token {
  readonly kind: 'identifier' | 'number' | 'string' | 'operator' | 'bracket' | 'end'
  readonly text: string
  /** Offsets in the text (UTF-16 units), the end exclusive. */
  readonly start: number
  readonly end: number
}

/** A position in the text and what is wrong there. */
interface Mistake {
  readonly start: number
  readonly message: string
}

const blank = /(?:[ \t\n\r]+|#[^\n]*)*/y
const identifier = /[a-zA-Z_:][\w:]*/y
/** Within braces and brackets a colon is a token of its own. */
const label = /[a-zA-Z_]\w*/y
const text = /"(?:\\[^\n]|[^"\\\n])*"|'(?:\\[^\n]|[^'\\\n])*'|`[^`]*`/y
const numeral =
  /0[xX][\da-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)[eE][+-]?\d[\d_]*|\.\d[\d_]*|\d+[a-z][\da-z]*|\d[\d_]*\.?[\d_]*/y
const wordRest = /[\w.]*/y
const operator = /==|!=|=~|!~|<=|>=|<\/|>\/|[-+*/%^=<>@,:]/y
const brackets = '(){}[]'

/** Tokenises lazily; the last token is of kind `end`. Throws QueryError for invalid text. */
export function* readTokens(query: string): Generator<Token, void> {
  const take = (pattern: RegExp, at: number): string => {
    pattern.lastIndex = at
    return pattern.exec(query)?.[0] ?? ''
  }
  const open: string[] = []
  let at = take(blank, 0).length
  while (at < query.length) {
    const mark = query[at]!
    const inside = open.at(-1)
    let kind: Token['kind'] = 'bracket'
    let found = ''
    if (brackets.includes(mark)) {
      found = mark
      if ('({['.includes(mark)) open.push(mark)
      else open.pop()
    } else if (mark === '"' || mark === "'" || mark === '`') {
      kind = 'string'
      found = take(text, at)
      if (found === '') throw new QueryError(query, at, `unterminated ${mark === '`' ? 'raw' : 'quoted'} string`)
    } else if (/\d/.test(mark) || (mark === '.' && /\d/.test(query[at + 1] ?? ''))) {
      kind = 'number'
      found = take(numeral, at)
      const problem = inside === '{' ? 'unexpected character' : numeralProblem(found, take(wordRest, at + found.length))
      if (problem !== undefined) throw new QueryError(query, at, problem)
    } else {
      kind = 'identifier'
      found = take(inside === '{' || inside === '[' ? label : identifier, at)
      if (found === '' || /^:[^\w:]?$/.test(found)) {
        kind = 'operator'
        found = take(operator, at)
      }
      if (found === '') {
        const character = shown(String.fromCodePoint(query.codePointAt(at)!))
        throw new QueryError(query, at, `unexpected character: ${character}`)
      }
    }
    yield { kind, text: found, start: at, end: at + found.length }
    at += found.length
    at += take(blank, at).length
  }
  yield { kind: 'end', text: '', start: query.length, end: query.length }
}

/** `rest` is what follows without a gap. */
function numeralProblem(found: string, rest: string): string | undefined {
  if (rest !== '' || !isNumeral(found)) return `bad number or duration syntax: "${found}${rest}"`
  return /[ywdhms]$/.test(found) && !isDuration(found) ? `not a valid duration string: "${found}"` : undefined
}

function shown(character: string): string {
  const code = character.codePointAt(0)!
  const printable = /[^\s\p{C}]/u.test(character)
  return printable ? `'${character}'` : `'\\u${code.toString(16).padStart(4, '0')}'`
}

const groupings: ReadonlySet<string> = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right'])

const closing: Readonly<Record<string, string>> = { '(': ')', '{': '}', '[': ']' }

interface OpenBracket {
  readonly text: string
  /** The token before it. */
  readonly opener: Token | undefined
}

/** The error for an unexpected token, naming the expected ones if known. */
export function unexpected(tokens: readonly Token[], at: number): Mistake {
  const token = tokens[at]!
  const open: OpenBracket[] = []
  for (const [i, { kind, text }] of tokens.slice(0, at).entries()) {
    if (kind !== 'bracket') continue
    if (closing[text] !== undefined) open.push({ text, opener: tokens[i - 1] })
    else open.pop()
  }
  const inside = open.at(-1)
  const expected = expectedAfter(tokens[at - 1], inside)
  const { start } = token
  if (token.kind !== 'end') return { start, message: `unexpected ${describe(token)}${expected}` }
  if (inside?.text === '{') return { start, message: 'unexpected end of input inside braces' }
  if (expected !== '' && inside === undefined) return { start, message: `unexpected end of input${expected}` }
  if (inside === undefined) return { start, message: 'unexpected end of input' }
  return { start, message: `unclosed left ${inside.text === '(' ? 'parenthesis' : 'bracket'}` }
}

function expectedAfter(before: Token | undefined, inside: OpenBracket | undefined): string {
  const word = before?.text.toLowerCase()
  if (word === 'offset') return ' in offset, expected number or duration'
  if (word === '@') return ' in @, expected timestamp'
  if (inside?.text === '{') {
    if (word === '{' || word === ',') return ' in label matching, expected identifier or "}"'
    if (before?.kind === 'operator') return ' in label matching, expected string'
    if (before?.kind === 'identifier') return ' in label matching, expected label matching operator'
    return ' in label matching, expected "," or "}"'
  }
  if (before?.kind === 'identifier' && groupings.has(word!)) return ' in grouping opts, expected "("'
  const opener = inside?.opener
  if (inside?.text === '(' && opener?.kind === 'identifier' && groupings.has(opener.text.toLowerCase())) {
    return ` in grouping opts, expected ${word === '(' || word === ',' ? 'label' : '"," or ")"'}`
  }
  return ''
}

function describe({ kind, text }: Token): string {
  if (text === '(' || text === ')') return `${text === '(' ? 'left' : 'right'} parenthesis '${text}'`
  if (kind === 'bracket' || text === ',' || text === '=') return `"${text}"`
  if (kind === 'operator') return `<op:${text}>`
  return `${kind} ${kind === 'string' ? text : JSON.stringify(text)}`
}
