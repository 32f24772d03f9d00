// The position of a JSON reader, and the errors it reports.
import { ParseError } from '../errors.ts'

/** Where a reader is in bytes that several readers share. Positions are byte offsets. */
export interface JsonCursor {
  readonly bytes: Buffer
  at: number
  /** End of the bytes to read. */
  end: number
  /** Start of the line numbered `line`, for messages. */
  from: number
  line: number
}

/** A cursor over all of `bytes`. */
export function jsonCursor(bytes: Uint8Array): JsonCursor {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return { bytes: buffer, at: 0, end: buffer.length, from: 0, line: 1 }
}

/** The position of the first byte at or after `at` that is not white space. */
export function skipSpace(cursor: JsonCursor, at: number): number {
  const { bytes, end } = cursor
  const last = Math.min(end, at + maxSpace + 1)
  let i = at
  while (i < last) {
    const byte = bytes[i]
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return i
    i++
  }
  if (last < end) throw jsonError(cursor, at, `more than ${maxSpace} characters of white space in a row`)
  return i
}

/** Characters of white space in a row: nobody else is served while they are read. */
const maxSpace = 1 << 20

/** A ParseError that tells what was expected at a position and what was found. */
export function unexpected(cursor: JsonCursor, at: number, expected: string): ParseError {
  const { bytes, end } = cursor
  if (at >= end) return jsonError(cursor, end, `expected ${expected}, got the end`)
  const found = String.fromCodePoint(bytes.toString('utf8', at, Math.min(end, at + 4)).codePointAt(0)!)
  return jsonError(cursor, at, `expected ${expected}, got ${JSON.stringify(found)}`)
}

/** A ParseError at a position; its column counts characters. */
export function jsonError(cursor: JsonCursor, at: number, message: string): ParseError {
  let { line, from } = cursor
  for (let i = cursor.bytes.indexOf(0x0a, from); i >= 0 && i < at; i = cursor.bytes.indexOf(0x0a, from)) {
    line++
    from = i + 1
  }
  return new ParseError(message, line, cursor.bytes.toString('utf8', from, at).length + 1)
}
