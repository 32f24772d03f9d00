// The storage engine's word for a column type.
import { type ColumnType, sqlTypeName } from '../../../core/index.ts'

export function engineType(type: ColumnType): string {
  const name = sqlTypeName(type)
  return name.endsWith(' UNSIGNED') ? (unsigned[name] ?? name) : name
}

const unsigned: Readonly<Record<string, string>> = {
  'TINYINT UNSIGNED': 'UTINYINT',
  'SMALLINT UNSIGNED': 'USMALLINT',
  'INT UNSIGNED': 'UINTEGER',
  'BIGINT UNSIGNED': 'UBIGINT'
}
