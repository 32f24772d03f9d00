// Functions of times under the names of ClickHouse, in lower case as names without quotes are.
import type { Macros } from './index.ts'

const slot = (length: string) => `time_bucket(INTERVAL '${length}', t, TIMESTAMP '1970-01-01')`

export const clickhouseMacros: Macros = {
  'tostartofsecond(t)': "date_trunc('second', t)",
  'tostartofminute(t)': "date_trunc('minute', t)",
  'tostartoffiveminutes(t)': slot('5 minutes'),
  'tostartoftenminutes(t)': slot('10 minutes'),
  'tostartoffifteenminutes(t)': slot('15 minutes'),
  'tostartofhour(t)': "date_trunc('hour', t)",
  'tostartofday(t)': "date_trunc('day', t)",
  'tostartofinterval(t, i)': "time_bucket(i, t, TIMESTAMP '1970-01-01')",
  'tomonday(t)': "CAST(date_trunc('week', t) AS DATE)",
  'tostartofmonth(t)': "CAST(date_trunc('month', t) AS DATE)",
  'tostartofquarter(t)': "CAST(date_trunc('quarter', t) AS DATE)",
  'tostartofyear(t)': "CAST(date_trunc('year', t) AS DATE)",
  'toyear(t)': 'year(t)',
  'tomonth(t)': 'month(t)',
  'todayofmonth(t)': 'day(t)',
  'todayofweek(t)': 'isodow(t)',
  'tohour(t)': 'hour(t)',
  'tominute(t)': 'minute(t)',
  'tosecond(t)': 'second(t)',
  'todate(t)': 'CAST(t AS DATE)',
  'tounixtimestamp(t)': 'CAST(floor(epoch(t)) AS BIGINT)',
  'tostring(x)': 'CAST(x AS VARCHAR)',
  'tofloat64(x)': 'CAST(x AS DOUBLE)'
}
