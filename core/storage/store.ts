// Everything plugins may do with data: the store checks users, catalog and limits, then calls the engine.

import type { Audit } from '../audit.ts'
import { authorise, authoriseAll, mayUse } from '../auth/permission.ts'
import type { User } from '../auth/provider.ts'
import type { Config } from '../config/schema.ts'
import { DbError } from '../errors.ts'
import type { RequestContext } from '../http/context.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { TableWrite } from '../model/batch.ts'
import type { SeriesLabel, SeriesWrite } from '../model/series.ts'
import type { Database, Table, TableChange, TableDefinition, TableOptions, View } from '../model/table.ts'
import { mapPaced, Pace, runAtOnce, runPaced } from '../pace.ts'
import { serialQueue } from '../serial.ts'
import { noTracing, type Tracing } from '../trace/trace.ts'
import { auditedStore } from './audited.ts'
import type { Dialect } from './dialect/dialect.ts'
import { duckdb } from './dialect/duckdb.ts'
import type {
  Engine,
  Maintenance,
  Query,
  QueryResult,
  Report,
  ResolvedWrite,
  TableStatistics,
  TableStep
} from './engine.ts'
import { configuredLimits, type DatabaseLimits, LimitReached } from './limits.ts'
import { createNews } from './news.ts'
import { createRunQuery } from './query-measure.ts'
import {
  checkDefinition,
  checkName,
  checkPhysicalTables,
  inheritOptions,
  type PlannedWrite,
  planSteps
} from './schema.ts'
import { createSemaphore } from './semaphore.ts'
import type { RefusedSeries } from './series-write.ts'
import { createStoreWrite, type StoreWriteDependencies } from './store-write.ts'
import { refuseSystem } from './system.ts'
import { checkSteps, createWriteQuota, type WriteQuota } from './write-quota.ts'

/** Tables, and columns of theirs, created or changed in one transaction. */
const [stepTables, stepColumns] = [125, 1_250]

/** The steps in parts, each for a transaction of its own. */
function* transactionsOf(steps: readonly TableStep[]): Iterable<readonly TableStep[]> {
  let some: TableStep[] = []
  let columns = 0
  for (const step of steps) {
    const more = columnsOf(step)
    if (some.length === stepTables || (some.length > 0 && columns + more > stepColumns)) {
      yield some
      some = []
      columns = 0
    }
    some.push(step)
    columns += more
  }
  if (some.length > 0) yield some
}

function columnsOf(step: TableStep): number {
  if (step.kind === 'create') return step.definition.columns.length
  return step.change.kind === 'add_columns' ? step.change.columns.length : 1
}

export interface WriteResult {
  /** Affected rows of all writes. */
  readonly rows: number
  /** Affected rows of each write, in order. */
  readonly perWrite: readonly number[]
  /** The samples that a partial write left out; absent if there are none. */
  readonly refused?: RefusedSeries
}

/** The data of a server: checks permissions, names, types and limits, and calls the storage engine. Methods throw DbError. */
export interface Store {
  readonly engineName: string
  /** The SQL dialect of the engine. */
  readonly dialect: Dialect
  /** Whether other processes may write to the same tables, so that cached information about them becomes outdated. */
  readonly isShared: boolean
  /** Reads the changes that other processes made to databases, tables and views. */
  refresh(): Promise<void>
  /**
   * Resolves when every database, table and view that the store shows now, and every change of them, is durable. Await it before an answer that
   * relies on what another request changed, such as that a table exists already. Rejects with `StorageUnavailable` where nobody can know.
   */
  durable(): Promise<void>
  /**
   * Stores all writes or none, in the request's database: finds or creates tables, adds columns, and resolves once the rows are durable. Needs write
   * permission. The memory of the columns belongs to the store from the call on.
   */
  write(ctx: RequestContext, writes: readonly (TableWrite | SeriesWrite)[]): Promise<WriteResult>
  /** Runs a query. Needs read permission; stops when the context's signal fires. */
  query(ctx: RequestContext, query: Query): Promise<QueryResult>

  /**
   * The store as one user sees it: databases he may not use do not exist. Use it for everything that tells users about databases, tables and views.
   */
  seenBy(user: User, of?: Store): Store

