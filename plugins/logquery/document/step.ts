// Parses the entries of `exprs`, the steps applied to rows.
import { type Budget, readCall, readExpression, stepKinds } from './expression.ts'
import { readContent, readFilter } from './filter.ts'
import { listOf, membersOf, type Node, required, variantOf, wrong } from './node.ts'
import type { Filter, Step } from './tree.ts'

/** One entry of `exprs`. */
export function readStep(budget: Budget, node: Node): Step {
  const [kind, inner] = variantOf(node, stepKinds)
  const { path } = inner
  if (kind === 'AggrFunc') {
    budget.take(node)
    const { expr, by } = membersOf(inner, ['expr', 'by'])
    const calls = listOf(required(inner, 'expr', expr)).map(each => readCall(budget, each))
    const groups = by === undefined ? [] : listOf(by).map(each => readExpression(budget, each))
    if (calls.length + groups.length === 0) throw wrong(path, 'expected at least one function in expr')
    return { kind: 'aggregate', path, calls, by: groups }
  }
  if (kind === 'Filter') return { kind: 'filter', path, filter: readFilterStep(budget, inner) }
  return readExpression(budget, node)
}

/** `{"filter": …}`, or a condition on one expression: `{"expr": …, "filter": …}`. */
function readFilterStep(budget: Budget, node: Node): Filter {
  const { expr, filter } = membersOf(node, ['expr', 'filter'])
  const test = required(node, 'filter', filter)
  if (expr === undefined) return readFilter(budget, test)
  const contents = [readContent(budget, test)]
  return { kind: 'single', path: node.path, expression: readExpression(budget, expr), contents }
}
