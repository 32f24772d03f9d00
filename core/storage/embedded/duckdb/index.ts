// The only access to DuckDB: an in-memory instance confined to the data folder, its connections, and bulk appends.
import type { DuckDBConnection } from '@duckdb/node-api'
import type { ResultBatch } from '../../../model/batch.ts'
import { serialQueue } from '../../../serial.ts'
import { type ConfinedOptions, openConfined } from './confined.ts'
import { type Connections, createConnections } from './connections.ts'
import { translate } from './errors.ts'
import { inKiB } from './settings.ts'

/** A connection that runs one statement after the other. */
interface SerialConnection {
  /** Runs statements for their effect. */
  run(sql: string): Promise<void>
  /** The first row of a small result. */
  row(sql: string): Promise<readonly unknown[]>
}

export interface Duckdb extends SerialConnection, Pick<Connections, 'stream'> {
  /** For long background work. */
  readonly background: SerialConnection
  /** All rows of a result that fits in memory. */
  read(sql: string): Promise<readonly ResultBatch[]>
  /**
   * Makes the C allocator return free memory of the whole process to the system. Takes a few milliseconds for a hundred megabytes, in a
   * thread of DuckDB.
   */
  trim(): Promise<void>
  /** False from the beginning of `close`. */
  isOpen(): boolean
  /** Closes after running statements; results still being read are interrupted, or read to their end with `finish`. */
  close(finish?: boolean): Promise<void>
}

export async function openDuckdb(options: ConfinedOptions): Promise<Duckdb> {
  const [instance, main] = await openConfined({ ...options, open: ['memory_limit'] })
  const foreground = serialConnection(main)
  const connections = createConnections(instance)
  const background = serialConnection(await instance.connect())
  let open = true
  return {
    ...foreground,
    background,
    stream: connections.stream,
    read: sql => readWhole(connections, sql),
    // Setting the limit, even to the same value, makes DuckDB call `malloc_trim`.
    trim: () => background.run(`SET GLOBAL memory_limit='${inKiB(options.memoryLimit)}'`),
    isOpen: () => open,
    async close(finish = false) {
      open = false
      await connections.close(finish)
      await background.end()
      await foreground.end()
      instance.closeSync()
    }
  }
}

async function readWhole({ whole }: Connections, sql: string): Promise<readonly ResultBatch[]> {
  const batches: ResultBatch[] = []
  for await (const batch of (await whole({ sql }, never, () => {})).batches()) batches.push(batch)
  return batches
}

/** Never fires. */
const never = new AbortController().signal

interface ClosableConnection extends SerialConnection {
  end(): Promise<void>
}

function serialConnection(connection: DuckDBConnection): ClosableConnection {
  const exclusively = serialQueue()
  return {
    run: sql => exclusively(async () => void (await translate(connection.run(sql)))),
    row: sql => exclusively(async () => (await translate(connection.runAndReadAll(sql))).getRows()[0] ?? []),
    end: () => exclusively(async () => connection.closeSync())
  }
}

export type { Statement } from './connections.ts'
export { parquetRows } from './parquet-rows.ts'
export { duckdbType, initialValue, quoteName, quoteText } from './words.ts'
