// Handles a push request: decodes the body and stores the entries.

import {
  type Core,
  checkJsonValues,
  DbError,
  formatSize,
  maxItemErrors,
  Pace,
  type RequestContext,
  runPaced,
  type Steps,
  type TableWrite,
  timeColumn
} from '../../core/index.ts'
import { snappyLength } from '../../core/wire/index.ts'
import type { PipelineResult, RequestedPipeline } from '../services.ts'
import { columnsOf } from './columns.ts'
import { type Counters, createCounters } from './counters.ts'
import { decodeJson } from './decode/json.ts'
import { decodeProtobuf } from './decode/protobuf.ts'
import type { Push } from './decode/push.ts'
import { itemsOf } from './items.ts'

interface PushRequest {
  readonly body: Uint8Array
  readonly contentType: string | undefined
  readonly table: string
  readonly pipeline: RequestedPipeline | undefined
}

interface Received {
  /** Affected rows per table. */
  readonly written: readonly number[]
  readonly skipped: PipelineResult['skipped']
}

export type Receive = (ctx: RequestContext, request: PushRequest) => Promise<Received>

interface PushOptions {
  /** Maximum bytes of an entry. */
  readonly max_entry_size: number
}

export function createReceive(core: Core, options: PushOptions): Receive {
  const counters = createCounters(core.metrics)
  return (ctx, request) => receive(core, options, counters, ctx, request)
}

async function receive(
  core: Core,
  options: PushOptions,
  counters: Counters,
  ctx: RequestContext,
  request: PushRequest
): Promise<Received> {
  const { store } = core
  store.requireDatabase(ctx.db)
  const pace = new Pace(ctx)
  const push = await runPaced(pace, decode(request, core.config.http, options.max_entry_size))
  counters.push(ctx.plugin, push)
  const { pipeline, table } = request
  if (pipeline !== undefined) return runPipeline(core, ctx, pipeline, push, table, pace)
  const skipped = { count: push.skipped, errors: push.errors }
  if (push.batch.rows === 0) return { written: [0], skipped }
  const write = await runPaced(pace, writeOf(ctx, table, push))
  const { rows } = await store.write(ctx, [write])
  return { written: [rows], skipped }
}

function* decode({ body, contentType }: PushRequest, http: Core['config']['http'], maxBytes: number): Steps<Push> {
  const { body_limit: limit, max_body_values: maxValues } = http
  if (isJson(contentType, body)) {
    yield* checkJsonValues(body, maxValues)
    return yield* decodeJson(body, maxBytes)
  }
  const length = snappyLength(body)
  if (limit > 0 && length > limit) {
    const reason = `the Snappy block holds ${length} bytes`
    throw new DbError('InvalidArguments', `the body is larger than ${formatSize(limit)} (http.body_limit): ${reason}`, {
      status: 413
    })
  }
  yield length
  return yield* decodeProtobuf(body, BigInt(Date.now()) * 1_000_000n, maxBytes)
}

/** Guesses the format if there is no content type: no Snappy block begins with a brace followed by what may follow it in JSON. */
function isJson(contentType: string | undefined, body: Uint8Array): boolean {
  const type = (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase()
  if (type === '') return /^[\s\ufeff]*\{\s*["}]/.test(Buffer.from(body.subarray(0, 64)).toString())
  if (type === 'application/json') return true
  if (type === 'application/x-protobuf') return false
  throw new DbError(
    'InvalidArguments',
    `unsupported content type ${type}, expected application/json or application/x-protobuf`
  )
}

function* writeOf(ctx: RequestContext, table: string, push: Push): Steps<TableWrite> {
  const { options: hints } = ctx.hints
  const options = { append_mode: hints.merge_mode === undefined, ...hints }
  return { table, rows: push.batch.rows, columns: yield* columnsOf(push), options }
}

async function runPipeline(
  { store }: Core,
  ctx: RequestContext,
  pipeline: RequestedPipeline,
  push: Push,
  table: string,
  pace: Pace
): Promise<Received> {
  const items = await runPaced(pace, itemsOf(push))
  const result = await pipeline.run(ctx, items, { table, customTimeIndex: `${timeColumn};epoch;ns` })
  const { perWrite } = await store.write(ctx, result.writes)
  const count = push.skipped + result.skipped.count
  return {
    written: perWrite.length === 0 ? [0] : perWrite,
    skipped: { count, errors: [...push.errors, ...result.skipped.errors].slice(0, maxItemErrors) }
  }
}
