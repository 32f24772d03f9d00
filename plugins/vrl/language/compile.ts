// The compiler: every expression of the tree becomes a node with its static type and the function that runs it.
import type { AbortExpr, ArrayExpr, BlockExpr, Expr, IfExpr, NotExpr, ObjectExpr, ReturnExpr } from './ast.ts'
import { compileAssignment } from './compile-assignment.ts'
import { compileCall } from './compile-call.ts'
import { compileOperator } from './compile-operator.ts'
import { compileQuery, compileVariable } from './compile-query.ts'
import { step } from './context.ts'
import { CompileError } from './diagnostic.ts'
import { Failure, Return } from './failure.ts'
import { bit, bounded, isOnly, kindOf, kinds, kindText, make, stored, union } from './kind.ts'
import { constantly, inherit, type Node } from './node.ts'
import { recover, type Scope } from './scope.ts'
import { copyState, leaveScope, mergeInto } from './state.ts'
import { readTime } from './time-literal.ts'
import { warnUnusedValues } from './unused.ts'
import { isText, lossy, Regex, type Value } from './value.ts'

/** Passed as a parameter to avoid import cycles between the parts of the compiler. */
export type Compile = (scope: Scope, expr: Expr) => Node

export const compileExpr: Compile = (scope, expr) => {
  switch (expr.type) {
    case 'literal':
      return literal(expr, expr.value)
    case 'regex':
      return literal(expr, readRegex(expr.source, expr))
    case 'time':
      return literal(expr, readTime(expr.text, expr.span))
    case 'array':
      return compileArray(scope, expr)
    case 'object':
      return compileObject(scope, expr)
    case 'block':
      return compileBlock(scope, expr)
    case 'group':
      return compileBody(scope, expr.body, expr)
    case 'if':
      return compileIf(scope, expr)
    case 'abort':
      return compileAbort(scope, expr)
    case 'return':
      return compileReturn(scope, expr)
    case 'variable':
      return compileVariable(scope, expr)
    case 'query':
      return compileQuery(scope, expr, compileExpr)
    case 'assign':
      return compileAssignment(scope, expr, compileExpr)
    case 'call':
      return compileCall(scope, expr, compileExpr)
    case 'not':
      return compileNot(scope, expr)
    case 'operator':
      return compileOperator(scope, expr, compileExpr)
    case 'noop':
      throw new CompileError(203, 'syntax error', expr.span, '"_" can only be assigned to')
  }
}

function literal({ span }: Expr, value: Value): Node {
  return { span, kind: kindOf(value), fallible: false, constant: value, run: () => value }
}

function readRegex(source: string, { span }: Expr): Regex {
  try {
    return new Regex(source)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CompileError(101, 'invalid regular expression', span, reason)
  }
}

function compileArray(scope: Scope, expr: ArrayExpr): Node {
  const items = expr.items.map(item => compileExpr(scope, item))
  const runs = items.map(({ run }) => run)
  const known = new Map(items.map(({ kind }, i) => [i, stored(kind)]))
  const run = () => {
    const array: Value[] = []
    for (let i = 0; i < runs.length; i++) array.push(runs[i]!())
    return array
  }
  const constants = items.map(({ constant }) => constant)
  const constant = constants.includes(undefined) ? undefined : (constants as Value[])
  const kind = bounded(make(bit.array, { known, unknown: kinds.undefined }, undefined))
  return { span: expr.span, kind, ...inherit(...items), ...constantly(constant), run }
}

/** Fields are evaluated in the order of their keys; of equal keys the last one counts. */
function compileObject(scope: Scope, expr: ObjectExpr): Node {
  const sorted = [...new Map(expr.entries)].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const entries = sorted.map(([key, value]) => [key, compileExpr(scope, value)] as const)
  const runs = entries.map(([key, { run }]) => ({ key, run }))
  const { watched, written } = scope.context
  const noted = sorted.flatMap(([key]) => (watched.has(key) ? [key] : []))
  const run = () => {
    const object = new Map<string, Value>()
    for (let i = 0; i < runs.length; i++) object.set(runs[i]!.key, runs[i]!.run())
    for (let i = 0; i < noted.length; i++) written.add(noted[i]!)
    return object
  }
  const nodes = entries.map(([, node]) => node)
  const isConstant = nodes.every(node => node.constant !== undefined)
  const constant = isConstant ? new Map(entries.map(([key, node]) => [key, node.constant!])) : undefined
  const known = new Map(entries.map(([key, node]) => [key, stored(node.kind)]))
  const kind = bounded(make(bit.object, undefined, { known, unknown: kinds.undefined }))
  return { span: expr.span, kind, ...inherit(...nodes), ...constantly(constant), run }
}

