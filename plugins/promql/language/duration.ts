// Duration expressions: `[2 * step()]`, `offset min_of(5m, range())`. Anything but a literal is experimental.
import type { Duration, DurationExpr } from './ast.ts'
import type { Cursor } from './cursor.ts'

/** Parses an expression that must give a duration above 0. */
export function readRange(cursor: Cursor): Duration {
  const { start } = cursor.token
  const duration = toDuration(cursor, start, readSum(cursor))
  const value = typeof duration === 'number' ? duration : (constantDuration(duration) ?? 1)
  if (value <= 0) throw cursor.error(start, 'duration must be greater than 0')
  return duration
}

/** Parses the operand of `offset`: a number, or an expression in parentheses. */
export function readOffset(cursor: Cursor): Duration {
  const { start } = cursor.token
  return toDuration(cursor, start, readSigned(cursor))
}

/** Evaluates constants at once. */
function toDuration(cursor: Cursor, start: number, expr: DurationExpr): Duration {
  const value = constantDuration(expr)
  if (value !== undefined && !(Math.abs(value) < maxSeconds)) throw cursor.error(start, 'duration out of range')
  const inner = expr.kind === 'negative' ? expr.operand : expr
  return inner.kind === 'seconds' ? Math.round(value! * 1_000) : expr
}

function readSum(cursor: Cursor): DurationExpr {
  let left = readProduct(cursor)
  for (let op = cursor.token.text; op === '+' || op === '-'; op = cursor.token.text) {
    cursor.next()
    cursor.count()
    left = { kind: op, left, right: readProduct(cursor) }
  }
  return left
}

function readProduct(cursor: Cursor): DurationExpr {
  let left = readSigned(cursor)
  for (let op = cursor.token.text; op === '*' || op === '/' || op === '%'; op = cursor.token.text) {
    cursor.next()
    cursor.count()
    left = { kind: op, left, right: readSigned(cursor) }
  }
  return left
}

/** Unary signs bind less tightly than powers. */
function readSigned(cursor: Cursor): DurationExpr {
  if (cursor.skip('-')) {
    const operand = cursor.deeper(() => readSigned(cursor))
    return { kind: 'negative', operand }
  }
  if (cursor.skip('+')) return cursor.deeper(() => readSigned(cursor))
  const left = readPrimary(cursor)
  if (!cursor.skip('^')) return left
  cursor.count()
  return { kind: '^', left, right: cursor.deeper(() => readSigned(cursor)) }
}

function readPrimary(cursor: Cursor): DurationExpr {
  const { token, word } = cursor
  if (token.kind === 'number') return { kind: 'seconds', value: cursor.number(cursor.next()) }
  if (cursor.skip('(')) {
    const inner = cursor.deeper(() => readSum(cursor))
    cursor.expect(')')
    return inner
  }
  if (word === 'step' || word === 'range') {
    cursor.next()
    cursor.expect('(')
    cursor.expect(')')
    return { kind: word }
  }
  if (word !== 'min_of' && word !== 'max_of') throw cursor.unexpected()
  cursor.next()
  cursor.expect('(')
  const left = cursor.deeper(() => readSum(cursor))
  cursor.expect(',')
  const right = cursor.deeper(() => readSum(cursor))
  cursor.expect(')')
  return { kind: word, left, right }
}

/** Maximum duration, about 292 years. */
const maxSeconds = 2 ** 63 / 1e9

/** The value in seconds if it depends neither on step nor range. */
function constantDuration(expr: DurationExpr): number | undefined {
  return evaluate(expr, undefined)
}

/** Milliseconds in a query with this step and range (milliseconds). */
export function resolveDuration(duration: Duration, query: { readonly step: number; readonly range: number }): number {
  if (typeof duration === 'number') return duration
  return Math.round(evaluate(duration, query)! * 1_000)
}

function evaluate(
  expr: DurationExpr,
  query: { readonly step: number; readonly range: number } | undefined
): number | undefined {
  if (expr.kind === 'seconds') return expr.value
  if (!('left' in expr) && expr.kind !== 'negative') return query && query[expr.kind] / 1_000
  if (expr.kind === 'negative') {
    const value = evaluate(expr.operand, query)
    return value === undefined ? undefined : -value
  }
  const [left, right] = [evaluate(expr.left, query), evaluate(expr.right, query)]
  return left === undefined || right === undefined ? undefined : arithmetic[expr.kind](left, right)
}

const arithmetic = {
  '+': (a: number, b: number) => a + b,
  '-': (a: number, b: number) => a - b,
  '*': (a: number, b: number) => a * b,
  '/': (a: number, b: number) => a / b,
  '%': (a: number, b: number) => a % b,
  '^': (a: number, b: number) => a ** b,
  min_of: Math.min,
  max_of: Math.max
}

/** Whether it is anything but a literal. */
export function isComputed(duration: Duration | undefined): boolean {
  return typeof duration === 'object'
}
