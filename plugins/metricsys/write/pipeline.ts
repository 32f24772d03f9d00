// Samples as log items through a pipeline, for senders that name one: what it makes of them is written instead of series.
import { type Item, ItemBatch, type RequestContext, type SeriesName, type TableWrite } from '../../../core/index.ts'
import type { PipelineHeaders, PipelinesService } from '../../services.ts'
import { timeColumn, valueColumn } from './columns.ts'
import type { Frame } from './frame.ts'

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
  const samples = Array.from({ length: frame.samples }, (_, i) => ({ i, name: names[frame.series[i]!]! }))
  const groups = Map.groupBy(samples, ({ name: { database, table } }) => `${database ?? ''}\0${table}`)
  const writes: TableWrite[] = []
  for (const group of groups.values()) {
    const { table, database } = group[0]!.name
    const items = ItemBatch.from(group.map(({ i, name }) => itemOf(frame, i, name)))
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

function itemOf(frame: Frame, i: number, { labels }: SeriesName): Item {
  const item: Item = Object.create(null)
  for (const { name, value } of labels) item[name] = Buffer.from(value).toString()
  item[valueColumn] = frame.values[i]!
  item[timeColumn] = frame.times[i]!
  return item
}
