// Converts DuckDB values that are not numbers in typed arrays: nested values and 128-bit integers.
import {
  type DuckDBArrayValue,
  type DuckDBBlobValue,
  type DuckDBDateValue,
  type DuckDBListValue,
  type DuckDBMapValue,
  type DuckDBStructValue,
  type DuckDBType,
  type DuckDBValue,
  DuckDBTypeId as Id
} from '@duckdb/node-api'
import { DbError } from '../../../errors.ts'
import { bitmap, clearBit, type ResultVector } from '../../../model/batch.ts'
import { innerTypes } from './result-type.ts'

type Convert = (value: DuckDBValue) => unknown

/**
 * A function that converts values of a type to arrays, objects, bytes, numbers, bigint or text; times become numbers in their unit,
 * intervals text (`1 month 2 days 03:00:00`), at any depth.
 */
export function plainValue(type: DuckDBType): Convert {
  const convert = presentValue(type)
  return value => (value === null ? null : convert(value))
}

function presentValue(type: DuckDBType): Convert {
  const inner = innerTypes(type)
  if (inner?.kind === 'list') {
    const item = plainValue(inner.item)
    return value => (value as DuckDBListValue | DuckDBArrayValue).items.map(item)
  }
  if (inner !== undefined) {
    const fields = inner.fields.map(([name, field]) => [name, plainValue(field)] as const)
    return inner.kind === 'map' ? mapEntries(fields[0]![1], fields[1]![1]) : structMembers(fields)
  }
  switch (type.typeId) {
    case Id.BLOB:
      return value => (value as DuckDBBlobValue).bytes
    case Id.DATE:
      return value => (value as DuckDBDateValue).days
    case Id.TIMESTAMP_S:
      return value => (value as { seconds: bigint }).seconds
    case Id.TIMESTAMP_MS:
      return value => (value as { millis: bigint }).millis
    case Id.TIMESTAMP_NS:
      return value => (value as { nanos: bigint }).nanos
    case Id.TIMESTAMP:
    case Id.TIMESTAMP_TZ:
    case Id.TIME:
      return value => (value as { micros: bigint }).micros
    case Id.HUGEINT:
    case Id.UHUGEINT:
      return value => narrowOne(value as bigint)
  }
  return value => (typeof value === 'object' ? String(value) : value)
}

function structMembers(fields: readonly (readonly [string, Convert])[]): Convert {
  return value => {
    const { entries } = value as DuckDBStructValue
    return Object.fromEntries(fields.map(([name, convert]) => [name, convert(entries[name]!)]))
  }
}

function mapEntries(key: Convert, value: Convert): Convert {
  return map => (map as DuckDBMapValue).entries.map(entry => ({ key: key(entry.key), value: value(entry.value) }))
}

/** Sums of integers are 128-bit; values that fit into 64 bits are returned as such. */
export function narrow(values: readonly DuckDBValue[]): ResultVector {
  const narrowed = new BigInt64Array(values.length)
  const valid = bitmap(values.length, true)
  values.forEach((value, i) => {
    if (value === null) clearBit(valid, i)
    else narrowed[i] = narrowOne(value as bigint)
  })
  return { values: narrowed, valid }
}

function narrowOne(value: bigint): bigint {
  if (BigInt.asIntN(64, value) === value) return value
  throw new DbError('PlanQuery', `${value} does not fit into 64 bits: cast the expression to DOUBLE or DECIMAL`)
}
