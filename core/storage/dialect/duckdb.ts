// DuckDB's SQL, which the embedded engine runs.
import { quoteName, quoteText } from '../../model/sql-text.ts'
import { type ColumnType, isTimestamp, sqlTypeName, type TimestampType, timeUnit } from '../../model/types.ts'
import type { Steps } from '../../pace.ts'
import type { Dialect, JsonPath } from './dialect.ts'
import { quotedJson } from './quoted-json.ts'

/** Its words for times without a zone. */
export const timeTypes = { s: 'TIMESTAMP_S', ms: 'TIMESTAMP_MS', us: 'TIMESTAMP', ns: 'TIMESTAMP_NS' } as const
const otherTypes: Partial<Record<ColumnType, string>> = {
  String: 'VARCHAR',
  Boolean: 'BOOLEAN',
  Float32: 'FLOAT',
  Float64: 'DOUBLE',
  UInt8: 'UTINYINT',
  UInt16: 'USMALLINT',
  UInt32: 'UINTEGER',
  UInt64: 'UBIGINT'
}
const perMicrosecond = { s: 1_000_000n, ms: 1_000n, us: 1n, ns: 1n } as const

/** Its word for a type of a column. */
export function duckdbType(type: ColumnType): string {
  return isTimestamp(type) ? timeTypes[timeUnit(type)] : (otherTypes[type] ?? sqlTypeName(type))
}

const call = (name: string, ...args: readonly (string | undefined)[]) =>
  `${name}(${args.filter(each => each !== undefined).join(', ')})`
const castTo = (sql: string, type: string) => `CAST(${sql} AS ${type})`

/** Positions in a text, longer than none: the engine fails for some of those. */
const clampIndex = (sql: string) => `greatest(least(${sql}, 1000000000), -1000000000)`

function clamp(value: bigint, max: bigint): bigint {
  return value > max ? max : value < -max ? -max : value
}

/** Of members any name: `$."a b"[0]`. */
function jsonPath(path: JsonPath): string {
  return `$${path.map(step => (typeof step === 'number' ? `[${step}]` : `."${step}"`)).join('')}`
}

