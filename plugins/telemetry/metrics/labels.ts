// Attributes as labels: every value becomes text, such that different values stay different.

import { isUtf8 } from 'node:buffer'
import { DbError, type SeriesLabel } from '../../../core/index.ts'
import type { ProtoReader } from '../../../core/wire/index.ts'
import { GrowingBytes } from '../column/growing-bytes.ts'
import { AnyValue, KeyValue } from '../wire/any-value.ts'
import { anyValue } from '../wire/field.ts'
import { findField } from '../wire/find-field.ts'
import { JsonText } from '../wire/json-text.ts'
import { translateLabel } from './name.ts'
import { plainDecimal } from './number.ts'
import type { Strategy } from './policy.ts'

/** Values in UTF-8 by name; empty values are left out. */
export type Labels = Map<string, Uint8Array>

const separator = Buffer.from(';')

/** Reads attributes of messages. Keeps no state between calls, so that all requests share one. */
export class AttributeReader {
  readonly #pair = new KeyValue()
  readonly #value = new AnyValue()

  /** Hands over each attribute in one field of the message between two offsets. The position of the reader does not change. */
  each(
    reader: ProtoReader,
    start: number,
    end: number,
    field: number,
    take: (key: string, value: Uint8Array) => void
  ): void {
    const { at, end: outer } = reader
    const pair = this.#pair
    reader.seek(start, end)
    while (findField(reader, field)) {
      pair.read(reader)
      const { keyStart, keyEnd, valueStart, valueEnd } = pair
      take(textOf(reader.bytes, keyStart, keyEnd), this.#text(reader, valueStart, valueEnd))
    }
    reader.seek(at, outer)
  }

  /** A value as text: numbers in decimals, bytes in base64, arrays and maps as JSON. */
  #text(reader: ProtoReader, start: number, end: number): Uint8Array {
    const value = this.#value
    value.read(reader, start, end)
    switch (value.kind) {
      case anyValue.none:
        return new Uint8Array()
      case anyValue.text:
        return checked(reader.bytes.subarray(value.start, value.end))
      case anyValue.bool:
        return Buffer.from(String(value.bool))
      case anyValue.int:
        return Buffer.from(String(value.int))
      case anyValue.double:
        return Buffer.from(plainDecimal(value.double))
      case anyValue.bytes:
        return Buffer.from(Buffer.from(reader.bytes.subarray(value.start, value.end)).toString('base64'))
      default: {
        const out = new GrowingBytes(256)
        new JsonText(out).value(reader, start, end)
        return out.bytes.subarray(0, out.length)
      }
    }
  }
}

/** Largest bytes of the joined values of one label. The limit bounds the time of joining. */
const maxJoined = 1 << 16

/** Adds a label. Values of attributes whose translated names are equal are joined. Throws DbError `InvalidArguments` where they are too long. */
export function addLabel(labels: Labels, attribute: string, value: Uint8Array, strategy: Strategy): void {
  if (value.length === 0) return
  const name = translateLabel(attribute, strategy)
  const before = labels.get(name)
  if (before !== undefined && before.length + value.length > maxJoined) {
    throw new DbError('InvalidArguments', `attributes that become the label ${name} take more than ${maxJoined} bytes`)
  }
  labels.set(name, before === undefined ? value : Buffer.concat([before, separator, value]))
}

export function labelsOf(labels: Labels): SeriesLabel[] {
  return Array.from(labels, ([name, value]) => ({ name, value }))
}

/** Throws DbError `InvalidArguments` where it is not valid UTF-8. */
export function textOf(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(checked(bytes.subarray(start, end))).toString()
}

function checked(text: Uint8Array): Uint8Array {
  if (!isUtf8(text)) throw new DbError('InvalidArguments', 'the name or the value of an attribute is not valid UTF-8')
  return text
}
