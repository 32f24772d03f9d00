// Options in parentheses: `WITH (key = value, …)`.
import { type Cursor, expect, peek, readList, readName, readString, take, unexpected } from './cursor.ts'
import type { Texts } from './statement.ts'

/** `WITH (key = value, …)`, or nothing. Keys may be quoted and hold dots. */
export function readWith(cursor: Cursor): Texts {
  if (!take(cursor, 'with')) return {}
  return Object.fromEntries(readList(cursor, () => readOption(cursor)))
}

/** `key = value` */
export function readOption(cursor: Cursor): readonly [string, string] {
  const key = [readKey(cursor)]
  while (take(cursor, '.')) key.push(readKey(cursor))
  expect(cursor, '=')
  return [key.join('.'), readValue(cursor)]
}

/** The name of an option. */
export function readKey(cursor: Cursor): string {
  if (peek(cursor)?.kind === 'string') return readString(cursor)
  return readName(cursor, 'the name of an option').text
}

function readValue(cursor: Cursor): string {
  const token = peek(cursor)
  if (token === undefined || token.kind === 'symbol' || token.kind === 'bytes') throw unexpected(cursor, 'a value')
  cursor.at++
  return token.value
}
