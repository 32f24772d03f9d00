// Aggregations of a group to one series: counting, extremes, variance, quantile.
import { eachPaced, type Pace } from '../../../core/index.ts'
import type { Aggregation } from '../language/ast.ts'
import type { Group } from './aggregate.ts'
import type { Annotations } from './annotation.ts'
import { formatFloat } from './number.ts'
import { quantile } from './quantile.ts'
import { newSeries, none, type Series } from './series.ts'

export interface GroupContext {
  readonly expr: Aggregation
  readonly annotations: Annotations
  /** By step, where the aggregation takes one. */
  readonly parameter: Float64Array | undefined
  readonly count: number
  readonly budget: Pace
}

export type GroupMath = (group: Group, context: GroupContext) => Promise<Series>

export function reduceCounts(op: 'count' | 'group'): GroupMath {
  return async ({ labels, members }, { count, budget }) => {
    const result = newSeries(labels, count)
    await eachPaced(budget, members, ({ kinds }) => {
      for (let step = 0; step < count; step++) {
        if (kinds[step] === none) continue
        result.kinds[step] = 1
        result.values[step] = op === 'count' ? result.values[step]! + 1 : 1
      }
    })
    return result
  }
}

export function reduceExtreme(op: 'min' | 'max'): GroupMath {
  const beats = op === 'min' ? (a: number, b: number) => a < b : (a: number, b: number) => a > b
  return async (group, context) => {
    const { kinds, values, ...result } = newSeries(group.labels, context.count)
    await eachPaced(context.budget, group.members, member => {
      for (let step = 0; step < context.count; step++) {
        if (member.kinds[step] !== 1) continue
        const value = member.values[step]!
        const best = values[step]!
        if (kinds[step] === none || beats(value, best) || Number.isNaN(best)) values[step] = value
        kinds[step] = 1
      }
    })
    tellIgnored(group, context)
    return { ...result, kinds, values }
  }
}

/** By Welford's method, in the order of the members. */
export function reduceVariance(op: 'stddev' | 'stdvar'): GroupMath {
  return async (group, context) => {
    const { count, budget } = context
    const result = newSeries(group.labels, count)
    const [counts, means] = [new Float64Array(count), new Float64Array(count)]
    await eachPaced(budget, group.members, ({ kinds, values }) => {
      for (let step = 0; step < count; step++) {
        if (kinds[step] !== 1) continue
        const value = values[step]!
        const n = ++counts[step]!
        const delta = value - means[step]!
        means[step]! += delta / n
        // An infinity or NaN as the first value makes the variance NaN, as it does later.
        result.values[step]! += delta * (value - means[step]!)
        result.kinds[step] = 1
      }
    })
    for (let step = 0; step < count; step++) {
      const variance = result.values[step]! / counts[step]!
      result.values[step] = op === 'stddev' ? Math.sqrt(variance) : variance
    }
    tellIgnored(group, context)
    return result
  }
}

/** Steps whose values are collected together, for memory locality. */
const tile = 8

export const reduceQuantile: GroupMath = async (group, context) => {
  const { members } = group
  const result = newSeries(group.labels, context.count)
  const found = Array.from({ length: tile }, () => new Float64Array(members.length))
  const counts = new Uint32Array(tile)
  for (let first = 0; first < context.count; first += tile) {
    const end = Math.min(context.count, first + tile)
    if (context.budget.isDue) await context.budget.pause()
    counts.fill(0)
    for (const { kinds, values } of members) {
      for (let step = first; step < end; step++) {
        if (kinds[step] === 1) found[step - first]![counts[step - first]!++] = values[step]!
      }
    }
    for (let step = first; step < end; step++) {
      const count = counts[step - first]!
      if (count > 0) putQuantile(result, step, found[step - first]!.subarray(0, count), context)
    }
  }
  tellIgnored(group, context)
  return result
}

function putQuantile(
  result: Series,
  step: number,
  values: Float64Array,
  { annotations, expr, parameter }: GroupContext
) {
  const q = parameter![step]!
  if (!(q >= 0 && q <= 1)) {
    annotations.warn(expr.param!, `quantile value should be between 0 and 1, got ${formatFloat(q)}`)
  }
  result.kinds[step] = 1
  result.values[step] = quantile(q, values)
}

/** Annotates histograms that were ignored. */
export function tellIgnored(
  { members }: Group,
  { annotations, expr }: Pick<GroupContext, 'annotations' | 'expr'>
): void {
  if (!members.some(({ kinds }) => kinds.includes(2))) return
  annotations.info(expr.expr, `ignored histogram in ${expr.op} aggregation`)
}
