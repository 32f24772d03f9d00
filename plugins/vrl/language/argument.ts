// Binds the arguments of a call to the parameters of its function and checks what can be checked before the run.
import type { Argument, CallExpr } from './ast.ts'
import type { Compile } from './compile.ts'
import { CompileError } from './diagnostic.ts'
import type { FunctionSpec, Param } from './function.ts'
import { bit, isAny, isWithin, kindText } from './kind.ts'
import { inherit, type Node } from './node.ts'
import type { Scope } from './scope.ts'
import type { Value } from './value.ts'

/** One parameter of a call. */
export interface Bound {
  readonly argument: Argument | undefined
  /** Undefined when the argument is absent. */
  readonly node: Node | undefined
  /** The default when it is absent. */
  readonly value: Value | undefined
  /** Every value it may have is of the parameter's kind. */
  readonly proven: boolean
}

/** One entry per parameter, in their order. */
export function bindArguments(scope: Scope, expr: CallExpr, spec: FunctionSpec, compile: Compile): readonly Bound[] {
  const given = assign(expr, spec)
  // Evaluated in the order of the text, because evaluation determines the kinds of variables.
  const nodes = new Map<Argument, Node>()
  for (const argument of expr.args) nodes.set(argument, compileArgument(scope, argument, compile))
  return spec.params.map((param, i) => {
    const argument = given[i]
    if (argument === undefined) return absent(expr, param, i)
    const node = nodes.get(argument)!
    return { argument, node, value: undefined, proven: node.kind.bits === 0 || isWithin(node.kind, param.kind) }
  })
}

function absent({ span }: CallExpr, param: Param, at: number): Bound {
  if (!isOptional(param))
    throw new CompileError(
      107,
      'missing function argument',
      span,
      `required argument missing: "${param.name}" (position ${at})`
    )
  return { argument: undefined, node: undefined, value: param.default, proven: true }
}

function isOptional(param: Param): boolean {
  return param.optional === true || param.default !== undefined
}

/** Arguments in the order of the parameters. Keywords do not shift positions: the others fill the first free parameters. */
function assign(expr: CallExpr, { params }: FunctionSpec): readonly (Argument | undefined)[] {
  const given: (Argument | undefined)[] = params.map(() => undefined)
  for (const argument of expr.args) {
    if (argument.keyword === undefined) continue
    const at = params.findIndex(({ name }) => name === argument.keyword)
    if (at < 0)
      throw new CompileError(
        108,
        'unknown function argument keyword',
        argument.span,
        `unknown keyword "${argument.keyword}"`,
        [`this function accepts: ${params.map(({ name }) => name).join(', ')}`]
      )
    given[at] = argument
  }
  let free = 0
  for (const argument of expr.args) {
    if (argument.keyword !== undefined) continue
    while (free < params.length && given[free] !== undefined) free++
    if (free >= params.length)
      throw new CompileError(106, 'wrong number of function arguments', argument.span, 'too many function arguments', [
        `this function takes a maximum of ${params.length} argument${params.length === 1 ? '' : 's'}`
      ])
    given[free] = argument
  }
  return given
}

function compileArgument(scope: Scope, { value, span }: Argument, compile: Compile): Node {
  const node = compile(scope, value)
  if (node.fallible)
    throw new CompileError(630, 'fallible argument', span, "this expression can fail, and an argument can't", [
      inherit(node).cause!.diagnostic.label,
      "handle the error before: ?? with a default, or ! behind the function's name"
    ])
  return node
}

/** The reason why the call may fail for the kind of an argument; throws E110 when it always does. */
export function checkKinds(
  scope: Scope,
  expr: CallExpr,
  spec: FunctionSpec,
  bound: readonly Bound[]
): CompileError | undefined {
  let mismatch: CompileError | undefined
  for (const [i, { node, argument, proven }] of bound.entries()) {
    const param = spec.params[i]!
    if (node === undefined || argument === undefined) continue
    if (!proven) {
      const error = mismatchError(scope, expr, param, argument, node)
      if ((node.kind.bits & param.kind.bits) === 0) throw error
      mismatch ??= error
    }
  }
  return mismatch
}

function mismatchError(scope: Scope, expr: CallExpr, param: Param, { value }: Argument, node: Node): CompileError {
  const exact = (node.kind.bits & (node.kind.bits - 1)) === 0 && !isAny(node.kind)
  const text = scope.source.slice(value.span.start, value.span.end)
  const label = `this expression resolves to ${exact ? 'the exact type ' : ''}${kindText(node.kind)}`
  const expects = `the parameter "${param.name}" expects ${kindText(param.kind)}`
  return new CompileError(110, 'invalid argument type', value.span, `${label}, but ${expects}`, [
    `ensure the type: ${text} = ${assertion(param)}!(${text})`,
    `or let the program stop: ${expr.name}!(…)`
  ])
}

function assertion({ kind }: Param): string {
  const names = {
    string: bit.string,
    int: bit.integer,
    float: bit.float,
    bool: bit.boolean,
    timestamp: bit.timestamp,
    array: bit.array
  }
  return Object.entries(names).find(([, bits]) => kind.bits & bits)?.[0] ?? 'object'
}
