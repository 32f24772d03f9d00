// A call as its function sees it at compile time.
import type { Bound } from './argument.ts'
import type { CallExpr } from './ast.ts'
import { CompileError } from './diagnostic.ts'
import type { Call, Closure, FunctionSpec, Param } from './function.ts'
import { kindOf, kinds, stored } from './kind.ts'
import { pathArgument } from './path-argument.ts'
import type { Scope } from './scope.ts'
import { writeValue } from './text.ts'

/** Also checks that arguments are constant or allowed texts where parameters require it. */
export function createCall(
  scope: Scope,
  expr: CallExpr,
  spec: FunctionSpec,
  bound: readonly Bound[]
): Call & { closure: Closure } {
  const find = (name: string): Bound => {
    const found = bound[spec.params.findIndex(param => param.name === name)]
    if (found === undefined) throw new TypeError(`${spec.name} has no parameter ${name}`)
    return found
  }
  const text = (name: string) => {
    const span = find(name).argument?.value.span
    return span === undefined ? '' : scope.source.slice(span.start, span.end)
  }
  const constant = (name: string) => {
    const { node, value } = find(name)
    return node === undefined ? value : node.constant
  }
  const call = {
    context: scope.context,
    state: scope.state,
    given: (name: string) => find(name).node !== undefined,
    kind: (name: string) => {
      const { node, value } = find(name)
      if (node !== undefined) return node.kind
      return value === undefined ? kinds.undefined : stored(kindOf(value))
    },
    constant,
    text,
    path: (name: string) => pathArgument(scope, expr, name, find(name)),
    closure: undefined as unknown as Closure,
    invalid: (name: string, message: string) => {
      const value = constant(name)
      return invalidArgument(
        expr,
        403,
        'invalid argument',
        name,
        message,
        value === undefined ? text(name) : writeValue(value)
      )
    }
  }
  for (const [i, param] of spec.params.entries()) checkConstant(expr, param, bound[i]!, text)
  return call
}

function checkConstant(expr: CallExpr, param: Param, { node }: Bound, text: (name: string) => string): void {
  if (node === undefined) return
  const value = node.constant
  if (value === undefined) {
    if (param.constant !== true || node.kind.bits === 0) return
    throw wrap(
      expr,
      invalidArgument(
        expr,
        402,
        'expected static expression',
        param.name,
        'the value must be known when the program is compiled',
        text(param.name)
      )
    )
  }
  if (param.oneOf === undefined || typeof value !== 'string' || param.oneOf.includes(value)) return
  const allowed = `expected one of: ${param.oneOf.map(name => `"${name}"`).join(', ')}`
  throw wrap(expr, invalidArgument(expr, 401, 'invalid enum variant', param.name, allowed, writeValue(value)))
}

function wrap({ span }: CallExpr, { diagnostic }: CompileError): CompileError {
  const { code, title, label, notes } = diagnostic
  return new CompileError(610, `function compilation error: error[E${code}] ${title}`, span, label, notes)
}

function invalidArgument(
  { span }: CallExpr,
  code: number,
  title: string,
  name: string,
  message: string,
  received: string
): CompileError {
  return new CompileError(code, title, span, `invalid argument "${name}"`, [
    `error: ${message}`,
    `received: ${received}`
  ])
}
