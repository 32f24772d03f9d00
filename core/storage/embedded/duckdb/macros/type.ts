// Type functions under the names of other databases.
import type { Macros } from './index.ts'

const named = (names: Readonly<Record<string, string>>, other: string) =>
  `CASE typeof(x) ${Object.entries(names)
    .map(([type, name]) => `WHEN '${type}' THEN '${name}'`)
    .join(' ')} ELSE ${other} END`

const postgres = {
  VARCHAR: 'text',
  BLOB: 'bytea',
  FLOAT: 'real',
  DOUBLE: 'double precision',
  TIMESTAMP: 'timestamp without time zone',
  TIMESTAMP_S: 'timestamp without time zone',
  TIMESTAMP_MS: 'timestamp without time zone',
  TIMESTAMP_NS: 'timestamp without time zone',
  TIME: 'time without time zone',
  '"NULL"': 'unknown'
}

const arrow = {
  BOOLEAN: 'Boolean',
  TINYINT: 'Int8',
  SMALLINT: 'Int16',
  INTEGER: 'Int32',
  BIGINT: 'Int64',
  UTINYINT: 'UInt8',
  USMALLINT: 'UInt16',
  UINTEGER: 'UInt32',
  UBIGINT: 'UInt64',
  FLOAT: 'Float32',
  DOUBLE: 'Float64',
  VARCHAR: 'Utf8',
  BLOB: 'Binary',
  DATE: 'Date32',
  TIME: 'Time64(Microsecond)',
  TIMESTAMP_S: 'Timestamp(Second, None)',
  TIMESTAMP_MS: 'Timestamp(Millisecond, None)',
  TIMESTAMP: 'Timestamp(Microsecond, None)',
  TIMESTAMP_NS: 'Timestamp(Nanosecond, None)',
  'TIMESTAMP WITH TIME ZONE': 'Timestamp(Microsecond, Some("UTC"))',
  INTERVAL: 'Interval(MonthDayNano)',
  '"NULL"': 'Null'
}

export const typeMacros: Macros = {
  'arrow_typeof(x)': named(arrow, 'typeof(x)'),
  // Numbers with a fraction are truncated; others are cast.
  'arrow_whole(x, other)': `CASE WHEN typeof(x) LIKE 'DECIMAL(%' THEN CAST(split_part(CAST(x AS VARCHAR), '.', 1) AS HUGEINT)
    WHEN typeof(x) IN ('FLOAT', 'DOUBLE') THEN CAST(trunc(TRY_CAST(CAST(x AS VARCHAR) AS DOUBLE)) AS HUGEINT) ELSE other END`,
  'pg_typeof(x)': named(postgres, `replace(lower(typeof(x)), 'decimal', 'numeric')`),
  'isnull(x)': 'x IS NULL',
  'nvl(x, other)': 'coalesce(x, other)',
  'nvl2(x, one, other)': 'CASE WHEN x IS NULL THEN other ELSE one END'
}
