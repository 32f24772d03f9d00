// Compiles calls: finds the function, and checks arguments at compile time as far as possible, otherwise before each call.

import { type Bound, bindArguments, checkKinds } from './argument.ts'
import type { CallExpr } from './ast.ts'
import { createCall } from './call.ts'
import { closestNote } from './closest-note.ts'
import type { Compile } from './compile.ts'
import { compileClosure } from './compile-closure.ts'
import { CompileError } from './diagnostic.ts'
import { Failure } from './failure.ts'
import type { FunctionSpec, Param, Run } from './function.ts'
import { isAny, kinds, kindText, valueBit } from './kind.ts'
import { type Node, unhandled } from './node.ts'
import { byteOffset, type Scope } from './scope.ts'
import { typeName, type Value } from './value.ts'

export function compileCall(scope: Scope, expr: CallExpr, compile: Compile): Node {
  const spec = findFunction(scope, expr)
  const bound = bindArguments(scope, expr, spec, compile)
  const mismatch = checkKinds(scope, expr, spec, bound)
  const call = createCall(scope, expr, spec, bound)
  const closure = compileClosure(scope, expr, spec, call, bound, compile)
  if (closure !== undefined) call.closure = closure
  // The result kind is computed before the call's effects: del returns what its path held before.
  const { kind, fails, run } = isUnreachable(spec, bound)
    ? unreachable
    : wrapErrors(expr, () => ({
        kind: typeof spec.returns === 'function' ? spec.returns(call) : spec.returns,
        fails: typeof spec.fallible === 'function' ? spec.fallible(call) : spec.fallible === true,
        run: spec.prepare?.(call) ?? spec.run!
      }))
  const fallible = fails || mismatch !== undefined || closure?.fallible === true
  if (expr.abort && !fallible) warnNeedless(scope, expr)
  const node = { span: expr.span, kind, run: callRunner(scope, expr, spec, bound, run) }
  if (expr.abort || !fallible) return { ...node, fallible: false }
  return { ...node, fallible: true, cause: mismatch ?? unhandled(expr.span) }
}

/** An argument always ends the program, so the call is never made and nothing is prepared. */
function isUnreachable({ params }: FunctionSpec, bound: readonly Bound[]): boolean {
  return bound.some(({ node }, i) => params[i]!.constant === true && node?.kind.bits === 0)
}

const unreachable = { kind: kinds.any, fails: false, run: (): Value => null }

function findFunction(scope: Scope, { name, nameSpan }: CallExpr): FunctionSpec {
  const spec = scope.functions.get(name)
  if (spec === undefined)
    throw new CompileError(
      105,
      'call to undefined function',
      nameSpan,
      'undefined function',
      closestNote(name, scope.functions.keys())
    )
  if (spec.refused !== undefined)
    throw new CompileError(
      105,
      'call to undefined function',
      nameSpan,
      `function ${name} is not available on this server`,
      [spec.refused]
    )
  return spec
}

/** A function's own error about its arguments is reported inside of E610. */
function wrapErrors<T>(expr: CallExpr, prepare: () => T): T {
  try {
    return prepare()
  } catch (error) {
    if (!(error instanceof CompileError)) throw error
    throw functionError(expr, error)
  }
}

function functionError({ span }: CallExpr, { diagnostic }: CompileError): CompileError {
  const { code, title, label, notes } = diagnostic
  return new CompileError(610, `function compilation error: error[E${code}] ${title}`, span, label, notes)
}

function warnNeedless(scope: Scope, { nameSpan }: CallExpr): void {
  scope.diagnostics.push({
    code: 620,
    severity: 'warning',
    title: "can't abort infallible function",
    span: nameSpan,
    label: "this function can't fail",
    notes: ['remove the "!"']
  })
}

type AnyRun = (...args: (Value | undefined)[]) => Value

/** Evaluates the arguments, makes the remaining checks, and adds the call's name to errors. */
function callRunner(scope: Scope, expr: CallExpr, spec: FunctionSpec, bound: readonly Bound[], run: Run): () => Value {
  const apply = run as unknown as AnyRun
  const args = bound.map((argument, i) => argumentRunner(argument, spec.params[i]!))
  const invoke = applier(apply, args)
  const { name } = spec
  const start = byteOffset(scope, expr.span.start)
  const end = byteOffset(scope, expr.span.end)
  const prefix = `function call error for "${name}" at (${start}:${end}): `
  return () => {
    try {
      return invoke()
    } catch (error) {
      if (error instanceof Failure && error.final === undefined) error.message = prefix + error.message
      throw error
    }
  }
}

type ArgumentRun = () => Value | undefined

function applier(apply: AnyRun, args: readonly ArgumentRun[]): () => Value {
  const [a, b, c] = args
  if (a === undefined) return () => apply()
  if (b === undefined) return () => apply(a())
  if (c === undefined) return () => apply(a(), b())
  if (args.length === 3) return () => apply(a(), b(), c())
  return () => apply(...args.map(argument => argument()))
}

function argumentRunner({ node, value }: Bound, { kind, path, unevaluated }: Param): ArgumentRun {
  if (path === true || unevaluated === true) return () => undefined
  if (node === undefined) return () => value
  const { run } = node
  if (isAny(kind)) return run
  const { bits } = kind
  const expected = kindText(kind)
  // Checked at run time even if the kind is proven, because the checker visits a closure once and iterations may change kinds.
  return () => {
    const found = run()
    if ((valueBit(found) & bits) === 0) throw new Failure(`expected ${expected}, got ${typeName(found)}`)
    return found
  }
}
