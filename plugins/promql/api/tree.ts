// A query's syntax tree, as `parse_query` returns it.

import { formatFloat } from '../engine/number.ts'
import { type Expr, type Matching, type Shift, setOperators, type VectorSelector } from '../language/ast.ts'
import { functionSignatures } from '../language/signature.ts'

/** Durations in milliseconds. */
export function treeOf(expr: Expr): Readonly<Record<string, unknown>> {
  switch (expr.kind) {
    case 'number':
      return { type: 'numberLiteral', val: formatFloat(expr.value) }
    case 'string':
      return { type: 'stringLiteral', val: expr.value }
    case 'selector':
      return { type: 'vectorSelector', ...selectorTree(expr) }
    case 'matrix':
      return { type: 'matrixSelector', range: expr.range, ...selectorTree(expr.selector) }
    case 'subquery':
      return { type: 'subquery', expr: treeOf(expr.expr), range: expr.range, step: expr.step ?? 0, ...shiftTree(expr) }
    case 'paren':
      return { type: 'parenExpr', expr: treeOf(expr.expr) }
    case 'unary':
      return { type: 'unaryExpr', op: expr.op, expr: treeOf(expr.expr) }
    case 'call':
      return { type: 'call', func: functionTree(expr.name), args: expr.args.map(treeOf) }
    case 'aggregation': {
      const { op, grouping, without, param } = expr
      return {
        type: 'aggregation',
        op,
        expr: treeOf(expr.expr),
        param: param ? treeOf(param) : null,
        grouping,
        without
      }
    }
    case 'binary': {
      const { op, left, right, bool, matching } = expr
      const isVector = setOperators.has(op) || isVectorLike(left) || isVectorLike(right)
      return {
        type: 'binaryExpr',
        op,
        lhs: treeOf(left),
        rhs: treeOf(right),
        matching: isVector ? matchingTree(matching) : null,
        bool
      }
    }
  }
}

function selectorTree(selector: VectorSelector) {
  const { name = '', matchers, boundary } = selector
  const shown = matchers.map(({ name, op, value }) => ({ name, value, type: op }))
  const edges = { anchored: boundary === 'anchored', smoothed: boundary === 'smoothed' }
  return { name, matchers: shown, ...shiftTree(selector), ...edges }
}

function shiftTree({ offset, at }: Shift) {
  const timestamp = typeof at === 'number' ? at : null
  return { offset, timestamp, startOrEnd: typeof at === 'string' ? at : null }
}

function functionTree(name: string) {
  const { args, optional, returns } = functionSignatures.get(name)!
  return { name, argTypes: args.map(type => type), variadic: optional, returnType: returns }
}

function matchingTree({ card, on, labels, include, fill }: Matching) {
  return { card, labels, on, include, fillValues: { lhs: fill.left ?? null, rhs: fill.right ?? null } }
}

function isVectorLike(expr: Expr): boolean {
  if (expr.kind === 'paren' || expr.kind === 'unary') return isVectorLike(expr.expr)
  if (expr.kind === 'call') return functionSignatures.get(expr.name)?.returns === 'vector'
  if (expr.kind === 'binary') return isVectorLike(expr.left) || isVectorLike(expr.right)
  return expr.kind === 'selector' || expr.kind === 'aggregation'
}
