// Reads samples from the store: first the labels of the series, then times and values.
import {
  eachPaced,
  Pace,
  type PartRead,
  type QueryResult,
  type Reduction,
  type RequestContext,
  runPaced,
  type Store
} from '../../../core/index.ts'
import type { Allowance } from '../engine/limits.ts'
import type { Series } from '../engine/series.ts'
import type { Floats, RawSeries, Selection, SeriesSource, Steps } from '../engine/source.ts'
import { readHistogram } from '../histogram/json.ts'
import { GatheredNumbers, GatheredTexts, rawSeries } from './gathered.ts'
import type { ReducerOptions } from './reducer.ts'
import { labelsOfSeries } from './series-labels.ts'
import { fieldLabel, findTables, type MetricTable, tagMatches, together } from './tables.ts'
import { tickRange, ticksPerMilli } from './ticks.ts'

interface SourceLimits {
  /** Tables one selector may name. */
  readonly metrics: number
}

/** Samples, and how they were read. */
export interface StoreSource extends SeriesSource {
  reading(): readonly PartRead[]
}

/** Reads as the context's user, in the context's database. */
export function storeSource(store: Store, ctx: RequestContext, limits: SourceLimits): StoreSource {
  const reads: (() => readonly PartRead[])[] = []
  return {
    reading: () => reads.flatMap(read => read()),
    async select(selection, signal, allowance) {
      const { matchers } = selection
      const tables = await findTables(store.seenBy(ctx.user), ctx.db, matchers, limits.metrics, new Pace({ signal }))
      const found: (RawSeries | Series)[] = []
      for (const each of together(tables)) {
        for (const series of await readTables(store, ctx, each, selection, {
          allowance,
          pace: new Pace({ signal }),
          reads
        }))
          found.push(series)
      }
      return found
    }
  }
}

async function readTables(
  store: Store,
  ctx: RequestContext,
  metrics: readonly MetricTable[],
  { from, to, steps }: Selection,
  {
    allowance,
    pace,
    reads
  }: { readonly allowance: Allowance; readonly pace: Pace; readonly reads: (() => readonly PartRead[])[] }
): Promise<readonly (RawSeries | Series)[]> {
  const [{ table, fields, histogram, namesField, matchers }, ...others] = metrics as [MetricTable, ...MetricTable[]]
  const perMilli = ticksPerMilli(table)
  const values = [...fields, ...(histogram ? [histogram] : [])].map(({ name }) => name)
  const result = await store.query(ctx, {
    kind: 'series',
    table,
    others: others.map(metric => metric.table),
    matches: tagMatches(matchers),
    values,
    ...tickRange(table, { from, to }),
    ...(steps && { reduction: reductionOf(steps, perMilli) })
  })
  if (result.reading) reads.push(result.reading)
  if (result.reduced) return reducedSeries(result, steps!, { allowance, pace })
  const numbers = fields.map(() => new GatheredNumbers())
  const texts = new GatheredTexts(readHistogram)
  let known = 0
  for await (const { rows, columns } of result.batches()) {
    allowance.take(rows * values.length)
    const [series, times, ...numbersOf] = columns
    const [ids, stamps] = [series!.values as Uint32Array, times!.values as Float64Array]
    for (const [i, gathered] of numbers.entries()) await runPaced(pace, gathered.add(rows, ids, stamps, numbersOf[i]!))
    if (histogram) await runPaced(pace, texts.add(rows, ids, stamps, numbersOf[fields.length]!))
    const count = numbers.reduce((sum, gathered) => sum + gathered.count, 0)
    allowance.take(0, count - known)
    known = count
  }
  const labelsOf = labelsOfSeries(result.labels!)
  const histograms = await texts.series(perMilli, pace)
  if (!namesField) {
    const floats = numbers[0] === undefined ? new Map<number, Floats>() : await numbers[0].series(perMilli, pace)
    return rawSeries(pace, floats, histograms, labelsOf)
  }
  const found: RawSeries[] = []
  for (const [i, gathered] of numbers.entries()) {
    const labels = (id: number) => labelsOf(id).with(new Map([[fieldLabel, fields[i]!.name]]))
    for (const each of await rawSeries(pace, await gathered.series(perMilli, pace), new Map(), labels)) found.push(each)
  }
  return found
}

/** URL of the reducer module, which runs in the reading threads. */
export const reducerModule = new URL(`./reducer.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url).href

function reductionOf(steps: Steps, perMilli: number): Reduction {
  return { module: reducerModule, options: { steps, perMilli } satisfies ReducerOptions, width: steps.count }
}

async function reducedSeries(
  { labels, batches, inAnyOrder }: QueryResult,
  { count }: Steps,
  { allowance, pace }: { readonly allowance: Allowance; readonly pace: Pace }
): Promise<readonly Series[]> {
  const read: (readonly [Uint32Array, Float64Array, Uint8Array])[] = []
  for await (const { rows, columns } of batches()) {
    allowance.take(rows * count, rows)
    read.push(columns.map(each => each.values) as [Uint32Array, Float64Array, Uint8Array])
    if (pace.isDue) await pace.pause()
  }
  const labelsOf = labelsOfSeries(labels!)
  const found: Series[] = []
  for (const [numbers, values, kinds] of read) {
    await eachPaced(pace, numbers.entries(), ([row, number]) => {
      const [from, to] = [row * count, (row + 1) * count]
      found.push({ labels: labelsOf(number), kinds: kinds.subarray(from, to), values: values.subarray(from, to) })
    })
  }
  return inAnyOrder ? inOrder(found, read) : found
}

/** Sorts series, so that float sums do not vary with the order of storage. */
function inOrder(found: readonly Series[], read: readonly (readonly [Uint32Array, ...unknown[]])[]): readonly Series[] {
  const numbers = read.flatMap(([numbers]) => [...numbers])
  // Series number and index in one number: typed arrays sort quickly.
  const both = Float64Array.from(numbers, (number, i) => number * numbers.length + i).sort()
  return Array.from(both, each => found[each % numbers.length]!)
}
