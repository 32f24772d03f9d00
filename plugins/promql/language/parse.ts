// The parser of PromQL, compatible with Prometheus. Types are checked later.
import { type Aggregation, type At, comparisons, type Expr, type Matcher, type Matching, setOperators } from './ast.ts'
import { Cursor, type ParseLimits } from './cursor.ts'
import { readOffset, readRange } from './duration.ts'
import { QueryError } from './error.ts'
import { hasPattern, patternProblem } from './matcher.ts'
import { isOperator, Operands } from './operators.ts'
import { type Postfix, withPostfix } from './postfix.ts'
import { aggregationParameters, aggregations, functionSignatures } from './signature.ts'

export type { ParseLimits } from './cursor.ts'

/** Parses a query without checking types. Throws QueryError. */
export function parse(text: string, limits: ParseLimits): Expr {
  if (text.length > limits.length) {
    const message = `the query has ${text.length} characters, at most ${limits.length} are read (plugins.promql.max_query_length)`
    throw new QueryError(text, limits.length, message)
  }
  const cursor = new Cursor(text, limits)
  const { kind: first } = cursor.token
  if (first === 'end') throw new QueryError(text, 0, 'no expression found in input')
  const expr = readExpr(cursor)
  if (cursor.token.kind !== 'end') throw cursor.unexpected()
  return expr
}

function readExpr(cursor: Cursor): Expr {
  return cursor.deeper(() => {
    const operands = new Operands()
    for (;;) {
      for (let { text, start } = cursor.token; text === '+' || text === '-'; { text, start } = cursor.token) {
        cursor.next()
        cursor.count()
        operands.sign(text, start)
      }
      operands.operand(readOperand(cursor))
      const op = cursor.word || (cursor.token.kind === 'operator' ? cursor.token.text : '')
      if (!isOperator(op)) return operands.finish()
      cursor.count()
      const { start } = cursor.next()
      const bool = cursor.skipWord('bool')
      if (bool && !comparisons.has(op)) {
        throw cursor.error(start, 'bool modifier can only be used on comparison operators')
      }
      operands.operator({ op, bool, matching: readMatching(cursor, op) })
    }
  })
}

/** An operand with everything that follows it. */
function readOperand(cursor: Cursor): Expr {
  let expr = readPrimary(cursor)
  for (;;) {
    const { start } = cursor.token
    const postfix = readPostfix(cursor)
    if (postfix === undefined) return expr
    cursor.count()
    const result = withPostfix(expr, postfix, cursor.end)
    if (typeof result === 'string') throw cursor.error(start, result)
    expr = result
  }
}

function readPrimary(cursor: Cursor): Expr {
  const { token, word } = cursor
  const { kind, text, start } = token
  if (kind === 'number') return { kind: 'number', value: cursor.number(cursor.next()), start, end: token.end }
  if (kind === 'string') return { kind: 'string', value: cursor.string(cursor.next()), start, end: token.end }
  if (text === '{') return readSelector(cursor, undefined)
  if (cursor.skip('(')) {
    const expr = readExpr(cursor)
    cursor.expect(')')
    return { kind: 'paren', expr, start, end: cursor.end }
  }
  if (kind !== 'identifier') throw cursor.unexpected()
  const follower = cursor.following
  const isCalled = follower.text === '(' && follower.kind === 'bracket'
  const isGrouped = follower.kind === 'identifier' && /^(by|without)$/i.test(follower.text)
  if (aggregations.has(word) && (isCalled || isGrouped)) return readAggregation(cursor)
  if (isCalled && !reserved.has(word)) {
    if (!functionSignatures.has(text)) throw cursor.error(start, `unknown function with name "${text}"`)
    cursor.next()
    const args = readArguments(cursor)
    if (text === 'label_replace') countReplaced(cursor, args[4])
    return { kind: 'call', name: text, args, start, end: cursor.end }
  }
  if (numbers.has(word)) return { kind: 'number', value: cursor.number(cursor.next()), start, end: token.end }
  if (reserved.has(word)) throw cursor.unexpected()
  cursor.next()
  return readSelector(cursor, token)
}

