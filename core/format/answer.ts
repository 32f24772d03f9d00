// The answers of statements, and the interface of the formats they are written in.
import { DbError } from '../errors.ts'
import type { ResultBatch, ResultColumn } from '../model/batch.ts'

/** The rows that one statement returns. */
export interface RecordsAnswer {
  readonly kind: 'records'
  readonly columns: readonly ResultColumn[]
  /** Can be iterated once. Leaving the loop early frees the query. */
  batches(): AsyncIterable<ResultBatch>
  /** Frees the query if `batches` is never iterated. */
  close?(): void
}

/** The number of rows that one statement changed. */
interface AffectedAnswer {
  readonly kind: 'affected'
  readonly rows: number
}

/** The result of one statement: rows, or how many rows it changed. */
export type Answer = RecordsAnswer | AffectedAnswer

export type Epoch = 's' | 'ms' | 'us' | 'ns'
export type Compression = 'zstd' | 'lz4'

/** What a request asks of the encoding, besides the format. */
export interface EncodeOptions {
  /** `lineproto_v1`: unit of all timestamps; absent: each column's own unit. */
  readonly epoch?: Epoch
  /** `arrow`: compression of the buffers. */
  readonly compression?: Compression
  /** Milliseconds since the request came in. */
  elapsed(): number
}

/** A result format. Its encoder has no side effects: it turns answers into pieces of text or bytes. */
export interface ResultFormat {
  /** Value of the response header `x-svc-format`. */
  readonly header: string
  readonly contentType: string
  /** Whether one body can hold the answers of several statements. */
  readonly several: boolean
  /**
   * Yields the pieces of the body. The next piece is asked for when the client has room. An error thrown before the first piece becomes the
   * response's status. Must read each answer once, batch by batch, and yield at least one piece per batch, so that neither memory nor the event loop
   * is held.
   */
  encode(answers: readonly Answer[], options: EncodeOptions): AsyncIterable<string | Uint8Array>
}

/** Characters after which a piece of a body is sent, because a batch of long rows would exceed the longest string. */
export const longPiece = 1 << 20

/** Rows a format may buffer if it cannot write before it has seen all of them. */
export const heldRows = 1_000_000

/** Approximate bytes such a format may buffer; long texts reach this limit before `heldRows`. */
export const heldBytes = 256 * 2 ** 20

/** Approximate bytes a batch takes in memory. */
export function batchBytes({ rows, columns }: ResultBatch): number {
  return columns.reduce((sum, { values }) => {
    if (ArrayBuffer.isView(values)) return sum + values.byteLength
    let bytes = rows * 16
    for (let i = 0; i < rows; i++) {
      const value = values[i]
      if (typeof value === 'string' || Array.isArray(value) || value instanceof Uint8Array) bytes += value.length
    }
    return sum + bytes
  }, 0)
}

/** The error for a format that cannot hold so many rows. */
export function tooManyRows(format: string): DbError {
  return new DbError(
    'InvalidArguments',
    `the format ${format} is laid out in memory and takes at most ${heldRows} rows or ${heldBytes / 2 ** 20} MiB: use limit or the format csv`
  )
}
