// Compiles binary operators: result kinds, type refinement, and short-circuit evaluation.
import type { Operator, OperatorExpr } from './ast.ts'
import type { Compile } from './compile.ts'
import { CompileError } from './diagnostic.ts'
import { Failure } from './failure.ts'
import { bit, type Fields, isOnly, type Kind, kinds, make, mayBe, union, without } from './kind.ts'
import { constantly, inherit, type Node, unhandled } from './node.ts'
import { add, both, compare, divide, merge, multiply, same, subtract } from './operator.ts'
import type { Scope } from './scope.ts'
import { assignState, copyState, mergeInto } from './state.ts'
import type { Value } from './value.ts'

const number = bit.integer | bit.float
const text = bit.string | bit.null

export function compileOperator(scope: Scope, expr: OperatorExpr, compile: Compile): Node {
  const left = compile(scope, expr.left)
  switch (expr.operator) {
    case '??':
      return coalesce(scope, expr, left, compile)
    case '||':
      return or(scope, expr, left, compile)
    case '&&':
      return and(scope, expr, left, compile)
    default:
      return eager(scope, expr, left, compile(scope, expr.right))
  }
}

/** Compiles the right side; its changes to the type state count as possible, not as certain. */
function maybeRight(scope: Scope, expr: OperatorExpr, compile: Compile): Node {
  const before = copyState(scope.state)
  const right = compile(scope, expr.right)
  mergeInto(scope.state, before, copyState(scope.state))
  return right
}

function coalesce(scope: Scope, expr: OperatorExpr, left: Node, compile: Compile): Node {
  if (!left.fallible && left.kind.bits !== 0)
    throw new CompileError(651, 'unnecessary error coalescing operation', left.span, "this expression can't fail", [
      'remove the operator ?? and what follows it'
    ])
  const right = maybeRight(scope, expr, compile)
  const tried = left.run
  const other = right.run
  const run = () => {
    try {
      return tried()
    } catch (error) {
      if (!(error instanceof Failure) || error.final !== undefined) throw error
      return other()
    }
  }
  return { span: expr.span, kind: union(left.kind, right.kind), ...inherit(right), run }
}

function or(scope: Scope, expr: OperatorExpr, left: Node, compile: Compile): Node {
  const { constant, kind } = left
  const first = left.run
  if (constant !== undefined && constant !== null && constant !== false) {
    const aside = copyState(scope.state)
    compile(scope, expr.right)
    assignState(scope.state, aside)
    return { ...left, span: expr.span }
  }
  const always = constant !== undefined || isOnly(kind, bit.null)
  const right = always ? compile(scope, expr.right) : maybeRight(scope, expr, compile)
  const second = right.run
  const run = () => {
    const value = first()
    return value === null || value === false ? second() : value
  }
  const result = always ? right.kind : union(without(kind, bit.null | bit.undefined), right.kind)
  return {
    span: expr.span,
    kind: result,
    ...inherit(left, right),
    ...constantly(always ? right.constant : undefined),
    run
  }
}

function and(scope: Scope, expr: OperatorExpr, left: Node, compile: Compile): Node {
  const { constant } = left
  const { span } = expr
  if (constant === null || constant === false) {
    const aside = copyState(scope.state)
    compile(scope, expr.right)
    assignState(scope.state, aside)
    const skip = () => {
      left.run()
      return false
    }
    return { span, kind: kinds.boolean, ...inherit(left), constant: false, run: skip }
  }
  const right = constant === true ? compile(scope, expr.right) : maybeRight(scope, expr, compile)
  const first = left.run
  const second = right.run
  const run = () => {
    const value = first()
    return value === null || value === false ? false : both(value, second())
  }
  const allowed = bit.boolean | bit.null
  const proven = [left, right].every(({ kind }) => (kind.bits & ~allowed) === 0)
  return { span, kind: kinds.boolean, ...fallibility(expr, proven, left, right), run }
}

function fallibility(expr: OperatorExpr, proven: boolean, left: Node, right: Node) {
  const inherited = inherit(left, right)
  return proven || inherited.fallible ? inherited : { fallible: true, cause: unhandled(expr.span) }
}

function eager(scope: Scope, expr: OperatorExpr, left: Node, right: Node): Node {
  const { operator, span } = expr
  const kind = resultKind(expr, left, right)
  const run = runner(scope, operator, left.run, right.run)
  const node = { span, kind, ...fallibility(expr, isProven(operator, left, right), left, right), run }
  return { ...node, ...fold(scope, expr, node, left, right) }
}