  databases(): readonly Database[]
  database(name: string): Database | undefined
  /** The database. Throws DbError `DatabaseNotFound`. */
  requireDatabase(name: string): Database
  tables(database: string): readonly Table[]
  table(database: string, name: string): Table | undefined
  /** Waits until the table exists, and returns it. Rejects with the signal's reason. */
  tableMade(database: string, name: string, signal: AbortSignal): Promise<Table>
  statistics(table: Table): TableStatistics
  /** Whether rows with exactly these tags were written to a table. */
  knowsSeries(table: Table, labels: readonly SeriesLabel[]): boolean
  /** A database's name for metric labels: the first hundred have their own, later ones are `other`; '' for one that does not exist. */
  label(database: string): string

  /** The current limits of a database, from `[limits]`. */
  limits(database: string): DatabaseLimits
  /**
   * For protocols that leave out what exceeds a limit and store the rest: the quota for at most `max` new series. The store checks again when it
   * writes.
   */
  writeQuota(max: number): WriteQuota

  views(database: string): readonly View[]
  view(database: string, name: string): View | undefined

  /**
   * Creates a database, a table or a view. Others change the catalog meanwhile, so what happens to one of the same name is said here; the result
   * tells whether it was created. Rejects with DbError `TableAlreadyExists` (databases: `InvalidArguments`) if existing ones are refused.
   */
  createDatabase(ctx: RequestContext, name: string, options: TableOptions, existing: OnExisting): Promise<boolean>
  createTable(ctx: RequestContext, definition: TableDefinition, existing: OnExisting): Promise<boolean>
  putView(ctx: RequestContext, view: View, existing: OnExisting | 'replace'): Promise<boolean>
  /** Drops one; the result tells whether it was still there. */
  dropDatabase(ctx: RequestContext, name: string): Promise<boolean>
  dropTable(ctx: RequestContext, table: Table): Promise<boolean>
  dropView(ctx: RequestContext, view: View): Promise<boolean>
  /** Replaces the options of a database. */
  changeDatabase(ctx: RequestContext, name: string, options: TableOptions): Promise<Database>
  changeTable(ctx: RequestContext, table: Table, change: TableChange): Promise<Table>
  maintain(ctx: RequestContext, task: Maintenance): Promise<Report>
}

/** What happens to a database, table or view of the same name. */
type OnExisting = 'refuse' | 'keep'

interface StoreDependencies {
  readonly engine: Engine
  readonly config: Pick<
    Config,
    'auto_create_table' | 'limits' | 'max_concurrent_queries' | 'max_waiting_queries' | 'query_wait_timeout'
  >
  readonly metrics: Metrics
  readonly tracing?: Tracing
  readonly audit?: Pick<Audit, 'watch'>
}

interface Stores {
  readonly store: Store
  /** Writes to any database, including the system database. */
  readonly writeAnywhere: Store['write']
}

