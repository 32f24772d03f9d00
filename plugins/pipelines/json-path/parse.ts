// Reads JSONPath (RFC 9535, and the point before a bracket that many write) into segments.
import { DbError, isDbError } from '../../../core/compute.ts'
import { expect, fault, nest, type PathCursor, readInteger, readName, readQuoted, skipSpace, takes } from './cursor.ts'
import { parseTest } from './filter.ts'
import type { Segment, Selector } from './path.ts'

/** Reads a path that starts with `$`. Throws DbError `InvalidArguments` with the position. */
export function parsePath(text: string): readonly Segment[] {
  const cursor: PathCursor = { text, at: 0, depth: 0 }
  try {
    expect(cursor, '$')
    const segments = parseSegments(cursor)
    skipSpace(cursor)
    if (cursor.at < text.length) throw fault(cursor, "'.', '[' or the end")
    return segments
  } catch (cause) {
    if (!isDbError(cause)) throw cause
    throw new DbError('InvalidArguments', `"${text.slice(0, 60)}" is not a JSONPath: ${cause.message}`, { cause })
  }
}

/** The segments that follow `$` or `@`. */
function parseSegments(cursor: PathCursor): Segment[] {
  const segments: Segment[] = []
  for (;;) {
    const start = cursor.at
    skipSpace(cursor)
    const descends = takes(cursor, '..')
    const dotted = descends || takes(cursor, '.')
    if (cursor.text[cursor.at] === '[') segments.push({ descends, selectors: parseBracket(cursor) })
    else if (dotted) segments.push({ descends, selectors: [parseMember(cursor)] })
    else {
      cursor.at = start
      return segments
    }
  }
}

function parseMember(cursor: PathCursor): Selector {
  if (takes(cursor, '*')) return { kind: 'every' }
  const name = readName(cursor)
  if (name === undefined) throw fault(cursor, "a name, '*' or '['")
  return { kind: 'name', name }
}

function parseBracket(cursor: PathCursor): Selector[] {
  expect(cursor, '[')
  const selectors: Selector[] = []
  do {
    skipSpace(cursor)
    selectors.push(parseSelector(cursor))
  } while (takes(cursor, ','))
  expect(cursor, ']')
  return selectors
}

function parseSelector(cursor: PathCursor): Selector {
  if (takes(cursor, '*')) return { kind: 'every' }
  if (takes(cursor, '?')) return { kind: 'filter', test: nest(cursor, () => parseTest(cursor, parseSegments)) }
  const name = readQuoted(cursor)
  if (name !== undefined) return { kind: 'name', name }
  const start = readInteger(cursor)
  if (!takes(cursor, ':')) {
    if (start === undefined) throw fault(cursor, "a name in quotes, an index, a slice, '*' or '?'")
    return { kind: 'index', index: start }
  }
  const end = readInteger(cursor)
  const step = takes(cursor, ':') ? readInteger(cursor) : undefined
  return { kind: 'slice', start, end, step: step ?? 1 }
}
