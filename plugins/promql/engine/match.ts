// Vector matching: which elements of two vectors belong together, and the labels of the results.
import { eachPaced, type Pace, runPaced, type Steps } from '../../../core/index.ts'
import { type Binary, comparisons, type Matching } from '../language/ast.ts'
import { entry } from './entry.ts'
import { executionError } from './error.ts'
import type { Evaluation } from './evaluation.ts'
import { grouping, type Labels, metricName } from './labels.ts'
import { type Combination, combine, dropsName, scalarOperation } from './operation.ts'
import { at, type Grid, isEmpty, newSeries, none, put, type Series } from './series.ts'

/** Series of both sides with the same matching labels; on side `one` only one may be present at a step. */
interface Pair {
  readonly many: Series[]
  readonly one: Series[]
}

export async function matchVectors(
  evaluation: Evaluation,
  expr: Binary,
  left: readonly Series[],
  right: readonly Series[],
  grid: Grid
): Promise<readonly Series[]> {
  const swapped = expr.matching.card === 'one-to-many'
  const [many, one] = swapped ? [right, left] : [left, right]
  const { fill } = expr.matching
  const matcher: Matcher = {
    expr,
    grid,
    swapped,
    operation: combine(evaluation, expr),
    labelsOf: resultLabels(expr),
    fillMany: swapped ? fill.right : fill.left,
    fillOne: swapped ? fill.left : fill.right,
    busy: await stepsWithAny(evaluation.budget, many, grid)
  }
  const results = new Map<string, Series>()
  const { budget } = evaluation
  for (const pair of await pairUp(budget, expr.matching, many, one)) {
    const outputs = isSimple(matcher, pair)
      ? [matchFloats(matcher, pair.many[0]!, pair.one[0]!)]
      : await runPaced(budget, matchPair(matcher, pair))
    await eachPaced(budget, outputs, output => addResult(results, output))
  }
  const found: Series[] = []
  await eachPaced(budget, results.values(), series => {
    if (!isEmpty(series)) found.push(series)
  })
  return found
}

/** Elements looked at between two pauses. */
const stepElements = 4_096

interface Matcher {
  readonly expr: Binary
  readonly grid: Grid
  /** Whether the left side is the `one` side. */
  readonly swapped: boolean
  readonly operation: Combination
  readonly labelsOf: (many: Series, one: Series | undefined) => Labels
  readonly fillMany: number | undefined
  readonly fillOne: number | undefined
  /** Steps at which the `many` side has any element; other steps need no matching. */
  readonly busy: Uint8Array
}

/** Whether there is one float series on either side. */
function isSimple({ fillMany, fillOne }: Matcher, { many, one }: Pair): boolean {
  if (many.length !== 1 || one.length !== 1 || fillMany !== undefined || fillOne !== undefined) return false
  return many[0]!.histograms === undefined && one[0]!.histograms === undefined
}

function matchFloats({ expr, grid, swapped, labelsOf }: Matcher, many: Series, one: Series): Series {
  const result = newSeries(labelsOf(many, one), grid.count)
  const operation = scalarOperation(expr.op)
  const isFilter = comparisons.has(expr.op) && !expr.bool
  const [left, right] = swapped ? [one, many] : [many, one]
  for (let step = 0; step < grid.count; step++) {
    if (left.kinds[step] === none || right.kinds[step] === none) continue
    const value = left.values[step]!
    const found = operation(value, right.values[step]!)
    if (isFilter && found === 0) continue
    result.kinds[step] = 1
    result.values[step] = isFilter ? value : found
  }
  return result
}

