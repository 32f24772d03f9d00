// The functions of queries: arguments, result types and SQL.
import {
  type ColumnType,
  type Dialect,
  type JsonPath,
  parseDuration,
  type RegexBudget,
  type SqlValue,
  type TimestampType
} from '../../../core/index.ts'
import { shown, wrong } from '../document/node.ts'
import { patternOf } from './pattern.ts'
import type { Value } from './value.ts'

/**
 * How an argument is interpreted. `any`: as it is; `same`: constants in the type of the first argument that is not a constant; `pattern`,
 * `path`, `unit`, `duration`, `fraction`: constants.
 */
export type ArgumentKind =
  | 'text'
  | 'number'
  | 'integer'
  | 'time'
  | 'any'
  | 'same'
  | 'pattern'
  | 'path'
  | 'unit'
  | 'duration'
  | 'fraction'

/** An argument as SQL, with its value unless it is a constant. */
export interface Argument {
  readonly sql: string
  readonly value?: Value
}

/** The parts that a function's SQL is written with. */
interface CallContext {
  readonly dialect: Dialect
  readonly types: readonly ColumnType[]
  /** Adds a text to the statement as a constant. */
  readonly constant: (text: string) => string
}

type WriteCall = (args: readonly string[], context: CallContext) => string

export interface FunctionDefinition {
  readonly args: readonly ArgumentKind[]
  /** How many of the last arguments are optional. */
  readonly optional?: number
  /** The last argument may be repeated. */
  readonly variadic?: true
  readonly type: ColumnType | ((args: readonly Argument[]) => ColumnType)
  /** Arguments of the kind `path` are their steps as JSON, all others SQL. */
  readonly sql: WriteCall
  /** The result is as long as all arguments together. */
  readonly joins?: true
}

/** A function with the same name in both dialects. */
const call =
  (name: string): WriteCall =>
  args =>
    `${name}(${args.join(', ')})`

const ofText = (
  write: (dialect: Dialect, text: string) => string,
  type: ColumnType = 'String'
): FunctionDefinition => ({
  args: ['text'],
  type,
  sql: ([text], { dialect }) => write(dialect, text!)
})
const ofTwo = (
  type: ColumnType,
  args: readonly ArgumentKind[],
  write: (dialect: Dialect, a: string, b: string) => string
): FunctionDefinition => ({ args, type, sql: ([a, b], { dialect }) => write(dialect, a!, b!) })
const ofNumber = (name: string, type?: ColumnType): FunctionDefinition => ({
  args: ['number'],
  type: type ?? firstType,
  sql: call(name)
})
const json = (type: ColumnType): FunctionDefinition => ({
  args: ['text', 'path'],
  type,
  sql: ([text, path], { dialect, constant }) =>
    dialect.tryCast(
      dialect.jsonText(dialect.tryCast(text!, 'Json'), JSON.parse(path!) as readonly (string | number)[], constant),
      type
    )
})
const oneOf = (name: string): FunctionDefinition => ({
  args: ['same', 'same'],
  variadic: true,
  type: firstType,
  sql: call(name)
})

function firstType(args: readonly Argument[]): ColumnType {
  return args.find(({ value }) => value !== undefined)?.value?.type ?? 'String'
}

export const scalarFunctions: Readonly<Record<string, FunctionDefinition>> = {
  lower: ofText((dialect, text) => dialect.lower(text)),
  upper: ofText((dialect, text) => dialect.upper(text)),
  trim: ofText((dialect, text) => dialect.trim(text)),
  ltrim: ofText((dialect, text) => dialect.trim(text, 'left')),
  rtrim: ofText((dialect, text) => dialect.trim(text, 'right')),
  reverse: ofText((dialect, text) => dialect.reverse(text)),
  md5: ofText((dialect, text) => dialect.md5(text)),
  length: ofText((dialect, text) => dialect.length(text), 'Int64'),
  char_length: ofText((dialect, text) => dialect.length(text), 'Int64'),
  left: ofTwo('String', ['text', 'integer'], (dialect, text, count) => dialect.left(text, count)),
  right: ofTwo('String', ['text', 'integer'], (dialect, text, count) => dialect.right(text, count)),
  substr: {
    args: ['text', 'integer', 'integer'],
    optional: 1,
    type: 'String',
    sql: ([text, from, length], { dialect }) => dialect.substring(text!, from!, length)
  },
  split_part: {
    args: ['text', 'text', 'integer'],
    type: 'String',
    sql: ([text, by, part], { dialect }) => dialect.splitPart(text!, by!, part!)
  },
  strpos: ofTwo('Int64', ['text', 'text'], (dialect, text, part) => dialect.position(text, part)),
  concat: {
    args: ['text'],
    variadic: true,
    type: 'String',
    sql: (texts, { dialect }) => dialect.concat(texts),
    joins: true
  },
  starts_with: ofTwo('Boolean', ['text', 'text'], (dialect, text, part) => dialect.startsWith(text, part)),
  ends_with: ofTwo('Boolean', ['text', 'text'], (dialect, text, part) => dialect.endsWith(text, part)),
  contains: ofTwo('Boolean', ['text', 'text'], (dialect, text, part) => dialect.contains(text, part)),
  regexp_match: ofTwo('Boolean', ['text', 'pattern'], (dialect, text, pattern) => dialect.matches(text, pattern)),
  regexp_extract: {
    args: ['text', 'pattern', 'integer'],
    optional: 1,
    type: 'String',
    // A group that took no part, and a pattern without a match, give null.
    sql: ([text, pattern, group = '0'], { dialect }) => dialect.extract(text!, pattern!, group)
  },
  coalesce: oneOf('coalesce'),
  greatest: oneOf('greatest'),
  least: oneOf('least'),
  nullif: { args: ['same', 'same'], type: firstType, sql: call('nullif') },
  abs: ofNumber('abs'),
  ceil: ofNumber('ceil'),
  floor: ofNumber('floor'),
  round: {
    args: ['number', 'integer'],
    optional: 1,
    type: 'Float64',
    sql: ([value, digits = '0'], { dialect }) => dialect.round(value!, digits)
  },
  date_trunc: {
    args: ['unit', 'time'],
    type: timeType,
    sql: ([unit, time], { dialect, types }) => dialect.truncate(types[1] as TimestampType, unit!, time!)
  },
  date_bin: {
    args: ['duration', 'time'],
    type: timeType,
    sql: ([width, time], { dialect, types }) => dialect.bucket(types[1] as TimestampType, width!, time!)
  },
  to_unixtime: {
    args: ['time'],
    type: 'Int64',
    sql: ([time], { dialect, types }) => dialect.seconds(types[0] as TimestampType, time!)
  },
  to_string: { args: ['any'], type: 'String', sql: ([value], { dialect }) => dialect.text(value!) },
  json_get_string: json('String'),
  json_get_int: json('Int64'),
  json_get_float: json('Float64'),
  json_get_bool: json('Boolean')
}

