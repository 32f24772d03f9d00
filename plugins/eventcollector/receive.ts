// Stores events: through a pipeline as items, or as columns.
import {
  type Core,
  type ItemError,
  maxItemErrors,
  Pace,
  type RequestContext,
  runPaced,
  type Steps,
  type TableWrite,
  timeColumn
} from '../../core/index.ts'
import type { PipelineResult, RequestedPipeline } from '../services.ts'
import { columnsOf } from './columns.ts'
import { createCounters } from './counters.ts'
import { checkTable, type Events } from './decode/events.ts'
import { itemsOf } from './items.ts'

interface Receiving {
  /** Decodes the body; throws CollectorError. */
  readonly read: () => Steps<Events>
  readonly pipeline: RequestedPipeline | undefined
}

/** Resolves with the events left out, once all others are stored. */
export type Receive = (ctx: RequestContext, request: Receiving) => Promise<PipelineResult['skipped']>

export function createReceive(core: Core): Receive {
  const counters = createCounters(core.metrics)
  return async (ctx, { read, pipeline }) => {
    core.store.requireDatabase(ctx.db)
    const pace = new Pace(ctx)
    const events = await runPaced(pace, read())
    for (const { table } of events.groups) checkTable(table)
    const { failures } = events.batch
    counters.skipped(ctx.plugin, failures.length)
    const own = failures.map(({ row, message }) => ({ index: events.batch.position(row), message }))
    const result =
      pipeline === undefined
        ? await plainWrites(core, ctx, events, pace)
        : await runPipeline(ctx, pipeline, events, pace)
    await core.store.write(ctx, result.writes)
    const errors: ItemError[] = [...own.slice(0, maxItemErrors), ...result.errors].slice(0, maxItemErrors)
    return { count: own.length + result.skipped, errors }
  }
}

interface Writes {
  readonly writes: readonly TableWrite[]
  readonly skipped: number
  readonly errors: readonly ItemError[]
}

async function plainWrites({ store }: Core, ctx: RequestContext, events: Events, pace: Pace): Promise<Writes> {
  const { options: hints } = ctx.hints
  const options = { append_mode: hints.merge_mode === undefined, ...hints }
  const writes: TableWrite[] = []
  for (const { table, rows } of events.groups) {
    const columns = await runPaced(pace, columnsOf(events, rows, store.table(ctx.db, table)))
    writes.push({ table, rows: rows.length, columns, options })
  }
  return { writes, skipped: 0, errors: [] }
}

async function runPipeline(
  ctx: RequestContext,
  pipeline: RequestedPipeline,
  events: Events,
  pace: Pace
): Promise<Writes> {
  const writes: TableWrite[] = []
  const errors: ItemError[] = []
  let skipped = 0
  for (const group of events.groups) {
    const { table } = group
    const customTimeIndex = `${timeColumn};epoch;ns`
    const items = await runPaced(pace, itemsOf(events, group))
    const result = await pipeline.run(ctx, items, { table, customTimeIndex })
    for (const write of result.writes) writes.push(write)
    for (const error of result.skipped.errors) errors.push(error)
    skipped += result.skipped.count
  }
  return { writes, skipped, errors }
}
