// DuckDB's result chunks as our columns.
import {
  DuckDBArrayValue,
  DuckDBBlobValue,
  type DuckDBDataChunk,
  DuckDBListValue,
  DuckDBMapValue,
  type DuckDBResult,
  DuckDBStructValue,
  type DuckDBType,
  type DuckDBValue,
  DuckDBTypeId as Id,
  ResultReturnType
} from '@duckdb/node-api'
import bindings from '@duckdb/node-bindings'
import { DbError } from '../../../errors.ts'
import { bitmap, type FixedData, type ResultBatch, type ResultVector } from '../../../model/batch.ts'
import type { ResultType } from '../../../model/types.ts'
import type { QueryResult } from '../../engine.ts'
import { cancelled, translate } from './errors.ts'

/** Reads a streaming result; `end` runs once, when nothing runs any more: read to its end, left early, failed or cancelled. */
export function streamResult(
  result: DuckDBResult,
  signal: AbortSignal,
  interrupt: () => void,
  end: () => void
): QueryResult {
  const types = result.columnTypes()
  const columns = result.columnNames().map((name, i) => ({ name, type: resultType(types[i]!) }))
  let open = true
  let fetching: Promise<unknown> | undefined
  const close = () => {
    if (!open) return
    open = false
    if (fetching === undefined) return end()
    interrupt()
    fetching.then(end, end)
  }
  return {
    columns,
    close,
    async *batches() {
      try {
        while (open) {
          const next = result.fetchChunk()
          fetching = next
          const chunk = await translate(next, signal).finally(() => {
            fetching = undefined
          })
          if (chunk === null || chunk.rowCount === 0) return checkEnd(result, signal)
          yield readChunk(chunk, types)
        }
      } finally {
        close()
      }
    }
  }
}

/** A result that fails on the way ends like one that is read to its end, only that it is no result any more. */
function checkEnd(result: DuckDBResult, signal: AbortSignal): void {
  if (result.returnType !== ResultReturnType.INVALID) return
  if (signal.aborted) throw cancelled(signal)
  throw new DbError(
    'EngineExecuteQuery',
    'the query failed after its first rows: some later row holds a value an expression cannot take, or storage.memory_limit is used up'
  )
}

function readChunk(chunk: DuckDBDataChunk, types: readonly DuckDBType[]): ResultBatch {
  const rows = chunk.rowCount
  return { rows, columns: types.map((type, c) => readVector(chunk, c, type, rows)) }
}

type FixedArray = new (buffer: ArrayBuffer) => FixedData['values']

const fixed: ReadonlyMap<Id, FixedArray> = new Map<Id, FixedArray>([
  [Id.BOOLEAN, Uint8Array],
  [Id.TINYINT, Int8Array],
  [Id.SMALLINT, Int16Array],
  [Id.INTEGER, Int32Array],
  [Id.BIGINT, BigInt64Array],
  [Id.UTINYINT, Uint8Array],
  [Id.USMALLINT, Uint16Array],
  [Id.UINTEGER, Uint32Array],
  [Id.UBIGINT, BigUint64Array],
  [Id.FLOAT, Float32Array],
  [Id.DOUBLE, Float64Array],
  [Id.DATE, Int32Array],
  [Id.TIME, BigInt64Array],
  [Id.TIMESTAMP, BigInt64Array],
  [Id.TIMESTAMP_S, BigInt64Array],
  [Id.TIMESTAMP_MS, BigInt64Array],
  [Id.TIMESTAMP_NS, BigInt64Array],
  [Id.TIMESTAMP_TZ, BigInt64Array]
])

function readVector(chunk: DuckDBDataChunk, c: number, type: DuckDBType, rows: number): ResultVector {
  const array = fixed.get(type.typeId)
  if (type.typeId === Id.HUGEINT || type.typeId === Id.UHUGEINT) return narrow(chunk.getColumnValues(c))
  if (array === undefined) return { values: chunk.getColumnValues(c).map(plain) }
  const vector = bindings.data_chunk_get_vector(chunk.chunk, c)
  // The chunk's memory goes with the chunk: copy.
  const values = new array(bindings.vector_get_data(vector, rows * width(array)).slice().buffer)
  const validity = bindings.vector_get_validity(vector, Math.ceil(rows / 64) * 8)
  return validity ? { values, valid: validity.slice() } : { values }
}

function width(array: FixedArray): number {
  return (array as unknown as { readonly BYTES_PER_ELEMENT: number }).BYTES_PER_ELEMENT
}

/** Nested and rare values as JavaScript: arrays, objects, bytes, bigint, text. */
function plain(value: DuckDBValue): unknown {
  if (value === null || typeof value !== 'object') return value
  if (value instanceof DuckDBBlobValue) return value.bytes
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) return value.items.map(plain)
  if (value instanceof DuckDBStructValue) {
    return Object.fromEntries(Object.entries(value.entries).map(([key, inner]) => [key, plain(inner)]))
  }
  if (value instanceof DuckDBMapValue) {
    return value.entries.map(entry => ({ key: plain(entry.key), value: plain(entry.value) }))
  }
  return String(value)
}

/** Sums of integers come as 128 bits; what fits into 64 is given as such. */
function narrow(values: readonly DuckDBValue[]): ResultVector {
  const narrowed = new BigInt64Array(values.length)
  const valid = bitmap(values.length, true)
  values.forEach((value, i) => {
    if (value === null) valid[i >> 3]! &= ~(1 << (i & 7))
    else if (BigInt.asIntN(64, value as bigint) === value) narrowed[i] = value
    else {
      throw new DbError('PlanQuery', `${value} does not fit into 64 bits: cast the expression to DOUBLE or DECIMAL`)
    }
  })
  return { values: narrowed, valid }
}

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

function resultType(type: DuckDBType): ResultType {
  if (type.alias === 'JSON') return 'Json'
  const name = names[type.typeId]
  if (name !== undefined) return name
  if (type.typeId === Id.DECIMAL) {
    const { width, scale } = type as unknown as { width: number; scale: number }
    return `Decimal(${width}, ${scale})`
  }
  if (type.typeId === Id.LIST || type.typeId === Id.ARRAY) {
    return `List<${resultType((type as unknown as { valueType: DuckDBType }).valueType)}>`
  }
  if (type.typeId === Id.STRUCT) {
    const { entryNames, entryTypes } = type as unknown as { entryNames: string[]; entryTypes: DuckDBType[] }
    return `Struct<${entryNames.map((name, i) => `${name}: ${resultType(entryTypes[i]!)}`).join(', ')}>`
  }
  return 'String'
}
