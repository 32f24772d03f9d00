// Writes the structured metadata of protobuf entries as JSON objects, all of a request into one buffer.

import { isUtf8 } from 'node:buffer'
import { cell, endsStep, type Steps } from '../../../core/index.ts'
import { type ProtoReader, wireType } from '../../../core/wire/index.ts'
import type { Push } from './push.ts'

const pair = { name: 1, value: 2 } as const

/** The letter behind the backslash, by escaped byte. */
const short: Readonly<Record<number, number>> = {
  [0x22]: 0x22,
  [0x5c]: 0x5c,
  [0x08]: 0x62,
  [0x0c]: 0x66,
  [0x0a]: 0x6e,
  [0x0d]: 0x72,
  [0x09]: 0x74
}
const hexDigits = Buffer.from('0123456789abcdef')
/** Maximum bytes of an escaped byte. */
const maxEscapedBytes = 6
/** Numbers stored per pair: start and end of its name and value. */
const bounds = 4
/** Among so many pairs a name is found by comparing; among more by a map. */
const fewPairs = 32
/** Rows of one step. */
const stepRows = 1 << 14

/** Collects the pairs of one entry after the other. */
export class MetadataWriter {
  readonly #push: Push
  readonly #bytes: Uint8Array
  #out: Uint8Array = new Uint8Array(4096)
  #length = 0
  /** Bounds of the current entry's pairs in the request. */
  readonly #pairs: number[] = []
  /** Offsets in `#pairs` of those behind the first few, by name. */
  readonly #others = new Map<string, number>()

  constructor(push: Push, bytes: Uint8Array) {
    this.#push = push
    this.#bytes = bytes
  }

  begin(): void {
    this.#pairs.length = 0
    this.#others.clear()
  }

  /** Pairs of the current entry. */
  get count(): number {
    return this.#pairs.length / bounds
  }

  /** Reads a pair that ends at `end`. */
  read(reader: ProtoReader, end: number): void {
    const found = [0, 0, 0, 0]
    while (reader.at < end && reader.next()) {
      if (reader.field === pair.name || reader.field === pair.value) {
        reader.expect(wireType.bytes)
        const at = reader.field === pair.name ? 0 : 2
        found[at] = reader.pass()
        found[at + 1] = reader.at
      } else reader.skip()
    }
    if (reader.at !== end) throw reader.error('a field goes beyond its message')
    const offset = this.#find(found[0]!, found[1]!)
    for (let i = 0; i < bounds; i++) this.#pairs[offset + i] = found[i]!
  }

  /** Assigns the pairs read to the row. Offsets are relative until `finish`. */
  end(row: number): void {
    const pairs = this.#pairs
    if (pairs.length === 0) return
    const start = this.#length
    for (let i = 0; i < pairs.length; i += bounds) {
      this.#put(i === 0 ? 0x7b : 0x2c)
      this.#write(pairs[i]!, pairs[i + 1]!)
      this.#put(0x3a)
      this.#write(pairs[i + 2]!, pairs[i + 3]!)
    }
    this.#put(0x7d)
    this.#push.metadata.setRange(row, start, this.#length)
  }

  /** Appends all objects to the bytes of the batch. */
  *finish(): Steps<void> {
    if (this.#length === 0) return
    const { batch, metadata } = this.#push
    const base = batch.append(this.#out.subarray(0, this.#length))
    const { kinds, words } = metadata
    for (let row = 0; row < batch.rows; row++) {
      if (endsStep(row, stepRows)) yield
      if (kinds[row] !== cell.string) continue
      words[row * 2]! += base
      words[row * 2 + 1]! += base
    }
  }

  /** The offset of the pair with this name, or the end: of equal names the last one counts. */
  #find(start: number, end: number): number {
    const pairs = this.#pairs
    const few = Math.min(pairs.length, fewPairs * bounds)
    for (let i = 0; i < few; i += bounds) {
      const other = pairs[i]!
      if (pairs[i + 1]! - other !== end - start) continue
      let at = start
      while (at < end && this.#bytes[at] === this.#bytes[other + at - start]) at++
      if (at === end) return i
    }
    if (pairs.length < fewPairs * bounds) return pairs.length
    const name = Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + start, end - start).toString('latin1')
    const known = this.#others.get(name)
    if (known === undefined) this.#others.set(name, pairs.length)
    return known ?? pairs.length
  }

  #put(byte: number): void {
    if (this.#length === this.#out.length) this.#grow(1)
    this.#out[this.#length++] = byte
  }

  /** Writes a quoted text of the request; invalid UTF-8 is replaced. */
  #write(start: number, end: number): void {
    const bytes = this.#bytes
    let high = 0
    for (let at = start; at < end; at++) high |= bytes[at]!
    if (high < 0x80 || isUtf8(bytes.subarray(start, end))) this.#writeText(bytes, start, end)
    else {
      this.#push.dropped.utf8++
      const replaced = Buffer.from(Buffer.from(bytes.subarray(start, end)).toString())
      this.#writeText(replaced, 0, replaced.length)
    }
  }

  #writeText(bytes: Uint8Array, start: number, end: number): void {
    let max = end - start + 2
    for (let at = start; at < end; at++) if (isEscaped(bytes[at]!)) max += maxEscapedBytes - 1
    if (this.#length + max > this.#out.length) this.#grow(max)
    const out = this.#out
    let to = this.#length
    out[to++] = 0x22
    for (let at = start; at < end; at++) {
      const byte = bytes[at]!
      if (!isEscaped(byte)) out[to++] = byte
      else to = writeEscape(out, to, byte)
    }
    out[to++] = 0x22
    this.#length = to
  }

  #grow(more: number): void {
    const grown = new Uint8Array(Math.max(this.#out.length * 2, this.#length + more))
    grown.set(this.#out.subarray(0, this.#length))
    this.#out = grown
  }
}

function isEscaped(byte: number): boolean {
  return byte < 0x20 || byte === 0x22 || byte === 0x5c
}

function writeEscape(out: Uint8Array, start: number, byte: number): number {
  let at = start
  out[at++] = 0x5c
  const letter = short[byte]
  if (letter !== undefined) out[at++] = letter
  else {
    out[at++] = 0x75
    out[at++] = 0x30
    out[at++] = 0x30
    out[at++] = hexDigits[byte >> 4]!
    out[at++] = hexDigits[byte & 15]!
  }
  return at
}
