// The default driver: a write-ahead log, memtables and Parquet files under one folder, DuckDB to read and SQLite to know them.
import { access, constants, mkdir, readdir, rm } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../config/schema.ts'
import { DbError } from '../../errors.ts'
import type { Logger } from '../../log/log.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { Table } from '../../model/table.ts'
import type { Catalog, Engine, Maintenance, Opening, Query, QueryResult, Report, ResolvedWrite } from '../engine.ts'
import { backUp } from './backup/backup.ts'
import { EmbeddedCatalog } from './catalog/catalog.ts'
import { hasSeries, isLogical, isPhysical } from './catalog/logical.ts'
import { type Duckdb, openDuckdb } from './duckdb/index.ts'
import { Compactor } from './file/compactor.ts'
import { ContentCheck } from './file/content-check.ts'
import { FileCheck } from './file/file-check.ts'
import { FilePins } from './file/file-pins.ts'
import { decodeRecord, encodeRecord, type RecordPart } from './log/record.ts'
import { readLog } from './log/segment.ts'
import { WriteAheadLog } from './log/wal.ts'
import { Flusher } from './memory/flusher.ts'
import type { TableData } from './memory/table-data.ts'
import { OpenTables } from './memory/tables.ts'
import { type EngineMetrics, engineMetrics } from './metrics.ts'
import { checkCatalogThere, checkSegments, removeFiles, unknownFiles } from './open.ts'
import { runQuery, tablesOf } from './query/read.ts'
import { resolveSeries } from './series/tags.ts'

/** Milliseconds a write waits for room in memory before it is refused. */
const longestStall = 10_000
/** Milliseconds between looks at what is old enough to be flushed, merged or removed. */
const housekeeping = 1_000

export type StorageConfig = Pick<Config, 'storage' | 'wal'> &
  Partial<Pick<Config, 'init_regions_in_background' | 'init_regions_parallelism'>>

export function createEmbeddedEngine(config: StorageConfig, log: Logger, metrics: Metrics): Engine {
  return new EmbeddedEngine(config, log, metrics)
}

/** What exists while the engine is open. */
interface Open {
  readonly sqlite: EmbeddedCatalog
  readonly duckdb: Duckdb
  readonly tables: OpenTables
  readonly flusher: Flusher
  readonly compactor: Compactor
  readonly wal: WriteAheadLog
  readonly check: FileCheck
  readonly contents: ContentCheck
  /** Resolves when all data files were looked at. */
  readonly settled: Promise<void>
  readonly catalog: Catalog
  readonly timer: NodeJS.Timeout
}

class EmbeddedEngine implements Engine {
  readonly name = 'embedded'
  readonly supports = { sql: true, durable: true, distributed: false }
  readonly #config: StorageConfig
  readonly #log: Logger
  readonly #metrics: EngineMetrics
  readonly #dataDir: string
  readonly #pins: FilePins
  #state: Open | undefined

