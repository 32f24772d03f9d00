// Events on their way to the store: with a pipeline as its items, without one as columns.
import {
  type Core,
  DbError,
  type Item,
  ItemBatch,
  type ItemError,
  nameProblem,
  Pace,
  type RequestContext,
  runPaced,
  type Steps,
  type TableWrite
} from '../../core/index.ts'
import type { PipelineResult, PipelinesService } from '../services.ts'
import { columnsOf } from './columns.ts'
import { type Events, type Group, timeColumn } from './decode/events.ts'
import { CollectorError } from './errors.ts'

/** The pipeline a request names. */
export interface PipelineStep {
  readonly pipelines: PipelinesService
  readonly name: string
  readonly version?: string
  readonly skipError?: boolean
  readonly maxNestedLevels?: number
}

interface Receiving {
  /** Reads the body; throws CollectorError. */
  readonly read: () => Steps<Events>
  readonly pipeline: PipelineStep | undefined
}

/** Resolves with what was left out once everything else is stored. */
export type Receive = (ctx: RequestContext, request: Receiving) => Promise<PipelineResult['skipped']>

/** How many left out events an answer tells. */
const shownErrors = 10

interface CollectorOptions {
  /** Tables that the events of one request may go to. */
  readonly max_request_tables: number
}

export function createReceive(core: Core, { max_request_tables }: CollectorOptions): Receive {
  const labels = ['plugin', 'reason']
  const skipped = core.metrics.counter('svc_items_skipped_total', 'Items left out because of an error.', labels)
  return async (ctx, { read, pipeline }) => {
    core.store.requireDatabase(ctx.db)
    const pace = new Pace(ctx.signal)
    const events = await runPaced(pace, read())
    checkGroups(events, max_request_tables)
    const { failures } = events.batch
    if (failures.length > 0) skipped.add(failures.length, { plugin: ctx.plugin, reason: 'decode' })
    const own = failures.map(({ row, message }) => ({ index: events.batch.position(row), message }))
    const result =
      pipeline === undefined ? await plainWrites(core, ctx, events, pace) : await run(ctx, events, pipeline)
    await core.store.write(ctx, result.writes)
    const errors: ItemError[] = [...own.slice(0, shownErrors), ...result.errors].slice(0, shownErrors)
    return { count: own.length + result.skipped, errors }
  }
}

function checkGroups({ groups }: Events, max: number): void {
  if (groups.length > max) {
    const key = 'plugins.eventcollector.max_request_tables'
    throw new DbError('InvalidArguments', `the events go to ${groups.length} tables, at most are ${max} (${key})`)
  }
  for (const { table } of groups) checkTable(table)
}

function checkTable(name: string): void {
  const problem = nameProblem('table', name)
  if (problem !== undefined) throw new CollectorError(7, problem)
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

async function run(ctx: RequestContext, events: Events, step: PipelineStep): Promise<Writes> {
  const { pipelines, name, ...options } = step
  const writes: TableWrite[] = []
  const errors: ItemError[] = []
  let skipped = 0
  for (const group of events.groups) {
    const { table } = group
    const customTimeIndex = `${timeColumn};epoch;ns`
    const result = await pipelines.run(ctx, name, itemsOf(events, group), { ...options, table, customTimeIndex })
    for (const write of result.writes) writes.push(write)
    for (const error of result.skipped.errors) errors.push(error)
    skipped += result.skipped.count
  }
  return { writes, skipped, errors }
}

/** The events of a table as items: the batch itself where it holds no others. */
function itemsOf({ batch, time, groups }: Events, { rows }: Group): ItemBatch {
  if (groups.length === 1 && rows.length === batch.rows) {
    batch.fields.set(timeColumn, time)
    time.grow(batch.capacity)
    return batch
  }
  const items = Array.from(rows, (row): Item => {
    const item = batch.item(row)
    item[timeColumn] = batch.get(time, row)!
    return item
  })
  const selected = ItemBatch.from(items)
  selected.positions = Uint32Array.from(rows, row => batch.position(row))
  return selected
}
