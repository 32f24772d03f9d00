// The values of one attribute as a column of a type; values of another kind are converted.

import { type ColumnData, type ColumnType, type Steps, writeJsonFloat } from '../../../core/index.ts'
import { ProtoReader } from '../../../core/wire/index.ts'
import { GrowingBytes } from '../column/growing-bytes.ts'
import { binaryData, type Slices, textData, validity } from '../column/text-data.ts'
import { anyValue } from '../wire/field.ts'
import { JsonText } from '../wire/json-text.ts'
import { type AttributeColumn, kindBit } from './attributes.ts'
import { doubleOf, intOf, textOf } from './fit.ts'

/** Bytes handled between two yields to other requests. */
const stepBytes = 1 << 16

/** A row per owner, null for owners without a value. The values must fit the type. */
export function* attributeData(
  body: Uint8Array,
  column: AttributeColumn,
  type: ColumnType,
  owners: number
): Steps<ColumnData> {
  switch (type) {
    case 'String':
      return column.seen === kindBit.text
        ? textData(body, slicesOf(column), owners)
        : yield* written(column, owners, asText(body, column))
    case 'Binary':
      return binaryData(body, slicesOf(column), owners)
    case 'Json':
      return yield* jsonData(body, column, owners)
    case 'Boolean': {
      const values = new Uint8Array(owners)
      const { kinds, words } = column
      const isTrue = (i: number) =>
        kinds[i] === anyValue.text ? textOf(body, column, i) === 'true' : words[2 * i] === 1
      for (let i = 0; i < column.count; i++) values[column.owners[i]!] = isTrue(i) ? 1 : 0
      return fixed(column, owners, values)
    }
    case 'Int64':
      return numbers(column, new BigInt64Array(owners), anyValue.int, i =>
        BigInt(column.kinds[i] === anyValue.text ? textOf(body, column, i) : doubleOf(column, i))
      )
    default:
      return numbers(column, new Float64Array(owners), anyValue.double, i =>
        Number(column.kinds[i] === anyValue.text ? textOf(body, column, i) : intOf(column, i))
      )
  }
}

function slicesOf({ count, words, owners }: AttributeColumn): Slices {
  return { count, starts: words, ends: words.subarray(1), step: 2, owners }
}

function fixed({ count, owners }: AttributeColumn, rows: number, values: Uint8Array | BigInt64Array | Float64Array) {
  const valid = validity(count, rows, owners)
  return { kind: 'fixed', values, ...(valid && { valid }) } as const
}

/** Values of `kind` are copied to `values` as they are, others are what `convert` returns. */
function numbers<V extends BigInt64Array<ArrayBuffer> | Float64Array<ArrayBuffer>>(
  column: AttributeColumn,
  values: V,
  kind: number,
  convert: (i: number) => V[number]
): ColumnData {
  const { count, owners, kinds, words } = column
  const target = new Int32Array(values.buffer)
  for (let i = 0; i < count; i++) {
    const row = owners[i]!
    if (kinds[i] === kind) {
      target[2 * row] = words[2 * i]!
      target[2 * row + 1] = words[2 * i + 1]!
    } else values[row] = convert(i)
  }
  return fixed(column, values.length, values)
}

/** A column of texts that `write` appends. */
function* written(
  column: AttributeColumn,
  rows: number,
  write: (out: GrowingBytes, i: number) => void
): Steps<ColumnData> {
  const { count, owners } = column
  const out = new GrowingBytes()
  const offsets = new Uint32Array(rows + 1)
  let row = 0
  let step = 0
  for (let i = 0; i < count; i++) {
    if (out.length > step) {
      step = out.length + stepBytes
      yield
    }
    while (row < owners[i]!) offsets[++row] = out.length
    write(out, i)
    offsets[++row] = out.length
  }
  while (row < rows) offsets[++row] = out.length
  const valid = validity(count, rows, owners)
  return { kind: 'bytes', offsets, bytes: out.bytes.subarray(0, out.length), ...(valid && { valid }) }
}

/** Scalars as plain text, other values as JSON. */
function asText(body: Uint8Array, column: AttributeColumn): (out: GrowingBytes, i: number) => void {
  const writeJson = jsonWriter(body)
  const { kinds, words } = column
  return (out, i) => {
    if (kinds[i] === anyValue.text) out.copyText(body, words[2 * i]!, words[2 * i + 1]!)
    else if (kinds[i] === anyValue.double) out.ascii(String(doubleOf(column, i)))
    else writeJson(out, column, i)
  }
}

function jsonData(body: Uint8Array, column: AttributeColumn, rows: number): Steps<ColumnData> {
  const write = jsonWriter(body)
  return written(column, rows, (out, i) => write(out, column, i))
}

/** A function that writes a value as JSON. */
export function jsonWriter(body: Uint8Array): (out: GrowingBytes, column: AttributeColumn, i: number) => void {
  const reader = new ProtoReader(body)
  let json: JsonText | undefined
  return (out, column, i) => {
    if (json?.out !== out) json = new JsonText(out)
    const { words } = column
    const [first, second] = [words[2 * i]!, words[2 * i + 1]!]
    switch (column.kinds[i]) {
      case anyValue.text:
        return json.string(body, first, second)
      case anyValue.bool:
        return out.ascii(first === 1 ? 'true' : 'false')
      case anyValue.int:
        return out.ascii(String(intOf(column, i)))
      case anyValue.double:
        return out.ascii(jsonDouble(doubleOf(column, i)))
      case anyValue.bytes:
        return out.ascii(`"${Buffer.from(body.subarray(first, second)).toString('base64')}"`)
      default:
        return json.value(reader, first, second)
    }
  }
}

/** NaN and infinities become texts, because JSON lacks them. */
function jsonDouble(value: number): string {
  return Number.isFinite(value) ? writeJsonFloat(value) : `"${value}"`
}