/** The store of an open engine, and a store that may write to the system database, for the server itself. */
export function createStores({ engine, config, metrics, tracing = noTracing, audit }: StoreDependencies): Stores {
  const { catalog } = engine
  const refusedHelp =
    'Queries other than SQL refused: `full`, too many waited; `late`, their turn did not come in time.'
  const refused = metrics.counter('svc_query_refused_total', refusedHelp, ['reason'])
  const semaphore = createSemaphore(() => config.max_concurrent_queries, {
    queue: () => ({ max: config.max_waiting_queries, time: config.query_wait_timeout }),
    refused: reason => refused.add(1, { reason })
  })
  const open = createSemaphore(0)
  const semaphores = { sql: engine.supports.admission ? open : semaphore, scan: semaphore, series: semaphore }
  const runQuery = createRunQuery(semaphores, metrics, tracing)
  const rowsWritten = metrics.counter('svc_table_operator_ingest_rows', 'Rows written.', ['db', 'plugin'])
  const rowsDeleted = metrics.counter('svc_table_operator_delete_rows', 'Rows deleted by key.', ['db', 'plugin'])
  const writesRefused = metrics.counter(
    'svc_table_operator_refused_writes_total',
    'Writes refused because their columns are not what the plugin says they are.',
    ['plugin']
  )
  const limitRefusals = metrics.counter(
    'svc_limits_refused_total',
    'Writes and changes of tables refused, as a whole or in part, at a limit of `[limits]`.',
    ['limit']
  )
  const limitsOf = configuredLimits(config)
  const refuseAt = ({ limit }: LimitReached) => limitRefusals.add(1, { limit })
  /** Counts refusals at limits. */
  const atLimits = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      if (error instanceof LimitReached) refuseAt(error)
      throw error
    }
  }
  const tablesCreated = metrics.counter('svc_table_operator_create_table', 'Tables created.', ['db'])
  const tablesChanged = metrics.counter('svc_table_operator_alter_tables', 'Tables changed.', ['db'])
  const dbLabel = databaseLabel(catalog.databases().map(database => database.name))

  // Changes of the catalog run one after the other, so that two requests that need the same new table do not both create it.
  const serially = serialQueue()

  const newTables = createNews()

  const requireDatabase = (name: string): Database => {
    const database = catalog.database(name)
    if (database === undefined) throw new DbError('DatabaseNotFound', `Database not found: ${name}`)
    return database
  }

  const refuseTaken = (database: string, name: string): void => {
    const taken = catalog.table(database, name) ?? catalog.view(database, name)
    if (taken === undefined) return
    throw new DbError('TableAlreadyExists', `Table already exists: \`svc.${database}.${name}\``)
  }

  /** Adds the options that a definition inherits from its database. */
  const complete = (definition: TableDefinition): TableDefinition => {
    const database = requireDatabase(definition.database)
    if (catalog.view(definition.database, definition.name) !== undefined) {
      throw new DbError('InvalidArguments', `${definition.database}.${definition.name} is a view, it holds no rows`)
    }
    const physicalTable = definition.options.physical_table
    if (physicalTable !== undefined && catalog.view(definition.database, physicalTable) !== undefined) {
      throw new DbError('InvalidArguments', `physical_table = ${physicalTable}: that is a view, it holds no rows`)
    }
    const inherited = { ...definition, options: inheritOptions(definition.options, database.options) }
    checkDefinition(inherited)
    return inherited
  }

  /** Creates and changes tables, and counts them. Checks all before the first change. Then nothing cancels it, even if the client leaves. */
  const changeTables = async (db: string, steps: readonly TableStep[], pace: Pace): Promise<void> => {
    checkPhysicalTables(steps)
    const completed = await mapPaced(pace, steps, step =>
      step.kind === 'create' ? { ...step, definition: complete(step.definition) } : step
    )
    // The changes continue even if the client leaves.
    const endless = new Pace()
    for (const some of transactionsOf(completed)) {
      await endless.pause()
      await catalog.changeTables(some)
      const created = some.filter(step => step.kind === 'create').length
      if (created > 0) {
        tablesCreated.add(created, { db: dbLabel(db) })
        newTables.tell()
      }
      if (some.length > created) tablesChanged.add(some.length - created, { db: dbLabel(db) })
    }
  }

  /** The changes that the writes need of the tables as they are now. */
  const plan = async (db: string, writes: readonly PlannedWrite[], pace: Pace) => {
    const tables = new Map(writes.map(({ write }) => [write.table, catalog.table(db, write.table)]))
    return {
      tables,
      steps: await runPaced(
        pace,
        planSteps(db, name => tables.get(name), writes)
      )
    }
  }

  /** The writes with their tables, which are created or widened together as needed. `run` excludes other changes of the catalog. */
  const resolveIn =
    (run: typeof serially) =>
    async (db: string, writes: readonly PlannedWrite[], pace: Pace): Promise<ResolvedWrite[]> => {
      for (;;) {
        const { tables, steps } = await plan(db, writes, pace)
        if (steps.length === 0) {
          const { series: seriesLimit } = limitsOf(db)
          return writes.map(({ write: { table, rows, columns, op = 'put' } }) => ({
            ...{ table: tables.get(table)!, rows, columns, op, seriesLimit }
          }))
        }
        // Planned again within the serial queue: another request may have made the changes meanwhile.
        await run(async () => {
          const { steps } = await plan(db, writes, pace)
          await runPaced(pace, checkSteps(catalog, db, steps, limitsOf(db)))
          if (steps.length > 0) await changeTables(db, steps, pace)
        })
      }
    }

  const writeParts: StoreWriteDependencies = {
    engine,
    config,
    resolve: resolveIn(serially),
    requireDatabase,
    limitsOf,
    refuseAt,
    alone: work => serially(() => work(resolveIn(run => run()))),
    count({ db, plugin }, rows, deleted) {
      const labels = { db: dbLabel(db), plugin }
      if (rows > deleted) rowsWritten.add(rows - deleted, labels)
      if (deleted > 0) rowsDeleted.add(deleted, labels)
    },
    refuse: ({ plugin }) => writesRefused.add(1, { plugin })
  }
  const checkStepLimits = (database: string, step: TableStep) =>
    atLimits(() => runAtOnce(checkSteps(catalog, database, [step], limitsOf(database))))
  const requireWritable = (name: string): Database => {
    refuseSystem(name)
    return requireDatabase(name)
  }
  const store: Store = {
    engineName: engine.name,
    dialect: engine.supports.sql || duckdb,
    isShared: engine.supports.distributed,
    refresh: () => catalog.refresh(),
    durable: () => catalog.durable(),

    write: createStoreWrite({ ...writeParts, requireDatabase: requireWritable, audit }),

    async query(ctx, query) {
      authorise(ctx.user, 'read')
      if (ctx.user.databases !== undefined)
        for (const { database } of tablesOf(query)) authorise(ctx.user, 'read', database)
      if (query.kind === 'sql' && !engine.supports.sql) {
        throw new DbError('Unsupported', `the storage engine ${engine.name} answers no SQL`)
      }
      ctx.quota?.charge('queries', 1)
      const asked = query.kind === 'sql' ? { ...query, user: ctx.user.name } : query
      const run = () => engine.query(asked, ctx.signal)
      // A live tail has no end, so it does not count as a running query.
      return query.kind === 'sql' && query.follow !== undefined ? run() : runQuery(query.kind, ctx, run)
    },

    seenBy: (user, of = store) => (user.databases === undefined ? of : narrowed(of, user)),

    databases: () => catalog.databases(),
    database: name => catalog.database(name),
    requireDatabase,
    tables: database => catalog.tables(database),
    table: (database, name) => catalog.table(database, name),
    tableMade: (database, name, signal) => newTables.until(() => catalog.table(database, name), signal),
    views: database => catalog.views(database),
    view: (database, name) => catalog.view(database, name),
    statistics: table => catalog.statistics(table),
    knowsSeries: (table, labels) => catalog.knowsSeries(table, labels),
    limits: limitsOf,
    writeQuota(max) {
      const quota = createWriteQuota(catalog, limitsOf, max)
      return {
        table(...of) {
          const { acquire, checkLength } = quota.table(...of)
          return {
            acquire: labels => atLimits(() => acquire(labels)),
            checkLength: bytes => atLimits(() => checkLength(bytes))
          }
        }
      }
    },
    label: name => (catalog.database(name) === undefined ? '' : dbLabel(name)),

    createDatabase(ctx, name, options, existing) {
      authoriseAll(ctx.user, 'write')
      checkName('database', name)
      return serially(async () => {
        if (catalog.database(name) !== undefined) {
          if (existing === 'keep') return false
          throw new DbError('InvalidArguments', `Schema ${name} already exists`)
        }
        await catalog.createDatabase(name, options)
        return true
      })
    },

    changeDatabase(ctx, name, options) {
      authorise(ctx.user, 'write', name)
      refuseSystem(name)
      return serially(async () => {
        requireDatabase(name)
        return catalog.changeDatabase(name, options)
      })
    },

    dropDatabase(ctx, name) {
      authoriseAll(ctx.user, 'write')
      refuseSystem(name)
      return serially(async () => {
        if (catalog.database(name) === undefined) return false
        if (name === ctx.db || name === 'public') {
          throw new DbError('InvalidArguments', `Schema \`${name}\` is in use`)
        }
        await catalog.dropDatabase(name)
        return true
      })
    },

    createTable(ctx, definition, existing) {
      authorise(ctx.user, 'write', definition.database)
      refuseSystem(definition.database)
      return serially(async () => {
        if (existing === 'keep' && catalog.table(definition.database, definition.name) !== undefined) return false
        refuseTaken(definition.database, definition.name)
        const step = { kind: 'create', definition: complete(definition) } as const
        checkPhysicalTables([step])
        checkStepLimits(definition.database, step)
        await catalog.createTable(step.definition)
        tablesCreated.add(1, { db: dbLabel(definition.database) })
        newTables.tell()
        return true
      })
    },

    changeTable(ctx, table, change) {
      authorise(ctx.user, 'write', table.database)
      refuseSystem(table.database)
      if (change.kind === 'rename') checkName('table', change.name)
      if (change.kind === 'add_columns') for (const { name } of change.columns) checkName('column', name)
      return serially(async () => {
        if (change.kind === 'rename') refuseTaken(table.database, change.name)
        checkStepLimits(table.database, { kind: 'change', table, change })
        const changed = await catalog.changeTable(table, change)
        tablesChanged.add(1, { db: dbLabel(table.database) })
        if (change.kind === 'rename') newTables.tell()
        return changed
      })
    },

    dropTable(ctx, table) {
      authorise(ctx.user, 'write', table.database)
      refuseSystem(table.database)
      return serially(async () => {
        if (catalog.table(table.database, table.name)?.id !== table.id) return false
        await catalog.dropTable(table)
        return true
      })
    },

    putView(ctx, view, existing) {
      authorise(ctx.user, 'write', view.database)
      refuseSystem(view.database)
      checkName('table', view.name)
      return serially(async () => {
        requireDatabase(view.database)
        const { database, name } = view
        if (existing === 'keep' && catalog.view(database, name) !== undefined) return false
        if (existing !== 'replace' || catalog.table(database, name) !== undefined) refuseTaken(database, name)
        await catalog.putView(view)
        return true
      })
    },

    dropView(ctx, view) {
      authorise(ctx.user, 'write', view.database)
      refuseSystem(view.database)
      return serially(async () => {
        if (catalog.view(view.database, view.name) === undefined) return false
        await catalog.dropView(view)
        return true
      })
    },

    maintain(ctx, task) {
      const table = task.kind === 'backup' ? undefined : task.table
      if (table === undefined) authoriseAll(ctx.user, 'write')
      else authorise(ctx.user, 'write', table.database)
      return engine.maintain(task, ctx.signal)
    }
  }
  return {
    store: audit === undefined ? store : auditedStore(store, audit),
    writeAnywhere: createStoreWrite(writeParts)
  }
}