function timeType(args: readonly Argument[]): ColumnType {
  return args[1]!.value!.type
}

const aggregate = (
  args: readonly ArgumentKind[],
  type: FunctionDefinition['type'],
  write: (dialect: Dialect, value: string) => string
): FunctionDefinition => ({ args, type, sql: ([value], { dialect }) => write(dialect, value!) })

const average = aggregate(['number'], 'Float64', (_, value) => `avg(${value})`)

export const aggregateFunctions: Readonly<Record<string, FunctionDefinition>> = {
  count: { args: ['any'], optional: 1, type: 'Int64', sql: ([value = '*']) => `count(${value})` },
  count_distinct: aggregate(['any'], 'Int64', (_, value) => `count(DISTINCT ${value})`),
  approx_distinct: aggregate(['any'], 'Int64', (dialect, value) => dialect.countDistinctAbout(value)),
  sum: aggregate(['number'], firstType, (_, value) => `sum(${value})`),
  avg: average,
  mean: average,
  min: aggregate(['any'], firstType, (dialect, value) => dialect.min(value)),
  max: aggregate(['any'], firstType, (dialect, value) => dialect.max(value)),
  stddev: aggregate(['number'], 'Float64', (dialect, value) => dialect.standardDeviation(value, 'sample')),
  stddev_pop: aggregate(['number'], 'Float64', (dialect, value) => dialect.standardDeviation(value, 'population')),
  variance: aggregate(['number'], 'Float64', (dialect, value) => dialect.variance(value)),
  median: aggregate(['number'], 'Float64', (dialect, value) => dialect.median(value)),
  approx_percentile: {
    args: ['number', 'fraction'],
    type: 'Float64',
    sql: ([value, fraction], { dialect }) => dialect.quantile(value!, fraction!)
  }
}

/** Aggregates that return the value of the first or last row by time. */
export const timedFunctions: Readonly<Record<string, 'argMin' | 'argMax'>> = {
  first_value: 'argMin',
  last_value: 'argMax'
}

export type ConstantKind = 'pattern' | 'path' | 'unit' | 'duration' | 'fraction'

const truncations = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year']

/** The engine's form of a constant of one of these kinds. Throws for an invalid one. */
export function specialConstant(
  regexes: RegexBudget,
  kind: Exclude<ConstantKind, 'path'>,
  constant: unknown,
  path: string
): SqlValue {
  if (kind === 'fraction') {
    const fraction = Number(constant)
    if (fraction >= 0 && fraction <= 1) return fraction
    throw wrong(path, 'expected a number from 0 to 1')
  }
  if (typeof constant !== 'string') throw wrong(path, `expected a text, a constant, found ${String(constant)}`)
  if (kind === 'pattern') return patternOf(regexes, constant, path)
  if (kind === 'unit') {
    if (truncations.includes(constant.toLowerCase())) return constant.toLowerCase()
    throw wrong(path, `unknown unit ${shown(constant)}, expected one of ${truncations.join(', ')}`)
  }
  const milliseconds = parseDuration(constant)
  if (milliseconds !== undefined && milliseconds >= 0.001 && milliseconds <= 1e13)
    return BigInt(Math.round(milliseconds * 1e3))
  throw wrong(path, `expected a duration such as 5m, found ${shown(constant)}`)
}

/** The steps of `user.id` or `items[0].name`, with or without a leading `$.`. Throws for an invalid path. */
export function jsonPath(text: unknown, path: string): JsonPath {
  if (typeof text !== 'string') throw wrong(path, `expected a text, a constant, found ${String(text)}`)
  const written = text.replace(/^\$\.?/, '')
  if (written.length > 1000 || !/^(?:[\w-]+|\[\d{1,9}\])(?:\.[\w-]+|\[\d{1,9}\])*$/.test(written)) {
    throw wrong(path, `expected a path such as user.id or items[0].name, found ${shown(text)}`)
  }
  return Array.from(written.matchAll(/\[(\d+)\]|[\w-]+/g), ([name, index]) =>
    index === undefined ? name : Number(index)
  )
}
