// What native histograms hold: count, sum, mean, spread.
import { mergeEqual } from '../engine/map.ts'
import { isEmpty, newSeries } from '../engine/series.ts'
import type { Histogram } from '../histogram/histogram.ts'
import { varianceOf } from '../histogram/quantile.ts'
import { argument, type Family, type Implementation } from './call.ts'

/** Floats are left out without a word. */
function ofHistogram(read: (histogram: Histogram) => number): Implementation {
  return async (evaluation, call, grid) => {
    const results = (await evaluation.vector(argument(call, 0), grid)).map(({ labels, kinds, histograms }) => {
      const result = newSeries(labels.unnamed(), grid.count)
      for (let step = 0; step < grid.count; step++) {
        if (kinds[step] !== 2) continue
        result.kinds[step] = 1
        result.values[step] = read(histograms![step]!)
      }
      return result
    })
    return { type: 'vector', series: mergeEqual(results.filter(series => !isEmpty(series))) }
  }
}

export const nativeHistograms: Family = {
  histogram_count: ofHistogram(({ count }) => count),
  histogram_sum: ofHistogram(({ sum }) => sum),
  histogram_avg: ofHistogram(({ count, sum }) => sum / count),
  histogram_stdvar: ofHistogram(varianceOf),
  histogram_stddev: ofHistogram(histogram => Math.sqrt(varianceOf(histogram)))
}
