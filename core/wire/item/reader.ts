// Shared by all item decoders: the cursor, the batch they fill, and how they treat items that cannot be decoded.
import { isUtf8 } from 'node:buffer'
import { ItemsError } from '../../errors.ts'
import { checkCells, ItemBatch } from '../../model/items.ts'
import { tooManyValues } from '../../model/json-count.ts'
import { type JsonCursor, jsonCursor } from '../../model/json-cursor.ts'
import { runAtOnce, type Steps } from '../../pace.ts'
import { createKeyOrder, type KeyMapping, type KeyOrder } from './key-order.ts'

/** Options of decoding items. */
export interface DecodeOptions {
  /** Items that cannot be decoded are marked as failed instead of failing the body. */
  readonly skipError?: boolean
  /** Like `skipError`; in addition, a truncated JSON document keeps the items before its end. */
  readonly ignoreErrors?: boolean
  /** Maximum values of a JSON body, or lines of a text (`http.max_body_values`); 0 or absent: no limit. */
  readonly maxValues?: number
  /** Maximum bytes of one JSON item, and the configuration key to name; larger ones refuse the body with 413. Absent: no limit. */
  readonly itemSize?: { readonly max: number; readonly key: string }
  /** How to store the value of a key; undefined: as it is. */
  readonly mappingOf?: (key: string) => KeyMapping | undefined
}

export interface ItemReader {
  readonly cursor: JsonCursor
  readonly batch: ItemBatch
  readonly keys: KeyOrder
  readonly options: DecodeOptions
  /** Whether the whole body is valid UTF-8; if not, each item is checked. */
  readonly isUtf8: boolean
  /** The offset in the body at which the step began. */
  stepAt: number
}

/** Items, and bytes of them, decoded in one step. */
const stepItems = 64
const stepBytes = 1 << 16

/** Whether other work may run before the next item, which begins at `at`. */
export function isStep(reader: ItemReader, at = reader.cursor.at): boolean {
  if (reader.batch.rows % stepItems !== 0 && at - reader.stepAt < stepBytes) return false
  reader.stepAt = at
  return true
}

/** Beyond so many failed items, the body is refused. */
const maxFailures = 100_000

export function createReader(bytes: Uint8Array, options: DecodeOptions): ItemReader {
  const cursor = jsonCursor(bytes)
  const batch = new ItemBatch(estimate(cursor.bytes), cursor.bytes)
  return { cursor, batch, keys: createKeyOrder(options.mappingOf), options, isUtf8: isUtf8(bytes), stepAt: 0 }
}

/** Estimates the number of items from the first line. */
function estimate(bytes: Buffer): number {
  const line = bytes.indexOf(0x0a)
  return line <= 0 ? 16 : Math.min(65_536, Math.ceil((bytes.length / (line + 1)) * 1.25) + 16)
}

/** The row for the next item; it counts once `batch.rows` is raised. */
export function nextRow(reader: ItemReader): number {
  const { batch, options } = reader
  if (batch.rows === options.maxValues && batch.rows > 0) throw tooManyValues(batch.rows)
  if (isFull(reader)) runAtOnce(makeRoom(reader))
  return batch.rows
}

export function isFull({ batch }: ItemReader): boolean {
  return batch.rows === batch.capacity
}

/** Room for as many items again, before `nextRow` makes it at once: with a thousand keys that takes long. */
export function* makeRoom({ batch, keys }: ItemReader): Steps<void> {
  checkCells(Math.max(1, keys.total.spellings), batch.capacity * 2)
  yield* batch.reserveSteps(batch.capacity * 2)
}

/** Ends the row as an item that cannot be decoded: fails the body, or marks the item where the options say so. */
export function failItem({ batch, options }: ItemReader, row: number, message: string): void {
  const index = batch.position(row)
  if (!options.skipError && !options.ignoreErrors) throw new ItemsError([{ index, message }])
  if (batch.failures.length >= maxFailures) {
    const reason = `and ${maxFailures} items before it cannot be decoded, nothing of the body is taken: ${message}`
    throw new ItemsError([{ index, message: reason }])
  }
  batch.rows = row + 1
  batch.fail(row, message)
}
