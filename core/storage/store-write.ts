// The write path of the store: resolves tables and series, then hands all writes to the engine together.
import type { Audit } from '../audit.ts'
import { authorise } from '../auth/permission.ts'
import type { Config } from '../config/schema.ts'
import { DbError, isDbError } from '../errors.ts'
import type { RequestContext } from '../http/context.ts'
import type { TableWrite } from '../model/batch.ts'
import type { SeriesWrite } from '../model/series.ts'
import { Pace, runPaced } from '../pace.ts'
import { checkColumns, checkSamples } from './check-columns.ts'
import type { Engine, ResolvedSeries, ResolvedWrite } from './engine.ts'
import { LimitReached } from './limits.ts'
import { findTags, introduceTags, type TaggedWrite } from './row-tags.ts'
import { checkWrite } from './schema.ts'
import { type RefusedSeries, resolveSeriesWrite, type SeriesDependencies } from './series-write.ts'
import type { WriteResult } from './store.ts'
import { checkSeries, createWriteQuota } from './write-quota.ts'

/** How often a write is planned again because a table changed meanwhile. */
const maxAttempts = 5

export interface StoreWriteDependencies extends Omit<SeriesDependencies, 'catalog'> {
  readonly engine: Engine
  readonly config: Pick<Config, 'auto_create_table'>
  /** Records deletes. */
  readonly audit?: Pick<Audit, 'watch'> | undefined
  /** Runs work while no table can change; `work` gets the `resolve` to use within it. */
  alone<T>(work: (resolve: SeriesDependencies['resolve']) => Promise<T>): Promise<T>
  /** Counts stored and deleted rows. */
  count(ctx: RequestContext, rows: number, deleted: number): void
  /** Counts a write that exceeded a limit, as a whole or in part. */
  refuseAt(reached: LimitReached): void
  /** Counts a write that a plugin should not have handed over. */
  refuse(ctx: RequestContext): void
}

/** Errors of the engine that mean a table was changed or dropped after it was looked up. */
const outdated: ReadonlySet<string> = new Set(['RequestOutdated', 'TableNotFound'])

type Writes = readonly (TableWrite | SeriesWrite)[]

/** One write of a request after its tables and series are resolved. */
interface Resolved {
  readonly writes: readonly (ResolvedSeries | ResolvedWrite)[]
  readonly refused?: RefusedSeries
}

export function createStoreWrite(
  parts: StoreWriteDependencies
): (ctx: RequestContext, writes: Writes) => Promise<WriteResult> {
  const write = async (ctx: RequestContext, writes: Writes) => {
    authorise(ctx.user, 'write')
    parts.requireDatabase(ctx.db)
    const own = ctx.user.databases === undefined ? parts : await limited(parts, ctx, writes)
    const pace = new Pace(ctx)
    await checkWrites(parts, ctx, writes, pace)
    ctx.quota?.charge(
      'rows',
      writes.reduce((sum, write) => sum + (isTableWrite(write) ? write.rows : write.samples), 0)
    )
    for (let attempt = 1; ; attempt++) {
      try {
        if (attempt < maxAttempts) return await writeOnce(own, ctx, writes, pace)
        return await parts.alone(resolve => writeOnce({ ...own, resolve }, ctx, writes, pace))
      } catch (error) {
        if (error instanceof LimitReached) parts.refuseAt(error)
        if (!isDbError(error) || !outdated.has(error.code)) throw error
        if (attempt === maxAttempts) {
          throw new DbError('StorageUnavailable', "the table's schema kept changing during the write; retry", {
            cause: error,
            retryAfter: 1
          })
        }
      }
    }
  }
  return (ctx, writes) => {
    const deletes = parts.audit === undefined ? [] : writes.filter(isDelete)
    if (deletes.length === 0) return write(ctx, writes)
    const target = deletes.map(({ database = ctx.db, table, rows }) => `${database}.${table} (${rows} rows)`).join(', ')
    return parts.audit!.watch(ctx, 'delete', target, () => write(ctx, writes))
  }
}

/** For users who may not write to every database: checks the database of each series. */
async function limited(
  parts: StoreWriteDependencies,
  ctx: RequestContext,
  writes: Writes
): Promise<StoreWriteDependencies> {
  const { db, user } = ctx
  const pace = new Pace(ctx)
  for (const write of writes) {
    if (isTableWrite(write)) authorise(user, 'write', write.database ?? db)
    // The names of known keys are not read again, so they are checked here.
    else {
      for (let i = 0; i < write.keys.count; i++) {
        authorise(user, 'write', databaseOf(write, i) ?? db)
        if (pace.isDue) await pace.pause()
      }
    }
  }
  return {
    ...parts,
    requireDatabase(name) {
      authorise(user, 'write', name)
      return parts.requireDatabase(name)
    },
    resolve(db, writes, pace) {
      authorise(user, 'write', db)
      return parts.resolve(db, writes, pace)
    }
  }
}

