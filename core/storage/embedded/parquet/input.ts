// Bytes of a page while they are read.
import { free } from '../../../workers/free.ts'
import { slack } from './format.ts'
import { ParquetError } from './types.ts'

export class Input {
  /** With `slack` readable bytes behind `end`. */
  readonly bytes: Uint8Array
  readonly view: DataView
  at: number
  readonly end: number
  /** The page in the file, for messages. */
  readonly page: number

  constructor(bytes: Uint8Array, at: number, end: number, page: number) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.at = at
    this.end = end
    this.page = page
  }

  get left(): number {
    return this.end - this.at
  }

  byte(): number {
    if (this.at >= this.end) throw this.damaged('it ends early')
    return this.bytes[this.at++]!
  }

  int32(): number {
    this.need(4)
    this.at += 4
    return this.view.getInt32(this.at - 4, true)
  }

  /** ULEB128 below 2^32. */
  varint(): number {
    let value = 0
    for (let scale = 1, i = 0; i < 5; i++, scale *= 128) {
      const byte = this.byte()
      value += (byte & 127) * scale
      if (byte < 128 && value < 2 ** 32) return value
    }
    throw this.damaged('a number of more than 32 bits')
  }

  /** Zigzag ULEB128 of 64 bits, into two halves. */
  zigzag64(out: Int32Array): void {
    let low = 0
    let high = 0
    for (let shift = 0; ; shift += 7) {
      if (shift > 63) throw this.damaged('a number of more than 64 bits')
      const byte = this.byte()
      const bits = byte & 127
      if (shift < 32) low |= bits << shift
      if (shift === 28) high |= bits >>> 4
      else if (shift > 31) high |= bits << (shift - 32)
      if (byte < 128) break
    }
    const sign = -(low & 1)
    out[0] = ((low >>> 1) | (high << 31)) ^ sign
    out[1] = (high >>> 1) ^ sign
  }

  need(bytes: number): void {
    if (bytes > this.end - this.at) throw this.damaged(`it needs ${bytes} bytes more and has ${this.end - this.at}`)
  }

  damaged(reason: string): ParquetError {
    return new ParquetError(`the page is damaged: ${reason}`, this.page)
  }
}

/** Bytes of a buffer that are kept from page to page. */
const maxKept = 1 << 20

/** A copy of bytes with slack behind them, in memory that is used again. */
export class PageBuffer {
  #bytes = new Uint8Array(0)

  hold(bytes: Uint8Array): Uint8Array {
    if (this.#bytes.length < bytes.length + slack) this.#bytes = new Uint8Array(bytes.length * 2 + slack)
    this.#bytes.set(bytes)
    return this.#bytes
  }

  /** Frees what is too much to be kept for the next page. */
  release(): void {
    if (this.#bytes.length <= maxKept) return
    free(this.#bytes)
    this.#bytes = new Uint8Array(0)
  }
}
