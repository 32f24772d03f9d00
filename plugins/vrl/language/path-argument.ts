// A path given to a function that works on the path itself: del, exists, unnest.
import type { Bound } from './argument.ts'
import type { CallExpr, Segment } from './ast.ts'
import { checkReadOnly } from './compile-assignment.ts'
import { share } from './context.ts'
import { CompileError } from './diagnostic.ts'
import type { PathArgument } from './function.ts'
import type { Kind } from './kind.ts'
import { kindAt, kindWithout } from './kind-path.ts'
import { getPath, removePath } from './path.ts'
import type { Scope } from './scope.ts'
import type { Value } from './value.ts'

/** E400, inside E610, when the argument is not a path. */
export function pathArgument(scope: Scope, expr: CallExpr, name: string, { argument, node }: Bound): PathArgument {
  const value = argument!.value
  if (value.type === 'variable') return onVariable(scope, value.name, [])
  if (value.type !== 'query')
    throw new CompileError(400, 'unexpected expression', expr.span, `unexpected expression for argument "${name}"`, [
      'error: expected a path',
      `received: ${scope.source.slice(value.span.start, value.span.end)}`
    ])
  const { root, path } = value
  if (root === 'event' || root === 'metadata') return onExternal(scope, root, path, expr)
  if (root.type === 'variable') return onVariable(scope, root.name, path)
  const base = node!.base!
  const get = () => getPath(base.run(), path)
  return {
    root: 'expression',
    path,
    kind: node!.kind,
    rootKind: base.kind,
    get,
    getRoot: base.run,
    remove: get,
    forget: () => undefined
  }
}

function onVariable(scope: Scope, name: string, path: readonly Segment[]): PathArgument {
  const { variables } = scope.context
  const { slot, kind } = scope.state.variables.get(name)!
  const cell: Cell = {
    read: () => variables[slot] ?? null,
    write: value => {
      variables[slot] = value
    },
    kind,
    setKind: changed => scope.state.variables.set(name, { slot, kind: changed })
  }
  return onCell(scope, 'variable', path, cell)
}

function onExternal(scope: Scope, root: 'event' | 'metadata', path: readonly Segment[], expr: CallExpr): PathArgument {
  const { context, state } = scope
  const cell: Cell = {
    read: () => context[root],
    write: value => {
      context[root] = value
    },
    kind: state[root],
    setKind: changed => {
      checkReadOnly(scope, root, path, expr.span)
      state[root] = changed
    }
  }
  return onCell(scope, root, path, cell)
}

/** Where the root of a path is kept. */
interface Cell {
  readonly read: () => Value
  readonly write: (value: Value) => void
  readonly kind: Kind
  readonly setKind: (kind: Kind) => void
}

function onCell({ context }: Scope, root: PathArgument['root'], path: readonly Segment[], cell: Cell): PathArgument {
  const get = () => {
    const found = getPath(cell.read(), path)
    return found === undefined ? undefined : share(context, found)
  }
  return {
    root,
    path,
    kind: kindAt(cell.kind, path),
    rootKind: cell.kind,
    get,
    getRoot: () => share(context, cell.read()),
    remove: compact => {
      const found = get()
      if (found !== undefined) cell.write(removePath(cell.read(), path, compact, context.owned))
      return found
    },
    forget: compact => cell.setKind(kindWithout(cell.kind, path, compact))
  }
}
