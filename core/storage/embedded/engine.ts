// The default driver: a write-ahead log, memtables and Parquet files under one folder, DuckDB to read and SQLite to know them.
import { mkdir } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../config/schema.ts'
import { DbError } from '../../errors.ts'
import type { Logger } from '../../log/log.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { Table } from '../../model/table.ts'
import type { Catalog, Engine, Maintenance, Query, QueryResult, Relation, Report, ResolvedWrite } from '../engine.ts'
import { EmbeddedCatalog } from './catalog.ts'
import { type Duckdb, openDuckdb, quoteName } from './duckdb.ts'
import { FilePins } from './file-pins.ts'
import { writeFile } from './flush.ts'
import { type EngineMetrics, engineMetrics } from './metrics.ts'
import { checkFiles } from './open.ts'
import { decodeRecord, encodeRecord, type RecordPart } from './record.ts'
import { relation, type Snapshot } from './relation.ts'
import { readLog } from './segment.ts'
import { TableData } from './table-data.ts'
import { resolveSeries } from './tags.ts'
import { WriteAheadLog } from './wal.ts'

/** Milliseconds a write waits for room in memory before it is refused. */
const longestStall = 10_000
/** Milliseconds after a failed flush before the next. */
const flushRetry = 5_000

type StorageConfig = Pick<Config, 'storage' | 'wal'>

export function createEmbeddedEngine(config: StorageConfig, log: Logger, metrics: Metrics): Engine {
  return new EmbeddedEngine(config, log, metrics)
}

class EmbeddedEngine implements Engine {
  readonly name = 'embedded'
  readonly supports = { sql: true, durable: true, distributed: false }
  readonly #config: StorageConfig
  readonly #log: Logger
  readonly #metrics: EngineMetrics
  readonly #dataDir: string
  readonly #pins: FilePins
  readonly #tables = new Map<number, TableData>()
  #sqlite!: EmbeddedCatalog
  #duckdb!: Duckdb
  #wal: WriteAheadLog | undefined
  #catalog: Catalog | undefined
  /** One above the number of the last row that is readable. */
  #appliedSeq = 1
  #memtableBytes = 0
  #flushing: Promise<unknown> = Promise.resolve()
  #flushPlanned = false
  #roomWaiters: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined
  #state: 'new' | 'open' | 'closed' = 'new'

