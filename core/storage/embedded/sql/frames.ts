// What the server and a query process say to each other: frames of a header and a payload over one socket.
import type { ResultColumn } from '../../../model/batch.ts'
import type { FileTarget } from '../../engine.ts'

/** Header: kind, statement, bytes of the payload, and a small argument; 32 bits each. It keeps what follows aligned. */
export const headerBytes = 16

export const FrameKind = {
  /** To the process, first of all: `ProcessSettings` as JSON. */
  settings: 1,
  /** To the process: a statement, `StatementFrame` as JSON. */
  run: 2,
  /** To the process: the argument is how many more bytes of batches it may send for the statement. */
  credit: 3,
  /** To the process: the statement must end, its result is not wanted any more. */
  cancel: 4,
  /** To the process, which answers with the same: whether it still answers. */
  ping: 5,
  /** From the process: it is ready for statements. */
  ready: 6,
  /** From the process: `ColumnsFrame` as JSON. */
  columns: 7,
  /** From the process: rows, see batch-frame.ts. */
  batch: 8,
  /** From the process: waits for credit; the argument counts the credit frames it has seen. */
  stalled: 9,
  /** From the process: the statement has ended and holds nothing any more; an `ErrorFrame` as JSON where it failed. */
  end: 10
} as const

export interface ProcessSettings {
  readonly name: string
  readonly folders: readonly string[]
  readonly temporary: string
  /** A folder that goes when the server is gone. */
  readonly leftovers?: string
  readonly threads: number
  readonly memoryLimit: number
  /** Connections that are kept for later statements. */
  readonly connections: number
}

/** A table that stands in a statement by a name of its own, for whose rows `sql` is put there. */
export interface Placeholder {
  /** Offsets of its name in the text. */
  readonly start: number
  readonly end: number
  /** A query in parentheses, or a call. The server made it: it may read files. */
  readonly sql: string
  /** What may stand there instead where the statement only counts rows. */
  readonly counts?: CountedRows
}

/** Counts of rows, and rows: queries of the same columns, the time index among them. */
export interface CountedRows {
  /** Each row stands for as many rows as its last column says, in the stretch of time from its time index on. */
  readonly cells: string
  /** All rows that are counted in `cells`. */
  readonly edges: string
  /** Rows that are not. */
  readonly rest?: string
  /** The name of the time index. */
  readonly time: string
  /** Seconds of the longest stretch; all of them begin at such times of 1970. */
  readonly width: number
  /** Whether times are read in UTC. */
  readonly isUtc: boolean
}

/** What a statement answers with, before its rows. */
export interface ColumnsFrame {
  readonly columns: readonly ResultColumn[]
  /** It reads counts instead of rows where it was offered any. */
  readonly isCounted: boolean
}

export interface StatementFrame {
  /** A query, which is checked; what comes from the server itself is in the other members. */
  readonly text: string
  readonly tables: readonly Placeholder[]
  /** Its plan is asked for: EXPLAIN with its options. */
  readonly explain?: string
  readonly parameters: readonly JsonParameter[]
  readonly timezone: string
  /** The rows go to a file. */
  readonly target?: FileTarget
  /** Bytes of batches that may be sent before any are credited. */
  readonly window: number
  /** Bytes of one row, at most. */
  readonly maxRow: number
}

/** JSON has no 64-bit integers, no infinity and no NaN: numbers of both kinds are text here. */
export type JsonParameter = string | boolean | { readonly integer: string } | { readonly float: string }

export interface ErrorFrame {
  readonly code: string
  readonly message: string
  /** Where it is in the text, in characters. */
  readonly offset?: number
}

/** Several frames of one statement fit into its window. */
export const maxBatchBytes = 1 << 20

const nothing = Buffer.alloc(0)

/** A frame whose payload is `payload`, a string as UTF-8. */
export function encodeFrame(kind: number, statement: number, argument = 0, payload: string | Uint8Array = nothing) {
  const body = typeof payload === 'string' ? Buffer.from(payload) : payload
  const frame = Buffer.allocUnsafe(headerBytes + body.length)
  writeHeader(frame, kind, statement, argument)
  frame.set(body, headerBytes)
  return frame
}

/** Fills in the header of a frame whose payload is behind it already. */
export function writeHeader(frame: Buffer, kind: number, statement: number, argument = 0): void {
  frame.writeUInt32LE(kind, 0)
  frame.writeUInt32LE(statement, 4)
  frame.writeUInt32LE(frame.length - headerBytes, 8)
  frame.writeUInt32LE(argument, 12)
}

/** `payload` is memory of its own, aligned for any typed array. */
export type OnFrame = (kind: number, statement: number, argument: number, payload: Buffer) => void

/** Puts frames together from a stream's pieces. */
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
