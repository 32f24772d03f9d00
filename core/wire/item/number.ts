// Reads numbers from bytes into cells: adds digits up where that is exact, and parses text otherwise.
import { cell, type ItemField } from '../../model/items.ts'
import { readNumber as readAnyNumber } from '../../model/json.ts'
import type { JsonCursor } from '../../model/json-cursor.ts'

/** The powers of ten that a float of fifteen digits can need; all are exact. */
const powers = Float64Array.from({ length: 16 }, (_, i) => 10 ** i)

/** Reads the number at a position into a cell and returns where it ends. Integers of 64 bits stay integers. Throws ParseError. */
export function readNumber(cursor: JsonCursor, field: ItemField, row: number, start: number): number {
  const { bytes, end } = cursor
  const negative = bytes[start] === 0x2d
  const first = negative ? start + 1 : start
  let at = first
  let value = 0
  for (; at < end; at++) {
    const digit = bytes[at]! - 0x30
    if (digit < 0 || digit > 9) break
    value = value * 10 + digit
  }
  const digits = at - first
  if (digits === 0 || (digits > 1 && bytes[first] === 0x30)) return readLong(cursor, field, row, start)
  const byte = at < end ? bytes[at]! : 0
  if (byte === 0x2e) return readFraction(cursor, field, row, start, at)
  if ((byte | 0x20) === 0x65) return readLong(cursor, field, row, start)
  if (digits <= 15) field.setSafeInt(row, negative ? -value : value)
  else if (digits <= 18 && !negative) setHalves(field, row, bytes, first, at)
  else if (digits === 19 && !negative && bytes[first]! < 0x39) setHalves(field, row, bytes, first, at)
  else return readLong(cursor, field, row, start)
  return at
}

/** An integer of 16 to 19 digits below 9 × 10^18, such as nanoseconds since 1970. */
function setHalves(field: ItemField, row: number, bytes: Uint8Array, start: number, end: number): void {
  let high = 0
  let low = 0
  for (let i = start; i < end - 9; i++) high = high * 10 + bytes[i]! - 0x30
  for (let i = end - 9; i < end; i++) low = low * 10 + bytes[i]! - 0x30
  field.setTime(row, high, low)
  field.kinds[row] = cell.int
}

/** A float of at most fifteen digits is one exact division; `point` is the position of its decimal point. */
function readFraction(cursor: JsonCursor, field: ItemField, row: number, start: number, point: number): number {
  const { bytes, end } = cursor
  const negative = bytes[start] === 0x2d
  let value = 0
  let at = negative ? start + 1 : start
  for (; at < end && at - start <= 17; at++) {
    if (at === point) continue
    const digit = bytes[at]! - 0x30
    if (digit < 0 || digit > 9) break
    value = value * 10 + digit
  }
  const byte = at < end ? bytes[at]! : 0
  const isDigit = byte >= 0x30 && byte <= 0x39
  if (at === point + 1 || isDigit || (byte | 0x20) === 0x65 || at - start > 16)
    return readLong(cursor, field, row, start)
  const exact = value / powers[at - point - 1]!
  field.setFloat(row, negative ? -exact : exact)
  return at
}

function readLong(cursor: JsonCursor, field: ItemField, row: number, start: number): number {
  cursor.at = start
  const value = readAnyNumber(cursor)
  if (typeof value === 'bigint') field.setInt(row, value)
  else field.setFloat(row, value)
  return cursor.at
}
