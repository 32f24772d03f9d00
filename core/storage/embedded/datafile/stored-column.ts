// Converts columns of a table to those of a data file, as DuckDB would write them, and back.
import { type ColumnData, isValid } from '../../../model/batch.ts'
import {
  type ColumnType,
  isTimestamp,
  type NamedType,
  type TimestampType,
  type TimeUnit,
  timeUnit
} from '../../../model/types.ts'
import { type ParquetColumn, ParquetError, type ParquetType, parquetDecimal, parquetTypes } from '../parquet/index.ts'

export interface FileColumn {
  /** Its name in the file. */
  readonly name: string
  readonly type: ColumnType
}

export function storedColumn({ name, type }: FileColumn): ParquetColumn {
  return { name, ...storedType(type), optional: true }
}

function storedType(type: ColumnType): ParquetType {
  if (isTimestamp(type)) return { type: 'int64', logical: { kind: 'timestamp', unit: storedUnit(type) } }
  if (!type.startsWith('Decimal')) return parquetTypes[type as Exclude<NamedType, TimestampType>]
  const [precision, scale] = type.match(/\d+/g)!.map(Number)
  return parquetDecimal(precision!, scale!)
}

/** Parquet has no unit of seconds. */
function storedUnit(type: ColumnType): Exclude<TimeUnit, 's'> {
  const unit = timeUnit(type as Parameters<typeof timeUnit>[0])
  return unit === 's' ? 'us' : unit
}

const microseconds = 1_000_000n
const maxSeconds = (2n ** 63n - 1n) / microseconds

/** Rows of a table's column in the form of the file. Throws ParquetError for a time in seconds that no file can hold. */
export function toStored({ name, type }: FileColumn, data: ColumnData): ColumnData {
  if (type !== 'TimestampSecond' || data.kind !== 'fixed') return data
  const { valid } = data
  const values = BigInt64Array.from(data.values as BigInt64Array, (value, i) => {
    if (value <= maxSeconds && value >= -maxSeconds) return value * microseconds
    if (!isValid(valid, i)) return 0n
    throw new ParquetError(`column ${name} holds the second ${value}, which no file can hold`)
  })
  return { ...data, values }
}

/** Rows of a file in the form of the table. */
export function fromStored({ type }: FileColumn, data: ColumnData): ColumnData {
  if (type !== 'TimestampSecond' || data.kind !== 'fixed') return data
  return { ...data, values: (data.values as BigInt64Array).map(value => value / microseconds) }
}
