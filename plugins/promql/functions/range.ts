// Functions of range vectors: a window slides over each series.
import type { Steps } from '../../../core/index.ts'
import type { Evaluation } from '../engine/evaluation.ts'
import { lookTimes } from '../engine/grid.ts'
import { type Labels, metricName } from '../engine/labels.ts'
import { type Budget, bytesPerSample } from '../engine/limits.ts'
import { mergeEqual } from '../engine/map.ts'
import { type Grid, isEmpty, put, relabel, type Series, seriesMaker, timeOf, type Value } from '../engine/series.ts'
import { moveWindow, type Samples, type Window, windowAt } from '../engine/window.ts'
import { type Call, type Expr, type MatrixSelector, type Subquery, unwrap } from '../language/ast.ts'
import type { Implementation } from './call.ts'
import { isLong, type Ranged } from './range-function.ts'

export function overRange({ make, keepName = false, tell }: Ranged): Implementation {
  return async (evaluation, call, grid) => {
    const index = call.args.findIndex(each => isRange(unwrap(each)))
    const where = unwrap(call.args[index]!) as MatrixSelector | Subquery
    const all = await evaluation.range(where, grid)
    const scalars = await scalarArguments(evaluation, call, grid)
    const range = where.range as number
    const { annotations, budget } = evaluation
    const results: Series[] = []
    const empty = seriesMaker(grid.count)
    const windows = windowsOf(where, grid)
    const before = budget.samples
    const metrics = new Set<string>()
    const add = (series: Series, metric: string) => {
      if (isEmpty(series)) return
      metrics.add(metric)
      results.push(series)
      budget.take(grid.count)
      if (series.kinds.includes(1)) tell?.({ annotations, where: call.args[index]!, metric })
    }
    const nameOf = (labels: Labels) => (keepName ? labels : labels.unnamed())
    for (const series of where.kind === 'matrix' ? evaluation.reduced(where.selector, grid) : []) {
      add(relabel(series, nameOf(series.labels)), series.labels.get(metricName))
      if (budget.isDue) await budget.pause()
    }
    for (const samples of all) {
      const metric = samples.labels.get(metricName)
      const work = make({ samples, metric, where: call.args[index]!, annotations, range, scalars, call })
      const series = empty(nameOf(samples.labels))
      await slide(evaluation, windows, samples, (step, window) => {
        if (work.inSteps !== undefined && isLong(window)) {
          return runWindow(budget, work.inSteps(window)).then(value => put(series, step, value))
        }
        const value = work.compute(window)
        if (typeof value === 'number') {
          series.kinds[step] = 1
          series.values[step] = value
        } else put(series, step, value)
        return undefined
      })
      add(series, metric)
      if (budget.isDue) await budget.pause()
    }
    // The result is accounted for as a value.
    budget.releaseTo(before)
    // Series of one metric stay distinct without its name.
    const series = keepName || metrics.size < 2 ? results : await mergeEqual(budget, results)
    return { type: 'vector', series } satisfies Value
  }
}

/** Runs the steps of one window, pausing when needed. The memory they hold counts as samples until they end. */
async function runWindow<T>(budget: Budget, steps: Steps<T>): Promise<T> {
  const before = budget.samples
  for (;;) {
    const step = steps.next()
    if (step.done) {
      budget.releaseTo(before)
      return step.value
    }
    if (step.value !== undefined) {
      budget.releaseTo(before)
      budget.take(Math.ceil(step.value / bytesPerSample))
    }
    if (budget.isDue) await budget.pause()
  }
}

/** The windows of a range vector. */
interface Windows {
  readonly grid: Grid
  /** By step, milliseconds; a window begins `range` before its end. */
  readonly ends: Float64Array
  readonly range: number
  /** Samples of a subquery were counted where they were computed. */
  readonly counted: boolean
}

export function windowsOf(where: MatrixSelector | Subquery, grid: Grid): Windows {
  const isMatrix = where.kind === 'matrix'
  const ends = lookTimes(grid, isMatrix ? where.selector : where)
  return { grid, ends, range: where.range as number, counted: isMatrix }
}

/** Samples visited between two checks of the pace. */
const pauseSamples = 4_096

/** Calls `visit` with the window of each step that contains a sample, and waits for the promise it may return. */
export async function slide(
  { seen, budget }: Pick<Evaluation, 'seen' | 'budget'>,
  { grid, ends, range, counted }: Windows,
  samples: Samples,
  visit: (step: number, window: Window) => Promise<void> | undefined
): Promise<void> {
  const window = windowAt(samples, ends[0]! - range)
  let looked = 0
  for (let step = 0; step < ends.length; step++) {
    const end = ends[step]!
    moveWindow(window, samples, end - range, end)
    const size = window.f1 - window.f0 + window.h1 - window.h0
    if (size === 0) continue
    window.time = timeOf(grid, step)
    window.step = step
    if (counted) seen?.add(grid, step, size)
    const visiting = visit(step, window)
    if (visiting !== undefined) await visiting
    looked += 1 + size
    if (looked < pauseSamples) continue
    looked = 0
    if (budget.isDue) await budget.pause()
  }
}

function isRange({ kind }: Expr): boolean {
  return kind === 'matrix' || kind === 'subquery'
}

async function scalarArguments(evaluation: Evaluation, call: Call, grid: Grid) {
  const scalars: (Float64Array | undefined)[] = []
  for (const each of call.args) scalars.push(isRange(unwrap(each)) ? undefined : await evaluation.scalar(each, grid))
  return scalars
}
