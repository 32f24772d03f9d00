// COPY: a table or a query to a file of the export folder, or a file of it into a table.
import { unsupported } from '../error.ts'
import { isToken } from '../text/token.ts'
import { type Cursor, expect, peek, readColumnNames, readNames, readString, sees, take } from './cursor.ts'
import { readQuery } from './query.ts'
import type { CopyStatement } from './statement.ts'
import { readWith } from './with.ts'

export function parseCopy(cursor: Cursor): CopyStatement {
  if (sees(cursor, 'database') && !isToken(peek(cursor, 1), 'to') && !isToken(peek(cursor, 1), 'from')) {
    throw unsupported('COPY DATABASE is not supported: copy its tables, or make a backup')
  }
  if (take(cursor, '(')) {
    const query = readQuery(cursor, ')')
    expect(cursor, ')')
    expect(cursor, 'to')
    return { kind: 'copy', direction: 'to', source: query, ...readTarget(cursor) }
  }
  // COPY TABLE t TO, as GreptimeDB has it.
  if (sees(cursor, 'table') && !['to', 'from', '.', '('].some(next => isToken(peek(cursor, 1), next))) cursor.at++
  const start = cursor.at
  const name = readNames(cursor)
  const named = cursor.tokens.slice(start, cursor.at)
  const columns = readColumnNames(cursor)
  if (columns === undefined && take(cursor, 'to')) {
    return { kind: 'copy', direction: 'to', source: { kind: 'table', name, named }, ...readTarget(cursor) }
  }
  expect(cursor, 'from')
  return { kind: 'copy', direction: 'from', table: name, columns, ...readTarget(cursor) }
}

function readTarget(cursor: Cursor) {
  const path = readString(cursor)
  const options = readWith(cursor)
  if (take(cursor, 'connection')) {
    throw unsupported('COPY to and from object stores is not supported: files lie in the export folder')
  }
  return { path, options }
}
