// The default engine: write-ahead log, memtables and Parquet files in one folder; DuckDB reads them and SQLite is the catalog.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { foldersOf, nameFolders } from '../../config/folders.ts'
import { DbError, isDbError, withMessage } from '../../errors.ts'
import type { Logger } from '../../log/log.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { Table } from '../../model/table.ts'
import { eachPaced, Pace, runPaced } from '../../pace.ts'
import { every, pause, type Timer } from '../../timer.ts'
import { noTracing, type Tracing } from '../../trace/trace.ts'
import { duckdb } from '../dialect/duckdb.ts'
import type {
  Catalog,
  Engine,
  Maintenance,
  Opening,
  Query,
  QueryResult,
  Report,
  ResolvedSeries,
  ResolvedWrite
} from '../engine.ts'
import { backUp } from './backup/backup.ts'
import type { DataFile } from './catalog/catalog-rows.ts'
import { createLiveCatalog } from './catalog/live-catalog.ts'
import {
  type EngineContext,
  type EngineState,
  openToRead,
  openToWrite,
  type StorageConfig,
  usualHousekeeping,
  usualProcessDelay,
  type Writable
} from './engine-state.ts'
import { FilePins } from './file/file-pins.ts'
import { encodeRecord } from './log/record.ts'
import type { OpenTables } from './memory/tables.ts'
import type { CountedMemory } from './memory-use.ts'
import { type EngineMetrics, engineMetrics } from './metrics.ts'
import { runQuery } from './query/read.ts'
import { type ReadLimits, usualLimits } from './read/limits.ts'
import { catalogThere, notWritable, retryWriting, whyUnwritable } from './read-only.ts'
import { applyLogged, type Prepared, prepareParts, recordParts, type WritePart } from './write.ts'

/** Milliseconds a write waits for memory before it is refused. */
const maxStallTime = 10_000

type Given = Pick<EngineContext, 'reducers' | 'housekeeping' | 'processDelay'>

export function createEmbeddedEngine(
  config: StorageConfig,
  log: Logger,
  metrics: Metrics,
  tracing: Tracing = noTracing,
  given: Partial<Given & { readonly limits: ReadLimits }> = {}
): Engine {
  const { reducers = [], housekeeping = usualHousekeeping, processDelay = usualProcessDelay } = given
  const { limits = usualLimits } = given
  return new EmbeddedEngine(config, { log, metrics, tracing }, { reducers, housekeeping, processDelay }, limits)
}

class EmbeddedEngine implements Engine {
  readonly name = 'embedded'
  readonly supports = { sql: duckdb, durable: true, distributed: false, admission: true }
  readonly catalog: Catalog
  readonly #around: EngineContext
  readonly #limits: ReadLimits
  #opened: EngineState | undefined
  /** Why the folder cannot be written; undefined if it can. */
  #unwritable: string | undefined
  #retry: Timer | undefined
  /** The switch from read-only to read-write, while it runs. */
  #resuming: Promise<void> | undefined
  /** Queries that have checked the state but not returned their first row. */
  #starting = new Set<Promise<unknown>>()

  constructor(
    config: StorageConfig,
    { log, metrics, tracing }: { readonly log: Logger; readonly metrics: Metrics; readonly tracing: Tracing },
    given: Given,
    limits: ReadLimits
  ) {
    this.#limits = limits
    const dataDir = join(config.storage.data_home, 'data')
    const pins = new FilePins(dataDir, path => {
      this.#opened?.samples.forget(path)
      this.#opened?.reader.forget(path)
    })
    this.#around = { config, log, dataDir, pins, tracing, ...given, metrics: this.#makeMetrics(metrics, config) }
    this.catalog = createLiveCatalog(
      () => this.#open(),
      () => this.#writable(),
      pins
    )
  }

