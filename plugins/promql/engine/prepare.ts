// Prepares a parsed query for its time range: durations and `@` become milliseconds, and constant expressions are marked.
import type { At, Call, Expr, Shift, VectorSelector } from '../language/ast.ts'
import { resolveDuration } from '../language/duration.ts'

export interface QueryTimes {
  /** Milliseconds; equal for an instant query, whose step is 0. */
  readonly start: number
  readonly end: number
  readonly step: number
}

/** The expression with every duration and `@` in milliseconds. */
export function resolveTimes(expr: Expr, times: QueryTimes): Expr {
  const query = { step: times.step, range: times.end - times.start }
  const moment = (at: At) => (at === 'start' ? times.start : at === 'end' ? times.end : at)
  const shift = ({ offset, at }: Shift) => ({
    offset: resolveDuration(offset, query),
    ...(at !== undefined && { at: moment(at) })
  })
  const selector = (node: VectorSelector): VectorSelector => ({ ...node, ...shift(node) })
  const resolve = (node: Expr): Expr => {
    switch (node.kind) {
      case 'selector':
        return selector(node)
      case 'matrix':
        return { ...node, selector: selector(node.selector), range: resolveDuration(node.range, query) }
      case 'subquery': {
        const step = node.step === undefined ? {} : { step: resolveDuration(node.step, query) }
        return { ...node, ...shift(node), ...step, range: resolveDuration(node.range, query), expr: resolve(node.expr) }
      }
      case 'call':
        return { ...node, args: (node.name === 'info' ? infoArguments(node) : node.args).map(resolve) }
      case 'aggregation':
        return { ...node, expr: resolve(node.expr), ...(node.param && { param: resolve(node.param) }) }
      case 'binary':
        return { ...node, left: resolve(node.left), right: resolve(node.right) }
      case 'unary':
      case 'paren':
        return { ...node, expr: resolve(node.expr) }
      default:
        return node
    }
  }
  return resolve(expr)
}

/** The default argument of `info` is `target_info`. */
function infoArguments({ args, start, end }: Call): readonly Expr[] {
  const [vector, given] = args
  const selector: Expr = given ?? { kind: 'selector', matchers: [], offset: 0, start, end }
  if (selector.kind !== 'selector' || selector.matchers.some(({ name }) => name === '__name__')) return args
  const named = { name: '__name__', op: '=', value: 'target_info' } as const
  return [vector!, { ...selector, matchers: [named, ...selector.matchers] }]
}

/** Functions whose result depends on the evaluation time even with constant arguments. */
const timely: ReadonlySet<string> = new Set([
  'time',
  'timestamp',
  'predict_linear',
  'days_in_month',
  'day_of_month',
  'day_of_week',
  'day_of_year',
  'hour',
  'minute',
  'month',
  'year'
])

const invariance = new WeakMap<Expr, boolean>()

/** Whether an expression has the same value at every step. */
export function isInvariant(expr: Expr): boolean {
  let known = invariance.get(expr)
  if (known === undefined) {
    known = findInvariance(expr)
    invariance.set(expr, known)
  }
  return known
}

function findInvariance(expr: Expr): boolean {
  switch (expr.kind) {
    case 'number':
    case 'string':
      return true
    case 'selector':
    case 'subquery':
      return expr.at !== undefined
    case 'matrix':
      return expr.selector.at !== undefined
    case 'call':
      return !timely.has(expr.name) && expr.args.every(isInvariant)
    case 'aggregation':
      return isInvariant(expr.expr) && (expr.param === undefined || isInvariant(expr.param))
    case 'binary':
      return isInvariant(expr.left) && isInvariant(expr.right)
    default:
      return isInvariant(expr.expr)
  }
}
