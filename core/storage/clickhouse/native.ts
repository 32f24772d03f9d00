// Decodes ClickHouse's Native format: blocks of columns, each with name and type before its values.
import type { ResultBatch, ResultColumn, ResultVector } from '../../model/batch.ts'
import { bitmap, clearBit, isValid } from '../../model/batch.ts'
import { structType } from '../../model/nested-type.ts'
import { decimalText, type ResultType } from '../../model/types.ts'

/** A block, with its columns. */
export interface NativeBlock extends ResultBatch {
  readonly head: readonly ResultColumn[]
}

/** Thrown if the bytes end within a block. */
class Incomplete extends Error {}

/**
 * Blocks of a stream, the first one also without rows. `types` are our own types of columns by name, where those of ClickHouse say less:
 * bytes instead of text, JSON. Throws Error with what stands there where it is not a block, such as an error after the first rows.
 */
export async function* readNative(
  chunks: AsyncIterable<Uint8Array>,
  types: ReadonlyMap<string, ResultType> = new Map()
): AsyncGenerator<NativeBlock> {
  const pending: Uint8Array[] = []
  let length = 0
  /** Bytes needed before decoding is tried again, because each try starts at the beginning of the block. */
  let enough = 1
  let bytes: Buffer = Buffer.alloc(0)
  function* blocks(last: boolean): Generator<NativeBlock> {
    if (length < enough && !last) return
    bytes =
      pending.length === 1
        ? Buffer.from(pending[0]!.buffer, pending[0]!.byteOffset, pending[0]!.byteLength)
        : Buffer.concat(pending)
    let start = 0
    try {
      while (start < bytes.length) {
        const reader = new BlockReader(bytes, start, types)
        const block = reader.block()
        start = reader.at
        yield block
      }
    } catch (error) {
      if (!(error instanceof Incomplete)) throw broken(bytes, start, error)
      if (last) throw broken(bytes, start, error)
    }
    const rest = bytes.subarray(start)
    pending.splice(0, pending.length, ...(rest.length > 0 ? [rest] : []))
    length = rest.length
    enough = rest.length * 2
  }
  for await (const chunk of chunks) {
    pending.push(chunk)
    length += chunk.length
    yield* blocks(false)
  }
  if (length > 0) yield* blocks(true)
}

/** An error message that the server wrote instead of a block. */
function broken(bytes: Buffer, from: number, cause: unknown): Error {
  const text = bytes.toString('utf8', Math.max(from, bytes.length - 16_384))
  const at = text.lastIndexOf('Code: ')
  if (at < 0) return new Error('the answer of the ClickHouse cluster ended early', { cause })
  const [, number, told = ''] = /^Code: (\d+)\.\s*(?:DB::Exception: )?([\s\S]*)/.exec(text.slice(at)) ?? []
  return Object.assign(new Error(told.split('\n')[0]), { code: number, type: 'EXCEPTION' })
}

/** Decodes the values of a type. */
interface Decoder {
  readonly type: ResultType
  /** Reads the bytes that precede the values of a column. */
  prefix(reader: BlockReader): void
  read(reader: BlockReader, rows: number): ResultVector
}

class BlockReader {
  readonly bytes: Buffer
  at: number
  readonly #types: ReadonlyMap<string, ResultType>

  constructor(bytes: Buffer, at: number, types: ReadonlyMap<string, ResultType>) {
    this.bytes = bytes
    this.at = at
    this.#types = types
  }

