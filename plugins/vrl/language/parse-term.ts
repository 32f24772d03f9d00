// The parser's lower half: literals, containers, calls, variables and paths.
import type { Argument, ClosureExpr, Expr, Segment } from './ast.ts'
import {
  adjoins,
  type Cursor,
  deeper,
  expectMark,
  isMark,
  next,
  peek,
  previous,
  skipMark,
  spanOf,
  unexpected
} from './cursor.ts'
import { CompileError } from './diagnostic.ts'
import type { StringPart } from './string-literal.ts'
import type { Token } from './token.ts'

const reserved = new Set(
  (
    'all any array bool boolean break continue do duration each emit float for forall foreach int integer iter loop ' +
    'object regex string timestamp traverse try undefined unless walk while'
  ).split(' ')
)
const keywords = new Set(['if', 'else', 'abort', 'return'])
const constants = new Map<string, null | boolean>([
  ['true', true],
  ['false', false],
  ['null', null]
])

/** An operand with the path that may follow it. */
export function parseTerm(cursor: Cursor): Expr {
  const token = peek(cursor)
  switch (token.type) {
    case 'integer':
    case 'float':
    case 'string':
    case 'raw':
    case 'regex':
    case 'time':
      return refusePath(cursor, parseLiteral(next(cursor)))
    case 'ident':
    case 'name':
      return parseWord(cursor, token)
    case 'mark':
      return parseMark(cursor, token)
    default:
      throw unexpected(token, 'an expression')
  }
}

function parseMark(cursor: Cursor, token: Token): Expr {
  switch (token.text) {
    case '.':
      return parseExternal(cursor, 'event')
    case '%':
      return parseExternal(cursor, 'metadata')
    case '(':
      return withPath(
        cursor,
        deeper(cursor, () => cursor.grammar.group(cursor))
      )
    case '[':
      return withPath(
        cursor,
        deeper(cursor, () => parseArray(cursor))
      )
    case '{':
      return withPath(
        cursor,
        deeper(cursor, () => parseBraces(cursor))
      )
    default:
      throw unexpected(token, 'an expression')
  }
}

function parseWord(cursor: Cursor, token: Token): Expr {
  const { text } = token
  if (token.type === 'name' && callFollows(cursor)) return withPath(cursor, parseCall(cursor))
  next(cursor)
  const constant = constants.get(text)
  if (constant !== undefined) return refusePath(cursor, { type: 'literal', value: constant, span: spanOf(token) })
  // An identifier with `!` behind it is the name of a call, so `a!=b` needs a blank.
  if (token.type === 'name') throw unexpected(peek(cursor), '"(" or a blank before it')
  if (text === '_') return { type: 'noop', span: spanOf(token) }
  if (keywords.has(text)) throw unexpected(token, 'an expression')
  if (reserved.has(text))
    throw new CompileError(205, 'reserved keyword', spanOf(token), 'this name is reserved for the language', [
      'use a different name instead'
    ])
  if (text.includes('@')) throw unexpected(token, 'an expression; "@" can only stand in the fields of a path')
  return withPath(cursor, { type: 'variable', name: text, span: spanOf(token) })
}

function callFollows(cursor: Cursor): boolean {
  const after = peek(cursor, 1)
  if (isMark(after, '(')) return adjoins(cursor, 1)
  return isMark(after, '!') && isMark(peek(cursor, 2), '(') && adjoins(cursor, 2)
}

function refusePath(cursor: Cursor, literal: Expr): Expr {
  const token = peek(cursor)
  if (adjoins(cursor) && (isMark(token, '.') || isMark(token, '[')))
    throw unexpected(token, 'no path: only variables, calls and containers can be queried')
  return literal
}

function parseLiteral(token: Token): Expr {
  const span = spanOf(token)
  switch (token.type) {
    case 'integer':
      return { type: 'literal', value: readInteger(token), span }
    case 'float':
      return { type: 'literal', value: Number(token.text.replaceAll('_', '')), span }
    case 'raw':
      return { type: 'literal', value: token.text, span }
    case 'regex':
      return { type: 'regex', source: token.text.replaceAll("\\'", "'"), span }
    case 'time':
      return { type: 'time', text: token.text, span }
    default:
      return joinParts(token.parts!, token)
  }
}

function readInteger(token: Token): bigint {
  const value = BigInt(token.text.replaceAll('_', ''))
  if (value !== BigInt.asIntN(64, value))
    throw new CompileError(206, 'invalid integer literal', spanOf(token), 'the number does not fit into 64 bits')
  return value
}

/** A template is the sum of its texts and variables. */
function joinParts(parts: readonly StringPart[], token: Token): Expr {
  const span = spanOf(token)
  const operands = parts.map(
    (part): Expr =>
      typeof part === 'string'
        ? { type: 'literal', value: part, span }
        : { type: 'variable', name: part.name, span: part.span }
  )
  if (operands.length === 0) return { type: 'literal', value: '', span }
  if (operands.length === 1 && operands[0]!.type === 'variable') operands.unshift({ type: 'literal', value: '', span })
  return operands.reduce((left, right) => ({ type: 'operator', operator: '+', left, right, span }))
}

/** The text of a string that may not be a template: a key or a path field. */
function plainText(cursor: Cursor, token: Token): string {
  if (token.type === 'raw') return token.text
  return token
    .parts!.map(part => (typeof part === 'string' ? part : cursor.source.slice(part.span.start, part.span.end)))
    .join('')
}

