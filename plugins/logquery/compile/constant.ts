// Constants as SQL, in the type of the value they are compared with.
import {
  convertTime,
  type Dialect,
  parseTimestamp,
  type RegexBudget,
  type SqlParameters,
  type TimestampType,
  type TimeUnit,
  type Zone
} from '../../../core/index.ts'
import { atPath, type Scalar, shown, wrong } from '../document/node.ts'
import type { Comparison } from '../document/tree.ts'
import { unitOf, type Value } from './value.ts'

export interface Writing {
  readonly parameters: SqlParameters
  readonly dialect: Dialect
  /** Zone of times without one. */
  readonly zone: Zone
  readonly regexes: RegexBudget
}

/** SQL that compares a value with a constant. */
export function compareSql(writing: Writing, value: Value, op: Comparison, constant: Scalar, path: string): string {
  if (value.kind !== 'time') return `(${operand(writing, value)} ${op} ${constantSql(writing, value, constant, path)})`
  const unit = unitOf(value)
  const { ticks, exact } = ticksOf(writing, unit, constant, path)
  if (exact) return `(${value.sql} ${op} ${timeSql(writing, value.type, ticks)})`
  // A time between two ticks of the column's unit equals no value; the result is null for null.
  if (op === '=') return `(${value.sql} IS NULL AND NULL)`
  if (op === '<>') return `(${value.sql} IS NOT NULL OR NULL)`
  const below = op === '<' || op === '<='
  return `(${value.sql} ${below ? '<=' : '>'} ${timeSql(writing, value.type, ticks)})`
}

/** SQL for `time IN (constants)`; each constant has its path. Constants between two ticks of the column's unit are left out. */
export function timeInSql(
  writing: Writing,
  value: Value,
  constants: readonly (readonly [constant: Scalar, path: string])[]
): string {
  const times = constants.map(([constant, path]) => ticksOf(writing, unitOf(value), constant, path))
  const list = times.flatMap(({ ticks, exact }) => (exact ? timeSql(writing, value.type, ticks) : []))
  return list.length === 0 ? `(${value.sql} IS NULL AND NULL)` : `(${value.sql} IN (${list.join(', ')}))`
}

/** JSON is compared as text. */
export function operand({ dialect }: Pick<Writing, 'dialect'>, value: Value): string {
  return value.kind === 'json' ? dialect.text(value.sql) : value.sql
}

/** SQL of a constant that must be a value of this type. */
export function constantSql(writing: Writing, target: Value, constant: Scalar, path: string): string {
  const { parameters } = writing
  switch (target.kind) {
    case 'text':
    case 'json':
      return parameters.add(String(constant))
    case 'integer':
      return integerSql(writing, constant, path, target)
    case 'float':
      return floatSql(writing, constant, path, target)
    case 'decimal':
      return decimalSql(writing, constant, path, target)
    case 'boolean':
      return booleanSql(parameters, constant, path, target)
    case 'date': {
      const { ticks } = ticksOf(writing, 's', typeof constant === 'bigint' ? constant * 86_400n : constant, path)
      return writing.dialect.date(parameters.add(clamp(floorDivide(ticks, 86_400n), 100_000_000n)))
    }
    case 'time': {
      const { ticks } = ticksOf(writing, unitOf(target), constant, path)
      return timeSql(writing, target.type, ticks)
    }
  }
  throw wrong(path, `${target.name} is ${target.type}, which is compared with nothing`)
}

/** The constant as a number, whatever it is compared with. */
export function numberSql(writing: Writing, constant: Scalar, path: string): string {
  const whole = wholeOf(constant)
  if (whole !== undefined) return wholeSql(writing, whole)
  return writing.parameters.add(numberOf(constant, path, 'a number'))
}

function integerSql(writing: Writing, constant: Scalar, path: string, { name, type }: Value): string {
  const whole = wholeOf(constant)
  if (whole !== undefined) return wholeSql(writing, whole)
  return writing.parameters.add(numberOf(constant, path, `a number, because ${name} is ${type}`))
}

function wholeSql({ parameters, dialect }: Writing, whole: bigint): string {
  if (BigInt.asIntN(64, whole) === whole) return parameters.add(whole)
  return dialect.wideInteger(parameters.add(String(clamp(whole, 2n ** 126n))))
}

function wholeOf(constant: Scalar): bigint | undefined {
  if (typeof constant === 'bigint') return constant
  if (typeof constant === 'number' && Number.isInteger(constant)) return BigInt(constant)
  return typeof constant === 'string' && /^\s*[+-]?\d{1,100}\s*$/.test(constant)
    ? BigInt(constant.replace('+', ''))
    : undefined
}

const number = /^\s*[+-]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:e[+-]?\d{1,5})?\s*$/i
const words: Readonly<Record<string, number>> = { nan: Number.NaN, inf: Infinity, '+inf': Infinity, '-inf': -Infinity }

function numberOf(constant: Scalar, path: string, wanted: string): number {
  if (typeof constant === 'number') return constant
  if (typeof constant === 'bigint') return Number(constant)
  if (typeof constant === 'string') {
    if (number.test(constant)) return Number(constant)
    const word = words[constant.trim().toLowerCase()]
    if (word !== undefined) return word
  }
  throw wrong(path, `expected ${wanted}, found ${shown(String(constant))}`)
}

function floatSql(writing: Writing, constant: Scalar, path: string, { name, type }: Value): string {
  const sql = writing.parameters.add(numberOf(constant, path, `a number, because ${name} is ${type}`))
  return type === 'Float32' ? writing.dialect.cast(sql, type) : sql
}

function decimalSql({ parameters, dialect }: Writing, constant: Scalar, path: string, { name, type }: Value): string {
  const text = String(constant).trim()
  if (/^[+-]?\d{1,28}(?:\.\d{1,10})?$/.test(text)) return dialect.cast(parameters.add(text), 'Decimal(38, 10)')
  return parameters.add(numberOf(constant, path, `a number, because ${name} is ${type}`))
}

function booleanSql(parameters: SqlParameters, constant: Scalar, path: string, { name, type }: Value): string {
  if (typeof constant === 'boolean') return parameters.add(constant)
  const text = String(constant).trim().toLowerCase()
  if (text === 'true' || text === '1') return parameters.add(true)
  if (text === 'false' || text === '0') return parameters.add(false)
  throw wrong(path, `expected true or false, because ${name} is ${type}, found ${shown(String(constant))}`)
}

/** A time in a unit, rounded towards the past: numbers are in that unit, texts are parsed. */
function ticksOf(
  { zone }: Pick<Writing, 'zone'>,
  unit: TimeUnit,
  constant: Scalar,
  path: string
): { readonly ticks: bigint; readonly exact: boolean } {
  const whole = wholeOf(constant)
  if (whole !== undefined) return { ticks: whole, exact: true }
  if (typeof constant !== 'string') throw wrong(path, `expected a time, found ${constant}`)
  const ns = atPath(path, () => parseTimestamp(constant, zone))
  const ticks = convertTime(ns, 'ns', unit)
  return { ticks, exact: convertTime(ticks, unit, 'ns') === ns }
}

/** A time constant in the column's type, clamped to its range. */
export function timeSql(
  { parameters, dialect }: Pick<Writing, 'parameters' | 'dialect'>,
  type: string,
  ticks: bigint
): string {
  return dialect.time(type as TimestampType, ticks, value => parameters.add(value))
}

function clamp(value: bigint, max: bigint): bigint {
  return value > max ? max : value < -max ? -max : value
}

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by
  return value < 0n && quotient * by !== value ? quotient - 1n : quotient
}
