// The state of an open engine, and opening it: for reading and writing, or read-only if the folder cannot be written.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { join, relative, resolve } from 'node:path'
import type { Config } from '../../config/schema.ts'
import type { Logger } from '../../log/log.ts'
import type { Table } from '../../model/table.ts'
import { eachPaced, Pace } from '../../pace.ts'
import { after, every, type Timer } from '../../timer.ts'
import type { Tracing } from '../../trace/trace.ts'
import { exportFolder } from '../export.ts'
import { EmbeddedCatalog } from './catalog/catalog.ts'
import type { DataFile } from './catalog/catalog-rows.ts'
import { isNumbered } from './catalog/logical.ts'
import { type Duckdb, openDuckdb } from './duckdb/index.ts'
import { ContentCheck } from './file/content-check.ts'
import { FileCheck } from './file/file-check.ts'
import type { FilePins } from './file/file-pins.ts'
import { IndexReader } from './index/index-reader.ts'
import { Indexer } from './index/indexer.ts'
import { readLog } from './log/segment.ts'
import { WriteAheadLog } from './log/wal.ts'
import { lostFolderOf, moveToLost, removeOldLost } from './lost-found.ts'
import { RowMemory } from './memory/row-memory.ts'
import { OpenTables } from './memory/tables.ts'
import type { EngineMetrics } from './metrics.ts'
import {
  checkCatalogThere,
  checkSegments,
  oldSegments,
  removeContents,
  removeFiles,
  unknownFiles,
  unknownSidecars
} from './open.ts'
import { usualLimits } from './read/limits.ts'
import { ReadThreads } from './read/read-threads.ts'
import { RowSorter } from './read/row-sorter.ts'
import { copyToRead } from './read-only.ts'
import { SampleCache } from './samples/sample-cache.ts'
import { Spool } from './spool/spool.ts'
import { SqlProcess } from './sql/sql-process.ts'
import { Compactor } from './upkeep/compactor.ts'
import { Flusher, type FlushPolicy } from './upkeep/flusher.ts'
import { isSmall } from './upkeep/pick.ts'
import { startRounds } from './upkeep/rounds.ts'
import { UpkeepThread } from './upkeep/upkeep-thread.ts'
import { replay } from './write.ts'

/** Default milliseconds between checks for data to flush, merge or remove. */
export const usualHousekeeping = 1_000
/** Milliseconds between checks for expired files in lost+found. */
const lostFoundInterval = 3_600_000
/** Milliseconds between two records of how far the log is on disk. */
const logEndInterval = 10_000
/** Milliseconds after the last SQL query that used them before spool files are removed. */
const spoolIdleTime = 60_000
/** Milliseconds between two looks at unused memory of rows. */
const rowMemoryInterval = 1_000
/** Milliseconds without much freed memory after which the allocator returns what it keeps. */
const memoryIdleTime = 5_000
/** Milliseconds between two looks at what was freed, and bytes that are much. */
const allocatorPeriod = 1_000
const muchMemory = 16 << 20
/** Default milliseconds before the query process is started, unless a query needs it earlier: on a busy machine its start takes seconds. */
export const usualProcessDelay = 200

export type StorageConfig = Pick<Config, 'wal'> & { readonly storage: Omit<Config['storage'], 'clickhouse'> } & Partial<
    Pick<
      Config,
      | 'init_regions_in_background'
      | 'init_regions_parallelism'
      | 'max_concurrent_queries'
      | 'max_waiting_queries'
      | 'query_wait_timeout'
      | 'http'
    >
  >

export interface EngineContext {
  readonly config: StorageConfig
  readonly log: Logger
  readonly metrics: EngineMetrics
  readonly tracing: Tracing
  readonly pins: FilePins
  readonly dataDir: string
  readonly reducers: readonly string[]
  /** Milliseconds between checks for data to flush, merge or remove. */
  readonly housekeeping: number
  /** Milliseconds after the start before the query process is started, unless a query needs it earlier. */
  readonly processDelay: number
}

