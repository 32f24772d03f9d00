// Sends samples as items through a pipeline, where the request names one. The rows of the pipeline are stored instead of the series.
import {
  endsStep,
  type Item,
  ItemBatch,
  Pace,
  type RequestContext,
  runPaced,
  type SeriesName,
  type Steps,
  type TableWrite,
  timeColumn,
  valueColumn
} from '../../../core/index.ts'
import type { RequestedPipeline } from '../../services.ts'
import type { DecodeBuffer } from './decode/decode-buffer.ts'

/** Samples handled between two yields to other requests. */
const stepSamples = 64

/** One item a sample: its labels, its number as `svc_value`, its time in milliseconds as `svc_timestamp`. The table is the metric's. */
export async function runPipeline(
  ctx: RequestContext,
  pipeline: RequestedPipeline,
  buffer: DecodeBuffer,
  names: readonly SeriesName[]
): Promise<TableWrite[]> {
  const pace = new Pace(ctx)
  const groups = await runPaced(pace, samplesByTable(buffer, names))
  const writes: TableWrite[] = []
  for (const group of groups.values()) {
    const { table, database } = names[buffer.series[group[0]!]!]!
    const items = await runPaced(pace, itemsOf(buffer, group, names))
    const result = await pipeline.run(ctx, items, { table })
    writes.push(...result.writes.map(write => (database === undefined ? write : { ...write, database })))
  }
  return writes
}

/** Numbers of the samples that go to one table. */
function* samplesByTable(buffer: DecodeBuffer, names: readonly SeriesName[]): Steps<Map<string, number[]>> {
  const groups = new Map<string, number[]>()
  for (let i = 0; i < buffer.samples; i++) {
    const { database, table } = names[buffer.series[i]!]!
    const key = `${database ?? ''}\0${table}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [i])
    else group.push(i)
    if (endsStep(i, stepSamples)) yield
  }
  return groups
}

function* itemsOf(buffer: DecodeBuffer, samples: readonly number[], names: readonly SeriesName[]): Steps<ItemBatch> {
  const batch = new ItemBatch(samples.length)
  for (const i of samples) {
    const item = itemOf(buffer, i, names[buffer.series[i]!]!)
    const row = batch.rows++
    for (const key in item) batch.set(batch.getOrCreateField(key), row, item[key])
    if (endsStep(row, stepSamples)) yield
  }
  return batch
}

function itemOf(buffer: DecodeBuffer, i: number, { labels }: SeriesName): Item {
  const item: Item = Object.create(null)
  for (const { name, value } of labels) item[name] = Buffer.from(value).toString()
  item[valueColumn] = buffer.values[i]!
  item[timeColumn] = buffer.times[i]!
  return item
}
