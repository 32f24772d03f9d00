// Sorting of an instant query's result; ignored in range queries.
import { sortPaced } from '../../../core/index.ts'
import type { Labels } from '../engine/labels.ts'
import { isEmpty, type Series } from '../engine/series.ts'
import { argument, type Family, type Implementation } from './call.ts'

/** Floats by value, NaN last; histograms are left out. */
function byValue(direction: 1 | -1): Implementation {
  return async (evaluation, call, grid) => {
    const series = await evaluation.vector(argument(call, 0), grid)
    if (grid.count > 1) return { type: 'vector', series: series.map(floatsOf).filter(each => !isEmpty(each)) }
    const floats = series.filter(({ kinds }) => kinds[0] === 1)
    const order = (a: Series, b: Series) => {
      const [x, y] = [a.values[0]!, b.values[0]!]
      if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y))
      return direction * (x - y || 0)
    }
    return { type: 'vector', series: await sortPaced(evaluation.budget, floats, order), ordered: true }
  }
}

function floatsOf(series: Series): Series {
  if (series.histograms === undefined) return series
  return { labels: series.labels, kinds: series.kinds.map(kind => (kind === 1 ? 1 : 0)), values: series.values }
}

/** By the named labels, then by all; numbers in the values count as numbers. */
function byLabel(direction: 1 | -1): Implementation {
  return async (evaluation, call, grid) => {
    const series = await evaluation.vector(argument(call, 0), grid)
    const names = call.args.slice(1).map(each => evaluation.text(each))
    const order = (a: Series, b: Series) => {
      for (const name of names) {
        const found = compareNaturally(a.labels.get(name), b.labels.get(name))
        if (found !== 0) return direction * found
      }
      return direction * compareLabels(a.labels, b.labels)
    }
    return { type: 'vector', series: await sortPaced(evaluation.budget, series, order), ordered: true }
  }
}

/** An absent label comes last. */
function compareNaturally(a: string, b: string): number {
  if (a === '' || b === '') return Number(a === '') - Number(b === '')
  const [left, right] = [a.match(/\d+|\D+/g) ?? [], b.match(/\d+|\D+/g) ?? []]
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [x, y] = [left[i]!, right[i]!]
    const found = /^\d/.test(x) && /^\d/.test(y) ? Number(x) - Number(y) : 0
    if (found !== 0) return found
    if (x !== y) return x < y ? -1 : 1
  }
  return left.length - right.length
}

/** By names and values in turn. */
export function compareLabels(a: Labels, b: Labels): number {
  for (let i = 0; i < Math.min(a.size, b.size); i++) {
    if (a.names[i] !== b.names[i]) return a.names[i]! < b.names[i]! ? -1 : 1
    if (a.values[i] !== b.values[i]) return a.values[i]! < b.values[i]! ? -1 : 1
  }
  return a.size - b.size
}

export const sorting: Family = {
  sort: byValue(1),
  sort_desc: byValue(-1),
  sort_by_label: byLabel(1),
  sort_by_label_desc: byLabel(-1)
}
