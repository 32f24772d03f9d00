// Reads JSON into values: integers stay integers, and texts that are one stretch of the source are not copied twice.
import { maxDepth } from './bounds.ts'
import { defaultLimits } from './context.ts'
import { Failure } from './failure.ts'
import type { Value } from './value.ts'

interface Reader {
  readonly text: string
  /** Levels that are read; deeper values stay text. */
  readonly depth: number | undefined
  at: number
  /** Bytes that values may still take. */
  quota: number
}

/** Bytes that values count for, besides texts; containers take more than their content. */
const [valueBytes, containerBytes] = [8, 64]

/**
 * One document, a byte order mark before it allowed. Containers deeper than `depth` stay JSON text. Throws Failure, also where the values
 * would take more than `output` bytes.
 */
export function readJsonValue(text: string, depth?: number, output = defaultLimits.output): Value {
  const reader: Reader = { text, depth, at: text.charCodeAt(0) === 0xfeff ? 1 : 0, quota: output }
  const value = readValue(reader, 0)
  skipBlanks(reader)
  if (reader.at < text.length) throw broken(reader, 'trailing characters')
  return value
}

function broken({ text, at }: Reader, why: string): Failure {
  const before = text.slice(0, Math.min(at, text.length))
  const line = before.split('\n').length
  const column = before.length - before.lastIndexOf('\n') - 1 + (at < text.length ? 1 : 0)
  return new Failure(`unable to parse json: ${why} at line ${line} column ${column}`)
}

function skipBlanks(reader: Reader): number {
  const { text } = reader
  for (;;) {
    const code = text.charCodeAt(reader.at)
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code
    reader.at++
  }
}

function readValue(reader: Reader, depth: number): Value {
  const code = skipBlanks(reader)
  const isContainer = code === 0x7b || code === 0x5b
  reader.quota -= isContainer ? containerBytes : valueBytes
  if (reader.quota < 0) throw new Failure('unable to parse json: the document has too many values', 'limit')
  switch (code) {
    case 0x22:
      return readText(reader)
    case 0x7b:
    case 0x5b:
      return readContainer(reader, code, depth + 1)
    case 0x74:
      return readWord(reader, 'true', true)
    case 0x66:
      return readWord(reader, 'false', false)
    case 0x6e:
      return readWord(reader, 'null', null)
  }
  if (code === 0x2d || (code >= 0x30 && code <= 0x39)) return readNumber(reader)
  if (Number.isNaN(code)) throw broken(reader, 'EOF while parsing a value')
  throw broken(reader, 'expected value')
}

function readContainer(reader: Reader, code: number, depth: number): Value {
  if (depth >= maxDepth) throw broken(reader, 'recursion limit exceeded')
  const start = reader.at
  const value = code === 0x7b ? readObject(reader, depth) : readArray(reader, depth)
  return reader.depth !== undefined && depth > reader.depth ? reader.text.slice(start, reader.at) : value
}

function readObject(reader: Reader, depth: number): Value {
  const object = new Map<string, Value>()
  reader.at++
  if (skipBlanks(reader) === 0x7d) {
    reader.at++
    return object
  }
  for (;;) {
    const code = skipBlanks(reader)
    if (code !== 0x22) throw broken(reader, Number.isNaN(code) ? 'EOF while parsing an object' : 'key must be a string')
    const key = readText(reader)
    if (skipBlanks(reader) !== 0x3a) throw broken(reader, 'expected `:`')
    reader.at++
    object.set(key, readValue(reader, depth))
    const end = skipBlanks(reader)
    if (end !== 0x2c && end !== 0x7d)
      throw broken(reader, Number.isNaN(end) ? 'EOF while parsing an object' : 'expected `,` or `}`')
    reader.at++
    if (end === 0x7d) return object
  }
}

function readArray(reader: Reader, depth: number): Value {
  const array: Value[] = []
  reader.at++
  if (skipBlanks(reader) === 0x5d) {
    reader.at++
    return array
  }
  for (;;) {
    array.push(readValue(reader, depth))
    const end = skipBlanks(reader)
    if (end !== 0x2c && end !== 0x5d)
      throw broken(reader, Number.isNaN(end) ? 'EOF while parsing a list' : 'expected `,` or `]`')
    reader.at++
    if (end === 0x5d) return array
  }
}

function readWord<T>(reader: Reader, word: string, value: T): T {
  if (!reader.text.startsWith(word, reader.at)) throw broken(reader, 'expected ident')
  reader.at += word.length
  return value
}

function readText(reader: Reader): string {
  const { text } = reader
  const start = reader.at + 1
  let at = start
  for (;;) {
    const code = text.charCodeAt(at)
    if (code === 0x22) break
    if (code === 0x5c) return readEscaped(reader, start, at)
    // Also true for NaN at the end of the text.
    if (!(code >= 0x20)) throw unfinished(reader, at)
    at++
  }
  reader.at = at + 1
  return text.slice(start, at)
}

function unfinished(reader: Reader, at: number): Failure {
  reader.at = at
  const ended = at >= reader.text.length
  return broken(reader, ended ? 'EOF while parsing a string' : 'control character found while parsing a string')
}

/** A text with escapes: finds its end, then lets `JSON.parse` resolve it. */
function readEscaped(reader: Reader, start: number, from: number): string {
  const { text } = reader
  let at = from
  for (;;) {
    const code = text.charCodeAt(at)
    if (code === 0x22) break
    if (!(code >= 0x20)) throw unfinished(reader, at)
    at += code === 0x5c ? 2 : 1
  }
  reader.at = at + 1
  const literal = text.slice(start - 1, at + 1)
  try {
    const value = JSON.parse(literal) as string
    if (value.isWellFormed()) return value
  } catch {
    reader.at = at
    throw broken(reader, 'invalid escape')
  }
  throw broken(reader, 'lone leading surrogate in hex escape')
}

const number = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y

function readNumber(reader: Reader): Value {
  const { text } = reader
  const start = reader.at
  const negative = text.charCodeAt(start) === 0x2d
  let at = negative ? start + 1 : start
  const first = at
  let whole = 0
  for (;;) {
    const code = text.charCodeAt(at)
    if (!(code >= 0x30 && code <= 0x39)) break
    whole = whole * 10 + code - 0x30
    at++
  }
  const code = text.charCodeAt(at) | 0x20
  const leadsWithZero = at - first > 1 && text.charCodeAt(first) === 0x30
  if (at === first || at - first > 15 || leadsWithZero || code === 0x2e || code === 0x65) return readLongNumber(reader)
  reader.at = at
  return BigInt(negative ? -whole : whole)
}

/** Fractions, exponents, and integers that a float cannot represent. */
function readLongNumber(reader: Reader): Value {
  number.lastIndex = reader.at
  const found = number.exec(reader.text)
  if (found === null) throw broken(reader, 'invalid number')
  const [digits, fraction, exponent] = found
  reader.at += digits.length
  const next = reader.text.charCodeAt(reader.at)
  if ((next >= 0x30 && next <= 0x39) || next === 0x2e) throw broken(reader, 'invalid number')
  if (fraction === undefined && exponent === undefined) {
    const value = BigInt(digits)
    return value === BigInt.asIntN(64, value) ? value : Number(digits)
  }
  const value = Number(digits)
  if (!Number.isFinite(value)) throw broken(reader, 'number out of range')
  return value
}
