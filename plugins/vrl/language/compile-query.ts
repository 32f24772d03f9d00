// Compiles reads: variables, and paths on the event, the metadata, variables and results.
import type { QueryExpr, Segment, VariableExpr } from './ast.ts'
import { closestNote } from './closest-note.ts'
import type { Compile } from './compile.ts'
import { type Context, share } from './context.ts'
import { CompileError } from './diagnostic.ts'
import { kindAt } from './kind-path.ts'
import { constantly, inherit, type Node } from './node.ts'
import { getPath, getSegment } from './path.ts'
import type { Scope } from './scope.ts'
import type { Variable } from './state.ts'
import type { Value } from './value.ts'

export function compileVariable(scope: Scope, expr: VariableExpr): Node {
  const { slot, kind, constant } = findVariable(scope, expr)
  const { context } = scope
  const { variables } = context
  const run = () => share(context, variables[slot] ?? null)
  return { span: expr.span, kind, fallible: false, ...constantly(constant), run }
}

/** E701 if it is not in scope. */
function findVariable(scope: Scope, { name, span }: VariableExpr): Variable {
  const variable = scope.state.variables.get(name)
  scope.used.add(name)
  if (variable !== undefined) return variable
  const hint = closestNote(name, scope.state.variables.keys())
  throw new CompileError(701, 'call to undefined variable', span, 'undefined variable', hint)
}

export function compileQuery(scope: Scope, expr: QueryExpr, compile: Compile): Node {
  const { span, root, path } = expr
  if (root === 'event' || root === 'metadata') {
    const kind = kindAt(scope.state[root], path)
    return { span, kind, fallible: false, run: readExternal(scope.context, root, path) }
  }
  return queryNode(scope, expr, compile(scope, root))
}

/** A path on the value of a node. */
function queryNode(scope: Scope, { span, path }: QueryExpr, base: Node): Node {
  const { context } = scope
  const read = base.run
  const run = () => share(context, getPath(read(), path) ?? null)
  const constant = base.constant === undefined ? undefined : (getPath(base.constant, path) ?? null)
  return { span, kind: kindAt(base.kind, path), ...inherit(base), ...constantly(constant), run, base }
}

function readExternal(context: Context, root: 'event' | 'metadata', path: readonly Segment[]): () => Value {
  const [first, second] = path
  if (root === 'metadata' || path.length > 2) return () => share(context, getPath(context[root], path) ?? null)
  if (first === undefined) return () => share(context, context.event)
  if (second === undefined) return () => share(context, getSegment(context.event, first) ?? null)
  return () => {
    const parent = getSegment(context.event, first)
    return parent === undefined ? null : share(context, getSegment(parent, second) ?? null)
  }
}
