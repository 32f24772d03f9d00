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
import type { Retyped } from './attribute-columns.ts'
import { type Decoded, decodeSpans } from './decode.ts'
import type { Frame } from './frame.ts'
import { Lookup } from './lookup.ts'
import { readTracesHeaders } from './request.ts'
import { type Layout, spansWrite } from './table-write.ts'

export interface TracesOptions {
  /** Resources, scopes and spans of one request. */
  readonly max_items: number
  /** Bytes of one span. */
  readonly max_item_size: number
  /** Attributes of one table that have a column of their own. */
  readonly max_attribute_columns: number
  /** Operations listed beside one table of spans. */
  readonly max_operations: number
}

/** Attributes of one level that are told apart while they are read, at least. */
const minKeys = 1000

/** How often a write is made anew because its table changed meanwhile. */
const maxAttempts = 10

export function createReceiveTraces(core: Core, options: TracesOptions): Receive {
  const lookup = new Lookup(core, options.max_operations)
  const retype = createRetype(core)
  const store = async (ctx: RequestContext, frame: Frame, layout: Layout): Promise<void> => {
    for (let attempt = 1; ; attempt++) {
      const table = core.store.table(ctx.db, layout.table)
      const { write, retyped } = await runPaced(new Pace(ctx.signal), spansWrite(frame, layout, table))
      if (retyped.length > 0 && attempt < maxAttempts) {
        await retype(ctx, frame, layout)
        continue
      }
      const news = await runPaced(new Pace(ctx.signal), lookup.news(ctx.db, layout.table, frame))
      try {
        await core.store.write(ctx, [write, ...news.writes])
        news.keep()
        return
      } catch (error) {
        // Another request may have given the table a column that this one means otherwise.
        const changed = core.store.table(ctx.db, layout.table) !== table
        if (!changed || attempt === maxAttempts || !isDbError(error) || error.code !== 'InvalidArguments') throw error
      }
    }
  }
  return async ({ ctx, headers, body }) => {
    const { table, flattened } = readTracesHeaders(headers)
    const maxColumns = flattened ? options.max_attribute_columns : 0
    // A plain view: taking ranges of a Buffer costs twice as much.
    const bytes = new Uint8Array(body.buffer, body.byteOffset, body.length)
    const decoding = decodeSpans(bytes, Math.max(maxColumns, minKeys), {
      items: options.max_items,
      itemBytes: options.max_item_size
    })
    const decoded = await runPaced(new Pace(ctx.signal), decoding)
    if (decoded.frame.spans > 0) await store(ctx, decoded.frame, { table, maxColumns })
    return takenOf(decoded)
  }
}

/** Throws DbError `InvalidArguments` where no span is one. */
function takenOf({ frame, rejected, reason }: Decoded): Taken {
  if (rejected === 0) return nothingRejected
  const message = `Accepted ${frame.spans} spans, rejected ${rejected} spans; ${reason}`
  if (frame.spans === 0) throw new DbError('InvalidArguments', message)
  return { rejected, message }
}

/** Changes types of columns one request after the other: what one needs may be done by the one before, or be too little now. */
function createRetype({ store, config }: Core) {
  const serially = serialQueue()
  return (ctx: RequestContext, frame: Frame, layout: Layout): Promise<void> =>
    serially(async () => {
      let table = store.table(ctx.db, layout.table)
      if (table === undefined) return
      const { retyped } = await runPaced(new Pace(ctx.signal), spansWrite(frame, layout, table))
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
