// Visits objects and arrays of JSON part by part, for readers that do not build the whole value.
import type { Steps } from '../pace.ts'
import { maxJsonDepth, readJson, textEnd } from './json.ts'
import { type JsonCursor, jsonCursor, jsonError, skipSpace, unexpected } from './json-cursor.ts'

/** Bytes handled between two yields to other requests. */
const stepBytes = 1 << 18

const [quote, comma, colon, bracket, brace, backslash] = [0x22, 0x2c, 0x3a, 0x5d, 0x7d, 0x5c]

/** Skips white space and tells whether the next value begins with this byte. */
export function startsWith(cursor: JsonCursor, byte: number): boolean {
  cursor.at = skipSpace(cursor, cursor.at)
  return cursor.at < cursor.end && cursor.bytes[cursor.at] === byte
}

/**
 * Reads the object whose brace is at the cursor. `read` is called at the start of each member's value and must leave the cursor behind it. Throws
 * ParseError.
 */
export function eachMember(cursor: JsonCursor, read: (key: string) => void): void {
  eachPart(cursor, brace, () => read(readMemberKey(cursor)))
}

/** Like `eachMember`, for an array. */
export function eachElement(cursor: JsonCursor, read: () => void): void {
  eachPart(cursor, bracket, read)
}

/** Visits the array whose bracket is at the cursor: the caller must read each element before it asks for the next. Throws ParseError. */
export function* elements(cursor: JsonCursor): Generator<void, void, void> {
  if (!beginParts(cursor, bracket)) return
  do yield
  while (nextPart(cursor, bracket))
}

/** Visits the object whose brace is at the cursor: yields each key; the caller must read its value before it asks for the next. Throws ParseError. */
export function* members(cursor: JsonCursor): Generator<string, void, void> {
  if (!beginParts(cursor, brace)) return
  do yield readMemberKey(cursor)
  while (nextPart(cursor, brace))
}

/** Bytes of a key: it is read without a pause. */
const maxKeyBytes = 1 << 20

/** Bytes of a value that step-wise readers read without a pause. */
const shortBytes = 1 << 14

/** Whether the value at the cursor ends, or turns out invalid, within so many bytes. Only scans bytes. */
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

/** `passJson` in steps; short values take one. */
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

/** Finds the end of the text that begins at `at`, behind its quote, and whether it has escapes. Throws ParseError like `textEnd`. */
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
  // The text has no end here; `textEnd` throws the reason.
  return { end: textEnd(cursor, at), escaped }
}

/** Checks that a document is valid JSON without building its value. Throws ParseError like `parseJson`. */
export function checkJson(source: string): void {
  const cursor = jsonCursor(Buffer.from(source))
  passJson(cursor)
  cursor.at = skipSpace(cursor, cursor.at)
  if (cursor.at < cursor.end) throw unexpected(cursor, cursor.at, 'the end of the document')
}

/** Moves the cursor behind the next value, with the white space before it. Throws ParseError like `readJson`. */
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

/** Reads a key and its colon; leaves the cursor at the value. */
function readMemberKey(cursor: JsonCursor): string {
  const key = readKey(cursor)
  if (!startsWith(cursor, colon)) throw unexpected(cursor, cursor.at, "':'")
  cursor.at = skipSpace(cursor, cursor.at + 1)
  return key
}

function readKey(cursor: JsonCursor): string {
  if (!startsWith(cursor, quote)) throw unexpected(cursor, cursor.at, 'a key in quotes')
  const { bytes, at } = cursor
  const max = Math.min(cursor.end, at + 1 + maxKeyBytes)
  let end = at + 1
  while (end < max && bytes[end] !== quote && bytes[end] !== backslash && bytes[end]! >= 0x20) end++
  const isPlain = bytes[end] === quote
  while (end < max && bytes[end] !== quote) end += bytes[end] === backslash ? 2 : 1
  if (end >= max && max < cursor.end) throw jsonError(cursor, at, `a key is longer than ${maxKeyBytes} bytes`)
  if (!isPlain) return readJson(cursor) as string
  cursor.at = end + 1
  return bytes.toString('utf8', at + 1, end)
}

/** Calls `read` at each part up to the closing byte, with the cursor at the first byte that is not white space. */
function eachPart(cursor: JsonCursor, close: number, read: () => void): void {
  if (!beginParts(cursor, close)) return
  do read()
  while (nextPart(cursor, close))
}

/** Moves to the first part; false if there is none. */
function beginParts(cursor: JsonCursor, close: number): boolean {
  cursor.at++
  if (!startsWith(cursor, close)) return true
  cursor.at++
  return false
}

/** Moves from behind a part to the next one; false if there is none. */
function nextPart(cursor: JsonCursor, close: number): boolean {
  const at = skipSpace(cursor, cursor.at)
  const byte = at < cursor.end ? cursor.bytes[at] : -1
  if (byte !== comma && byte !== close) throw unexpected(cursor, at, `',' or '${String.fromCharCode(close)}'`)
  cursor.at = at + 1
  if (byte === close) return false
  cursor.at = skipSpace(cursor, cursor.at)
  return true
}
