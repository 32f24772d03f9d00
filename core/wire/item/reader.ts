// What all decoders share: the cursor, the batch they fill, and what becomes of an item that cannot be decoded.
import { isUtf8 } from 'node:buffer'
import { ItemsError } from '../../errors.ts'
import { checkCells, ItemBatch } from '../../model/items.ts'
import { tooManyValues } from '../../model/json-count.ts'
import { type JsonCursor, jsonCursor } from '../../model/json-cursor.ts'
import { createKeyOrder, type KeyMapping, type KeyOrder } from './key-order.ts'

export interface DecodeOptions {
  /** Items that cannot be decoded are marked as failed instead of failing the body. */
  readonly skipError?: boolean
  /** The same, and a JSON document that breaks off keeps the items before the break. */
  readonly ignoreErrors?: boolean
  /** Values a body of JSON may have, and lines one of text (`http.max_body_values`); 0 or absent: any number. */
  readonly maxValues?: number
  /** Bytes one item of JSON may have, and the key that says so; a body with a larger one is refused with 413. Absent: any number. */
  readonly itemSize?: { readonly max: number; readonly key: string }
  /** How the value at a key of an item is kept; undefined: as it stands. */
  readonly mappingOf?: (key: string) => KeyMapping | undefined
}

export interface ItemReader {
  readonly cursor: JsonCursor
  readonly batch: ItemBatch
  readonly keys: KeyOrder
  readonly options: DecodeOptions
  /** The whole body is valid UTF-8; otherwise every item is checked by itself. */
  readonly isUtf8: boolean
}

/** Items of one step. */
const stepItems = 64

/** Whether others may run before the next item. */
export function isStep({ batch }: ItemReader): boolean {
  return batch.rows % stepItems === 0
}

/** Beyond so many undecodable items a body is refused as a whole. */
const maxFailures = 100_000

export function createReader(bytes: Uint8Array, options: DecodeOptions): ItemReader {
  const cursor = jsonCursor(bytes)
  const batch = new ItemBatch(estimate(cursor.bytes), cursor.bytes)
  return { cursor, batch, keys: createKeyOrder(options.mappingOf), options, isUtf8: isUtf8(bytes) }
}

/** Items a body may have, judged by its first line. */
function estimate(bytes: Buffer): number {
  const line = bytes.indexOf(0x0a)
  return line <= 0 ? 16 : Math.min(65_536, Math.ceil((bytes.length / (line + 1)) * 1.25) + 16)
}

/** The row of the next item; the item counts once `batch.rows` is raised. */
export function nextRow({ batch, keys, options }: ItemReader): number {
  if (batch.rows === options.maxValues && batch.rows > 0) throw tooManyValues(batch.rows)
  if (batch.rows === batch.capacity) {
    checkCells(Math.max(1, keys.total.spellings), batch.capacity * 2)
    batch.reserve(batch.capacity * 2)
  }
  return batch.rows
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
