// One remote write request from its bytes to a buffer: inflated, and read by its version.
import { DbError, decodeSnappy, inflate, snappyLength, snappySlack } from '../../../../core/wire/index.ts'
import type { Codec, Version } from '../negotiate.ts'
import type { DecodeBuffer } from './decode-buffer.ts'
import type { Decoded } from './decoded.ts'
import { decodeV1 } from './v1.ts'
import { decodeV2 } from './v2.ts'

export interface Encoding {
  readonly version: Version
  readonly codec: Codec
  /** Bytes the content may have, 0 for any number. */
  readonly limit: number
}

/** Bytes a request will be inflated to as far as it says so itself, which is 0 for others than Snappy. */
export function statedLength(request: Uint8Array, { codec, limit }: Encoding): number {
  if (codec !== 'snappy') return 0
  try {
    const length = Math.min(snappyLength(request), maxSnappyLength(request))
    return limit > 0 ? Math.min(length, limit) : length
  } catch {
    // The other codec will be tried.
    return 0
  }
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

/**
 * Fills `buffer.body` and returns the length of the content. Senders mislabel: where the announced codec cannot read the body, the other
 * one is tried. `limit` is in bytes, 0 for none; more is refused with 413, what nobody can read with 400.
 */
async function inflateInto(body: Uint8Array, codec: Codec, buffer: DecodeBuffer, limit: number): Promise<number> {
  if (codec === 'gzip') return inflateInto(await unpack(body, codec, limit), 'snappy', buffer, limit)
  try {
    return await inflateAs(codec, body, buffer, limit)
  } catch (error) {
    if (tooLarge(error)) throw error
    const other = codec === 'snappy' ? 'zstd' : 'snappy'
    return inflateAs(other, body, buffer, limit).catch(second => {
      throw tooLarge(second) ? second : error
    })
  }
}

async function inflateAs(
  codec: 'snappy' | 'zstd',
  body: Uint8Array,
  buffer: DecodeBuffer,
  limit: number
): Promise<number> {
  if (codec === 'zstd') {
    const content = await unpack(body, codec, limit)
    buffer.reserveBody(content.length).set(content)
    return content.length
  }
  const length = snappyLength(body)
  if (limit > 0 && length > limit) throw over(limit, `${length} bytes`)
  // A block states its length; allocate no more than its bytes can expand to.
  if (length > maxSnappyLength(body))
    throw new DbError('InvalidArguments', 'not a Snappy block: it is shorter than its length')
  return decodeSnappy(body, buffer.reserveBody(length + snappySlack))
}

/** More than a block of this length can hold. */
function maxSnappyLength(block: Uint8Array): number {
  return block.length * 64 + 64
}

function unpack(body: Uint8Array, codec: 'gzip' | 'zstd', limit: number): Promise<Buffer> {
  return inflate(body, codec, { limit, tooLarge: () => over(limit, 'more') })
}

function over(limit: number, found: string): DbError {
  return new DbError(
    'InvalidArguments',
    `the body is larger than ${limit} bytes (http.body_limit): ${found} once inflated`,
    {
      status: 413
    }
  )
}

function tooLarge(error: unknown): boolean {
  return error instanceof DbError && error.status === 413
}
