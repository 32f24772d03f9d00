// Operators at run time.
import { type Context, checkOutput } from './context.ts'
import { Failure } from './failure.ts'
import {
  compareTexts,
  equals,
  fromBytes,
  isText,
  type Text,
  Timestamp,
  toBytes,
  typeName,
  type Value
} from './value.ts'

const wrap = (value: bigint) => BigInt.asIntN(64, value)

export function add(context: Context, a: Value, b: Value): Value {
  if (typeof a === 'bigint' && typeof b === 'bigint') return wrap(a + b)
  if (typeof a === 'string' && typeof b === 'string') {
    checkOutput(context, a.length + b.length)
    return a + b
  }
  if (isNumber(a) && isNumber(b)) return float(Number(a) + Number(b))
  if (a === null && isText(b)) return b
  if (isText(a) && b === null) return a
  if (isText(a) && isText(b)) return fromBytes(Buffer.concat([toBytes(a), toBytes(b)]))
  throw new Failure(`can't add type ${typeName(b)} to ${typeName(a)}`)
}

export function subtract(_context: Context, a: Value, b: Value): Value {
  if (typeof a === 'bigint' && typeof b === 'bigint') return wrap(a - b)
  if (isNumber(a) && isNumber(b)) return float(Number(a) - Number(b))
  throw new Failure(`can't subtract type ${typeName(b)} from ${typeName(a)}`)
}

export function multiply(context: Context, a: Value, b: Value): Value {
  if (typeof a === 'bigint' && typeof b === 'bigint') return wrap(a * b)
  if (isNumber(a) && isNumber(b)) return float(Number(a) * Number(b))
  if (isText(a) && typeof b === 'bigint') return repeat(context, a, b)
  if (typeof a === 'bigint' && isText(b)) return repeat(context, b, a)
  throw new Failure(`can't multiply type ${typeName(a)} by ${typeName(b)}`)
}

function repeat(context: Context, text: Text, times: bigint): Value {
  if (times <= 0n || text.length === 0) return ''
  if (times > 2n ** 31n) checkOutput(context, Number.POSITIVE_INFINITY)
  checkOutput(context, text.length * Number(times))
  if (typeof text === 'string') return text.repeat(Number(times))
  return fromBytes(Buffer.alloc(text.length * Number(times), text))
}

export function divide(_context: Context, a: Value, b: Value): Value {
  if (!isNumber(a) || !isNumber(b)) throw new Failure(`can't divide type ${typeName(a)} by ${typeName(b)}`)
  const divisor = Number(b)
  if (divisor === 0) throw new Failure("can't divide by zero")
  return float(Number(a) / divisor)
}

function isNumber(value: Value): value is bigint | number {
  return typeof value === 'bigint' || typeof value === 'number'
}

/** A result of arithmetic; fails for NaN, which is not a value of the language. */
export function float(value: number): number {
  if (Number.isNaN(value)) throw new Failure('operation would produce NaN')
  return value
}

/** Negative, zero or positive; fails for values that have no order. */
export function compare(a: Value, b: Value, operator: string): number {
  if (typeof a === 'bigint' && typeof b === 'bigint') return a < b ? -1 : a > b ? 1 : 0
  if (isNumber(a) && isNumber(b)) return Number(a) < Number(b) ? -1 : Number(a) > Number(b) ? 1 : 0
  if (isText(a) && isText(b)) return compareTexts(a, b)
  if (a instanceof Timestamp && b instanceof Timestamp) return a.ns < b.ns ? -1 : a.ns > b.ns ? 1 : 0
  throw new Failure(`can't compare ${typeName(a)} ${operator} ${typeName(b)}`)
}

/** The operator `==`: numbers by their value, everything else by kind and value. */
export function same(a: Value, b: Value): boolean {
  if (typeof a === 'number' && typeof b === 'bigint') return a === Number(b)
  if (typeof a === 'bigint' && typeof b === 'number') return Number(a) === b
  return equals(a, b)
}

export function merge(a: Value, b: Value): Value {
  if (!(a instanceof Map) || !(b instanceof Map))
    throw new Failure(`can't merge type ${typeName(b)} into ${typeName(a)}`)
  const merged = new Map<string, Value>(a)
  for (const [key, value] of b) merged.set(key, value)
  return merged
}

/** The operator `&&` on values that were both evaluated. */
export function both(a: Value, b: Value): boolean {
  if (a === true && typeof b === 'boolean') return b
  if (a === true && b === null) return false
  throw new Failure(`can't perform a logical AND of type ${typeName(a)} with ${typeName(b)}`)
}
