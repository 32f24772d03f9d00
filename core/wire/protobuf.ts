// Protocol Buffers: a reader that visits the fields of a message, and a writer.
import { DbError } from '../errors.ts'

/** Wire types of Protocol Buffers. */
export const wireType = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const

/** Bytes of a length that is written after what it counts: a varint that holds 32 bits. */
const lengthBytes = 5

const strictText = new TextDecoder('utf-8', { fatal: true })

/** Visits the fields of one message. Throws DbError `InvalidArguments` with the offset for invalid input. */
export class ProtoReader {
  readonly bytes: Uint8Array
  readonly view: DataView
  /** End of the current message. */
  end: number
  at: number
  /** Number and wire type of the field that `next` found. */
  field = 0
  type = 0

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.at = start
    this.end = end
  }

  /** Moves to the next field; false at the end. The value of a field must be read or skipped before the next call. */
  next(): boolean {
    if (this.at >= this.end) return false
    const tag = this.uint()
    this.field = Math.floor(tag / 8)
    this.type = tag & 7
    if (this.field === 0) throw this.error('a field has the number 0')
    return true
  }

  /** Enters the message in the field, so that `next` visits its fields; returns the value that `leave` needs. */
  enter(): number {
    const outer = this.end
    const start = this.pass()
    this.end = this.at
    this.at = start
    return outer
  }

  /** Leaves the message that `enter` entered. */
  leave(outer: number): void {
    this.at = this.end
    this.end = outer
  }

  /** Reads a message whose start and end are known. */
  seek(start: number, end: number): void {
    this.at = start
    this.end = end
  }

  /** Reads an unsigned varint as a number; exact up to 2^53. */
  uint(): number {
    const { bytes, end } = this
    const first = bytes[this.at]!
    if (first < 128 && this.at < end) {
      this.at++
      return first
    }
    let value = 0
    let scale = 1
    for (let i = 0; i < 10; i++) {
      if (this.at >= end) throw this.error('it ends inside a number')
      const byte = bytes[this.at++]!
      value += (byte & 127) * scale
      if (byte < 128) return value
      scale *= 128
    }
    throw this.error('a number has more than 10 bytes')
  }

  /** Reads an unsigned 64-bit varint. */
  uint64(): bigint {
    const { bytes, at } = this
    // Most take four bytes at most; those are read without bigint arithmetic.
    for (let i = at, small = 0, shift = 0; i < this.end && shift < 28; i++, shift += 7) {
      const byte = bytes[i]!
      small |= (byte & 127) << shift
      if (byte > 127) continue
      this.at = i + 1
      return BigInt(small)
    }
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      if (this.at >= this.end) throw this.error('it ends inside a number')
      const byte = this.bytes[this.at++]!
      value |= BigInt(byte & 127) << shift
      if (byte < 128) return BigInt.asUintN(64, value)
    }
    throw this.error('a number has more than 10 bytes')
  }

  /** Reads an `int64`. */
  int64(): bigint {
    return BigInt.asIntN(64, this.uint64())
  }

  /** Reads a `sint64`. */
  sint64(): bigint {
    const value = this.uint64()
    return (value >> 1n) ^ -(value & 1n)
  }

  /** Reads a `sint32`. */
  sint32(): number {
    return Number(BigInt.asIntN(32, this.sint64()))
  }

  double(): number {
    return this.view.getFloat64(this.#skipBytes(8), true)
  }

  /** Reads the bit pattern of a double. */
  bits64(): bigint {
    return this.view.getBigUint64(this.#skipBytes(8), true)
  }

  /** A reader of the message in the field. */
  message(): ProtoReader {
    const start = this.pass()
    return new ProtoReader(this.bytes, start, this.at)
  }

  /** Skips the message in the field; returns its start, `at` is its end. */
  pass(): number {
    return this.#skipBytes(this.length())
  }

  /** The bytes of the field, without a copy. */
  data(): Uint8Array {
    const start = this.pass()
    return this.bytes.subarray(start, this.at)
  }

  text(): string {
    const data = this.data()
    try {
      return strictText.decode(data)
    } catch {
      throw this.error('a text is not valid UTF-8')
    }
  }

  /** Calls `take` at each value of a repeated number field, packed or not. */
  repeated(take: (reader: ProtoReader) => void): void {
    if (this.type !== wireType.bytes) {
      take(this)
      return
    }
    const inside = this.message()
    while (inside.at < inside.end) take(inside)
  }

  /** Skips the field. */
  skip(): void {
    switch (this.type) {
      case wireType.varint:
        this.uint()
        return
      case wireType.fixed64:
        this.#skipBytes(8)
        return
      case wireType.bytes:
        this.#skipBytes(this.length())
        return
      case wireType.fixed32:
        this.#skipBytes(4)
        return
      default:
        throw this.error(`field ${this.field} has the unknown wire type ${this.type}`)
    }
  }

  /** Throws unless the field has this wire type. */
  expect(type: number): void {
    if (this.type !== type) throw this.error(`field ${this.field} has wire type ${this.type} instead of ${type}`)
  }

  length(): number {
    if (this.type !== wireType.bytes) this.expect(wireType.bytes)
    return this.uint()
  }

  error(reason: string): DbError {
    return new DbError('InvalidArguments', `not a valid protobuf message: ${reason} (byte ${this.at})`)
  }

  #skipBytes(count: number): number {
    const start = this.at
    if (count > this.end - start) throw this.error(`it ends inside field ${this.field}`)
    this.at = start + count
    return start
  }
}

