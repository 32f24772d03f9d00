// What a result format is given and what it makes of it.
import { DbError } from '../errors.ts'
import type { ResultBatch, ResultColumn } from '../model/batch.ts'

/** Rows of one statement. */
export interface RecordsAnswer {
  readonly kind: 'records'
  readonly columns: readonly ResultColumn[]
  /** Read once; leaving it early frees what it holds. */
  batches(): AsyncIterable<ResultBatch>
  /** Frees what it holds when it is not read at all. */
  close?(): void
}

/** The effect of one statement. */
interface AffectedAnswer {
  readonly kind: 'affected'
  readonly rows: number
}

/** What came of one statement. */
export type Answer = RecordsAnswer | AffectedAnswer

export type Epoch = 's' | 'ms' | 'us' | 'ns'
export type Compression = 'zstd' | 'lz4'

/** What a request says of its result beside the format. */
export interface EncodeOptions {
  /** Unit of all timestamps of `lineproto_v1`; absent: each column's own. */
  readonly epoch?: Epoch
  /** Of the buffers of `arrow`. */
  readonly compression?: Compression
  /** Milliseconds since the request came in. */
  elapsed(): number
}

/** One result format: pure, from answers to text or bytes, piece by piece. */
export interface ResultFormat {
  /** Value of the header `x-svc-format`. */
  readonly header: string
  readonly contentType: string
  /** Whether the answers of several statements fit into one body. */
  readonly several: boolean
  /**
   * Yields pieces of the body; the next is asked for when the client has room. What it throws before the first one is answered with its
   * status. Reads each answer once, batch by batch: a piece for each batch, or more of long ones, keeps memory and the event loop free.
   */
  encode(answers: readonly Answer[], options: EncodeOptions): AsyncIterable<string | Uint8Array>
}

/** The answer without the rows after the first `limit`. */
export function limitAnswer(answer: Answer, limit: number): Answer {
  if (answer.kind === 'affected') return answer
  return {
    ...answer,
    async *batches() {
      let left = limit
      for await (const batch of answer.batches()) {
        if (batch.rows >= left) {
          if (left > 0) yield { ...batch, rows: left }
          return
        }
        left -= batch.rows
        yield batch
      }
    }
  }
}

/** Characters of a piece of a body after which it is sent on: a batch of long rows would not fit into one text. */
export const longPiece = 1 << 20

/** Rows that a format must hold in memory because it can only be laid out at the end. */
export const heldRows = 1_000_000

/** Bytes of them, roughly: long texts fill the memory sooner than many rows. */
export const heldBytes = 256 * 2 ** 20

/** What a batch takes in memory, roughly. */
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

/** The rows of an answer with one text per cell, at most `heldRows`. */
export function tooManyRows(format: string): DbError {
  return new DbError(
    'InvalidArguments',
    `the format ${format} is laid out in memory and takes at most ${heldRows} rows or ${heldBytes / 2 ** 20} MiB: use limit or the format csv`
  )
}
