// Parses regular expressions to a tree. The source must be valid; rare syntax is not supported.
import { escapedSet, foldedRange, readClass, readEscape } from './char-class.ts'
import { type AssertionName, everyChar, lineFeed, type Node } from './tree.ts'

interface Flags {
  readonly fold: boolean
  readonly multiline: boolean
  readonly dotAll: boolean
  readonly swapGreed: boolean
}

/** Where the reader stands. */
interface Cursor {
  readonly source: string
  at: number
  flags: Flags
}

/** Thrown for unsupported syntax; never leaves this file. */
const unknown = Symbol('unknown')

/** The tree of a valid expression; undefined if it has unsupported parts. */
export function parseTree(source: string): Node | undefined {
  const flags = { fold: false, multiline: false, dotAll: false, swapGreed: false }
  const cursor: Cursor = { source, at: 0, flags }
  try {
    const node = parseChoice(cursor)
    return cursor.at === source.length ? node : undefined
  } catch (fault) {
    if (fault === unknown || fault instanceof RangeError) return undefined
    throw fault
  }
}

function parseChoice(cursor: Cursor): Node {
  const branches: Node[] = [parseSequence(cursor)]
  while (cursor.source[cursor.at] === '|') {
    cursor.at++
    branches.push(parseSequence(cursor))
  }
  return branches.length === 1 ? branches[0]! : { kind: 'choice', branches }
}

function parseSequence(cursor: Cursor): Node {
  const { source } = cursor
  const parts: Node[] = []
  while (cursor.at < source.length && source[cursor.at] !== '|' && source[cursor.at] !== ')') {
    parts.push(parseRepeat(cursor, parseAtom(cursor)))
  }
  return { kind: 'sequence', parts }
}

function parseRepeat(cursor: Cursor, body: Node): Node {
  const match = /^(?:[*+?]|\{(\d{1,4})(?:(,)(\d{0,4}))?\})/.exec(cursor.source.slice(cursor.at, cursor.at + 12))
  if (match === null) return body
  cursor.at += match[0].length
  const lazy = cursor.source[cursor.at] === '?'
  if (lazy) cursor.at++
  const sign = match[0][0]
  const [, low, comma, high] = match
  const min = sign === '{' ? Number(low) : sign === '+' ? 1 : 0
  const open = sign === '{' ? comma !== undefined && high === '' : sign !== '?'
  const max = open ? Number.POSITIVE_INFINITY : sign === '?' ? 1 : Number(high ?? low)
  return { kind: 'repeat', body, min, max, greedy: lazy === cursor.flags.swapGreed }
}

function parseAtom(cursor: Cursor): Node {
  const { source, flags } = cursor
  switch (source[cursor.at]) {
    case '(':
      return parseGroup(cursor)
    case '[': {
      const read = readClass(source, cursor.at, flags.fold) ?? refuse()
      cursor.at = read.end
      return { kind: 'set', chars: read.chars }
    }
    case '.':
      cursor.at++
      return { kind: 'set', chars: flags.dotAll ? everyChar : everyChar & ~lineFeed }
    case '^':
      cursor.at++
      return assertion(flags.multiline ? 'line start' : 'text start')
    case '$':
      cursor.at++
      return assertion(flags.multiline ? 'line end' : 'text end')
    case '\\':
      return parseEscape(cursor)
    case '*':
    case '+':
    case '?':
      return refuse()
    default: {
      const code = source.codePointAt(cursor.at)!
      cursor.at += code > 0xffff ? 2 : 1
      return { kind: 'set', chars: foldedRange(code, code, flags.fold) }
    }
  }
}

const escapedAssertions: Readonly<Record<string, AssertionName>> = {
  A: 'text start',
  z: 'text end',
  b: 'boundary',
  B: 'no boundary'
}

function parseEscape(cursor: Cursor): Node {
  const { source, at, flags } = cursor
  const letter = source[at + 1] ?? ''
  cursor.at += 2
  if (Object.hasOwn(escapedAssertions, letter)) return assertion(escapedAssertions[letter]!)
  const chars = escapedSet(letter)
  if (chars !== undefined) return { kind: 'set', chars }
  const { code, end } = readEscape(source, at) ?? refuse()
  cursor.at = end
  return { kind: 'set', chars: foldedRange(code, code, flags.fold) }
}

function parseGroup(cursor: Cursor): Node {
  const { source, flags } = cursor
  const match = /^\((?:\?(?:P?<\w+>|([imsU]*)(?:-([imsU]+))?([:)])))?/.exec(source.slice(cursor.at, cursor.at + 300))
  if (match === null || (match[0] === '(' && source[cursor.at + 1] === '?')) return refuse()
  cursor.at += match[0].length
  const [, on, off = '', end] = match
  if (end !== undefined) cursor.flags = changed(changed(flags, on!, true), off, false)
  // Flags without a body apply to the rest of the surrounding group.
  if (end === ')') return { kind: 'empty' }
  const body = parseChoice(cursor)
  if (source[cursor.at] !== ')') return refuse()
  cursor.at++
  cursor.flags = flags
  return end === undefined ? { kind: 'group', body } : body
}

function changed(flags: Flags, letters: string, value: boolean): Flags {
  return {
    fold: letters.includes('i') ? value : flags.fold,
    multiline: letters.includes('m') ? value : flags.multiline,
    dotAll: letters.includes('s') ? value : flags.dotAll,
    swapGreed: letters.includes('U') ? value : flags.swapGreed
  }
}

function assertion(name: AssertionName): Node {
  return { kind: 'assertion', name }
}

function refuse(): never {
  throw unknown
}
