// The functions a query may call: what they take, what they give, and their SQL.
import { type ColumnType, parseDuration, type SqlValue } from '../../../core/index.ts'
import { shown, wrong } from '../document/node.ts'
import { patternOf } from './pattern.ts'
import type { Value } from './value.ts'

/**
 * What an argument is read as. `any`: as it is; `same`: constants as the first that is none; `pattern`, `path`, `unit`, `duration`, `fraction`:
 * constants.
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

/** An argument as SQL, with its value where it is none of the constants. */
export interface Argument {
  readonly sql: string
  readonly value?: Value
}

export interface FunctionDefinition {
  readonly args: readonly ArgumentKind[]
  /** How many of them may be left out. */
  readonly optional?: number
  /** The last one may come again. */
  readonly variadic?: true
  readonly type: ColumnType | ((args: readonly Argument[]) => ColumnType)
  readonly sql: (args: readonly string[], types: readonly ColumnType[]) => string
  /** Its text is as long as all arguments together. */
  readonly joins?: true
}

const call =
  (name: string) =>
  (args: readonly string[]): string =>
    `${name}(${args.join(', ')})`

const ofText = (name: string, type: ColumnType = 'String'): FunctionDefinition => ({
  args: ['text'],
  type,
  sql: call(name)
})
const textTest = (name: string): FunctionDefinition => ({ args: ['text', 'text'], type: 'Boolean', sql: call(name) })
const ofNumber = (name: string, type?: ColumnType): FunctionDefinition => ({
  args: ['number'],
  type: type ?? firstType,
  sql: call(name)
})
const json = (kind: string, type: ColumnType): FunctionDefinition => ({
  args: ['text', 'path'],
  type,
  sql: ([text, path]) => `TRY_CAST(json_extract_string(TRY_CAST(${text} AS JSON), ${path}) AS ${kind})`
})
const oneOf = (name: string): FunctionDefinition => ({
  args: ['same', 'same'],
  variadic: true,
  type: firstType,
  sql: call(name)
})

/** Places in a text, from the argument `first` on, are longer than none: the engine fails for some of those. */
function part(name: string, first: number): FunctionDefinition['sql'] {
  const place = (sql: string) => `greatest(least(${sql}, 1000000000), -1000000000)`
  return args => call(name)(args.map((sql, i) => (i < first ? sql : place(sql))))
}

function firstType(args: readonly Argument[]): ColumnType {
  return args.find(({ value }) => value !== undefined)?.value?.type ?? 'String'
}

/** A time back in the type that came in. */
const timeAgain = (sql: string, [type]: readonly ColumnType[]) =>
  `CAST(${sql} AS ${engineTimes[type as 'TimestampSecond']})`

const engineTimes = {
  TimestampSecond: 'TIMESTAMP_S',
  TimestampMillisecond: 'TIMESTAMP_MS',
  TimestampMicrosecond: 'TIMESTAMP',
  TimestampNanosecond: 'TIMESTAMP_NS'
} as const

export const scalarFunctions: Readonly<Record<string, FunctionDefinition>> = {
  lower: ofText('lower'),
  upper: ofText('upper'),
  trim: ofText('trim'),
  ltrim: ofText('ltrim'),
  rtrim: ofText('rtrim'),
  reverse: ofText('reverse'),
  md5: ofText('md5'),
  length: ofText('length', 'Int64'),
  char_length: ofText('length', 'Int64'),
  left: { args: ['text', 'integer'], type: 'String', sql: part('"left"', 1) },
  right: { args: ['text', 'integer'], type: 'String', sql: part('"right"', 1) },
  substr: { args: ['text', 'integer', 'integer'], optional: 1, type: 'String', sql: part('substr', 1) },
  split_part: { args: ['text', 'text', 'integer'], type: 'String', sql: part('split_part', 2) },
  strpos: { args: ['text', 'text'], type: 'Int64', sql: call('strpos') },
  concat: { args: ['text'], variadic: true, type: 'String', sql: call('concat'), joins: true },
  starts_with: textTest('starts_with'),
  ends_with: textTest('ends_with'),
  contains: textTest('contains'),
  regexp_match: { args: ['text', 'pattern'], type: 'Boolean', sql: call('regexp_matches') },
  regexp_extract: { args: ['text', 'pattern', 'integer'], optional: 1, type: 'String', sql: extract },
  coalesce: oneOf('coalesce'),
  greatest: oneOf('greatest'),
  least: oneOf('least'),
  nullif: { args: ['same', 'same'], type: firstType, sql: call('nullif') },
  abs: ofNumber('abs'),
  ceil: ofNumber('ceil'),
  floor: ofNumber('floor'),
  round: { args: ['number', 'integer'], optional: 1, type: 'Float64', sql: round },
  date_trunc: {
    args: ['unit', 'time'],
    type: timeType,
    sql: ([unit, time], types) => timeAgain(`date_trunc(${unit}, ${time})`, types.slice(1))
  },
  date_bin: { args: ['duration', 'time'], type: timeType, sql: bin },
  to_unixtime: { args: ['time'], type: 'Int64', sql: ([time]) => `CAST(floor(epoch(${time})) AS BIGINT)` },
  to_string: { args: ['any'], type: 'String', sql: ([value]) => `CAST(${value} AS VARCHAR)` },
  json_get_string: json('VARCHAR', 'String'),
  json_get_int: json('BIGINT', 'Int64'),
  json_get_float: json('DOUBLE', 'Float64'),
  json_get_bool: json('BOOLEAN', 'Boolean')
}

