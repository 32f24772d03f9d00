// The initial value of a column, repeated for rows that leave the column out.
import type { ColumnData } from '../../../model/batch.ts'
import { unscale } from '../../../model/decimal.ts'
import { convertTime, parseTimestamp, utc } from '../../../model/time.ts'
import {
  type ColumnType,
  elementsPerRow,
  fixedArray,
  isBytesType,
  isTimestamp,
  timeUnit
} from '../../../model/types.ts'

/** Parses `text` as the engine's cast does; undefined if it is not a value of the type. */
export function initialData(type: ColumnType, text: string, rows: number): ColumnData | undefined {
  if (isBytesType(type)) return repeated(bytesOf(type, text), rows)
  const value = fixedValue(type, text)
  if (value === undefined) return undefined
  if (elementsPerRow(type) === 2) return { kind: 'fixed', values: wide(BigInt(value), rows) }
  const values = new (fixedArray(type))(rows)
  const filled = values instanceof BigInt64Array || values instanceof BigUint64Array ? BigInt(value) : Number(value)
  return { kind: 'fixed', values: (values as Float64Array).fill(filled as number) }
}

function repeated(bytes: Uint8Array, rows: number): ColumnData {
  const offsets = Uint32Array.of(0, bytes.length)
  return { kind: 'dictionary', codes: new Uint32Array(rows), dictionary: { kind: 'bytes', offsets, bytes } }
}

function bytesOf(type: ColumnType, text: string): Uint8Array {
  return type === 'Binary' ? Buffer.from(text.replaceAll('\\x', ''), 'hex') : Buffer.from(text)
}

function fixedValue(type: ColumnType, text: string): bigint | number | undefined {
  try {
    if (isTimestamp(type)) return convertTime(parseTimestamp(text, utc), 'ns', timeUnit(type))
    if (type === 'Date') return Number(convertTime(parseTimestamp(text, utc), 'ns', 's') / 86_400n)
    if (type === 'Boolean') return text === 'true' ? 1 : 0
    if (type.startsWith('Decimal')) return unscale(text, Number(/, (\d+)/.exec(type)![1]))
    return type.startsWith('Float') ? Number(text) : BigInt(text)
  } catch {
    return undefined
  }
}

/** 64-bit words, the low one first. */
function wide(value: bigint, rows: number): BigInt64Array {
  const low = BigInt.asIntN(64, value)
  return BigInt64Array.from({ length: rows * 2 }, (_, i) => (i % 2 === 0 ? low : value >> 64n))
}
