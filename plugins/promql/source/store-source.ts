// Samples from the store: series by their tags, then numbers alone.
import type { RequestContext, Store } from '../../../core/index.ts'
import type { Allowance } from '../engine/limits.ts'
import type { RawSeries, Selection, SeriesSource } from '../engine/source.ts'
import { readHistogram } from '../histogram/json.ts'
import { GatheredNumbers, GatheredTexts, rawSeries } from './gathered.ts'
import { labelsOfSeries } from './series-labels.ts'
import { fieldLabel, findTables, type MetricTable, tagMatches, together } from './tables.ts'
import { tickRange, ticksPerMilli } from './ticks.ts'

export interface SourceLimits {
  /** Tables one selector may name. */
  readonly metrics: number
}

/** Reads what the context's user may read, in its database. */
export function storeSource(store: Store, ctx: RequestContext, limits: SourceLimits): SeriesSource {
  return {
    async select(selection, _signal, room) {
      const tables = findTables(store, ctx.db, selection.matchers, limits.metrics)
      const found: RawSeries[] = []
      for (const each of together(tables)) {
        for (const series of await readTables(store, ctx, each, selection, room)) found.push(series)
      }
      return found
    }
  }
}

async function readTables(
  store: Store,
  ctx: RequestContext,
  metrics: readonly MetricTable[],
  { from, to }: Selection,
  room: Allowance
): Promise<readonly RawSeries[]> {
  const [{ table, fields, histogram, namesField, matchers }, ...others] = metrics as [MetricTable, ...MetricTable[]]
  const perMilli = ticksPerMilli(table)
  const values = [...fields, ...(histogram ? [histogram] : [])].map(({ name }) => name)
  const result = await store.query(ctx, {
    kind: 'series',
    table,
    others: others.map(metric => metric.table),
    matches: tagMatches(matchers),
    values,
    ...tickRange(table, { from, to })
  })
  const numbers = fields.map(() => new GatheredNumbers())
  const texts = new GatheredTexts(readHistogram)
  for await (const { rows, columns } of result.batches()) {
    room.take(rows * values.length)
    const [series, times, ...numbersOf] = columns
    const [ids, stamps] = [series!.values as Uint32Array, times!.values as Float64Array]
    for (const [i, gathered] of numbers.entries()) gathered.add(rows, ids, stamps, numbersOf[i]!)
    if (histogram) texts.add(rows, ids, stamps, numbersOf[fields.length]!)
  }
  const labelsOf = labelsOfSeries(result.labels!)
  const histograms = texts.series(perMilli)
  if (!namesField) return rawSeries(numbers[0]?.series(perMilli) ?? new Map(), histograms, labelsOf)
  return numbers.flatMap((gathered, i) =>
    rawSeries(gathered.series(perMilli), new Map(), id => labelsOf(id).with(new Map([[fieldLabel, fields[i]!.name]])))
  )
}
