// The one door to DuckDB: an in-memory instance confined to the data folder, its connections, and bulk appends.
import type { DuckDBConnection } from '@duckdb/node-api'
import type { ResultBatch } from '../../../model/batch.ts'
import { serialQueue } from '../../../serial.ts'
import { type ConfinedOptions, openConfined } from './confined.ts'
import { type Connections, createConnections } from './connections.ts'
import { translate } from './errors.ts'
import { inKiB } from './settings.ts'

/** Statements one after the other on a connection of their own. */
export interface SerialConnection {
  /** Runs statements for their effect. */
  run(sql: string): Promise<void>
  /** First row of a small result. */
  row(sql: string): Promise<readonly unknown[]>
}

export interface Duckdb extends SerialConnection, Pick<Connections, 'stream'> {
  /** For long work that nothing waits for. */
  readonly background: SerialConnection
  /** All rows of a result that fits into memory. */
  read(sql: string): Promise<readonly ResultBatch[]>
  /**
   * Gives memory back to the system that the allocator of this process keeps between what is used, whoever freed it: a few milliseconds for a
   * hundred megabytes, in a thread of DuckDB.
   */
  trim(): Promise<void>
  /** False once it is being closed. */
  isOpen(): boolean
  /** After the statements under way; results still being read are interrupted, or with `finish` read to their end. */
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
    // Where its limit is set, even to what it was, DuckDB has the allocator of the C library look through all it keeps (`malloc_trim`).
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

/** Nobody takes it back. */
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
export { duckdbType, initialValue, quoteName, quoteText } from './words.ts'