export interface EngineState {
  readonly sqlite: EmbeddedCatalog
  readonly duckdb: Duckdb
  /** Runs statements of users. */
  readonly sql: SqlProcess
  readonly spool: Spool
  readonly rowMemory: RowMemory
  readonly tables: OpenTables
  readonly check: FileCheck
  readonly contents: ContentCheck
  readonly indexes: IndexReader
  readonly samples: SampleCache
  readonly reader: ReadThreads
  readonly sorter: RowSorter
  /** Resolves when all data files were checked. */
  readonly finished: Promise<void>
  /** Absent if the folder is read-only. */
  readonly writer?: Writer
  /** Everything answered is durable when it resolves. */
  close(how?: Closing): Promise<void>
}

interface Closing {
  /** True: running queries are read to their end first. */
  readonly finish?: boolean
  /** Until it fires, rows that are only in the log are flushed to files. */
  readonly limit?: AbortSignal | undefined
}

/** The state of an engine that may write. */
export type Writable = EngineState & { readonly writer: Writer }

interface Writer {
  readonly wal: WriteAheadLog
  readonly flusher: Flusher
  readonly compactor: Compactor
  readonly indexer: Indexer
}

/** Recovers from a crash and locks the folder for this process. */
export async function openToWrite(around: EngineContext): Promise<EngineState> {
  const { config, dataDir } = around
  const { data_home: home } = config.storage
  const path = join(home, 'catalog.db')
  await checkCatalogThere({ catalog: path, data: dataDir, wal: config.wal.dir })
  const sqlite = new EmbeddedCatalog(path, config.wal.dir)
  await sqlite.keepSpare()
  const spill = join(home, 'tmp')
  // Leftovers of queries and backups of a crashed process; the folder is locked, so nobody else uses them.
  await removeContents(spill)
  return withReaders(around, sqlite, spill, readers => startWriting(around, sqlite, readers))
}

/** Answers queries over a read-only folder, without changing anything in it. */
export async function openToRead(around: EngineContext): Promise<EngineState> {
  const { config, dataDir } = around
  const { data_home: home } = config.storage
  await checkCatalogThere({ catalog: join(home, 'catalog.db'), data: dataDir, wal: config.wal.dir })
  const copy = await copyToRead(home)
  try {
    const sqlite = copy.opening(path => new EmbeddedCatalog(path, config.wal.dir, { isCopy: true }))
    return await withReaders(around, sqlite, copy.spill, async readers => {
      const parts = await startReading(around, sqlite, readers)
      const close: EngineState['close'] = async how => {
        await parts.close(how)
        await copy.remove()
      }
      return { ...parts, close }
    })
  } catch (error) {
    await copy.remove()
    throw error
  }
}

/** The parts that read files and the spool. */
interface Readers extends Pick<EngineState, 'duckdb' | 'sql' | 'spool' | 'rowMemory'> {
  /** With `finish`, running queries are read to their end. */
  close(finish?: boolean): Promise<void>
}

async function withReaders(
  around: EngineContext,
  sqlite: EmbeddedCatalog,
  spill: string,
  start: (readers: Readers) => Promise<EngineState>
): Promise<EngineState> {
  let readers: Readers | undefined
  try {
    for (const name of ['public', 'svc_private']) {
      await sqlite.ready()
      if (!sqlite.database(name)) sqlite.createDatabase(name, {})
    }
    readers = await openReaders(around, spill)
    return await start(readers)
  } catch (error) {
    await readers?.close()
    await sqlite.close()
    throw error
  }
}

async function openReaders(
  { config, dataDir, log, metrics, processDelay }: EngineContext,
  spill: string
): Promise<Readers> {
  const { storage } = config
  const spool = new Spool({ memory: memoryFolder(spill), disk: join(spill, 'spool') })
  const folders = [dataDir, exportFolder(storage.data_home), ...spool.folders]
  const memoryLimit = storage.memory_limit || Math.floor(totalmem() / 4)
  const threads = storage.query_threads || availableParallelism()
  const duckdb = await openDuckdb({ folders, spill, memoryLimit, threads })
  const sql = new SqlProcess({
    name: 'user',
    folders,
    temporary: resolve(spill),
    ...(spool.leftovers !== undefined && { leftovers: spool.leftovers }),
    threads,
    memoryLimit,
    hardLimit: hardLimitOf(memoryLimit, storage.query_memory_hard_limit),
    log,
    slots: () => config.max_concurrent_queries || 2 * threads,
    queue: () => ({ max: config.max_waiting_queries ?? 256, time: config.query_wait_timeout ?? 30_000 }),
    restarted: reason => metrics.statements.restarts.add(1, { reason }),
    refused: reason => metrics.statements.refused.add(1, { reason })
  })
  // Delayed, because an engine that is open only for a moment needs no process.
  const started = after(processDelay, () => sql.start()).unref()
  return {
    duckdb,
    sql,
    spool,
    rowMemory: new RowMemory(),
    async close(finish) {
      started.stop()
      await Promise.all([duckdb.close(finish), sql.close(finish)])
      spool.close()
    }
  }
}

