// Resolves the escapes of JSON text, from bytes to bytes.
import type { Steps } from '../pace.ts'
import { type JsonCursor, jsonError } from './json-cursor.ts'

/** Bytes handled between two yields to other requests. */
const stepBytes = 1 << 18

const quote = 0x22
const backslash = 0x5c

/**
 * Writes the text between two positions into `out`, without escapes, and returns the number of bytes written. The result is never longer than the
 * input; `out` must have room for it. Lone surrogates become U+FFFD. Throws ParseError for an unknown escape.
 */
export function unescapeJson(cursor: JsonCursor, start: number, end: number, out: Uint8Array): number {
  return unescapePart(cursor, { from: start, to: end, end }, out, 0).length
}

/** Like `unescapeJson`, in steps, for long texts. */
export function* unescapeSteps(cursor: JsonCursor, start: number, end: number, out: Uint8Array): Steps<number> {
  let part = { at: start, length: 0 }
  while (part.at < end) {
    part = unescapePart(cursor, { from: part.at, to: Math.min(end, part.at + stepBytes), end }, out, part.length)
    yield
  }
  return part.length
}

/** Resolves the escapes that begin before `to`, and appends the text to `out`; returns the position behind them and the bytes in `out`. */
function unescapePart(
  cursor: JsonCursor,
  { from, to, end }: { readonly from: number; readonly to: number; readonly end: number },
  out: Uint8Array,
  before: number
): { readonly at: number; readonly length: number } {
  const { bytes } = cursor
  let length = before
  let i = from
  for (; i < to; i++) {
    const byte = bytes[i]!
    if (byte !== backslash) {
      out[length++] = byte
      continue
    }
    const kind = bytes[++i]!
    if (kind !== 0x75) {
      out[length++] = simple(kind) ?? unknown(cursor, i - 1)
      continue
    }
    let code = unit(cursor, i, end)
    i += 4
    if (code >= 0xd800 && code < 0xe000) {
      const low = code < 0xdc00 && bytes[i + 1] === backslash && bytes[i + 2] === 0x75 ? unit(cursor, i + 2, end) : 0
      const paired = low >= 0xdc00 && low < 0xe000
      code = paired ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : 0xfffd
      if (paired) i += 6
    }
    length = writeCodePoint(out, length, code)
  }
  return { at: i, length }
}

function simple(kind: number): number | undefined {
  switch (kind) {
    case quote:
    case backslash:
    case 0x2f:
      return kind
    case 0x62:
      return 0x08
    case 0x66:
      return 0x0c
    case 0x6e:
      return 0x0a
    case 0x72:
      return 0x0d
    case 0x74:
      return 0x09
  }
}

function unknown(cursor: JsonCursor, at: number): never {
  throw jsonError(cursor, at, 'unknown escape, expected one of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX')
}

/** The code unit of the four hexadecimal digits behind `\u`. */
function unit(cursor: JsonCursor, at: number, end: number): number {
  let code = 0
  for (let i = at + 1; i <= at + 4; i++) {
    const digit = i < end ? hexDigit(cursor.bytes[i]!) : -1
    if (digit < 0) throw jsonError(cursor, at - 1, 'expected four hexadecimal digits after \\u')
    code = code * 16 + digit
  }
  return code
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

function writeCodePoint(out: Uint8Array, at: number, code: number): number {
  let length = at
  if (code < 0x80) out[length++] = code
  else if (code < 0x800) {
    out[length++] = 0xc0 | (code >> 6)
    out[length++] = 0x80 | (code & 63)
  } else if (code < 0x10000) {
    out[length++] = 0xe0 | (code >> 12)
    out[length++] = 0x80 | ((code >> 6) & 63)
    out[length++] = 0x80 | (code & 63)
  } else {
    out[length++] = 0xf0 | (code >> 18)
    out[length++] = 0x80 | ((code >> 12) & 63)
    out[length++] = 0x80 | ((code >> 6) & 63)
    out[length++] = 0x80 | (code & 63)
  }
  return length
}
