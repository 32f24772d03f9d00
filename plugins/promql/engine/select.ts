// Instant selectors: the latest sample at every step that is within the lookback delta.
import type { VectorSelector } from '../language/ast.ts'
import type { Evaluation } from './evaluation.ts'
import { lookTimes } from './grid.ts'
import { latestIndices, samplesWithin } from './latest.ts'
import type { SampleCount } from './sample-count.ts'
import { type Grid, isEmpty, none, put, type Series, seriesMaker } from './series.ts'
import { isStale, type RawSeries, wordsOf } from './source.ts'

/** With `times`, the values are the samples' times in seconds. */
export async function selectVector(
  evaluation: Evaluation,
  selector: VectorSelector,
  grid: Grid,
  times = false
): Promise<readonly Series[]> {
  const found: Series[] = []
  const from = lookTimes(grid, selector)
  const back = evaluation.lookback
  const look: Look = { from, back, indices: latestIndices(from, back) }
  const make = seriesMaker(grid.count)
  const { budget } = evaluation
  const before = budget.samples
  for (const series of evaluation.reduced(selector, grid)) {
    found.push(series)
    budget.take(grid.count)
  }
  for (const all of evaluation.samples(selector)) {
    // A subquery in slices reads the samples of all slices at once.
    const raw = samplesWithin(all, from[0]! - back, from.at(-1)!)
    const series = make(raw.labels)
    if (times) putTimes(series, raw, look)
    else putSamples(series, raw, look)
    if (!isEmpty(series)) {
      found.push(series)
      budget.take(grid.count)
    }
    if (evaluation.seen !== undefined) tellSeen(evaluation.seen, series, grid)
    if (budget.isDue) await budget.pause()
  }
  // The result is accounted for as a value.
  budget.releaseTo(before)
  return found
}

function tellSeen(seen: SampleCount, { kinds }: Series, grid: Grid): void {
  for (let step = 0; step < grid.count; step++) if (kinds[step] !== none) seen.add(grid, step, 1)
}

interface Look {
  /** By step. */
  readonly from: Float64Array
  /** Lookback delta in milliseconds. */
  readonly back: number
  /** For some times, the index of the latest one per step, or -1; overwritten by the next call. */
  readonly indices: (times: Float64Array) => Int32Array
}

function putSamples(series: Series, raw: RawSeries, look: Look): void {
  const { times, values } = raw.floats
  if (raw.histograms !== undefined) {
    const { histograms } = raw
    visitLatest(raw, look, (step, isFloat, i) => put(series, step, isFloat ? values[i]! : histograms.values[i]!))
    return
  }
  const words = wordsOf(values)
  const { kinds, values: latest } = series
  const indices = look.indices(times)
  for (let step = 0; step < indices.length; step++) {
    const index = indices[step]!
    if (index < 0 || isStale(words, index)) continue
    kinds[step] = 1
    latest[step] = values[index]!
  }
}

function putTimes(series: Series, raw: RawSeries, look: Look): void {
  visitLatest(raw, look, (step, isFloat, i) =>
    put(series, step, (isFloat ? raw.floats : raw.histograms!).times[i]! / 1_000)
  )
}

/** Calls `visit` with the latest sample of each step that has one. */
function visitLatest(
  { floats, histograms }: RawSeries,
  { from, back }: Look,
  visit: (step: number, isFloat: boolean, index: number) => void
): void {
  const words = wordsOf(floats.values)
  const others = histograms?.times ?? new Float64Array(0)
  const sum = new Float64Array(1)
  const sumWords = wordsOf(sum)
  let [f, h] = [0, 0]
  for (let step = 0; step < from.length; step++) {
    const time = from[step]!
    while (f < floats.times.length && floats.times[f]! <= time) f++
    while (h < others.length && others[h]! <= time) h++
    const float = f === 0 ? Number.NEGATIVE_INFINITY : floats.times[f - 1]!
    const histogram = h === 0 ? Number.NEGATIVE_INFINITY : others[h - 1]!
    const isFloat = float >= histogram
    if (Math.max(float, histogram) <= time - back) continue
    if (!isFloat) sum[0] = histograms!.values[h - 1]!.sum
    if (isFloat ? !isStale(words, f - 1) : !isStale(sumWords, 0)) visit(step, isFloat, (isFloat ? f : h) - 1)
  }
}
