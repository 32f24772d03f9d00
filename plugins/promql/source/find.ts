// Finds series without reading samples, for lists of series, labels and label values.
import { eachPaced, Pace, type RequestContext, type Store } from '../../../core/index.ts'
import type { Labels } from '../engine/labels.ts'
import type { Matcher } from '../language/ast.ts'
import { labelsOfSeries } from './series-labels.ts'
import { findTables, type MetricTable, tagMatches, together } from './tables.ts'
import { tickRange } from './ticks.ts'

export interface TimeRange {
  /** Milliseconds, both ends included; absent: no bound. */
  readonly from?: number
  readonly to?: number
}

/** Label sets of the series that a selector matches and that have samples in the range. */
export async function findSeries(
  store: Store,
  ctx: RequestContext,
  matchers: readonly Matcher[],
  range: TimeRange,
  maxTables: number
): Promise<readonly Labels[]> {
  const found: Labels[] = []
  const tables = await findTables(store.seenBy(ctx.user), ctx.db, matchers, maxTables, new Pace(ctx))
  for (const metrics of together(tables)) {
    for (const labels of await seriesOf(store, ctx, metrics, range)) found.push(labels)
  }
  return found
}

async function seriesOf(
  store: Store,
  ctx: RequestContext,
  metrics: readonly MetricTable[],
  range: TimeRange
): Promise<Labels[]> {
  const [{ table, matchers }, ...others] = metrics as [MetricTable, ...MetricTable[]]
  const result = await store.query(ctx, {
    kind: 'series',
    table,
    others: others.map(metric => metric.table),
    matches: tagMatches(matchers),
    values: [],
    distinct: true,
    ...tickRange(table, range)
  })
  const found: Labels[] = []
  const pace = new Pace(ctx)
  const labels = labelsOfSeries(result.labels!)
  for await (const { columns } of result.batches()) {
    await eachPaced(pace, columns[0]!.values as Uint32Array, id => found.push(labels(id)))
  }
  return found
}
