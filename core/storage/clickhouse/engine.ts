// The driver for a ClickHouse cluster. All state is in the cluster, so any number of processes can write and read.
import { randomBytes } from 'node:crypto'
import type { Config } from '../../config/schema.ts'
import { DbError, isDbError } from '../../errors.ts'
import type { Logger } from '../../log/log.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import { every, pause, type Timer } from '../../timer.ts'
import { clickhouse } from '../dialect/clickhouse.ts'
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
import { isLogical, isPhysical } from '../logical.ts'
import { ClusterCatalog } from './catalog.ts'
import { checkVersion, explainFailure } from './check.ts'
import { type Connection, connect } from './connection.ts'
import { besideName, type Location, onCluster, tableName } from './definition.ts'
import { cancelled, translate } from './errors.ts'
import { KnownLabels } from './labels.ts'
import { emptyDatabase, quoteName } from './names.ts'
import { type QueryDependencies, scan } from './query.ts'
import { Readers } from './readers.ts'
import { Records } from './records.ts'
import { Repeats } from './repeats.ts'
import { KnownSeries } from './series.ts'
import { series } from './series-query.ts'
import type { ClickHouseConfig } from './settings.ts'
import { Guarded, sql } from './sql.ts'
import { Versions } from './versions.ts'
import { writeAll } from './write.ts'

export function createClickHouseEngine({ storage }: Pick<Config, 'storage'>, log: Logger, metrics: Metrics): Engine {
  return new ClickHouseEngine(storage.clickhouse, log, metrics)
}

/** Attempts to start while the cluster is busy. */
const maxBusyStarts = 6

/** The state of an open engine. */
interface EngineState {
  readonly connection: Connection
  readonly catalog: ClusterCatalog
  readonly series: KnownSeries
  readonly labels: KnownLabels
  readonly readers: Readers
  readonly guarded: Guarded
  readonly repeats: Repeats
  readonly timer: Timer
}

class ClickHouseEngine implements Engine {
  readonly name = 'clickhouse'
  readonly supports = { sql: clickhouse, durable: true, distributed: true, admission: false }
  readonly catalog: Catalog
  readonly #config: ClickHouseConfig
  readonly #log: Logger
  readonly #metrics: Metrics
  readonly #location: Location
  readonly #versions = new Versions()
  #state: EngineState | undefined

