// A query inside of another statement: its tokens, read later.
import { isToken, type Token } from '../text/token.ts'
import { type Cursor, peek, readUntil, unexpected } from './cursor.ts'
import type { QueryStatement } from './statement.ts'

const queryWords = ['select', 'with', 'values', 'from', '(', 'pivot', 'unpivot', 'table']

/** Whether a query can begin with this token. */
export function isQueryWord(token: Token | undefined): boolean {
  return queryWords.some(word => isToken(token, word))
}

/** All that is left, or up to these symbols or words. */
export function readQuery(cursor: Cursor, ...stops: readonly string[]): QueryStatement {
  if (!isQueryWord(peek(cursor))) throw unexpected(cursor, 'a query')
  return { kind: 'query', tokens: readUntil(cursor, ...stops) }
}