/** Hides the databases that a user may not use. */
function narrowed(store: Store, user: User): Store {
  const seen: Store = {
    ...store,
    seenBy: other => store.seenBy(other),
    databases: () => store.databases().filter(({ name }) => mayUse(user, name)),
    database: name => (mayUse(user, name) ? store.database(name) : undefined),
    requireDatabase(name) {
      const found = seen.database(name)
      if (found === undefined) throw new DbError('DatabaseNotFound', `Database not found: ${name}`)
      return found
    },
    tables: database => (mayUse(user, database) ? store.tables(database) : []),
    table: (database, name) => (mayUse(user, database) ? store.table(database, name) : undefined),
    // Tables of databases that a user may not use never exist for him.
    tableMade: (database, name, signal) =>
      mayUse(user, database)
        ? store.tableMade(database, name, signal)
        : createNews().until((): Table | undefined => undefined, signal),
    views: database => (mayUse(user, database) ? store.views(database) : []),
    view: (database, name) => (mayUse(user, database) ? store.view(database, name) : undefined)
  }
  return seen
}

function tablesOf(query: Query): readonly Table[] {
  if (query.kind === 'sql') return query.relations.map(({ table }) => table)
  return query.kind === 'series' ? [query.table, ...(query.others ?? [])] : [query.table]
}

/** Databases with a metric label of their own. */
const maxNamedDatabases = 100

/** Database names as metric labels: the first ones, then `other`. */
function databaseLabel(known: readonly string[]): (name: string) => string {
  const labels = new Set(known.slice(0, maxNamedDatabases))
  return name => {
    if (labels.has(name)) return name
    if (labels.size >= maxNamedDatabases) return 'other'
    labels.add(name)
    return name
  }
}
