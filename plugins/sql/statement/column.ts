// One column of CREATE TABLE: name, type and options in any order.
import { type ColumnIndex, type ColumnType, parseColumnIndex } from '../../../core/index.ts'
import { isToken } from '../text/token.ts'
import { readColumnType } from './column-type.ts'
import { atEnd, type Cursor, expect, peek, readName, readString, readUntil, sees, take, unexpected } from './cursor.ts'
import type { IndexKind } from './statement.ts'
import { readWith } from './with.ts'

export interface WrittenColumn {
  readonly name: string
  readonly type: ColumnType
  /** Undefined: not said. */
  nullable?: boolean
  default?: string
  comment?: string
  index?: ColumnIndex
  primaryKey?: boolean
  timeIndex?: boolean
}

/** Up to one of these words, a comma or a parenthesis. */
export function parseColumn(cursor: Cursor, ...stops: readonly string[]): WrittenColumn {
  const name = readName(cursor, 'the name of a column').text
  const column: WrittenColumn = { name, type: readColumnType(cursor) }
  while (![',', ')', ...stops].some(stop => sees(cursor, stop)) && !(stops.length > 0 && atEnd(cursor))) {
    parseOption(cursor, column)
  }
  return column
}

function parseOption(cursor: Cursor, column: WrittenColumn): void {
  const kind = indexKind(cursor)
  if (kind !== undefined) {
    expect(cursor, 'index')
    column.index = parseColumnIndex(kind, readWith(cursor), column.type)
  } else if (take(cursor, 'time', 'index')) column.timeIndex = true
  else if (take(cursor, 'primary', 'key')) column.primaryKey = true
  else if (take(cursor, 'not', 'null')) column.nullable = false
  else if (take(cursor, 'null')) column.nullable = true
  else if (take(cursor, 'comment')) column.comment = readString(cursor)
  else if (take(cursor, 'default')) column.default = readDefault(cursor)
  else throw unexpected(cursor, 'a column option')
}

export function indexKind(cursor: Cursor): IndexKind | undefined {
  for (const kind of ['fulltext', 'skipping', 'inverted'] as const) if (take(cursor, kind)) return kind
  return undefined
}

/** The text of a literal or a call, as written. */
export function readDefault(cursor: Cursor): string {
  const start = cursor.at
  if (!take(cursor, '-')) take(cursor, '+')
  const first = peek(cursor)
  if (first === undefined || sees(cursor, ',') || sees(cursor, ')')) throw unexpected(cursor, 'a default value')
  if (first.value !== '(') cursor.at++
  if (isToken(first, 'timestamp') && peek(cursor)?.kind === 'string') cursor.at++
  if (take(cursor, '(')) {
    readUntil(cursor, ')')
    expect(cursor, ')')
  }
  return cursor.sql.slice(cursor.tokens[start]!.start, cursor.tokens[cursor.at - 1]!.end)
}
