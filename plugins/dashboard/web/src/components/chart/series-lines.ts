// Series of PromQL as lines of a chart.
import { type Series, type Span, seriesName } from '../../api/promql.ts'
import type { Line } from './line.ts'

/** Series as lines on one row of times, with gaps where samples are missing. */
export function linesOfSeries(series: readonly Series[], { from, to }: Span, step: number): Line[] {
  const grid = Array.from({ length: Math.floor((to - from) / step + 1e-6) + 1 }, (_, i) => from + i * step)
  return series.map(({ labels, times, values }) => {
    const onGrid = new Array<number | null>(grid.length).fill(null)
    for (const [i, time] of times.entries()) onGrid[Math.round((time - from) / step)] = values[i]!
    return { name: seriesName(labels), times: grid, values: onGrid }
  })
}
