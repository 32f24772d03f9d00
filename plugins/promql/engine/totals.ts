// sum and avg, of floats or of histograms; a step with both has no result.
import { eachPaced, runPaced } from '../../../core/index.ts'
import { compact, type Histogram } from '../histogram/histogram.ts'
import type { Group } from './aggregate.ts'
import { addToMean, meanOf, newMean, totalSteps } from './mean.ts'
import type { GroupContext, GroupMath } from './reduce.ts'
import { newSeries, put, type Series } from './series.ts'

export const sum: GroupMath = async (group, context) => {
  const only = onlyFloats(group)
  if (only !== undefined) return only
  const { count, budget } = context
  const result = newSeries(group.labels, count)
  const { kinds: present, values: sums } = result
  const errors = new Float64Array(count)
  await eachPaced(budget, group.members, ({ kinds, values }) => {
    for (let step = 0; step < count; step++) {
      if (kinds[step] !== 1) continue
      addAt(sums, errors, step, values[step]!)
      present[step] = 1
    }
  })
  for (let step = 0; step < count; step++) result.values[step]! += errors[step]!
  return withHistograms(group, result, context, false)
}

/** Fast path for a group with one member. */
function onlyFloats({ labels, members }: Group): Series | undefined {
  const [{ kinds, values, histograms }] = members as [Series]
  return members.length === 1 && histograms === undefined ? { labels, kinds, values } : undefined
}

/** One step of a compensated sum, in columns: see kahan.ts. */
function addAt(sums: Float64Array, errors: Float64Array, step: number, term: number): void {
  const before = sums[step]!
  const total = before + term
  if (total === Number.POSITIVE_INFINITY || total === Number.NEGATIVE_INFINITY) errors[step] = 0
  else if (Math.abs(before) >= Math.abs(term)) errors[step]! += before - total + term
  else errors[step]! += term - total + before
  sums[step] = total
}

export const average: GroupMath = async (group, context) => {
  const only = onlyFloats(group)
  if (only !== undefined) return only
  const { count, budget } = context
  const result = newSeries(group.labels, count)
  const [counts, errors] = [new Uint32Array(count), new Float64Array(count)]
  await eachPaced(budget, group.members, ({ kinds, values }) => {
    for (let step = 0; step < count; step++) {
      if (kinds[step] !== 1) continue
      if (counts[step]!++ === 0) result.values[step] = values[step]!
      else addAt(result.values, errors, step, values[step]!)
    }
  })
  for (let step = 0; step < count; step++) {
    if (counts[step] === 0) continue
    const sum = result.values[step]!
    result.kinds[step] = 1
    result.values[step] = Number.isFinite(sum)
      ? sum / counts[step]! + errors[step]! / counts[step]!
      : meanAt(group, step)
  }
  return withHistograms(group, result, context, true)
}

/** For sums that overflow, or contain infinities. */
function meanAt({ members }: Group, step: number): number {
  const mean = newMean()
  for (const { kinds, values } of members) if (kinds[step] === 1) addToMean(mean, values[step]!)
  return meanOf(mean)
}

/** Adds the group's histograms; a step with floats and histograms gives no result and a warning. */
async function withHistograms(
  { members }: Group,
  result: Series,
  context: GroupContext,
  mean: boolean
): Promise<Series> {
  const having = members.filter(member => member.histograms !== undefined)
  if (having.length === 0) return result
  for (let step = 0; step < context.count; step++) {
    if (context.budget.isDue) await context.budget.pause()
    const found = having.filter(member => member.kinds[step] === 2).map(member => member.histograms![step]!)
    if (found.length === 0) continue
    if (result.kinds[step] === 1) {
      context.annotations.warn(context.expr.expr, 'encountered a mix of histograms and floats for aggregation')
      result.kinds[step] = 0
      continue
    }
    put(result, step, await addUp(found, context, mean))
  }
  return result
}

async function addUp(
  found: readonly Histogram[],
  context: GroupContext,
  mean: boolean
): Promise<Histogram | undefined> {
  const { annotations, expr, budget } = context
  const total = await runPaced(budget, totalSteps(found, mean))
  if (total === undefined) {
    annotations.warn(expr.expr, 'vector contains a mix of histograms with exponential and custom buckets schemas')
    return undefined
  }
  if (total.reconciled) annotations.info(expr.expr, 'mismatched custom buckets were reconciled during aggregation')
  if (total.collision) annotations.warn(expr.expr, 'conflicting counter resets during histogram aggregation')
  return compact(total.result)
}
