// From the bytes of a request to a batch of items, by content type.
import type { ItemBatch } from '../../core/index.ts'
import { decodeJson } from './decode-json.ts'
import { decodeNdjson, decodeText } from './decode-lines.ts'
import { createReader, type DecodeOptions, type ItemReader } from './reader.ts'

const formats: Readonly<Record<string, (reader: ItemReader) => void>> = {
  'application/json': decodeJson,
  'application/x-ndjson': decodeNdjson,
  'text/plain': decodeText
}

/** The content types `decode` takes. */
export const contentTypes: readonly string[] = Object.keys(formats)

/**
 * Reads the items of a body of one of `contentTypes`. Text stays in `bytes`, which become the batch's. Throws ItemsError for the
 * first item that cannot be decoded unless the options let it pass, and DbError `InvalidArguments` for a body that is no JSON.
 */
export function decode(bytes: Uint8Array, contentType: string, options: DecodeOptions = {}): ItemBatch {
  const reader = createReader(bytes, options)
  formats[contentType]!(reader)
  return reader.batch
}
