// Where the reader of a JSONPath stands, and the small parts it reads.
import { DbError } from '../../../core/compute.ts'

export interface PathCursor {
  readonly text: string
  at: number
  /** Nesting of filters and parentheses. */
  depth: number
}

const maxDepth = 50

export function fault(cursor: PathCursor, expected: string): DbError {
  const found = cursor.at < cursor.text.length ? `'${cursor.text[cursor.at]}'` : 'the end'
  return new DbError('InvalidArguments', `expected ${expected} at position ${cursor.at + 1}, got ${found}`)
}

/** Throws where filters are nested too deep. */
export function nest<T>(cursor: PathCursor, read: () => T): T {
  if (++cursor.depth > maxDepth) throw new DbError('InvalidArguments', `more than ${maxDepth} levels of parentheses`)
  const result = read()
  cursor.depth--
  return result
}

export function skipSpace(cursor: PathCursor): void {
  while (/^[ \t\r\n]$/.test(cursor.text[cursor.at] ?? '')) cursor.at++
}

/** Reads the word when it stands next, white space before it included. */
export function takes(cursor: PathCursor, word: string): boolean {
  skipSpace(cursor)
  if (!cursor.text.startsWith(word, cursor.at)) return false
  cursor.at += word.length
  return true
}

export function expect(cursor: PathCursor, word: string): void {
  if (!takes(cursor, word)) throw fault(cursor, `'${word}'`)
}

/** Reads the match of a sticky expression. */
export function readMatch(cursor: PathCursor, expression: RegExp): string | undefined {
  expression.lastIndex = cursor.at
  const match = expression.exec(cursor.text)
  if (match === null) return undefined
  cursor.at += match[0].length
  return match[0]
}

/** A name without quotes: letters, digits, `_`, `-` and everything beyond ASCII. */
export function readName(cursor: PathCursor): string | undefined {
  return readMatch(cursor, /[\w\u0080-\uffff](?:[\w\u0080-\uffff]|-(?=\w))*/y)
}

export function readInteger(cursor: PathCursor): number | undefined {
  skipSpace(cursor)
  const text = readMatch(cursor, /-?\d{1,15}/y)
  return text === undefined ? undefined : Number(text)
}

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** Text in single or double quotes; undefined where no quote stands. */
export function readQuoted(cursor: PathCursor): string | undefined {
  const quote = cursor.text[cursor.at]
  if (quote !== '"' && quote !== "'") return undefined
  let text = ''
  for (let i = cursor.at + 1; i < cursor.text.length; i++) {
    const letter = cursor.text[i]!
    if (letter === quote) {
      cursor.at = i + 1
      return text
    }
    if (letter !== '\\') text += letter
    else if (cursor.text[++i] !== 'u') text += escapes[cursor.text[i]!] ?? cursor.text[i] ?? ''
    else {
      const digits = /^[0-9a-f]{4}/i.exec(cursor.text.slice(i + 1, i + 5))
      cursor.at = i
      if (digits === null) throw fault(cursor, 'four digits behind \\u')
      text += String.fromCharCode(Number.parseInt(digits[0], 16))
      i += 4
    }
  }
  cursor.at = cursor.text.length
  throw fault(cursor, `a closing ${quote}`)
}
