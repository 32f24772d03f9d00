// Attributes of spans, scopes or resources, grouped by key: offsets or bits per value, without an object per value.

import { isUtf8 } from 'node:buffer'
import type { ProtoReader } from '../../../core/wire/index.ts'
import { notUtf8 } from '../column/growing-bytes.ts'
import { hashBytes } from '../column/hash.ts'
import { AnyValue, KeyValue } from '../wire/any-value.ts'
import { anyValue } from '../wire/field.ts'
import { Ranges } from '../wire/ranges.ts'

/** Bits of `AttributeColumn.seen`. */
export const kindBit = {
  text: 1 << anyValue.text,
  bool: 1 << anyValue.bool,
  int: 1 << anyValue.int,
  double: 1 << anyValue.double,
  array: 1 << anyValue.array,
  map: 1 << anyValue.map,
  bytes: 1 << anyValue.bytes
} as const

/** The values of one key. */
export class AttributeColumn {
  readonly key: string
  readonly bytes: Uint8Array
  /** The owner of each value, ascending. */
  owners: Uint32Array<ArrayBuffer>
  kinds: Uint8Array<ArrayBuffer>
  /** Two words per value: start and end of a text, of bytes, or of the AnyValue of an array or map; or the 64 bits of a number. */
  words: Int32Array<ArrayBuffer>
  count = 0
  /** Bits of the kinds that occur. */
  seen = 0
  /** The key that followed it last time. */
  next: AttributeColumn | undefined
  /** The next key with the same hash. */
  readonly alike: AttributeColumn | undefined

  constructor(bytes: Uint8Array, alike: AttributeColumn | undefined, capacity: number) {
    this.owners = new Uint32Array(capacity)
    this.kinds = new Uint8Array(capacity)
    this.words = new Int32Array(2 * capacity)
    this.bytes = bytes
    this.key = Buffer.from(bytes).toString()
    this.alike = alike
  }

  /** Of two values with the same owner the later one counts. */
  add(owner: number, kind: number, first: number, second: number): void {
    let i = this.count
    if (i > 0 && this.owners[i - 1] === owner) i--
    else {
      if (i === this.owners.length) this.#grow()
      this.count++
    }
    this.owners[i] = owner
    this.kinds[i] = kind
    this.words[2 * i] = first
    this.words[2 * i + 1] = second
    this.seen |= 1 << kind
  }

  #grow(): void {
    const { owners, kinds, words } = this
    this.owners = new Uint32Array(owners.length * 2)
    this.owners.set(owners)
    this.kinds = new Uint8Array(kinds.length * 2)
    this.kinds.set(kinds)
    this.words = new Int32Array(words.length * 2)
    this.words.set(words)
  }
}

/** Maximum initial capacity of a key. */
const maxInitialCapacity = 1024

/** All attributes of one level. Values that are not set are left out. */
export class Attributes {
  readonly columns: AttributeColumn[] = []
  /** KeyValues whose key is beyond the limit. */
  readonly rest = new Ranges()
  readonly #maxKeys: number
  readonly #capacity: number
  readonly #byHash = new Map<number, AttributeColumn>()
  readonly #pair = new KeyValue()
  readonly #value = new AnyValue()
  readonly #double = new Float64Array(1)
  readonly #doubleWords = new Int32Array(this.#double.buffer)
  /** The first key of the previous owner, and the previous key: senders repeat their order. */
  #first: AttributeColumn | undefined
  #last: AttributeColumn | undefined
  #owner = -1

  /** The key `known` always gets a column. */
  constructor(owners: number, maxKeys: number, known?: string) {
    this.#maxKeys = maxKeys
    this.#capacity = Math.max(1, Math.min(owners, maxInitialCapacity))
    if (known === undefined) return
    this.#maxKeys++
    this.#find(Buffer.from(known), 0, Buffer.byteLength(known))
  }

