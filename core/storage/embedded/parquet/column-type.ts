// Parquet types of our column types, as DuckDB writes them. Times are left to the callers, because Parquet has no seconds and files differ in
// the unit that replaces them.
import type { NamedType, TimestampType } from '../../../model/types.ts'
import type { ParquetColumn } from './types.ts'

export type ParquetType = Pick<ParquetColumn, 'type' | 'logical'>

export const parquetTypes: Readonly<Record<Exclude<NamedType, TimestampType>, ParquetType>> = {
  Boolean: { type: 'boolean' },
  Int8: small(8, true),
  Int16: small(16, true),
  Int32: { type: 'int32' },
  Int64: { type: 'int64' },
  UInt8: small(8, false),
  UInt16: small(16, false),
  UInt32: small(32, false),
  UInt64: { type: 'int64', logical: { kind: 'int', bits: 64, signed: false } },
  Float32: { type: 'float' },
  Float64: { type: 'double' },
  String: { type: 'bytes', logical: { kind: 'string' } },
  Binary: { type: 'bytes' },
  Json: { type: 'bytes', logical: { kind: 'json' } },
  Date: { type: 'int32', logical: { kind: 'date' } }
}

function small(bits: 8 | 16 | 32, signed: boolean): ParquetType {
  return { type: 'int32', logical: { kind: 'int', bits, signed } }
}

export function parquetDecimal(precision: number, scale: number): ParquetType {
  return { type: precision > 18 ? 'fixed16' : 'int64', logical: { kind: 'decimal', precision, scale } }
}
