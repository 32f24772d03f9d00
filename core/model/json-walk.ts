// Objects and arrays of JSON part by part, for readers that want no value of the whole.
import { maxJsonDepth, readJson, textEnd } from './json.ts'
import { type JsonCursor, jsonCursor, jsonError, skipSpace, unexpected } from './json-cursor.ts'

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
  eachPart(cursor, brace, () => {
    const key = readKey(cursor)
    if (!startsWith(cursor, colon)) throw unexpected(cursor, cursor.at, "':'")
    cursor.at = skipSpace(cursor, cursor.at + 1)
    read(key)
  })
}

/** The same for the array whose bracket is at the cursor. */
export function eachElement(cursor: JsonCursor, read: () => void): void {
  eachPart(cursor, bracket, read)
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
  cursor.at++
  if (startsWith(cursor, close)) {
    cursor.at++
    return
  }
  for (;;) {
    read()
    const at = skipSpace(cursor, cursor.at)
    const byte = at < cursor.end ? cursor.bytes[at] : -1
    if (byte !== comma && byte !== close) throw unexpected(cursor, at, `',' or '${String.fromCharCode(close)}'`)
    cursor.at = at + 1
    if (byte === close) return
    cursor.at = skipSpace(cursor, cursor.at)
  }
}
