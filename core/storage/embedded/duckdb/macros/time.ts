// Times, by the names other databases have.
import type { Macros } from './index.ts'

/** A text in the zone of the session, or a time, as a time in UTC. */
const asTime = (x: string) =>
  `CASE WHEN typeof(${x}) = 'VARCHAR' THEN timezone('UTC', CAST(CAST(${x} AS VARCHAR) AS TIMESTAMPTZ)) ELSE CAST(CAST(${x} AS VARCHAR) AS TIMESTAMP) END`

const isTime = (x: string) => `typeof(${x}) = 'VARCHAR' OR typeof(${x}) LIKE 'TIMESTAMP%' OR typeof(${x}) = 'DATE'`

/** Texts and times as they are, numbers as counted from 1970. */
const counted = (type: string, unit: string, ofNumber: string) =>
  `CASE WHEN ${isTime('x')} THEN CAST(${unit === '' ? asTime('x') : `date_trunc('${unit}', ${asTime('x')})`} AS ${type}) ELSE CAST(${ofNumber} AS ${type}) END`

const integer = 'CAST(CAST(x AS VARCHAR) AS BIGINT)'

/** Slots of a length, counted from an origin, in the type of the time. */
const bin = (origin: string) => `cast_to_type(time_bucket(i, t, ${origin}), t)`
const moment = (x: string) =>
  `CASE typeof(${x}) WHEN 'TIMESTAMP WITH TIME ZONE' THEN timezone('UTC', CAST(${x} AS TIMESTAMPTZ)) ELSE CAST(${x} AS TIMESTAMP) END`

/** DuckDB's own clock has a zone, and compares with no column. */
const clock = "timezone('UTC', system.main.now())"

export const timeMacros: Macros = {
  'now()': clock,
  'get_current_timestamp()': clock,
  'transaction_timestamp()': clock,
  'date_bin(i, t)': bin("TIMESTAMP '1970-01-01'"),
  'date_bin(i, t, origin)': bin(moment('origin')),
  'date_format(t, form)': 'strftime(t, form)',
  'to_char(t, form)': `CASE WHEN contains(form, '%') THEN strftime(t, form)
    ELSE error('to_char takes patterns such as YYYY only as a constant: ' || form) END`,
  'to_unixtime(x)': `CAST(floor(epoch(${asTime('x')})) AS BIGINT)`,
  'to_timestamp(x)': counted(
    'TIMESTAMP',
    '',
    'make_timestamp(CAST(CAST(CAST(x AS VARCHAR) AS DOUBLE) * 1000000 AS BIGINT))'
  ),
  'to_timestamp_seconds(x)': counted('TIMESTAMP_S', 'second', `make_timestamp(${integer} * 1000000)`),
  'to_timestamp_millis(x)': counted('TIMESTAMP_MS', 'millisecond', `make_timestamp(${integer} * 1000)`),
  'to_timestamp_micros(x)': counted('TIMESTAMP', '', `make_timestamp(${integer})`),
  'to_timestamp_nanos(x)': counted('TIMESTAMP_NS', '', `make_timestamp_ns(${integer})`),
  'from_unixtime(x)': 'make_timestamp(CAST(x AS BIGINT) * 1000000)',
  'to_date(x)': 'CAST(x AS DATE)',
  'tz(t)': 't',
  'tz(t, zone)': `timezone(zone, timezone('UTC', CAST(t AS TIMESTAMP)))`
}
