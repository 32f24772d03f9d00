// scalar, vector, and constant values.

import { eachPaced } from '../../../core/index.ts'
import type { Evaluation } from '../engine/evaluation.ts'
import { noLabels } from '../engine/labels.ts'
import type { Grid } from '../engine/series.ts'
import { newSeries, timeOf, type Value } from '../engine/series.ts'
import type { Call } from '../language/ast.ts'
import { argument, type Family, type Implementation } from './call.ts'

/** NaN unless there is exactly one float. */
async function scalar(evaluation: Evaluation, call: Call, grid: Grid): Promise<Value> {
  const series = await evaluation.vector(argument(call, 0), grid)
  const values = new Float64Array(grid.count).fill(Number.NaN)
  const counts = new Uint32Array(grid.count)
  await eachPaced(evaluation.budget, series, ({ kinds, values: own }) => {
    for (let step = 0; step < grid.count; step++) {
      if (kinds[step] === 1) values[step] = counts[step]!++ === 0 ? own[step]! : Number.NaN
    }
  })
  return { type: 'scalar', values }
}

async function vector(evaluation: Evaluation, call: Call, grid: Grid): Promise<Value> {
  const values = await evaluation.scalar(argument(call, 0), grid)
  const series = newSeries(noLabels, grid.count)
  series.kinds.fill(1)
  series.values.set(values)
  return { type: 'vector', series: [series] }
}

function ofTwo(choose: (a: number, b: number) => number): Implementation {
  return async (evaluation, call, grid) => {
    const [a, b] = [await evaluation.scalar(argument(call, 0), grid), await evaluation.scalar(argument(call, 1), grid)]
    return { type: 'scalar', values: a.map((value, step) => choose(value, b[step]!)) }
  }
}

function perStep(value: (evaluation: Evaluation, grid: Grid, step: number) => number): Implementation {
  return (evaluation, _, grid) => ({
    type: 'scalar',
    values: Float64Array.from({ length: grid.count }, (_, step) => value(evaluation, grid, step))
  })
}

export const conversions: Family = {
  scalar,
  vector,
  min_of: ofTwo(Math.min),
  max_of: ofTwo(Math.max),
  pi: perStep(() => Math.PI),
  time: perStep((_, grid, step) => timeOf(grid, step) / 1_000),
  start: perStep(({ query }) => query.start / 1_000),
  end: perStep(({ query }) => query.end / 1_000),
  step: perStep(({ query }) => query.step / 1_000),
  range: perStep(({ query }) => (query.end - query.start) / 1_000)
}
