// Functions on single elements of vectors, and merging of series whose labels became equal.
import { type DbError, eachPaced, type Pace } from '../../../core/index.ts'
import type { Histogram } from '../histogram/histogram.ts'
import { executionError } from './error.ts'
import { metricName } from './labels.ts'
import { at, isEmpty, newSeries, none, put, type Series, seriesMaker } from './series.ts'

/** Applies one function to floats and another to histograms (absent: they are left out); drops the metric name. */
export async function mapSeries(
  pace: Pace,
  series: readonly Series[],
  change: (value: number, step: number) => number,
  changeHistogram?: (value: Histogram, step: number) => Histogram
): Promise<readonly Series[]> {
  const make = seriesMaker(series[0]?.kinds.length ?? 0)
  const results: Series[] = []
  await eachPaced(pace, series, ({ labels, kinds, values, histograms }) => {
    const result = make(labels.unnamed())
    for (let step = 0; step < kinds.length; step++) {
      if (kinds[step] === 1) {
        result.kinds[step] = 1
        result.values[step] = change(values[step]!, step)
      } else if (kinds[step] === 2 && changeHistogram !== undefined) {
        put(result, step, changeHistogram(histograms![step]!, step))
      }
    }
    if (!isEmpty(result)) results.push(result)
  })
  return isOneMetric(series) ? results : mergeEqual(pace, results)
}

/** Whether the series stay distinct without the metric name. */
export function isOneMetric(series: readonly Series[]): boolean {
  const first = series[0]?.labels.get(metricName)
  return series.every(({ labels }) => labels.get(metricName) === first)
}

/** Drops empty series and merges those with equal labels. Throws when two of them have values at the same step. */
export async function mergeEqual(pace: Pace, series: readonly Series[]): Promise<readonly Series[]> {
  const byKey = new Map<string, Series>()
  await eachPaced(pace, series, each => {
    if (isEmpty(each)) return
    const other = byKey.get(each.labels.key)
    byKey.set(each.labels.key, other === undefined ? each : merge(other, each))
  })
  return byKey.size === series.length ? series : [...byKey.values()]
}

function merge(first: Series, second: Series): Series {
  const merged = newSeries(first.labels, first.kinds.length)
  for (let step = 0; step < first.kinds.length; step++) {
    if (first.kinds[step] !== none && second.kinds[step] !== none) throw sameLabels()
    put(merged, step, at(first, step) ?? at(second, step))
  }
  return merged
}

function sameLabels(): DbError {
  return executionError('vector cannot contain metrics with the same labelset')
}
