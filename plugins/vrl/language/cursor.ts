// The token cursor of the parser, and errors for unexpected tokens.

import type { Expr } from './ast.ts'
import { maxDepth } from './bounds.ts'
import { CompileError, type Span } from './diagnostic.ts'
import type { Token } from './token.ts'

/** The upper half of the parser, passed to the lower half, because containers and arguments contain whole expressions. */
export interface Grammar {
  operators(cursor: Cursor): Expr
  block(cursor: Cursor): Expr & { readonly type: 'block' }
  group(cursor: Cursor): Expr
}

export interface Cursor {
  readonly grammar: Grammar
  readonly source: string
  readonly tokens: readonly Token[]
  at: number
  depth: number
}

export function peek(cursor: Cursor, ahead = 0): Token {
  return cursor.tokens[Math.min(cursor.at + ahead, cursor.tokens.length - 1)]!
}

/** The token before the cursor; the first one at the beginning. */
export function previous(cursor: Cursor): Token {
  return cursor.tokens[Math.max(0, cursor.at - 1)]!
}

export function next(cursor: Cursor): Token {
  const token = peek(cursor)
  if (token.type !== 'end') cursor.at++
  return token
}

export function isMark(token: Token, text: string): boolean {
  return token.type === 'mark' && token.text === text
}

export function isWord(token: Token, text: string): boolean {
  return token.text === text && (token.type === 'ident' || token.type === 'name')
}

/** Whether the token `ahead` of the cursor follows the one before without white space. */
export function adjoins(cursor: Cursor, ahead = 0): boolean {
  const before = cursor.tokens[cursor.at + ahead - 1]
  const token = cursor.tokens[cursor.at + ahead]
  return before !== undefined && token !== undefined && before.end === token.start
}

/** Consumes the mark if it is next. */
export function skipMark(cursor: Cursor, text: string): boolean {
  if (!isMark(peek(cursor), text)) return false
  cursor.at++
  return true
}

export function expectMark(cursor: Cursor, text: string): Token {
  const token = peek(cursor)
  if (!isMark(token, text)) throw unexpected(token, `"${text}"`)
  return next(cursor)
}

export function unexpected(token: Token, expected: string): CompileError {
  if (token.type === 'end')
    return new CompileError(204, 'syntax error', spanOf(token), 'unexpected end of program', [`expected ${expected}`])
  return new CompileError(203, 'syntax error', spanOf(token), `unexpected ${JSON.stringify(token.text)}`, [
    `expected ${expected}`
  ])
}

export function spanOf({ start, end }: Span): Span {
  return { start, end }
}

/** Runs `parse` one level deeper; E203 beyond the limit. */
export function deeper<T>(cursor: Cursor, parse: () => T): T {
  if (cursor.depth >= maxDepth)
    throw new CompileError(203, 'syntax error', spanOf(peek(cursor)), `more than ${maxDepth} levels of expressions`)
  cursor.depth++
  try {
    return parse()
  } finally {
    cursor.depth--
  }
}
