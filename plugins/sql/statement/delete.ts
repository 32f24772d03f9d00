// DELETE: the table, and the condition still as tokens.
import { isToken, type Token } from '../text/token.ts'
import { atEnd, type Cursor, expect, readNames, take, unexpected } from './cursor.ts'
import type { DeleteStatement } from './statement.ts'

export function parseDelete(cursor: Cursor): DeleteStatement {
  expect(cursor, 'from')
  const start = cursor.at
  const table = readNames(cursor)
  const named = cursor.tokens.slice(start, cursor.at)
  if (!take(cursor, 'where')) return { kind: 'delete', table, named, where: [] }
  if (atEnd(cursor)) throw unexpected(cursor, 'a condition')
  return { kind: 'delete', table, named, where: readCondition(cursor) }
}

/** All that is left. It must not close a parenthesis it did not open: it will stand in a pair. */
function readCondition(cursor: Cursor): Token[] {
  const start = cursor.at
  let depth = 0
  for (; !atEnd(cursor); cursor.at++) {
    const token = cursor.tokens[cursor.at]
    if (isToken(token, '(')) depth++
    if (isToken(token, ')') && --depth < 0) throw unexpected(cursor, 'end of statement')
  }
  return cursor.tokens.slice(start)
}
