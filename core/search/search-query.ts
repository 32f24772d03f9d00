// The text of a search, `error AND ("connection reset" OR -timeout)`, as a tree.

import { DbError } from '../errors.ts'
import { shorten } from '../model/shorten.ts'

export type SearchNode =
  /** Words in a row, with only separators between them. */
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'and' | 'or'; readonly of: readonly SearchNode[] }
  | { readonly kind: 'not'; readonly of: SearchNode }

/** Deepest nesting of a search; the tree is visited recursively. */
const maxDepth = 50
/** Words of one search. Each costs time for every row. */
const maxWords = 200

interface Cursor {
  readonly text: string
  at: number
  depth: number
  words: number
}

/** Parses a search. Everything but letters and digits separates words. Throws DbError `InvalidArguments` with the position in the text. */
export function parseSearch(text: string): SearchNode {
  const cursor: Cursor = { text, at: 0, depth: 0, words: 0 }
  const node = readOr(cursor)
  if (skipSpace(cursor) < text.length) throw wrong(cursor, 'expected the end, found )')
  return node
}

function readOr(cursor: Cursor): SearchNode {
  const of = [readAnd(cursor)]
  while (takeWord(cursor, 'OR')) of.push(readAnd(cursor))
  return joined('or', of)
}

function readAnd(cursor: Cursor): SearchNode {
  const of = [readList(cursor)]
  while (takeWord(cursor, 'AND')) of.push(readList(cursor))
  return joined('and', of)
}

/** Terms side by side: all with `+` must match and none with `-` or NOT; of the others one must match, unless some have `+`. */
function readList(cursor: Cursor): SearchNode {
  const required: SearchNode[] = []
  const refused: SearchNode[] = []
  const others: SearchNode[] = []
  do {
    if (take(cursor, '+')) required.push(readTerm(cursor))
    else if (take(cursor, '-') || takeWord(cursor, 'NOT')) refused.push({ kind: 'not', of: readTerm(cursor) })
    else others.push(readTerm(cursor))
  } while (!atListEnd(cursor))
  const wanted = required.length > 0 ? required : others.length > 0 ? [joined('or', others)] : []
  return joined('and', [...wanted, ...refused])
}

function atListEnd(cursor: Cursor): boolean {
  skipSpace(cursor)
  const { text, at } = cursor
  return at >= text.length || text[at] === ')' || seesWord(cursor, 'AND') || seesWord(cursor, 'OR')
}

function readTerm(cursor: Cursor): SearchNode {
  const start = skipSpace(cursor)
  const { text } = cursor
  if (start >= text.length) throw wrong(cursor, 'expected a term, found the end')
  if (take(cursor, '(')) return readGroup(cursor, start)
  const operator = ['AND', 'OR', 'NOT'].find(word => seesWord(cursor, word))
  if (operator !== undefined) throw wrong(cursor, `expected a term, found ${operator}`)
  if (text[start] === ')') throw wrong(cursor, 'expected a term, found )')
  const written = text[start] === '"' ? readQuoted(cursor) : readPlain(cursor)
  const words = written.match(/[\p{L}\p{N}]+/gu)
  if (words === null) throw wrong({ ...cursor, at: start }, 'a term needs a letter or a digit')
  cursor.words += words.length
  if (cursor.words > maxWords)
    throw wrong({ ...cursor, at: start }, `more than ${maxWords} words, the limit of a search`)
  return { kind: 'words', words }
}

function readGroup(cursor: Cursor, start: number): SearchNode {
  if (++cursor.depth > maxDepth) throw wrong(cursor, `more than ${maxDepth} parentheses inside of one another`)
  const node = readOr(cursor)
  if (!take(cursor, ')')) throw wrong({ ...cursor, at: start }, 'the parenthesis is not closed')
  cursor.depth--
  return node
}

/** A backslash makes the next character literal. */
function readQuoted(cursor: Cursor): string {
  const start = cursor.at++
  let written = ''
  for (; cursor.at < cursor.text.length; cursor.at++) {
    const char = cursor.text[cursor.at]!
    if (char === '"') {
      cursor.at++
      return written
    }
    written += char === '\\' ? (cursor.text[++cursor.at] ?? '') : char
  }
  throw wrong({ ...cursor, at: start }, 'the quote is not closed')
}

function readPlain(cursor: Cursor): string {
  let written = ''
  for (; cursor.at < cursor.text.length; cursor.at++) {
    const char = cursor.text[cursor.at]!
    if (/[\s()"]/.test(char)) break
    if (char === '*') throw wrong(cursor, 'there are no wildcards in a search: LIKE and regular expressions have them')
    written += char === '\\' ? (cursor.text[++cursor.at] ?? '') : char
  }
  return written
}

function skipSpace(cursor: Cursor): number {
  while (/\s/.test(cursor.text[cursor.at] ?? '')) cursor.at++
  return cursor.at
}

function take(cursor: Cursor, char: string): boolean {
  if (cursor.text[skipSpace(cursor)] !== char) return false
  cursor.at++
  return true
}

function takeWord(cursor: Cursor, word: string): boolean {
  if (!seesWord(cursor, word)) return false
  cursor.at += word.length
  return true
}

function seesWord(cursor: Cursor, word: string): boolean {
  const start = skipSpace(cursor)
  return cursor.text.startsWith(word, start) && /^(?:[\s()"]|$)/.test(cursor.text.slice(start + word.length))
}

function joined(kind: 'and' | 'or', of: readonly SearchNode[]): SearchNode {
  return of.length === 1 ? of[0]! : { kind, of }
}

function wrong({ text, at }: Cursor, reason: string): DbError {
  const position = [...text.slice(0, at)].length + 1
  const shown = JSON.stringify(shorten(text, 100))
  return new DbError('InvalidArguments', `invalid search query ${shown}: ${reason} at character ${position}`)
}
