// The one door to DuckDB: an in-memory instance confined to the data folder, its connections, and bulk appends.
import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBPreparedStatement,
  type DuckDBResult
} from '@duckdb/node-api'
import type { ResultBatch } from '../../../model/batch.ts'
import type { QueryResult, SqlValue } from '../../engine.ts'
import { cancelled, translate } from './errors.ts'
import { type RawChunk, scanRaw } from './raw.ts'
import { readResult, streamResult } from './result.ts'
import { type RowSource, RowSources } from './rows.ts'
import { quoteText } from './words.ts'

export interface DuckdbOptions {
  /** Folders its SQL may touch, absolute. */
  readonly folders: readonly string[]
  readonly spill: string
  /** Bytes. */
  readonly memoryLimit: number
  /** 0: as many as the machine has. */
  readonly threads: number
}

/** Statements one after the other on a connection of their own. */
export interface Turns {
  /** Runs statements for their effect. */
  run(sql: string): Promise<void>
  /** First row of a small result. */
  row(sql: string): Promise<readonly unknown[]>
}

export interface Duckdb extends Turns {
  /** For long work that nothing waits for. */
  readonly background: Turns
  /** Visits a small result as bytes, on a connection for nothing else. */
  scan(sql: string, visit: (chunk: RawChunk) => void | Promise<void>): Promise<void>
  /** All rows of a result that fits into memory. */
  read(sql: string): Promise<readonly ResultBatch[]>
  /** A streaming result on a connection of its own; `release` runs once when it has ended in any way. */
  stream(statement: Statement, signal: AbortSignal, release: () => void): Promise<QueryResult>
  /** Runs statements that read rows from memory: `work` gets the SQL expression that stands for them. */
  withRows<T>(source: RowSource, work: (rows: string) => Promise<T>): Promise<T>
  /** False once it is being closed. */
  isOpen(): boolean
  /** Connections of streaming results. */
  connections(): { readonly idle: number; readonly busy: number }
  /** After the statements under way; results still being read are interrupted, or with `finish` read to their end. */
  close(finish?: boolean): Promise<void>
}

export interface Statement {
  readonly sql: string
  /** Default UTC. */
  readonly timezone?: string
  readonly parameters?: readonly SqlValue[]
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
  // What DuckDB keeps of a file outlives the file, up to the memory limit: files come and go here, and the system caches them anyway.
  await main.run(
    `SET GLOBAL parquet_metadata_cache=false;
     SET GLOBAL enable_external_file_cache=false;
     SET GLOBAL allowed_directories=[${options.folders.map(quoteText).join(', ')}];
     SET GLOBAL TimeZone='UTC';
     SET GLOBAL allowed_configs=['TimeZone'];
     SET GLOBAL enable_external_access=false;
     SET GLOBAL lock_configuration=true`
  )
  const sources = new RowSources(main)
  /** Ends of the streams that are open. */
  const streams = new Set<() => void>()
  const foreground = takeTurns(main)
  const pool = createPool(instance)
  const background = takeTurns(await instance.connect())
  const raw = await instance.connect()
  const scans = takeTurns(raw)
  let open = true
  return {
    ...foreground,
    background,
    stream: (statement, signal, release) => openStream(pool, streams, statement, signal, release),
    read: sql => readWhole(pool, streams, sql),
    scan: (sql, visit) => scans.exclusively(() => scanRaw(raw, sql, visit)),
    withRows: (source, work) => sources.use(source, work),
    connections: () => ({ idle: pool.size(), busy: streams.size }),
    isOpen: () => open,
    async close(finish = false) {
      open = false
      if (!finish) for (const stop of [...streams]) stop()
      // Closing a connection under a running statement crashes DuckDB: those wait until theirs has been interrupted.
      while (streams.size > 0) await new Promise(resolve => setTimeout(resolve, 5))
      await scans.end()
      pool.close()
      await background.end()
      await foreground.end()
      instance.closeSync()
    }
  }
}

interface Line extends Turns {
  exclusively<T>(work: () => Promise<T>): Promise<T>
  end(): Promise<void>
}

