// Columns made of JavaScript values, for plugins whose protocols are text.
import { DbError } from '../errors.ts'
import { type BytesData, bitmap, type Column, clearBit, type FixedData } from './batch.ts'
import type { Semantic } from './table.ts'
import { fixedArray, type NamedType } from './types.ts'

/** The values of a column of a type: dates as days since 1970, times in the unit of the type, JSON as its text. */
type ColumnValue<T extends NamedType> = T extends 'String' | 'Json'
  ? string
  : T extends 'Boolean'
    ? boolean
    : number | bigint

/**
 * A column with a row for each value; undefined becomes null. Throws DbError `InvalidArguments` for a number that the type cannot hold exactly;
 * floats are rounded.
 */
export function columnOf<T extends Exclude<NamedType, 'Binary'>>(
  name: string,
  semantic: Semantic,
  type: T,
  values: readonly (ColumnValue<T> | undefined)[]
): Column {
  const isText = type === 'String' || type === 'Json'
  const data = isText ? textColumnOf(values as readonly (string | undefined)[]) : fixedDataOf(name, type, values)
  return { name, type, semantic, data }
}

function fixedDataOf(name: string, type: NamedType, given: readonly unknown[]): FixedData {
  const values = new (fixedArray(type))(given.length)
  let valid: Uint8Array | undefined
  for (const [i, value] of given.entries()) {
    if (value === undefined) {
      valid ??= bitmap(given.length, true)
      clearBit(valid, i)
    } else if (!put(values, i, value as number | bigint | boolean)) {
      throw new DbError('InvalidArguments', `column ${name}: ${value} in row ${i + 1} is not a valid ${type}`)
    }
  }
  return { kind: 'fixed', values, ...(valid && { valid }) }
}

/** False for a number that the array cannot hold. */
function put(values: FixedData['values'], i: number, value: number | bigint | boolean): boolean {
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) {
    if (typeof value === 'number' && !Number.isInteger(value)) return false
    values[i] = BigInt(value)
    return values[i] === BigInt(value)
  }
  values[i] = Number(value)
  return values instanceof Float64Array || values instanceof Float32Array || values[i] === Number(value)
}

/** A text column with a row for each value; undefined becomes null. Lone surrogates become U+FFFD. */
export function textColumnOf(values: readonly (string | undefined)[]): BytesData {
  const offsets = new Uint32Array(values.length + 1)
  const valid = bitmap(values.length, true)
  let missing = false
  let text = ''
  const pieces: Buffer[] = []
  let length = 0
  const flush = () => {
    pieces.push(Buffer.from(text))
    text = ''
  }
  for (let i = 0; i < values.length; i++) {
    const value = values[i]
    if (value === undefined) {
      missing = true
      clearBit(valid, i)
    } else {
      const whole = value.toWellFormed()
      text += whole
      length += Buffer.byteLength(whole)
      if (text.length > longPiece) flush()
    }
    offsets[i + 1] = length
  }
  flush()
  const data = { kind: 'bytes', offsets, bytes: Buffer.concat(pieces) } as const
  return missing ? { ...data, valid } : data
}

/** Characters encoded at a time. */
const longPiece = 2 ** 20
