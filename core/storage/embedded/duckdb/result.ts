// Converts DuckDB's result chunks to our columns.
import {
  DuckDBDataChunk,
  type DuckDBResult,
  type DuckDBType,
  DuckDBTypeId as Id,
  ResultReturnType
} from '@duckdb/node-api'
import bindings from '@duckdb/node-bindings'
import { DbError } from '../../../errors.ts'
import type { FixedData, ResultBatch, ResultColumn, ResultVector } from '../../../model/batch.ts'
import type { ResultType } from '../../../model/types.ts'
import type { QueryResult } from '../../engine.ts'
import { cancelled, translate } from './errors.ts'
import { resultType } from './result-type.ts'
import { narrow, plainValue } from './result-value.ts'
import { readTexts, textBytes } from './text-vector.ts'

/** Reads a streaming result. `end` is called once when nothing runs any more; `whole` is true if the result was read to its end. */
export async function streamResult(
  result: DuckDBResult,
  signal: AbortSignal,
  interrupt: () => void,
  end: (whole: boolean) => void
): Promise<QueryResult> {
  const { types, columns, ahead } = await describeResult(result, signal)
  let open = true
  let whole = false
  let fetching: Promise<unknown> | undefined
  /** Requests the next chunk, which is computed while the current one is read. */
  const fetch = () => {
    const next = translate(result.fetchChunk(), signal).finally(() => {
      fetching = undefined
    })
    fetching = next
    next.catch(() => {})
    return next
  }
  const close = () => {
    if (!open) return
    open = false
    if (fetching === undefined) return end(whole)
    interrupt()
    const ended = () => end(false)
    fetching.then(ended, ended)
  }
  return {
    columns,
    close,
    async *batches() {
      try {
        for (const chunk of ahead.chunks.splice(0)) yield readChunk(chunk, types, columns)
        if (ahead.ended) {
          whole = true
          return
        }
        let next = open ? fetch() : undefined
        while (next !== undefined) {
          const chunk = await next
          if (chunk === null || chunk.rowCount === 0) {
            checkEnd(result, signal)
            whole = true
            return
          }
          next = open ? fetch() : undefined
          yield readChunk(chunk, types, columns)
        }
      } finally {
        close()
      }
    }
  }
}

/** Reads a materialised result. */
export function wholeResult(result: DuckDBResult): QueryResult {
  const types = result.columnTypes()
  const made = (result as unknown as { readonly result: bindings.Result }).result
  const chunks = Array.from(
    { length: bindings.result_chunk_count(made) },
    (_, i) => new DuckDBDataChunk(bindings.result_get_chunk(made, i))
  )
  const columns = columnsOf(result.columnNames(), types, chunks)
  return {
    columns,
    close: () => {},
    async *batches() {
      for (const chunk of chunks) yield readChunk(chunk, types, columns)
    }
  }
}

/** Sums of integers: returned as 64-bit integers if all values fit, else as decimals. */
function isWide({ typeId }: DuckDBType): boolean {
  return typeId === Id.HUGEINT || typeId === Id.UHUGEINT
}

const wideType = 'Decimal(38, 0)'

/** Chunks read ahead to determine the types of sums. */
const chunksAhead = 16

/** The columns of a streaming result, and the chunks that were read to determine them. */
export async function describeResult(result: DuckDBResult, signal?: AbortSignal) {
  const types = result.columnTypes()
  const ahead = types.some(isWide) ? await readAhead(result, signal) : { chunks: [], ended: false }
  return { types, columns: columnsOf(result.columnNames(), types, ahead.chunks), ahead }
}

async function readAhead(result: DuckDBResult, signal?: AbortSignal) {
  const chunks: DuckDBDataChunk[] = []
  while (chunks.length < chunksAhead) {
    const chunk = await translate(result.fetchChunk(), signal)
    if (chunk === null || chunk.rowCount === 0) {
      checkEnd(result, signal)
      return { chunks, ended: true }
    }
    chunks.push(chunk)
  }
  return { chunks, ended: false }
}

function columnsOf(
  names: readonly string[],
  types: readonly DuckDBType[],
  ahead: readonly DuckDBDataChunk[]
): ResultColumn[] {
  return names.map((name, i) => {
    const type = types[i]!
    const exceeds = isWide(type) && ahead.some(chunk => chunk.getColumnValues(i).some(value => !fits(value)))
    return { name, type: exceeds ? wideType : resultType(type) }
  })
}

function fits(value: unknown): boolean {
  return typeof value !== 'bigint' || BigInt.asIntN(64, value) === value
}

/** A result that fails while it is read ends like a complete one; this tells them apart. */
export function checkEnd(result: DuckDBResult, signal?: AbortSignal): void {
  if (result.returnType !== ResultReturnType.INVALID) return
  if (signal?.aborted) throw cancelled(signal)
  throw new DbError(
    'EngineExecuteQuery',
    'the query failed after its first rows: some later row holds a value an expression cannot take, or storage.memory_limit is used up'
  )
}

function readChunk(
  chunk: DuckDBDataChunk,
  types: readonly DuckDBType[],
  columns: readonly ResultColumn[]
): ResultBatch {
  const rows = chunk.rowCount
  return { rows, columns: types.map((type, c) => readVector(chunk, c, type, rows, columns[c]!.type)) }
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

export function readVector(
  chunk: DuckDBDataChunk,
  c: number,
  type: DuckDBType,
  rows: number,
  shown: ResultType
): ResultVector {
  if (type.typeId === Id.VARCHAR) return readTextVector(chunk, c, rows)
  const array = fixed.get(type.typeId)
  if (isWide(type)) {
    const values = chunk.getColumnValues(c)
    return shown === wideType
      ? { values: values.map(value => (value === null ? null : String(value))) }
      : narrow(values)
  }
  if (array === undefined) {
    const convert = plainValue(chunk.getColumnVector(c).type)
    return { values: chunk.getColumnValues(c).map(convert) }
  }
  const vector = bindings.data_chunk_get_vector(chunk.chunk, c)
  // A copy, because the memory is freed with the chunk.
  const values = new array(bindings.vector_get_data(vector, rows * width(array)).slice().buffer)
  const valid = readValidity(vector, rows)
  return valid ? { values, valid } : { values }
}

function readTextVector(chunk: DuckDBDataChunk, c: number, rows: number): ResultVector {
  const vector = bindings.data_chunk_get_vector(chunk.chunk, c)
  return { values: readTexts(bindings.vector_get_data(vector, rows * textBytes), rows, readValidity(vector, rows)) }
}

type Vector = ReturnType<typeof bindings.data_chunk_get_vector>

function readValidity(vector: Vector, rows: number): Uint8Array | undefined {
  return bindings.vector_get_validity(vector, Math.ceil(rows / 64) * 8)?.slice()
}

function width(array: FixedArray): number {
  return (array as unknown as { readonly BYTES_PER_ELEMENT: number }).BYTES_PER_ELEMENT
}