/** A memory-backed folder for a spill folder, with the same name at every start. */
function memoryFolder(spill: string): string | undefined {
  const memory = '/dev/shm'
  if (!existsSync(memory)) return undefined
  return join(memory, `weir-${createHash('sha256').update(resolve(spill)).digest('hex').slice(0, 16)}`)
}

/** Memory that Node needs in the query process. */
const processBytes = 150 << 20

/** Adds room for Node and for values that DuckDB's limit does not count. */
function hardLimitOf(memoryLimit: number, given: number): number {
  if (given > 0) return Math.max(given, memoryLimit + processBytes)
  return memoryLimit + Math.max(256 << 20, Math.floor(memoryLimit / 4))
}

async function startWriting(around: EngineContext, sqlite: EmbeddedCatalog, readers: Readers): Promise<EngineState> {
  const { duckdb, sql, spool, rowMemory } = readers
  const { config, log, metrics, dataDir, pins, tracing } = around
  const looked = countLookups(metrics)
  const tables = new OpenTables(sqlite, readers)
  const common = { catalog: sqlite, duckdb, tables, dataDir, log, metrics, tracing }
  const upkeep = new UpkeepThread({ died: () => metrics.upkeepDeaths.add(1) })
  const flusher = new Flusher({ ...common, upkeep, pins, flushed: () => indexer.plan() })
  const samples = sampleCache(around)
  const reader = readThreads(around)
  const checksumOf = (path: string) => reader.checksum(path)
  const compactor = new Compactor({ ...common, upkeep, pins, checksumOf })
  const indexes = new IndexReader(
    dataDir,
    config.storage.index_cache_size,
    (file, found) => indexer.want(file, found),
    looked
  )
  const isToBeMerged = (table: Table, file: DataFile) =>
    isSmall(table, file) && (tables.find(table)?.memtables.length ?? 0) > 0
  const indexer = new Indexer({ ...common, metrics: metrics.index, pins, reader: indexes, isToBeMerged })
  await checkSegments(config.wal.dir, sqlite.logBounds())
  const { data_home: home } = config.storage
  const old = (await oldSegments(config.wal.dir, sqlite.logBounds())).map(name => join(config.wal.dir, name))
  await setAside(around, old, 'wal', 'moved a log segment whose rows are in files to lost+found')
  const check = fileCheck(around, sqlite)
  const beside = await checkFiles(around, sqlite, check)
  const found = await readBack(around, sqlite, tables, () => flusher.flush())
  const wal = new WriteAheadLog(
    {
      dir: config.wal.dir,
      sync: config.wal.sync,
      syncInterval: config.wal.sync_interval,
      segmentSize: config.wal.segment_size,
      namesDurable: () => sqlite.durable(),
      remember: async (which, segment) => {
        await sqlite.ready()
        sqlite.setMeta(`${which}_segment`, String(segment))
        await sqlite.durable()
      },
      rememberEnd: async end => {
        await sqlite.ready()
        sqlite.setMeta('log_end', JSON.stringify(end))
      }
    },
    log,
    metrics.wal,
    { segments: found.segments, nextSeq: tables.appliedSeq },
    () => tables.forgetUnconfirmed()
  )
  await wal.start()
  flusher.wal = wal
  if (tables.bytes >= config.storage.memtable_size) flusher.plan()
  const startReader = async (pace: Pace) => {
    let known: string[] = []
    await eachPaced(pace, sqlite.allTables(), table => {
      for (const file of sqlite.files(table)) if (isNumbered(file)) known.push(file.path)
      // The latest files, as many as threads cache footers of.
      if (known.length > 2 * usualLimits.footers) known = known.slice(-usualLimits.footers)
    })
    if (tables.bytes > 0 || known.length > 0) reader.start(known.slice(-usualLimits.footers))
  }
  const rounds = startRounds(around.housekeeping, async pace => {
    await flusher.planDue(flushPolicy(config.storage), pace)
    if (check.isSound) compactor.plan()
    indexer.plan()
    await tables.forgetSpooled(Date.now() - spoolIdleTime, pace)
    await startReader(pace)
  })
  const memoryTimer = every(rowMemoryInterval, () => rowMemory.trim()).unref()
  const allocatorTimer = watchAllocator(() => void trimMemory(duckdb))
  const endTimer = every(logEndInterval, () => void rememberEnd(wal, log)).unref()
  const removeLost = () =>
    removeOldLost(home, config.storage.lost_found_ttl, log).catch(error =>
      log.warn({ err: error }, 'old files in lost+found could not be removed; trying again')
    )
  await removeLost()
  const lostTimer = every(lostFoundInterval, () => void removeLost()).unref()
  const isNeeded = (path: string) => sqlite.allFiles().some(file => file.path === path)
  const finished = beside ? check.runBeside(isNeeded) : Promise.resolve()
  const contents = new ContentCheck(dataDir, sqlite.allFiles(), checksumOf)
  const stopping = new AbortController()
  const loading = tables
    .loadSeries(stopping.signal)
    .catch(error => log.warn({ err: error }, 'series could not be read; queries of their tables try again'))
  const close: EngineState['close'] = async ({ limit } = {}) => {
    stopping.abort()
    await loading
    await rounds.stop()
    lostTimer.stop()
    endTimer.stop()
    memoryTimer.stop()
    allocatorTimer.stop()
    check.stop()
    contents.stop()
    await finished
    await compactor.stop()
    await indexer.stop()
    try {
      await flusher.close(limit)
    } catch (error) {
      log.error({ err: error }, 'rows could not be written to files at the stop; the log keeps them')
    }
    await upkeep.close()
    await wal.close()
    await reader.close()
    await readers.close()
    await sqlite.close()
  }
  await startReader(new Pace())
  const writer = { wal, flusher, compactor, indexer }
  return {
    sqlite,
    duckdb,
    sql,
    spool,
    rowMemory,
    tables,
    check,
    contents,
    indexes,
    samples,
    reader,
    sorter: new RowSorter(reader, log),
    finished,
    writer,
    close
  }
}

