// `POST /v1/telemetry/v1/logs`: from the bytes of a request to what the store has taken.
import { type Core, Pace, type RequestContext, runPaced } from '../../../core/index.ts'
import { type PipelinesService, type RequestedPipeline, requestedPipeline } from '../../services.ts'
import type { Receive, Taken } from '../signal.ts'
import type { Decoded } from '../wire/decode-items.ts'
import { limitsOf } from '../wire/outline.ts'
import { aligned } from './align.ts'
import { logColumns } from './columns.ts'
import { decodeLogs } from './decode.ts'
import { extractedColumns } from './extract.ts'
import { itemsOf } from './items.ts'
import type { LogBatch } from './log-batch.ts'
import { readLogsHeaders } from './request.ts'

export interface LogsOptions {
  /** Resources, scopes and log records of one request. */
  readonly max_items: number
  /** Bytes of one log record. */
  readonly max_item_size: number
  readonly max_item_values: number
  /** Keys of header `x-svc-log-extract-keys`. */
  readonly max_extract_keys: number
}

/** `pipelines` runs the pipeline that a header names; without it such requests are refused. */
export function createReceiveLogs(core: Core, options: LogsOptions, pipelines: PipelinesService | undefined): Receive {
  return async request => {
    const { ctx, headers, body } = request
    const { table: name, keys } = readLogsHeaders(headers, options.max_extract_keys)
    const pipeline = requestedPipeline(pipelines, headers)
    // A Uint8Array, because `subarray` of a Buffer costs twice as much.
    const bytes = new Uint8Array(body.buffer, body.byteOffset, body.length)
    const pace = new Pace(ctx)
    const decoded = await runPaced(pace, decodeLogs(bytes, BigInt(Date.now()) * 1_000_000n, limitsOf(options)))
    const { batch, rejected, reason } = decoded
    if (batch.records === 0) return { rejected, message: reason }
    if (pipeline !== undefined) return runPipeline(core, ctx, pipeline, decoded, name, options.max_item_values)
    const own = await runPaced(pace, logColumns(batch))
    const table = core.store.table(ctx.db, name)
    const columns = aligned([...own, ...(await runPaced(pace, extractedColumns(batch, keys, table)))], table)
    const made = { append_mode: ctx.hints.options.merge_mode === undefined, ...ctx.hints.options }
    await core.store.write(ctx, [{ table: name, rows: batch.records, columns, options: made }])
    return { rejected, message: reason }
  }
}

async function runPipeline(
  core: Core,
  ctx: RequestContext,
  pipeline: RequestedPipeline,
  { batch, rejected, reason }: Decoded<LogBatch>,
  table: string,
  maxValues: number
): Promise<Taken> {
  const items = await runPaced(new Pace(ctx), itemsOf(batch, maxValues))
  const { writes, skipped } = await pipeline.run(ctx, items, { table, customTimeIndex: 'Timestamp;epoch;ns' })
  await core.store.write(ctx, writes)
  return { rejected: rejected + skipped.count, message: reason || (skipped.errors[0]?.message ?? '') }
}
