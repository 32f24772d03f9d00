// The one door to DuckDB: an in-memory instance confined to the data folder, its connections, and bulk appends.
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { DbError } from '../../errors.ts'
import type { ColumnData } from '../../model/batch.ts'
import type { ColumnType } from '../../model/types.ts'
import type { QueryResult } from '../engine.ts'
import { streamResult } from './result.ts'
import { RowSources } from './rows.ts'

export interface DuckdbOptions {
  /** Folders its SQL may touch, absolute. */
  readonly folders: readonly string[]
  readonly spill: string
  /** Bytes. */
  readonly memoryLimit: number
  /** 0: as many as the machine has. */
  readonly threads: number
}

export interface Duckdb {
  /** Runs statements for their effect. */
  run(sql: string): Promise<void>
  /** First row of a small result. */
  row(sql: string): Promise<readonly unknown[]>
  /** A streaming result on a connection of its own; `release` runs once when it has ended in any way. */
  stream(sql: string, timezone: string, signal: AbortSignal, release: () => void): Promise<QueryResult>
  /** Runs statements that read rows from memory: `work` gets the SQL expression that stands for them. */
  withRows<T>(source: RowSource, work: (rows: string) => Promise<T>): Promise<T>
  /** After the statements under way; results still being read are interrupted. */
  close(): Promise<void>
}

/** Rows in memory as a table: whatever reads them copies them chunk by chunk. */
export interface RowSource {
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[]
  readonly batches: readonly RowBatch[]
}

export interface RowBatch {
  readonly rows: number
  /** In the order of the source's columns; undefined means null. */
  readonly columns: readonly (ColumnData | undefined)[]
}

export async function openDuckdb(options: DuckdbOptions): Promise<Duckdb> {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: `${Math.floor(options.memoryLimit / 1024)}KiB`,
    temp_directory: options.spill,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    preserve_insertion_order: 'false',
    ...(options.threads > 0 && { threads: String(options.threads) })
  })
  const main = await instance.connect()
  await main.run(
    `SET GLOBAL allowed_directories=[${options.folders.map(quoteText).join(', ')}];
     SET GLOBAL TimeZone='UTC';
     SET GLOBAL allowed_configs=['TimeZone'];
     SET GLOBAL enable_external_access=false;
     SET GLOBAL lock_configuration=true`
  )
  const sources = new RowSources(main)
  const streams = new Set<DuckDBConnection>()
  // A connection runs one statement at a time; maintenance takes turns on its own.
  let turn: Promise<unknown> = Promise.resolve()
  const exclusively = <T>(work: () => Promise<T>): Promise<T> => {
    const next = turn.then(work, work)
    turn = next.catch(() => {})
    return next
  }
  return {
    run: sql => exclusively(async () => void (await translate(main.run(sql)))),
    row: sql => exclusively(async () => (await translate(main.runAndReadAll(sql))).getRows()[0] ?? []),
    stream: (sql, timezone, signal, release) => openStream(instance, streams, sql, timezone, signal, release),
    withRows: (source, work) => sources.use(source, work),
    async close() {
      await exclusively(async () => {
        for (const connection of streams) connection.interrupt()
        // Closing a connection under a running statement crashes DuckDB: readers close theirs when they have stopped.
        while (streams.size > 0) await new Promise(resolve => setTimeout(resolve, 5))
        main.closeSync()
        instance.closeSync()
      })
    }
  }
}

async function openStream(
  instance: DuckDBInstance,
  streams: Set<DuckDBConnection>,
  sql: string,
  timezone: string,
  signal: AbortSignal,
  release: () => void
): Promise<QueryResult> {
  let connection: DuckDBConnection | undefined
  const interrupt = () => connection?.interrupt()
  const end = () => {
    signal.removeEventListener('abort', interrupt)
    if (connection) streams.delete(connection)
    connection?.closeSync()
    connection = undefined
    release()
  }
  try {
    connection = await instance.connect()
    streams.add(connection)
    if (signal.aborted) throw cancelled(signal)
    signal.addEventListener('abort', interrupt, { once: true })
    if (timezone !== 'UTC') await connection.run(`SET TimeZone=${quoteText(timezone)}`)
    return streamResult(await translate(connection.stream(sql), signal), signal, interrupt, end)
  } catch (error) {
    end()
    throw error
  }
}

export function cancelled(signal: AbortSignal): DbError {
  const reason: unknown = signal.reason
  if (reason instanceof DbError) return reason
  return new DbError('Cancelled', 'the query was cancelled', { cause: reason })
}

/** Errors of DuckDB as ours, at the edge where they enter. */
export async function translate<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (signal?.aborted) throw cancelled(signal)
    throw translateError(error)
  }
}

function translateError(error: unknown): DbError {
  const text = (error instanceof Error ? error.message : String(error)).replace(/^Failed to extract statements: /, '')
  const message = text.split('\n\n')[0]!.trim()
  if (/^(Binder|Catalog|Conversion|Invalid Input|Out of Range|Not implemented|Constraint) Error/.test(text)) {
    return new DbError('PlanQuery', message, { cause: error })
  }
  if (/^Parser Error/.test(text)) return new DbError('InvalidSyntax', message, { cause: error })
  if (/^Permission Error/.test(text)) return new DbError('PermissionDenied', message, { cause: error })
  if (/^Out of Memory Error/.test(text)) {
    return new DbError('RuntimeResourcesExhausted', `${message} (limit: storage.memory_limit)`, { cause: error })
  }
  return new DbError('EngineExecuteQuery', message, { cause: error })
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** DuckDB's word for a column type. */
export function duckdbType(type: ColumnType): string {
  if (type.startsWith('Decimal')) return type.toUpperCase()
  return typeWords[type as keyof typeof typeWords]
}

const typeWords = {
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
} as const satisfies Partial<Record<ColumnType, string>>
