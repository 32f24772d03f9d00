// SET and ADMIN.
import { unsupported } from '../error.ts'
import { label } from '../text/canonical.ts'
import { atEnd, type Cursor, expect, peek, readName, take, unexpected } from './cursor.ts'
import type { Statement } from './statement.ts'

export function parseSet(cursor: Cursor): Statement {
  take(cursor, 'session')
  const zone = take(cursor, 'time', 'zone')
  const variable = zone ? 'time_zone' : readName(cursor, 'the name of a variable').text
  if (!zone && !take(cursor, '=')) expect(cursor, 'to')
  if (variable === 'search_path') return { kind: 'use', database: readName(cursor, 'the name of a database') }
  if (variable !== 'time_zone' && variable !== 'timezone') {
    throw unsupported(`Unsupported set variable ${variable.toUpperCase()}`)
  }
  const value = peek(cursor)
  if (value === undefined || value.kind === 'symbol') throw unexpected(cursor, 'a time zone')
  cursor.at++
  return { kind: 'set_time_zone', zone: value.value }
}

export function parseAdmin(cursor: Cursor): Statement {
  const call = readName(cursor, 'the name of a function').text
  expect(cursor, '(')
  const args: string[] = []
  while (!take(cursor, ')')) {
    if (atEnd(cursor)) throw unexpected(cursor, ')')
    const token = peek(cursor)!
    cursor.at++
    if (token.kind === 'symbol' && token.value !== ',') throw unexpected({ ...cursor, at: cursor.at - 1 }, 'a literal')
    if (token.kind !== 'symbol') args.push(token.value)
  }
  return { kind: 'admin', call, args, text: `ADMIN ${label(cursor.tokens.slice(1, cursor.at))}` }
}
