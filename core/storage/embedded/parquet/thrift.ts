// Thrift's compact protocol: the metadata of Parquet as trees of numbered fields.
import type { Output } from './output.ts'
import { ParquetError } from './types.ts'

const Kind = {
  true: 1,
  false: 2,
  byte: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  binary: 8,
  list: 9,
  set: 10,
  map: 11,
  struct: 12
} as const

const maxDepth = 32

type ThriftStruct = ReadonlyMap<number, ThriftValue>
type ThriftValue = number | boolean | Uint8Array | ThriftStruct | readonly ThriftValue[]

/** A field to write. `kind` is that of the value; the elements of a list are of kind `element`. */
export interface Field {
  readonly id: number
  readonly kind: number
  readonly value: number | boolean | Uint8Array | readonly Field[] | readonly FieldElement[]
  readonly element?: number
}

type FieldElement = number | boolean | Uint8Array | readonly Field[]

export function i32(id: number, value: number): Field {
  return { id, kind: Kind.i32, value }
}

export function i8(id: number, value: number): Field {
  return { id, kind: Kind.byte, value }
}

export function i64(id: number, value: number): Field {
  return { id, kind: Kind.i64, value }
}

export function bool(id: number, value: boolean): Field {
  return { id, kind: value ? Kind.true : Kind.false, value }
}

export function binary(id: number, value: Uint8Array | string): Field {
  return { id, kind: Kind.binary, value: typeof value === 'string' ? Buffer.from(value) : value }
}

export function struct(id: number, ...value: readonly Field[]): Field {
  return { id, kind: Kind.struct, value }
}

export function structs(id: number, value: readonly (readonly Field[])[]): Field {
  return { id, kind: Kind.list, element: Kind.struct, value }
}

export function binaries(id: number, value: readonly Uint8Array[]): Field {
  return { id, kind: Kind.list, element: Kind.binary, value }
}

export function i32s(id: number, value: readonly number[]): Field {
  return { id, kind: Kind.list, element: Kind.i32, value }
}

export function i64s(id: number, value: readonly number[]): Field {
  return { id, kind: Kind.list, element: Kind.i64, value }
}

export function bools(id: number, value: readonly boolean[]): Field {
  return { id, kind: Kind.list, element: Kind.true, value }
}

/** Fields must be in the order of their numbers. */
export function writeStruct(out: Output, fields: readonly Field[]): void {
  let last = 0
  for (const { id, kind, value, element } of fields) {
    if (id - last <= 15) out.byte(((id - last) << 4) | kind)
    else {
      out.byte(kind)
      writeInteger(out, id)
    }
    last = id
    if (kind === Kind.true || kind === Kind.false) continue
    if (kind === Kind.list) writeList(out, element!, value as readonly FieldElement[])
    else writeValue(out, kind, value as FieldElement)
  }
  out.byte(0)
}

function writeList(out: Output, kind: number, values: readonly FieldElement[]): void {
  if (values.length < 15) out.byte((values.length << 4) | kind)
  else {
    out.byte(0xf0 | kind)
    out.varint(values.length)
  }
  for (const value of values) writeValue(out, kind, value)
}

function writeValue(out: Output, kind: number, value: FieldElement): void {
  if (kind === Kind.struct) writeStruct(out, value as readonly Field[])
  else if (kind === Kind.binary) {
    out.varint((value as Uint8Array).length)
    out.raw(value as Uint8Array)
  } else if (kind === Kind.true) out.byte(value === true ? Kind.true : Kind.false)
  else if (kind === Kind.byte) out.byte(value as number)
  else writeInteger(out, value as number)
}

/** Zigzag of an integer within ±2^52. */
function writeInteger(out: Output, value: number): void {
  out.varint(value < 0 ? -2 * value - 1 : 2 * value)
}

/** Reads metadata; `base` is the offset in the file of the first byte, for messages. */
export class ThriftReader {
  readonly #bytes: Uint8Array
  readonly #base: number
  at: number

  constructor(bytes: Uint8Array, base: number, at = 0) {
    this.#bytes = bytes
    this.#base = base
    this.at = at
  }

  struct(depth = 0): ThriftStruct {
    if (depth > maxDepth) throw this.#damaged('metadata is nested too deeply')
    const fields = new Map<number, ThriftValue>()
    let id = 0
    for (;;) {
      const head = this.#byte()
      if (head === 0) return fields
      id = head >> 4 === 0 ? this.#integer() : id + (head >> 4)
      fields.set(id, this.#value(head & 15, depth, false))
    }
  }

  #value(kind: number, depth: number, inList: boolean): ThriftValue {
    switch (kind) {
      case Kind.true:
      case Kind.false:
        return inList ? this.#byte() === Kind.true : kind === Kind.true
      case Kind.byte:
        return (this.#byte() << 24) >> 24
      case Kind.i16:
      case Kind.i32:
      case Kind.i64:
        return this.#integer()
      case Kind.double:
        return this.#take(8)
      case Kind.binary:
        return this.#take(this.#varint())
      case Kind.list:
      case Kind.set:
        return this.#list(depth)
      case Kind.map:
        return this.#map(depth)
      case Kind.struct:
        return this.struct(depth + 1)
      default:
        throw this.#damaged(`metadata has a field of the unknown type ${kind}`)
    }
  }

