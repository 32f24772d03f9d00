// One remote write request from its bytes to a buffer: inflated, and read by its version.

import type { Codec, Version } from '../negotiate.ts'
import type { DecodeBuffer } from './decode-buffer.ts'
import type { Decoded } from './decoded.ts'
import { inflateInto } from './inflate.ts'
import { decodeV1 } from './v1.ts'
import { decodeV2 } from './v2.ts'

export interface Encoding {
  readonly version: Version
  readonly codec: Codec
  /** Bytes the content may have, 0 for any number. */
  readonly limit: number
}

/** Throws DbError `InvalidArguments` for what cannot be read. */
export async function decode(
  buffer: DecodeBuffer,
  request: Uint8Array,
  { version, codec, limit }: Encoding
): Promise<Decoded> {
  const length = await inflateInto(request, codec, buffer, limit)
  return version === '1.0' ? decodeV1(buffer, length) : decodeV2(buffer, length, limit)
}
