// A column of texts that are made one after the other.
import type { BytesData } from '../../../core/index.ts'
import { GrowingBytes } from './growing-bytes.ts'

export class TextBuilder {
  readonly bytes: GrowingBytes
  readonly #offsets: Uint32Array
  #rows = 0

  /** `guess`: bytes it will take, about. */
  constructor(rows: number, guess: number) {
    this.bytes = new GrowingBytes(Math.max(64, guess))
    this.#offsets = new Uint32Array(rows + 1)
  }

  /** Ends the text of a row: what was put into `bytes` since the row before. */
  end(): void {
    this.#offsets[++this.#rows] = this.bytes.length
  }

  get data(): BytesData {
    const { bytes, length } = this.bytes
    return { kind: 'bytes', offsets: this.#offsets, bytes: bytes.subarray(0, length) }
  }
}
