// `application/json`: documents one after the other; an object is an item, an array holds items.
import { isUtf8 } from 'node:buffer'
import { DbError, ParseError } from '../../errors.ts'
import type { ItemValue } from '../../model/items.ts'
import { readJson } from '../../model/json.ts'
import { skipSpace, unexpected } from '../../model/json-cursor.ts'
import { readItem } from './object.ts'
import { failItem, type ItemReader, nextRow } from './reader.ts'

export function decodeJson(reader: ItemReader): void {
  const { cursor, options } = reader
  const { bytes } = cursor
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) cursor.at = 3
  try {
    for (cursor.at = skipSpace(cursor, cursor.at); cursor.at < cursor.end; cursor.at = skipSpace(cursor, cursor.at)) {
      if (bytes[cursor.at] === 0x5b) readElements(reader)
      else readElement(reader)
    }
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    const message = `Failed to parse payload as json: ${error.message}`
    if (!options.ignoreErrors) throw new DbError('InvalidArguments', message, { cause: error })
    // What follows a syntax error cannot be told apart.
    failItem(reader, nextRow(reader), `${message}; nothing behind it is read`)
  }
}

function readElements(reader: ItemReader): void {
  const { cursor } = reader
  const { bytes, end } = cursor
  cursor.at = skipSpace(cursor, cursor.at + 1)
  if (cursor.at < end && bytes[cursor.at] === 0x5d) {
    cursor.at++
    return
  }
  for (;;) {
    readElement(reader)
    const at = skipSpace(cursor, cursor.at)
    const byte = at < end ? bytes[at] : -1
    if (byte !== 0x2c && byte !== 0x5d) throw unexpected(cursor, at, "',' or ']'")
    cursor.at = at + 1
    if (byte === 0x5d) return
    cursor.at = skipSpace(cursor, cursor.at)
  }
}

function readElement(reader: ItemReader): void {
  const { cursor, batch } = reader
  const { bytes } = cursor
  const row = nextRow(reader)
  const start = cursor.at
  const isObject = bytes[start] === 0x7b
  const shape = isObject ? '' : shapeOf(readJson(cursor))
  if (isObject) readItem(reader, row)
  if (!reader.isUtf8 && !isUtf8(bytes.subarray(start, cursor.at))) failItem(reader, row, 'invalid UTF-8 in the item')
  else if (isObject) batch.rows = row + 1
  else failItem(reader, row, `expected a JSON object, got ${shape}`)
}

/** What a value is, for messages. */
export function shapeOf(value: ItemValue): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'string' ? 'a text' : typeof value === 'boolean' ? 'a boolean' : 'a number'
}
