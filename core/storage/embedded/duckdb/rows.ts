// Rows in memory as a DuckDB table function: DuckDB's own thread asks for chunk after chunk, only the copying happens in ours.
import { type DuckDBConnection, DuckDBTableFunction, DuckDBTypeId as Id, INTEGER } from '@duckdb/node-api'
import bindings from '@duckdb/node-bindings'
import type { ColumnData } from '../../../model/batch.ts'
import type { ColumnType } from '../../../model/types.ts'
import { fillVector } from './vector.ts'

/** Rows in memory as a table: whatever reads them copies them chunk by chunk. */
export interface RowSource {
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[]
  readonly batches: readonly RowBatch[]
  /** What DuckDB takes them for when it plans; default: more than there are. */
  readonly expected?: number
}

export interface RowBatch {
  /** Those before `from` included. */
  readonly rows: number
  /** The first row that counts; default 0. */
  readonly from?: number
  /** In the order of the source's columns; undefined means null. */
  readonly columns: readonly (ColumnData | undefined)[]
}

/** No user may name it: the sql plugin allows only the functions it lists. */
const functionName = 'weir_rows'

/** In a join they stay the side that is read in order, whatever the other one holds. */
const manyRows = 1_000_000_000

const chunkRows = bindings.vector_size()

interface Cursor {
  readonly source: RowSource
  batch: number
  row: number
}

export class RowSources {
  readonly #open = new Map<number, RowSource>()
  #next = 0

  constructor(connection: DuckDBConnection) {
    connection.registerTableFunction(
      DuckDBTableFunction.create({
        name: functionName,
        parameterTypes: [INTEGER],
        bindFunction: info => {
          const source = this.#open.get(Number(info.getParameter(0)))
          if (source === undefined) throw new Error('these rows are gone')
          const raw = (info as unknown as { readonly bind_info: bindings.TableFunctionBindInfo }).bind_info
          for (const { name, type } of source.columns) bindings.bind_add_result_column(raw, name, logicalType(type))
          info.setCardinality(source.expected ?? manyRows, false)
          info.setBindData(source)
        },
        initFunction: info => {
          info.setMaxThreads(1)
          info.setInitData({
            source: info.bindData as RowSource,
            batch: 0,
            row: firstRow(info.bindData as RowSource, 0)
          } satisfies Cursor)
        },
        mainFunction: (info, chunk) => fillChunk(info.initData as Cursor, chunk.chunk)
      })
    )
  }

  async use<T>(source: RowSource, work: (rows: string) => Promise<T>): Promise<T> {
    const id = this.#next++
    this.#open.set(id, source)
    try {
      return await work(`${functionName}(${id})`)
    } finally {
      this.#open.delete(id)
    }
  }
}

/** The next rows of one batch; none when all are given. */
function fillChunk(cursor: Cursor, chunk: bindings.DataChunk): void {
  const batch = cursor.source.batches[cursor.batch]
  if (batch === undefined) {
    bindings.data_chunk_set_size(chunk, 0)
    return
  }
  const count = Math.min(chunkRows, batch.rows - cursor.row)
  cursor.source.columns.forEach(({ type }, i) => {
    fillVector(bindings.data_chunk_get_vector(chunk, i), type, batch.columns[i], cursor.row, count)
  })
  bindings.data_chunk_set_size(chunk, count)
  cursor.row += count
  if (cursor.row < batch.rows) return
  cursor.batch++
  cursor.row = firstRow(cursor.source, cursor.batch)
}

function firstRow({ batches }: RowSource, batch: number): number {
  return batches[batch]?.from ?? 0
}

function logicalType(type: ColumnType): bindings.LogicalType {
  if (type.startsWith('Decimal')) {
    const [width, scale] = type.match(/\d+/g)!.map(Number)
    return bindings.create_decimal_type(width!, scale!)
  }
  const logical = bindings.create_logical_type(typeIds[type as keyof typeof typeIds] as number)
  if (type === 'Json') bindings.logical_type_set_alias(logical, 'JSON')
  return logical
}

const typeIds = {
  Boolean: Id.BOOLEAN,
  Int8: Id.TINYINT,
  Int16: Id.SMALLINT,
  Int32: Id.INTEGER,
  Int64: Id.BIGINT,
  UInt8: Id.UTINYINT,
  UInt16: Id.USMALLINT,
  UInt32: Id.UINTEGER,
  UInt64: Id.UBIGINT,
  Float32: Id.FLOAT,
  Float64: Id.DOUBLE,
  String: Id.VARCHAR,
  Binary: Id.BLOB,
  Json: Id.VARCHAR,
  Date: Id.DATE,
  TimestampSecond: Id.TIMESTAMP_S,
  TimestampMillisecond: Id.TIMESTAMP_MS,
  TimestampMicrosecond: Id.TIMESTAMP,
  TimestampNanosecond: Id.TIMESTAMP_NS
} as const
