// DELETE: the table, and the condition still as tokens.
import { atEnd, type Cursor, expect, readNames, readUntil, sees, take, unexpected } from './cursor.ts'
import type { DeleteStatement } from './statement.ts'

export function parseDelete(cursor: Cursor): DeleteStatement {
  expect(cursor, 'from')
  const start = cursor.at
  const table = readNames(cursor)
  const named = cursor.tokens.slice(start, cursor.at)
  if (!take(cursor, 'where')) return { kind: 'delete', table, named, where: [] }
  if (atEnd(cursor)) throw unexpected(cursor, 'a condition')
  // It will stand in a pair of parentheses, none of which it must close.
  const where = readUntil(cursor, ')', 'returning')
  if (!atEnd(cursor) && !sees(cursor, 'returning')) throw unexpected(cursor, 'end of statement')
  return { kind: 'delete', table, named, where }
}
