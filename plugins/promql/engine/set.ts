// and, or, unless: elements by whether the other side has one with the same labels.
import type { Binary } from '../language/ast.ts'
import { entry } from './entry.ts'
import { grouping } from './labels.ts'
import { mergeEqual } from './map.ts'
import { at, type Grid, isEmpty, newSeries, none, put, type Series } from './series.ts'

export function combineSets(
  { op, matching }: Binary,
  left: readonly Series[],
  right: readonly Series[],
  grid: Grid
): readonly Series[] {
  const group = grouping(new Set(matching.labels), !matching.on)
  const keyOf = (series: Series) => group(series.labels)
  if (op === 'or') {
    const there = presence(left, keyOf, grid)
    const added = keepSteps(right, series => there.get(keyOf(series)), false)
    return mergeEqual([...left, ...added])
  }
  const there = presence(right, keyOf, grid)
  return keepSteps(left, series => there.get(keyOf(series)), op === 'and')
}

/** By key: at which steps there is anything. */
function presence(series: readonly Series[], keyOf: (series: Series) => string, grid: Grid): Map<string, Uint8Array> {
  const there = new Map<string, Uint8Array>()
  for (const each of series) {
    const steps = entry(there, keyOf(each), () => new Uint8Array(grid.count))
    for (let step = 0; step < grid.count; step++) if (each.kinds[step] !== none) steps[step] = 1
  }
  return there
}

/** What is left of each series at the steps where the other side has something, or has nothing. */
function keepSteps(
  series: readonly Series[],
  there: (series: Series) => Uint8Array | undefined,
  wanted: boolean
): readonly Series[] {
  const kept = series.map(each => {
    const steps = there(each)
    if (steps === undefined) return wanted ? undefined : each
    const result = newSeries(each.labels, each.kinds.length)
    for (let step = 0; step < each.kinds.length; step++) {
      if ((steps[step] === 1) === wanted) put(result, step, at(each, step))
    }
    return isEmpty(result) ? undefined : result
  })
  return kept.filter(each => each !== undefined)
}
