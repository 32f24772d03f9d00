// Compiles assignments: the write, the kinds known afterwards, and errors as values.
import type { AssignExpr, Segment, Target, VariableExpr } from './ast.ts'
import type { Compile } from './compile.ts'
import type { Context } from './context.ts'
import { CompileError, type Span } from './diagnostic.ts'
import { Failure } from './failure.ts'
import { bit, bounded, type Kind, kindOf, kinds, kindText, stored, union } from './kind.ts'
import { kindAt, kindWith } from './kind-path.ts'
import { constantly, inherit, type Node } from './node.ts'
import { setPath } from './path.ts'
import type { Scope } from './scope.ts'
import { Regex, Timestamp, type Value } from './value.ts'

export function compileAssignment(scope: Scope, expr: AssignExpr, compile: Compile): Node {
  return expr.error === undefined
    ? compileSingle(scope, expr, compile)
    : compileHandled(scope, expr, expr.error, compile)
}

/** The right side; of `a |= b` it is `a | b`. Where the right side does not compile, the target gets the empty kind, so that no further errors follow. */
function compileValue(scope: Scope, expr: AssignExpr, compile: Compile): Node {
  const { target, value, span } = expr
  try {
    if (!expr.merge) return compile(scope, value)
    return compile(scope, { type: 'operator', operator: '|', left: target, right: value, span })
  } catch (error) {
    if (error instanceof CompileError) forgetTargets(scope, expr)
    throw error
  }
}

function forgetTargets(scope: Scope, { target, error }: AssignExpr): void {
  for (const each of [target, error]) {
    if (each?.type === 'variable' && !scope.state.variables.has(each.name)) declare(scope, each.name, kinds.never)
    if (each?.type === 'query' && typeof each.root === 'string' && each.path.length > 0)
      scope.state[each.root] = kindWith(scope.state[each.root], each.path, kinds.never)
  }
}

function compileSingle(scope: Scope, expr: AssignExpr, compile: Compile): Node {
  const { target, span } = expr
  const value = compileValue(scope, expr, compile)
  if (value.fallible) throw unhandledAssignment(scope, expr, value)
  if (target.type === 'noop')
    throw new CompileError(640, 'unnecessary no-op assignment', target.span, 'the value is not used anywhere', [
      'remove the assignment'
    ])
  const write = compileWrite(scope, target, value.kind, value.constant)
  const read = value.run
  const run = () => {
    const result = read()
    write(result)
    return result
  }
  return { span, kind: value.kind, fallible: false, ...constantly(value.constant), run }
}

function unhandledAssignment(scope: Scope, expr: AssignExpr, value: Node): CompileError {
  const { target } = expr
  if (target.type === 'variable') declare(scope, target.name, value.kind)
  const text = scope.source.slice(target.span.start, target.span.end)
  const why = inherit(value).cause!.diagnostic.label
  return new CompileError(103, 'unhandled fallible assignment', expr.value.span, 'this expression is fallible', [
    why,
    `handle the error: ${text}, err = …, ?? with a default, or ! behind the function's name`
  ])
}

function compileHandled(scope: Scope, expr: AssignExpr, error: Target, compile: Compile): Node {
  const { target, span } = expr
  const value = compileValue(scope, expr, compile)
  if (!value.fallible && value.kind.bits !== 0)
    throw new CompileError(104, 'unnecessary error assignment', error.span, 'this error assignment is unnecessary', [
      "the expression on the right can't fail"
    ])
  if (target.type === 'noop' && error.type === 'noop')
    throw new CompileError(640, 'unnecessary no-op assignment', target.span, 'nothing is assigned')
  const fallback = defaultFor(value.kind)
  const kind = union(value.kind, kindOf(fallback))
  const writeOk = compileWrite(scope, target, kind, undefined)
  const writeError = compileWrite(scope, error, union(kinds.string, kinds.null), undefined)
  const read = value.run
  const run = () => {
    let result: Value
    try {
      result = read()
    } catch (failure) {
      if (!(failure instanceof Failure) || failure.final !== undefined) throw failure
      writeOk(fallback)
      writeError(failure.message)
      return failure.message
    }
    writeOk(result)
    writeError(null)
    return result
  }
  return { span, kind: union(value.kind, kinds.string), fallible: false, run }
}

