// The protocol between the server and a query process: frames of a header and a payload on one socket.
import type { ResultColumn } from '../../../model/batch.ts'
import type { Limit } from '../../../model/limit.ts'
import type { FileTarget } from '../../engine.ts'

/** Header: kind, statement, payload bytes and an argument, 32 bits each. Its size keeps the payload aligned. */
export const headerBytes = 16

export const FrameKind = {
  /** To the process, as the first frame: `ProcessSettings` as JSON. */
  settings: 1,
  /** To the process: a statement, `StatementFrame` as JSON without its text, which follows; the argument is the length of the JSON. */
  run: 2,
  /** To the process: the argument is the number of further batch bytes it may send for the statement. */
  credit: 3,
  /** To the process: cancels the statement; its result is not needed any more. */
  cancel: 4,
  /** To the process, which sends the same back: checks that it responds. */
  ping: 5,
  /** From the process: ready for statements. */
  ready: 6,
  /** From the process: `ColumnsFrame` as JSON. */
  columns: 7,
  /** From the process: rows, see batch-frame.ts. */
  batch: 8,
  /** From the process: it waits for credit; the argument is the number of credit frames received. */
  stalled: 9,
  /** From the process: the statement has ended and holds no resources; the payload is a `PlainError` as JSON if it failed. */
  end: 10
} as const

export interface ProcessSettings {
  readonly name: string
  readonly folders: readonly string[]
  readonly temporary: string
  /** A folder to delete when the server is gone. */
  readonly leftovers?: string
  readonly threads: number
  readonly memoryLimit: number
  /** Idle connections to keep. */
  readonly connections: number
}

/** A table in a statement, and the SQL that is put in its place. */
export interface Placeholder {
  /** Offsets of the name in the text. */
  readonly start: number
  readonly end: number
  /** A query in parentheses, or a call. Made by the server, so it may read files. */
  readonly sql: string
  /** An alternative for statements that only count rows. */
  readonly counts?: CountedRows
}

/** Counts, and rows: queries with the same columns, including the time index. */
export interface CountedRows {
  /** Rows that each stand for as many rows as their last column says, in the interval that begins at their time index. */
  readonly cells: string
  /** The rows that `cells` counts, with one more column, `__file_time`: conditions on it exclude row groups of files. */
  readonly edges: string
  /** Type of that column in DuckDB. */
  readonly fileTimeType: 'TIMESTAMP' | 'TIMESTAMP_NS'
  /** Rows that are not counted. */
  readonly rest?: string
  /** Name of the time index. */
  readonly time: string
  /** Length of the longest interval in seconds; intervals are aligned to 1970. */
  readonly width: number
  /** Whether times are interpreted in UTC. */
  readonly isUtc: boolean
}

/** The description of a result, sent before its rows. */
export interface ColumnsFrame {
  readonly columns: readonly ResultColumn[]
  /** The statement reads counts instead of rows. */
  readonly isCounted: boolean
}

export interface StatementFrame {
  /** The query of a user, which is checked. All other members come from the server. */
  readonly text: string
  readonly tables: readonly Placeholder[]
  /** Options of EXPLAIN, if the plan is requested. */
  readonly explain?: string
  readonly parameters: readonly JsonParameter[]
  readonly timezone: string
  /** Of values that constants of the text ask for. */
  readonly valueLimit?: Limit
  /** Writes the rows to a file. */
  readonly target?: FileTarget
  /** Bytes of batches that may be sent before the first credit. */
  readonly window: number
  /** Maximum bytes of a row. */
  readonly maxRow: number
}

/** 64-bit integers, infinities and NaN are text, because JSON lacks them. */
export type JsonParameter = string | boolean | { readonly integer: string } | { readonly float: string }

/** Several frames fit into a statement's window. */
export const maxBatchBytes = 1 << 20

const nothing = Buffer.alloc(0)

/** A frame with a payload; a string is encoded as UTF-8. */
export function encodeFrame(kind: number, statement: number, argument = 0, payload: string | Uint8Array = nothing) {
  const body = typeof payload === 'string' ? Buffer.from(payload) : payload
  const frame = Buffer.allocUnsafe(headerBytes + body.length)
  writeHeader(frame, kind, statement, argument)
  frame.set(body, headerBytes)
  return frame
}

/** Writes the header in front of a payload. */
export function writeHeader(frame: Buffer, kind: number, statement: number, argument = 0): void {
  frame.writeUInt32LE(kind, 0)
  frame.writeUInt32LE(statement, 4)
  frame.writeUInt32LE(frame.length - headerBytes, 8)
  frame.writeUInt32LE(argument, 12)
}

/** `payload` has its own memory, aligned for any typed array. */
type OnFrame = (kind: number, statement: number, argument: number, payload: Buffer) => void

/** Assembles frames from the chunks of a stream. */
export class FrameReader {
  readonly #onFrame: OnFrame
  readonly #header = Buffer.alloc(headerBytes)
  #headerLength = 0
  #payload: Buffer = nothing
  #payloadLength = 0

  constructor(onFrame: OnFrame) {
    this.#onFrame = onFrame
  }

  push(piece: Buffer): void {
    let at = 0
    while (at < piece.length) {
      if (this.#headerLength < headerBytes) {
        const copied = piece.copy(this.#header, this.#headerLength, at)
        this.#headerLength += copied
        at += copied
        if (this.#headerLength < headerBytes) return
        const length = this.#header.readUInt32LE(8)
        this.#payload = length === 0 ? nothing : Buffer.allocUnsafeSlow(length)
        this.#payloadLength = 0
      }
      const copied = piece.copy(this.#payload, this.#payloadLength, at)
      this.#payloadLength += copied
      at += copied
      if (this.#payloadLength < this.#payload.length) return
      const payload = this.#payload
      this.#payload = nothing
      this.#headerLength = 0
      const header = this.#header
      this.#onFrame(header.readUInt32LE(0), header.readUInt32LE(4), header.readUInt32LE(12), payload)
    }
  }
}
