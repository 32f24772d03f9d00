// How a column of a table lies in a data file: the same as DuckDB would write it.
import type { ColumnData } from '../../../model/batch.ts'
import {
  type ColumnType,
  decimalDigits,
  elementsPerRow,
  isTimestamp,
  type TimeUnit,
  timeUnit
} from '../../../model/types.ts'
import { type LogicalType, type ParquetColumn, ParquetError, type PhysicalType } from '../parquet/index.ts'

export interface FileColumn {
  /** In the file. */
  readonly name: string
  readonly type: ColumnType
}

export function storedColumn({ name, type }: FileColumn): ParquetColumn {
  const [physical, logical] = storedType(type)
  return { name, type: physical, ...(logical && { logical }), optional: true }
}

function storedType(type: ColumnType): readonly [PhysicalType, LogicalType?] {
  if (isTimestamp(type)) return ['int64', { kind: 'timestamp', unit: storedUnit(type) }]
  if (type.startsWith('Decimal')) {
    const [precision, scale] = type.match(/\d+/g)!.map(Number)
    return [decimalDigits(type) > 18 ? 'fixed16' : 'int64', { kind: 'decimal', precision: precision!, scale: scale! }]
  }
  return types[type]!
}

const int = (bits: 8 | 16 | 32 | 64, signed: boolean) => ({ kind: 'int', bits, signed }) as const

const types: Readonly<Record<string, readonly [PhysicalType, LogicalType?]>> = {
  Boolean: ['boolean'],
  Int8: ['int32', int(8, true)],
  Int16: ['int32', int(16, true)],
  Int32: ['int32'],
  Int64: ['int64'],
  UInt8: ['int32', int(8, false)],
  UInt16: ['int32', int(16, false)],
  UInt32: ['int32', int(32, false)],
  UInt64: ['int64', int(64, false)],
  Float32: ['float'],
  Float64: ['double'],
  String: ['bytes', { kind: 'string' }],
  Binary: ['bytes'],
  Json: ['bytes', { kind: 'json' }],
  Date: ['int32', { kind: 'date' }]
}

/** Files know no seconds. */
function storedUnit(type: ColumnType): Exclude<TimeUnit, 's'> {
  const unit = timeUnit(type as Parameters<typeof timeUnit>[0])
  return unit === 's' ? 'us' : unit
}

const microseconds = 1_000_000n
const maxSeconds = (2n ** 63n - 1n) / microseconds

/** Rows of a column of a table as the file holds them. Throws ParquetError for a second that no file can hold. */
export function toStored({ name, type }: FileColumn, data: ColumnData): ColumnData {
  if (type !== 'TimestampSecond' || data.kind !== 'fixed') return data
  const { valid } = data
  const values = BigInt64Array.from(data.values as BigInt64Array, (value, i) => {
    if (value <= maxSeconds && value >= -maxSeconds) return value * microseconds
    if (valid !== undefined && (valid[i >> 3]! & (1 << (i & 7))) === 0) return 0n
    throw new ParquetError(`column ${name} holds the second ${value}, which no file can hold`)
  })
  return { ...data, values }
}

/** Rows of a file as the table holds them. */
export function fromStored({ type }: FileColumn, data: ColumnData): ColumnData {
  if (type !== 'TimestampSecond' || data.kind !== 'fixed') return data
  return { ...data, values: (data.values as BigInt64Array).map(value => value / microseconds) }
}

/** Bytes of a value of a fixed length. */
export function valueBytes(type: ColumnType, values: { readonly BYTES_PER_ELEMENT: number }): number {
  return values.BYTES_PER_ELEMENT * elementsPerRow(type)
}