  block(): NativeBlock {
    const count = this.varint()
    const rows = this.varint()
    // Bytes that are not a block decode to an absurd one.
    if (count > 100_000) throw new Error('no block')
    const head: ResultColumn[] = []
    const columns: ResultVector[] = []
    for (let i = 0; i < count; i++) {
      const name = this.text()
      const decoder = decoderOf(this.text(), this.#types.get(name))
      if (rows > 0) decoder.prefix(this)
      columns.push(rows > 0 ? decoder.read(this, rows) : { values: [] })
      head.push({ name, type: this.#types.get(name) ?? decoder.type })
    }
    return { head, rows, columns }
  }

  varint(): number {
    let value = 0
    let factor = 1
    for (;;) {
      if (this.at >= this.bytes.length) throw new Incomplete()
      const byte = this.bytes[this.at++]!
      value += (byte & 127) * factor
      if (byte < 128) return value
      factor *= 128
    }
  }

  text(): string {
    const length = this.varint()
    const start = this.take(length)
    return this.bytes.toString('utf8', start, start + length)
  }

  /** Advances, and returns where the bytes start. */
  take(length: number): number {
    const start = this.at
    if (start + length > this.bytes.length) throw new Incomplete()
    this.at += length
    return start
  }

  /** A copy, which is aligned and keeps no buffer alive. */
  slice(length: number): ArrayBuffer {
    const start = this.bytes.byteOffset + this.take(length)
    return this.bytes.buffer.slice(start, start + length) as ArrayBuffer
  }

  word(): bigint {
    return this.bytes.readBigUInt64LE(this.take(8))
  }
}

const plain: Readonly<Record<string, readonly [ResultType, number, (buffer: ArrayBuffer) => ResultVector['values']]>> =
  {
    Int8: ['Int8', 1, buffer => new Int8Array(buffer)],
    Int16: ['Int16', 2, buffer => new Int16Array(buffer)],
    Int32: ['Int32', 4, buffer => new Int32Array(buffer)],
    Int64: ['Int64', 8, buffer => new BigInt64Array(buffer)],
    UInt8: ['UInt8', 1, buffer => new Uint8Array(buffer)],
    UInt16: ['UInt16', 2, buffer => new Uint16Array(buffer)],
    UInt32: ['UInt32', 4, buffer => new Uint32Array(buffer)],
    UInt64: ['UInt64', 8, buffer => new BigUint64Array(buffer)],
    Float32: ['Float32', 4, buffer => new Float32Array(buffer)],
    Float64: ['Float64', 8, buffer => new Float64Array(buffer)],
    Bool: ['Boolean', 1, buffer => new Uint8Array(buffer)],
    Date: ['Date', 2, buffer => Int32Array.from(new Uint16Array(buffer))],
    Date32: ['Date', 4, buffer => new Int32Array(buffer)]
  }

const nothingBefore = (): void => {}

function fixedDecoder(type: ResultType, width: number, make: (buffer: ArrayBuffer) => ResultVector['values']): Decoder {
  return { type, prefix: nothingBefore, read: (reader, rows) => ({ values: make(reader.slice(rows * width)) }) }
}

/** Cached, because each block needs them again. */
const known = new Map<string, Decoder>()

function decoderOf(text: string, wanted?: ResultType): Decoder {
  const key = wanted === 'Binary' ? `Binary ${text}` : text
  const found = known.get(key)
  if (found !== undefined) return found
  const decoder = makeDecoder(text, wanted === 'Binary')
  // Limited, because users' statements can have any number of types.
  if (known.size < 1000) known.set(key, decoder)
  return decoder
}

function makeDecoder(text: string, asBytes: boolean): Decoder {
  const simple = plain[text]
  if (simple !== undefined) return fixedDecoder(...simple)
  if (text === 'String') return asBytes ? binaryDecoder : textDecoder
  const open = text.indexOf('(')
  const name = open < 0 ? text : text.slice(0, open)
  const inner = open < 0 ? '' : text.slice(open + 1, -1)
  const parameters = splitParameters(inner)
  switch (name) {
    case 'Nullable':
      return nullable(makeDecoder(inner, asBytes))
    case 'LowCardinality':
      return lowCardinality(inner, asBytes)
    case 'SimpleAggregateFunction':
      return makeDecoder(parameters.at(-1)!, asBytes)
    case 'DateTime':
      return fixedDecoder('TimestampSecond', 4, buffer => BigInt64Array.from(new Uint32Array(buffer), BigInt))
    case 'DateTime64':
      return times(Number(parameters[0]))
    case 'Decimal':
      return decimals(Number(parameters[0]), Number(parameters[1]))
    case 'FixedString':
      return fixedTexts(Number(inner), asBytes)
    case 'Enum8':
    case 'Enum16':
      return enums(name === 'Enum8' ? 1 : 2, parameters)
    case 'UUID':
      return perValue('String', 16, uuid)
    case 'IPv4':
      return perValue('String', 4, (bytes, at) => [3, 2, 1, 0].map(i => bytes[at + i]).join('.'))
    case 'IPv6':
      return perValue('String', 16, (bytes, at) =>
        bytes
          .toString('hex', at, at + 16)
          .match(/.{4}/g)!
          .join(':')
      )
    case 'Int128':
    case 'UInt128':
    case 'Int256':
    case 'UInt256':
      return wideIntegers(name)
    case 'Nothing':
      return {
        type: 'Null',
        prefix: nothingBefore,
        read(reader, rows) {
          reader.take(rows)
          return { values: new Array(rows).fill(null) }
        }
      }
    case 'Array':
      return asBytes && inner === 'Float64' ? floatLists : lists(makeDecoder(inner, asBytes))
    case 'Map':
      return maps(makeDecoder(parameters[0]!, asBytes), makeDecoder(parameters[1]!, asBytes))
    case 'Tuple':
      return tuples(parameters, asBytes)
  }
  if (name.startsWith('Interval')) return fixedDecoder('Int64', 8, buffer => new BigInt64Array(buffer))
  throw Object.assign(new Error(`the statement has a column of the type ${text}, which has no equal here: cast it`), {
    code: '43',
    type: 'ILLEGAL_TYPE_OF_ARGUMENT'
  })
}

/** The result type of a ClickHouse type. */
export function resultType(text: string): ResultType {
  return decoderOf(text).type
}

/** Splits at commas outside of parentheses and quotes. */
function splitParameters(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let quoted = false
  let from = 0
  for (let i = 0; i < text.length; i++) {
    const c = text[i]
    if (quoted) {
      if (c === '\\') i++
      else if (c === "'") quoted = false
    } else if (c === "'") quoted = true
    else if (c === '(') depth++
    else if (c === ')') depth--
    else if (c === ',' && depth === 0) {
      parts.push(text.slice(from, i).trim())
      from = i + 1
    }
  }
  parts.push(text.slice(from).trim())
  return parts
}

const textDecoder: Decoder = {
  type: 'String',
  prefix: nothingBefore,
  read(reader, rows) {
    const values = new Array<string>(rows)
    for (let i = 0; i < rows; i++) values[i] = reader.text()
    return { values }
  }
}

const binaryDecoder: Decoder = {
  type: 'Binary',
  prefix: nothingBefore,
  read(reader, rows) {
    const values = new Array<Uint8Array>(rows)
    for (let i = 0; i < rows; i++) values[i] = new Uint8Array(reader.slice(reader.varint()))
    return { values }
  }
}

function nullable(inner: Decoder): Decoder {
  return {
    type: inner.type,
    prefix: reader => inner.prefix(reader),
    read(reader, rows) {
      const start = reader.take(rows)
      const { bytes } = reader
      const { values } = inner.read(reader, rows)
      const valid = bitmap(rows, true)
      const list = ArrayBuffer.isView(values) ? undefined : (values as unknown[])
      for (let i = 0; i < rows; i++) {
        if (bytes[start + i] === 0) continue
        clearBit(valid, i)
        if (list !== undefined) list[i] = null
      }
      return { values, valid }
    }
  }
}

function lowCardinality(text: string, asBytes: boolean): Decoder {
  const takesNulls = text.startsWith('Nullable(')
  const inner = makeDecoder(takesNulls ? text.slice(9, -1) : text, asBytes)
  return {
    type: inner.type,
    prefix: reader => void reader.word(),
    read(reader, rows) {
      const flags = reader.word()
      const count = Number(reader.word())
      const keys = inner.read(reader, count).values as ArrayLike<unknown>
      const width = [1, 2, 4, 8][Number(flags & 0xffn)]!
      if (Number(reader.word()) !== rows) throw new Error('codes of another number of rows')
      const start = reader.take(rows * width)
      const values = new Array<unknown>(rows)
      const valid = takesNulls ? bitmap(rows, true) : undefined
      for (let i = 0; i < rows; i++) {
        const code =
          width === 8
            ? Number(reader.bytes.readBigUInt64LE(start + i * 8))
            : reader.bytes.readUIntLE(start + i * width, width)
        values[i] = keys[code]
        // Key 0 stands for null.
        if (valid !== undefined && code === 0) {
          values[i] = null
          clearBit(valid, i)
        }
      }
      return { values, ...(valid && { valid }) }
    }
  }
}

function times(digits: number): Decoder {
  const kept = ([0, 3, 6, 9] as const).find(each => each >= digits) ?? 9
  const type = (
    { 0: 'TimestampSecond', 3: 'TimestampMillisecond', 6: 'TimestampMicrosecond', 9: 'TimestampNanosecond' } as const
  )[kept]
  const factor = 10n ** BigInt(kept - digits)
  return fixedDecoder(type, 8, buffer => {
    const values = new BigInt64Array(buffer)
    return factor === 1n ? values : values.map(value => value * factor)
  })
}

function decimals(digits: number, scale: number): Decoder {
  const width = digits <= 9 ? 4 : digits <= 18 ? 8 : digits <= 38 ? 16 : 32
  return perValue(`Decimal(${digits}, ${scale})`, width, (bytes, at) =>
    decimalText(integerAt(bytes, at, width, true), scale)
  )
}

function integerAt(bytes: Buffer, at: number, width: number, signed: boolean): bigint {
  if (width === 4) return BigInt(bytes.readInt32LE(at))
  let value = 0n
  for (let i = width - 8; i >= 0; i -= 8) value = (value << 64n) | bytes.readBigUInt64LE(at + i)
  return signed ? BigInt.asIntN(width * 8, value) : value
}

function wideIntegers(name: string): Decoder {
  const width = name.endsWith('128') ? 16 : 32
  return perValue('String', width, (bytes, at) => String(integerAt(bytes, at, width, !name.startsWith('U'))))
}

function fixedTexts(width: number, asBytes: boolean): Decoder {
  if (asBytes) return perValue('Binary', width, (bytes, at) => new Uint8Array(bytes.subarray(at, at + width)))
  return perValue('String', width, (bytes, at) => bytes.toString('utf8', at, at + width))
}

function enums(width: 1 | 2, parameters: readonly string[]): Decoder {
  const names = new Map(
    parameters.map(text => {
      const [, name = '', value] = /^'([\s\S]*)' = (-?\d+)$/.exec(text) ?? []
      return [Number(value), name.replace(/\\(.)/g, '$1')]
    })
  )
  return perValue('String', width, (bytes, at) => names.get(bytes.readIntLE(at, width)) ?? '')
}

function uuid(bytes: Buffer, at: number): string {
  const hex = Buffer.from(bytes.subarray(at, at + 16))
  hex.subarray(0, 8).reverse()
  hex.subarray(8).reverse()
  return hex.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

function perValue(type: ResultType, width: number, read: (bytes: Buffer, at: number) => unknown): Decoder {
  return {
    type,
    prefix: nothingBefore,
    read(reader, rows) {
      const start = reader.take(rows * width)
      return { values: Array.from({ length: rows }, (_, i) => read(reader.bytes, start + i * width)) }
    }
  }
}

/** Values as an array, null for nulls. */
function cells({ values, valid }: ResultVector, from: number, to: number): unknown[] {
  const found: unknown[] = []
  for (let i = from; i < to; i++) {
    found.push(!isValid(valid, i) ? null : values[i])
  }
  return found
}

function readOffsets(reader: BlockReader, rows: number): number[] {
  const start = reader.take(rows * 8)
  return Array.from({ length: rows }, (_, i) => Number(reader.bytes.readBigUInt64LE(start + i * 8)))
}

function lists(inner: Decoder): Decoder {
  return {
    type: `List<${inner.type}>`,
    prefix: reader => inner.prefix(reader),
    read(reader, rows) {
      const ends = readOffsets(reader, rows)
      const vector = inner.read(reader, ends.at(-1) ?? 0)
      return { values: ends.map((end, i) => cells(vector, ends[i - 1] ?? 0, end)) }
    }
  }
}

/** Lists of floats as bytes, eight per number, aligned. */
const floatLists: Decoder = {
  type: 'Binary',
  prefix: nothingBefore,
  read(reader, rows) {
    const ends = readOffsets(reader, rows)
    const buffer = reader.slice(8 * (ends.at(-1) ?? 0))
    const bytes = (end: number, i: number) => {
      const from = ends[i - 1] ?? 0
      return new Uint8Array(buffer, 8 * from, 8 * (end - from))
    }
    return { values: ends.map(bytes) }
  }
}

/** A map becomes JSON, because there is no such result type. */
function maps(key: Decoder, value: Decoder): Decoder {
  return {
    type: 'Json',
    prefix(reader) {
      key.prefix(reader)
      value.prefix(reader)
    },
    read(reader, rows) {
      const ends = readOffsets(reader, rows)
      const count = ends.at(-1) ?? 0
      const keys = key.read(reader, count)
      const values = value.read(reader, count)
      const text = (end: number, i: number) => {
        const from = ends[i - 1] ?? 0
        const of = cells(values, from, end)
        const pairs = cells(keys, from, end).map((name, n) => [String(name), of[n]])
        return JSON.stringify(Object.fromEntries(pairs), (_, each) => (typeof each === 'bigint' ? Number(each) : each))
      }
      return { values: ends.map(text) }
    }
  }
}

function tuples(parameters: readonly string[], asBytes: boolean): Decoder {
  const parts = parameters.map((text, i) => {
    const [, name, type] = /^(`(?:[^`\\]|\\.)*`|\w+) (.+)$/s.exec(text) ?? []
    const plainName = name?.startsWith('`') ? name.slice(1, -1).replace(/\\(.)/g, '$1') : name
    return { name: plainName ?? String(i + 1), decoder: makeDecoder(type ?? text, asBytes) }
  })
  return {
    type: structType(parts.map(({ name, decoder }) => ({ name, type: decoder.type }))),
    prefix(reader) {
      for (const { decoder } of parts) decoder.prefix(reader)
    },
    read(reader, rows) {
      const vectors = parts.map(({ decoder }) => cells(decoder.read(reader, rows), 0, rows))
      const value = (i: number) => Object.fromEntries(parts.map(({ name }, p) => [name, vectors[p]![i]]))
      return { values: Array.from({ length: rows }, (_, i) => value(i)) }
    }
  }
}