  #list(depth: number): ThriftValue[] {
    if (depth > maxDepth) throw this.#damaged('metadata is nested too deeply')
    const head = this.#byte()
    const size = head >> 4 === 15 ? this.#varint() : head >> 4
    // Every element takes a byte at least.
    if (size > this.#bytes.length - this.at) throw this.#damaged(`metadata announces a list of ${size} elements`)
    const values: ThriftValue[] = []
    for (let i = 0; i < size; i++) values.push(this.#value(head & 15, depth + 1, true))
    return values
  }

  /** Nothing in Parquet is a map: read to get past it. */
  #map(depth: number): ThriftValue[] {
    if (depth > maxDepth) throw this.#damaged('metadata is nested too deeply')
    const size = this.#varint()
    if (size === 0) return []
    if (size > this.#bytes.length - this.at) throw this.#damaged(`metadata announces a map of ${size} entries`)
    const kinds = this.#byte()
    for (let i = 0; i < size; i++) {
      this.#value(kinds >> 4, depth + 1, true)
      this.#value(kinds & 15, depth + 1, true)
    }
    return []
  }

  #byte(): number {
    const byte = this.#bytes[this.at]
    if (byte === undefined) throw this.#damaged('metadata ends early')
    this.at++
    return byte
  }

  #take(length: number): Uint8Array {
    if (length > this.#bytes.length - this.at) throw this.#damaged(`metadata announces ${length} bytes of a value`)
    this.at += length
    return this.#bytes.subarray(this.at - length, this.at)
  }

  #varint(): number {
    let value = 0
    for (let scale = 1, i = 0; i < 10; i++, scale *= 128) {
      const byte = this.#byte()
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
    throw this.#damaged('metadata has a number without end')
  }

  /** Exact within ±2^52; nothing Parquet counts is beyond. */
  #integer(): number {
    const value = this.#varint()
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }

  #damaged(reason: string): ParquetError {
    return new ParquetError(reason, this.#base + this.at)
  }
}

/** The fields of one struct, with messages that name what is missing. */
export class Fields {
  readonly #struct: ThriftStruct
  readonly #what: string
  readonly at: number

  constructor(struct: ThriftStruct, what: string, at: number) {
    this.#struct = struct
    this.#what = what
    this.at = at
  }

  has(id: number): boolean {
    return this.#struct.has(id)
  }

  number(id: number, name: string): number {
    const value = this.maybeNumber(id, name)
    if (value === undefined) throw this.damaged(`has no ${name}`)
    return value
  }

  maybeNumber(id: number, name: string): number | undefined {
    const value = this.#struct.get(id)
    if (value !== undefined && (typeof value !== 'number' || !Number.isSafeInteger(value)))
      throw this.damaged(`has a ${name} that is not a number`)
    return value
  }

  /** An offset, a length or a count. */
  size(id: number, name: string): number {
    const value = this.maybeSize(id, name)
    if (value === undefined) throw this.damaged(`has no ${name}`)
    return value
  }

  maybeSize(id: number, name: string): number | undefined {
    const value = this.maybeNumber(id, name)
    if (value !== undefined && value < 0) throw this.damaged(`has the ${name} ${value}`)
    return value
  }

  flag(id: number): boolean | undefined {
    const value = this.#struct.get(id)
    return typeof value === 'boolean' ? value : undefined
  }

  bytes(id: number): Uint8Array | undefined {
    const value = this.#struct.get(id)
    return value instanceof Uint8Array ? value : undefined
  }

  text(id: number, name: string): string {
    const value = this.#struct.get(id)
    if (!(value instanceof Uint8Array)) throw this.damaged(`has no ${name}`)
    return Buffer.from(value.buffer, value.byteOffset, value.length).toString()
  }

  struct(id: number, name: string): Fields {
    const value = this.maybeStruct(id, name)
    if (value === undefined) throw this.damaged(`has no ${name}`)
    return value
  }

  maybeStruct(id: number, name: string): Fields | undefined {
    const value = this.#struct.get(id)
    if (value === undefined) return undefined
    if (!(value instanceof Map)) throw this.damaged(`has a ${name} that is not a struct`)
    return new Fields(value as ThriftStruct, name, this.at)
  }

  list(id: number, name: string): readonly ThriftValue[] {
    const value = this.#struct.get(id)
    if (!Array.isArray(value)) throw this.damaged(`has no ${name}`)
    return value as readonly ThriftValue[]
  }

  structs(id: number, name: string): Fields[] {
    return this.list(id, name).map(value => {
      if (!(value instanceof Map)) throw this.damaged(`has ${name} that are no structs`)
      return new Fields(value as ThriftStruct, name, this.at)
    })
  }

  damaged(reason: string): ParquetError {
    return new ParquetError(`${this.#what} ${reason}`, this.at)
  }
}