  /** Reads the KeyValue in the reader's field. Throws DbError `InvalidArguments` if it is invalid. */
  read(reader: ProtoReader, owner: number): void {
    const before = reader.at
    const start = reader.pass()
    const end = reader.at
    const { bytes } = reader
    // The usual encoding: key, then value, both shorter than 128 bytes.
    const keyEnd = start + 2 + bytes[start + 1]!
    const usual = bytes[start] === 0x0a && bytes[start + 1]! < 128 && keyEnd + 1 < end && bytes[keyEnd] === 0x12
    if (usual && bytes[keyEnd + 1]! < 128 && keyEnd + 2 + bytes[keyEnd + 1]! === end) {
      if (this.#readUsual(reader, owner, start, keyEnd, end)) return
    }
    reader.at = before
    this.#readAny(reader, owner, start, end)
  }

  /** False if the value is not short. */
  #readUsual(reader: ProtoReader, owner: number, start: number, keyEnd: number, end: number): boolean {
    const { bytes, view } = reader
    const at = keyEnd + 2
    if (at === end) return true
    let first: number
    let second: number
    switch (bytes[at]) {
      case 0x0a:
        if (bytes[at + 1]! > 127 || at + 2 + bytes[at + 1]! !== end) return false
        first = at + 2
        second = end
        break
      case 0x10:
      case 0x18:
        if (bytes[at + 1]! < 128 && at + 2 === end) first = bytes[at + 1]!
        else if (bytes[at + 2]! < 128 && at + 3 === end) first = (bytes[at + 1]! & 127) | (bytes[at + 2]! << 7)
        else return false
        second = 0
        break
      case 0x21:
        if (at + 9 !== end) return false
        first = view.getInt32(at + 1, true)
        second = view.getInt32(at + 5, true)
        break
      default:
        return false
    }
    this.#add(bytes, owner, start, end, start + 2, keyEnd, bytes[at]! >> 3, first, second)
    return true
  }

  #readAny(reader: ProtoReader, owner: number, start: number, end: number): void {
    const pair = this.#pair
    const value = this.#value
    pair.read(reader)
    value.read(reader, pair.valueStart, pair.valueEnd)
    let first = pair.valueStart
    let second = pair.valueEnd
    if (value.kind === anyValue.none) return
    if (value.kind === anyValue.bool) {
      first = value.bool ? 1 : 0
    } else if (value.kind === anyValue.int) {
      first = Number(BigInt.asIntN(32, value.int))
      second = Number(BigInt.asIntN(32, value.int >> 32n))
    } else if (value.kind === anyValue.double) {
      this.#double[0] = value.double
      first = this.#doubleWords[0]!
      second = this.#doubleWords[1]!
    } else if (value.kind === anyValue.text || value.kind === anyValue.bytes) {
      first = value.start
      second = value.end
    }
    this.#add(reader.bytes, owner, start, end, pair.keyStart, pair.keyEnd, value.kind, first, second)
  }

  #add(
    bytes: Uint8Array,
    owner: number,
    start: number,
    end: number,
    keyStart: number,
    keyEnd: number,
    kind: number,
    first: number,
    second: number
  ): void {
    const isFirst = owner !== this.#owner
    const guess = isFirst ? this.#first : this.#last?.next
    const column =
      guess !== undefined && isKey(guess.bytes, bytes, keyStart, keyEnd) ? guess : this.#find(bytes, keyStart, keyEnd)
    if (column === undefined) {
      this.rest.add(owner, start, end)
      return
    }
    if (column !== guess) {
      if (isFirst) this.#first = column
      else if (this.#last !== undefined) this.#last.next = column
    }
    this.#owner = owner
    this.#last = column
    column.add(owner, kind, first, second)
  }

  /** The column of a key, which may be new; undefined beyond the limit. */
  #find(bytes: Uint8Array, start: number, end: number): AttributeColumn | undefined {
    const hash = hashBytes(bytes, start, end)
    const found = this.#byHash.get(hash)
    for (let column = found; column !== undefined; column = column.alike) {
      if (isKey(column.bytes, bytes, start, end)) return column
    }
    if (this.columns.length >= this.#maxKeys) return undefined
    const key = bytes.slice(start, end)
    if (!isUtf8(key)) throw notUtf8(start)
    const column = new AttributeColumn(key, found, this.#capacity)
    this.#byHash.set(hash, column)
    this.columns.push(column)
    return column
  }
}

function isKey(key: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (key.length !== end - start) return false
  for (let i = 0; i < key.length; i++) if (key[i] !== bytes[start + i]) return false
  return true
}
