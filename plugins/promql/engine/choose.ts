// Aggregations that keep some of the series as they are: topk, bottomk, limitk, limit_ratio.
import type { Pace } from '../../../core/index.ts'
import type { Aggregation } from '../language/ast.ts'
import type { Group } from './aggregate.ts'
import { chooseBest } from './best.ts'
import { entry } from './entry.ts'
import { executionError } from './error.ts'
import type { Evaluation } from './evaluation.ts'
import type { Labels } from './labels.ts'
import { formatFloat } from './number.ts'
import { tellIgnored } from './reduce.ts'
import { at, type Grid, isEmpty, newSeries, none, put, type Series, type Value } from './series.ts'

/** Indexes of a group's members to keep at a step, the best first if they are ranked. */
type Choice = (step: number) => Promise<ArrayLike<number>> | ArrayLike<number>

/** Called once per group; parameters are per step. */
type MakeChoice = (pace: Pace, members: readonly Series[], parameters: Float64Array) => Choice | Promise<Choice>

const choices: Readonly<Record<string, MakeChoice>> = {
  topk: (pace, members, most) => chooseBest(pace, members, most, 1),
  bottomk: (pace, members, most) => chooseBest(pace, members, most, -1),
  limitk: (_, members, most) => step => present(members, step).slice(0, Math.max(0, Math.trunc(most[step]!))),
  limit_ratio: (_, members, ratios) => step =>
    present(members, step).filter(i => inRatio(members[i]!.labels, ratios[step]!))
}

export async function choose(
  evaluation: Evaluation,
  expr: Aggregation,
  groups: readonly Group[],
  parameter: Float64Array,
  grid: Grid
): Promise<Value> {
  checkParameter(evaluation, expr, parameter)
  const makeChoice = choices[expr.op]!
  const ordered = grid.count === 1 && (expr.op === 'topk' || expr.op === 'bottomk')
  const results: Series[] = []
  for (const group of groups) {
    const { members } = group
    const kept = new Map<number, Series>()
    const choice = await makeChoice(evaluation.budget, members, parameter)
    for (let step = 0; step < grid.count; step++) {
      const choosing = choice(step)
      const chosen = choosing instanceof Promise ? await choosing : choosing
      for (let n = 0; n < chosen.length; n++) {
        const i = chosen[n]!
        const series = entry(kept, i, () => newSeries(members[i]!.labels, grid.count))
        put(series, step, at(members[i]!, step))
      }
      if (evaluation.budget.isDue) await evaluation.budget.pause()
    }
    for (const series of kept.values()) if (!isEmpty(series)) results.push(series)
    if (ordered || expr.op.endsWith('k')) tellIgnoredUnlessKept(evaluation, expr, group)
  }
  return { type: 'vector', series: results, ordered }
}

function tellIgnoredUnlessKept(evaluation: Evaluation, expr: Aggregation, group: Group): void {
  if (expr.op !== 'limitk') tellIgnored(group, { annotations: evaluation.annotations, expr })
}

function checkParameter(evaluation: Evaluation, expr: Aggregation, parameter: Float64Array): void {
  const isRatio = expr.op === 'limit_ratio'
  for (const value of parameter) {
    if (Number.isNaN(value)) throw executionError(`${isRatio ? 'Ratio' : 'Parameter'} value is NaN`)
    if (!isRatio && Math.abs(value) >= 2 ** 63)
      throw executionError(`Scalar value ${formatFloat(value)} overflows int64`)
    if (!isRatio || Math.abs(value) <= 1) continue
    const capped = value > 0 ? 1 : -1
    const message = `ratio value should be between -1 and 1, got ${formatFloat(value)}, capping to ${capped}`
    evaluation.annotations.warn(expr.param!, message)
  }
}

function present(members: readonly Series[], step: number): number[] {
  const found: number[] = []
  for (let i = 0; i < members.length; i++) if (members[i]!.kinds[step] !== none) found.push(i)
  return found
}

/** Whether a series is in a pseudo-random share, the same at every step and in every query; a negative ratio selects the complement. */
function inRatio(labels: Labels, ratio: number): boolean {
  const fraction = hash(labels.key) / 2 ** 32
  return ratio >= 0 ? fraction < ratio : fraction >= 1 + ratio
}

/** FNV-1a over UTF-16 units, then mixed so that the high bits are uniform. */
function hash(text: string): number {
  let sum = 0x811c9dc5
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193)
  sum = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b)
  sum = Math.imul(sum ^ (sum >>> 13), 0xc2b2ae35)
  return (sum ^ (sum >>> 16)) >>> 0
}
