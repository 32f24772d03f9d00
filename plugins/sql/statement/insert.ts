// INSERT and REPLACE: target, columns, and the expressions of each row still as tokens.
import type { Token } from '../text/token.ts'
import {
  type Cursor,
  expect,
  peek,
  readList,
  readName,
  readNames,
  readUntil,
  sees,
  take,
  unexpected
} from './cursor.ts'
import type { InsertStatement } from './statement.ts'

export function parseInsert(cursor: Cursor): InsertStatement {
  expect(cursor, 'into')
  const table = readNames(cursor)
  const listed = sees(cursor, '(') && !sees(cursor, '(', 'select') && !sees(cursor, '(', 'with')
  const columns = listed ? readList(cursor, () => readName(cursor, 'the name of a column')) : undefined
  if (!take(cursor, 'values')) {
    if (!['select', 'with', 'from', '('].some(word => sees(cursor, word))) throw unexpected(cursor, 'VALUES or SELECT')
    return { kind: 'insert', table, columns, source: { kind: 'query', tokens: readUntil(cursor) } }
  }
  const rows = [readRow(cursor)]
  while (take(cursor, ',')) {
    if (peek(cursor) === undefined) break
    rows.push(readRow(cursor))
  }
  return { kind: 'insert', table, columns, source: { kind: 'values', rows } }
}

function readRow(cursor: Cursor): Token[][] {
  return readList(cursor, () => {
    const expression = readUntil(cursor, ',', ')')
    if (expression.length === 0) throw unexpected(cursor, 'a value')
    return expression
  })
}
