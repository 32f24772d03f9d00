// CREATE FLOW, and what is said of flows.
import { parseDuration } from '../../../core/index.ts'
import { type Cursor, expect, peek, readName, readNames, readString, take, unexpected } from './cursor.ts'
import { readQuery } from './query.ts'
import type { CreateFlow } from './statement.ts'

/** `[IF NOT EXISTS] name SINK TO table [EXPIRE AFTER '1 day'] [COMMENT 'text'] AS query`, behind `CREATE [OR REPLACE] FLOW`. */
export function parseFlow(cursor: Cursor, replace: boolean): CreateFlow {
  const ifNotExists = take(cursor, 'if', 'not', 'exists')
  const name = readName(cursor, 'the name of a flow').text
  expect(cursor, 'sink', 'to')
  const sink = readNames(cursor)
  const expireAfter = take(cursor, 'expire', 'after') ? readLength(cursor) : undefined
  const comment = take(cursor, 'comment') ? readString(cursor) : undefined
  expect(cursor, 'as')
  const query = readQuery(cursor)
  return { kind: 'create_flow', name, replace, ifNotExists, sink, expireAfter, comment, query }
}

/** Milliseconds of `'1h'`, `INTERVAL '1 hour'` or a number of seconds. */
function readLength(cursor: Cursor): number {
  take(cursor, 'interval')
  const token = peek(cursor)
  const written = token?.kind === 'number' ? `${token.value}s` : token?.kind === 'string' ? token.value : ''
  const length = parseDuration(written)
  if (length === undefined || length <= 0) throw unexpected(cursor, "a duration such as '1h'")
  cursor.at++
  return length
}
