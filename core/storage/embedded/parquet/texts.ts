// Values of variable length: PLAIN, DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY.

import { copyBytes } from '../../../model/copy-bytes.ts'
import { type DeltaInput, type DeltaScratch, decodeDelta32, encodeDelta32 } from './delta.ts'
import type { Input } from './input.ts'
import type { Output } from './output.ts'
import { ParquetError } from './types.ts'

/** The range of 32-bit offsets. */
const maxTextBytes = 2 ** 32 - 1

/** Values in one buffer: value `i` is `bytes[offsets[i] … offsets[i + 1]]`. */
export interface Texts {
  readonly offsets: Uint32Array
  readonly bytes: Uint8Array
}

/** Encodes values `from` to `to`, their lengths first. */
export function encodeDeltaLength(
  out: Output,
  { offsets, bytes }: Texts,
  from: number,
  to: number,
  scratch: DeltaScratch,
  lengths: Int32Array
): void {
  for (let i = from; i < to; i++) lengths[i - from] = offsets[i + 1]! - offsets[i]!
  encodeDelta32(out, lengths, 0, to - from, scratch)
  out.raw(bytes.subarray(offsets[from], offsets[to]))
}

export function encodePlainTexts(out: Output, { offsets, bytes }: Texts, from: number, to: number): void {
  out.reserve(offsets[to]! - offsets[from]! + 4 * (to - from))
  for (let i = from; i < to; i++) {
    const start = offsets[i]!
    const length = offsets[i + 1]! - start
    out.view.setInt32(out.at, length, true)
    copyBytes(bytes, start, out.bytes, out.at + 4, length)
    out.at += 4 + length
  }
}

/** Gathers values of pages. */
export class TextsBuilder {
  readonly #offsets: Uint32Array
  #bytes: Uint8Array
  #count = 0
  #length = 0

  constructor(rows: number) {
    this.#offsets = new Uint32Array(rows + 1)
    this.#bytes = new Uint8Array(Math.min(rows * 16, 1 << 20))
  }

  /** Makes room for so many bytes more. */
  #reserve(bytes: number): void {
    const needed = this.#length + bytes
    if (needed <= this.#bytes.length) return
    if (needed > maxTextBytes) throw new ParquetError(`texts of more than ${maxTextBytes} bytes in one row group`)
    const grown = new Uint8Array(Math.max(needed, Math.min(this.#bytes.length * 2, maxTextBytes)))
    grown.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = grown
  }

  /** Adds an empty value, in place of a null. */
  empty(): void {
    this.#offsets[++this.#count] = this.#length
  }

  /** Adds values `from` to `to` of others. */
  append({ offsets, bytes }: Texts, from: number, to: number): void {
    if (from === to) return
    const start = offsets[from]!
    const length = offsets[to]! - start
    this.#reserve(length)
    copyBytes(bytes, start, this.#bytes, this.#length, length)
    const shift = this.#length - start
    for (let i = from; i < to; i++) this.#offsets[++this.#count] = offsets[i + 1]! + shift
    this.#length += length
  }

  done(): { offsets: Uint32Array; bytes: Uint8Array } {
    return { offsets: this.#offsets, bytes: this.#bytes.subarray(0, this.#length) }
  }
}

/** Memory for the lengths of a page. */
export class TextScratch {
  lengths = new Int32Array(0)
  prefixes = new Int32Array(0)
  readonly delta: DeltaInput

  constructor(delta: DeltaInput) {
    this.delta = delta
  }

  hold(count: number): void {
    if (this.lengths.length >= count) return
    this.lengths = new Int32Array(count)
    this.prefixes = new Int32Array(count)
  }
}

export function decodePlainTexts(input: Input, count: number): Texts {
  if (count * 4 > input.left) throw input.damaged(`${count} values in ${input.left} bytes`)
  const offsets = new Uint32Array(count + 1)
  const bytes = new Uint8Array(input.left - 4 * count)
  let put = 0
  for (let i = 0; i < count; i++) {
    const length = input.int32()
    if (length < 0 || length > input.left || put + length > bytes.length) {
      throw input.damaged(`a value of ${length >>> 0} bytes where ${input.left} are left`)
    }
    copyBytes(input.bytes, input.at, bytes, put, length)
    input.at += length
    put += length
    offsets[i + 1] = put
  }
  return { offsets, bytes }
}

/** Decodes values of a fixed length. The result lies in the memory of the page. */
export function decodeFixedTexts(input: Input, count: number, length: number): Texts {
  input.need(count * length)
  const offsets = new Uint32Array(count + 1)
  for (let i = 1; i <= count; i++) offsets[i] = i * length
  input.at += count * length
  return { offsets, bytes: input.bytes.subarray(input.at - count * length, input.at) }
}

export function decodeDeltaLength(input: Input, count: number, scratch: TextScratch): Texts {
  scratch.hold(count)
  const { lengths } = scratch
  decodeDelta32(input, count, lengths, 0, scratch.delta)
  const offsets = new Uint32Array(count + 1)
  const start = input.at
  let at = 0
  for (let i = 0; i < count; i++) {
    const length = lengths[i]!
    if (length < 0 || length > input.left - at) throw input.damaged(`a value of ${length} bytes, more than there are`)
    at += length
    offsets[i + 1] = at
  }
  input.at += at
  return { offsets, bytes: input.bytes.subarray(start, start + at) }
}

/** Decodes values stored as a prefix shared with their predecessor, and a suffix. */
export function decodeDeltaTexts(input: Input, count: number, scratch: TextScratch, max: number): Texts {
  scratch.hold(count)
  const { prefixes } = scratch
  decodeDelta32(input, count, prefixes, 0, scratch.delta)
  const rest = decodeDeltaLength(input, count, scratch)
  const offsets = new Uint32Array(count + 1)
  let total = 0
  let before = 0
  for (let i = 0; i < count; i++) {
    const prefix = prefixes[i]!
    if (prefix < 0 || prefix > before) throw input.damaged(`a value shares ${prefix} bytes with one of ${before}`)
    before = prefix + rest.offsets[i + 1]! - rest.offsets[i]!
    total += before
    if (total > max) throw input.damaged(`values of more than ${max} bytes`)
    offsets[i + 1] = total
  }
  const bytes = new Uint8Array(total)
  for (let i = 0; i < count; i++) {
    const at = offsets[i]!
    const prefix = prefixes[i]!
    if (prefix > 0) copyBytes(bytes, offsets[i - 1]!, bytes, at, prefix)
    const start = rest.offsets[i]!
    copyBytes(rest.bytes, start, bytes, at + prefix, rest.offsets[i + 1]! - start)
  }
  return { offsets, bytes }
}
