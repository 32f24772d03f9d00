// Results in JSON as the query API defines it, in pieces, so that large results are never held as text.

import type { Labels } from '../engine/labels.ts'
import { formatFloat } from '../engine/number.ts'
import type { QueryAnswer } from '../engine/query.ts'
import { type Grid, none, type Series, timeOf } from '../engine/series.ts'
import type { Samples } from '../engine/window.ts'
import { histogramJson } from '../histogram/text.ts'

/** `{"resultType":…,"result":…}` in pieces; at most `limit` series, 0 means no limit. */
export function* resultPieces({ type, value, grid }: QueryAnswer, instant: boolean, limit: number): Iterable<string> {
  if (value.type === 'string') {
    yield `{"resultType":"string","result":[${seconds(grid.start)},${JSON.stringify(value.text)}]}`
    return
  }
  if (value.type === 'scalar' && instant) {
    yield `{"resultType":"scalar","result":[${seconds(grid.start)},"${formatFloat(value.values[0]!)}"]}`
    return
  }
  const isVector = instant && type === 'vector'
  yield `{"resultType":"${isVector ? 'vector' : 'matrix'}","result":[`
  yield* joined(seriesPieces(value, grid, isVector, limit))
  yield ']}'
}

function* seriesPieces(value: QueryAnswer['value'], grid: Grid, isVector: boolean, limit: number): Iterable<string> {
  if (value.type === 'scalar') {
    const points = Array.from(value.values, (each, step) => point(timeOf(grid, step), each))
    yield `{"metric":{},"values":[${points.join(',')}]}`
  } else if (value.type === 'matrix') {
    for (const samples of limited(value.samples, limit)) yield rawJson(samples)
  } else if (value.type === 'vector') {
    const times = isVector ? [] : Array.from({ length: grid.count }, (_, step) => seconds(timeOf(grid, step)))
    const heads = times.map(time => `${between}[${time},"`)
    for (const series of limited(value.series, limit))
      yield isVector ? elementJson(series, grid) : seriesJson(series, times, heads)
  }
}

/** How many series a result has. */
export function seriesCount({ value }: QueryAnswer): number {
  if (value.type === 'vector') return value.series.length
  return value.type === 'matrix' ? value.samples.length : 1
}

function limited<T>(items: readonly T[], limit: number): readonly T[] {
  return limit > 0 ? items.slice(0, limit) : items
}

function* joined(pieces: Iterable<string>): Iterable<string> {
  let first = true
  for (const piece of pieces) {
    yield first ? piece : `,${piece}`
    first = false
  }
}

function elementJson({ labels, kinds, values, histograms }: Series, grid: Grid): string {
  const time = timeOf(grid, 0)
  const sample =
    kinds[0] === 1
      ? `"value":${point(time, values[0]!)}`
      : `"histogram":[${seconds(time)},${JSON.stringify(histogramJson(histograms![0]!))}]`
  return `{"metric":${labelsJson(labels)},${sample}}`
}

/** Ends one point before the next. */
const between = '"],'

/** `times` are the formatted times of the steps; `heads` are the separators with these times, which begin the points of floats. */
function seriesJson(
  { labels, kinds, values, histograms }: Series,
  times: readonly string[],
  heads: readonly string[]
): string {
  let floats = ''
  const others: string[] = []
  for (let step = 0; step < kinds.length; step++) {
    if (kinds[step] === none) continue
    if (kinds[step] === 1) floats += heads[step]! + formatFloat(values[step]!)
    else others.push(`[${times[step]},${JSON.stringify(histogramJson(histograms![step]!))}]`)
  }
  return withPoints(labels, floats === '' ? '' : `${floats.slice(between.length)}"]`, others)
}

function rawJson({ labels, floats, histograms }: Samples): string {
  const points = Array.from(floats.times, (time, i) => point(time, floats.values[i]!))
  const others = Array.from(histograms.times, (time, i) => {
    return `[${seconds(time)},${JSON.stringify(histogramJson(histograms.values[i]!))}]`
  })
  return withPoints(labels, points.join(','), others)
}

function withPoints(labels: Labels, floats: string, others: readonly string[]): string {
  const values = floats === '' ? '' : `,"values":[${floats}]`
  const histograms = others.length > 0 ? `,"histograms":[${others.join(',')}]` : ''
  return `{"metric":${labelsJson(labels)}${values}${histograms}}`
}

function point(time: number, value: number): string {
  return `[${seconds(time)},"${formatFloat(value)}"]`
}

/** Whole seconds without a fraction, others with three decimals. */
function seconds(milliseconds: number): string {
  return milliseconds % 1_000 === 0 ? String(milliseconds / 1_000) : (milliseconds / 1_000).toFixed(3)
}

function labelsJson(labels: Labels): string {
  const members = labels.names.map((name, i) => `${JSON.stringify(name)}:${JSON.stringify(labels.values[i])}`)
  return `{${members.join(',')}}`
}
