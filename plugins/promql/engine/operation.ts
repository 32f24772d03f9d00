// Binary operations on two values: floats, histograms, or one of each.
import { add, subtract } from '../histogram/arithmetic.ts'
import { compact, divide, equals, type Histogram, scale } from '../histogram/histogram.ts'
import { trim } from '../histogram/trim.ts'
import type { Binary } from '../language/ast.ts'
import { comparisons } from '../language/ast.ts'
import type { Evaluation } from './evaluation.ts'

type Sample = number | Histogram

/** The result of an operator; undefined for none. A comparison without `bool` gives the left value where it holds. */
export type Combination = (left: Sample, right: Sample) => Sample | undefined

const operations: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
  '^': power,
  atan2: Math.atan2,
  '==': (a, b) => Number(a === b),
  '!=': (a, b) => Number(a !== b),
  '<': (a, b) => Number(a < b),
  '>': (a, b) => Number(a > b),
  '<=': (a, b) => Number(a <= b),
  '>=': (a, b) => Number(a >= b),
  '</': () => Number.NaN,
  '>/': () => Number.NaN
}

/** IEEE 754 pow returns 1 in these cases, JavaScript NaN. */
function power(base: number, exponent: number): number {
  if (base === 1 || (base === -1 && Math.abs(exponent) === Number.POSITIVE_INFINITY)) return 1
  return base ** exponent
}

/** Whether the result drops the metric's name, because it no longer is a value of that metric. */
export function dropsName({ op, bool }: Pick<Binary, 'op' | 'bool'>): boolean {
  return bool || !(comparisons.has(op) || op === '</' || op === '>/')
}

/** An operation on two numbers; comparisons give 1 or 0. */
export function scalarOperation(op: string): (a: number, b: number) => number {
  return operations[op]!
}

/** Values that cannot be combined get an annotation. */
export function combine(evaluation: Evaluation, expr: Binary): Combination {
  const operation = scalarOperation(expr.op)
  const isFilter = comparisons.has(expr.op) && !expr.bool
  return (left, right) => {
    if (typeof left === 'number' && typeof right === 'number') {
      const found = operation(left, right)
      return isFilter ? (found === 1 ? left : undefined) : found
    }
    if (typeof left === 'object' && typeof right === 'object') return twoHistograms(evaluation, expr, left, right)
    return mixed(evaluation, expr, left, right)
  }
}

function twoHistograms(evaluation: Evaluation, expr: Binary, left: Histogram, right: Histogram): Sample | undefined {
  const { op, bool } = expr
  if (op === '==' || op === '!=') {
    const holds = equals(left, right) === (op === '==')
    if (bool) return Number(holds)
    return holds ? left : undefined
  }
  if (op !== '+' && op !== '-') return incompatible(evaluation, expr, 'histogram', 'histogram')
  const combined = op === '+' ? add(left, right) : subtract(left, right)
  const { annotations } = evaluation
  if (combined === undefined) {
    annotations.warn(expr, `incompatible bucket layout encountered for binary operator ${op}`)
    return undefined
  }
  const during = op === '+' ? 'addition' : 'subtraction'
  if (combined.reconciled) annotations.info(expr, `mismatched custom buckets were reconciled during ${during}`)
  if (combined.collision) annotations.warn(expr, `conflicting counter resets during histogram ${during}`)
  return compact(combined.result)
}

function mixed(evaluation: Evaluation, expr: Binary, left: Sample, right: Sample): Sample | undefined {
  const { op } = expr
  if (typeof left === 'object' && typeof right === 'number') {
    if (op === '*') return scale(left, right)
    if (op === '/') return divide(left, right)
    if (op === '</' || op === '>/') return trim(left, right, op === '</' ? 'upper' : 'lower')
    return incompatible(evaluation, expr, 'histogram', 'float')
  }
  if (op === '*') return scale(right as Histogram, left as number)
  return incompatible(evaluation, expr, 'float', 'histogram')
}

function incompatible(evaluation: Evaluation, expr: Binary, left: string, right: string): undefined {
  const message = `incompatible sample types encountered for binary operator "${expr.op}": ${left} ${expr.op} ${right}`
  evaluation.annotations.info(expr, message)
  return undefined
}
