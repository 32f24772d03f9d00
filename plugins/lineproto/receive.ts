// One write request: from lines to what the store has taken.
import {
  mapPaced,
  Pace,
  type PluginCore,
  type RequestContext,
  runPaced,
  type TableOptions,
  type TableWrite
} from '../../core/index.ts'
import { columnsOf } from './columns.ts'
import { type DecodeLimits, LineDecoder } from './decode/lines.ts'
import type { DecodedTable } from './decode/measurement.ts'
import type { Precision } from './decode/time.ts'
import { createTags } from './tags.ts'

interface WriteOptions extends DecodeLimits {
  readonly merge_mode: 'last_non_null' | 'last_row'
}

/** Writes the lines of a body, all or none. Throws ParseError and DbError. */
export type Receive = (ctx: RequestContext, body: Buffer, precision: Precision) => Promise<void>

export function createReceive(core: PluginCore, options: WriteOptions): Receive {
  // One that is read in slices has a decoder to itself; what one of them remembers is enough.
  let idle: LineDecoder | undefined = new LineDecoder(options)
  return async (ctx, body, precision) => {
    const decoder = idle ?? new LineDecoder(options)
    idle = undefined
    const pace = new Pace(ctx.signal, ctx.memory)
    const decoding = runPaced(pace, decoder.decode(body, precision, now(), core.store.limits(ctx.db).columns))
    const tables = await decoding.finally(() => {
      idle = decoder
    })
    const request = { core, ctx, body, newTable: newTableOptions(core, ctx, options) }
    await core.store.write(ctx, await tableWrites(request, tables, pace))
  }
}

/** Nanoseconds since 1970; those below a millisecond only keep points apart that come without a time. */
function now(): bigint {
  return BigInt(Date.now()) * 1_000_000n + (process.hrtime.bigint() % 1_000_000n)
}

interface LineRequest {
  readonly core: PluginCore
  readonly ctx: RequestContext
  readonly body: Buffer
  /** Of tables that are made. */
  readonly newTable: TableOptions
}

function tableWrites(request: LineRequest, tables: readonly DecodedTable[], pace: Pace): Promise<TableWrite[]> {
  const { core, ctx, body, newTable } = request
  return mapPaced(pace, tables, decoded => {
    const { name, rows } = decoded
    const table = core.store.table(ctx.db, name)
    const line = { body, decoded, table }
    return { table: name, rows, columns: columnsOf(line), tags: createTags(line), options: newTable }
  })
}

/** Where rows are all kept there is nothing to merge, and what the request asks for wins. */
function newTableOptions(
  { store }: PluginCore,
  { db, hints }: RequestContext,
  { merge_mode }: WriteOptions
): TableOptions {
  if (hints.options.merge_mode !== undefined) return {}
  const appends = hints.options.append_mode ?? store.database(db)?.options.append_mode ?? false
  return { merge_mode: appends ? 'last_row' : merge_mode }
}
