// ClickHouse's SQL.
import { type TimestampType, timeUnit, unitsPerSecond } from '../../model/types.ts'
import { bareType, quoteName, quoteText, timeInteger } from '../clickhouse/names.ts'
import type { Dialect, JsonPath } from './dialect.ts'
import { quotedJson } from './quoted-json.ts'

const call = (name: string, ...args: readonly (string | undefined)[]) =>
  `${name}(${args.filter(each => each !== undefined).join(', ')})`
const castTo = (sql: string, type: string) => `CAST(${sql} AS Nullable(${type}))`
const whole = (sql: string) => `toInt128(${sql})`
const maxInt64 = 2n ** 63n - 1n

/** The types of rows of constants, by DuckDB's words for them. */
const types: Readonly<Record<string, string>> = {
  BIGINT: 'Int64',
  BOOLEAN: 'Bool',
  DOUBLE: 'Float64',
  INT: 'Int32',
  TIMESTAMP_MS: "DateTime64(3, 'UTC')",
  TIMESTAMP_NS: "DateTime64(9, 'UTC')",
  TIMESTAMP_S: "DateTime64(0, 'UTC')",
  UBIGINT: 'UInt64',
  UINTEGER: 'UInt32',
  VARCHAR: 'String'
}

/** Steps of a path as arguments: elements are counted from 1. */
function pathArguments(path: JsonPath, constant: (text: string) => string): string {
  return path.map(step => `, ${typeof step === 'number' ? step + 1 : constant(step)}`).join('')
}

/** Whole microseconds of a time, towards the past. */
function microseconds(type: TimestampType, time: string): string {
  const ticks = timeInteger(type, time)
  const per = { s: '* 1000000', ms: '* 1000', us: '', ns: '' }[timeUnit(type)]
  return timeUnit(type) === 'ns' ? floorDivide(ticks, 1000n) : `(${ticks} ${per})`
}

function floorDivide(value: string, by: bigint): string {
  return `intDiv(${value} - positiveModulo(${value}, ${by}), ${by})`
}

function ofMicroseconds(type: TimestampType, value: string): string {
  const unit = timeUnit(type)
  const ticks =
    unit === 'us'
      ? value
      : unit === 'ns'
        ? `(${value}) * 1000`
        : floorDivide(`(${value})`, unit === 's' ? 1_000_000n : 1000n)
  return fromTicks(type, ticks)
}

function fromTicks(type: TimestampType, ticks: string): string {
  return `reinterpret(toInt64(${ticks}), ${quoteText(bareType(type))})`
}

/** Of less than two values there is none. */
function ofTwo(sql: string): string {
  return `if(isNaN(${sql}), NULL, ${sql})`
}