/** Calls `trim` regularly, and soon after much memory was freed. */
function watchAllocator(trim: () => void): Timer {
  let max = 0
  let since = 0
  return every(allocatorPeriod, () => {
    const { external } = process.memoryUsage()
    max = Math.max(max, external)
    since += allocatorPeriod
    if (since < memoryIdleTime && max - external < muchMemory) return
    max = external
    since = 0
    trim()
  }).unref()
}

/** Errors are ignored, because DuckDB may be closing. */
async function trimMemory(duckdb: Duckdb): Promise<void> {
  if (duckdb.isOpen()) await duckdb.trim().catch(() => {})
}

/** Cold rows are flushed once they take this share of the memory limit, because small files would have to be merged. */
const coldShare = 1 / 16

function flushPolicy({ flush_interval, flush_cold_after, memtable_size }: StorageConfig['storage']): FlushPolicy {
  const now = Date.now()
  const since = flush_cold_after === 0 ? 0 : now - flush_cold_after
  return { olderThan: now - flush_interval, cold: { since, bytes: memtable_size * coldShare } }
}

async function rememberEnd(wal: WriteAheadLog, log: Logger): Promise<void> {
  try {
    await wal.rememberEnd()
  } catch (error) {
    log.warn({ err: error }, 'the catalog could not note how far the log is on the disk; trying again')
  }
}

