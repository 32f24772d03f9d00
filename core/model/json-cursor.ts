// Where a reader of JSON stands, and how it says what is wrong there.
import { ParseError } from '../errors.ts'

/** Where a reader stands in bytes it shares with others. Positions are byte offsets. */
export interface JsonCursor {
  readonly bytes: Buffer
  at: number
  /** Nothing from here on is read. */
  end: number
  /** Where the line numbered `line` begins, for messages. */
  from: number
  line: number
}

/** A cursor over all of `bytes`. */
export function jsonCursor(bytes: Uint8Array): JsonCursor {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return { bytes: buffer, at: 0, end: buffer.length, from: 0, line: 1 }
}

/** Position of the first byte from `at` on that is not white space. */
export function skipSpace(cursor: JsonCursor, at: number): number {
  const { bytes, end } = cursor
  let i = at
  while (i < end) {
    const byte = bytes[i]
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break
    i++
  }
  return i
}

/** ParseError that says what was expected at a position and what stands there. */
export function unexpected(cursor: JsonCursor, at: number, expected: string): ParseError {
  const { bytes, end } = cursor
  if (at >= end) return jsonError(cursor, end, `expected ${expected}, got the end`)
  const found = String.fromCodePoint(bytes.toString('utf8', at, Math.min(end, at + 4)).codePointAt(0)!)
  return jsonError(cursor, at, `expected ${expected}, got ${JSON.stringify(found)}`)
}

/** ParseError at a position; columns count characters. */
export function jsonError(cursor: JsonCursor, at: number, message: string): ParseError {
  let { line, from } = cursor
  for (let i = cursor.bytes.indexOf(0x0a, from); i >= 0 && i < at; i = cursor.bytes.indexOf(0x0a, from)) {
    line++
    from = i + 1
  }
  return new ParseError(message, line, cursor.bytes.toString('utf8', from, at).length + 1)
}
