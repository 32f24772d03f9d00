// Objects and arrays of JSON part by part, for readers that want no value of the whole.
import type { Steps } from '../pace.ts'
import { maxJsonDepth, readJson, textEnd } from './json.ts'
import { type JsonCursor, jsonCursor, jsonError, skipSpace, unexpected } from './json-cursor.ts'

/** Bytes handled between two yields to other requests. */
const stepBytes = 1 << 18

const [quote, comma, colon, bracket, brace, backslash] = [0x22, 0x2c, 0x3a, 0x5d, 0x7d, 0x5c]

/** Goes to the next value and says whether it begins with this byte. */
export function startsWith(cursor: JsonCursor, byte: number): boolean {
  cursor.at = skipSpace(cursor, cursor.at)
  return cursor.at < cursor.end && cursor.bytes[cursor.at] === byte
}

/**
 * Reads the object whose brace is at the cursor: `read` is called where the value of each member begins and leaves the cursor behind it.
 * Throws ParseError.
 */
export function eachMember(cursor: JsonCursor, read: (key: string) => void): void {
  eachPart(cursor, brace, () => read(readMemberKey(cursor)))
}

/** The same for the array whose bracket is at the cursor. */
export function eachElement(cursor: JsonCursor, read: () => void): void {
  eachPart(cursor, bracket, read)
}

/** The array whose bracket is at the cursor, element by element: each is read before the next is asked for. Throws ParseError. */
export function* elements(cursor: JsonCursor): Generator<void, void, void> {
  if (!beginParts(cursor, bracket)) return
  do yield
  while (nextPart(cursor, bracket))
}

/** The object whose brace is at the cursor, member by member: the value of each key is read before the next is asked for. Throws ParseError. */
export function* members(cursor: JsonCursor): Generator<string, void, void> {
  if (!beginParts(cursor, brace)) return
  do yield readMemberKey(cursor)
  while (nextPart(cursor, brace))
}

/** Bytes of a value that is read in one go by those who read long ones in steps. */
const shortBytes = 1 << 14

/** Whether the value at the cursor ends, or is wrong, within so many bytes: they are looked at, and nothing is made of them. */
export function isShort({ bytes, at, end }: JsonCursor, within = shortBytes): boolean {
  const max = Math.min(end, at + within)
  let depth = 0
  for (let i = at; i < max; i++) {
    const byte = bytes[i]!
    if (byte === quote) {
      for (i++; i < max && bytes[i] !== quote; i++) if (bytes[i] === backslash) i++
      if (depth === 0 && i < max) return true
    } else if (byte === 0x7b || byte === 0x5b) depth++
    else if ((byte === brace || byte === bracket) && --depth <= 0) return true
    else if (depth === 0 && byte === comma) return true
  }
  return max === end
}

/** `passJson` in steps: what is short in one. */
export function* passSteps(cursor: JsonCursor, depth = 0): Steps<void> {
  const isObject = startsWith(cursor, 0x7b)
  if (isShort(cursor)) {
    passJson(cursor, depth)
    return
  }
  if (!isObject && !startsWith(cursor, 0x5b)) {
    if (startsWith(cursor, quote)) cursor.at = (yield* textEndSteps(cursor, cursor.at + 1)).end + 1
    else readJson(cursor)
    return
  }
  if (depth === maxJsonDepth) throw jsonError(cursor, cursor.at, `nested deeper than ${maxJsonDepth} levels`)
  let step = cursor.at
  for (const _ of isObject ? members(cursor) : elements(cursor)) {
    yield* passSteps(cursor, depth + 1)
    if (cursor.at - step < shortBytes) continue
    step = cursor.at
    yield
  }
}

/** Where the text ends that begins at `at`, behind its quote, and whether it has escapes. Throws ParseError as `textEnd` does. */
export function* textEndSteps(
  cursor: JsonCursor,
  at: number
): Steps<{ readonly end: number; readonly escaped: boolean }> {
  const { bytes, end } = cursor
  let escaped = false
  for (let i = at, step = at + stepBytes; i < end; i++) {
    const byte = bytes[i]!
    if (byte === quote) return { end: i, escaped }
    if (byte === backslash) {
      i++
      escaped = true
    } else if (byte < 0x20) break
    if (i < step) continue
    step = i + stepBytes
    yield
  }
  // Not the end of a text: says why.
  return { end: textEnd(cursor, at), escaped }
}

/** Checks what `parseJson` reads, and makes no value of it. Throws ParseError as that does. */
export function checkJson(source: string): void {
  const cursor = jsonCursor(Buffer.from(source))
  passJson(cursor)
  cursor.at = skipSpace(cursor, cursor.at)
  if (cursor.at < cursor.end) throw unexpected(cursor, cursor.at, 'the end of the document')
}

/** Goes behind the value at the cursor, white space before it included. Throws ParseError as `readJson` does. */
export function passJson(cursor: JsonCursor, depth = 0): void {
  const isObject = startsWith(cursor, 0x7b)
  if (!isObject && !startsWith(cursor, 0x5b)) {
    readJson(cursor)
    return
  }
  if (depth === maxJsonDepth) throw jsonError(cursor, cursor.at, `nested deeper than ${maxJsonDepth} levels`)
  const pass = () => passJson(cursor, depth + 1)
  if (isObject) eachMember(cursor, pass)
  else eachElement(cursor, pass)
}

/** Leaves the cursor at the value. */
function readMemberKey(cursor: JsonCursor): string {
  const key = readKey(cursor)
  if (!startsWith(cursor, colon)) throw unexpected(cursor, cursor.at, "':'")
  cursor.at = skipSpace(cursor, cursor.at + 1)
  return key
}

function readKey(cursor: JsonCursor): string {
  if (!startsWith(cursor, quote)) throw unexpected(cursor, cursor.at, 'a key in quotes')
  const { bytes, at } = cursor
  const end = textEnd(cursor, at + 1)
  for (let i = at + 1; i < end; i++) if (bytes[i] === backslash) return readJson(cursor) as string
  cursor.at = end + 1
  return bytes.toString('utf8', at + 1, end)
}

/** Calls `read` at each part up to the closing byte, with the cursor at the first byte that is no space. */
function eachPart(cursor: JsonCursor, close: number, read: () => void): void {
  if (!beginParts(cursor, close)) return
  do read()
  while (nextPart(cursor, close))
}

/** Goes to the first part; false where there is none. */
function beginParts(cursor: JsonCursor, close: number): boolean {
  cursor.at++
  if (!startsWith(cursor, close)) return true
  cursor.at++
  return false
}

/** Goes from behind a part to the next one; false behind the last. */
function nextPart(cursor: JsonCursor, close: number): boolean {
  const at = skipSpace(cursor, cursor.at)
  const byte = at < cursor.end ? cursor.bytes[at] : -1
  if (byte !== comma && byte !== close) throw unexpected(cursor, at, `',' or '${String.fromCharCode(close)}'`)
  cursor.at = at + 1
  if (byte === close) return false
  cursor.at = skipSpace(cursor, cursor.at)
  return true
}
