// Count, sum, mean and spread of native histograms.
import { mapPaced } from '../../../core/index.ts'
import { mergeEqual } from '../engine/map.ts'
import { newSeries } from '../engine/series.ts'
import type { Histogram } from '../histogram/histogram.ts'
import { varianceOf } from '../histogram/quantile.ts'
import { argument, type Family, type Implementation } from './call.ts'

/** Floats are left out without an annotation. */
function ofHistogram(read: (histogram: Histogram) => number): Implementation {
  return async (evaluation, call, grid) => {
    const series = await evaluation.vector(argument(call, 0), grid)
    const results = await mapPaced(evaluation.budget, series, ({ labels, kinds, histograms }) => {
      const result = newSeries(labels.unnamed(), grid.count)
      for (let step = 0; step < grid.count; step++) {
        if (kinds[step] !== 2) continue
        result.kinds[step] = 1
        result.values[step] = read(histograms![step]!)
      }
      return result
    })
    return { type: 'vector', series: await mergeEqual(evaluation.budget, results) }
  }
}

export const nativeHistograms: Family = {
  histogram_count: ofHistogram(({ count }) => count),
  histogram_sum: ofHistogram(({ sum }) => sum),
  histogram_avg: ofHistogram(({ count, sum }) => sum / count),
  histogram_stdvar: ofHistogram(varianceOf),
  histogram_stddev: ofHistogram(histogram => Math.sqrt(varianceOf(histogram)))
}
