// The parser's upper half: programs, statements, assignments and operators.
import type { AssignExpr, BlockExpr, Expr, GroupExpr, IfExpr, Operator, Target } from './ast.ts'
import {
  type Cursor,
  deeper,
  expectMark,
  type Grammar,
  isMark,
  isWord,
  next,
  peek,
  skipMark,
  spanOf,
  unexpected
} from './cursor.ts'
import { CompileError, type Diagnostic } from './diagnostic.ts'
import { parseTerm } from './parse-term.ts'
import { tokenize } from './token.ts'

/** Binds from loose to tight; operators of one level associate to the left. */
const levels: readonly (readonly Operator[])[] = [
  ['??'],
  ['||', '&&'],
  ['==', '!='],
  ['>=', '>', '<=', '<'],
  ['|'],
  ['+', '-'],
  ['*', '/']
]
const unchainable = new Set([2, 3])

const grammar: Grammar = {
  operators: cursor => parseOperators(cursor),
  block: parseBlock,
  group: cursor => parseGroup(cursor, false)
}

/** The root expressions of a program and every syntax error found; after an error parsing goes on at the next line. */
export function parse(source: string): { readonly body: readonly Expr[]; readonly errors: readonly Diagnostic[] } {
  const body: Expr[] = []
  const errors: Diagnostic[] = []
  const attempt = <T>(run: () => T): T | undefined => {
    try {
      return run()
    } catch (error) {
      if (!(error instanceof CompileError)) throw error
      errors.push(error.diagnostic)
      return undefined
    }
  }
  const tokens = attempt(() => tokenize(source))
  if (tokens === undefined) return { body, errors }
  const cursor: Cursor = { grammar, source, tokens, at: 0, depth: 0 }
  while (skipMark(cursor, ';'));
  while (peek(cursor).type !== 'end' && errors.length < 50) {
    const found = attempt(() => {
      const expr = parseExpr(cursor)
      endStatement(cursor)
      return expr
    })
    if (found === undefined) skipLine(cursor)
    else body.push(found)
  }
  return { body, errors }
}

function skipLine(cursor: Cursor): void {
  cursor.depth = 0
  next(cursor)
  while (peek(cursor).type !== 'end' && !peek(cursor).newline) next(cursor)
}

/** A statement ends at a newline, a semicolon, or the closing bracket of its block. */
function endStatement(cursor: Cursor, closing?: string): void {
  const token = peek(cursor)
  if (skipMark(cursor, ';')) {
    while (skipMark(cursor, ';'));
    return
  }
  if (token.type === 'end' || token.newline || (closing !== undefined && isMark(token, closing))) return
  throw unexpected(token, closing === undefined ? 'a newline or ";"' : `a newline, ";" or "${closing}"`)
}

/** Whatever may be a statement. */
function parseExpr(cursor: Cursor): Expr {
  return deeper(cursor, () => {
    const token = peek(cursor)
    if (isWord(token, 'if')) return parseIf(cursor)
    if (isWord(token, 'abort')) return parseAbort(cursor)
    if (isWord(token, 'return')) return parseReturn(cursor)
    return parseAssignment(cursor)
  })
}

function parseAbort(cursor: Cursor): Expr {
  const { start, end } = next(cursor)
  const token = peek(cursor)
  const closed = token.newline || token.type === 'end' || [';', '}', ')', ',', ']'].some(mark => isMark(token, mark))
  const message = closed ? undefined : parseExpr(cursor)
  return { type: 'abort', message, span: { start, end: message?.span.end ?? end } }
}

function parseReturn(cursor: Cursor): Expr {
  const { start } = next(cursor)
  const value = parseExpr(cursor)
  return { type: 'return', value, span: { start, end: value.span.end } }
}

/** An assignment, or an operation. */
function parseAssignment(cursor: Cursor): Expr {
  const left = parseOperators(cursor)
  const token = peek(cursor)
  if (token.newline) return left
  if (isMark(token, '=') || isMark(token, '|=')) return finishAssignment(cursor, left, undefined)
  if (!isMark(token, ',') || !isTarget(left)) return left.type === 'noop' ? failNoop(left) : left
  next(cursor)
  const error = parseTerm(cursor)
  return finishAssignment(cursor, left, error)
}