/** Folds arithmetic of constants, unless it fails. The operands are not run, because they may have side effects. */
function fold(
  { context }: Scope,
  { operator }: OperatorExpr,
  node: Node,
  left: Node,
  right: Node
): { readonly constant?: Value } {
  const a = left.constant
  const b = right.constant
  if (node.fallible || a === undefined || b === undefined) return {}
  if (!isOnly(left.kind, number) || !isOnly(right.kind, number)) return {}
  try {
    return constantly(
      runner(
        { context },
        operator,
        () => a,
        () => b
      )()
    )
  } catch (error) {
    if (error instanceof Failure) return {}
    throw error
  }
}

function runner({ context }: Pick<Scope, 'context'>, operator: Operator, a: () => Value, b: () => Value): () => Value {
  switch (operator) {
    case '+':
      return () => add(context, a(), b())
    case '-':
      return () => subtract(context, a(), b())
    case '*':
      return () => multiply(context, a(), b())
    case '/':
      return () => divide(context, a(), b())
    case '==':
      return () => same(a(), b())
    case '!=':
      return () => !same(a(), b())
    case '<':
      return () => compare(a(), b(), '<') < 0
    case '<=':
      return () => compare(a(), b(), '<=') <= 0
    case '>':
      return () => compare(a(), b(), '>') > 0
    case '>=':
      return () => compare(a(), b(), '>=') >= 0
    default:
      return () => merge(a(), b())
  }
}

function isProven(operator: Operator, left: Node, right: Node): boolean {
  const a = left.kind
  const b = right.kind
  if (a.bits === 0 || b.bits === 0) return true
  const numbers = isOnly(a, number) && isOnly(b, number)
  switch (operator) {
    case '+':
      return numbers || (isOnly(a, text) && isOnly(b, text) && (isOnly(a, bit.string) || isOnly(b, bit.string)))
    case '-':
      return numbers
    case '*':
      return numbers || repeats(a, b)
    case '/':
      return isOnly(a, number) && right.constant !== undefined && isNonZero(right.constant)
    case '==':
    case '!=':
    case '|':
      return true
    default:
      return numbers || bothOnly(a, b, bit.string) || bothOnly(a, b, bit.timestamp)
  }
}

function isNonZero(value: Value): boolean {
  return (typeof value === 'bigint' && value !== 0n) || (typeof value === 'number' && value !== 0)
}

function bothOnly(a: Kind, b: Kind, bits: number): boolean {
  return isOnly(a, bits) && isOnly(b, bits)
}

function repeats(a: Kind, b: Kind): boolean {
  return (isOnly(a, bit.string) && isOnly(b, bit.integer)) || (isOnly(a, bit.integer) && isOnly(b, bit.string))
}

function resultKind(expr: OperatorExpr, left: Node, right: Node): Kind {
  const { operator } = expr
  const a = left.kind
  const b = right.kind
  switch (operator) {
    case '/':
      return kinds.float
    case '+':
    case '-':
    case '*':
      return arithmeticKind(operator, a, b)
    case '|':
      return mergeKinds(expr, a, b)
    default:
      return kinds.boolean
  }
}

function arithmeticKind(operator: Operator, a: Kind, b: Kind): Kind {
  if (bothOnly(a, b, bit.integer)) return kinds.integer
  if (bothOnly(a, b, number)) return isOnly(a, bit.float) || isOnly(b, bit.float) ? kinds.float : kinds.number
  if (operator === '-') return kinds.number
  if (operator === '+' && (isOnly(a, text) || isOnly(b, text)) && mayBe(union(a, b), bit.string)) return kinds.string
  if (operator === '*' && repeats(a, b)) return kinds.string
  return union(kinds.string, kinds.number)
}

function mergeKinds(expr: OperatorExpr, a: Kind, b: Kind): Kind {
  const wrong = ((a.bits & ~bit.object) !== 0 && expr.left) || ((b.bits & ~bit.object) !== 0 && expr.right)
  if (wrong)
    throw new CompileError(652, 'only objects can be merged', wrong.span, 'this expression must resolve to an object')
  if (a.object === undefined) return b
  if (b.object === undefined) return a
  return make(bit.object, undefined, mergeFields(a.object, b.object))
}

/** The fields of `a`, overwritten by those of `b`. */
export function mergeFields(a: Fields, b: Fields): Fields {
  const known = new Map(a.known)
  for (const [key, kind] of a.known) if (!b.known.has(key)) known.set(key, over(kind, b.unknown))
  for (const [key, kind] of b.known) known.set(key, over(a.known.get(key) ?? a.unknown, kind))
  return { known, unknown: union(a.unknown, b.unknown) }
}

function over(below: Kind, above: Kind): Kind {
  return above.bits & bit.undefined ? union(below, without(above, bit.undefined)) : above
}
