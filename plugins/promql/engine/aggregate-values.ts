// count_values: counts, per group, how many series have each value; the value becomes a label.

import { eachPaced, nameProblem, type Pace } from '../../../core/index.ts'
import { histogramText } from '../histogram/text.ts'
import type { Aggregation } from '../language/ast.ts'
import { quote } from '../language/literal.ts'
import type { Group } from './aggregate.ts'
import { entry } from './entry.ts'
import { executionError } from './error.ts'
import type { Evaluation } from './evaluation.ts'
import { fixedFloat } from './number.ts'
import { at, type Grid, newSeries, type Series, type Value } from './series.ts'

export async function countValues(
  evaluation: Evaluation,
  expr: Aggregation,
  groups: readonly Group[],
  grid: Grid
): Promise<Value> {
  const label = evaluation.text(expr.param!)
  if (!label.isWellFormed() || nameProblem('column', label) !== undefined) {
    throw executionError(`invalid label name ${quote(label)}`)
  }
  // A label that `without` names is not overwritten but left out.
  const leftOut = expr.without && expr.grouping.includes(label)
  const counted: Series[] = []
  const { budget } = evaluation
  const before = budget.samples
  for (const { labels, members } of groups) {
    const byValue = new Map<string, Series>()
    for (const member of members) {
      if (budget.isDue) await budget.pause()
      for (let step = 0; step < grid.count; step++) {
        const value = at(member, step)
        if (value === undefined) continue
        const text = leftOut ? '' : typeof value === 'number' ? fixedFloat(value) : histogramText(value)
        const series = entry(byValue, text, () => {
          budget.take(grid.count)
          return newSeries(labels.with(new Map([[label, text]])), grid.count)
        })
        series.kinds[step] = 1
        series.values[step]!++
      }
    }
    for (const series of byValue.values()) counted.push(series)
  }
  // The result is accounted for as a value.
  budget.releaseTo(before)
  return { type: 'vector', series: await addEqual(budget, counted) }
}

/** Groups that differ only in the overwritten label are merged. */
async function addEqual(pace: Pace, series: readonly Series[]): Promise<readonly Series[]> {
  const byKey = new Map<string, Series>()
  await eachPaced(pace, series, each => {
    const other = byKey.get(each.labels.key)
    if (other === undefined) {
      byKey.set(each.labels.key, each)
      return
    }
    for (let step = 0; step < each.kinds.length; step++) {
      if (each.kinds[step] === 0) continue
      other.kinds[step] = 1
      other.values[step]! += each.values[step]!
    }
  })
  return [...byKey.values()]
}
