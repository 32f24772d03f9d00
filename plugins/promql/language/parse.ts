// The text of a query as a tree: the grammar is the Prometheus project's own, what it leaves open is settled here.
import type { SyntaxNode } from '@lezer/common'
import { parser } from '@prometheus-io/lezer-promql'
import type { Aggregation, At, Duration, Expr, Matcher, Matching, VectorSelector } from './ast.ts'
import { comparisons, setOperators } from './ast.ts'
import { constantDuration, readDuration } from './duration.ts'
import { QueryError } from './error.ts'
import { fillGaps } from './grammar-gap.ts'
import { parseNumber, unquote } from './literal.ts'
import { shiftInto, withOperator } from './precedence.ts'

/** Longest query that is looked at, in characters, and how deep it may nest. */
export interface ParseLimits {
  readonly length: number
  readonly depth: number
}

/** Parses a query without looking at types. Throws QueryError. */
export function parse(text: string, limits: ParseLimits): Expr {
  if (text.length > limits.length) {
    throw new QueryError(
      text,
      limits.length,
      `the query has ${text.length} characters, at most ${limits.length} are read`
    )
  }
  const tree = parser.parse(fillGaps(text))
  const root = tree.topNode
  refuseErrors(text, root)
  const child = root.firstChild
  if (child === null) throw new QueryError(text, 0, 'no expression found in input')
  return new Reader(text, limits.depth).expr(child)
}

function refuseErrors(text: string, root: SyntaxNode): void {
  const cursor = root.cursor()
  do {
    if (!cursor.type.isError) continue
    const found = text.slice(cursor.from, Math.max(cursor.to, cursor.from + 1)).trim()
    const rest = text.slice(cursor.from).trim()
    if (text.trim() === '') throw new QueryError(text, 0, 'no expression found in input')
    throw new QueryError(
      text,
      cursor.from,
      rest === '' ? 'unexpected end of input' : `unexpected ${JSON.stringify(found || rest[0])}`
    )
  } while (cursor.next())
}

class Reader {
  readonly #text: string
  #left: number

  constructor(text: string, depth: number) {
    this.#text = text
    this.#left = depth
  }

