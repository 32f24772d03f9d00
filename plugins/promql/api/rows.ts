// Results as rows, one per sample.

import type { PromqlSample } from '../../services.ts'
import type { QueryAnswer } from '../engine/query.ts'
import { at, type Grid, none, timeOf } from '../engine/series.ts'
import { nativeOf } from '../histogram/native.ts'
import { histogramText } from '../histogram/text.ts'

export interface Row {
  /** Milliseconds since 1970. */
  readonly time: number
  /** A number, or a native histogram as text. */
  readonly value: number | string
  readonly labels: Readonly<Record<string, string>>
}

/** By series, then by time; a string result has no rows. */
export function* answerRows({ value, grid }: QueryAnswer): Iterable<Row> {
  if (value.type === 'scalar') yield* scalarRows(value.values, grid)
  if (value.type === 'vector') {
    for (const series of value.series) {
      const labels = Object.fromEntries(series.labels)
      for (let step = 0; step < grid.count; step++) {
        if (series.kinds[step] === none) continue
        const sample = at(series, step)!
        yield { time: timeOf(grid, step), value: typeof sample === 'number' ? sample : histogramText(sample), labels }
      }
    }
  }
  if (value.type === 'matrix') {
    for (const { labels, floats, histograms } of value.samples) {
      const shown = Object.fromEntries(labels)
      for (const [i, time] of floats.times.entries()) yield { time, value: floats.values[i]!, labels: shown }
      for (const [i, time] of histograms.times.entries()) {
        yield { time, value: histogramText(histograms.values[i]!), labels: shown }
      }
    }
  }
}

/** The series of an instant query with their values. */
export function* answerSamples({ value }: QueryAnswer): Iterable<PromqlSample> {
  if (value.type === 'scalar') yield { labels: {}, value: value.values[0]! }
  if (value.type !== 'vector') return
  for (const series of value.series) {
    const sample = at(series, 0)
    if (sample === undefined) continue
    const labels = Object.fromEntries(series.labels)
    if (typeof sample === 'number') yield { labels, value: sample }
    else yield { labels, value: undefined, histogram: nativeOf(sample) }
  }
}

function* scalarRows(values: Float64Array, grid: Grid): Iterable<Row> {
  for (const [step, value] of values.entries()) yield { time: timeOf(grid, step), value, labels: {} }
}