/** The database that a key names. Undefined if it names none, and if the key is invalid: that is reported later. */
function databaseOf(write: SeriesWrite, i: number): string | undefined {
  try {
    return write.name(i).database
  } catch (error) {
    if (isDbError(error)) return undefined
    throw error
  }
}

/** Checks everything that the engine and its log rely on. */
async function checkWrites(
  { refuse }: StoreWriteDependencies,
  ctx: RequestContext,
  writes: Writes,
  pace: Pace
): Promise<void> {
  try {
    for (const write of writes) {
      if (!isTableWrite(write)) await runPaced(pace, checkSamples(ctx.plugin, write))
      else {
        await runPaced(pace, checkColumns(ctx.plugin, write))
        checkWrite(write)
      }
      if (pace.isDue) await pace.pause()
    }
  } catch (error) {
    if (!ctx.signal.aborted) refuse(ctx)
    throw error
  }
}

async function writeOnce(
  parts: StoreWriteDependencies,
  ctx: RequestContext,
  writes: Writes,
  pace: Pace
): Promise<WriteResult> {
  const { engine, count, refuseAt } = parts
  const resolved = await resolveAll(parts, ctx, writes, pace)
  const kept = resolved.map(({ writes }) => writes.filter(write => write.rows > 0 && !isInstant(write)))
  const all = kept.flat()
  const rows = all.length === 0 ? 0 : await engine.write(all, ctx.signal)
  count(ctx, rows, countRows(all.filter(write => 'op' in write && write.op === 'delete')))
  const refused = resolved.flatMap(each =>
    each.refused !== undefined && each.refused.series > 0 ? [each.refused] : []
  )
  if (refused[0]?.error instanceof LimitReached) refuseAt(refused[0].error)
  return { rows, perWrite: kept.map(countRows), ...(refused[0] && { refused: refused[0] }) }
}

async function resolveAll(
  parts: StoreWriteDependencies,
  ctx: RequestContext,
  writes: Writes,
  pace: Pace
): Promise<readonly Resolved[]> {
  const { engine, config } = parts
  const allowed = (write: TableWrite | SeriesWrite) =>
    write.autoCreate ?? ctx.hints.autoCreate ?? config.auto_create_table
  const optionsOf = (write: TableWrite | SeriesWrite) => ({ ...ctx.hints.options, ...write.options })
  const withHints = (write: TableWrite) => ({ ...write, options: optionsOf(write) })
  const tables = await resolveTables(parts, ctx, writes.filter(isTableWrite).map(withHints), allowed, pace)
  const resolved: Resolved[] = []
  let next = 0
  for (const write of writes) {
    if (isTableWrite(write)) resolved.push({ writes: [tables[next++]!] })
    else {
      const request = { db: ctx.db, plugin: ctx.plugin, autoCreate: allowed(write), options: optionsOf(write) }
      resolved.push(await resolveSeriesWrite({ ...parts, catalog: engine.catalog }, request, write, pace))
    }
  }
  return resolved
}

/** Creates and widens the tables of one database together. */
async function resolveTables(
  { engine, resolve, requireDatabase, limitsOf }: StoreWriteDependencies,
  { db, plugin }: RequestContext,
  writes: readonly TableWrite[],
  allowed: (write: TableWrite) => boolean,
  pace: Pace
): Promise<ResolvedWrite[]> {
  for (const { database } of writes) if (database !== undefined) requireDatabase(database)
  const resolved = new Map<TableWrite, ResolvedWrite>()
  for (const [database, group] of Map.groupBy(writes, write => write.database ?? db)) {
    const keys = group.reduce((sum, { tags }) => sum + (tags?.keys.count ?? 0), 0)
    const scope = { plugin, database, quota: createWriteQuota(engine.catalog, limitsOf, keys) }
    await runPaced(pace, checkSeries(engine.catalog, database, group, limitsOf))
    const tagged: TaggedWrite[] = []
    for (const write of group) tagged.push(await runPaced(pace, findTags(engine.catalog, scope, write)))
    const planned = tagged.map(({ planned }, i) => ({ write: planned, autoCreate: allowed(group[i]!) }))
    for (const [i, found] of (await resolve(database, planned, pace)).entries())
      resolved.set(group[i]!, await runPaced(pace, introduceTags(engine.catalog, limitsOf, found, tagged[i]!)))
  }
  return writes.map(write => resolved.get(write)!)
}

function isDelete(write: TableWrite | SeriesWrite): write is TableWrite {
  return 'op' in write && write.op === 'delete'
}

function isTableWrite(write: TableWrite | SeriesWrite): write is TableWrite {
  return !('keys' in write)
}

/** Rows of tables with `ttl = 'instant'` are never stored. */
function isInstant(write: ResolvedSeries | ResolvedWrite): boolean {
  return 'table' in write && write.table.options.ttl === 'instant'
}

function countRows(writes: readonly { readonly rows: number }[]): number {
  return writes.reduce((sum, write) => sum + write.rows, 0)
}
