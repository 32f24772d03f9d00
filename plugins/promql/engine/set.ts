// The set operators and, or, unless: filter elements by whether the other side has one with the same labels.
import { eachPaced, mapPaced, type Pace } from '../../../core/index.ts'
import type { Binary } from '../language/ast.ts'
import { entry } from './entry.ts'
import { grouping } from './labels.ts'
import { mergeEqual } from './map.ts'
import { at, type Grid, isEmpty, newSeries, none, put, type Series } from './series.ts'

export async function combineSets(
  pace: Pace,
  { op, matching }: Binary,
  left: readonly Series[],
  right: readonly Series[],
  grid: Grid
): Promise<readonly Series[]> {
  const group = grouping(new Set(matching.labels), !matching.on)
  const keyOf = (series: Series) => group(series.labels)
  if (op === 'or') {
    const there = await presence(pace, left, keyOf, grid)
    const added = await keepSteps(pace, right, series => there.get(keyOf(series)), false)
    return mergeEqual(pace, [...left, ...added])
  }
  const there = await presence(pace, right, keyOf, grid)
  return keepSteps(pace, left, series => there.get(keyOf(series)), op === 'and')
}

/** By key, at which steps there is an element. */
async function presence(
  pace: Pace,
  series: readonly Series[],
  keyOf: (series: Series) => string,
  grid: Grid
): Promise<Map<string, Uint8Array>> {
  const there = new Map<string, Uint8Array>()
  await eachPaced(pace, series, each => {
    const steps = entry(there, keyOf(each), () => new Uint8Array(grid.count))
    for (let step = 0; step < grid.count; step++) if (each.kinds[step] !== none) steps[step] = 1
  })
  return there
}

/** Keeps the elements at steps where the other side has one (or has none). */
async function keepSteps(
  pace: Pace,
  series: readonly Series[],
  there: (series: Series) => Uint8Array | undefined,
  wanted: boolean
): Promise<readonly Series[]> {
  const kept = await mapPaced(pace, series, each => {
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
