// Names, texts and types in DuckDB's SQL.
import { quoteName, quoteText } from '../../../model/sql-text.ts'
import type { ColumnType, NamedType } from '../../../model/types.ts'

export { quoteName, quoteText }

/** The DuckDB type of a column type. */
export function duckdbType(type: ColumnType): string {
  if (type.startsWith('Decimal')) return type.toUpperCase()
  return typeWords[type as NamedType]
}

/** An expression for a value given as text. */
export function initialValue(text: string, type: ColumnType): string {
  return `try_cast(${quoteText(text)} AS ${duckdbType(type)})`
}

const typeWords: Readonly<Record<NamedType, string>> = {
  Boolean: 'BOOLEAN',
  Int8: 'TINYINT',
  Int16: 'SMALLINT',
  Int32: 'INTEGER',
  Int64: 'BIGINT',
  UInt8: 'UTINYINT',
  UInt16: 'USMALLINT',
  UInt32: 'UINTEGER',
  UInt64: 'UBIGINT',
  Float32: 'FLOAT',
  Float64: 'DOUBLE',
  String: 'VARCHAR',
  Binary: 'BLOB',
  Json: 'JSON',
  Date: 'DATE',
  TimestampSecond: 'TIMESTAMP_S',
  TimestampMillisecond: 'TIMESTAMP_MS',
  TimestampMicrosecond: 'TIMESTAMP',
  TimestampNanosecond: 'TIMESTAMP_NS'
}