/** A block: its new variables end with it. */
function compileBlock(scope: Scope, block: BlockExpr): Node {
  const before = new Set(scope.state.variables.keys())
  const node = compileBody(scope, block.body, block)
  leaveScope(scope.state, before)
  return node
}

function compileBody(scope: Scope, body: readonly Expr[], { span, type }: Expr): Node {
  if (body.length === 1) {
    const node = compileExpr(scope, body[0]!)
    return type === 'group' ? node : { ...node, span }
  }
  warnUnusedValues(scope, body)
  const nodes = body.map(expr => recover(scope, expr.span, () => compileExpr(scope, expr)))
  const last = nodes.at(-1)!
  return { span, kind: last.kind, ...inherit(...nodes), run: sequence(scope, nodes) }
}

/** Runs expressions one after another; the last one's value counts. */
export function sequence({ context }: Scope, nodes: readonly Node[]): () => Value {
  const runs = nodes.map(({ run }) => run)
  if (runs.length === 1) return runs[0]!
  const last = runs.pop()!
  return () => {
    for (let i = 0; i < runs.length; i++) {
      step(context)
      runs[i]!()
    }
    return last()
  }
}

function compileIf(scope: Scope, expr: IfExpr): Node {
  const outer = new Set(scope.state.variables.keys())
  const test = compileTest(scope, expr.test)
  const before = copyState(scope.state)
  const then = compileBlock(scope, expr.then)
  const after = copyState(scope.state)
  Object.assign(scope.state, copyState(before))
  const otherwise = expr.otherwise === undefined ? undefined : compileExpr(scope, expr.otherwise)
  mergeInto(scope.state, after, copyState(scope.state))
  leaveScope(scope.state, outer)
  const testRun = test.run
  const thenRun = then.run
  const elseRun = otherwise?.run ?? (() => null)
  const run = () => (testRun() === true ? thenRun() : elseRun())
  const kind = union(then.kind, otherwise?.kind ?? kinds.null)
  const parts = otherwise === undefined ? [then] : [then, otherwise]
  return { span: expr.span, kind, ...inherit(...parts), run }
}

function compileTest(scope: Scope, expr: Expr): Node {
  const test = compileExpr(scope, expr)
  if (test.fallible) {
    const { code, label, span, notes } = inherit(test).cause!.diagnostic
    throw new CompileError(code, 'fallible predicate', span, label, notes)
  }
  if ((test.kind.bits & ~bit.boolean) !== 0)
    throw new CompileError(102, 'non-boolean predicate', expr.span, `this resolves to ${kindText(test.kind)}`, [
      'a predicate must be a boolean'
    ])
  return test
}

function compileAbort(scope: Scope, { span, message }: AbortExpr): Node {
  if (message === undefined) {
    const run = () => {
      throw new Failure('aborted', 'abort')
    }
    return { span, kind: kinds.never, fallible: false, run }
  }
  const node = compileExpr(scope, message)
  refuseFallible(node, message, 'abort')
  if ((node.kind.bits & ~bit.string) !== 0)
    throw new CompileError(113, 'non-string abort message', message.span, `this resolves to ${kindText(node.kind)}`, [
      'abort takes a string: coerce the value'
    ])
  const text = node.run
  const run = () => {
    const value = text()
    throw new Failure(isText(value) ? lossy(value) : 'aborted', 'abort')
  }
  return { span, kind: kinds.never, fallible: false, run }
}

function refuseFallible(node: Node, { span }: Expr, what: string): void {
  if (node.fallible)
    throw new CompileError(631, 'unhandled fallible expression', span, `${what} takes an expression that cannot fail`, [
      'handle the error before'
    ])
}

function compileReturn(scope: Scope, expr: ReturnExpr): Node {
  const node = compileExpr(scope, expr.value)
  refuseFallible(node, expr.value, 'return')
  scope.returns = union(scope.returns, stored(node.kind))
  const value = node.run
  const run = () => {
    throw new Return(value())
  }
  return { span: expr.span, kind: kinds.never, fallible: false, run }
}

function compileNot(scope: Scope, expr: NotExpr): Node {
  const node = compileExpr(scope, expr.value)
  if (!isOnly(node.kind, bit.boolean) && node.kind.bits !== 0)
    throw new CompileError(660, 'non-boolean negation', expr.value.span, `this resolves to ${kindText(node.kind)}`, [
      'only booleans can be negated: coerce the value'
    ])
  const value = node.run
  const constant = typeof node.constant === 'boolean' ? !node.constant : undefined
  return {
    span: expr.span,
    kind: kinds.boolean,
    ...inherit(node),
    ...constantly(constant),
    run: () => value() !== true
  }
}
