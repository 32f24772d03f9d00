// Evaluation times of expressions, and the times their selectors read.
import type { Expr, Subquery, VectorSelector } from '../language/ast.ts'
import { isInvariant } from './prepare.ts'
import { type Grid, timeOf } from './series.ts'

/** The steps of an expression: only one if its value is constant. */
export function gridOf(expr: Expr, grid: Grid): Grid {
  return grid.count > 1 && isInvariant(expr) ? { ...grid, count: 1 } : grid
}

/** The time a selector reads for a step. */
export function lookTime(grid: Grid, step: number, { at, offset }: Pick<VectorSelector, 'at' | 'offset'>): number {
  return ((at as number | undefined) ?? timeOf(grid, step)) - (offset as number)
}

/** The times a selector reads, step by step. */
export function lookTimes(grid: Grid, shift: Pick<VectorSelector, 'at' | 'offset'>): Float64Array {
  const times = new Float64Array(grid.count)
  for (let step = 0; step < grid.count; step++) times[step] = lookTime(grid, step, shift)
  return times
}

/** Steps of a subquery that are computed at once; the work on one series between two pauses grows with them. */
export const subquerySlice = 16_384

/** A subquery's own steps, at multiples of its step; empty if there are none in range. */
export function subqueryGrid(expr: Subquery, grid: Grid, defaultStep: number): Grid {
  const step = (expr.step as number | undefined) ?? defaultStep
  const [range, offset] = [expr.range as number, expr.offset as number]
  const [first, last] =
    expr.at === undefined ? [grid.start, timeOf(grid, grid.count - 1)] : [expr.at as number, expr.at as number]
  const start = (Math.floor((first - offset - range) / step) + 1) * step
  return { start, step, count: Math.max(0, Math.floor((last - offset - start) / step) + 1) }
}
