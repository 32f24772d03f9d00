// Maps DuckDB's types to the type names in results.
import { type DuckDBType, DuckDBTypeId as Id } from '@duckdb/node-api'
import { structType } from '../../../model/nested-type.ts'
import type { ResultType } from '../../../model/types.ts'

const names: Partial<Record<Id, ResultType>> = {
  [Id.BOOLEAN]: 'Boolean',
  [Id.TINYINT]: 'Int8',
  [Id.SMALLINT]: 'Int16',
  [Id.INTEGER]: 'Int32',
  [Id.BIGINT]: 'Int64',
  [Id.UTINYINT]: 'UInt8',
  [Id.USMALLINT]: 'UInt16',
  [Id.UINTEGER]: 'UInt32',
  [Id.UBIGINT]: 'UInt64',
  [Id.HUGEINT]: 'Int64',
  [Id.UHUGEINT]: 'Int64',
  [Id.FLOAT]: 'Float32',
  [Id.DOUBLE]: 'Float64',
  [Id.BLOB]: 'Binary',
  [Id.DATE]: 'Date',
  [Id.TIME]: 'TimeMicrosecond',
  [Id.TIMESTAMP]: 'TimestampMicrosecond',
  [Id.TIMESTAMP_S]: 'TimestampSecond',
  [Id.TIMESTAMP_MS]: 'TimestampMillisecond',
  [Id.TIMESTAMP_NS]: 'TimestampNanosecond',
  [Id.TIMESTAMP_TZ]: 'TimestampMicrosecond',
  [Id.INTERVAL]: 'IntervalMonthDayNano',
  [Id.SQLNULL]: 'Null'
}

/** The result type of a DuckDB type. Types without an equivalent become text; maps are lists of entries. */
export function resultType(type: DuckDBType): ResultType {
  if (type.alias === 'JSON') return 'Json'
  const name = names[type.typeId]
  if (name !== undefined) return name
  if (type.typeId === Id.DECIMAL) {
    const { width, scale } = type as unknown as { width: number; scale: number }
    return `Decimal(${width}, ${scale})`
  }
  const inner = innerTypes(type)
  if (inner === undefined) return 'String'
  if (inner.kind === 'list') return `List<${resultType(inner.item)}>`
  const fields = inner.fields.map(([name, field]) => ({ name, type: resultType(field) }))
  return inner.kind === 'map' ? `List<${structType(fields)}>` : structType(fields)
}

/** The types in a nested type. */
type InnerTypes =
  | { readonly kind: 'list'; readonly item: DuckDBType }
  | { readonly kind: 'struct' | 'map'; readonly fields: readonly (readonly [string, DuckDBType])[] }

export function innerTypes(type: DuckDBType): InnerTypes | undefined {
  if (type.typeId === Id.LIST || type.typeId === Id.ARRAY) {
    return { kind: 'list', item: (type as unknown as { valueType: DuckDBType }).valueType }
  }
  if (type.typeId === Id.STRUCT) {
    const { entryNames, entryTypes } = type as unknown as { entryNames: string[]; entryTypes: DuckDBType[] }
    // Unnamed struct members (of `ROW`) are known to the library by position only.
    entryNames.forEach((name, i) => {
      if (name === '') entryNames[i] = `c${i}`
    })
    return { kind: 'struct', fields: entryNames.map((name, i) => [name, entryTypes[i]!]) }
  }
  if (type.typeId === Id.MAP) {
    const { keyType, valueType } = type as unknown as { keyType: DuckDBType; valueType: DuckDBType }
    return {
      kind: 'map',
      fields: [
        ['key', keyType],
        ['value', valueType]
      ]
    }
  }
  return undefined
}