function failNoop(expr: Expr): never {
  throw new CompileError(203, 'syntax error', expr.span, '"_" can only be assigned to')
}

function finishAssignment(cursor: Cursor, target: Expr, error: Expr | undefined): AssignExpr {
  const token = peek(cursor)
  if (!isMark(token, '=') && !isMark(token, '|=')) throw unexpected(token, '"="')
  if (!isTarget(target)) throw unexpected(token, 'a path or a variable before it')
  if (error !== undefined && !isTarget(error)) throw unexpected(token, 'a path or a variable before it')
  next(cursor)
  const value = parseExpr(cursor)
  const span = { start: target.span.start, end: value.span.end }
  return { type: 'assign', target, error, merge: token.text === '|=', value, span }
}

function isTarget(expr: Expr): expr is Target {
  if (expr.type === 'variable' || expr.type === 'noop') return true
  return expr.type === 'query' && (typeof expr.root === 'string' || expr.root.type === 'variable')
}

/** Operators only: array items, object values, arguments. */
function parseOperators(cursor: Cursor, level = 0): Expr {
  if (level === levels.length) return parseNot(cursor)
  const operators = levels[level]!
  let left = parseOperators(cursor, level + 1)
  let chained = false
  for (;;) {
    const token = peek(cursor)
    const operator = operators.find(text => isMark(token, text))
    if (operator === undefined || token.newline) return left
    if (chained && unchainable.has(level))
      throw new CompileError(650, 'comparison operators cannot be chained', spanOf(token), 'compare with && between')
    chained = true
    next(cursor)
    const right = parseOperators(cursor, level + 1)
    left = { type: 'operator', operator, left, right, span: { start: left.span.start, end: right.span.end } }
  }
}

function parseNot(cursor: Cursor): Expr {
  const token = peek(cursor)
  if (!isMark(token, '!')) return parseTerm(cursor)
  next(cursor)
  const value = deeper(cursor, () => parseNot(cursor))
  return { type: 'not', value, span: { start: token.start, end: value.span.end } }
}

/** `{ … }` with at least one expression. */
function parseBlock(cursor: Cursor): BlockExpr {
  const { start } = expectMark(cursor, '{')
  const body: Expr[] = []
  while (skipMark(cursor, ';'));
  do {
    body.push(parseExpr(cursor))
    endStatement(cursor, '}')
  } while (!isMark(peek(cursor), '}'))
  const { end } = next(cursor)
  return { type: 'block', body, span: { start, end } }
}

/** `( … )`; only predicates may have several expressions. */
function parseGroup(cursor: Cursor, several: boolean): GroupExpr {
  const { start } = expectMark(cursor, '(')
  const body = [parseExpr(cursor)]
  while (several && !isMark(peek(cursor), ')')) {
    endStatement(cursor, ')')
    if (!isMark(peek(cursor), ')')) body.push(parseExpr(cursor))
  }
  const { end } = expectMark(cursor, ')')
  return { type: 'group', body, span: { start, end } }
}

function parseIf(cursor: Cursor): IfExpr {
  const { start } = next(cursor)
  const test = parsePredicate(cursor)
  const then = parseBlock(cursor)
  let otherwise: Expr | undefined
  if (isWord(peek(cursor), 'else')) {
    next(cursor)
    otherwise = isWord(peek(cursor), 'if') ? deeper(cursor, () => parseIf(cursor)) : parseBlock(cursor)
  }
  return { type: 'if', test, then, otherwise, span: { start, end: (otherwise ?? then).span.end } }
}

function parsePredicate(cursor: Cursor): Expr {
  const begin = cursor.at
  if (isMark(peek(cursor), '(')) {
    const group = parseGroup(cursor, true)
    if (isMark(peek(cursor), '{')) return group
    if (group.body.length > 1) throw unexpected(peek(cursor), '"{"')
    cursor.at = begin
  }
  return parseOperators(cursor)
}
