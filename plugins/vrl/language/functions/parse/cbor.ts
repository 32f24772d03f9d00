// Reading CBOR: RFC 8949.
import { maxDepth } from '../../bounds.ts'
import { type Context, checkItems, step } from '../../context.ts'
import { type FunctionSpec, fail } from '../../function.ts'
import { kinds } from '../../kind.ts'
import { displayValue } from '../../text.ts'
import { fromBytes, isText, lossy, type Text, toBytes, type Value } from '../../value.ts'

export const cborParser: FunctionSpec = {
  name: 'parse_cbor',
  summary: 'Reads one CBOR document; tags are passed over.',
  params: [{ name: 'value', kind: kinds.string }],
  returns: kinds.json,
  fallible: true,
  prepare:
    ({ context }) =>
    (value: Text) => {
      const bytes = toBytes(value)
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      return readItem({ context, bytes, view, at: 0 }, 0)
    },
  examples: [
    { title: 'A number', source: 'parse_cbor!("\\u{18}\\u{2a}")', result: '42' },
    { title: 'Cut off', source: 'parse_cbor!("\\u{18}")', raises: 'unable to parse cbor: it ends too early' }
  ]
}

interface Reader {
  readonly context: Context
  readonly bytes: Uint8Array
  readonly view: DataView
  at: number
}

function broken(why: string) {
  return fail(`unable to parse cbor: ${why}`)
}

function take(reader: Reader, length: number): number {
  const { at } = reader
  if (at + length > reader.bytes.length) throw broken('it ends too early')
  reader.at = at + length
  return at
}

function readItem(reader: Reader, depth: number): Value {
  step(reader.context)
  if (depth > maxDepth) throw broken(`it is nested deeper than ${maxDepth} levels`)
  const head = reader.bytes[take(reader, 1)]!
  const major = head >> 5
  const info = head & 31
  switch (major) {
    case 0:
      return fitting(readCount(reader, info))
    case 1:
      return fitting(-1n - readCount(reader, info))
    case 2:
    case 3:
      return readText(reader, major, info)
    case 4:
      return readArray(reader, info, depth)
    case 5:
      return readMap(reader, info, depth)
    case 6:
      readCount(reader, info)
      return readItem(reader, depth + 1)
    default:
      return readSimple(reader, info)
  }
}

/** Integers beyond 64 bits become floats. */
function fitting(value: bigint): Value {
  return value === BigInt.asIntN(64, value) ? value : Number(value)
}

function readCount(reader: Reader, info: number): bigint {
  const { view } = reader
  if (info < 24) return BigInt(info)
  switch (info) {
    case 24:
      return BigInt(view.getUint8(take(reader, 1)))
    case 25:
      return BigInt(view.getUint16(take(reader, 2)))
    case 26:
      return BigInt(view.getUint32(take(reader, 4)))
    case 27:
      return view.getBigUint64(take(reader, 8))
    default:
      throw broken('a length is malformed')
  }
}

const indefinite = 31
const stop = 0xff

function atStop(reader: Reader): boolean {
  if (reader.bytes[reader.at] !== stop) return false
  reader.at++
  return true
}

function readText(reader: Reader, major: number, info: number): Text {
  if (info !== indefinite) {
    const length = Number(readCount(reader, info))
    const start = take(reader, length)
    return fromBytes(reader.bytes.subarray(start, start + length))
  }
  const parts: Uint8Array[] = []
  while (!atStop(reader)) {
    step(reader.context)
    const head = reader.bytes[take(reader, 1)]!
    if (head >> 5 !== major || (head & 31) === indefinite) throw broken('a piece of a text is malformed')
    parts.push(toBytes(readText(reader, major, head & 31)))
  }
  return fromBytes(Buffer.concat(parts))
}

function readArray(reader: Reader, info: number, depth: number): Value {
  const items: Value[] = []
  repeat(reader, info, () => items.push(readItem(reader, depth + 1)))
  return items
}

function readMap(reader: Reader, info: number, depth: number): Value {
  const map = new Map<string, Value>()
  repeat(reader, info, () => {
    const key = readItem(reader, depth + 1)
    map.set(isText(key) ? lossy(key) : displayValue(key), readItem(reader, depth + 1))
  })
  return map
}

function repeat(reader: Reader, info: number, read: () => void): void {
  if (info === indefinite) {
    while (!atStop(reader)) read()
    return
  }
  const count = Number(readCount(reader, info))
  // Each item takes at least one byte: a count beyond the remaining bytes is refused before memory is allocated.
  if (count > reader.bytes.length - reader.at) throw broken('it ends too early')
  checkItems(reader.context, count)
  for (let i = 0; i < count; i++) read()
}

function readSimple(reader: Reader, info: number): Value {
  switch (info) {
    case 20:
      return false
    case 21:
      return true
    case 22:
    case 23:
      return null
    case 25:
      return known(halfFloat(reader.view.getUint16(take(reader, 2))))
    case 26:
      return known(reader.view.getFloat32(take(reader, 4)))
    case 27:
      return known(reader.view.getFloat64(take(reader, 8)))
    default:
      throw broken(`there is no simple value ${info}`)
  }
}

function known(value: number): number {
  if (Number.isNaN(value)) throw broken('it holds NaN, which is not a value of the language')
  return value
}

function halfFloat(bits: number): number {
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  const size =
    exponent === 0
      ? fraction * 2 ** -24
      : exponent === 31
        ? fraction === 0
          ? Number.POSITIVE_INFINITY
          : Number.NaN
        : (1024 + fraction) * 2 ** (exponent - 25)
  return bits & 0x8000 ? -size : size
}
