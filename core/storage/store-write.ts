// The store's write: tables of rows and samples by series, resolved to what the engine takes and written together.
import { authorise } from '../auth/permission.ts'
import type { Config } from '../config/schema.ts'
import { DbError, isDbError } from '../errors.ts'
import type { RequestContext } from '../http/context.ts'
import type { TableWrite } from '../model/batch.ts'
import type { SeriesWrite } from '../model/series.ts'
import { checkColumns, checkSamples } from './check-columns.ts'
import type { Engine, ResolvedSeries, ResolvedWrite } from './engine.ts'
import { findTags, introduceTags } from './row-tags.ts'
import { checkWrite } from './schema.ts'
import { type RefusedSeries, resolveSeriesWrite, type SeriesParts } from './series-write.ts'
import type { WriteResult } from './store.ts'

/** How often a write is planned anew because a table changed under it. */
const mostAttempts = 5

export interface StoreWriteParts extends Omit<SeriesParts, 'catalog'> {
  readonly engine: Engine
  readonly config: Pick<Config, 'auto_create_table'>
  /** Counts what was stored. */
  count(ctx: RequestContext, rows: number, deleted: number): void
  /** Counts a write that is not what a plugin may hand over. */
  refuse(ctx: RequestContext): void
}

type Writes = readonly (TableWrite | SeriesWrite)[]

/** What one write of a request has become. */
interface Resolved {
  readonly writes: readonly (ResolvedSeries | ResolvedWrite)[]
  readonly refused?: RefusedSeries
}

export function createStoreWrite(
  parts: StoreWriteParts
): (ctx: RequestContext, writes: Writes) => Promise<WriteResult> {
  return async (ctx, writes) => {
    authorise(ctx.user, 'write')
    parts.requireDatabase(ctx.db)
    const own = ctx.user.databases === undefined ? parts : limited(parts, ctx, writes)
    checkWrites(parts, ctx, writes)
    ctx.quota?.charge(
      'rows',
      writes.reduce((sum, write) => sum + (isTableWrite(write) ? write.rows : write.samples), 0)
    )
    for (let attempt = 1; ; attempt++) {
      try {
        return await writeOnce(own, ctx, writes)
      } catch (error) {
        const outdated = isDbError(error) && error.code === 'RequestOutdated'
        if (!outdated) throw error
        if (attempt === mostAttempts) {
          throw new DbError('StorageUnavailable', 'tables change all the time', { cause: error, retryAfter: 1 })
        }
      }
    }
  }
}

/** For a user who may not write to every database. */
function limited(parts: StoreWriteParts, { db, user }: RequestContext, writes: Writes): StoreWriteParts {
  for (const write of writes) {
    if (isTableWrite(write)) authorise(user, 'write', write.database ?? db)
    // Of keys that are known nobody looks at the names later on.
    else for (let i = 0; i < write.keys.count; i++) authorise(user, 'write', databaseOf(write, i) ?? db)
  }
  return {
    ...parts,
    requireDatabase(name) {
      authorise(user, 'write', name)
      return parts.requireDatabase(name)
    },
    resolve(db, writes) {
      authorise(user, 'write', db)
      return parts.resolve(db, writes)
    }
  }
}

/** Undefined where the key names none, and where it stands for nothing: that is told later. */
function databaseOf(write: SeriesWrite, i: number): string | undefined {
  try {
    return write.name(i).database
  } catch (error) {
    if (isDbError(error)) return undefined
    throw error
  }
}

/** What the engine trusts and the log keeps. */
function checkWrites({ refuse }: StoreWriteParts, ctx: RequestContext, writes: Writes): void {
  try {
    for (const write of writes) {
      if (!isTableWrite(write)) checkSamples(ctx.plugin, write)
      else {
        checkColumns(ctx.plugin, write)
        checkWrite(write)
      }
    }
  } catch (error) {
    refuse(ctx)
    throw error
  }
}

async function writeOnce(parts: StoreWriteParts, ctx: RequestContext, writes: Writes): Promise<WriteResult> {
  const { engine, count } = parts
  const resolved = await resolveAll(parts, ctx, writes)
  const kept = resolved.map(({ writes }) => writes.filter(write => write.rows > 0 && !isInstant(write)))
  const all = kept.flat()
  const rows = all.length === 0 ? 0 : await engine.write(all, ctx.signal)
  count(ctx, rows, countRows(all.filter(write => 'op' in write && write.op === 'delete')))
  const refused = resolved.flatMap(each =>
    each.refused !== undefined && each.refused.series > 0 ? [each.refused] : []
  )
  return { rows, perWrite: kept.map(countRows), ...(refused[0] && { refused: refused[0] }) }
}

async function resolveAll(parts: StoreWriteParts, ctx: RequestContext, writes: Writes): Promise<readonly Resolved[]> {
  const { engine, config } = parts
  const allowed = (write: TableWrite | SeriesWrite) =>
    write.autoCreate ?? ctx.hints.autoCreate ?? config.auto_create_table
  const optionsOf = (write: TableWrite | SeriesWrite) => ({ ...ctx.hints.options, ...write.options })
  const withHints = (write: TableWrite) => ({ ...write, options: optionsOf(write) })
  const tables = await resolveTables(parts, ctx, writes.filter(isTableWrite).map(withHints), allowed)
  const resolved: Resolved[] = []
  for (const write of writes) {
    if (isTableWrite(write)) resolved.push({ writes: [tables.shift()!] })
    else {
      const request = { db: ctx.db, plugin: ctx.plugin, autoCreate: allowed(write), options: optionsOf(write) }
      resolved.push(await resolveSeriesWrite({ ...parts, catalog: engine.catalog }, request, write))
    }
  }
  return resolved
}

/** Tables of one database are made and widened together. */
async function resolveTables(
  { engine, resolve, requireDatabase }: StoreWriteParts,
  { db, plugin }: RequestContext,
  writes: readonly TableWrite[],
  allowed: (write: TableWrite) => boolean
): Promise<ResolvedWrite[]> {
  for (const { database } of writes) if (database !== undefined) requireDatabase(database)
  const resolved = new Map<TableWrite, ResolvedWrite>()
  for (const [database, group] of Map.groupBy(writes, write => write.database ?? db)) {
    const tagged = group.map(write => findTags(engine.catalog, [plugin, database].join('\0'), write))
    const planned = tagged.map(({ planned }, i) => ({ write: planned, autoCreate: allowed(group[i]!) }))
    for (const [i, found] of (await resolve(database, planned)).entries())
      resolved.set(group[i]!, introduceTags(engine.catalog, found, tagged[i]!))
  }
  return writes.map(write => resolved.get(write)!)
}

function isTableWrite(write: TableWrite | SeriesWrite): write is TableWrite {
  return !('keys' in write)
}

/** Rows of such a table are gone the moment they come. */
function isInstant(write: ResolvedSeries | ResolvedWrite): boolean {
  return 'table' in write && write.table.options.ttl === 'instant'
}

function countRows(writes: readonly { readonly rows: number }[]): number {
  return writes.reduce((sum, write) => sum + write.rows, 0)
}
