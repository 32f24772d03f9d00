// Type checks of a query.
import {
  type Aggregation,
  type Binary,
  type Call,
  type Expr,
  type Subquery,
  setOperators,
  unwrap,
  type ValueType
} from './ast.ts'
import { isComputed } from './duration.ts'
import { QueryError } from './error.ts'
import { compileMatcher } from './matcher.ts'
import { aggregationParameters, experimentalAggregations, functionSignatures, type Signature } from './signature.ts'

interface CheckOptions {
  readonly text: string
  readonly experimental: boolean
}

const spoken: Readonly<Record<ValueType, string>> = {
  scalar: 'scalar',
  vector: 'instant vector',
  matrix: 'range vector',
  string: 'string'
}

/** The type of a query's result. Throws QueryError. */
export function checkTypes(expr: Expr, options: CheckOptions): ValueType {
  const described = new Set<Expr>()
  const fail = (at: Expr, message: string) => new QueryError(options.text, at.start, message)
  const requireFeature = (at: Expr, what: string) => {
    if (!options.experimental) {
      throw fail(at, `${what} is experimental and must be enabled with plugins.promql.experimental = true`)
    }
  }
  const expect = (found: Expr, wanted: ValueType, where: string) => {
    const type = check(found)
    if (type !== wanted) {
      throw fail(found, `expected type ${spoken[wanted]} in ${where}, got ${spoken[type]}`)
    }
  }

  function check(expr: Expr): ValueType {
    switch (expr.kind) {
      case 'number':
        return 'scalar'
      case 'string':
        return 'string'
      case 'selector':
        if (expr.boundary !== undefined) throw fail(expr, `the ${expr.boundary} modifier is not supported`)
        if (isComputed(expr.offset)) requireFeature(expr, 'a duration expression')
        if (!described.has(expr) && expr.matchers.every(matcher => compileMatcher(matcher)(''))) {
          throw fail(expr, 'vector selector must contain at least one non-empty matcher')
        }
        return 'vector'
      case 'matrix':
        if (isComputed(expr.range)) requireFeature(expr, 'a duration expression')
        check(expr.selector)
        return 'matrix'
      case 'subquery':
        return checkSubquery(expr)
      case 'paren':
        return check(expr.expr)
      case 'unary': {
        const type = check(expr.expr)
        if (type === 'scalar' || type === 'vector') return type
        throw fail(
          expr,
          `unary expression only allowed on expressions of type scalar or instant vector, got ${spoken[type]}`
        )
      }
      case 'call':
        return checkCall(expr)
      case 'aggregation':
        return checkAggregation(expr)
      case 'binary':
        return checkBinary(expr)
    }
  }

  function checkSubquery(expr: Subquery): ValueType {
    if ([expr.range, expr.step, expr.offset].some(isComputed)) requireFeature(expr, 'a duration expression')
    const type = check(expr.expr)
    if (type !== 'vector') {
      throw fail(expr, `subquery is only allowed on instant vector, got ${spoken[type]} instead`)
    }
    return 'matrix'
  }

  function checkCall(expr: Call): ValueType {
    const signature = functionSignatures.get(expr.name)
    if (signature === undefined) throw fail(expr, `unknown function with name "${expr.name}"`)
    if (signature.experimental) requireFeature(expr, `function "${expr.name}"`)
    checkCount(expr, signature)
    // The second argument of `info` selects `target_info` unless it names another metric.
    if (expr.name === 'info' && expr.args[1] !== undefined) described.add(unwrap(expr.args[1]))
    for (const [i, argument] of expr.args.entries()) {
      const wanted = signature.args[Math.min(i, signature.args.length - 1)]!
      expect(argument, wanted, `call to function "${expr.name}"`)
    }
    if (expr.name === 'info' && expr.args[1] !== undefined && unwrap(expr.args[1]).kind !== 'selector') {
      throw fail(expr.args[1], 'expected label selectors only as the second argument of "info"')
    }
    return signature.returns
  }

  function checkCount(expr: Call, { args, optional }: Signature): void {
    const found = expr.args.length
    const least = args.length - Math.abs(optional)
    const open = optional < 0
    if (found >= least && (open || found <= args.length)) return
    const wanted = open
      ? `at least ${least}`
      : optional > 0
        ? `${found > args.length ? 'at most' : 'at least'} ${found > args.length ? args.length : least}`
        : `${args.length}`
    throw fail(expr, `expected ${wanted} argument(s) in call to "${expr.name}", got ${found}`)
  }

  function checkAggregation(expr: Aggregation): ValueType {
    if (experimentalAggregations.has(expr.op)) requireFeature(expr, `aggregation "${expr.op}"`)
    expect(expr.expr, 'vector', 'aggregation expression')
    const wanted = aggregationParameters.get(expr.op)
    if ((wanted === undefined) !== (expr.param === undefined)) {
      const expected = wanted === undefined ? 1 : 2
      throw fail(
        expr,
        `wrong number of arguments for aggregate expression provided, expected ${expected}, got ${expr.param === undefined ? 1 : 2}`
      )
    }
    if (wanted !== undefined) expect(expr.param!, wanted, 'aggregation parameter')
    return 'vector'
  }

  function checkBinary(expr: Binary): ValueType {
    const types = [check(expr.left), check(expr.right)] as const
    for (const [i, type] of types.entries()) {
      if (type === 'scalar' || type === 'vector') continue
      throw fail(
        i === 0 ? expr.left : expr.right,
        'binary expression must contain only scalar and instant vector types'
      )
    }
    const { on, labels, include, card, fill } = expr.matching
    if (fill.left !== undefined || fill.right !== undefined) requireFeature(expr, 'the fill modifier')
    const vectors = types.every(type => type === 'vector')
    const isSet = setOperators.has(expr.op)
    if (isSet && !vectors) throw fail(expr, `set operator "${expr.op}" not allowed in binary scalar expression`)
    if (!vectors && (on || labels.length > 0 || include.length > 0 || (!isSet && card !== 'one-to-one'))) {
      throw fail(expr, 'vector matching only allowed between instant vectors')
    }
    const scalars = types.every(type => type === 'scalar')
    if (scalars && ['==', '!=', '<', '>', '<=', '>='].includes(expr.op) && !expr.bool) {
      throw fail(expr, 'comparisons between scalars must use BOOL modifier')
    }
    return scalars ? 'scalar' : 'vector'
  }

  return check(expr)
}
