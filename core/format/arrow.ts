// The Arrow IPC stream format: a schema, then one record batch per batch of the result.
import { zstdCompressSync } from 'node:zlib'
import type * as Arrow from 'apache-arrow'
import type { ResultBatch, ResultColumn } from '../model/batch.ts'
import { compressLz4 } from '../wire/lz4.ts'
import type { Compression, RecordsAnswer, ResultFormat } from './answer.ts'
import { arrowColumn } from './arrow-column.ts'

export const arrow: ResultFormat = {
  header: 'arrow',
  contentType: 'application/arrow',
  several: false,
  async *encode([answer], { compression }) {
    if (answer?.kind === 'records') yield* stream(answer, compression)
  }
}

async function* stream(answer: RecordsAnswer, compression: Compression | undefined): AsyncGenerator<Uint8Array> {
  // Loaded on demand, because only this format needs the library.
  const library = await import('apache-arrow')
  const columns = answer.columns.map(column => ({ column, layout: arrowColumn(library, column.type) }))
  const schema = new library.Schema(
    columns.map(({ column, layout }) => new library.Field(column.name, layout.type, true, origin(column)))
  )
  const writer = new library.RecordBatchStreamWriter(
    compression === undefined ? {} : { compressionType: codec(library, compression) }
  )
  const written = collect(writer)
  writer.reset(undefined, schema)
  for await (const batch of answer.batches()) {
    writer.write(recordBatch(library, schema, columns, batch))
    yield* written.splice(0)
  }
  writer.finish()
  yield* written.splice(0)
}

/** Takes the writer's bytes at once, because its own queue would grow without bound if the client reads slowly. */
function collect(writer: Arrow.RecordBatchStreamWriter): Uint8Array[] {
  const written: Uint8Array[] = []
  const sink = writer as unknown as { _sink: { write(bytes: Uint8Array): void; close(): void } }
  sink._sink = {
    write: bytes => {
      written.push(bytes)
    },
    close() {}
  }
  return written
}

/** Our name of the type, if Arrow's type is less specific. */
function origin({ type }: ResultColumn): Map<string, string> {
  return new Map([['svc_type', type]])
}

type Columns = readonly { readonly layout: ReturnType<typeof arrowColumn> }[]

function recordBatch(library: typeof Arrow, schema: Arrow.Schema, columns: Columns, batch: ResultBatch) {
  const children = columns.map(({ layout }, c) => layout.data(batch.columns[c]!, batch.rows))
  const data = library.makeData({ type: new library.Struct(schema.fields), length: batch.rows, nullCount: 0, children })
  return new library.RecordBatch(schema, data)
}

function codec(library: typeof Arrow, compression: Compression): Arrow.CompressionType {
  const { LZ4_FRAME, ZSTD } = library.CompressionType
  const type = compression === 'lz4' ? LZ4_FRAME : ZSTD
  if (library.compressionRegistry.get(type) === null) {
    library.compressionRegistry.set(type, {
      encode: compression === 'lz4' ? compressLz4 : bytes => zstdCompressSync(bytes)
    })
  }
  return type
}
