// INSERT and REPLACE: target, columns, and the expressions of each row still as tokens.
import { unsupported } from '../error.ts'
import type { Token } from '../text/token.ts'
import {
  type Cursor,
  expect,
  peek,
  readColumnNames,
  readList,
  readNames,
  readUntil,
  sees,
  take,
  unexpected
} from './cursor.ts'
import { isQueryWord } from './query.ts'
import type { InsertStatement } from './statement.ts'
import { parseTql } from './tql.ts'

/** Behind `INSERT`: `INTO table [(columns)]` */
export function parseInsertHead(cursor: Cursor): Pick<InsertStatement, 'table' | 'columns'> {
  expect(cursor, 'into')
  const table = readNames(cursor)
  const listed = sees(cursor, '(') && !sees(cursor, '(', 'select') && !sees(cursor, '(', 'with')
  const columns = listed ? readColumnNames(cursor) : undefined
  return { table, columns }
}

export function parseInsert(cursor: Cursor): InsertStatement {
  const { table, columns } = parseInsertHead(cursor)
  if (take(cursor, 'tql')) return { kind: 'insert', table, columns, source: parseTql(cursor) }
  if (!take(cursor, 'values')) {
    if (!isQueryWord(peek(cursor))) throw unexpected(cursor, 'VALUES, SELECT or TQL')
    return { kind: 'insert', table, columns, source: { kind: 'query', tokens: readUntil(cursor) } }
  }
  const rows = [readRow(cursor)]
  while (take(cursor, ',')) {
    if (peek(cursor) === undefined) break
    rows.push(readRow(cursor))
  }
  if (sees(cursor, 'on', 'conflict')) throw unsupported(noConflicts)
  return { kind: 'insert', table, columns, source: { kind: 'values', rows } }
}

const noConflicts = 'ON CONFLICT is not supported: a row replaces the one with the same tags and time'

/** The expressions of `(value, …)`. */
export function readRow(cursor: Cursor): Token[][] {
  return readList(cursor, () => {
    const expression = readUntil(cursor, ',', ')')
    if (expression.length === 0) throw unexpected(cursor, 'a value')
    return expression
  })
}
