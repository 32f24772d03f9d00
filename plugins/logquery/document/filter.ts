// Parses filters: trees of conditions on values.
import { type Budget, readExpression } from './expression.ts'
import {
  expected,
  flagOf,
  listOf,
  membersOf,
  type Node,
  required,
  type Scalar,
  scalarOf,
  textOf,
  typedOf,
  variantOf,
  wrong
} from './node.ts'
import type { ContentFilter, Filter } from './tree.ts'

/** Parses a tree; a list means that all of it must be true. */
export function readFilter(budget: Budget, node: Node): Filter {
  budget.take(node)
  if (Array.isArray(node.value)) {
    return { kind: 'and', path: node.path, of: listOf(node).map(each => readFilter(budget, each)) }
  }
  const [kind, inner] = variantOf(node, ['Single', 'And', 'Or', 'Not'])
  const { path } = inner
  if (kind === 'Not') return { kind: 'not', path, of: readFilter(budget, inner) }
  if (kind !== 'Single') {
    const of = listOf(inner).map(each => readFilter(budget, each))
    return { kind: kind === 'And' ? 'and' : 'or', path, of }
  }
  const { expr, filters } = membersOf(inner, ['expr', 'filters'])
  const expression = readExpression(budget, required(inner, 'expr', expr))
  const contents = filters === undefined ? [] : listOf(filters).map(each => readContent(budget, each))
  return { kind: 'single', path, expression, contents }
}

const contentKinds = [
  'Exact',
  'Prefix',
  'Postfix',
  'Contains',
  'Regex',
  'Matches',
  'MatchesTerm',
  'Exist',
  'Between',
  'GreatThan',
  'LessThan',
  'In',
  'IsTrue',
  'IsFalse',
  'Equal',
  'Compound'
] as const

const textTests = {
  Prefix: 'prefix',
  Postfix: 'postfix',
  Contains: 'contains',
  Regex: 'regex',
  Matches: 'matches',
  MatchesTerm: 'matches_term'
} as const

export function readContent(budget: Budget, node: Node): ContentFilter {
  budget.take(node)
  const [kind, inner] = variantOf(node, contentKinds)
  const { path } = inner
  switch (kind) {
    case 'Exact':
      return { kind: 'compare', path, op: '=', value: textOf(inner) }
    case 'Exist':
    case 'IsTrue':
    case 'IsFalse':
      if (inner.value !== null) throw expected(inner, `just the text "${kind}"`)
      return { kind: kind === 'Exist' ? 'exist' : kind === 'IsTrue' ? 'true' : 'false', path }
    case 'Between':
      return readBetween(inner)
    case 'GreatThan':
    case 'LessThan':
      return readBound(inner, kind === 'GreatThan' ? '>' : '<')
    case 'In':
      return { kind: 'in', path, values: readValues(budget, inner) }
    case 'Equal':
      return { kind: 'compare', path, op: '=', value: typedOf(inner) }
    case 'Compound':
      return readCompound(budget, inner)
  }
  return { kind: textTests[kind], path, text: textOf(inner) }
}

function readValues(budget: Budget, node: Node): Scalar[] {
  return listOf(node).map(each => {
    budget.take(each)
    return scalarOf(each)
  })
}

function readBetween(node: Node): ContentFilter {
  const keys = ['start', 'end', 'start_inclusive', 'end_inclusive'] as const
  const { start, end, start_inclusive, end_inclusive } = membersOf(node, keys)
  const from = required(node, 'start', start)
  const to = required(node, 'end', end)
  const of: ContentFilter[] = [
    { kind: 'compare', path: from.path, op: flagOf(start_inclusive) ? '>=' : '>', value: scalarOf(from) },
    { kind: 'compare', path: to.path, op: flagOf(end_inclusive) ? '<=' : '<', value: scalarOf(to) }
  ]
  return { kind: 'between', path: node.path, of }
}

function readBound(node: Node, op: '>' | '<'): ContentFilter {
  const { value, inclusive } = membersOf(node, ['value', 'inclusive'])
  const bound = required(node, 'value', value)
  return { kind: 'compare', path: bound.path, op: flagOf(inclusive) ? `${op}=` : op, value: scalarOf(bound) }
}

/** `[[filters], "And" | "Or"]` */
function readCompound(budget: Budget, node: Node): ContentFilter {
  const [filters, op, more] = listOf(node)
  if (filters === undefined || op === undefined || more !== undefined) {
    throw wrong(node.path, 'expected a list of filters and "And" or "Or": [[…], "And"]')
  }
  const [kind] = variantOf(op, ['And', 'Or'])
  const of = listOf(filters).map(each => readContent(budget, each))
  return { kind: 'compound', path: node.path, op: kind === 'And' ? 'and' : 'or', of }
}
