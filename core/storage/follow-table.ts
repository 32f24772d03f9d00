// For plugins that forward stored data: the rows of a table as they are written, by any protocol.
import { isDbError } from '../errors.ts'
import type { RequestContext } from '../http/context.ts'
import type { ResultBatch, ResultColumn } from '../model/batch.ts'
import type { Table } from '../model/table.ts'
import type { QueryResult } from './engine.ts'
import type { Store } from './store.ts'

interface FollowOptions {
  /** A table in the context's database. */
  readonly table: string
  /** Milliseconds between two reads of new rows. Default: 1000. */
  readonly interval?: number
  /** Bytes of rows that may wait while the caller does not iterate; further rows are left out. Default: 16 MiB. */
  readonly limit?: number
  /** When it fires, rows written before it are still returned, then the loop ends: to forward the remaining rows when the server stops. */
  readonly until?: AbortSignal
}

interface FollowedRows {
  readonly columns: readonly ResultColumn[]
  readonly batch: ResultBatch
  /** Rows left out so far because too many waited. */
  readonly lost: number
}

/** Errors that mean the table was dropped or changed since it was looked up. */
const outdated: ReadonlySet<string> = new Set(['RequestOutdated', 'TableNotFound'])

/**
 * Rows written from the first `next()` on, each version of a row by itself, until `until` or the context's signal fires or the loop is left. Waits
 * for a table that does not exist yet, or was dropped. If the table is created while waiting, all its rows are returned: of those written before
 * following began, only the latest version. Columns added to the table appear when it is followed anew. Throws what a query throws.
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
      // A batch without rows ends a run; the first run that began after `until` is the last.
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
