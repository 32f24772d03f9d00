// Handles a write request: decodes the lines and stores them.
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
  // A body that is decoded in steps has a decoder to itself. Only one decoder is kept: what it remembers is enough.
  let idle: LineDecoder | undefined = new LineDecoder(options)
  return async (ctx, body, precision) => {
    const decoder = idle ?? new LineDecoder(options)
    idle = undefined
    const pace = new Pace(ctx)
    const decoding = runPaced(pace, decoder.decode(body, precision, now(), core.store.limits(ctx.db).columns))
    const tables = await decoding.finally(() => {
      idle = decoder
    })
    const request = { core, ctx, body, newTable: newTableOptions(core, ctx, options) }
    await core.store.write(ctx, await tableWrites(request, tables, pace))
  }
}

/** Nanoseconds since 1970. The digits below a millisecond only make the times of requests without timestamps distinct. */
function now(): bigint {
  return BigInt(Date.now()) * 1_000_000n + (process.hrtime.bigint() % 1_000_000n)
}

interface LineRequest {
  readonly core: PluginCore
  readonly ctx: RequestContext
  readonly body: Buffer
  /** Options of new tables. */
  readonly newTable: TableOptions
}

function tableWrites(request: LineRequest, tables: readonly DecodedTable[], pace: Pace): Promise<TableWrite[]> {
  const { core, ctx, body, newTable } = request
  return mapPaced(pace, tables, decoded => {
    const { name, rows } = decoded
    const table = core.store.table(ctx.db, name)
    const line = { body, decoded, table }
    return {
      table: name,
      rows,
      columns: columnsOf(line),
      tags: createTags(line, core.store.limits(ctx.db).columns),
      options: newTable
    }
  })
}

/** Options of new tables besides the request's own, which take precedence. Tables with `append_mode` merge nothing, so `last_row` is right for them. */
function newTableOptions(
  { store }: PluginCore,
  { db, hints }: RequestContext,
  { merge_mode }: WriteOptions
): TableOptions {
  if (hints.options.merge_mode !== undefined) return {}
  const appends = hints.options.append_mode ?? store.database(db)?.options.append_mode ?? false
  return { merge_mode: appends ? 'last_row' : merge_mode }
}
