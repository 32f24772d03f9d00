// For plugins that forward what is stored: the rows of a table as they are written, whoever writes them.
import { isDbError } from '../errors.ts'
import type { RequestContext } from '../http/context.ts'
import type { ResultBatch, ResultColumn } from '../model/batch.ts'
import type { Table } from '../model/table.ts'
import type { QueryResult } from './engine.ts'
import type { Store } from './store.ts'

interface FollowOptions {
  /** In the database of the context. */
  readonly table: string
  /** Milliseconds between two looks at what was written. Default: 1000. */
  readonly interval?: number
  /** Bytes of rows that may wait while nobody asks for them; those beyond are left out. Default: 16 MiB. */
  readonly limit?: number
  /** When it fires, the rows that were written before come still, then the loop ends: for handing on what waits at the stop. */
  readonly until?: AbortSignal
}

interface FollowedRows {
  readonly columns: readonly ResultColumn[]
  readonly batch: ResultBatch
  /** Rows left out so far, because too many waited. */
  readonly lost: number
}

/** Said of a table that was dropped or changed since it was looked up. */
const outdated: ReadonlySet<string> = new Set(['RequestOutdated', 'TableNotFound'])

/**
 * Rows written from the first `next()` on, each version of a row for itself, until `until` or the context's signal fires or the loop is left. Waits for
 * a table that is not there yet, or not any more; of one that is made meanwhile there are all rows: those written before it could be
 * followed come first, and of each only its latest version. Columns that are added to the table are seen when it is followed anew. Throws
 * what a query throws.
 */
export async function* followTable(
  store: Store,
  ctx: RequestContext,
  { table: name, interval = 1000, limit = 16 * 2 ** 20, until = never }: FollowOptions
): AsyncGenerator<FollowedRows> {
  const { signal } = ctx
  const seen = store.seenBy(ctx.user)
  let known = seen.table(ctx.db, name)?.id
  let missed = 0
  const waiting = AbortSignal.any([signal, until])
  while (!waiting.aborted) {
    const table = await seen.tableMade(ctx.db, name, waiting).catch(() => undefined)
    if (table === undefined) return
    const follow = { interval, limit, existing: table.id !== known }
    let result: QueryResult
    try {
      result = await store.query(ctx, { ...everything(table), timezone: ctx.timezone, follow })
    } catch (error) {
      if (signal.aborted) return
      if (isDbError(error) && outdated.has(error.code)) continue
      throw error
    }
    known = table.id
    const lost = () => missed + (result.lost?.() ?? 0)
    try {
      // A batch without rows ends a look; a look that began after `until` is the last.
      let isLast = false
      for await (const batch of result.batches()) {
        if (batch.rows > 0) yield { columns: result.columns, batch, lost: lost() }
        else if (isLast) return
        else isLast = until.aborted
      }
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      missed = lost()
      result.close()
    }
  }
}

const never = new AbortController().signal

function everything(table: Table) {
  const start = 'SELECT * FROM '
  const name = 'followed'
  return {
    kind: 'sql',
    text: start + name,
    relations: [{ start: start.length, end: start.length + name.length, table }]
  } as const
}