  expr(node: SyntaxNode): Expr {
    if (--this.#left < 0) throw this.#error(node, 'the query nests too deep')
    const expr = this.#read(node)
    this.#left++
    return expr
  }

  #read(node: SyntaxNode): Expr {
    switch (node.name) {
      case 'NumberDurationLiteral':
        return { kind: 'number', value: this.#number(node), ...span(node) }
      case 'StringLiteral':
        return { kind: 'string', value: this.#string(node), ...span(node) }
      case 'VectorSelector':
        return this.#selector(node)
      case 'ParenExpr':
        return { kind: 'paren', expr: this.expr(node.firstChild!), ...span(node) }
      case 'UnaryExpr':
        return {
          kind: 'unary',
          op: this.#slice(node.firstChild!) as '+' | '-',
          expr: this.expr(node.lastChild!),
          ...span(node)
        }
      case 'BinaryExpr':
        return this.#binary(node)
      case 'FunctionCall':
        return {
          kind: 'call',
          name: this.#slice(node.firstChild!),
          args: this.#arguments(node.lastChild!),
          ...span(node)
        }
      case 'AggregateExpr':
        return this.#aggregation(node)
      default:
        return this.#postfix(node)
    }
  }

  /** What follows an operand binds to the last operand alone, which the grammar does not know. */
  #postfix(node: SyntaxNode): Expr {
    const operand = this.expr(node.firstChild!)
    const error = (message: string) => this.#error(node, message)
    switch (node.name) {
      case 'OffsetExpr':
        return shiftInto(operand, node.to, { offset: this.#duration(node.lastChild!) }, error)
      case 'StepInvariantExpr':
        return shiftInto(operand, node.to, { at: this.#at(node) }, error)
      case 'AnchoredExpr':
      case 'SmoothedExpr':
        return shiftInto(operand, node.to, { boundary: node.name === 'AnchoredExpr' ? 'anchored' : 'smoothed' }, error)
      case 'MatrixSelector':
        return shiftInto(operand, node.to, { range: this.#positive(node.lastChild!) }, error)
      case 'SubqueryExpr': {
        const [range, step] = node.getChildren('DurationExpr')
        const subquery = { range: this.#positive(range!), ...(step && { step: this.#positive(step) }) }
        return shiftInto(operand, node.to, { subquery }, error)
      }
      default:
        throw this.#error(node, `unexpected ${node.name}`)
    }
  }

  #selector(node: SyntaxNode): VectorSelector {
    const identifier = node.getChild('Identifier')
    const matchers: Matcher[] = []
    let name = identifier === null ? undefined : this.#slice(identifier)
    if (name !== undefined) matchers.push({ name: '__name__', op: '=', value: name })
    for (const child of node.getChild('LabelMatchers')?.getChildren('QuotedLabelName') ?? []) {
      if (name !== undefined) throw this.#error(child, 'metric name must not be set twice')
      name = this.#string(child.firstChild!)
      matchers.push({ name: '__name__', op: '=', value: name })
    }
    for (let child = node.getChild('LabelMatchers')?.firstChild; child; child = child.nextSibling) {
      if (child.name.endsWith('LabelMatcher')) matchers.push(this.#matcher(child))
    }
    if (identifier !== null && matchers.slice(1).some(({ name, op }) => name === '__name__' && op === '=')) {
      throw this.#error(node, `metric name must not be set twice: ${JSON.stringify(name)}`)
    }
    return { kind: 'selector', ...(identifier && { name: name! }), matchers, offset: 0, ...span(node) }
  }

  #matcher(node: SyntaxNode): Matcher {
    const label = node.firstChild!
    const name = label.name === 'QuotedLabelName' ? this.#string(label.firstChild!) : this.#slice(label)
    const op = this.#slice(node.getChild('MatchOp')!) as Matcher['op']
    return { name, op, value: this.#string(node.lastChild!) }
  }

  #aggregation(node: SyntaxNode): Aggregation {
    const op = this.#slice(node.getChild('AggregateOp')!).toLowerCase()
    const args = this.#arguments(node.getChild('FunctionCallBody')!)
    const modifier = node.getChild('AggregateModifier')
    const expr = args.at(-1)
    if (expr === undefined) throw this.#error(node, `no arguments for aggregate expression provided`)
    if (args.length > 2)
      throw this.#error(
        node,
        `wrong number of arguments for aggregate expression provided, expected 1 or 2, got ${args.length}`
      )
    return {
      kind: 'aggregation',
      op,
      expr,
      ...(args.length === 2 && { param: args[0]! }),
      grouping: modifier === null ? [] : this.#labels(modifier.getChild('GroupingLabels')!),
      without: modifier?.getChild('Without') != null,
      ...span(node)
    }
  }

  #binary(node: SyntaxNode): Expr {
    const left = this.expr(node.firstChild!)
    const operator = node.firstChild!.nextSibling!
    const op = this.#slice(operator).toLowerCase()
    const bool = node.getChild('BoolModifier') !== null
    if (bool && !comparisons.has(op))
      throw this.#error(operator, 'bool modifier can only be used on comparison operators')
    return withOperator(left, { op, bool, matching: this.#matching(node, op) }, this.expr(node.lastChild!))
  }

  #matching(node: SyntaxNode, op: string): Matching {
    const clause = node.getChild('MatchingModifierClause')
    const [labels, include] = clause?.getChildren('GroupingLabels') ?? []
    const left = clause?.getChild('GroupLeft') != null
    const right = clause?.getChild('GroupRight') != null
    const many = setOperators.has(op)
    if (many && (left || right)) throw this.#error(clause!, `no grouping allowed for "${op}" operation`)
    const on = clause?.getChild('On') != null
    const matching: Matching = {
      card: many ? 'many-to-many' : left ? 'many-to-one' : right ? 'one-to-many' : 'one-to-one',
      on,
      labels: labels ? this.#labels(labels) : [],
      include: include ? this.#labels(include) : [],
      fill: this.#fill(node.getChild('FillModifier'), many)
    }
    const twice = on ? matching.include.find(label => matching.labels.includes(label)) : undefined
    if (twice !== undefined)
      throw this.#error(clause!, `label "${twice}" must not occur in ON and GROUP clause at once`)
    return matching
  }

  #fill(node: SyntaxNode | null, many: boolean): Matching['fill'] {
    if (node === null) return {}
    if (many) throw this.#error(node, 'filling in missing series not allowed for set operators')
    const value = (clause: string) => {
      const number = node.getChild(clause)?.getChild('NumberDurationLiteral')
      return number ? this.#number(number) : undefined
    }
    const both = value('FillClause')
    const [left, right] = [value('FillLeftClause') ?? both, value('FillRightClause') ?? both]
    return { ...(left !== undefined && { left }), ...(right !== undefined && { right }) }
  }

  #labels(node: SyntaxNode): string[] {
    const labels: string[] = []
    for (let child = node.firstChild; child; child = child.nextSibling) {
      if (child.name === 'LabelName') labels.push(this.#slice(child))
      else if (child.name === 'QuotedLabelName') labels.push(this.#string(child.firstChild!))
    }
    return labels
  }

  #arguments(node: SyntaxNode): Expr[] {
    const args: Expr[] = []
    for (let child = node.firstChild; child; child = child.nextSibling) args.push(this.expr(child))
    return args
  }

  #at(node: SyntaxNode): At {
    const named = node.getChild('AtModifierPreprocessors')
    if (named !== null) return this.#slice(named).toLowerCase() as 'start' | 'end'
    const seconds = this.#number(node.getChild('NumberDurationLiteral') ?? node.lastChild!)
    if (!Number.isFinite(seconds) || Math.abs(seconds) > Number.MAX_SAFE_INTEGER / 1_000) {
      throw this.#error(node, `timestamp out of bounds for @ modifier: ${seconds}`)
    }
    return Math.round(seconds * 1_000)
  }

  #positive(node: SyntaxNode): Duration {
    const duration = this.#duration(node)
    if (typeof duration === 'number' && duration <= 0) throw this.#error(node, 'duration must be greater than 0')
    return duration
  }

  #duration(node: SyntaxNode): Duration {
    const expr = readDuration(
      node,
      child => this.#number(child),
      child => this.#slice(child)
    )
    const value = constantDuration(expr)
    if (value !== undefined && !Number.isFinite(value)) throw this.#error(node, 'duration out of range')
    return value === undefined ? expr : Math.round(value * 1_000)
  }

  #number(node: SyntaxNode): number {
    const value = parseNumber(this.#slice(node))
    if (value === undefined) throw this.#error(node, `error parsing number: ${this.#slice(node)}`)
    return value
  }

  #string(node: SyntaxNode): string {
    const value = unquote(this.#slice(node))
    if (value === undefined) throw this.#error(node, 'unterminated quoted string or invalid escape')
    return value
  }

  #slice(node: SyntaxNode): string {
    return this.#text.slice(node.from, node.to)
  }

  #error(node: SyntaxNode, message: string): QueryError {
    return new QueryError(this.#text, node.from, message)
  }
}

function span(node: SyntaxNode) {
  return { start: node.from, end: node.to }
}
