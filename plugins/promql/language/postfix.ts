// Suffixes of operands: range, subquery, `offset`, `@`, `anchored`, `smoothed`.
import type { At, Duration, Expr } from './ast.ts'

export type Postfix =
  | { readonly offset: Duration }
  | { readonly at: At }
  | { readonly boundary: 'anchored' | 'smoothed' }
  | { readonly range: Duration }
  | { readonly subquery: { readonly range: Duration; readonly step?: Duration } }

/** The operand with the suffix, or the reason why it cannot have it. */
export function withPostfix(expr: Expr, postfix: Postfix, end: number): Expr | string {
  if ('subquery' in postfix) return { kind: 'subquery', expr, ...postfix.subquery, offset: 0, start: expr.start, end }
  if ('range' in postfix) return toRange(expr, postfix.range, end)
  if ('boundary' in postfix) return withBoundary(expr, postfix.boundary, end)
  return shifted(expr, postfix, end)
}

function toRange(expr: Expr, range: Duration, end: number): Expr | string {
  if (expr.kind !== 'selector') return 'ranges only allowed for vector selectors'
  if (expr.offset !== 0) return 'no offset modifiers allowed before range'
  if (expr.at !== undefined) return 'no @ modifiers allowed before range'
  return { kind: 'matrix', selector: expr, range, start: expr.start, end }
}

function withBoundary(expr: Expr, boundary: 'anchored' | 'smoothed', end: number): Expr | string {
  if (expr.kind === 'selector') return { ...expr, boundary, end }
  if (expr.kind === 'matrix') return { ...expr, selector: { ...expr.selector, boundary }, end }
  return `${boundary} modifier must be preceded by an instant or range vector selector`
}

function shifted(expr: Expr, shift: { readonly offset: Duration } | { readonly at: At }, end: number): Expr | string {
  const target = expr.kind === 'matrix' ? expr.selector : expr
  if (target.kind !== 'selector' && target.kind !== 'subquery') {
    const what = 'at' in shift ? '@ modifier' : 'offset modifier'
    return `${what} must be preceded by an instant vector selector or range vector selector or a subquery`
  }
  if ('at' in shift && target.at !== undefined) return '@ <timestamp> may not be set multiple times'
  if ('offset' in shift && target.offset !== 0) return 'offset may not be set multiple times'
  if (expr.kind === 'matrix') return { ...expr, selector: { ...expr.selector, ...shift }, end }
  return { ...target, ...shift, end }
}
