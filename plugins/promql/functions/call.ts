// The interface of functions.
import type { Evaluation } from '../engine/evaluation.ts'
import type { Grid, Value } from '../engine/series.ts'
import type { Call, Expr } from '../language/ast.ts'

export type Implementation = (evaluation: Evaluation, call: Call, grid: Grid) => Promise<Value> | Value

export type Family = Readonly<Record<string, Implementation>>

/** An argument by its index, counted from 0. */
export function argument(call: Call, i: number): Expr {
  return call.args[i]!
}
