// Builds a text column row by row.
import type { BytesData } from '../../../core/index.ts'
import { GrowingBytes } from './growing-bytes.ts'

export class TextBuilder {
  readonly bytes: GrowingBytes
  readonly #offsets: Uint32Array
  #rows = 0

  /** `guess`: the expected number of bytes. */
  constructor(rows: number, guess: number) {
    this.bytes = new GrowingBytes(Math.max(64, guess))
    this.#offsets = new Uint32Array(rows + 1)
  }

  /** Ends a row: its text is what was appended to `bytes` since the last call. */
  end(): void {
    this.#offsets[++this.#rows] = this.bytes.length
  }

  get data(): BytesData {
    const { bytes, length } = this.bytes
    return { kind: 'bytes', offsets: this.#offsets, bytes: bytes.subarray(0, length) }
  }
}