  async open(): Promise<Opening> {
    const { config, log } = this.#around
    this.#unwritable = await this.#whyUnwritable()
    if (this.#unwritable === undefined) this.#opened = await openToWrite(this.#around)
    else {
      if (!catalogThere(config.storage.data_home)) throw new DbError('StorageUnavailable', this.#unwritable)
      this.#opened = await openToRead(this.#around)
      log.warn(
        { retryMilliseconds: retryWriting },
        `${this.#unwritable}; only reads are answered until it can be written`
      )
      this.#retry = every(retryWriting, () => void this.#resume()).unref()
    }
    return { finished: this.#opened.finished, trouble: () => this.#trouble() }
  }

  #trouble(): string | undefined {
    const { config, dataDir } = this.#around
    const gone = [dataDir, config.wal.dir].find(folder => !existsSync(folder))
    if (gone !== undefined) return `the folder ${gone} is gone`
    return this.#opened?.sqlite.trouble ?? this.#opened?.writer?.wal.trouble
  }

  write(writes: readonly (ResolvedWrite | ResolvedSeries)[], signal: AbortSignal): Promise<number> {
    return this.#write(writes, signal).catch(error => this.#fail(error))
  }

  /** Removes the server's folders from the texts of errors. */
  #fail(error: unknown): never {
    if (!isDbError(error)) throw error
    const spooled = (this.#opened?.spool.folders ?? []).map(folder => [folder, '{spool}'] as const)
    const text = nameFolders(error.message, [...spooled, ...foldersOf(this.#around.config)])
    throw text === error.message ? error : withMessage(error, text, error.offset)
  }

  async #write(writes: readonly (ResolvedWrite | ResolvedSeries)[], signal: AbortSignal): Promise<number> {
    const started = performance.now()
    const { sqlite, tables, writer } = this.#writable()
    const { wal, flusher } = writer
    const { storage } = this.#around.config
    // Rows would stay in memory and in the log: no file can take them.
    sqlite.requireSound()
    if (tables.bytes + wal.pendingBytes >= storage.memtable_size) await this.#slowDown(countRows(writes), signal)
    if (tables.bytes + wal.pendingBytes >= storage.memtable_limit) await this.#waitForRoom(signal)
    signal.throwIfAborted()
    const prepared = await runPaced(new Pace({ signal }), prepareParts(tables, writes))
    // Other writes may have used the memory meanwhile.
    if (tables.bytes + wal.pendingBytes >= storage.memtable_limit) await this.#waitForRoom(signal)
    const parts = this.#recordParts(tables, prepared)
    const logged = parts.filter(part => !part.skipLog)
    if (logged.length > 0) {
      const rows = countRows(logged)
      const { tracing } = this.#around
      await tracing.span('log.append', { 'weir.rows': rows, 'weir.tables': logged.length }, () =>
        wal.append(rows, encodeRecord(logged), seq => applyLogged(tables, seq, logged))
      )
      // A record's rows may take less memory than the record did, so waiting writes check again.
      tables.release(0)
    }
    const others = parts.filter(part => part.skipLog)
    if (others.length > 0) await eachPaced(new Pace(), others, part => tables.apply(wal.reserve(part.rows), part))
    if (tables.bytes + tables.copyBytes >= storage.memtable_size) {
      for (const { data } of parts) data.sealFull(storage.memtable_size)
      flusher.plan()
    }
    this.#around.metrics.writeSeconds.observe((performance.now() - started) / 1000)
    return countRows(parts)
  }

  /** If one part fails, no series may remain registered that no log record holds. */
  #recordParts(tables: OpenTables, prepared: Prepared): readonly WritePart[] {
    try {
      return recordParts(tables, prepared)
    } catch (error) {
      tables.forgetUnconfirmed()
      throw error
    }
  }

  async query(query: Query, signal: AbortSignal): Promise<QueryResult> {
    const start = this.#startQuery(this.#open(), query, signal)
    this.#starting.add(start)
    try {
      const result = await start
      const fail = (error: unknown) => this.#fail(error)
      return {
        ...result,
        async *batches() {
          try {
            yield* result.batches()
          } catch (error) {
            fail(error)
          }
        }
      }
    } catch (error) {
      return this.#fail(error)
    } finally {
      this.#starting.delete(start)
    }
  }

  maintain(task: Maintenance, signal: AbortSignal): Promise<Report> {
    return this.#maintain(task, signal).catch(error => this.#fail(error))
  }

  async #maintain(task: Maintenance, signal: AbortSignal): Promise<Report> {
    const { sqlite, writer } = this.#writable()
    const { flusher, compactor, indexer } = writer
    const { config, dataDir, pins } = this.#around
    signal.throwIfAborted()
    if (task.kind !== 'backup') {
      const report = await (task.kind === 'flush' ? flusher.flush(task.table) : compactor.compact(task.table))
      await indexer.waitFor(task.table)
      return report
    }
    await flusher.flush()
    const temporary = join(config.storage.data_home, 'tmp')
    return backUp({ catalog: sqlite, pins, dataDir, temporary }, task.receive)
  }

  async close(limit?: AbortSignal): Promise<void> {
    this.#retry?.stop()
    await this.#resuming
    const opened = this.#opened
    this.#opened = undefined
    await opened?.close({ limit })
  }

  #open(): EngineState {
    if (this.#opened === undefined) {
      throw new DbError('StorageUnavailable', 'the storage engine is not open', { retryAfter: 1 })
    }
    return this.#opened
  }

  #writable(): Writable {
    const opened = this.#open()
    if (!isWritable(opened)) throw notWritable(this.#unwritable!)
    return opened
  }

  async #startQuery(opened: EngineState, query: Query, signal: AbortSignal): Promise<QueryResult> {
    const { sqlite, duckdb, sql, spool, rowMemory, tables, check, contents, indexes, samples, reader, sorter } = opened
    const { pins, dataDir, metrics } = this.#around
    const requireSound = async (table: Table, files: readonly DataFile[]) => {
      await check.require(table, files)
      await contents.require(table, files, signal)
    }
    const own = { duckdb, sql, spool, rowMemory, tables, indexes, samples, reader, sorter, limits: this.#limits }
    return runQuery({ ...own, catalog: sqlite, pins, dataDir, metrics, requireSound }, query, signal)
  }

  #whyUnwritable(): Promise<string | undefined> {
    const { config, dataDir } = this.#around
    const { data_home: home } = config.storage
    return whyUnwritable([home, dataDir, config.wal.dir, join(home, 'tmp')])
  }

