// Compiles the closure of a call: its variables, its result, and which conclusions hold for all iterations.
import type { Bound } from './argument.ts'
import { assignedIn } from './assigned.ts'
import type { CallExpr, ClosureExpr } from './ast.ts'
import type { Compile } from './compile.ts'
import { declare } from './compile-assignment.ts'
import { step } from './context.ts'
import { CompileError } from './diagnostic.ts'
import { Failure, Return } from './failure.ts'
import type { Call, Closure, ClosureSpec, FunctionSpec } from './function.ts'
import { type Kind, kinds, kindText, stored, union } from './kind.ts'
import type { Node } from './node.ts'
import type { Scope } from './scope.ts'
import { copyState, leaveScope, mergeInto, type State, type Variable } from './state.ts'
import type { Value } from './value.ts'

interface CompiledClosure extends Closure {
  readonly fallible: boolean
}

/** The closure of a call; throws if it is missing or not allowed. */
export function compileClosure(
  scope: Scope,
  expr: CallExpr,
  spec: FunctionSpec,
  call: Call,
  bound: readonly Bound[],
  compile: Compile
): CompiledClosure | undefined {
  const { closure } = expr
  if (spec.closure === undefined) {
    if (closure === undefined) return undefined
    throw new CompileError(109, 'unexpected closure', closure.span, `function ${spec.name} takes no closure`)
  }
  if (closure === undefined)
    throw new CompileError(111, 'missing closure', expr.span, `function ${spec.name} needs a closure`)
  checkInput(expr, spec, bound)
  return compileIteration(scope, closure, spec.closure, call, compile)
}

/** Refuses a call if the value it iterates over, the first argument, can never have the right kind. */
function checkInput(expr: CallExpr, { params }: FunctionSpec, [input]: readonly Bound[]): void {
  const kind = input?.node?.kind
  if (kind === undefined || kind.bits === 0 || (kind.bits & params[0]!.kind.bits) !== 0) return
  throw new CompileError(121, 'type mismatch in closure input', expr.span, `the input is ${kindText(kind)}`)
}

function compileIteration(
  scope: Scope,
  closure: ClosureExpr,
  spec: ClosureSpec,
  call: Call,
  compile: Compile
): CompiledClosure {
  const given = spec.variables(call)
  if (given.length !== closure.variables.length)
    throw new CompileError(
      120,
      'invalid number of closure variables',
      closure.span,
      `${closure.variables.length} given`,
      [`expected ${given.length}`]
    )
  const { state } = scope
  const before = copyState(state)
  const outer = new Set(state.variables.keys())
  const returns = scope.returns
  scope.returns = kinds.never
  forgetConstants(state, assignedIn(closure))
  const slots = declareVariables(scope, closure, given)
  const body = compile(scope, closure.body)
  const result = union(stored(body.kind), scope.returns)
  scope.returns = returns
  restore(state.variables, closure, before.variables)
  leaveScope(state, outer)
  mergeInto(state, before, copyState(state))
  checkResult(closure, spec, result)
  return { kind: result, fallible: body.fallible, ...runners(scope, slots, body) }
}

function declareVariables(scope: Scope, { variables }: ClosureExpr, given: readonly Kind[]): number[] {
  return variables.map((name, i) => {
    scope.state.variables.delete(name)
    scope.used.add(name)
    return declare(scope, name, given[i]!)
  })
}

/** Restores shadowed variables. */
function restore(now: Map<string, Variable>, { variables }: ClosureExpr, before: ReadonlyMap<string, Variable>): void {
  for (const name of variables) {
    const old = before.get(name)
    if (old === undefined) now.delete(name)
    else now.set(name, old)
  }
}

/** Constants assigned in the closure are not known at the beginning of an iteration. */
function forgetConstants({ variables }: State, assigned: ReadonlySet<string>): void {
  for (const name of assigned) {
    const variable = variables.get(name)
    if (variable !== undefined) variables.set(name, { slot: variable.slot, kind: variable.kind })
  }
}

function checkResult(closure: ClosureExpr, { returns }: ClosureSpec, kind: Kind): void {
  if ((kind.bits & ~returns.bits) === 0) return
  throw new CompileError(
    122,
    'type mismatch in closure return type',
    closure.body.span,
    'block returns invalid value type',
    [`received: ${kindText(kind)}`, `expected: ${kindText(returns)}`]
  )
}

function runners(
  { context }: Scope,
  [first, second]: readonly number[],
  { run: body }: Node
): Pick<Closure, 'run' | 'runEntry'> {
  const { variables } = context
  const enter = (a: Value | undefined, b: Value | undefined): Value => {
    step(context)
    if (first !== undefined) variables[first] = a ?? null
    if (second !== undefined) variables[second] = b ?? null
    return body()
  }
  const caught = (error: unknown, entry: boolean): Value => {
    if (!(error instanceof Return)) throw error
    if (entry) return error.value as Value
    throw new Failure('return cannot be used inside closures')
  }
  return {
    run: (a, b) => {
      try {
        return enter(a, b)
      } catch (error) {
        return caught(error, false)
      }
    },
    runEntry: (a, b) => {
      try {
        return enter(a, b)
      } catch (error) {
        return caught(error, true)
      }
    }
  }
}
