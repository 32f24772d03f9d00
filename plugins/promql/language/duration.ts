// Durations that are computed: `[2 * step()]`, `offset min_of(5m, range())`. Experimental beyond a plain literal.
import type { SyntaxNode } from '@lezer/common'
import type { Duration, DurationExpr } from './ast.ts'

const operators: Readonly<Record<string, '+' | '-' | '*' | '/' | '%' | '^'>> = {
  Add: '+',
  Sub: '-',
  Mul: '*',
  Div: '/',
  Mod: '%',
  Pow: '^'
}

/** Reads a node of the grammar. */
export function readDuration(
  node: SyntaxNode,
  number: (node: SyntaxNode) => number,
  slice: (node: SyntaxNode) => string
): DurationExpr {
  const first = node.firstChild
  if (first === null) return { kind: 'seconds', value: number(node) }
  const read = (child: SyntaxNode) => readDuration(child, number, slice)
  if (first.name === 'DurationStep') return { kind: 'step' }
  if (first.name === 'DurationRange') return { kind: 'range' }
  if (first.name === 'DurationMinOf' || first.name === 'DurationMaxOf') {
    const kind = first.name === 'DurationMinOf' ? 'min_of' : 'max_of'
    const [left, right] = node.getChildren('DurationExpr')
    return { kind, left: read(left!), right: read(right!) }
  }
  if (first.name === 'UnaryOp') {
    const operand = read(node.lastChild!)
    return slice(first) === '-' ? { kind: 'negative', operand } : operand
  }
  const operator = first.nextSibling === null ? undefined : operators[first.nextSibling.name]
  return operator === undefined ? read(first) : { kind: operator, left: read(first), right: read(node.lastChild!) }
}

/** Seconds, where neither step nor range of the query are needed. */
export function constantDuration(expr: DurationExpr): number | undefined {
  return evaluate(expr, undefined)
}

/** Milliseconds in a query with this step and range (milliseconds). */
export function resolveDuration(duration: Duration, query: { readonly step: number; readonly range: number }): number {
  if (typeof duration === 'number') return duration
  return Math.round(evaluate(duration, query)! * 1_000)
}

function evaluate(
  expr: DurationExpr,
  query: { readonly step: number; readonly range: number } | undefined
): number | undefined {
  if (expr.kind === 'seconds') return expr.value
  if (!('left' in expr) && expr.kind !== 'negative') return query && query[expr.kind] / 1_000
  if (expr.kind === 'negative') {
    const value = evaluate(expr.operand, query)
    return value === undefined ? undefined : -value
  }
  const [left, right] = [evaluate(expr.left, query), evaluate(expr.right, query)]
  return left === undefined || right === undefined ? undefined : arithmetic[expr.kind](left, right)
}

const arithmetic = {
  '+': (a: number, b: number) => a + b,
  '-': (a: number, b: number) => a - b,
  '*': (a: number, b: number) => a * b,
  '/': (a: number, b: number) => a / b,
  '%': (a: number, b: number) => a % b,
  '^': (a: number, b: number) => a ** b,
  min_of: Math.min,
  max_of: Math.max
}

/** Whether it is anything but a literal. */
export function isComputed(duration: Duration | undefined): boolean {
  return typeof duration === 'object'
}
