// `application/json`: JSON documents in sequence; an object is an item, an array contains items.
import { isUtf8 } from 'node:buffer'
import { DbError, ParseError } from '../../errors.ts'
import type { ItemValue } from '../../model/items.ts'
import { readJson } from '../../model/json.ts'
import { skipSpace } from '../../model/json-cursor.ts'
import { elements, isShort } from '../../model/json-walk.ts'
import type { Steps } from '../../pace.ts'
import { readItem } from './object.ts'
import { failItem, type ItemReader, isFull, isStep, makeRoom, nextRow } from './reader.ts'

export function* decodeJson(reader: ItemReader): Steps<void> {
  const { cursor, options } = reader
  const { bytes } = cursor
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) cursor.at = 3
  try {
    for (cursor.at = skipSpace(cursor, cursor.at); cursor.at < cursor.end; cursor.at = skipSpace(cursor, cursor.at)) {
      if (bytes[cursor.at] === 0x5b) yield* readElements(reader)
      else readElement(reader)
      if (isStep(reader)) yield reader.batch.memory
      if (isFull(reader) && skipSpace(cursor, cursor.at) < cursor.end) yield* makeRoom(reader)
    }
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    const message = `Failed to parse payload as json: ${error.message}`
    if (!options.ignoreErrors) throw new DbError('InvalidArguments', message, { cause: error })
    // Nothing after a syntax error can be decoded.
    failItem(reader, nextRow(reader), `${message}; nothing behind it is read`)
  }
}

function* readElements(reader: ItemReader): Steps<void> {
  for (const _ of elements(reader.cursor)) {
    if (isFull(reader)) yield* makeRoom(reader)
    readElement(reader)
    if (isStep(reader)) yield reader.batch.memory
  }
}

function readElement(reader: ItemReader): void {
  const { cursor, batch } = reader
  const { bytes } = cursor
  checkSize(reader)
  const row = nextRow(reader)
  const start = cursor.at
  const isObject = bytes[start] === 0x7b
  const kind = isObject ? '' : kindOf(readJson(cursor))
  if (isObject) readItem(reader, row)
  if (!reader.isUtf8 && !isUtf8(bytes.subarray(start, cursor.at))) failItem(reader, row, 'invalid UTF-8 in the item')
  else if (isObject) batch.rows = row + 1
  else failItem(reader, row, `expected a JSON object, got ${kind}`)
}

function checkSize({ cursor, options: { itemSize } }: ItemReader): void {
  if (itemSize === undefined || cursor.end - cursor.at <= itemSize.max || isShort(cursor, itemSize.max)) return
  const reason = `an item takes more than ${itemSize.max} bytes (${itemSize.key})`
  throw new DbError('InvalidArguments', reason, { status: 413 })
}

/** The kind of a value, for messages. */
export function kindOf(value: ItemValue): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'string' ? 'a text' : typeof value === 'boolean' ? 'a boolean' : 'a number'
}