  constructor(config: ClickHouseConfig, log: Logger, metrics: Metrics) {
    this.#config = config
    this.#log = log
    this.#metrics = metrics
    this.#location = { prefix: config.database_prefix, cluster: config.cluster }
    this.catalog = liveCatalog(() => this.#open().catalog)
  }

  async open(): Promise<Opening> {
    const connection = await connect(this.#config, this.#metrics)
    try {
      this.#state = await this.#beginOnceFree(connection)
    } catch (error) {
      await connection.close()
      throw explainFailure(this.#config, error)
    }
    return { finished: Promise.resolve(), trouble: () => this.#state?.connection.trouble }
  }

  /** Retries while the cluster is busy (too many parts, statements or bytes), which may last for minutes while it answers reads. */
  async #beginOnceFree(connection: Connection): Promise<EngineState> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#begin(connection)
      } catch (error) {
        const isBusy = isDbError(error) && ['RateLimited', 'RuntimeResourcesExhausted'].includes(error.code)
        if (!isBusy || attempt === maxBusyStarts) throw error
        this.#log.warn({ err: error }, 'the cluster is busy; the start tries again')
        await pause((error.retryAfter ?? 1) * 1000)
      }
    }
  }

  async #begin(connection: Connection): Promise<EngineState> {
    const location = this.#location
    const [row] = await connection.rows('SELECT version() AS version')
    const hasTextIndex = checkVersion(String(row?.['version']))
    const records = new Records(connection, location, this.#versions)
    await records.create()
    await connection.command(
      `CREATE DATABASE IF NOT EXISTS ${quoteName(emptyDatabase(location.prefix))}${onCluster(location)}`
    )
    const series = new KnownSeries(async (table, since, take) => {
      const name = besideName(location, table.database, table.name, 'series')
      const reading = await connection.read(
        `SELECT DISTINCT \`tsid\` FROM ${name} WHERE \`first_seen\` >= fromUnixTimestamp64Milli(toInt64(${since}))`
      )
      for await (const { rows, columns } of reading.batches()) {
        for (let i = 0; i < rows; i++) take(columns[0]!.values[i] as bigint)
      }
    })
    series.useKey(await records.key(() => randomBytes(16).toString('hex')))
    const catalog = new ClusterCatalog({ connection, records, location, hasTextIndex, series, log: this.#log })
    await catalog.refresh()
    for (const name of ['public', 'svc_private']) {
      if (catalog.database(name) === undefined) await catalog.createDatabase(name, {})
    }
    const readers = new Readers(connection, location, this.#config.reader_username)
    await readers.roles([])
    const repeats = new Repeats(connection, location)
    await repeats.open()
    const timer = every(this.#config.refresh_interval, () => {
      catalog
        .refresh()
        .catch(error => this.#log.warn({ err: error }, 'the catalog of the cluster could not be read again'))
    }).unref()
    return { connection, catalog, series, labels: new KnownLabels(), readers, guarded: new Guarded(), repeats, timer }
  }

  async write(writes: readonly (ResolvedWrite | ResolvedSeries)[], signal: AbortSignal): Promise<number> {
    const { connection, catalog, series, repeats } = this.#open()
    const parts = {
      connection,
      catalog,
      series,
      repeats,
      versions: this.#versions,
      location: this.#location,
      insertSettings: this.#insertSettings()
    }
    try {
      return await writeAll(parts, writes, signal)
    } catch (error) {
      return this.#fail(error, signal)
    }
  }

  #insertSettings(): Readonly<Record<string, string | number>> {
    const { cluster, insert_quorum } = this.#config
    return {
      async_insert: 0,
      insert_deduplicate: 1,
      max_partitions_per_insert_block: 0,
      input_format_null_as_default: 0,
      ...(cluster !== '' && { insert_quorum, distributed_foreground_insert: 1 })
    }
  }

  async query(query: Query, signal: AbortSignal): Promise<QueryResult> {
    const { connection, catalog, labels, readers, guarded } = this.#open()
    if (signal.aborted) throw cancelled(signal)
    const parts: QueryDependencies = {
      connection,
      catalog,
      labels,
      location: this.#location,
      timeout: this.#config.timeout
    }
    try {
      if (query.kind === 'scan') return await scan(parts, query, signal)
      if (query.kind === 'series') return await series(parts, query, signal)
      return await sql({ ...parts, readers, guarded }, query, signal)
    } catch (error) {
      return this.#fail(error, signal)
    }
  }

  /** Something that is gone may have been changed by another process, so the catalog is read again. */
  #fail(error: unknown, signal: AbortSignal): never {
    const told = translate(error, signal)
    if (told.code === 'RequestOutdated' || told.code === 'TableNotFound')
      void this.#state?.catalog.refresh().catch(() => {})
    throw told
  }

  async maintain(task: Maintenance, signal: AbortSignal): Promise<Report> {
    const { connection, catalog } = this.#open()
    if (signal.aborted) throw cancelled(signal)
    if (task.kind === 'backup') {
      throw new DbError(
        'Unsupported',
        'a cluster is backed up by its own means: BACKUP DATABASE … TO …, see docs/clickhouse.md'
      )
    }
    // Rows are stored as soon as a write is answered, so there is nothing to flush.
    if (task.kind === 'flush') return { rows: 0, bytes: 0, files: 0 }
    const all = catalog.databases().flatMap(({ name }) => catalog.tables(name))
    const tables = task.table === undefined ? all : [catalog.current(task.table)]
    const stored = new Set(tables.map(table => (isLogical(table) ? catalog.physicalTableOf(table) : table)))
    for (const { database, name, ...rest } of stored) {
      const table = { database, name, ...rest }
      const base = tableName(this.#location, database, name)
      const local = this.#location.cluster === '' ? base : besideName(this.#location, database, name, 'local')
      const names = [local, ...(isPhysical(table) ? [besideName(this.#location, database, name, 'series')] : [])]
      for (const each of names)
        await connection.command(`OPTIMIZE TABLE ${each}${onCluster(this.#location)} FINAL`, { signal })
    }
    await catalog.count()
    return { rows: 0, bytes: 0, files: 0 }
  }

  async close(): Promise<void> {
    const opened = this.#state
    this.#state = undefined
    opened?.timer.stop()
    await opened?.repeats.close()
    await opened?.connection.close()
  }

  #open(): EngineState {
    if (this.#state === undefined) {
      throw new DbError('StorageUnavailable', 'the storage engine is not open', { retryAfter: 1 })
    }
    return this.#state
  }
}

/** A catalog object that forwards to the one of the open engine. */
function liveCatalog(catalog: () => Catalog): Catalog {
  return {
    refresh: async () => catalog().refresh(),
    durable: async () => catalog().durable(),
    databases: () => catalog().databases(),
    database: name => catalog().database(name),
    tables: database => catalog().tables(database),
    table: (database, name) => catalog().table(database, name),
    createDatabase: (name, options) => catalog().createDatabase(name, options),
    changeDatabase: (name, options) => catalog().changeDatabase(name, options),
    dropDatabase: name => catalog().dropDatabase(name),
    views: database => catalog().views(database),
    view: (database, name) => catalog().view(database, name),
    putView: view => catalog().putView(view),
    dropView: view => catalog().dropView(view),
    createTable: definition => catalog().createTable(definition),
    changeTable: (table, change) => catalog().changeTable(table, change),
    changeTables: steps => catalog().changeTables(steps),
    dropTable: table => catalog().dropTable(table),
    statistics: table => catalog().statistics(table),
    findSeries: (scope, keys, table) => catalog().findSeries(scope, keys, table),
    addSeries: (numbers, additions) => catalog().addSeries(numbers, additions),
    knowsSeries: (table, labels) => catalog().knowsSeries(table, labels),
    isCurrent: numbers => catalog().isCurrent(numbers)
  }
}
