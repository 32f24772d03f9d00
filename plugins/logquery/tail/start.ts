// Starts a tail of a log query.
import type { Core, RequestContext } from '../../../core/index.ts'
import { planTail } from '../compile/tail.ts'
import type { LogQuery } from '../document/tree.ts'
import { findTable, writingFor } from '../run.ts'
import type { LogqueryService } from '../service.ts'
import { tailEvents } from './stream.ts'

/** The plugin's options for tails. */
export interface TailOptions {
  /** Bytes. */
  readonly tail_buffer: number
  /** Milliseconds. */
  readonly tail_heartbeat: number
}

/** Milliseconds between two reads of new rows. */
const interval = 200

/** The events, beginning with the schema; the slot is freed when they end. */
export async function startTail(
  { store }: Pick<Core, 'store'>,
  ctx: RequestContext,
  query: LogQuery,
  { tails, counters }: LogqueryService,
  options: TailOptions
): Promise<AsyncGenerator<string>> {
  const table = findTable(store.seenBy(ctx.user), query)
  const plan = planTail(writingFor(store, ctx), table, query, { interval, limit: options.tail_buffer })
  const leave = tails.enter()
  try {
    const result = await store.query(ctx, plan.query)
    const columns = result.columns.map(({ type }, i) => ({ name: plan.names[i]!, type }))
    const fetch = query.limited ? { fetch: query.fetch } : {}
    const events = tailEvents({ result, columns, ...fetch, heartbeat: options.tail_heartbeat, counters })
    // A generator that was never started does not run its `finally`, so the slot is freed here.
    const end = () => {
      result.close()
      leave()
    }
    if (ctx.signal.aborted) end()
    ctx.signal.addEventListener('abort', end, { once: true })
    return leaving(events, leave)
  } catch (error) {
    leave()
    throw error
  }
}

async function* leaving(events: AsyncGenerator<string>, leave: () => void): AsyncGenerator<string> {
  try {
    yield* events
  } finally {
    leave()
  }
}
