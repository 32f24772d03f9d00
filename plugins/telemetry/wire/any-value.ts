// Reads OTLP attributes (KeyValue, AnyValue) as byte ranges, without an object per attribute.
import type { ProtoReader } from '../../../core/wire/index.ts'
import { anyValue, keyValue } from './field.ts'

/** Largest nesting of arrays and maps. */
export const maxLevels = 100

/** Byte ranges of a key and its value; one object is reused for all attributes. */
export class KeyValue {
  keyStart = 0
  keyEnd = 0
  valueStart = 0
  valueEnd = 0

  /** Reads the message in the reader's field and leaves the reader behind it. */
  read(reader: ProtoReader): void {
    const outer = reader.enter()
    this.#readFields(reader)
    reader.leave(outer)
  }

  /** Reads the message between two offsets, and leaves the reader at its end. */
  seek(reader: ProtoReader, start: number, end: number): void {
    reader.seek(start, end)
    this.#readFields(reader)
  }

  #readFields(reader: ProtoReader): void {
    this.keyStart = this.keyEnd = this.valueStart = this.valueEnd = 0
    while (reader.next()) {
      if (reader.field === keyValue.key) {
        this.keyStart = reader.pass()
        this.keyEnd = reader.at
      } else if (reader.field === keyValue.value) {
        this.valueStart = reader.pass()
        this.valueEnd = reader.at
      } else reader.skip()
    }
  }
}

/** A value of any kind; one object is reused for all values. */
export class AnyValue {
  /** One of `anyValue`; `none` where nothing is set. */
  kind = 0
  /** The bytes of a text, of bytes, or of the message with the members of an array or a map. */
  start = 0
  end = 0
  /** Of an integer: its 64 bits. */
  int = 0n
  double = 0
  bool = false

  /** Reads the message between two offsets. The position of the reader does not change. Of several kinds the last counts. */
  read(reader: ProtoReader, start: number, end: number): void {
    const { at, end: outer } = reader
    this.kind = anyValue.none
    reader.seek(start, end)
    while (reader.next()) this.#readField(reader)
    reader.seek(at, outer)
  }

  #readField(reader: ProtoReader): void {
    switch (reader.field) {
      case anyValue.bool:
        reader.expect(0)
        this.bool = reader.uint() !== 0
        break
      case anyValue.int:
        reader.expect(0)
        this.int = reader.int64()
        break
      case anyValue.double:
        reader.expect(1)
        this.double = reader.double()
        break
      case anyValue.text:
      case anyValue.array:
      case anyValue.map:
      case anyValue.bytes:
        this.start = reader.pass()
        this.end = reader.at
        break
      default:
        reader.skip()
        return
    }
    this.kind = reader.field
  }
}