function* matchPair(matcher: Matcher, { many, one }: Pair): Steps<readonly Series[]> {
  const { expr, grid, swapped, operation, labelsOf, fillMany, fillOne, busy } = matcher
  let looked = 0
  const outputs = new Map<Labels, { series: Series; done: Uint8Array }>()
  const match = (step: number, manySide: Series | undefined, oneSide: Series | undefined) => {
    const m = manySide === undefined ? fillMany! : at(manySide, step)!
    const o = oneSide === undefined ? fillOne! : at(oneSide, step)!
    const labels = labelsOf((manySide ?? oneSide)!, oneSide)
    const output = entry(outputs, labels, () => ({
      series: newSeries(labels, grid.count),
      done: new Uint8Array(grid.count)
    }))
    // Checked even if the first match gave no result.
    if (output.done[step] === 1) throw tooMany(expr.matching)
    output.done[step] = 1
    put(output.series, step, swapped ? operation(o, m) : operation(m, o))
  }
  for (let step = 0; step < grid.count; step++) {
    if (busy[step] === 0 && fillMany === undefined) continue
    const oneSide = presentOne(one, step, expr)
    looked += one.length
    let any = false
    for (const manySide of many) {
      if (++looked >= stepElements) {
        looked = 0
        yield
      }
      if (manySide.kinds[step] === none) continue
      any = true
      if (oneSide !== undefined || fillOne !== undefined) match(step, manySide, oneSide)
    }
    if (!any && oneSide !== undefined && fillMany !== undefined) match(step, undefined, oneSide)
  }
  return [...outputs.values()].map(({ series }) => series)
}

async function stepsWithAny(pace: Pace, series: readonly Series[], { count }: Grid): Promise<Uint8Array> {
  const steps = new Uint8Array(count)
  await eachPaced(pace, series, ({ kinds }) => {
    for (let step = 0; step < count; step++) if (kinds[step] !== none) steps[step] = 1
  })
  return steps
}

async function pairUp(
  pace: Pace,
  matching: Matching,
  many: readonly Series[],
  one: readonly Series[]
): Promise<Iterable<Pair>> {
  const keyOf = grouping(new Set(matching.labels), !matching.on)
  const pairs = new Map<string, Pair>()
  const pairOf = ({ labels }: Series) => entry(pairs, keyOf(labels), () => ({ many: [], one: [] }))
  await eachPaced(pace, many, series => pairOf(series).many.push(series))
  await eachPaced(pace, one, series => pairOf(series).one.push(series))
  return pairs.values()
}

function presentOne(candidates: readonly Series[], step: number, { matching }: Binary): Series | undefined {
  let found: Series | undefined
  for (const each of candidates) {
    if (each.kinds[step] === none) continue
    if (found !== undefined) throw duplicate(matching, found, each)
    found = each
  }
  return found
}

function duplicate(matching: Matching, first: Series, second: Series) {
  const names = new Set(matching.labels)
  const group = matching.on ? first.labels.keep(names) : first.labels.without(new Set([...names, metricName]))
  const side = matching.card === 'one-to-many' ? 'left' : 'right'
  // Sorted, because the order of series must not affect the message.
  const both = [first, second].map(({ labels }) => String(labels)).sort()
  return executionError(
    `found duplicate series for the match group ${group} on the ${side} hand-side of the operation: [${both.join(', ')}];many-to-many matching not allowed: matching labels must be unique on one side`
  )
}

function tooMany({ card }: Matching) {
  const reason =
    card === 'one-to-one'
      ? 'many-to-one matching must be explicit (group_left/group_right)'
      : 'grouping labels must ensure unique matches'
  return executionError(`multiple matches for labels: ${reason}`)
}

/** Labels of a result, from its element of the `many` side and, with `group_left` or `group_right`, that of the other. */
function resultLabels(expr: Binary): (many: Series, one: Series | undefined) => Labels {
  const { on, labels, include, card } = expr.matching
  const names = new Set(labels)
  const known = new Map<string, Labels>()
  const make = (many: Series, one: Series | undefined): Labels => {
    const base = dropsName(expr) ? many.labels.unnamed() : many.labels
    if (card === 'one-to-one') return on ? base.keep(names) : base.without(names)
    if (include.length === 0) return base
    return base.with(new Map(include.map(name => [name, one?.labels.get(name) ?? ''])))
  }
  // By the labels that come out, so that equal ones are one object.
  const made = new Map<Series, Map<Series | undefined, Labels>>()
  return (many, one) => {
    const byOne = entry(made, many, () => new Map<Series | undefined, Labels>())
    return entry(byOne, include.length === 0 ? undefined : one, () => {
      const labels = make(many, one)
      return entry(known, labels.key, () => labels)
    })
  }
}

function addResult(results: Map<string, Series>, output: Series): void {
  const other = entry(results, output.labels.key, () => output)
  if (other === output) return
  for (let step = 0; step < output.kinds.length; step++) {
    if (output.kinds[step] === none) continue
    if (other.kinds[step] !== none) throw executionError('vector cannot contain metrics with the same labelset')
    put(other, step, at(output, step))
  }
}
