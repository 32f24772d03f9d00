// Samples as log items through a pipeline, for senders that name one: what it makes of them is written instead of series.
import {
  type Item,
  ItemBatch,
  Pace,
  type RequestContext,
  runPaced,
  type SeriesName,
  type Steps,
  type TableWrite
} from '../../../core/index.ts'
import type { PipelineHeaders, PipelinesService } from '../../services.ts'
import { timeColumn, valueColumn } from './columns.ts'
import type { Frame } from './decode/frame.ts'

/** Samples of one step. */
const stepSamples = 64

/** The pipeline a request asks for. */
export interface PipelineStep {
  readonly pipelines: PipelinesService
  readonly name: string
  readonly headers: PipelineHeaders
}

/** One item a sample: its labels, its number as `svc_value`, its time in milliseconds as `svc_timestamp`. The table is the metric's. */
export async function runPipeline(
  ctx: RequestContext,
  { pipelines, name, headers }: PipelineStep,
  frame: Frame,
  names: readonly SeriesName[]
): Promise<TableWrite[]> {
  const pace = new Pace(ctx.signal)
  const groups = await runPaced(pace, samplesByTable(frame, names))
  const writes: TableWrite[] = []
  for (const group of groups.values()) {
    const { table, database } = names[frame.series[group[0]!]!]!
    const items = await runPaced(pace, itemsOf(frame, group, names))
    const { version, skipError, maxNestedLevels } = headers
    const result = await pipelines.run(ctx, name, items, {
      table,
      ...(version !== undefined && { version }),
      ...(skipError !== undefined && { skipError }),
      ...(maxNestedLevels !== undefined && { maxNestedLevels })
    })
    writes.push(...result.writes.map(write => (database === undefined ? write : { ...write, database })))
  }
  return writes
}

/** Numbers of the samples that go to one table. */
function* samplesByTable(frame: Frame, names: readonly SeriesName[]): Steps<Map<string, number[]>> {
  const groups = new Map<string, number[]>()
  for (let i = 0; i < frame.samples; i++) {
    const { database, table } = names[frame.series[i]!]!
    const key = `${database ?? ''}\0${table}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [i])
    else group.push(i)
    if (i % stepSamples === stepSamples - 1) yield
  }
  return groups
}

function* itemsOf(frame: Frame, samples: readonly number[], names: readonly SeriesName[]): Steps<ItemBatch> {
  const batch = new ItemBatch(samples.length)
  for (const i of samples) {
    const item = itemOf(frame, i, names[frame.series[i]!]!)
    const row = batch.rows++
    for (const key in item) batch.set(batch.take(key), row, item[key])
    if (row % stepSamples === stepSamples - 1) yield
  }
  return batch
}

function itemOf(frame: Frame, i: number, { labels }: SeriesName): Item {
  const item: Item = Object.create(null)
  for (const { name, value } of labels) item[name] = Buffer.from(value).toString()
  item[valueColumn] = frame.values[i]!
  item[timeColumn] = frame.times[i]!
  return item
}