const numbers: ReadonlySet<string> = new Set(['inf', 'nan'])
/** Keywords that cannot be metric names without quotes. */
const reserved: ReadonlySet<string> = new Set(['bool', 'on', 'ignoring', 'group_left', 'group_right', 'atan2'])

/** `name` is the metric name, if it was consumed already. */
function readSelector(cursor: Cursor, name: { readonly text: string; readonly start: number } | undefined): Expr {
  const start = name?.start ?? cursor.token.start
  const matchers: Matcher[] = name === undefined ? [] : [{ name: '__name__', op: '=', value: name.text }]
  if (cursor.skip('{')) {
    while (!cursor.skip('}')) {
      matchers.push(readMatcher(cursor))
      if (cursor.skip(',')) continue
      cursor.expect('}')
      break
    }
  }
  const other = name === undefined ? undefined : matchers.slice(1).find(matcher => matcher.name === '__name__')
  if (other !== undefined) {
    const both = `${JSON.stringify(name!.text)} or ${JSON.stringify(other.value)}`
    throw cursor.error(start, `metric name must not be set twice: ${both}`)
  }
  return { kind: 'selector', ...(name && { name: name.text }), matchers, offset: 0, start, end: cursor.end }
}

const matchOperators: ReadonlySet<string> = new Set(['=', '!=', '=~', '!~'])

function readMatcher(cursor: Cursor): Matcher {
  const { token } = cursor
  if (token.kind !== 'identifier' && token.kind !== 'string') throw cursor.unexpected()
  cursor.next()
  const name = token.kind === 'string' ? cursor.string(token) : token.text
  const op = cursor.token.text
  if (!matchOperators.has(op)) {
    // A string alone is the metric name.
    if (token.kind === 'string' && (op === ',' || op === '}')) return { name: '__name__', op: '=', value: name }
    throw cursor.unexpected()
  }
  cursor.next()
  if (cursor.token.kind !== 'string') throw cursor.unexpected()
  const matcher = { name, op: op as Matcher['op'], value: cursor.string(cursor.next()) }
  if (hasPattern(matcher)) cursor.countPattern(matcher.value, token.start)
  const problem = patternProblem(matcher)
  if (problem !== undefined) throw cursor.error(token.start, problem)
  return matcher
}

function readAggregation(cursor: Cursor): Aggregation {
  const { text, start } = cursor.next()
  const before = readGrouping(cursor)
  const args = readArguments(cursor)
  const { without, grouping } = before ?? readGrouping(cursor) ?? { without: false, grouping: [] }
  const [first, second] = args
  if (first === undefined) throw cursor.error(start, 'no arguments for aggregate expression provided')
  if (args.length > 2) {
    const wanted = aggregationParameters.has(text.toLowerCase()) ? 2 : 1
    const problem = `expected ${wanted}, got ${args.length}`
    throw cursor.error(start, `wrong number of arguments for aggregate expression provided, ${problem}`)
  }
  return {
    kind: 'aggregation',
    op: text.toLowerCase(),
    expr: second ?? first,
    ...(second && { param: first }),
    grouping,
    without,
    start,
    end: cursor.end
  }
}

function readGrouping(cursor: Cursor) {
  const { word } = cursor
  if (word !== 'by' && word !== 'without') return undefined
  cursor.next()
  return { without: word === 'without', grouping: readLabels(cursor) }
}

/** A trailing comma is allowed. */
function readLabels(cursor: Cursor): readonly string[] {
  const labels: string[] = []
  cursor.expect('(')
  while (!cursor.skip(')')) {
    const { token } = cursor
    if (token.kind === 'string') labels.push(cursor.string(token))
    else if (token.kind === 'identifier' && !token.text.includes(':')) labels.push(token.text)
    else throw cursor.unexpected()
    cursor.next()
    if (cursor.skip(',')) continue
    cursor.expect(')')
    break
  }
  return labels
}