function parseArray(cursor: Cursor): Expr {
  const { start } = expectMark(cursor, '[')
  const items = parseList(cursor, ']', () => cursor.grammar.operators(cursor))
  return { type: 'array', items, span: { start, end: previous(cursor).end } }
}

/** Items with commas between and an optional one behind; takes the closing mark. */
function parseList<T>(cursor: Cursor, closing: string, parseItem: () => T): T[] {
  const items: T[] = []
  while (!skipMark(cursor, closing)) {
    items.push(parseItem())
    if (!skipMark(cursor, ',') && !isMark(peek(cursor), closing)) throw unexpected(peek(cursor), `"," or "${closing}"`)
  }
  return items
}

/** An object when a key or nothing follows the brace, else a block. */
function parseBraces(cursor: Cursor): Expr {
  const first = peek(cursor, 1)
  const isKey = (first.type === 'string' || first.type === 'raw') && isMark(peek(cursor, 2), ':')
  if (!isKey && !isMark(first, '}')) return cursor.grammar.block(cursor)
  const { start } = next(cursor)
  const entries = parseList(cursor, '}', (): readonly [string, Expr] => {
    const key = peek(cursor)
    if (key.type !== 'string' && key.type !== 'raw') throw unexpected(key, 'a key in quotes')
    next(cursor)
    expectMark(cursor, ':')
    return [plainText(cursor, key), cursor.grammar.operators(cursor)]
  })
  return { type: 'object', entries, span: { start, end: previous(cursor).end } }
}

function parseCall(cursor: Cursor): Expr {
  const name = next(cursor)
  const abort = skipMark(cursor, '!')
  expectMark(cursor, '(')
  const args = deeper(cursor, () => parseList(cursor, ')', () => parseArgument(cursor)))
  const end = previous(cursor).end
  const arrow = peek(cursor)
  const closure = isMark(arrow, '->') && !arrow.newline ? parseClosure(cursor) : undefined
  const span = { start: name.start, end: closure?.span.end ?? end }
  return { type: 'call', name: name.text, nameSpan: spanOf(name), abort, args, closure, span }
}

function parseArgument(cursor: Cursor): Argument {
  const token = peek(cursor)
  let keyword: string | undefined
  if (token.type === 'ident' && isMark(peek(cursor, 1), ':')) {
    keyword = token.text
    cursor.at += 2
  }
  const value = cursor.grammar.operators(cursor)
  if (value.type === 'noop') throw unexpected(token, 'an expression')
  return { keyword, value, span: { start: token.start, end: value.span.end } }
}

function parseClosure(cursor: Cursor): ClosureExpr {
  const { start } = next(cursor)
  const variables: string[] = []
  if (!skipMark(cursor, '||')) {
    expectMark(cursor, '|')
    variables.push(...parseList(cursor, '|', () => parseVariable(cursor)))
  }
  const body = deeper(cursor, () => cursor.grammar.block(cursor))
  return { variables, body, span: { start, end: body.span.end } }
}

function parseVariable(cursor: Cursor): string {
  const token = next(cursor)
  if (token.type !== 'ident' || token.text.includes('@')) throw unexpected(token, 'the name of a variable')
  return token.text
}

function parseExternal(cursor: Cursor, root: 'event' | 'metadata'): Expr {
  const { start } = next(cursor)
  const path = segmentFollows(cursor, true) ? parsePath(cursor, true) : []
  const after = peek(cursor)
  // `. foo` with a blank is not refused here: the parser reports `foo` as unexpected after the statement.
  if (path.length === 0 && root === 'event' && isMark(after, '.') && adjoins(cursor)) throw unexpected(after, 'a field')
  return { type: 'query', root, path, span: { start, end: previous(cursor).end } }
}

function withPath(cursor: Cursor, root: Expr): Expr {
  if (!segmentFollows(cursor, false)) return root
  const path = parsePath(cursor, false)
  return { type: 'query', root, path, span: { start: root.span.start, end: previous(cursor).end } }
}

function segmentFollows(cursor: Cursor, field: boolean): boolean {
  const token = peek(cursor)
  if (!adjoins(cursor)) return false
  return isMark(token, '[') || (field ? isField(token) : isMark(token, '.'))
}

function isField(token: Token): boolean {
  return token.type === 'ident' || token.type === 'name' || token.type === 'field' || token.type === 'string'
}

/** Reads segments up to the first white space. `field`: the first segment needs no dot. */
function parsePath(cursor: Cursor, field: boolean): Segment[] {
  const path: Segment[] = []
  while (adjoins(cursor)) {
    const token = peek(cursor)
    if (isMark(token, '[')) {
      next(cursor)
      const index = next(cursor)
      if (index.type !== 'integer') throw unexpected(index, 'an integer')
      path.push(Number(readInteger(index)))
      expectMark(cursor, ']')
    } else if (isMark(token, '.') || (field && path.length === 0)) {
      if (isMark(token, '.')) next(cursor)
      path.push(parseField(cursor))
    } else break
  }
  return path
}

function parseField(cursor: Cursor): string {
  const token = peek(cursor)
  if (!adjoins(cursor) || !isField(token))
    throw new CompileError(203, 'syntax error', spanOf(previous(cursor)), 'unexpected end of query path', [
      'expected a field directly behind the dot'
    ])
  next(cursor)
  return token.type === 'string' ? plainText(cursor, token) : token.text
}