function takeTurns(connection: DuckDBConnection): Line {
  let turn: Promise<unknown> = Promise.resolve()
  const exclusively = <T>(work: () => Promise<T>): Promise<T> => {
    const next = turn.then(work, work)
    turn = next.catch(() => {})
    return next
  }
  return {
    exclusively,
    run: sql => exclusively(async () => void (await translate(connection.run(sql)))),
    row: sql => exclusively(async () => (await translate(connection.runAndReadAll(sql))).getRows()[0] ?? []),
    end: () => exclusively(async () => connection.closeSync())
  }
}

async function openStream(
  pool: ConnectionPool,
  streams: Set<() => void>,
  { sql, timezone = 'UTC', parameters = [] }: Statement,
  signal: AbortSignal,
  release: () => void
): Promise<QueryResult> {
  let connection: DuckDBConnection | undefined
  let result: QueryResult | undefined
  const interrupt = () => connection?.interrupt()
  const stop = () => (result === undefined ? interrupt() : result.close())
  const end = (whole: boolean) => {
    signal.removeEventListener('abort', interrupt)
    streams.delete(stop)
    // One that was interrupted, or knows another zone, serves no other query.
    if (connection !== undefined && whole && timezone === 'UTC') pool.giveBack(connection)
    else connection?.closeSync()
    connection = undefined
    release()
  }
  try {
    connection = pool.take() ?? (await pool.open())
    streams.add(stop)
    if (signal.aborted) throw cancelled(signal)
    signal.addEventListener('abort', interrupt, { once: true })
    if (timezone !== 'UTC') await connection.run(`SET TimeZone=${quoteText(timezone)}`)
    result = streamResult(await translate(start(connection, sql, parameters), signal), signal, interrupt, end)
    return result
  } catch (error) {
    end(false)
    throw error
  }
}

/** What is made is fetched without a change of threads for each chunk. */
async function readWhole(pool: ConnectionPool, streams: Set<() => void>, sql: string): Promise<readonly ResultBatch[]> {
  const connection = pool.take() ?? (await pool.open())
  const stop = () => connection.interrupt()
  streams.add(stop)
  let whole = false
  try {
    const batches = readResult(await translate(connection.run(sql)))
    whole = true
    return batches
  } finally {
    streams.delete(stop)
    if (whole) pool.giveBack(connection)
    else connection.closeSync()
  }
}

async function start(
  connection: DuckDBConnection,
  sql: string,
  parameters: readonly SqlValue[]
): Promise<DuckDBResult> {
  const prepared = await connection.prepare(sql)
  try {
    for (const [i, value] of parameters.entries()) bind(prepared, i + 1, value)
    return await prepared.stream()
  } finally {
    prepared.destroySync()
  }
}

function bind(prepared: DuckDBPreparedStatement, place: number, value: SqlValue): void {
  if (typeof value === 'string') prepared.bindVarchar(place, value)
  else if (typeof value === 'bigint') prepared.bindBigInt(place, value)
  else if (typeof value === 'number') prepared.bindDouble(place, value)
  else prepared.bindBoolean(place, value)
}

interface ConnectionPool {
  take(): DuckDBConnection | undefined
  open(): Promise<DuckDBConnection>
  giveBack(connection: DuckDBConnection): void
  size(): number
  close(): void
}

/** Connections that wait for the next query. */
const idleConnections = 8

function createPool(instance: DuckDBInstance): ConnectionPool {
  const idle: DuckDBConnection[] = []
  let open = true
  return {
    take: () => idle.pop(),
    open: () => instance.connect(),
    giveBack(connection) {
      if (open && idle.length < idleConnections) idle.push(connection)
      else connection.closeSync()
    },
    size: () => idle.length,
    close() {
      open = false
      for (const connection of idle.splice(0)) connection.closeSync()
    }
  }
}

export type { RawChunk } from './raw.ts'
export type { RowSource } from './rows.ts'
export { duckdbType, initialValue, quoteName, quoteText } from './words.ts'