export const clickhouse: Dialect = {
  name: 'clickhouse',
  backslashEscapes: true,
  quoteName,
  quoteText,
  quoteBytes: digits => `unhex(${quoteText(digits)})`,

  cast: (sql, type) => castTo(sql, bareType(type)),
  tryCast: (sql, type) => `accurateCastOrNull(${sql}, ${quoteText(bareType(type))})`,
  text: sql => call('toString', sql),
  result: (sql, type) => castTo(sql, bareType(type)),
  wideInteger: sql => whole(sql),

  time: (type, ticks, constant) => {
    const value = ticks > maxInt64 ? maxInt64 : ticks < -maxInt64 ? -maxInt64 : ticks
    return fromTicks(type, constant(value))
  },
  ticks: (type, time) => timeInteger(type, time),
  milliseconds: time => `toUnixTimestamp64Milli(${time})`,
  nanoseconds: time => `toUnixTimestamp64Nano(toDateTime64(${time}, 9, 'UTC'))`,
  later: (time, interval) => `(${time} + ${interval})`,
  date: days => `CAST(toInt32(${days}) AS Date32)`,
  truncate: (type, unit, time) => `toDateTime64(dateTrunc(${unit}, ${time}), ${digits(type)}, 'UTC')`,
  bucket(type, width, time) {
    const value = microseconds(type, time)
    return ofMicroseconds(type, `${value} - positiveModulo(${value}, ${width})`)
  },
  seconds: (type, time) => floorDivide(timeInteger(type, time), unitsPerSecond[timeUnit(type)]),

  lower: text => call('lowerUTF8', text),
  upper: text => call('upperUTF8', text),
  length: text => `toInt64(lengthUTF8(${text}))`,
  reverse: text => call('reverseUTF8', text),
  trim: (text, end) => call(end === undefined ? 'trimBoth' : end === 'left' ? 'trimLeft' : 'trimRight', text),
  md5: text => `lower(hex(MD5(${text})))`,
  left: (text, count) => call('leftUTF8', text, count),
  right: (text, count) => call('rightUTF8', text, count),
  substring: (text, from, length) => call('substringUTF8', text, from, length),
  splitPart: (text, by, part) => `splitByString(${by}, assumeNotNull(${text}))[${part}]`,
  position: (text, part) => `toInt64(positionUTF8(${text}, ${part}))`,
  concat: texts => call('concat', ...texts.map(text => `ifNull(${text}, '')`)),
  contains: (text, part) => `(position(${text}, ${part}) > 0)`,
  startsWith: (text, part) => call('startsWith', text, part),
  endsWith: (text, part) => call('endsWith', text, part),

  // A dot finds the end of a line here, unless it is told not to.
  pattern: regex => `(?-s)${regex}`,
  matches: (text, pattern) => call('match', text, pattern),
  extract: (text, pattern, group) =>
    `if(match(${text}, ${pattern}), regexpExtract(${text}, ${pattern}, toInt64(${group})), NULL)`,
  replaceAll: (text, pattern, by) => call('replaceRegexpAll', text, pattern, by),
  escapeRegex: text => call('regexpQuoteMeta', text),

  jsonText(json, path, constant) {
    const at = `${json}${pathArguments(path, constant)}`
    const type = `JSONType(${at})`
    return `multiIf(${type} = 'Null', NULL, ${type} = 'String', JSONExtractString(${at}), JSONExtractRaw(${at}))`
  },
  jsonListHas: (json, path, text, constant) =>
    `arrayExists(element -> ifNull(${clickhouse.jsonText('element', path, constant)} = ${text}, false), JSONExtractArrayRaw(assumeNotNull(${json})))`,
  base64: bytes => call('base64Encode', bytes),

  isTrue: sql => `(ifNull(toUInt8(${sql}), 0) = 1)`,
  isFalse: sql => `(ifNull(toUInt8(${sql}), 1) = 0)`,
  calculate(left, op, right, isWhole) {
    if (!isWhole) return `(toFloat64(${left}) ${op} toFloat64(${right}))`
    const [a, b] = [whole(left), whole(right)]
    const value = op === '/' ? `intDivOrNull(${a}, ${b})` : op === '%' ? `moduloOrNull(${a}, ${b})` : `${a} ${op} ${b}`
    return `accurateCastOrNull(${value}, 'Int64')`
  },
  round: (value, digits) => `round(toFloat64(${value}), ${digits})`,

  countIf: condition => call('countIf', condition),
  anyTrue: sql => call('max', sql),
  countDistinctAbout: value => call('uniq', value),
  argMin: (value, by) => call('argMin', value, by),
  argMax: (value, by) => call('argMax', value, by),
  min: value => call('minOrNull', value),
  max: value => call('maxOrNull', value),
  standardDeviation: (value, of) =>
    of === 'sample' ? ofTwo(call('stddevSamp', value)) : ofTwo(call('stddevPop', value)),
  variance: value => ofTwo(call('varSamp', value)),
  median: value => `quantileExactInclusive(0.5)(${value})`,
  quantile: (value, fraction) => `quantileTDigest(${fraction})(toFloat64(${value}))`,

  *rows(columns, cells) {
    const typed = columns.map(
      ([name, type], i) =>
        `CAST(tupleElement(cells, ${i + 1}) AS Nullable(${types[type] ?? 'String'})) AS ${quoteName(name)}`
    )
    const count = cells[0]?.length ?? 0
    const rows: unknown[] = []
    for (let row = 0; row < count; row++) {
      rows.push(cells.map(list => list[row] ?? null))
      if (row % 1024 === 1023) yield
    }
    const json = yield* quotedJson(rows, quoteText)
    const tuple = `Array(Tuple(${columns.map(() => 'Nullable(String)').join(', ')}))`
    const held = `arrayJoin(JSONExtract('${json}', ${quoteText(tuple)}))`
    return `(SELECT ${typed.join(', ')} FROM (SELECT ${held} AS cells))`
  }
}

function digits(type: TimestampType): number {
  return { s: 0, ms: 3, us: 6, ns: 9 }[timeUnit(type)]
}
