// Parses expressions: columns, constants, calls.
import { countOf, listOf, membersOf, type Node, required, textOf, typedOf, variantOf, wrong } from './node.ts'
import { binaryOps, type Call, type Expression } from './tree.ts'

/** Counts filters, expressions and values of a document against its limit. */
export interface Budget {
  take(node: Node): void
}

const valueKinds = ['NamedIdent', 'PositionalIdent', 'Literal', 'ScalarFunc', 'BinaryOp', 'Alias'] as const
export const stepKinds = [...valueKinds, 'AggrFunc', 'Filter', 'Decompose'] as const

export function readExpression(budget: Budget, node: Node): Expression {
  budget.take(node)
  const [kind, inner] = variantOf(node, stepKinds)
  const { path } = inner
  switch (kind) {
    case 'NamedIdent':
      return { kind: 'column', path, name: textOf(inner) }
    case 'PositionalIdent':
      return { kind: 'position', path, index: countOf(inner, 100_000) }
    case 'Literal':
      return { kind: 'literal', path, value: typedOf(inner) }
    case 'ScalarFunc':
      return readCall(budget, inner)
    case 'BinaryOp':
      return readBinary(budget, inner)
    case 'Alias': {
      const { expr, alias } = membersOf(inner, ['expr', 'alias'])
      const expression = readExpression(budget, required(inner, 'expr', expr))
      return { kind: 'alias', path, expression, alias: textOf(required(inner, 'alias', alias)) }
    }
    case 'Decompose':
      throw wrong(path, 'Decompose is not supported: take parts of a JSON text with json_get_string and its like')
  }
  throw wrong(path, `${kind} stands only in exprs itself, not inside of another expression`)
}

export function readCall(budget: Budget, node: Node): Call {
  budget.take(node)
  const { name, args, alias } = membersOf(node, ['name', 'args', 'alias'])
  const read = args === undefined ? [] : listOf(args).map(each => readExpression(budget, each))
  const written = { kind: 'call', path: node.path, name: textOf(required(node, 'name', name)), args: read } as const
  return alias === undefined ? written : { ...written, alias: textOf(alias) }
}

function readBinary(budget: Budget, node: Node): Expression {
  const { left, op, right } = membersOf(node, ['left', 'op', 'right'])
  const [kind] = variantOf(required(node, 'op', op), binaryOps)
  return {
    kind: 'binary',
    path: node.path,
    op: kind,
    left: readExpression(budget, required(node, 'left', left)),
    right: readExpression(budget, required(node, 'right', right))
  }
}
