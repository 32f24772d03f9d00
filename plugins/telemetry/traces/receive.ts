// `POST /v1/telemetry/v1/traces`: from the bytes of a request to what the store has taken.
import {
  type Core,
  DbError,
  isDbError,
  Pace,
  type RequestContext,
  runPaced,
  serialQueue,
  type Table
} from '../../../core/index.ts'
import { nothingRejected, type Receive, type Taken } from '../signal.ts'
import type { Decoded } from '../wire/decode-items.ts'
import { limitsOf } from '../wire/outline.ts'
import type { Retyped } from './attribute-columns.ts'
import { decodeSpans } from './decode.ts'
import { Lookup } from './lookup.ts'
import { readTracesHeaders } from './request.ts'
import type { SpanBatch } from './span-batch.ts'
import { type Layout, spansWrite } from './table-write.ts'

export interface TracesOptions {
  /** Maximum resources, scopes and spans of one request. */
  readonly max_items: number
  /** Maximum bytes of one span. */
  readonly max_item_size: number
  /** Maximum attributes per table with a column of their own. */
  readonly max_attribute_columns: number
  /** Maximum operations listed per span table. */
  readonly max_operations: number
}

/** Least number of attribute keys per level that are kept apart while reading. */
const minKeys = 1000

/** How often a write is built again because its table changed meanwhile. */
const maxAttempts = 10

export function createReceiveTraces(core: Core, options: TracesOptions): Receive {
  const lookup = new Lookup(core, options.max_operations)
  const retype = createRetype(core)
  const store = async (ctx: RequestContext, batch: SpanBatch, layout: Layout): Promise<void> => {
    for (let attempt = 1; ; attempt++) {
      const table = core.store.table(ctx.db, layout.table)
      const { write, retyped } = await runPaced(new Pace(ctx), spansWrite(batch, layout, table))
      if (retyped.length > 0 && attempt < maxAttempts) {
        await retype(ctx, batch, layout)
        continue
      }
      const news = await runPaced(new Pace(ctx), lookup.news(ctx.db, layout.table, batch))
      try {
        await core.store.write(ctx, [write, ...news.writes])
        news.keep()
        return
      } catch (error) {
        // Another request may have added a column of this name with another type.
        const changed = core.store.table(ctx.db, layout.table) !== table
        if (!changed || attempt === maxAttempts || !isDbError(error) || error.code !== 'InvalidArguments') throw error
      }
    }
  }
  return async ({ ctx, headers, body }) => {
    const { table, flattened } = readTracesHeaders(headers)
    const maxColumns = flattened ? options.max_attribute_columns : 0
    // A Uint8Array, because `subarray` of a Buffer costs twice as much.
    const bytes = new Uint8Array(body.buffer, body.byteOffset, body.length)
    const decoding = decodeSpans(bytes, Math.max(maxColumns, minKeys), limitsOf(options))
    const decoded = await runPaced(new Pace(ctx), decoding)
    if (decoded.batch.spans > 0) await store(ctx, decoded.batch, { table, maxColumns })
    return takenOf(decoded)
  }
}

/** Throws DbError `InvalidArguments` where no span of the request is valid. */
function takenOf({ batch, rejected, reason }: Decoded<SpanBatch>): Taken {
  if (rejected === 0) return nothingRejected
  const message = `Accepted ${batch.spans} spans, rejected ${rejected} spans; ${reason}`
  if (batch.spans === 0) throw new DbError('InvalidArguments', message)
  return { rejected, message }
}

/** Changes column types one request after the other, because each change depends on the types the previous one left. */
function createRetype({ store, config }: Core) {
  const serially = serialQueue()
  return (ctx: RequestContext, batch: SpanBatch, layout: Layout): Promise<void> =>
    serially(async () => {
      let table = store.table(ctx.db, layout.table)
      if (table === undefined) return
      const { retyped } = await runPaced(new Pace(ctx), spansWrite(batch, layout, table))
      if (retyped.length > 0 && !(ctx.hints.autoCreate ?? config.auto_create_table)) throw notAllowed(table, retyped)
      for (const { name, definition } of retyped) {
        table = await store.changeTable(ctx, table, { kind: 'modify_column', name, definition, keepValues: true })
      }
    })
}

function notAllowed(table: Table, [first]: readonly Retyped[]): DbError {
  const { name, definition } = first!
  const reason = `column ${name} of table ${table.name} would have to become ${definition.type}`
  return new DbError('InvalidArguments', `${reason}, and \`auto_create_table\` hint is disabled`)
}