/** A JSON pointer: paths know no way to write every name. */
function pointer(path: JsonPath): string {
  return path.map(step => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

export const duckdb: Dialect = {
  name: 'duckdb',
  backslashEscapes: false,
  quoteName,
  quoteText,
  quoteBytes: digits => `CAST(${quoteText(digits.replace(/../g, '\\x$&'))} AS BLOB)`,

  cast: (sql, type) => castTo(sql, duckdbType(type)),
  tryCast: (sql, type) => `TRY_CAST(${sql} AS ${duckdbType(type)})`,
  text: sql => castTo(sql, 'VARCHAR'),
  result: sql => sql,
  wideInteger: sql => castTo(sql, 'HUGEINT'),

  time(type, ticks, constant) {
    const unit = timeUnit(type)
    if (unit === 'ns') return `make_timestamp_ns(${constant(clamp(ticks, 2n ** 63n - 2n))})`
    const microseconds = constant(clamp(ticks * perMicrosecond[unit], 9_220_000_000_000_000_000n))
    return `make_timestamp(${microseconds})${unit === 'us' ? '' : `::${timeTypes[unit]}`}`
  },
  ticks(type, time) {
    const unit = timeUnit(type)
    return castTo(unit === 's' ? `epoch_ms(${time}) // 1000` : `epoch_${unit}(${time})`, 'BIGINT')
  },
  milliseconds: time => `epoch_ms(${time})`,
  nanoseconds: time => `epoch_ns(${time})`,
  later: (time, interval) => `CAST(${time} AS TIMESTAMP) + ${interval}`,
  date: days => `(DATE '1970-01-01' + CAST(${days} AS INTEGER))`,
  truncate: (type, unit, time) => timeAgain(`date_trunc(${unit}, ${time})`, type),
  bucket: (type, microseconds, time) =>
    timeAgain(
      `time_bucket(to_microseconds(${microseconds}), CAST(${time} AS TIMESTAMP), TIMESTAMP '1970-01-01')`,
      type
    ),
  seconds: (_type, time) => castTo(`floor(epoch(${time}))`, 'BIGINT'),

  lower: text => call('lower', text),
  upper: text => call('upper', text),
  length: text => call('length', text),
  reverse: text => call('reverse', text),
  trim: (text, end) => call(`${end?.[0] ?? ''}trim`, text),
  md5: text => call('md5', text),
  left: (text, count) => call('"left"', text, clampIndex(count)),
  right: (text, count) => call('"right"', text, clampIndex(count)),
  substring: (text, from, length) => call('substr', text, clampIndex(from), length && clampIndex(length)),
  splitPart: (text, by, part) => call('split_part', text, by, clampIndex(part)),
  position: (text, part) => call('strpos', text, part),
  concat: texts => call('concat', ...texts),
  contains: (text, part) => call('contains', text, part),
  startsWith: (text, part) => call('starts_with', text, part),
  endsWith: (text, part) => call('ends_with', text, part),

  pattern: regex => regex,
  matches: (text, pattern) => call('regexp_matches', text, pattern),
  extract: (text, pattern, group) =>
    `CASE WHEN regexp_matches(${text}, ${pattern}) THEN regexp_extract(${text}, ${pattern}, CAST(${group} AS INTEGER)) END`,
  replaceAll: (text, pattern, by) => `regexp_replace(${text}, ${pattern}, ${by}, 'g')`,
  escapeRegex: text => call('regexp_escape', text),

  jsonText(json, path, constant) {
    const plain = path.every(step => typeof step === 'number' || /^[\w-]+$/.test(step))
    return `json_extract_string(${json}, ${constant(plain ? jsonPath(path) : pointer(path))})`
  },
  jsonListHas: (json, path, text, constant) =>
    `list_contains(json_extract_string(${json}, ${constant(`$[*]${jsonPath(path).slice(1)}`)}), ${text})`,
  base64: bytes => call('base64', bytes),

  isTrue: sql => `(${sql} IS true)`,
  isFalse: sql => `(${sql} IS false)`,
  calculate: (left, op, right, whole) => `TRY(${left} ${op === '/' && whole ? '//' : op} ${right})`,
  round: (value, digits) => `round(CAST(${value} AS DOUBLE), CAST(${digits} AS INTEGER))`,

  countIf: condition => `count(*) FILTER (${condition})`,
  anyTrue: sql => call('bool_or', sql),
  countDistinctAbout: value => call('approx_count_distinct', value),
  argMin: (value, by) => call('arg_min', value, by),
  argMax: (value, by) => call('arg_max', value, by),
  min: value => call('min', value),
  max: value => call('max', value),
  standardDeviation: (value, of) => call(of === 'sample' ? 'stddev_samp' : 'stddev_pop', value),
  variance: value => call('var_samp', value),
  median: value => call('median', value),
  quantile: (value, fraction) => `approx_quantile(CAST(${value} AS DOUBLE), ${fraction})`,

  rows: (columns, cells) => duckdbRows(columns, cells)
}

/**
 * Rows of columns, each with its name and DuckDB's type, from the texts of their cells column by column. One text of JSON instead of thousands
 * of constants: the engine reads it faster than SQL. `cast` makes a value of a type from the text in a column.
 */
export function* duckdbRows(
  columns: Parameters<Dialect['rows']>[0],
  cells: Parameters<Dialect['rows']>[1],
  cast: (column: string, type: string) => string = castTo
): Steps<string> {
  if (cells[0] === undefined || cells[0].length === 0) {
    const nothing = columns.map(([name, type]) => `CAST(NULL AS ${type}) AS ${quoteName(name)}`).join(', ')
    return `(SELECT ${nothing} WHERE false)`
  }
  const lists: number[] = []
  const members: string[] = []
  const typed: string[] = []
  for (const [i, [name, type]] of columns.entries()) {
    const list = cells[i]!
    const [first = null] = list
    yield
    // A value that all rows share is written once; the first column gives their number.
    const isList = i === 0 || list.some(cell => cell !== first)
    const value = isList ? `c${i}` : first === null ? 'NULL' : quoteText(first)
    typed.push(`${cast(value, type)} AS ${quoteName(name)}`)
    if (!isList) continue
    lists.push(i)
    members.push(`"c${i}":${yield* quotedJson(list, quoteText)}`)
  }
  const structure = lists.map(i => `"c${i}":["VARCHAR"]`).join(',')
  const unnested = lists.map(i => `unnest(held.c${i}) AS c${i}`).join(', ')
  const held = `SELECT from_json('{${members.join(',')}}', ${quoteText(`{${structure}}`)}) AS held`
  return `(SELECT ${typed.join(', ')} FROM (SELECT ${unnested} FROM (${held}) AS one) AS rows)`
}

/** A time back in the type that came in. */
function timeAgain(sql: string, type: TimestampType): string {
  return castTo(sql, timeTypes[timeUnit(type)])
}
