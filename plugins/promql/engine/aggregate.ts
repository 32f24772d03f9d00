// Aggregations: group series, then reduce each group to one series or choose some of its series.
import { eachPaced, type Pace } from '../../../core/index.ts'
import type { Aggregation } from '../language/ast.ts'
import { countValues } from './aggregate-values.ts'
import { choose } from './choose.ts'
import type { Evaluation } from './evaluation.ts'
import { grouping, groupLabels, type Labels } from './labels.ts'
import { type GroupMath, reduceCounts, reduceExtreme, reduceQuantile, reduceVariance } from './reduce.ts'
import { type Grid, isEmpty, type Series, type Value } from './series.ts'
import { average, sum } from './totals.ts'

/** Series of one group, and the labels of the result. */
export interface Group {
  readonly labels: Labels
  readonly members: readonly Series[]
}

const reductions: Readonly<Record<string, GroupMath>> = {
  sum,
  avg: average,
  count: reduceCounts('count'),
  group: reduceCounts('group'),
  min: reduceExtreme('min'),
  max: reduceExtreme('max'),
  stddev: reduceVariance('stddev'),
  stdvar: reduceVariance('stdvar'),
  quantile: reduceQuantile
}

export async function aggregate(evaluation: Evaluation, expr: Aggregation, grid: Grid): Promise<Value> {
  const series = await evaluation.vector(expr.expr, grid)
  const groups = await groupSeries(evaluation.budget, series, new Set(expr.grouping), expr.without)
  const { op } = expr
  if (op === 'count_values') return await countValues(evaluation, expr, groups, grid)
  const parameter = expr.param === undefined ? undefined : await evaluation.scalar(expr.param, grid)
  const math = reductions[op]
  if (math === undefined) return choose(evaluation, expr, groups, parameter!, grid)
  const { annotations, budget } = evaluation
  const context = { expr, annotations, budget, parameter, count: grid.count }
  const results: Series[] = []
  for (const group of groups) {
    const result = await math(group, context)
    if (!isEmpty(result)) results.push(result)
    if (budget.isDue) await budget.pause()
  }
  return { type: 'vector', series: results }
}

/** Groups in the order of their first members. */
async function groupSeries(
  pace: Pace,
  series: readonly Series[],
  names: ReadonlySet<string>,
  without: boolean
): Promise<readonly Group[]> {
  const groups = new Map<string, { labels: Labels; members: Series[] }>()
  const keyOf = grouping(names, without)
  await eachPaced(pace, series, each => {
    const key = keyOf(each.labels)
    const group = groups.get(key)
    if (group !== undefined) group.members.push(each)
    else groups.set(key, { labels: groupLabels(each.labels, names, without), members: [each] })
  })
  return [...groups.values()]
}
