// A growing byte array: the content of a text column while it is built.
import { isUtf8 } from 'node:buffer'
import { DbError } from '../../../core/index.ts'

export class GrowingBytes {
  bytes: Uint8Array
  length = 0

  constructor(capacity = 1024) {
    this.bytes = unset(capacity)
  }

  /** Reserves this many more bytes; may replace `bytes`. */
  reserve(count: number): void {
    const needed = this.length + count
    if (needed <= this.bytes.length) return
    const grown = unset(Math.max(needed, this.bytes.length * 2))
    grown.set(this.bytes.subarray(0, this.length))
    this.bytes = grown
  }

  put(byte: number): void {
    if (this.length === this.bytes.length) this.reserve(1)
    this.bytes[this.length++] = byte
  }

  /** Appends ASCII text. */
  ascii(text: string): void {
    this.reserve(text.length)
    const { bytes } = this
    let at = this.length
    for (let i = 0; i < text.length; i++) bytes[at++] = text.charCodeAt(i)
    this.length = at
  }

  text(text: string): void {
    this.reserve(text.length * 3)
    this.length += Buffer.from(this.bytes.buffer, this.bytes.byteOffset).write(text, this.length)
  }

  /** Appends UTF-8 text from other bytes. Throws DbError `InvalidArguments` where it is not valid UTF-8. */
  copyText(from: Uint8Array, start: number, end: number): void {
    this.reserve(end - start)
    const { bytes } = this
    let at = this.length
    let high = 0
    if (end - start > 200) {
      bytes.set(from.subarray(start, end), at)
      at += end - start
      high = 128
    } else {
      for (let i = start; i < end; i++) {
        const byte = from[i]!
        high |= byte
        bytes[at++] = byte
      }
    }
    if (high > 127 && !isUtf8(bytes.subarray(this.length, at))) throw notUtf8(start)
    this.length = at
  }

  /** Appends other bytes as lower-case hexadecimal digits. */
  hex(from: Uint8Array, start: number, end: number): void {
    this.reserve((end - start) * 2)
    const { bytes } = this
    let at = this.length
    for (let i = start; i < end; i++) {
      const byte = from[i]!
      bytes[at++] = digits[byte >> 4]!
      bytes[at++] = digits[byte & 15]!
    }
    this.length = at
  }
}

const digits = Uint8Array.from(Buffer.from('0123456789abcdef'))

/** Not zeroed: every byte that is used is written first. */
function unset(length: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(length).buffer)
}

export function notUtf8(at: number): DbError {
  return new DbError('InvalidArguments', `not a valid protobuf message: a text is not valid UTF-8 (byte ${at})`)
}