async function startReading(around: EngineContext, sqlite: EmbeddedCatalog, readers: Readers): Promise<EngineState> {
  const { duckdb, sql, spool, rowMemory } = readers
  const { config, dataDir, metrics } = around
  const looked = countLookups(metrics)
  const tables = new OpenTables(sqlite, readers)
  await checkSegments(config.wal.dir, sqlite.logBounds())
  const check = fileCheck(around, sqlite)
  await check.runFirst()
  await readBack(around, sqlite, tables)
  const indexes = new IndexReader(dataDir, config.storage.index_cache_size, () => {}, looked)
  const samples = sampleCache(around)
  const reader = readThreads(around)
  const contents = new ContentCheck(dataDir, sqlite.allFiles(), path => reader.checksum(path))
  const close: EngineState['close'] = async ({ finish = false } = {}) => {
    contents.stop()
    if (!finish) await reader.close()
    await readers.close(finish)
    await sqlite.close()
  }
  const finished = Promise.resolve()
  const sorter = new RowSorter(reader, around.log)
  return {
    ...{ sqlite, duckdb, sql, spool, rowMemory, tables, check, contents, indexes, samples, reader, sorter },
    finished,
    close
  }
}

function countLookups({ index }: EngineMetrics): (result: 'hit' | 'miss') => void {
  return result => index.lookups.add(1, { result })
}

function sampleCache({ config, metrics }: EngineContext): SampleCache {
  return new SampleCache(config.storage.sample_cache_size / 8, result => metrics.sampleLookups.add(1, { result }))
}

function readThreads({ config, dataDir, metrics, log, reducers }: EngineContext): ReadThreads {
  return new ReadThreads({
    folder: dataDir,
    threads: availableParallelism(),
    reducers,
    cacheBytes: (config.storage.sample_cache_size * 7) / 8,
    looked: (result, count) => metrics.sampleLookups.add(count, { result }),
    failed: error => log.error({ err: error }, 'a reading thread failed: another one starts')
  })
}

function fileCheck({ config, dataDir, log }: EngineContext, sqlite: EmbeddedCatalog): FileCheck {
  const parallelism = config.init_regions_parallelism ?? 1
  return new FileCheck({ dataDir, files: sqlite.allFiles(), parallelism, log })
}

/** Checks the data files now, or returns a check that can run beside queries. */
async function checkFiles(around: EngineContext, sqlite: EmbeddedCatalog, check: FileCheck) {
  const { config, dataDir, log } = around
  // A missing file may be among the unknown ones, so nothing is removed before all files were checked.
  const unknown = await unknownFiles(dataDir, sqlite.allFiles())
  const sides = await unknownSidecars(dataDir, sqlite.allFiles())
  if (config.init_regions_in_background && unknown.length === 0) {
    await removeFiles(dataDir, sides, log)
    return true
  }
  await check.runFirst()
  const unfinished = unknown.filter(path => path.endsWith('.tmp'))
  await removeFiles(dataDir, [...sides, ...unfinished], log)
  const whole = unknown.filter(path => !unfinished.includes(path)).map(path => join(dataDir, path))
  await setAside(around, whole, 'data', 'moved a data file the catalog does not know to lost+found')
  return false
}

/** Moves files to the folder `under` in lost+found; they keep their relative paths. */
async function setAside(
  { config, dataDir, log }: EngineContext,
  paths: readonly string[],
  under: 'data' | 'wal',
  message: string
) {
  const { data_home: home } = config.storage
  const lostFolder = lostFolderOf(home)
  for (const path of paths) {
    await moveToLost(path, join(under, relative(under === 'data' ? dataDir : config.wal.dir, path)), lostFolder)
    log.warn({ file: path, to: relative(home, lostFolder) }, message)
  }
}

/** Replays the log into memory. Calls `makeRoom`, if files can be written, before memory is full. */
async function readBack(
  { config, log }: EngineContext,
  sqlite: EmbeddedCatalog,
  tables: OpenTables,
  makeRoom?: () => Promise<unknown>
) {
  const started = performance.now()
  const take = async (seq: number, payload: Uint8Array) => {
    replay(sqlite, tables, seq, payload)
    if (tables.bytes >= config.storage.memtable_limit) await makeRoom?.()
  }
  const mend = makeRoom !== undefined
  const found = await readLog(config.wal.dir, log, take, { mend, ...sqlite.logBounds() })
  tables.appliedSeq = Math.max(found.nextSeq, sqlite.nextSeq())
  const milliseconds = Math.round(performance.now() - started)
  log.info({ records: found.records, tables: [...sqlite.allTables()].length, milliseconds }, 'storage is open')
  return found
}
