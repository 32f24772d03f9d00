// Functions of one number, applied to every float of a vector; histograms are left out.
import { mapPaced } from '../../../core/index.ts'
import type { Evaluation } from '../engine/evaluation.ts'
import { mapSeries } from '../engine/map.ts'
import type { Grid, Series, Value } from '../engine/series.ts'
import type { Call } from '../language/ast.ts'
import { argument, type Family, type Implementation } from './call.ts'

const ofOneNumber: Readonly<Record<string, (value: number) => number>> = {
  abs: Math.abs,
  acos: Math.acos,
  acosh: Math.acosh,
  asin: Math.asin,
  asinh: Math.asinh,
  atan: Math.atan,
  atanh: Math.atanh,
  ceil: Math.ceil,
  cos: Math.cos,
  cosh: Math.cosh,
  deg: value => (value * 180) / Math.PI,
  exp: Math.exp,
  floor: Math.floor,
  ln: Math.log,
  log10: Math.log10,
  log2: Math.log2,
  rad: value => (value * Math.PI) / 180,
  sgn: Math.sign,
  sin: Math.sin,
  sinh: Math.sinh,
  sqrt: Math.sqrt,
  tan: Math.tan,
  tanh: Math.tanh
}

function each(change: (value: number) => number): Implementation {
  return async (evaluation, call, grid) => vector(evaluation, await evaluation.vector(argument(call, 0), grid), change)
}

async function vector(
  { budget }: Evaluation,
  series: readonly Series[],
  change: (value: number, step: number) => number
): Promise<Value> {
  return { type: 'vector', series: await mapSeries(budget, series, change) }
}

async function round(evaluation: Evaluation, call: Call, grid: Grid): Promise<Value> {
  const series = await evaluation.vector(argument(call, 0), grid)
  const to = call.args[1] === undefined ? undefined : await evaluation.scalar(call.args[1], grid)
  // Divides by the inverse, because 1 / 0.1 is exact and 0.1 is not.
  return vector(evaluation, series, (value, step) => {
    const inverse = 1 / (to?.[step] ?? 1)
    return Math.floor(value * inverse + 0.5) / inverse
  })
}

async function clamp(evaluation: Evaluation, call: Call, grid: Grid): Promise<Value> {
  const series = await evaluation.vector(argument(call, 0), grid)
  const [low, high] = [
    await evaluation.scalar(argument(call, 1), grid),
    await evaluation.scalar(argument(call, 2), grid)
  ]
  const possible = await mapPaced(evaluation.budget, series, one => ({
    ...one,
    kinds: one.kinds.map((kind, step) => (low[step]! > high[step]! ? 0 : kind))
  }))
  return vector(evaluation, possible, (value, step) => Math.max(low[step]!, Math.min(high[step]!, value)))
}

function bound(choose: (value: number, limit: number) => number): Implementation {
  return async (evaluation, call, grid) => {
    const series = await evaluation.vector(argument(call, 0), grid)
    const limit = await evaluation.scalar(argument(call, 1), grid)
    return vector(evaluation, series, (value, step) => choose(value, limit[step]!))
  }
}

export const mathematics: Family = {
  ...Object.fromEntries(Object.entries(ofOneNumber).map(([name, change]) => [name, each(change)])),
  round,
  clamp,
  clamp_max: bound(Math.min),
  clamp_min: bound(Math.max)
}
