// Binary operators: between numbers, between a vector and a number, between vectors.

import { eachPaced } from '../../../core/index.ts'
import type { Histogram } from '../histogram/histogram.ts'
import type { Binary } from '../language/ast.ts'
import { comparisons, setOperators } from '../language/ast.ts'
import type { Evaluation } from './evaluation.ts'
import { isOneMetric, mergeEqual } from './map.ts'
import { matchVectors } from './match.ts'
import { type Combination, combine, dropsName, scalarOperation } from './operation.ts'
import { isInvariant } from './prepare.ts'
import { type Grid, isEmpty, put, type Series, seriesMaker, type Value } from './series.ts'
import { combineSets } from './set.ts'

/** A chain of operators is a left-leaning tree as deep as the chain, so it is evaluated in a loop from its first operand. */
export async function binary(evaluation: Evaluation, expr: Binary, grid: Grid): Promise<Value> {
  const chain = [expr]
  let first = expr.left
  for (; first.kind === 'binary' && !(grid.count > 1 && isInvariant(first)); first = first.left) chain.push(first)
  const before = evaluation.budget.samples
  let value = await evaluation.value(first, grid)
  for (const each of chain.reverse()) {
    value = await operate(evaluation, each, value, grid)
    if (each !== expr) evaluation.hold(before, value)
  }
  return value
}

async function operate(evaluation: Evaluation, expr: Binary, left: Value, grid: Grid): Promise<Value> {
  const right = await evaluation.value(expr.right, grid)
  if (left.type === 'scalar' && right.type === 'scalar') {
    const operation = scalarOperation(expr.op)
    return { type: 'scalar', values: left.values.map((value, step) => operation(value, right.values[step]!)) }
  }
  if (left.type === 'vector' && right.type === 'vector') {
    const series = setOperators.has(expr.op)
      ? await combineSets(evaluation.budget, expr, left.series, right.series, grid)
      : await matchVectors(evaluation, expr, left.series, right.series, grid)
    return { type: 'vector', series }
  }
  const vector = (left.type === 'vector' ? left : right) as Value & { type: 'vector' }
  const scalar = (left.type === 'scalar' ? left : right) as Value & { type: 'scalar' }
  const series = await withScalar(evaluation, expr, vector.series, scalar.values, left.type === 'scalar')
  return { type: 'vector', series }
}

async function withScalar(
  evaluation: Evaluation,
  expr: Binary,
  series: readonly Series[],
  scalar: Float64Array,
  swapped: boolean
): Promise<readonly Series[]> {
  const { budget } = evaluation
  const operation = combine(evaluation, expr)
  const isFilter = comparisons.has(expr.op) && !expr.bool
  const isUnnamed = dropsName(expr)
  const fast = scalarOperation(expr.op)
  const make = seriesMaker(scalar.length)
  const results: Series[] = []
  await eachPaced(budget, series, each => {
    if (isFilter && each.histograms === undefined) {
      const kept = countKept(each, scalar, fast, swapped)
      if (kept === 'all') results.push(each)
      if (kept !== 'some') return
    }
    const changed = make(isUnnamed ? each.labels.unnamed() : each.labels)
    for (let step = 0; step < scalar.length; step++) {
      if (each.kinds[step] === 1) {
        const [value, other] = [each.values[step]!, scalar[step]!]
        const found = swapped ? fast(other, value) : fast(value, other)
        if (isFilter && found === 0) continue
        changed.kinds[step] = 1
        changed.values[step] = isFilter ? value : found
      } else if (each.kinds[step] === 2) {
        put(changed, step, histogramWithScalar(each.histograms![step]!, scalar[step]!, swapped, operation))
      }
    }
    if (!isEmpty(changed)) results.push(changed)
  })
  return isUnnamed && !isOneMetric(series) ? mergeEqual(budget, results) : results
}

/** Number of steps that a filter keeps of a float series. */
function countKept(
  { kinds, values }: Series,
  scalar: Float64Array,
  compare: (a: number, b: number) => number,
  swapped: boolean
): 'all' | 'some' | 'none' {
  let [kept, lost] = [false, false]
  for (let step = 0; step < scalar.length; step++) {
    if (kinds[step] !== 1) continue
    const [value, other] = [values[step]!, scalar[step]!]
    if ((swapped ? compare(other, value) : compare(value, other)) === 0) lost = true
    else kept = true
    if (kept && lost) return 'some'
  }
  return kept ? 'all' : 'none'
}

function histogramWithScalar(value: Histogram, scalar: number, swapped: boolean, operation: Combination) {
  return swapped ? operation(scalar, value) : operation(value, scalar)
}
