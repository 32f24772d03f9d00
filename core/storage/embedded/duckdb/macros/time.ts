// Time functions under the names of other databases.
import type { Macros } from './index.ts'

/** A text in the session's time zone, or a time, as a UTC time. */
const asTime = (x: string) =>
  `CASE WHEN typeof(${x}) = 'VARCHAR' THEN timezone('UTC', CAST(CAST(${x} AS VARCHAR) AS TIMESTAMPTZ)) ELSE CAST(CAST(${x} AS VARCHAR) AS TIMESTAMP) END`

const isTime = (x: string) => `typeof(${x}) = 'VARCHAR' OR typeof(${x}) LIKE 'TIMESTAMP%' OR typeof(${x}) = 'DATE'`

/** Texts and times as they are; numbers count from 1970. */
const counted = (type: string, unit: string, ofNumber: string) =>
  `CASE WHEN ${isTime('x')} THEN CAST(${unit === '' ? asTime('x') : `date_trunc('${unit}', ${asTime('x')})`} AS ${type}) ELSE CAST(${ofNumber} AS ${type}) END`

const integer = 'CAST(CAST(x AS VARCHAR) AS BIGINT)'

/** Buckets of a length, counted from an origin, in the type of the time. */
const bin = (origin: string) => `cast_to_type(time_bucket(i, t, ${origin}), t)`
const moment = (x: string) =>
  `CASE typeof(${x}) WHEN 'TIMESTAMP WITH TIME ZONE' THEN timezone('UTC', CAST(${x} AS TIMESTAMPTZ)) ELSE CAST(${x} AS TIMESTAMP) END`

/** DuckDB's own clock has a time zone and cannot be compared with columns. */
const clock = "timezone('UTC', system.main.now())"

/** A text parsed by a format, in the session's time zone unless it has an offset, as a UTC time. */
const parsed = "timezone('UTC', CAST(strptime(x, form) AS TIMESTAMPTZ))"

/** The local time of a moment in the session's time zone. */
const localTime = (x: string) =>
  `CASE typeof(${x}) WHEN 'TIMESTAMP WITH TIME ZONE' THEN timezone(current_setting('TimeZone'), CAST(${x} AS TIMESTAMPTZ)) ELSE CAST(${x} AS TIMESTAMP) END`

export const timeMacros: Macros = {
  'now()': clock,
  'get_current_timestamp()': clock,
  'transaction_timestamp()': clock,
  'clock_timestamp()': clock,
  'statement_timestamp()': clock,
  'current_time()': `CAST(${clock} AS TIME)`,
  'date_bin(i, t)': bin("TIMESTAMP '1970-01-01'"),
  'date_bin(i, t, origin)': bin(moment('origin')),
  'date_bin_wallclock(i, t)': bin("TIMESTAMP '1970-01-01'"),
  'date_bin_wallclock(i, t, origin)': bin(moment('origin')),
  'date_format(t, form)': 'strftime(t, form)',
  // date_trunc with a zone in which days and months begin. It has its own name, because one macro would hide all forms of DuckDB's function.
  'date_trunc_in(part, t, zone)': `timezone('UTC', timezone(zone, date_trunc(part, timezone(zone, timezone('UTC', ${moment('t')})))))`,
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
  'to_timestamp(x, form)': parsed,
  'to_timestamp_seconds(x, form)': `CAST(${parsed} AS TIMESTAMP_S)`,
  'to_timestamp_millis(x, form)': `CAST(${parsed} AS TIMESTAMP_MS)`,
  'to_timestamp_micros(x, form)': parsed,
  'to_timestamp_nanos(x, form)': `CAST(${parsed} AS TIMESTAMP_NS)`,
  'to_unixtime(x, form)': `CAST(floor(epoch(${parsed})) AS BIGINT)`,
  'to_date(x, form)': 'CAST(strptime(x, form) AS DATE)',
  'from_unixtime(x)': 'make_timestamp(CAST(x AS BIGINT) * 1000000)',
  'to_date(x)': `CASE WHEN ${isTime('x')} THEN CAST(CAST(x AS VARCHAR) AS DATE) ELSE DATE '1970-01-01' + CAST(CAST(x AS VARCHAR) AS INTEGER) END`,
  'to_local_time(t)': localTime('t'),
  // The operand of AT TIME ZONE: a local time stays as it is, a moment is converted.
  'to_local_time(t, zone)': `CASE typeof(t) WHEN 'TIMESTAMP WITH TIME ZONE' THEN timezone(zone, CAST(t AS TIMESTAMPTZ)) ELSE CAST(t AS TIMESTAMP) END`,
  'date_sub(t, i)': 't - CAST(i AS INTERVAL)',
  'date_sub(part, a, b)': 'system.main.date_sub(part, a, b)',
  'date_subtract(t, i)': 't - CAST(i AS INTERVAL)',
  'make_interval(years := 0, months := 0, weeks := 0, days := 0, hours := 0, mins := 0, secs := 0)':
    'to_years(years) + to_months(months) + to_weeks(weeks) + to_days(days) + to_hours(hours) + to_minutes(mins) + to_seconds(secs)',
  'unix_timestamp(t)': 'CAST(floor(epoch(t)) AS BIGINT)',
  'justify_interval(i)': 'normalized_interval(i)',
  'overlaps(a, b, c, d)': 'least(a, b) < greatest(c, d) AND least(c, d) < greatest(a, b)',
  'to_timezone(t, zone)': `timezone(zone, timezone('UTC', CAST(t AS TIMESTAMP)))`,
  'tz(t)': 't',
  'tz(t, zone)': `timezone(zone, timezone('UTC', CAST(t AS TIMESTAMP)))`
}
