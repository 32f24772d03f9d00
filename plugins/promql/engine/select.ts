// A selector as a vector: at every step the latest sample that is not too old.
import type { VectorSelector } from '../language/ast.ts'
import type { Evaluation } from './evaluation.ts'
import type { SampleCount } from './sample-count.ts'
import { type Grid, isEmpty, newSeries, none, put, type Series, timeOf } from './series.ts'
import { isStale, type RawSeries, wordsOf } from './source.ts'

/** The evaluation time a selector looks from. */
export function lookTime(grid: Grid, step: number, { at, offset }: Pick<VectorSelector, 'at' | 'offset'>): number {
  return ((at as number | undefined) ?? timeOf(grid, step)) - (offset as number)
}

/** With `times`, each sample's own time in seconds instead of its value. */
export async function selectVector(
  evaluation: Evaluation,
  selector: VectorSelector,
  grid: Grid,
  times = false
): Promise<readonly Series[]> {
  const found: Series[] = []
  for (const raw of evaluation.samples(selector)) {
    const series = times
      ? timesAt(raw, selector, grid, evaluation.lookback)
      : samplesAt(raw, selector, grid, evaluation.lookback)
    if (!isEmpty(series)) found.push(series)
    if (evaluation.seen !== undefined) tellSeen(evaluation.seen, series, grid)
    if (evaluation.budget.isDue) await evaluation.budget.pause()
  }
  evaluation.budget.take(found.length * grid.count)
  return found
}

function tellSeen(seen: SampleCount, { kinds }: Series, grid: Grid): void {
  for (let step = 0; step < grid.count; step++) if (kinds[step] !== none) seen.add(grid, step, 1)
}

function samplesAt(raw: RawSeries, selector: VectorSelector, grid: Grid, lookback: number): Series {
  const series = newSeries(raw.labels, grid.count)
  const { times, values } = raw.floats
  if (raw.histograms === undefined) {
    const words = wordsOf(values)
    let next = 0
    for (let step = 0; step < grid.count; step++) {
      const time = lookTime(grid, step, selector)
      while (next < times.length && times[next]! <= time) next++
      if (next === 0 || times[next - 1]! <= time - lookback || isStale(words, next - 1)) continue
      series.kinds[step] = 1
      series.values[step] = values[next - 1]!
    }
    return series
  }
  visitLatest(raw, selector, grid, lookback, (step, isFloat, i) =>
    put(series, step, isFloat ? values[i]! : raw.histograms!.values[i]!)
  )
  return series
}

function timesAt(raw: RawSeries, selector: VectorSelector, grid: Grid, lookback: number): Series {
  const series = newSeries(raw.labels, grid.count)
  visitLatest(raw, selector, grid, lookback, (step, isFloat, i) =>
    put(series, step, (isFloat ? raw.floats : raw.histograms!).times[i]! / 1_000)
  )
  return series
}

/** Calls back with the latest sample for each step that has one. */
function visitLatest(
  { floats, histograms }: RawSeries,
  selector: VectorSelector,
  grid: Grid,
  lookback: number,
  visit: (step: number, isFloat: boolean, index: number) => void
): void {
  const words = wordsOf(floats.values)
  const others = histograms?.times ?? new Float64Array(0)
  const sum = new Float64Array(1)
  const sumWords = wordsOf(sum)
  let [f, h] = [0, 0]
  for (let step = 0; step < grid.count; step++) {
    const time = lookTime(grid, step, selector)
    while (f < floats.times.length && floats.times[f]! <= time) f++
    while (h < others.length && others[h]! <= time) h++
    const float = f === 0 ? Number.NEGATIVE_INFINITY : floats.times[f - 1]!
    const histogram = h === 0 ? Number.NEGATIVE_INFINITY : others[h - 1]!
    const isFloat = float >= histogram
    if (Math.max(float, histogram) <= time - lookback) continue
    if (!isFloat) sum[0] = histograms!.values[h - 1]!.sum
    if (isFloat ? !isStale(words, f - 1) : !isStale(sumWords, 0)) visit(step, isFloat, (isFloat ? f : h) - 1)
  }
}
