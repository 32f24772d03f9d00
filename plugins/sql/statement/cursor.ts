// A position in the tokens of one statement, and the steps every statement's grammar is made of.
import type { ParseError } from '../../../core/index.ts'
import { bracketStep, isWithin } from '../text/brackets.ts'
import { errorAt, isName, isToken, type Token } from '../text/token.ts'

export interface Cursor {
  readonly sql: string
  readonly tokens: readonly Token[]
  at: number
}

/** A name as written: unquoted ones folded to lower case. */
export interface Name {
  readonly text: string
  readonly quoted: boolean
}

export function peek(cursor: Cursor, ahead = 0): Token | undefined {
  return cursor.tokens[cursor.at + ahead]
}

/** Whether these words or symbols come next. */
export function sees(cursor: Cursor, ...texts: readonly string[]): boolean {
  return texts.every((text, i) => isToken(peek(cursor, i), text))
}

/** Steps over these words or symbols if they come next. */
export function take(cursor: Cursor, ...texts: readonly string[]): boolean {
  if (!sees(cursor, ...texts)) return false
  cursor.at += texts.length
  return true
}

export function expect(cursor: Cursor, ...texts: readonly string[]): void {
  if (!take(cursor, ...texts)) throw unexpected(cursor, texts.join(' ').toUpperCase())
}

export function atEnd(cursor: Cursor): boolean {
  return cursor.at >= cursor.tokens.length
}

export function expectEnd(cursor: Cursor): void {
  if (!atEnd(cursor)) throw unexpected(cursor, 'the end of the statement')
}

export function unexpected(cursor: Cursor, expected: string): ParseError {
  const token = peek(cursor)
  const found = token === undefined ? 'end of statement' : cursor.sql.slice(token.start, token.end)
  const at = token?.start ?? cursor.tokens.at(-1)?.end ?? 0
  return errorAt(cursor.sql, at, `expected ${expected}, found ${found}`)
}

export function readName(cursor: Cursor, what = 'a name'): Name {
  const token = peek(cursor)
  if (!isName(token)) throw unexpected(cursor, what)
  cursor.at++
  return nameOf(token)
}

/** The name a token spells. */
export function nameOf({ kind, value }: Token): Name {
  return { text: kind === 'word' ? value.toLowerCase() : value, quoted: kind === 'quoted' }
}

/** One to three names with dots between. */
export function readNames(cursor: Cursor): Name[] {
  const names = [readName(cursor)]
  while (names.length < 3 && take(cursor, '.')) names.push(readName(cursor))
  return names
}

/** Items with commas between, at least one. */
export function readItems<T>(cursor: Cursor, item: () => T): T[] {
  const items = [item()]
  while (take(cursor, ',')) items.push(item())
  return items
}

/** Names of columns in parentheses; undefined where no parenthesis opens. */
export function readColumnNames(cursor: Cursor): Name[] | undefined {
  return sees(cursor, '(') ? readList(cursor, () => readName(cursor, 'the name of a column')) : undefined
}

/** Items with commas between, in parentheses; a comma may trail. */
export function readList<T>(cursor: Cursor, item: () => T): T[] {
  const items: T[] = []
  expect(cursor, '(')
  while (!take(cursor, ')')) {
    items.push(item())
    if (take(cursor, ',')) continue
    expect(cursor, ')')
    break
  }
  return items
}

export function readString(cursor: Cursor): string {
  const token = peek(cursor)
  if (token?.kind !== 'string' && token?.kind !== 'quoted') throw unexpected(cursor, 'a string')
  cursor.at++
  return token.value
}

/** Tokens up to one of these symbols or words outside of parentheses, or the end. */
export function readUntil(cursor: Cursor, ...stops: readonly string[]): Token[] {
  const start = cursor.at
  let depth = 0
  for (; !atEnd(cursor); cursor.at++) {
    const token = peek(cursor)!
    if (depth === 0 && stops.some(stop => isToken(token, stop)) && !isWithin(cursor.tokens, cursor.at)) break
    depth += bracketStep(token)
  }
  return cursor.tokens.slice(start, cursor.at)
}
