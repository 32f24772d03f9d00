// Structured metadata of protobuf entries as the text of JSON objects.
import { isUtf8 } from 'node:buffer'
import { type ProtoReader, wireType } from '../../core/index.ts'
import type { Push } from './push.ts'

const pair = { name: 1, value: 2 } as const

/** What an escape is behind the backslash, by byte. */
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
/** Bytes a byte takes at most once it is escaped. */
const widest = 6

/** Collects the pairs of one entry after the other. */
export class MetadataWriter {
  readonly #push: Push
  #out: Uint8Array = new Uint8Array(1024)
  #length = 0
  /** Bounds of the names so far, to leave out all but the last of equal ones. */
  readonly #pairs: { readonly name: Uint8Array; readonly value: Uint8Array }[] = []

  constructor(push: Push) {
    this.#push = push
  }

  begin(): void {
    this.#pairs.length = 0
  }

  /** Reads one pair up to where it ends. */
  read(reader: ProtoReader, end: number): void {
    let name: Uint8Array = empty
    let value: Uint8Array = empty
    while (reader.at < end && reader.next()) {
      if (reader.field === pair.name) name = this.#text(reader)
      else if (reader.field === pair.value) value = this.#text(reader)
      else reader.skip()
    }
    if (reader.at !== end) throw reader.error('a field goes beyond its message')
    const known = this.#pairs.findIndex(other => Buffer.compare(other.name, name) === 0)
    if (known >= 0) this.#pairs[known] = { name, value }
    else this.#pairs.push({ name, value })
  }

  /** Puts what was read into the row. */
  finish(row: number): void {
    const pairs = this.#pairs
    if (pairs.length === 0) return
    this.#length = 0
    for (const [i, { name, value }] of pairs.entries()) {
      this.#put(i === 0 ? 0x7b : 0x2c)
      this.#write(name)
      this.#put(0x3a)
      this.#write(value)
    }
    this.#put(0x7d)
    const { batch, metadata } = this.#push
    const start = batch.append(this.#out.subarray(0, this.#length))
    metadata.setRange(row, start, start + this.#length)
  }

  #text(reader: ProtoReader): Uint8Array {
    reader.expect(wireType.bytes)
    const data = reader.data()
    if (isUtf8(data)) return data
    this.#push.dropped.utf8++
    return Buffer.from(Buffer.from(data).toString())
  }

  #put(byte: number): void {
    this.#reserve(1)
    this.#out[this.#length++] = byte
  }

  #write(text: Uint8Array): void {
    this.#reserve(text.length * widest + 2)
    const out = this.#out
    let at = this.#length
    out[at++] = 0x22
    for (let i = 0; i < text.length; i++) {
      const byte = text[i]!
      if (byte >= 0x20 && byte !== 0x22 && byte !== 0x5c) out[at++] = byte
      else at = writeEscape(out, at, byte)
    }
    out[at++] = 0x22
    this.#length = at
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#out.length) return
    const grown = new Uint8Array(Math.max(this.#out.length * 2, this.#length + more))
    grown.set(this.#out.subarray(0, this.#length))
    this.#out = grown
  }
}

const empty = new Uint8Array()

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
