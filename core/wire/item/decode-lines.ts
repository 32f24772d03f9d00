// Bodies of lines: a JSON object each, or plain text. Each line is decoded by itself, so that errors have its number.
import { isUtf8 } from 'node:buffer'
import { ParseError } from '../../errors.ts'
import { readJson } from '../../model/json.ts'
import { skipSpace, unexpected } from '../../model/json-cursor.ts'
import type { Steps } from '../../pace.ts'
import { kindOf } from './decode-json.ts'
import { readItem } from './object.ts'
import { failItem, type ItemReader, isFull, isStep, makeRoom, nextRow } from './reader.ts'

/** `application/x-ndjson`: a JSON object per line; empty lines are skipped. */
export function* decodeNdjson(reader: ItemReader): Steps<void> {
  const { cursor } = reader
  yield* eachLine(reader, (row, start, end) => {
    cursor.from = start
    cursor.line = reader.batch.position(row) + 1
    cursor.at = start
    cursor.end = end
    try {
      readLine(reader, row)
    } catch (error) {
      if (!(error instanceof ParseError)) throw error
      failItem(reader, row, `invalid JSON: ${error.message}`)
    }
  })
}

function readLine(reader: ItemReader, row: number): void {
  const { cursor, batch } = reader
  const { bytes, end } = cursor
  cursor.at = skipSpace(cursor, cursor.at)
  const isObject = bytes[cursor.at] === 0x7b
  const kind = isObject ? '' : kindOf(readJson(cursor))
  if (isObject) readItem(reader, row)
  const rest = skipSpace(cursor, cursor.at)
  if (rest < end) throw unexpected(cursor, rest, 'the end of the line')
  if (isObject) batch.rows = row + 1
  else failItem(reader, row, `expected a JSON object, got ${kind}`)
}

/** `text/plain`: each line that is not empty is an item with the field `message`. */
export function* decodeText(reader: ItemReader): Steps<void> {
  const message = reader.batch.getOrCreateField('message')
  yield* eachLine(reader, (row, start, end) => {
    message.setRange(row, start, end)
    reader.batch.rows = row + 1
  })
}

/** Calls `take` with the row and range of each line that is not empty, without its `\n` or `\r\n`. */
function* eachLine(reader: ItemReader, take: (row: number, start: number, end: number) => void): Steps<void> {
  const { bytes } = reader.cursor
  for (let start = hasByteOrderMark(bytes) ? 3 : 0, line = 0; start < bytes.length; line++) {
    const newline = bytes[start] === 0x0a ? start : bytes.indexOf(0x0a, start)
    const next = newline < 0 ? bytes.length : newline
    const end = next > start && bytes[next - 1] === 0x0d ? next - 1 : next
    if (end > start) {
      if (isFull(reader)) yield* makeRoom(reader)
      const row = nextRow(reader)
      if (line !== row) setPosition(reader, row, line)
      if (reader.isUtf8 || isUtf8(bytes.subarray(start, end))) take(row, start, end)
      else failItem(reader, row, 'invalid UTF-8 in the line')
    }
    if (isStep(reader, next)) yield reader.batch.memory
    start = next + 1
  }
}

/** Some programs write a byte order mark before UTF-8; it is not part of the first line. */
function hasByteOrderMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
}

/** An item's position is its line number, empty lines included. */
function setPosition({ batch }: ItemReader, row: number, line: number): void {
  batch.positions ??= Uint32Array.from({ length: batch.capacity }, (_, i) => i)
  batch.positions[row] = line
}
