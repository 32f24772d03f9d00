// Element by element: functions of numbers over whole vectors, and vectors whose series fell together.
import type { DbError } from '../../../core/index.ts'
import type { Histogram } from '../histogram/histogram.ts'
import { executionError } from './error.ts'
import { at, isEmpty, newSeries, none, put, type Series } from './series.ts'

/** Every float through a function, under labels without the metric's name; histograms through another, or left out. */
export function mapSeries(
  series: readonly Series[],
  change: (value: number, step: number) => number,
  changeHistogram?: (value: Histogram, step: number) => Histogram
): readonly Series[] {
  const changed = series.map(each => mapOne(each, change, changeHistogram))
  return mergeEqual(changed.filter(each => !isEmpty(each)))
}

function mapOne(
  { labels, kinds, values, histograms }: Series,
  change: (value: number, step: number) => number,
  changeHistogram: ((value: Histogram, step: number) => Histogram) | undefined
): Series {
  const result = newSeries(labels.unnamed(), kinds.length)
  for (let step = 0; step < kinds.length; step++) {
    if (kinds[step] === 1) {
      result.kinds[step] = 1
      result.values[step] = change(values[step]!, step)
    } else if (kinds[step] === 2 && changeHistogram !== undefined) {
      put(result, step, changeHistogram(histograms![step]!, step))
    }
  }
  return result
}

/** Series with equal labels as one. Throws when two have something at the same step. */
export function mergeEqual(series: readonly Series[]): readonly Series[] {
  const byKey = new Map<string, Series>()
  for (const each of series) {
    const other = byKey.get(each.labels.key)
    byKey.set(each.labels.key, other === undefined ? each : merge(other, each))
  }
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

export function sameLabels(): DbError {
  return executionError('vector cannot contain metrics with the same labelset')
}
