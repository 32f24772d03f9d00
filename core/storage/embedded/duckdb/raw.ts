// Results as bytes: for work on millions of values that must not become JavaScript values one by one.
import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api'
import bindings from '@duckdb/node-bindings'
import { isValid } from '../../../model/batch.ts'
import { translate } from './errors.ts'

/** Some rows of a result; good until the next ones are asked for. */
export interface RawChunk {
  readonly rows: number
  /** A UINTEGER column without nulls. */
  uint32(column: number): Uint32Array
  /** A UBIGINT column without nulls: two words a row, the low one first. */
  uint64(column: number): Uint32Array
  /** A VARCHAR, its bytes copied; undefined for null. */
  text(column: number, row: number): Uint8Array<ArrayBuffer> | undefined
}

/** Longest text DuckDB keeps inside its 16-byte string structure. */
const inlined = 12
const structureBytes = 16

/** Runs a query whose whole result fits into memory and visits it chunk by chunk. */
export async function scanRaw(
  connection: DuckDBConnection,
  sql: string,
  visit: (chunk: RawChunk) => void | Promise<void>
): Promise<void> {
  const result = await translate(connection.run(sql))
  for (;;) {
    const chunk = await result.fetchChunk()
    if (chunk === null || chunk.rowCount === 0) return
    await visit(rawChunk(chunk))
  }
}

function rawChunk(chunk: DuckDBDataChunk): RawChunk {
  const rows = chunk.rowCount
  const vector = (column: number) => bindings.data_chunk_get_vector(chunk.chunk, column)
  const words = (column: number, bytes: number) =>
    new Uint32Array(bindings.vector_get_data(vector(column), bytes).slice().buffer)
  return {
    rows,
    uint32: column => words(column, rows * 4),
    uint64: column => words(column, rows * 8),
    text(column, row) {
      const validity = bindings.vector_get_validity(vector(column), Math.ceil(rows / 64) * 8)
      if (!isValid(validity ?? undefined, row)) return undefined
      const data = bindings.vector_get_data(vector(column), rows * structureBytes)
      const at = data.byteOffset + row * structureBytes
      const length = new DataView(data.buffer).getUint32(at, true)
      if (length <= inlined) return new Uint8Array(data.buffer.slice(at + 4, at + 4 + length) as ArrayBuffer)
      const bytes = bindings.get_data_from_pointer(data.buffer as ArrayBuffer, at + 8, length)
      return new Uint8Array(bytes)
    }
  }
}
