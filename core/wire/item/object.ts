// The hot path: decodes one JSON object into the columns of a batch, without making strings, objects or copies in the usual case.
import { checkCells, type ItemField, type ItemValue } from '../../model/items.ts'
import { readJson, readWord, textEnd } from '../../model/json.ts'
import { type JsonCursor, skipSpace, unexpected } from '../../model/json-cursor.ts'
import { unescapeJson } from '../../model/json-escape.ts'
import { writeJson } from '../../model/json-write.ts'
import { createKey, expectedKey, follow, type Key, type KeyOrder, memberOrder } from './key-order.ts'
import { readNumber } from './number.ts'
import type { ItemReader } from './reader.ts'

/** Decodes the object at the cursor into a row and leaves the cursor behind it. Of equal keys the last one counts. Throws ParseError. */
export function readItem(reader: ItemReader, row: number): void {
  reader.cursor.at = readMembers(reader, reader.keys, row, reader.cursor.at + 1)
}

/** Decodes the members of an object that opened before a position; returns the position behind it. */
function readMembers(reader: ItemReader, keys: KeyOrder, row: number, start: number): number {
  const { cursor } = reader
  const { bytes, end } = cursor
  let at = skipSpace(cursor, start)
  if (at < end && bytes[at] === 0x7d) return at + 1
  let key = keys.start
  for (;;) {
    const expected = expectedKey(key, bytes, at)
    if (expected === undefined) {
      const found = readKey(reader, keys, at)
      follow(key, found)
      key = found
      at = cursor.at
    } else {
      key = expected
      at += expected.bytes.length
    }
    at = readValue(reader, keys, key, row, bytes[at]! > 0x20 ? at : skipSpace(cursor, at))
    if (at >= end || bytes[at]! <= 0x20) at = skipSpace(cursor, at)
    const byte = at < end ? bytes[at] : -1
    if (byte === 0x7d) break
    if (byte !== 0x2c) throw unexpected(cursor, at, "',' or '}'")
    at++
    if (at < end && bytes[at]! <= 0x20) at = skipSpace(cursor, at)
  }
  return at + 1
}

/** Decodes the value at a position into a cell; returns its end. */
function readValue(reader: ItemReader, keys: KeyOrder, key: Key, row: number, at: number): number {
  const { cursor } = reader
  const { field } = key
  const byte = at < cursor.end ? cursor.bytes[at]! : 0
  if (byte === 0x22) return readText(reader, field, row, at + 1)
  if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
    const end = readNumber(cursor, field, row, at)
    if (key.mapping === 'text') field.setRange(row, at, end)
    return end
  }
  if (byte === 0x7b || byte === 0x5b) return readNested(reader, keys, key, row, at)
  cursor.at = at
  if (byte === 0x74) field.setBoolean(row, readWord(cursor, 'true', true))
  else if (byte === 0x66) field.setBoolean(row, readWord(cursor, 'false', false))
  else if (byte === 0x6e) {
    readWord(cursor, 'null', null)
    field.setNull(row)
  } else throw unexpected(cursor, at, 'a value')
  return cursor.at
}

const spread: ItemValue = Object.freeze({ __proto__: null } as unknown as { [key: string]: ItemValue })

/** Decodes an array or object: as a value, or as the key's mapping says. */
function readNested(reader: ItemReader, keys: KeyOrder, key: Key, row: number, at: number): number {
  const { cursor, batch } = reader
  const { mapping, field } = key
  if (mapping !== undefined && mapping !== 'text' && mapping.levels > 0 && cursor.bytes[at] === 0x7b) {
    field.setObject(row, spread)
    return readMembers(reader, memberOrder(key, mapping, keys), row, at + 1)
  }
  cursor.at = at
  const value = readJson(cursor, 1)
  if (mapping === undefined || mapping === 'text') field.setObject(row, value)
  else batch.setText(field, row, writeJson(value))
  return cursor.at
}

/** Text without escapes is not copied. */
function readText(reader: ItemReader, field: ItemField, row: number, start: number): number {
  const { cursor } = reader
  const { bytes, end } = cursor
  let at = start
  while (at < end) {
    const byte = bytes[at]!
    if (byte === 0x22) {
      field.setRange(row, start, at)
      return at + 1
    }
    if (byte === 0x5c) return readEscaped(reader, field, row, start)
    if (byte < 0x20) break
    at++
  }
  // The text has no end here; `textEnd` throws the reason.
  return textEnd(cursor, at)
}

function readEscaped({ cursor, batch }: ItemReader, field: ItemField, row: number, start: number): number {
  const end = textEnd(cursor, start)
  const plain = unescaped(cursor, start, end)
  const at = batch.append(plain)
  field.setRange(row, at, at + plain.length)
  return end + 1
}

function unescaped(cursor: JsonCursor, start: number, end: number): Buffer {
  const plain = Buffer.allocUnsafe(end - start)
  return plain.subarray(0, unescapeJson(cursor, start, end, plain))
}

/** Reads a key that was not predicted, and its colon; leaves the cursor behind them. */
function readKey(reader: ItemReader, keys: KeyOrder, at: number): Key {
  const { cursor } = reader
  const { bytes, end } = cursor
  if (at >= end || bytes[at] !== 0x22) throw unexpected(cursor, at, 'a key in quotes')
  const close = textEnd(cursor, at + 1)
  const spelling = bytes.toString('latin1', at + 1, close)
  const colon = skipSpace(cursor, close + 1)
  if (colon >= end || bytes[colon] !== 0x3a) throw unexpected(cursor, colon, "':'")
  let key = keys.spellings.get(spelling)
  if (key === undefined) {
    // Spellings are limited, not names, because an escape makes another spelling of the same name.
    checkCells(++keys.total.spellings, reader.batch.capacity)
    key = addKey(reader, keys, at + 1, close)
    keys.spellings.set(spelling, key)
  }
  cursor.at = colon + 1
  return key
}

function addKey({ cursor, batch }: ItemReader, keys: KeyOrder, start: number, close: number): Key {
  const name = unescaped(cursor, start, close).toString()
  const quoted = Buffer.from(`"${cursor.bytes.toString('latin1', start, close)}":`, 'latin1')
  return createKey(batch.getOrCreateField(keys.prefix + name), quoted, keys.mappingOf(name))
}
