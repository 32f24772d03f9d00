// Finds the line of each key in a TOML text for error messages, because the parser keeps no positions.

/** Key path as JSON text (`["http","addr"]`) → line from 1. The text must be valid TOML. */
export function keyLines(text: string): Map<string, number> {
  const lines = new Map<string, number>()
  const cursor = { text, at: 0, line: 1 }
  let table: string[] = []
  for (skipSpace(cursor); cursor.at < text.length; skipSpace(cursor)) {
    const line = cursor.line
    if (text[cursor.at] === '[') {
      while (text[cursor.at] === '[') cursor.at++
      table = readKey(cursor)
      note(lines, table, line)
      skipValue(cursor, '\n')
    } else {
      const path = [...table, ...readKey(cursor)]
      note(lines, path, line)
      skipValue(cursor, '\n')
    }
  }
  return lines
}

interface Cursor {
  readonly text: string
  at: number
  line: number
}

/** Parents that are only implied (`a.b = 1`) get the line of their first child. */
function note(lines: Map<string, number>, path: readonly string[], line: number) {
  for (let length = 1; length <= path.length; length++) {
    const key = JSON.stringify(path.slice(0, length))
    if (!lines.has(key)) lines.set(key, line)
  }
}

function skipSpace(cursor: Cursor) {
  for (; cursor.at < cursor.text.length; cursor.at++) {
    const char = cursor.text[cursor.at]!
    if (char === '\n') cursor.line++
    else if (char === '#') {
      while (cursor.at + 1 < cursor.text.length && cursor.text[cursor.at + 1] !== '\n') cursor.at++
    } else if (!/\s/.test(char)) return
  }
}

function readKey(cursor: Cursor): string[] {
  const part = /[ \t]*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([\w-]+))[ \t]*(\.?)/y
  const path: string[] = []
  let more = true
  while (more) {
    part.lastIndex = cursor.at
    const match = part.exec(cursor.text)
    if (match === null) break
    path.push(match[2] ?? match[3] ?? unescapeKey(match[1]!))
    cursor.at = part.lastIndex
    more = match[4] === '.'
  }
  return path
}

function unescapeKey(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string
  } catch {
    return text
  }
}

/** Skips everything up to `end` outside of strings, comments and brackets. */
function skipValue(cursor: Cursor, end: string) {
  while (cursor.at < cursor.text.length) {
    const char = cursor.text[cursor.at]!
    if (char === end) return
    if (char === '#') while (cursor.at < cursor.text.length && cursor.text[cursor.at] !== '\n') cursor.at++
    else if (char === '"' || char === "'") skipString(cursor, char)
    else {
      if (char === '\n') cursor.line++
      cursor.at++
      if (char === '[' || char === '{') {
        skipValue(cursor, char === '[' ? ']' : '}')
        cursor.at++
      }
    }
  }
}

function skipString(cursor: Cursor, quote: string) {
  const long = cursor.text.startsWith(quote.repeat(3), cursor.at)
  const fence = long ? quote.repeat(3) : quote
  cursor.at += fence.length
  while (cursor.at < cursor.text.length && !cursor.text.startsWith(fence, cursor.at)) {
    if (quote === '"' && cursor.text[cursor.at] === '\\') cursor.at++
    if (cursor.text[cursor.at] === '\n') cursor.line++
    cursor.at++
  }
  cursor.at += fence.length
  // A multi-line string may end with further quotes that belong to it.
  while (long && cursor.text[cursor.at] === quote) cursor.at++
}
