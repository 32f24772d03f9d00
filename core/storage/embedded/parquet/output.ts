// A buffer that grows while it is written.

export class Output {
  bytes: Uint8Array<ArrayBuffer>
  view: DataView
  at = 0

  constructor(capacity = 1 << 12) {
    this.bytes = new Uint8Array(capacity)
    this.view = new DataView(this.bytes.buffer)
  }

  /** Makes room for so many bytes behind `at`. */
  reserve(bytes: number): void {
    const needed = this.at + bytes
    if (needed <= this.bytes.length) return
    const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2))
    grown.set(this.bytes.subarray(0, this.at))
    this.bytes = grown
    this.view = new DataView(grown.buffer)
  }

  byte(value: number): void {
    this.reserve(1)
    this.bytes[this.at++] = value
  }

  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.bytes.set(bytes, this.at)
    this.at += bytes.length
  }

  int32(value: number): void {
    this.reserve(4)
    this.view.setInt32(this.at, value, true)
    this.at += 4
  }

  /** ULEB128 of an integer from 0 to 2^53. */
  varint(value: number): void {
    this.reserve(10)
    let rest = value
    for (; rest >= 2 ** 31; rest = Math.floor(rest / 128)) this.bytes[this.at++] = (rest % 128) | 128
    for (; rest > 127; rest >>>= 7) this.bytes[this.at++] = (rest & 127) | 128
    this.bytes[this.at++] = rest
  }

  /** ULEB128 of a 64-bit integer after zigzag, from its halves. */
  zigzag64(low: number, high: number): void {
    this.reserve(10)
    const sign = high >> 31
    let lo = (low << 1) ^ sign
    let hi = ((high << 1) | (low >>> 31)) ^ sign
    while (hi !== 0 || lo >>> 0 > 127) {
      this.bytes[this.at++] = (lo & 127) | 128
      lo = (lo >>> 7) | (hi << 25)
      hi >>>= 7
    }
    this.bytes[this.at++] = lo
  }

  /** The bytes written; valid until the next write. */
  content(): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(0, this.at)
  }
}