function readArguments(cursor: Cursor): readonly Expr[] {
  const args: Expr[] = []
  cursor.expect('(')
  if (cursor.skip(')')) return args
  do args.push(readExpr(cursor))
  while (cursor.skip(','))
  cursor.expect(')')
  return args
}

/** Counts the regular expression of `label_replace`. */
function countReplaced(cursor: Cursor, pattern: Expr | undefined): void {
  if (pattern?.kind === 'paren') countReplaced(cursor, pattern.expr)
  else if (pattern?.kind === 'string') cursor.countPattern(pattern.value, pattern.start)
}

function readMatching(cursor: Cursor, op: string): Matching {
  const { word, token } = cursor
  const on = word === 'on'
  const many = setOperators.has(op)
  let labels: readonly string[] = []
  let include: readonly string[] = []
  let card: Matching['card'] = many ? 'many-to-many' : 'one-to-one'
  if (on || word === 'ignoring') {
    cursor.next()
    labels = readLabels(cursor)
    const side = cursor.word
    if (side === 'group_left' || side === 'group_right') {
      if (many) throw cursor.error(token.start, `no grouping allowed for "${op}" operation`)
      cursor.next()
      card = side === 'group_left' ? 'many-to-one' : 'one-to-many'
      if (cursor.token.text === '(') include = readLabels(cursor)
    }
  }
  const twice = on ? include.find(label => labels.includes(label)) : undefined
  if (twice !== undefined) {
    throw cursor.error(token.start, `label "${twice}" must not occur in ON and GROUP clause at once`)
  }
  return { card, on, labels, include, fill: readFill(cursor, many) }
}

function readFill(cursor: Cursor, many: boolean): Matching['fill'] {
  const fill: { left?: number; right?: number } = {}
  for (let { word } = cursor; /^fill(_left|_right)?$/.test(word); { word } = cursor) {
    if (cursor.following.text !== '(') break
    const { start } = cursor.next()
    if (many) throw cursor.error(start, 'filling in missing series not allowed for set operators')
    cursor.expect('(')
    const sign = cursor.skip('-') ? -1 : 1
    if (sign === 1) cursor.skip('+')
    if (cursor.token.kind !== 'number' && !numbers.has(cursor.word)) throw cursor.unexpected()
    const value = sign * cursor.number(cursor.next())
    cursor.expect(')')
    if (word !== 'fill_right') fill.left = value
    if (word !== 'fill_left') fill.right = value
  }
  return fill
}

function readPostfix(cursor: Cursor): Postfix | undefined {
  const { word } = cursor
  if (cursor.skipWord('offset')) return { offset: readOffset(cursor) }
  if (cursor.skip('@')) return { at: readAt(cursor) }
  if (word === 'anchored' || word === 'smoothed') {
    cursor.next()
    return { boundary: word }
  }
  if (!cursor.skip('[')) return undefined
  const range = readRange(cursor)
  if (cursor.skip(']')) return { range }
  cursor.expect(':')
  if (cursor.skip(']')) return { subquery: { range } }
  const step = readRange(cursor)
  cursor.expect(']')
  return { subquery: { range, step } }
}

function readAt(cursor: Cursor): At {
  const { word } = cursor
  if (word === 'start' || word === 'end') {
    cursor.next()
    cursor.expect('(')
    cursor.expect(')')
    return word
  }
  const sign = cursor.skip('-') ? -1 : 1
  if (sign === 1) cursor.skip('+')
  const { token } = cursor
  if (token.kind !== 'number' && !numbers.has(cursor.word)) throw cursor.unexpected()
  const seconds = sign * cursor.number(cursor.next())
  if (!Number.isFinite(seconds) || Math.abs(seconds) > Number.MAX_SAFE_INTEGER / 1_000) {
    throw cursor.error(token.start, `timestamp out of bounds for @ modifier: ${seconds}`)
  }
  return Math.round(seconds * 1_000)
}