const emptyArray: readonly Value[] = []
const emptyObject: ReadonlyMap<string, Value> = new Map()
const emptyRegex = new Regex('')
const epoch = new Timestamp(0n)
const defaults = new Map<number, Value>([
  [bit.string, ''],
  [bit.integer, 0n],
  [bit.float, 0],
  [bit.boolean, false],
  [bit.timestamp, epoch],
  [bit.regex, emptyRegex],
  [bit.array, emptyArray],
  [bit.object, emptyObject]
])

/** The value of the first target if the right side fails. */
function defaultFor(kind: Kind): Value {
  return defaults.get(kind.bits) ?? null
}

/** Records the kind at the target and makes the function that writes there. */
function compileWrite(scope: Scope, target: Target, kind: Kind, constant: Value | undefined): (value: Value) => void {
  if (target.type === 'noop') return () => undefined
  if (target.type === 'variable') return writeVariable(scope, target, kind, constant)
  const { root, path, span } = target
  if (root === 'event' || root === 'metadata') return writeExternal(scope, root, path, kind, span)
  return writeVariablePath(scope, root as VariableExpr, path, kind, span)
}

function writeVariable(scope: Scope, target: VariableExpr, kind: Kind, constant: Value | undefined) {
  const { variables } = scope.context
  if (!scope.assigned.has(target.name)) scope.assigned.set(target.name, target.span)
  const slot = declare(scope, target.name, stored(kind), constant)
  return (value: Value) => {
    variables[slot] = value
  }
}

/** Gives a variable a kind, and a slot when it is new. */
export function declare(scope: Scope, name: string, kind: Kind, constant?: Value): number {
  const slot = scope.state.variables.get(name)?.slot ?? scope.slots++
  scope.state.variables.set(name, {
    slot,
    kind: bounded(kind),
    ...constantly(constant)
  })
  return slot
}

function writeVariablePath(scope: Scope, target: VariableExpr, path: readonly Segment[], kind: Kind, span: Span) {
  const { context } = scope
  const { variables, owned } = context
  const old = scope.state.variables.get(target.name)
  const isNew = old === undefined
  checkParents(scope, old?.kind ?? kinds.undefined, path, span)
  const slot = declare(scope, target.name, kindWith(old?.kind ?? kinds.undefined, path, kind))
  return noting(context, path, value => {
    variables[slot] = setPath(isNew ? undefined : variables[slot], path, value, owned)
  })
}

function writeExternal(scope: Scope, root: 'event' | 'metadata', path: readonly Segment[], kind: Kind, span: Span) {
  const { context, state } = scope
  const { owned } = context
  checkReadOnly(scope, root, path, span)
  if (path.length > 0) checkParents(scope, state[root], path, span)
  state[root] = bounded(kindWith(state[root], path, kind))
  if (path.length === 0)
    return (value: Value) => {
      context[root] = value
    }
  return noting(context, path, value => {
    context[root] = setPath(context[root], path, value, owned)
  })
}

/** Records a write to a watched field. */
function noting({ watched, written }: Context, [first]: readonly Segment[], write: (value: Value) => void) {
  if (typeof first !== 'string' || !watched.has(first)) return write
  return (value: Value) => {
    written.add(first)
    write(value)
  }
}

/** E315 for read-only paths. */
export function checkReadOnly(scope: Scope, root: 'event' | 'metadata', path: readonly Segment[], span: Span): void {
  for (const fixed of scope.readOnly) {
    if (fixed.root !== root) continue
    const shared = Math.min(fixed.path.length, path.length)
    const meet = fixed.path.slice(0, shared).every((segment, i) => segment === path[i])
    if (meet && (path.length <= fixed.path.length || fixed.recursive))
      throw new CompileError(315, 'mutation of read-only value', span, 'this path is read-only')
  }
}

/** E642 if a parent of the path can never be an object or array, as the path requires. */
function checkParents(scope: Scope, root: Kind, path: readonly Segment[], span: Span): void {
  for (let depth = 0; depth < path.length; depth++) {
    const kind = kindAt(root, path.slice(0, depth))
    const container = typeof path[depth] === 'string' ? bit.object : bit.array
    if (kind.bits === 0 || kind.bits & (container | bit.undefined)) continue
    const what = container === bit.object ? 'object' : 'array'
    throw new CompileError(642, 'parent path segment rejects this mutation', span, `the parent is ${kindText(kind)}`, [
      `only an ${what} can hold it; assign an ${what} to the parent before`,
      `in: ${scope.source.slice(span.start, span.end)}`
    ])
  }
}
