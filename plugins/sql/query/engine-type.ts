// The storage engine's word for a column type.
import { type ColumnType, sqlTypeName } from '../../../core/index.ts'

export function engineType(type: ColumnType): string {
  return words[type] ?? sqlTypeName(type)
}

const words: Partial<Record<ColumnType, string>> = {
  UInt8: 'UTINYINT',
  UInt16: 'USMALLINT',
  UInt32: 'UINTEGER',
  UInt64: 'UBIGINT',
  TimestampSecond: 'TIMESTAMP_S',
  TimestampMillisecond: 'TIMESTAMP_MS',
  TimestampMicrosecond: 'TIMESTAMP',
  TimestampNanosecond: 'TIMESTAMP_NS'
}
