// Where the grammar puts a modifier around a whole operation, it is moved to the last operand, and operators find their places anew.
import type { At, Binary, Duration, Expr, Matching } from './ast.ts'
import type { QueryError } from './error.ts'

/** What can follow an operand. */
export type Modifier =
  | { readonly offset: Duration }
  | { readonly at: At }
  | { readonly boundary: 'anchored' | 'smoothed' }
  | { readonly range: Duration }
  | { readonly subquery: { readonly range: Duration; readonly step?: Duration } }

/** The expression with the modifier on its last operand; `end` is where the modifier ends in the text. */
export function shiftInto(expr: Expr, end: number, modifier: Modifier, error: (message: string) => QueryError): Expr {
  if (expr.kind === 'binary') return { ...expr, right: shiftInto(expr.right, end, modifier, error), end }
  if (expr.kind === 'unary') return { ...expr, expr: shiftInto(expr.expr, end, modifier, error), end }
  if ('subquery' in modifier) return { kind: 'subquery', expr, ...modifier.subquery, offset: 0, start: expr.start, end }
  if ('range' in modifier) return toRange(expr, modifier.range, end, error)
  if ('boundary' in modifier) return withBoundary(expr, modifier.boundary, end, error)
  return shifted(expr, end, modifier, error)
}

function toRange(expr: Expr, range: Duration, end: number, error: (message: string) => QueryError): Expr {
  if (expr.kind !== 'selector') throw error('ranges only allowed for vector selectors')
  if (expr.offset !== 0) throw error('no offset modifiers allowed before range')
  if (expr.at !== undefined) throw error('no @ modifiers allowed before range')
  return { kind: 'matrix', selector: expr, range, start: expr.start, end }
}

function withBoundary(
  expr: Expr,
  boundary: 'anchored' | 'smoothed',
  end: number,
  error: (message: string) => QueryError
): Expr {
  if (expr.kind === 'selector') return { ...expr, boundary, end }
  if (expr.kind === 'matrix') return { ...expr, selector: { ...expr.selector, boundary }, end }
  throw error(`${boundary} modifier must be preceded by an instant or range vector selector`)
}

function shifted(
  expr: Expr,
  end: number,
  modifier: { readonly offset: Duration } | { readonly at: At },
  error: (message: string) => QueryError
): Expr {
  const target = expr.kind === 'matrix' ? expr.selector : expr
  if (target.kind !== 'selector' && target.kind !== 'subquery') {
    const what = 'at' in modifier ? '@ modifier' : 'offset modifier'
    throw error(`${what} must be preceded by an instant vector selector or range vector selector or a subquery`)
  }
  if ('at' in modifier && target.at !== undefined) throw error('@ <timestamp> may not be set multiple times')
  if ('offset' in modifier && target.offset !== 0) throw error('offset may not be set multiple times')
  if (expr.kind === 'matrix') return { ...expr, selector: { ...expr.selector, ...modifier }, end }
  return { ...target, ...modifier, end }
}

const precedences: Readonly<Record<string, number>> = {
  or: 1,
  and: 2,
  unless: 2,
  '==': 3,
  '!=': 3,
  '<': 3,
  '<=': 3,
  '>': 3,
  '>=': 3,
  '</': 3,
  '>/': 3,
  '+': 4,
  '-': 4,
  '*': 5,
  '/': 5,
  '%': 5,
  atan2: 5,
  '^': 6
}

interface Operator {
  readonly op: string
  readonly bool: boolean
  readonly matching: Matching
}

/** `left op right`, where an operation on the left that binds less gives up its right operand. */
export function withOperator(left: Expr, operator: Operator, right: Expr): Expr {
  const own = precedences[operator.op]!
  if (left.kind === 'binary') {
    const other = precedences[left.op]!
    if (other < own || (other === own && operator.op === '^')) {
      return { ...left, right: withOperator(left.right, operator, right), end: right.end }
    }
  }
  if (left.kind === 'unary' && operator.op === '^') {
    return { ...left, expr: withOperator(left.expr, operator, right), end: right.end }
  }
  // A sign before a number is an operator, and binds less than a power.
  if (left.kind === 'number' && operator.op === '^' && isSigned(left.value)) {
    const positive = { ...left, value: -left.value, start: left.start + 1 }
    return { kind: 'unary', op: '-', expr: withOperator(positive, operator, right), start: left.start, end: right.end }
  }
  const binary: Binary = { kind: 'binary', ...operator, left, right, start: left.start, end: right.end }
  return binary
}

function isSigned(value: number): boolean {
  return value < 0 || Object.is(value, -0)
}
