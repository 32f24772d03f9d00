// Values during evaluation: whole series over all steps of the query, as columns.
import { mapPaced, type Pace } from '../../../core/index.ts'
import type { Histogram } from '../histogram/histogram.ts'
import type { Labels } from './labels.ts'

/** The times a query is evaluated at: `start + i * step` for `count` times, in milliseconds. */
export interface Grid {
  readonly start: number
  readonly step: number
  readonly count: number
}

/** Kinds of elements at a step. */
export const none = 0
const float = 1
const histogram = 2

/** One element of a vector at every step. */
export interface Series {
  readonly labels: Labels
  /** By step: `none`, `float` or `histogram`. */
  readonly kinds: Uint8Array
  /** By step, where it is a float. */
  readonly values: Float64Array
  /** By step, where it is a histogram. */
  readonly histograms?: (Histogram | undefined)[]
}

export type Value =
  | { readonly type: 'scalar'; readonly values: Float64Array }
  /** `ordered`: the order of the series is part of the result. */
  | { readonly type: 'vector'; readonly series: readonly Series[]; readonly ordered?: boolean }
  | { readonly type: 'string'; readonly text: string }

/** Number of samples that a value accounts for. */
export function sizeOf(value: Value): number {
  if (value.type === 'string') return 0
  if (value.type === 'scalar') return value.values.length
  return value.series.reduce((sum, { kinds }) => sum + kinds.length, 0)
}

export function timeOf(grid: Grid, step: number): number {
  return grid.start + step * grid.step
}

export function newSeries(labels: Labels, count: number): Series & { histograms?: (Histogram | undefined)[] } {
  return { labels, kinds: new Uint8Array(count), values: new Float64Array(count) }
}

/** Series per memory block: in the first one, and maximum. */
const minNeighbours = 4
const maxNeighbours = 64

/** Allocates empty series in blocks, which costs less than one by one. */
export function seriesMaker(count: number): (labels: Labels) => Series {
  let [kinds, values] = [new Uint8Array(0), new Float64Array(0)]
  let neighbours = minNeighbours / 2
  let at = 0
  return labels => {
    if (at === kinds.length) {
      neighbours = Math.min(maxNeighbours, neighbours * 2)
      kinds = new Uint8Array(neighbours * count)
      values = new Float64Array(neighbours * count)
      at = 0
    }
    at += count
    return { labels, kinds: kinds.subarray(at - count, at), values: values.subarray(at - count, at) }
  }
}

type Writable = { -readonly [K in keyof Series]: Series[K] }

/** Sets the element at a step: a number, a histogram or nothing. */
export function put(series: Series, step: number, value: number | Histogram | undefined): void {
  if (typeof value === 'number') {
    series.kinds[step] = float
    series.values[step] = value
  } else if (value !== undefined) {
    series.kinds[step] = histogram
    const writable = series as Writable
    writable.histograms ??= new Array(series.kinds.length)
    writable.histograms[step] = value
  }
}

/** The element at a step. */
export function at(series: Series, step: number): number | Histogram | undefined {
  const kind = series.kinds[step]
  if (kind === float) return series.values[step]
  return kind === histogram ? series.histograms![step] : undefined
}

/** Whether there is no element at any step. */
export function isEmpty({ kinds }: Series): boolean {
  return !kinds.some(kind => kind !== none)
}

/** The same series under other labels. */
export function relabel(series: Series, labels: Labels): Series {
  return labels === series.labels ? series : { ...series, labels }
}

/** Repeats the value of one step at every step of a grid. */
export async function broadcast(pace: Pace, value: Value, count: number): Promise<Value> {
  if (value.type === 'string') return value
  if (value.type === 'scalar') return { type: 'scalar', values: new Float64Array(count).fill(value.values[0]!) }
  const series = await mapPaced(pace, value.series, ({ labels, kinds, values, histograms }) => ({
    labels,
    kinds: new Uint8Array(count).fill(kinds[0]!),
    values: new Float64Array(count).fill(values[0]!),
    ...(histograms && { histograms: new Array(count).fill(histograms[0]) })
  }))
  return { ...value, series }
}
