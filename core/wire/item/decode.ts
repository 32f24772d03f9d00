// Decodes the bytes of a body to a batch of items, by content type.
import { invalidParameter } from '../../errors.ts'
import type { ItemBatch } from '../../model/items.ts'
import { checkJsonValues } from '../../model/json-count.ts'
import { runAtOnce, type Steps } from '../../pace.ts'
import { free } from '../../workers/free.ts'
import { decodeJson } from './decode-json.ts'
import { decodeNdjson, decodeText } from './decode-lines.ts'
import { createReader, type DecodeOptions, type ItemReader } from './reader.ts'

export type { KeyMapping } from './key-order.ts'
export type { DecodeOptions } from './reader.ts'

const formats: ReadonlyMap<string, (reader: ItemReader) => Steps<void>> = new Map([
  ['application/json', decodeJson],
  ['application/x-ndjson', decodeNdjson],
  ['text/plain', decodeText]
])

/** The content types that can be decoded to items. */
export const itemContentTypes: readonly string[] = [...formats.keys()]

/**
 * Decodes a body of one of `itemContentTypes`; parameters such as `charset` are ignored. Text stays in `bytes`, which then belong to the batch.
 * Throws ItemsError for the first item that cannot be decoded, unless the options allow it; DbError `InvalidArguments` for invalid JSON or an unknown
 * content type, with status 413 for more than `maxValues`.
 */
export function* itemSteps(bytes: Uint8Array, contentType: string, options: DecodeOptions = {}): Steps<ItemBatch> {
  const read = formats.get(contentType.split(';', 1)[0]!.trim().toLowerCase())
  if (read === undefined) {
    throw invalidParameter(`invalid content type: ${contentType}, expected: one of ${itemContentTypes.join(', ')}`)
  }
  if (read !== decodeText) yield* checkJsonValues(bytes, options.maxValues ?? 0)
  const reader = createReader(bytes, options)
  let isDone = false
  try {
    yield* read(reader)
    isDone = true
    return reader.batch
  } finally {
    // Many bodies that are refused half-way would fill the memory before the garbage collector sees to them.
    if (!isDone) freeCells(reader.batch)
  }
}

function freeCells({ fields }: ItemBatch): void {
  for (const { kinds, words } of fields.values()) {
    free(kinds)
    free(words)
  }
}

/** Like `itemSteps`, without yielding: for short bodies, and in threads. */
export function decodeItems(bytes: Uint8Array, contentType: string, options?: DecodeOptions): ItemBatch {
  return runAtOnce(itemSteps(bytes, contentType, options))
}
