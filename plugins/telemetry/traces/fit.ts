// Chooses the column type for an attribute: one that represents all its values, and the new type of an existing column that cannot.
import { type ColumnType, isExactFloat, readExactFloat, readExactInteger } from '../../../core/index.ts'
import { anyValue } from '../wire/field.ts'
import { type AttributeColumn, kindBit } from './attributes.ts'

const { text, bool, int, double, array, map, bytes } = kindBit

/** Column types by value kind. */
const own: Readonly<Record<number, ColumnType>> = {
  [text]: 'String',
  [bool]: 'Boolean',
  [int]: 'Int64',
  [double]: 'Float64',
  [bytes]: 'Binary'
}

/** The type of a new column: that of its values if all are of one kind, else the first type that represents them all. */
export function newType(body: Uint8Array, column: AttributeColumn): ColumnType {
  const same = own[column.seen]
  if (same !== undefined) return same
  const scalar = (column.seen & (array | map | bytes)) === 0
  const order = ['Boolean', ...(column.seen & double ? [] : (['Int64'] as const)), 'Float64', 'String'] as const
  return (scalar ? order.find(type => fits(body, column, type)) : undefined) ?? 'Json'
}

/** For column types of user-made tables: a type that represents all their values and every attribute of the kind. */
const wider: Partial<Record<ColumnType, ColumnType>> = {
  Int8: 'Int64',
  Int16: 'Int64',
  Int32: 'Int64',
  UInt8: 'Int64',
  UInt16: 'Int64',
  UInt32: 'Int64',
  Float32: 'Float64'
}

/** The type an existing column needs: its own if all values fit. */
export function widened(body: Uint8Array, column: AttributeColumn, type: ColumnType): ColumnType {
  if (fits(body, column, type)) return type
  if (type === 'Int64' && fits(body, column, 'Float64') && (column.seen & double) !== 0) return 'Float64'
  const wide = wider[type]
  return wide === undefined ? 'Json' : widened(body, column, wide)
}

const takes: Partial<Record<ColumnType, number>> = {
  Boolean: bool | text,
  Int64: int | double | text,
  Float64: double | int | text,
  String: text | bool | int | double,
  Binary: bytes,
  Json: ~0
}

/** Whether the type represents every value exactly. */
function fits(body: Uint8Array, column: AttributeColumn, type: ColumnType): boolean {
  const { seen, kinds, count } = column
  if ((seen & ~(takes[type] ?? 0)) !== 0) return false
  if (type === 'String' || type === 'Json' || type === 'Binary') return true
  const looksAt = text | (type === 'Int64' ? double : type === 'Float64' ? int : 0)
  if ((seen & looksAt) === 0) return true
  for (let i = 0; i < count; i++) {
    const kind = kinds[i]!
    if (kind === anyValue.text && !reads(textOf(body, column, i), type)) return false
    if (kind === anyValue.double && type === 'Int64' && !isInteger(doubleOf(column, i))) return false
    if (kind === anyValue.int && type === 'Float64' && !isExactFloat(intOf(column, i))) return false
  }
  return true
}

function reads(value: string, type: ColumnType): boolean {
  if (type === 'Boolean') return value === 'true' || value === 'false'
  if (type === 'Float64') return readExactFloat(value) !== undefined
  const number = readExactInteger(value)
  return number !== undefined && BigInt.asIntN(64, number) === number
}

/** Whether a double is a 64-bit integer. */
function isInteger(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63
}

export function textOf(body: Uint8Array, { words }: AttributeColumn, i: number): string {
  return Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8', words[2 * i], words[2 * i + 1])
}

const pair = (words: Int32Array, i: number): Int32Array<ArrayBuffer> => Int32Array.of(words[2 * i]!, words[2 * i + 1]!)

export function doubleOf({ words }: AttributeColumn, i: number): number {
  return new Float64Array(pair(words, i).buffer)[0]!
}

export function intOf({ words }: AttributeColumn, i: number): bigint {
  return new BigInt64Array(pair(words, i).buffer)[0]!
}