/** Writes fields one after the other; its memory grows as needed. */
export class ProtoWriter {
  #bytes: Uint8Array<ArrayBuffer>
  #view: DataView
  #length = 0

  /** `capacity`: bytes that are written without growing. */
  constructor(capacity = 256) {
    this.#bytes = new Uint8Array(capacity)
    this.#view = new DataView(this.#bytes.buffer)
  }

  /** The bytes written so far; valid until the next write. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  get length(): number {
    return this.#length
  }

  clear(): void {
    this.#length = 0
  }

  /** Removes the bytes between two offsets. */
  remove(start: number, end: number): void {
    this.#bytes.copyWithin(start, end, this.#length)
    this.#length -= end - start
  }

  uint(field: number, value: number | bigint): this {
    this.varint(field * 8)
    return this.varint(value)
  }

  /** Writes an `int64`; negative values take ten bytes. */
  int64(field: number, value: bigint): this {
    return this.uint(field, value < 0n ? BigInt.asUintN(64, value) : value)
  }

  sint64(field: number, value: bigint): this {
    return this.uint(field, BigInt.asUintN(64, (value << 1n) ^ (value >> 63n)))
  }

  double(field: number, value: number): this {
    this.varint(field * 8 + wireType.fixed64)
    const at = this.#reserve(8)
    this.#view.setFloat64(at, value, true)
    return this
  }

  /** Writes the eight bytes of a double in a packed list. */
  rawDouble(value: number): this {
    const at = this.#reserve(8)
    this.#view.setFloat64(at, value, true)
    return this
  }

  /** Writes a double given by its bit pattern. */
  bits64(field: number, low: number, high: number): this {
    this.varint(field * 8 + wireType.fixed64)
    const at = this.#reserve(8)
    this.#view.setInt32(at, low, true)
    this.#view.setInt32(at + 4, high, true)
    return this
  }

  data(field: number, bytes: Uint8Array): this {
    this.varint(field * 8 + wireType.bytes)
    this.varint(bytes.length)
    return this.raw(bytes)
  }

  /**
   * Begins a field whose length is known once it is written: returns the offset for `endField`. Unlike a message that is written apart, its
   * bytes are not copied.
   */
  beginField(field: number): number {
    this.varint(field * 8 + wireType.bytes)
    return this.#reserve(lengthBytes)
  }

  /** Writes the length of the field that began at `start`. */
  endField(start: number): void {
    let rest = this.#length - start - lengthBytes
    for (let i = 0; i < lengthBytes; i++) {
      this.#bytes[start + i] = (rest & 127) | (i < lengthBytes - 1 ? 128 : 0)
      rest >>>= 7
    }
  }

  text(field: number, text: string): this {
    return this.data(field, Buffer.from(text))
  }

  raw(bytes: Uint8Array): this {
    const at = this.#reserve(bytes.length)
    this.#bytes.set(bytes, at)
    return this
  }

  varint(value: number | bigint): this {
    if (typeof value === 'bigint' && value > BigInt(Number.MAX_SAFE_INTEGER)) return this.#bigVarint(value)
    let rest = Number(value)
    while (rest > 127) {
      this.#put((rest % 128) | 128)
      rest = Math.floor(rest / 128)
    }
    return this.#put(rest)
  }

  #bigVarint(value: bigint): this {
    let rest = value
    while (rest > 127n) {
      this.#put(Number(rest & 127n) | 128)
      rest >>= 7n
    }
    return this.#put(Number(rest))
  }

  #put(byte: number): this {
    const at = this.#reserve(1)
    this.#bytes[at] = byte
    return this
  }

  /** Makes room for `count` bytes and returns their offset. It may replace the memory, so call it before reading `#bytes`. */
  #reserve(count: number): number {
    const at = this.#length
    this.#length = at + count
    if (this.#length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length))
      grown.set(this.#bytes)
      this.#bytes = grown
      this.#view = new DataView(grown.buffer)
    }
    return at
  }
}
