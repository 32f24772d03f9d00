// Values and attributes as JSON text, from bytes to bytes.

import { isUtf8 } from 'node:buffer'
import { DbError, writeJsonFloat } from '../../../core/index.ts'
import type { ProtoReader } from '../../../core/wire/index.ts'
import { type GrowingBytes, notUtf8 } from '../column/growing-bytes.ts'
import { AnyValue, KeyValue, maxLevels } from './any-value.ts'
import { anyValue } from './field.ts'

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a] as const

/** Writes JSON behind what is in its bytes. Integers stay integers, bytes become base64, NaN and infinities become strings. */
export class JsonText {
  readonly out: GrowingBytes
  readonly #pairs: KeyValue[] = []
  readonly #values: AnyValue[] = []

  constructor(out: GrowingBytes) {
    this.out = out
  }

  /** The AnyValue between two offsets. The position of the reader does not change. */
  value(reader: ProtoReader, start: number, end: number, level = 0): void {
    if (level > maxLevels) throw tooDeep()
    const value = slot(this.#values, level, AnyValue)
    value.read(reader, start, end)
    const { out } = this
    switch (value.kind) {
      case anyValue.text:
        this.string(reader.bytes, value.start, value.end)
        break
      case anyValue.bool:
        out.ascii(value.bool ? 'true' : 'false')
        break
      case anyValue.int:
        out.ascii(String(value.int))
        break
      case anyValue.double:
        out.ascii(Number.isFinite(value.double) ? writeJsonFloat(value.double) : `"${value.double}"`)
        break
      case anyValue.array:
        this.#array(reader, value.start, value.end, level)
        break
      case anyValue.map:
        this.members(reader, value.start, value.end, 1, level)
        break
      case anyValue.bytes:
        out.ascii(`"${Buffer.from(reader.bytes.subarray(value.start, value.end)).toString('base64')}"`)
        break
      default:
        out.ascii('null')
    }
  }

  /** The KeyValues in one field of the message between two offsets, as an object. */
  members(reader: ProtoReader, start: number, end: number, field: number, level = 0): void {
    const { at, end: outer } = reader
    const { out } = this
    const pair = slot(this.#pairs, level, KeyValue)
    let separator = 0x7b
    reader.seek(start, end)
    while (reader.next()) {
      if (reader.field !== field) {
        reader.skip()
        continue
      }
      out.put(separator)
      separator = comma
      this.#member(reader, pair, level)
    }
    if (separator !== comma) out.put(separator)
    out.put(0x7d)
    reader.seek(at, outer)
  }

  /** The KeyValue in the reader's field as a member of an object whose brackets and commas are the caller's. */
  member(reader: ProtoReader): void {
    this.#member(reader, slot(this.#pairs, 0, KeyValue), 0)
  }

  /** A text with its quotes. Throws DbError `InvalidArguments` where it is not valid UTF-8. */
  string(from: Uint8Array, start: number, end: number): void {
    const { out } = this
    out.reserve(end - start + 2)
    let { bytes, length } = out
    bytes[length++] = quote
    let high = 0
    for (let i = start; i < end; i++) {
      const byte = from[i]!
      high |= byte
      if (byte >= 0x20 && byte !== quote && byte !== backslash) {
        bytes[length++] = byte
        continue
      }
      out.length = length
      out.reserve(end - i + 8)
      out.ascii(escaped(byte))
      bytes = out.bytes
      length = out.length
    }
    if (high > 127 && !isUtf8(from.subarray(start, end))) throw notUtf8(start)
    bytes[length++] = quote
    out.length = length
  }

  #member(reader: ProtoReader, pair: KeyValue, level: number): void {
    pair.read(reader)
    const { keyStart, keyEnd, valueStart, valueEnd } = pair
    this.string(reader.bytes, keyStart, keyEnd)
    this.out.put(colon)
    this.value(reader, valueStart, valueEnd, level + 1)
  }

  #array(reader: ProtoReader, start: number, end: number, level: number): void {
    const { at, end: outer } = reader
    const { out } = this
    let separator = 0x5b
    reader.seek(start, end)
    while (reader.next()) {
      if (reader.field !== 1) {
        reader.skip()
        continue
      }
      const from = reader.pass()
      out.put(separator)
      separator = comma
      this.value(reader, from, reader.at, level + 1)
    }
    if (separator !== comma) out.put(separator)
    out.put(0x5d)
    reader.seek(at, outer)
  }
}

function escaped(byte: number): string {
  switch (byte) {
    case quote:
      return '\\"'
    case backslash:
      return '\\\\'
    case 0x0a:
      return '\\n'
    case 0x0d:
      return '\\r'
    case 0x09:
      return '\\t'
    default:
      return `\\u${byte.toString(16).padStart(4, '0')}`
  }
}

function tooDeep(): DbError {
  return new DbError('InvalidArguments', `a value is nested deeper than ${maxLevels} levels`)
}

/** The reusable object of a nesting level, created on first use. */
function slot<T>(objects: T[], level: number, Kind: new () => T): T {
  const known = objects[level] ?? new Kind()
  objects[level] = known
  return known
}
