// absent and absent_over_time.
import { eachPaced } from '../../../core/index.ts'
import type { Evaluation } from '../engine/evaluation.ts'
import { Labels, metricName, noLabels } from '../engine/labels.ts'
import { type Grid, isEmpty, newSeries, none, type Value } from '../engine/series.ts'
import { type Call, type Expr, type MatrixSelector, type Subquery, unwrap } from '../language/ast.ts'
import { argument, type Family } from './call.ts'
import { slide, windowsOf } from './range.ts'

async function absent(evaluation: Evaluation, call: Call, grid: Grid): Promise<Value> {
  const inner = argument(call, 0)
  const present = new Uint8Array(grid.count)
  await eachPaced(evaluation.budget, await evaluation.vector(inner, grid), ({ kinds }) => {
    for (let step = 0; step < grid.count; step++) if (kinds[step] !== none) present[step] = 1
  })
  return whereAbsent(inner, present)
}

async function absentOverTime(evaluation: Evaluation, call: Call, grid: Grid): Promise<Value> {
  const range = unwrap(argument(call, 0)) as MatrixSelector | Subquery
  const windows = windowsOf(range, grid)
  const present = new Uint8Array(grid.count)
  for (const samples of await evaluation.range(range, grid)) {
    if (evaluation.budget.isDue) await evaluation.budget.pause()
    await slide(evaluation, windows, samples, step => {
      present[step] = 1
      return undefined
    })
  }
  return whereAbsent(range, present)
}

function whereAbsent(inner: Expr, present: Uint8Array): Value {
  const series = newSeries(labelsOf(inner), present.length)
  for (let step = 0; step < present.length; step++) {
    if (present[step] === 1) continue
    series.kinds[step] = 1
    series.values[step] = 1
  }
  return { type: 'vector', series: isEmpty(series) ? [] : [series] }
}

/** The labels of the result: those for which the selector requires equality. */
function labelsOf(expr: Expr): Labels {
  const inner = unwrap(expr)
  const selector = inner.kind === 'matrix' ? inner.selector : inner
  if (selector.kind !== 'selector') return noLabels
  const counts = new Map<string, number>()
  for (const { name } of selector.matchers) counts.set(name, (counts.get(name) ?? 0) + 1)
  const equal = selector.matchers.filter(({ name, op }) => op === '=' && name !== metricName && counts.get(name) === 1)
  return Labels.from(equal.map(({ name, value }) => [name, value] as const))
}

export const absence: Family = { absent, absent_over_time: absentOverTime }