function timeType(args: readonly Argument[]): ColumnType {
  return args[1]!.value!.type
}

/** A group that took no part, and no match, is null. */
function extract([text, pattern, group = '0']: readonly string[]): string {
  return `CASE WHEN regexp_matches(${text}, ${pattern}) THEN regexp_extract(${text}, ${pattern}, CAST(${group} AS INTEGER)) END`
}

function round([value, digits = '0']: readonly string[]): string {
  return `round(CAST(${value} AS DOUBLE), CAST(${digits} AS INTEGER))`
}

/** Counted from 1970. */
function bin([width, time]: readonly string[], types: readonly ColumnType[]): string {
  const from = "TIMESTAMP '1970-01-01'"
  return timeAgain(`time_bucket(to_microseconds(${width}), CAST(${time} AS TIMESTAMP), ${from})`, types.slice(1))
}

const aggregate = (
  name: string,
  args: readonly ArgumentKind[],
  type: FunctionDefinition['type']
): FunctionDefinition => ({
  args,
  type,
  sql: call(name)
})

export const aggregateFunctions: Readonly<Record<string, FunctionDefinition>> = {
  count: { args: ['any'], optional: 1, type: 'Int64', sql: ([value = '*']) => `count(${value})` },
  count_distinct: { args: ['any'], type: 'Int64', sql: ([value]) => `count(DISTINCT ${value})` },
  approx_distinct: aggregate('approx_count_distinct', ['any'], 'Int64'),
  sum: aggregate('sum', ['number'], firstType),
  avg: aggregate('avg', ['number'], 'Float64'),
  mean: aggregate('avg', ['number'], 'Float64'),
  min: aggregate('min', ['any'], firstType),
  max: aggregate('max', ['any'], firstType),
  stddev: aggregate('stddev_samp', ['number'], 'Float64'),
  stddev_pop: aggregate('stddev_pop', ['number'], 'Float64'),
  variance: aggregate('var_samp', ['number'], 'Float64'),
  median: aggregate('median', ['number'], 'Float64'),
  approx_percentile: {
    args: ['number', 'fraction'],
    type: 'Float64',
    sql: ([value, fraction]) => `approx_quantile(CAST(${value} AS DOUBLE), ${fraction})`
  }
}

/** Aggregates that ask which row came first or last: they need the time of rows. */
export const timedFunctions: Readonly<Record<string, string>> = { first_value: 'arg_min', last_value: 'arg_max' }

export type ConstantKind = 'pattern' | 'path' | 'unit' | 'duration' | 'fraction'

const truncations = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year']

/** What a constant of one of these kinds means to the engine. Throws for what it is not. */
export function specialConstant(kind: ConstantKind, constant: unknown, path: string): SqlValue {
  if (kind === 'fraction') {
    const fraction = Number(constant)
    if (fraction >= 0 && fraction <= 1) return fraction
    throw wrong(path, 'expected a number from 0 to 1')
  }
  if (typeof constant !== 'string') throw wrong(path, `expected a text, a constant, found ${String(constant)}`)
  if (kind === 'pattern') return patternOf(constant, path)
  if (kind === 'path') return jsonPath(constant, path)
  if (kind === 'unit') {
    if (truncations.includes(constant.toLowerCase())) return constant.toLowerCase()
    throw wrong(path, `unknown unit ${shown(constant)}, expected one of ${truncations.join(', ')}`)
  }
  const milliseconds = parseDuration(constant)
  if (milliseconds !== undefined && milliseconds >= 0.001 && milliseconds <= 1e13)
    return BigInt(Math.round(milliseconds * 1e3))
  throw wrong(path, `expected a duration such as 5m, found ${shown(constant)}`)
}

/** `user.id`, `items[0].name`, with `$.` before it or without. */
function jsonPath(text: string, path: string): string {
  const written = text.replace(/^\$\.?/, '')
  if (written.length > 1000 || !/^(?:[\w-]+|\[\d{1,9}\])(?:\.[\w-]+|\[\d{1,9}\])*$/.test(written)) {
    throw wrong(path, `expected a path such as user.id or items[0].name, found ${shown(text)}`)
  }
  return `$${written.replace(/\.?([\w-]+)(?![\w-]*\])/g, '."$1"')}`
}