  constructor(config: StorageConfig, log: Logger, metrics: Metrics) {
    this.#config = config
    this.#log = log
    this.#dataDir = join(config.storage.data_home, 'data')
    this.#pins = new FilePins(this.#dataDir)
    this.#metrics = engineMetrics(metrics, {
      memtableBytes: () => this.#state?.tables.bytes ?? 0,
      walBytes: () => this.#state?.wal.size ?? 0,
      files: () => this.#state?.sqlite.allFiles().length ?? 0
    })
  }

  get catalog(): Catalog {
    return this.#open().catalog
  }

  async open(): Promise<Opening> {
    const { storage, wal } = this.#config
    const spill = join(storage.data_home, 'tmp')
    for (const dir of [this.#dataDir, wal.dir, spill]) await makeFolder(dir)
    const path = join(storage.data_home, 'catalog.db')
    await checkCatalogThere({ catalog: path, data: this.#dataDir, wal: wal.dir })
    const sqlite = new EmbeddedCatalog(path)
    // What a crash left of queries and backups; nobody else can be using it now.
    for (const name of await readdir(spill)) await rm(join(spill, name), { recursive: true, force: true })
    let duckdb: Duckdb | undefined
    try {
      for (const name of ['public', 'svc_private']) if (!sqlite.database(name)) sqlite.createDatabase(name, {})
      duckdb = await openDuckdb({
        folders: [this.#dataDir],
        spill,
        memoryLimit: storage.memory_limit || Math.floor(totalmem() / 4),
        threads: storage.query_threads || availableParallelism()
      })
      this.#state = await this.#recover(sqlite, duckdb)
      return { settled: this.#state.settled }
    } catch (error) {
      await duckdb?.close()
      sqlite.close()
      throw error
    }
  }

  async write(writes: readonly ResolvedWrite[], signal: AbortSignal): Promise<number> {
    const { tables, wal, flusher } = this.#open()
    if (tables.bytes >= this.#config.storage.memtable_limit) await this.#waitForRoom(signal)
    signal.throwIfAborted()
    const parts = recordParts(tables, writes)
    const logged = parts.filter(part => !part.skipLog)
    if (logged.length > 0) {
      const rows = countRows(logged)
      await wal.append(rows, encodeRecord(logged), seq => {
        for (const part of logged) part.data.confirmSeries(part.seriesCount)
        tables.apply(seq, logged)
        tables.appliedSeq = seq + rows
      })
    }
    for (const part of parts) if (part.skipLog) tables.apply(wal.reserve(part.rows), [part])
    if (tables.bytes >= this.#config.storage.memtable_size) flusher.plan()
    return countRows(parts)
  }

  async query(query: Query, signal: AbortSignal): Promise<QueryResult> {
    const { sqlite, duckdb, tables, check, contents } = this.#open()
    for (const table of tablesOf(query)) {
      const files = sqlite.files(sqlite.host(table))
      await check.require(table, files)
      await contents.require(table, files, signal)
    }
    return runQuery({ catalog: sqlite, duckdb, tables, pins: this.#pins, dataDir: this.#dataDir }, query, signal)
  }

  async maintain(task: Maintenance, signal: AbortSignal): Promise<Report> {
    const { sqlite, flusher, compactor } = this.#open()
    signal.throwIfAborted()
    if (task.kind !== 'backup') {
      return task.kind === 'flush' ? flusher.flush(task.table) : compactor.compact(task.table)
    }
    await flusher.flush()
    const temporary = join(this.#config.storage.data_home, 'tmp')
    return backUp({ catalog: sqlite, pins: this.#pins, dataDir: this.#dataDir, temporary }, task.receive)
  }

  async close(): Promise<void> {
    if (this.#state === undefined) return
    const { sqlite, duckdb, flusher, compactor, wal, timer, check, contents, settled } = this.#state
    this.#state = undefined
    clearInterval(timer)
    check.stop()
    contents.stop()
    await settled
    await compactor.stop()
    try {
      await flusher.flush()
    } catch (error) {
      this.#log.error({ err: error }, 'rows could not be written to files at the stop; the log keeps them')
    }
    await wal.close()
    await duckdb.close()
    sqlite.close()
  }

  #open(): Open {
    if (this.#state === undefined) {
      throw new DbError('StorageUnavailable', 'the storage engine is not open', { retryAfter: 1 })
    }
    return this.#state
  }

  /** Checks the files and reads the log back. */
  async #recover(sqlite: EmbeddedCatalog, duckdb: Duckdb): Promise<Open> {
    const { storage, wal: options } = this.#config
    const started = performance.now()
    const tables = new OpenTables(sqlite, duckdb)
    const common = { catalog: sqlite, duckdb, tables, dataDir: this.#dataDir }
    const flusher = new Flusher({ ...common, log: this.#log, metrics: this.#metrics })
    const compactor = new Compactor({ ...common, pins: this.#pins, log: this.#log, metrics: this.#metrics })
    await checkSegments(options.dir, sqlite.logBounds())
    const check = new FileCheck({
      dataDir: this.#dataDir,
      files: sqlite.allFiles(),
      parallelism: this.#config.init_regions_parallelism ?? 1,
      log: this.#log
    })
    const beside = await this.#checkFiles(sqlite, check)
    const found = await readLog(options.dir, this.#log, async (seq, payload) => {
      replay(sqlite, tables, seq, payload)
      // Files are written once the server answers, unless memory would not hold the log.
      if (tables.bytes >= storage.memtable_limit) await flusher.flush()
    })
    tables.appliedSeq = Math.max(found.nextSeq, sqlite.nextSeq())
    const wal = new WriteAheadLog(
      {
        dir: options.dir,
        sync: options.sync,
        syncInterval: options.sync_interval,
        segmentSize: options.segment_size,
        remember: (which, segment) => sqlite.setMeta(`${which}_segment`, String(segment))
      },
      this.#log,
      this.#metrics.wal,
      { segments: found.segments, nextSeq: tables.appliedSeq },
      () => tables.forgetUnconfirmed()
    )
    await wal.start()
    flusher.wal = wal
    if (tables.bytes >= storage.memtable_size) flusher.plan()
    const timer = setInterval(() => {
      flusher.planOlderThan(Date.now() - storage.flush_interval)
      if (check.isSound) compactor.plan()
    }, housekeeping).unref()
    const milliseconds = Math.round(performance.now() - started)
    this.#log.info({ records: found.records, tables: sqlite.allTables().length, milliseconds }, 'storage is open')
    const isNeeded = (path: string) => sqlite.allFiles().some(file => file.path === path)
    return {
      sqlite,
      duckdb,
      tables,
      flusher,
      compactor,
      wal,
      timer,
      check,
      contents: new ContentCheck(this.#dataDir, () => sqlite.allFiles()),
      settled: beside ? check.runBeside(isNeeded) : Promise.resolve(),
      catalog: this.#makeCatalog(sqlite, tables, flusher)
    }
  }

  /** Looks at the data files now, or says that it can be done beside the queries. */
  async #checkFiles(sqlite: EmbeddedCatalog, check: FileCheck): Promise<boolean> {
    // A file that is missing under its name may be one of those that nothing seems to know: nothing goes before all were looked at.
    const unknown = await unknownFiles(this.#dataDir, sqlite.allFiles())
    if (this.#config.init_regions_in_background && unknown.length === 0) return true
    await check.runFirst()
    await removeFiles(this.#dataDir, unknown, this.#log)
    return false
  }

  async #waitForRoom(signal: AbortSignal): Promise<void> {
    const { tables, flusher } = this.#open()
    const limit = this.#config.storage.memtable_limit
    const end = AbortSignal.any([signal, AbortSignal.timeout(longestStall)])
    this.#metrics.stalls.add(1)
    while (tables.bytes >= limit) {
      flusher.plan()
      signal.throwIfAborted()
      if (end.aborted) {
        const reason = `rows in memory reached storage.memtable_limit (${limit} bytes) and could not be written to files in time`
        throw new DbError('StorageUnavailable', reason, { retryAfter: 5 })
      }
      await tables.released(end)
    }
  }

  #makeCatalog(sqlite: EmbeddedCatalog, tables: OpenTables, flusher: Flusher): Catalog {
    /** Takes tables out of the catalog, then out of memory and off the disk. */
    const remove = (gone: readonly Table[], forget: () => void) =>
      flusher.afterFlushes(async () => {
        const paths = gone.flatMap(table => sqlite.files(table).map(file => file.path))
        forget()
        for (const table of gone) tables.drop(table)
        await this.#pins.remove(paths)
      })
    return {
      databases: () => sqlite.databases(),
      database: name => sqlite.database(name),
      tables: database => sqlite.tables(database),
      table: (database, name) => sqlite.table(database, name),
      createDatabase: async (name, options) => sqlite.createDatabase(name, options),
      dropDatabase: name => remove(sqlite.tables(name), () => sqlite.dropDatabase(name)),
      createTable: async definition => {
        const table = sqlite.createTable(definition)
        tables.find(table)?.become(sqlite.host(table))
        return table
      },
      changeTable: async (table, change) => {
        const changed = sqlite.changeTable(table, change)
        tables.find(changed)?.become(sqlite.host(changed))
        return changed
      },
      changeTables: async steps => {
        const changed = sqlite.changeTables(steps)
        for (const host of new Set(changed.map(table => sqlite.host(table)))) tables.find(host)?.become(host)
        return changed
      },
      dropTable: table => remove([table], () => sqlite.dropTable(table)),
      statistics: table => {
        if (isLogical(table)) return { rows: undefined, bytes: 0, files: 0 }
        const files = sqlite.files(table)
        const memtables = tables.find(table)?.memtables ?? []
        return { rows: countRows(files) + countRows(memtables), bytes: countBytes(files), files: files.length }
      }
    }
  }
}

/** A part of a log record with what the write needs to know of it besides. */
interface WritePart extends RecordPart {
  readonly data: TableData
  readonly skipLog: boolean
  /** Series of the table once this part is logged. */
  readonly seriesCount: number
}

/** All or none: what one of them cannot do must not leave series behind that no record holds. */
function recordParts(tables: OpenTables, writes: readonly ResolvedWrite[]): readonly WritePart[] {
  try {
    return writes.filter(write => write.rows > 0).map(write => recordPart(tables, write))
  } catch (error) {
    tables.forgetUnconfirmed()
    throw error
  }
}

function recordPart(tables: OpenTables, write: ResolvedWrite): WritePart {
  const table = tables.current(write.table)
  if (isPhysical(table)) {
    throw new DbError(
      'InvalidArguments',
      `rows of the physical table ${table.name} are written through its logical tables`
    )
  }
  const data = tables.take(table)
  const tagged = hasSeries(data.table)
  const skipLog = data.table.options.skip_wal === true
  const byName = new Map(table.columns.map(column => [column.name, column]))
  // A column dropped since the write was resolved is left out.
  const columns = write.columns.flatMap(({ name, data }) => {
    const column = byName.get(name)
    return column === undefined ? [] : [{ id: column.stored ?? column.id, semantic: column.semantic, data }]
  })
  const tags = columns.filter(column => column.semantic === 'tag').map(tag => ({ ...tag, rows: write.rows }))
  const owner = isLogical(table) ? table.id : undefined
  const tsids = tagged ? resolveSeries(data.registry, tags, write.rows, owner) : undefined
  return {
    data,
    skipLog,
    table: data.table.id,
    op: write.op,
    rows: write.rows,
    tsids,
    series: tagged && !skipLog ? data.takeNewSeries() : [],
    seriesCount: tagged ? data.registry.size : 0,
    columns: columns.filter(column => column.semantic !== 'tag')
  }
}

/** Takes the rows of a record that are in no file yet back into memory. */
function replay(sqlite: EmbeddedCatalog, tables: OpenTables, seq: number, payload: Uint8Array): void {
  const typeOf = (table: number, column: number) =>
    sqlite.tableById(table)?.columns.find(({ id }) => id === column)?.type
  let first = seq
  for (const part of decodeRecord(payload, typeOf)) {
    const table = sqlite.tableById(part.table)
    if (part.table > sqlite.lastTableId()) throw strangeTable(part.table)
    if (table !== undefined && first >= sqlite.flushedSeq(part.table)) {
      const data = tables.take(table)
      for (const { tsid, key } of part.series) data.restoreSeries(tsid, key)
      tables.apply(first, [part])
    }
    first += part.rows
  }
  tables.appliedSeq = first
}

/** Tables that were dropped are known by their number: one above all numbers ever given means that the catalog lost it. */
function strangeTable(id: number): DbError {
  const reason = `the log has rows of table number ${id}, which the catalog never had: it is older than the log`
  return new DbError('StorageUnavailable', `${reason}. Bring the newer catalog.db back, or restore a backup`)
}

/** A folder that can be written: one that cannot would only be noticed by the first write. */
async function makeFolder(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true })
    await access(dir, constants.W_OK)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new DbError('StorageUnavailable', `cannot write to the folder ${dir}: ${reason}`, { cause: error })
  }
}

function countRows(items: readonly { readonly rows: number }[]): number {
  return items.reduce((sum, item) => sum + item.rows, 0)
}

function countBytes(items: readonly { readonly bytes: number }[]): number {
  return items.reduce((sum, item) => sum + item.bytes, 0)
}