  constructor(config: StorageConfig, log: Logger, metrics: Metrics) {
    this.#config = config
    this.#log = log
    this.#dataDir = join(config.storage.data_home, 'data')
    this.#pins = new FilePins(this.#dataDir)
    this.#metrics = engineMetrics(metrics, {
      memtableBytes: () => this.#memtableBytes,
      walBytes: () => this.#wal?.size ?? 0,
      files: () => (this.#state === 'open' ? this.#sqlite.allFiles().length : 0)
    })
  }

  get catalog(): Catalog {
    if (this.#catalog === undefined) throw new DbError('IllegalState', 'the storage engine is not open')
    return this.#catalog
  }

  async open(): Promise<void> {
    try {
      await this.#open()
    } catch (error) {
      await this.#duckdb?.close()
      this.#sqlite?.close()
      throw error
    }
  }

  async #open(): Promise<void> {
    const { storage, wal } = this.#config
    const started = performance.now()
    const spill = join(storage.data_home, 'tmp')
    for (const dir of [this.#dataDir, wal.dir, spill]) await makeFolder(dir)
    this.#sqlite = new EmbeddedCatalog(join(storage.data_home, 'catalog.db'))
    for (const name of ['public', 'svc_private'])
      if (!this.#sqlite.database(name)) this.#sqlite.createDatabase(name, {})
    this.#duckdb = await openDuckdb({
      folders: [this.#dataDir],
      spill,
      memoryLimit: storage.memory_limit || Math.floor(totalmem() / 4),
      threads: storage.query_threads || availableParallelism()
    })
    await checkFiles(this.#dataDir, this.#sqlite.allFiles(), this.#log)
    const found = await readLog(wal.dir, this.#log, (seq, payload) => this.#replay(seq, payload))
    this.#appliedSeq = Math.max(found.nextSeq, this.#sqlite.nextSeq())
    this.#wal = new WriteAheadLog(
      { dir: wal.dir, sync: wal.sync, syncInterval: wal.sync_interval, segmentSize: wal.segment_size },
      this.#log,
      this.#metrics.wal,
      { segments: found.segments, nextSeq: this.#appliedSeq },
      () => {
        for (const data of this.#tables.values()) data.forgetUnconfirmed()
      }
    )
    await this.#wal.start()
    this.#catalog = this.#makeCatalog()
    this.#timer = setInterval(() => this.#flushWhenOld(), 1000)
    this.#timer.unref()
    this.#state = 'open'
    const milliseconds = Math.round(performance.now() - started)
    this.#log.info({ records: found.records, tables: this.#sqlite.allTables().length, milliseconds }, 'storage is open')
  }

  async write(writes: readonly ResolvedWrite[], signal: AbortSignal): Promise<number> {
    const wal = this.#openWal()
    await this.#waitForRoom(signal)
    signal.throwIfAborted()
    const rows = writes.reduce((sum, write) => sum + write.rows, 0)
    const logged: RecordPart[] = []
    const unlogged: RecordPart[] = []
    const seriesCounts: [TableData, number][] = []
    for (const write of writes) {
      if (write.rows === 0) continue
      const data = this.#data(this.#current(write.table))
      const skipped = data.table.options.skip_wal === true
      const part = recordPart(data, write, skipped)
      if (skipped) unlogged.push(part)
      else logged.push(part)
      if (!skipped && data.table.tags.length > 0) seriesCounts.push([data, data.registry.size])
    }
    if (logged.length > 0) {
      const loggedRows = logged.reduce((sum, part) => sum + part.rows, 0)
      await wal.append(loggedRows, encodeRecord(logged), seq => {
        for (const [data, count] of seriesCounts) data.confirmSeries(count)
        this.#apply(seq, logged)
        this.#appliedSeq = seq + loggedRows
      })
    }
    for (const part of unlogged) this.#apply(wal.reserve(part.rows), [part])
    if (this.#memtableBytes >= this.#config.storage.memtable_size) this.#planFlush()
    return rows
  }

  async query(query: Query, signal: AbortSignal): Promise<QueryResult> {
    this.#openWal()
    const relations: readonly Omit<Relation, 'start' | 'end'>[] = query.kind === 'sql' ? query.relations : [query]
    const tables = new Map(relations.map(({ table }) => [table.id, table]))
    for (const table of tables.values()) await this.#tables.get(table.id)?.makeReadable()
    const snapshots = new Map([...tables.values()].map(table => [table.id, this.#snapshot(table)]))
    const text = query.kind === 'sql' ? substitute(query.text, query.relations, snapshots) : scanText(query, snapshots)
    const release = this.#pin([...snapshots.values()])
    return this.#duckdb.stream(text, query.kind === 'sql' ? query.timezone : 'UTC', signal, release)
  }

  async maintain(task: Maintenance, signal: AbortSignal): Promise<Report> {
    this.#openWal()
    signal.throwIfAborted()
    return this.#flush(task.table)
  }

  async close(): Promise<void> {
    if (this.#state !== 'open') return
    this.#state = 'closed'
    clearInterval(this.#timer)
    try {
      await this.#flush()
    } catch (error) {
      this.#log.error({ err: error }, 'rows could not be written to files at the stop; the log keeps them')
    }
    await this.#wal!.close()
    await this.#duckdb.close()
    this.#sqlite.close()
  }

  #openWal(): WriteAheadLog {
    if (this.#state !== 'open')
      throw new DbError('StorageUnavailable', 'the storage engine is not open', { retryAfter: 1 })
    return this.#wal!
  }

  /** The table as it is now: it may have been changed or dropped since the write was resolved. */
  #current(table: Table): Table {
    const current = this.#sqlite.tableById(table.id)
    if (current === undefined) throw new DbError('TableNotFound', `Table not found: ${table.database}.${table.name}`)
    return current
  }

  #data(table: Table): TableData {
    let data = this.#tables.get(table.id)
    if (data === undefined) {
      data = new TableData(this.#duckdb, table, () => this.#sqlite.series(table.id))
      this.#tables.set(table.id, data)
    }
    data.table = table
    return data
  }

  #apply(seq: number, parts: readonly RecordPart[]): void {
    let first = seq
    for (const part of parts) {
      const data = this.#tables.get(part.table)
      if (data !== undefined) {
        const before = data.active?.bytes ?? 0
        const columns = new Map(part.columns.map(column => [column.id, column.data]))
        data.add({ rows: part.rows, seq: first, op: part.op, tsids: part.tsids, columns })
        this.#memtableBytes += data.active!.bytes - before
      }
      first += part.rows
    }
  }

  async #replay(seq: number, payload: Uint8Array): Promise<void> {
    const typeOf = (table: number, column: number) =>
      this.#sqlite.tableById(table)?.columns.find(({ id }) => id === column)?.type
    let first = seq
    for (const part of decodeRecord(payload, typeOf)) {
      const table = this.#sqlite.tableById(part.table)
      if (table !== undefined && first >= this.#sqlite.flushedSeq(part.table)) {
        const data = this.#data(table)
        for (const { tsid, key } of part.series) data.restoreSeries(tsid, key)
        this.#apply(first, [part])
      }
      first += part.rows
    }
    this.#appliedSeq = first
    if (this.#memtableBytes >= this.#config.storage.memtable_size) await this.#flush()
  }

  #snapshot(table: Table): Snapshot {
    const data = this.#tables.get(table.id)
    return {
      table,
      files: this.#sqlite.files(table),
      memtables: data?.memtables ?? [],
      series: data?.mirror.name ?? '',
      dataDir: this.#dataDir
    }
  }

  #pin(snapshots: readonly Snapshot[]): () => void {
    const paths = snapshots.flatMap(snapshot => snapshot.files.map(file => file.path))
    const memtables = snapshots.flatMap(snapshot => snapshot.memtables)
    this.#pins.pin(paths)
    for (const memtable of memtables) memtable.pin()
    return () => {
      this.#pins.unpin(paths)
      for (const memtable of memtables) memtable.unpin()
    }
  }

  async #waitForRoom(signal: AbortSignal): Promise<void> {
    if (this.#memtableBytes < this.#config.storage.memtable_limit) return
    this.#metrics.stalls.add(1)
    this.#planFlush()
    const limit = AbortSignal.any([signal, AbortSignal.timeout(longestStall)])
    while (this.#memtableBytes >= this.#config.storage.memtable_limit) {
      if (limit.aborted) {
        signal.throwIfAborted()
        const reason = `rows in memory reached storage.memtable_limit (${this.#config.storage.memtable_limit} bytes)`
        throw new DbError('StorageUnavailable', `${reason} and could not be written to files in time`, {
          retryAfter: 5
        })
      }
      await new Promise<void>(resolve => {
        this.#roomWaiters.push(resolve)
        limit.addEventListener('abort', () => resolve(), { once: true })
      })
    }
  }

  #planFlush(): void {
    if (this.#flushPlanned) return
    this.#flushPlanned = true
    this.#flush()
      .catch(async error => {
        this.#log.error({ err: error }, 'rows could not be written to files; trying again')
        await new Promise(resolve => setTimeout(resolve, flushRetry).unref())
      })
      .finally(() => {
        this.#flushPlanned = false
      })
  }

  #flushWhenOld(): void {
    const { flush_interval } = this.#config.storage
    const limit = Date.now() - flush_interval
    const old = [...this.#tables.values()].some(data => data.memtables.some(memtable => memtable.createdAt < limit))
    if (old) this.#planFlush()
  }

  /** Writes all memtables of one table or of all to files; flushes take turns. */
  #flush(only?: Table): Promise<Report> {
    const next = this.#flushing.then(() => this.#flushNow(only))
    this.#flushing = next.catch(() => {})
    return next
  }

  async #flushNow(only: Table | undefined): Promise<Report> {
    const started = performance.now()
    const due = [...this.#tables.values()].filter(
      data => data.memtables.length > 0 && (!only || data.table.id === only.id)
    )
    for (const data of due) data.seal()
    const boundary = this.#appliedSeq
    await this.#wal?.flush()
    const report = { rows: 0, bytes: 0, files: 0 }
    for (const data of due) {
      for (const memtable of [...data.sealed]) {
        const last = memtable === data.sealed.at(-1)
        const file = await this.#flushMemtable(data, memtable, last ? boundary : memtable.endSeq)
        report.rows += file.rows
        report.bytes += file.bytes
        report.files++
      }
    }
    await this.#wal?.dropBefore(this.#oldestSeq())
    if (report.files > 0) {
      this.#metrics.flushSeconds.observe((performance.now() - started) / 1000)
      this.#metrics.flushedRows.add(report.rows)
      this.#metrics.flushedBytes.add(report.bytes)
      this.#log.debug(report, 'rows were written to files')
    }
    return report
  }

  async #flushMemtable(data: TableData, memtable: TableData['sealed'][number], flushedSeq: number) {
    if (data.table.tags.length > 0) await data.mirror.sync(data.table, data.registry)
    const { table } = data
    const unsaved = data.unsavedSeries()
    const target = { dataDir: this.#dataDir, folder: this.#sqlite.folder(table), name: `${memtable.firstSeq}.parquet` }
    const file = await writeFile(this.#duckdb, table, memtable, data.mirror.name, target)
    this.#sqlite.addFile(table, file, unsaved.series, flushedSeq)
    unsaved.saved()
    data.sealed = data.sealed.filter(other => other !== memtable)
    this.#forget(memtable.bytes)
    memtable.drop()
    return file
  }

  #forget(bytes: number): void {
    this.#memtableBytes -= bytes
    for (const wake of this.#roomWaiters.splice(0)) wake()
  }

  /** Everything below is in files: the log may forget it. */
  #oldestSeq(): number {
    let oldest = this.#appliedSeq
    for (const data of this.#tables.values()) {
      for (const memtable of data.memtables) oldest = Math.min(oldest, memtable.firstSeq)
    }
    return oldest
  }

  async #dropTable(table: Table): Promise<void> {
    // A flush may be writing its file.
    await this.#flushing
    const paths = this.#sqlite.files(table).map(file => file.path)
    this.#sqlite.dropTable(table)
    await this.#forgetTable(table, paths)
  }

  async #forgetTable(table: Table, paths: readonly string[]): Promise<void> {
    const data = this.#tables.get(table.id)
    if (data !== undefined) {
      this.#tables.delete(table.id)
      this.#forget(data.bytes)
      data.drop()
    }
    await this.#pins.remove(paths)
  }

  #makeCatalog(): Catalog {
    const sqlite = this.#sqlite
    return {
      databases: () => sqlite.databases(),
      database: name => sqlite.database(name),
      tables: database => sqlite.tables(database),
      table: (database, name) => sqlite.table(database, name),
      createDatabase: async (name, options) => sqlite.createDatabase(name, options),
      dropDatabase: async name => {
        await this.#flushing
        const tables = sqlite.tables(name).map(table => ({ table, paths: sqlite.files(table).map(file => file.path) }))
        sqlite.dropDatabase(name)
        for (const { table, paths } of tables) await this.#forgetTable(table, paths)
      },
      createTable: async definition => sqlite.createTable(definition),
      changeTable: async (table, change) => {
        const changed = sqlite.changeTable(table, change)
        const data = this.#tables.get(table.id)
        if (data !== undefined) {
          // What hidden columns a generation has depends on the tags and on append_mode.
          if (
            changed.options.append_mode !== table.options.append_mode ||
            (table.tags.length === 0 && changed.tags.length > 0)
          )
            data.seal()
          data.table = changed
        }
        return changed
      },
      dropTable: table => this.#dropTable(table),
      statistics: table => {
        const files = sqlite.files(table)
        const memtables = this.#tables.get(table.id)?.memtables ?? []
        return {
          rows: sum(files, file => file.rows) + sum(memtables, memtable => memtable.rows),
          bytes: sum(files, file => file.bytes),
          files: files.length
        }
      }
    }
  }
}

function recordPart(data: TableData, write: ResolvedWrite, skipped: boolean): RecordPart {
  const { table } = data
  const byName = new Map(table.columns.map(column => [column.name, column]))
  const columns = write.columns.flatMap(({ name, data }) => {
    const column = byName.get(name)
    return column === undefined ? [] : [{ column, data }]
  })
  const tags = columns
    .filter(({ column }) => column.semantic === 'tag')
    .map(({ column, data }) => ({ id: column.id, data }))
  const tsids = table.tags.length > 0 ? resolveSeries(data.registry, tags, write.rows) : undefined
  return {
    table: table.id,
    op: write.op,
    rows: write.rows,
    tsids,
    series: table.tags.length > 0 && !skipped ? data.takeNewSeries() : [],
    columns: columns
      .filter(({ column }) => column.semantic !== 'tag')
      .map(({ column, data }) => ({ id: column.id, data }))
  }
}

/** Puts each table's rows where the statement names the table, from the last to the first so that offsets stay right. */
function substitute(text: string, relations: readonly Relation[], snapshots: ReadonlyMap<number, Snapshot>): string {
  return relations.toReversed().reduce((sql, { start, end, table, alias }) => {
    const rows = `(${relation(snapshots.get(table.id)!)})${alias === undefined ? '' : ` AS ${quoteName(alias)}`}`
    return sql.slice(0, start) + rows + sql.slice(end)
  }, text)
}

function scanText(query: Extract<Query, { kind: 'scan' }>, snapshots: ReadonlyMap<number, Snapshot>): string {
  const { table, from, to } = query
  const physical = new Map(table.columns.map(column => [column.name, column.physical]))
  const columns = query.columns.map(name => `${quoteName(physical.get(name)!)} AS ${quoteName(name)}`)
  const time = quoteName(table.timeIndex.physical)
  const unit = { TimestampSecond: 'epoch', TimestampMillisecond: 'epoch_ms', TimestampMicrosecond: 'epoch_us' }
  const ticks = `${unit[table.timeIndex.type as keyof typeof unit] ?? 'epoch_ns'}(${time})`
  const bounds = [from === undefined ? '' : `${ticks} >= ${from}`, to === undefined ? '' : `${ticks} < ${to}`].filter(
    Boolean
  )
  const where = bounds.length > 0 ? ` WHERE ${bounds.join(' AND ')}` : ''
  return `SELECT ${columns.join(', ')} FROM (${relation(snapshots.get(table.id)!)})${where}`
}

async function makeFolder(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new DbError('StorageUnavailable', `cannot create the folder ${dir}: ${reason}`, { cause: error })
  }
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0)
}