  /** Reopens everything once the folder can be written again; running queries finish on the state they began with. */
  async #resume(): Promise<void> {
    if (this.#resuming !== undefined || (await this.#whyUnwritable()) !== undefined || !this.#opened) return
    const { log } = this.#around
    this.#resuming ??= this.#replace()
      .then(() => log.warn('the data folder can be written again; writes are taken'))
      .catch(error => log.error({ err: error }, 'the data folder can be written again, but not opened; trying again'))
      .finally(() => {
        this.#resuming = undefined
      })
    await this.#resuming
  }

  async #replace(): Promise<void> {
    const before = this.#open()
    this.#opened = await openToWrite(this.#around)
    this.#unwritable = undefined
    this.#retry?.stop()
    await Promise.allSettled(this.#starting)
    await before.close({ finish: true })
  }

  /** Slows writes down to the rate of flushes before memory is full. */
  async #slowDown(rows: number, signal: AbortSignal): Promise<void> {
    const { tables, writer } = this.#writable()
    const { memtable_size: size, memtable_limit: limit } = this.#around.config.storage
    const bytes = tables.bytes + writer.wal.pendingBytes
    const wait = writer.flusher.throttle.delay(
      (rows * bytes) / Math.max(1, tables.rows),
      { bytes, size, limit },
      performance.now()
    )
    // Timers cannot wait for less.
    if (wait < 1) return
    this.#around.metrics.slowedWrites.add(1)
    await pause(wait, { signal })
  }

  async #waitForRoom(signal: AbortSignal): Promise<void> {
    const { tables, writer } = this.#writable()
    const { wal, flusher } = writer
    const limit = this.#around.config.storage.memtable_limit
    const end = AbortSignal.any([signal, AbortSignal.timeout(maxStallTime)])
    this.#around.metrics.stalls.add(1)
    while (tables.bytes + wal.pendingBytes >= limit) {
      flusher.plan()
      signal.throwIfAborted()
      if (end.aborted) {
        const reason = `rows in memory reached storage.memtable_limit (${limit} bytes) and could not be written in time`
        throw new DbError('StorageUnavailable', reason, { retryAfter: 5 })
      }
      await tables.released(end)
    }
  }

  #makeMetrics(metrics: Metrics, { storage }: StorageConfig): EngineMetrics {
    return engineMetrics(metrics, {
      memtableLimit: () => storage.memtable_limit,
      memtableBytes: () => this.#opened?.tables.bytes ?? 0,
      memtableRows: () => this.#opened?.tables.rows ?? 0,
      walBytes: () => this.#opened?.writer?.wal.size ?? 0,
      walSegments: () => this.#opened?.writer?.wal.segments ?? 0,
      files: () => this.#opened?.sqlite.allFiles() ?? [],
      isReadOnly: () => this.#unwritable !== undefined,
      sampleCacheBytes: () => (this.#opened?.samples.bytes ?? 0) + (this.#opened?.reader.cacheBytes ?? 0),
      cacheBytes: () => this.#opened?.indexes.bytes ?? 0,
      statements: () => this.#opened?.sql.statistics() ?? noStatements,
      memory: () => this.#memory(),
      spool: () => this.#opened?.spool ?? { files: 0, bytes: 0 }
    })
  }

  #memory(): CountedMemory {
    const { tables, rowMemory, samples, reader, indexes, spool, sql } = this.#opened ?? {}
    return {
      rows: tables?.bytes ?? 0,
      spare: rowMemory?.idleBytes ?? 0,
      samples: (samples?.bytes ?? 0) + (reader?.cacheBytes ?? 0),
      indexes: indexes?.bytes ?? 0,
      spool: spool?.memoryBytes ?? 0,
      statementsPid: sql?.statistics().pid
    }
  }
}

const noStatements = { alive: false, residentBytes: 0, running: 0, stalled: 0, waiting: 0 }

function countRows(items: readonly { readonly rows: number }[]): number {
  return items.reduce((sum, item) => sum + item.rows, 0)
}

function isWritable(opened: EngineState): opened is Writable {
  return opened.writer !== undefined
}
