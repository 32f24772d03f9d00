// A lossless JSON reader: integers stay integers, fractions become floats; works on bytes.
import { isUtf8 } from 'node:buffer'
import type { ItemValue } from './items.ts'
import { type JsonCursor, jsonCursor, jsonError, skipSpace, unexpected } from './json-cursor.ts'
import { unescapeJson } from './json-escape.ts'

/** Levels of arrays and objects a document may have. */
export const maxJsonDepth = 128

/**
 * Parses one JSON document (RFC 8259). Integers become bigint, or number beyond 64 bits; numbers with a fraction or exponent become number. Objects
 * have no inherited members. Of equal keys the last one counts; lone surrogates become U+FFFD. Throws ParseError, also for invalid UTF-8, more than
 * `maxJsonDepth` levels and numbers beyond a float's range.
 */
export function parseJson(source: string | Uint8Array): ItemValue {
  const cursor = jsonCursor(typeof source === 'string' ? Buffer.from(source) : source)
  if (typeof source !== 'string' && !isUtf8(source))
    throw jsonError(cursor, 0, 'invalid UTF-8 in the document beginning')
  const value = readJson(cursor)
  cursor.at = skipSpace(cursor, cursor.at)
  if (cursor.at < cursor.end) throw unexpected(cursor, cursor.at, 'the end of the document')
  return value
}

/** Reads the next value, skipping white space before it, and leaves the cursor behind it. The bytes must be valid UTF-8. Throws ParseError. */
export function readJson(cursor: JsonCursor, depth = 0): ItemValue {
  const { bytes } = cursor
  const at = skipSpace(cursor, cursor.at)
  cursor.at = at
  switch (at < cursor.end ? bytes[at] : -1) {
    case 0x22:
      return readText(cursor)
    case 0x7b:
      return readObject(cursor, depth + 1)
    case 0x5b:
      return readArray(cursor, depth + 1)
    case 0x74:
      return readWord(cursor, 'true', true)
    case 0x66:
      return readWord(cursor, 'false', false)
    case 0x6e:
      return readWord(cursor, 'null', null)
    default:
      return readNumber(cursor)
  }
}

/** Objects of a class with a null prototype are smaller and faster than `Object.create(null)`, which makes a hash table. */
class Bare {
  [key: string]: ItemValue
}
Object.setPrototypeOf(Bare.prototype, null)
Reflect.deleteProperty(Bare.prototype, 'constructor')

/** An object without members, not even inherited ones. */
export function emptyObject(): { [key: string]: ItemValue } {
  return new Bare()
}

function readObject(cursor: JsonCursor, depth: number): ItemValue {
  enter(cursor, depth)
  const object = emptyObject()
  if (closes(cursor, 0x7d)) return object
  do {
    cursor.at = skipSpace(cursor, cursor.at)
    if (cursor.at >= cursor.end || cursor.bytes[cursor.at] !== 0x22)
      throw unexpected(cursor, cursor.at, 'a key in quotes')
    const key = readText(cursor)
    const colon = skipSpace(cursor, cursor.at)
    if (colon >= cursor.end || cursor.bytes[colon] !== 0x3a) throw unexpected(cursor, colon, "':'")
    cursor.at = colon + 1
    object[key] = readJson(cursor, depth)
  } while (continues(cursor, 0x7d, "',' or '}'"))
  return object
}

function readArray(cursor: JsonCursor, depth: number): ItemValue {
  enter(cursor, depth)
  const array: ItemValue[] = []
  if (closes(cursor, 0x5d)) return array
  do array.push(readJson(cursor, depth))
  while (continues(cursor, 0x5d, "',' or ']'"))
  return array
}

/** Steps over the opening bracket; throws if the nesting is too deep. */
function enter(cursor: JsonCursor, depth: number): void {
  if (depth > maxJsonDepth) throw jsonError(cursor, cursor.at, `nested deeper than ${maxJsonDepth} levels`)
  cursor.at++
}

function closes(cursor: JsonCursor, bracket: number): boolean {
  const at = skipSpace(cursor, cursor.at)
  if (at >= cursor.end || cursor.bytes[at] !== bracket) return false
  cursor.at = at + 1
  return true
}

function continues(cursor: JsonCursor, bracket: number, expected: string): boolean {
  const at = skipSpace(cursor, cursor.at)
  const byte = at < cursor.end ? cursor.bytes[at] : -1
  if (byte !== 0x2c && byte !== bracket) throw unexpected(cursor, at, expected)
  cursor.at = at + 1
  return byte === 0x2c
}

function readText(cursor: JsonCursor): string {
  const { bytes } = cursor
  const start = cursor.at + 1
  let at = start
  let all = 0
  for (; at < cursor.end; at++) {
    const byte = bytes[at]!
    if (byte === 0x22 || byte === 0x5c || byte < 0x20) break
    all |= byte
  }
  const end = textEnd(cursor, at)
  cursor.at = end + 1
  // No escape: the text ends where the loop stopped.
  if (end === at) return bytes.toString(all < 0x80 ? 'latin1' : 'utf8', start, end)
  const plain = Buffer.allocUnsafe(end - start)
  return plain.toString('utf8', 0, unescapeJson(cursor, start, end, plain))
}

/** The position of the quote that closes the text beginning at `at`. Throws ParseError. */
export function textEnd(cursor: JsonCursor, at: number): number {
  const { bytes, end } = cursor
  for (let i = at; i < end; i++) {
    const byte = bytes[i]!
    if (byte === 0x22) return i
    if (byte === 0x5c) i++
    else if (byte < 0x20) throw jsonError(cursor, i, 'control character in a text; it must be escaped')
  }
  throw jsonError(cursor, end, 'the text has no end')
}

/** Reads true, false or null. */
export function readWord<T>(cursor: JsonCursor, word: string, value: T): T {
  const { bytes, at } = cursor
  const end = at + word.length
  if (end > cursor.end || bytes.toString('latin1', at, end) !== word) throw unexpected(cursor, at, 'a value')
  cursor.at = end
  return value
}

/** Reads a number: bigint for a 64-bit integer, number otherwise. Throws ParseError. */
export function readNumber(cursor: JsonCursor): bigint | number {
  const { bytes, at } = cursor
  const first = bytes[at] === 0x2d ? at + 1 : at
  let end = digitsEnd(cursor, first, first === at ? 'a value' : 'a digit')
  if (bytes[first] === 0x30) end = first + 1
  const whole = end
  if (end < cursor.end && bytes[end] === 0x2e) end = digitsEnd(cursor, end + 1, 'a digit')
  if (end < cursor.end && (bytes[end]! | 0x20) === 0x65) {
    const sign = bytes[end + 1]
    end = digitsEnd(cursor, end + (sign === 0x2b || sign === 0x2d ? 2 : 1), 'a digit')
  }
  cursor.at = end
  const text = bytes.toString('latin1', at, end)
  if (end === whole && end - at <= 20) {
    const integer = BigInt(text)
    if (BigInt.asIntN(64, integer) === integer) return integer
  }
  const value = Number(text)
  if (!Number.isFinite(value)) throw jsonError(cursor, at, 'the number is out of range')
  return value
}

function digitsEnd(cursor: JsonCursor, at: number, expected: string): number {
  const { bytes, end } = cursor
  let i = at
  while (i < end && bytes[i]! >= 0x30 && bytes[i]! <= 0x39) i++
  if (i === at || at >= end) throw unexpected(cursor, at, expected)
  return i
}
