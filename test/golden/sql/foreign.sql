-- What the documentation of Postgres, InfluxDB 3 and GreptimeDB shows, beside compatible.sql.
CREATE TABLE home (room STRING PRIMARY KEY, time TIMESTAMP(9) TIME INDEX, temp DOUBLE, co BIGINT);
INSERT INTO home VALUES ('Kitchen', '2022-01-01T08:00:00Z', 21.0, 0), ('Kitchen', '2022-01-01T09:00:00Z', 23.0, 3), ('Kitchen', '2022-01-01T12:00:00Z', 22.5, 9), ('Living Room', '2022-01-01T08:00:00Z', 21.1, 0), ('Living Room', '2022-01-01T12:00:00Z', 22.2, 5);
CREATE TABLE log (host STRING PRIMARY KEY, ts TIMESTAMP TIME INDEX, message STRING, props JSONB) WITH ('append_mode' = 'true');
INSERT INTO log VALUES ('a', 1702433141000, 'error: disk full', '{"a":{"b":1},"l":[1,2]}'), ('b', 1702433142000, 'GET /index 200', NULL);
----
affected 0
--
affected 5
--
affected 0
--
affected 2

-- Texts.
SELECT quote_literal('O''Reilly') AS a, quote_literal(42.5) AS b, quote_literal('a\b') AS c, quote_nullable(NULL) AS d, quote_ident('plain') AS e, quote_ident('Foo "bar"') AS f, quote_ident('select') AS g;
----
a:String | b:String | c:String | d:String | e:String | f:String | g:String
"'O''Reilly'" | "'42.5'" | "E'a\\\\b'" | "NULL" | "plain" | "\"Foo \"\"bar\"\"\"" | "\"select\""

SELECT overlay('Txxxxas' PLACING 'hom' FROM 2 FOR 4) AS a, overlay('Txxxxas' PLACING 'hom' FROM 2) AS b, overlay('abc' PLACING 'x' FROM 9) AS c, btrim('xyxtrimyyx', 'xyz') AS d, btrim('  a ') AS e, initcap('hi THOMAS, über-alles') AS f;
----
a:String | b:String | c:String | d:String | e:String | f:String
"Thomas" | "Thomxas" | "abcx" | "trim" | "a" | "Hi Thomas, Über-Alles"

SELECT 'abc' ~ '^a' AS a, 'abc' ~ 'b' AS b, 'abc' ~* 'B' AS c, 'abc' !~ 'b' AS d, 'abc' !~* 'X' AS e, NOT 'abc' ~ 'x' AS f, ~ 1 AS g, 'abc' SIMILAR TO 'b' AS h, regexp_full_match('abc', 'b') AS i;
----
a:Boolean | b:Boolean | c:Boolean | d:Boolean | e:Boolean | f:Boolean | g:Int32 | h:Boolean | i:Boolean
true | true | true | false | true | true | -2 | false | false

SELECT room, count(*) FROM home WHERE room ~ 'itch' AND room !~* '^LIV' GROUP BY room;
----
room:String | count(*):Int64
"Kitchen" | 3

SELECT regexp_substr('ABCDEF', 'C.') AS a, regexp_substr('ABCDEF', 'x') AS b, regexp_instr('ABCDEF', 'C(.)(..)') AS c, regexp_instr('aab', 'b$') AS d, regexp_instr('a', 'x') AS e, regexp_count('abcAbAbc', 'abc', 2, 'i') AS f;
----
a:String | b:String | c:Int64 | d:Int64 | e:Int64 | f:Int64
"CD" | null | 3 | 3 | 0 | 1

SELECT find_in_set('b', 'a,b,c') AS a, find_in_set('x', 'a,b') AS b, substr_index('www.a.com', '.', 2) AS c, substring_index('www.a.com', '.', -2) AS d, to_hex(255) AS e, octet_length('žá') AS f, octet_length('abc'::BYTEA) AS g, encode('abc'::BYTEA, 'base64') AS h, encode('abc'::BYTEA, 'hex') AS i, decode('YWJj', 'base64') AS j, decode('abc'::BYTEA) AS k;
----
a:Int32 | b:Int32 | c:String | d:String | e:String | f:Int64 | g:Int64 | h:String | i:String | j:Binary | k:String
2 | 0 | "www.a" | "a.com" | "ff" | 4 | 3 | "YWJj" | "616263" | [97,98,99] | "abc"

SELECT encode('abc'::BYTEA, 'rot13');
----
error 3000(400) Failed to plan SQL: encode knows hex and base64, not rot13

SELECT ipv4_string_to_num('192.168.0.1') AS a, ipv4_num_to_string(3232235521) AS b, ipv4_in_range('192.168.1.5', '192.168.1.0/24') AS c, ipv4_in_range('192.168.2.5', '192.168.1.0/24') AS d;
----
a:UInt32 | b:String | c:Boolean | d:Boolean
3232235521 | "192.168.0.1" | true | false

SELECT 'abc' SIMILAR TO '%(b|d)%' AS a, 'abc' SIMILAR TO 'a_%' AS b, 'abc' SIMILAR TO '(b|c)%' AS c, 'a%' SIMILAR TO 'a\%' AS d, 'abc' SIMILAR TO 'a.c' AS e;
----
a:Boolean | b:Boolean | c:Boolean | d:Boolean | e:Boolean
true | true | false | true | true

SELECT format('Hello %s, %1$s and %s: 100%%', 'World', 5) AS a, format('{x} %s', 1) AS b, format('{} {}', 'a', 1) AS c, format('%d', 1) AS d;
----
a:String | b:String | c:String | d:String
"Hello World, World and 5: 100%" | "{x} 1" | "a 1" | "%d"

SELECT approx_percentile_cont(temp, 0.5, 100) AS a, approx_percentile_cont(temp, [0.5]) AS b FROM home WHERE room = 'Kitchen';
----
a:Float64 | b:List<Float64>
22.5 | [22.5]

-- Numbers, types and values that are absent.
SELECT div(9, 4) AS a, width_bucket(5.35, 0.024, 10.06, 5) AS b, width_bucket(-1, 0, 10, 5) AS c, width_bucket(3, 10, 0, 5) AS d, iszero(0.0) AS e, nanvl('nan'::DOUBLE, 2.0) AS f, signum(-3) AS g, clip(5, 0, 3) AS h, clamp(-1, 0, 3) AS i;
----
a:Int64 | b:Int32 | c:Int32 | d:Int32 | e:Boolean | f:Float64 | g:Int8 | h:Int32 | i:Int32
2 | 3 | 0 | 4 | true | 2.0 | -1 | 3 | 0

SELECT div(9007199254740993, 1) AS a, div(-7, 2) AS b, div(-7.5, 2) AS c, div(7, NULL) AS d;
----
a:Int64 | b:Int64 | c:Int64 | d:Int64
9007199254740993 | -3 | -3 | null

SELECT nvl(NULL, 2) AS a, nvl2(NULL, 1, 2) AS b, isnull(NULL) AS c, pg_typeof(1) AS d, pg_typeof('a') AS e, pg_typeof(time) AS f, pg_typeof(1.5::DECIMAL(10, 2)) AS g, pg_typeof(NULL) AS h, arrow_typeof(time) AS i, arrow_typeof(temp) AS j, arrow_typeof(room) AS k FROM home LIMIT 1;
----
a:Int32 | b:Int32 | c:Boolean | d:String | e:String | f:String | g:String | h:String | i:String | j:String | k:String
2 | 2 | true | "integer" | "text" | "timestamp without time zone" | "numeric(10,2)" | "unknown" | "Timestamp(Nanosecond, None)" | "Float64" | "Utf8"

SELECT arrow_cast(21.7, 'Int64') AS a, arrow_cast(co, 'Utf8') AS b, arrow_cast('2022-01-01T00:00:00Z', 'Timestamp(Nanosecond, None)') AS c, arrow_cast(time, 'Timestamp(Second, Some("UTC"))') AS d FROM home LIMIT 1;
----
a:Int64 | b:String | c:TimestampNanosecond | d:TimestampSecond
21 | "0" | 1640995200000000000 | 1641024000

SELECT arrow_cast(1, 'Decimal128(10, 2)');
----
error 3000(400) Failed to plan SQL: arrow_cast does not know 'Decimal128(10, 2)' at line 1, column 22. There are Boolean, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Float32, Float64, Utf8, LargeUtf8, Utf8View, Binary, Date32 and Timestamp(unit, None)

SELECT time::BIGINT AS a, CAST(time AS BIGINT) AS b, ts::INT64 AS c, TRY_CAST(l.ts AS BIGINT) + 1 AS d FROM home, log l ORDER BY time, ts LIMIT 1;
----
a:Int64 | b:Int64 | c:Int64 | d:Int64
1641024000000000000 | 1641024000000000000 | 1702433141000 | 1702433141001

-- Lists and JSON.
SELECT make_array(1, 2, 3) AS a, array_element([1, 2], 2) AS b, array_sum([1, 2]) AS c, array_max([1, 2]) AS d, array_min([1, 2]) AS e, array_remove([1, 2, 1], 1) AS f, array_replace([1, 2], 1, 9) AS g, array_positions([1, 2, 1], 1) AS h, array_except([1, 2], [1]) AS i, array_union([1, 2], [2, 3]) AS j, array_upper([4, 5], 1) AS k, empty([]) AS l, array_any_value([NULL, 1]) AS m;
----
a:List<Int32> | b:Int32 | c:Int64 | d:Int32 | e:Int32 | f:List<Int32> | g:List<Int32> | h:List<Int64> | i:List<Int32> | j:List<Int32> | k:Int64 | l:Boolean | m:Int32
[1,2,3] | 2 | 3 | 2 | 1 | [2] | [9,2] | [1,3] | [2] | [1,2,3] | 2 | true | 1

SELECT json_typeof('[1]') AS a, jsonb_typeof('"x"') AS b, json_typeof('1.5') AS c, jsonb_array_length('[1,2]') AS d, jsonb_build_object('a', 1) AS e, json_build_array(1, 'x') AS f, jsonb_path_exists('{"a":1}', '$.a') AS g, json_get_object('{"a":{"b":1}}', 'a') AS h, '{"a":1}'::jsonb ->> 'a' AS i;
----
a:String | b:String | c:String | d:UInt64 | e:Json | f:Json | g:Boolean | h:Json | i:String
"array" | "string" | "number" | 2 | {"a":1} | [1,"x"] | true | {"b":1} | "1"

SELECT json_agg(room ORDER BY room) AS a, json_object_agg(room, co) AS b FROM (SELECT DISTINCT ON (room) room, co FROM home ORDER BY room, time DESC);
----
a:Json | b:Json
["Kitchen","Living Room"] | {"Kitchen":9,"Living Room":5}

-- Aggregates.
SELECT every(co >= 0) AS a, percentile_cont(temp, 0.5) AS b, var_sample(co) = var_samp(co) AS c, var_population(co) = var_pop(co) AS d, nth_value(temp, 2 ORDER BY time) AS e, nth_value(room, 1) AS f FROM home WHERE room = 'Kitchen';
----
a:Boolean | b:Float64 | c:Boolean | d:Boolean | e:Float64 | f:String
true | 22.5 | true | true | 23.0 | "Kitchen"

SELECT room, nth_value(temp, 2) OVER (PARTITION BY room ORDER BY time ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS second FROM home ORDER BY room, time LIMIT 1;
----
room:String | second:Float64
"Kitchen" | 23.0

SELECT approx_distinct(room) FILTER (WHERE co > 3) AS a, count(DISTINCT room) AS b, var(temp) FILTER (WHERE co < 9) > 0 AS c, every(co > 0) FILTER (WHERE co > 0) AS d FROM home;
----
a:Int64 | b:Int64 | c:Boolean | d:Boolean
2 | 2 | true | true

SELECT approx_median(temp) FILTER (WHERE co > 0) FROM home;
----
error 3000(400) Failed to plan SQL: approx_median takes no DISTINCT, FILTER, ORDER BY or OVER at line 1, column 8

-- Times.
SELECT to_local_time('2024-04-01T00:00:20Z'::TIMESTAMP AT TIME ZONE 'Europe/Brussels') AS a, to_local_time(TIMESTAMPTZ '2024-04-01 00:00:20+00' AT TIME ZONE 'Europe/Brussels') AS b, to_local_time(TIMESTAMP '2024-04-01 00:00:20') AS c, to_local_time(TIMESTAMPTZ '2024-04-01 00:00:20+02') AS d;
----
a:TimestampMicrosecond | b:TimestampMicrosecond | c:TimestampMicrosecond | d:TimestampMicrosecond
1711929620000000 | 1711936820000000 | 1711929620000000 | 1711922420000000

--! timezone=Europe/Brussels
SELECT to_local_time(TIMESTAMPTZ '2024-04-01 00:00:20+00') AS a, to_timestamp('01:00 01-01-2024', '%H:%M %d-%m-%Y') AS b, to_timestamp('01:00 +0000', '%H:%M %z') AS c, time - '2022-01-01T09:00:00' AS d, date_sub(time, INTERVAL '1 hour') > '2022-01-01 07:59:00' AS e FROM home ORDER BY time LIMIT 1;
----
a:TimestampMicrosecond | b:TimestampMicrosecond | c:TimestampMicrosecond | d:IntervalMonthDayNano | e:Boolean
1711936820000000 | 1704067200000000 | -2208985200000000 | 0 | true

SELECT to_timestamp('05 Dec 2000', 'DD Mon YYYY') AS a, to_date('05 Dec 2000', 'DD Mon YYYY') AS b, to_date('01-02-2024', '%d-%m-%Y') AS c, to_date(19723) AS d, to_date('2024-01-01') AS e, to_unixtime('01-01-2024', '%d-%m-%Y') AS f, to_timestamp_seconds('2024-01-01T00:00:01', '%Y-%m-%dT%H:%M:%S') AS g, to_timestamp_nanos('01-01-2024', '%d-%m-%Y') AS h;
----
a:TimestampMicrosecond | b:Date | c:Date | d:Date | e:Date | f:Int64 | g:TimestampSecond | h:TimestampNanosecond
975974400000000 | 11296 | 19754 | 19723 | 19723 | 1704067200 | 1704067201 | 1704067200000000000

SELECT to_timestamp('05 Dec 2000', 'DD Quarter YYYY');
----
error 3000(400) Failed to plan SQL: to_timestamp does not know Quarter in 'DD Quarter YYYY' at line 1, column 36: text stands in double quotes

SELECT date_bin_wallclock(INTERVAL '1 day', tz(time, 'Australia/Sydney')) AS day, count(*) AS n FROM home GROUP BY 1 ORDER BY 1;
----
day:TimestampMicrosecond | n:Int64
1640995200000000 | 5

SELECT date_format(time, '%H:%M:%S%.3f') AS a, date_format(time, '%6f') AS b, to_char(time, '%9f') AS c, date_sub(time, INTERVAL '1 day') AS d, date_subtract(time, INTERVAL '1 hour') AS e, date_sub('day', DATE '2024-01-01', DATE '2024-01-03') AS f, to_timezone(time, 'Asia/Shanghai') AS g FROM home ORDER BY time LIMIT 1;
----
a:String | b:String | c:String | d:TimestampMicrosecond | e:TimestampMicrosecond | f:Int64 | g:TimestampMicrosecond
"08:00:00.000" | "000000" | "000000000" | 1640937600000000 | 1641020400000000 | 2 | 1641052800000000

SELECT (TIMESTAMP '2001-02-16', TIMESTAMP '2001-12-21') OVERLAPS (TIMESTAMP '2001-10-30', TIMESTAMP '2002-10-30') AS a, clock_timestamp() > TIMESTAMP '2020-01-01' AS b, statement_timestamp() = now() AS c, current_time() < TIME '24:00:00' AS d;
----
a:Boolean | b:Boolean | c:Boolean | d:Boolean
true | true | true | true

SELECT * FROM generate_series('2008-03-01 00:00'::TIMESTAMP(3), '2008-03-02 12:00', '10 hours') AS t(x);
----
x:TimestampMicrosecond
1204329600000000
1204365600000000
1204401600000000
1204437600000000

SELECT build() = version() AS a, timezone() AS b;
----
a:Boolean | b:String
true | "UTC"

-- Words.
TABLE home ORDER BY room, time LIMIT 1;
----
room:String | time:TimestampNanosecond | temp:Float64 | co:Int64
"Kitchen" | 1641024000000000000 | 21.0 | 0

SELECT count(*) AS n FROM (TABLE home UNION ALL TABLE home);
----
n:Int64
10

WITH t AS (TABLE home) SELECT count(*) AS n FROM t;
----
n:Int64
5

SELECT * EXCEPT (co, time) FROM home ORDER BY temp LIMIT 1;
----
room:String | temp:Float64
"Kitchen" | 21.0

SELECT room FROM home EXCEPT (SELECT 'Kitchen');
----
room:String
"Living Room"

SELECT max(temp) AS 'max temp' FROM home;
----
max temp:Float64
23.0

SELECT host FROM log WHERE message @@ 'disk';
----
host:String
"a"

SELECT host FROM log WHERE log.message @@ 'dis';
----
host:String

-- Samples.
SELECT count(*) AS n FROM home USING SAMPLE 100%;
----
n:Int64
5

SELECT count(*) AS n FROM (SELECT * FROM home WHERE room = 'Kitchen' USING SAMPLE reservoir(2 ROWS) REPEATABLE (1) ORDER BY time) AS s;
----
n:Int64
2

SELECT count(*) AS n FROM home TABLESAMPLE BERNOULLI (100);
----
n:Int64
5

SELECT count(*) AS n FROM home TABLESAMPLE SYSTEM (100 PERCENT);
----
n:Int64
5

SELECT h.room FROM home h JOIN log ON h.room = log.host USING SAMPLE 3 ROWS;
----
room:String

SELECT room FROM home USING SAMPLE nothing;
----
error 2000(400) syntax error at end of input at line 1, column 36

SELECT sample FROM (SELECT 1 AS sample) JOIN (SELECT 1 AS sample) USING (sample);
----
sample:Int32
1

-- Statements.
EXPLAIN (ANALYZE FALSE, FORMAT TEXT) SELECT 1 AS one;
----
plan_type:String | plan:String
"physical_plan" | "PROJECTION Projections: one; Estimated Cardinality: 1;\n  DUMMY_SCAN"

EXPLAIN FORMAT TREE SELECT 1 AS one;
----
plan_type:String | plan:String
"physical_plan" | "PROJECTION Projections: one; Estimated Cardinality: 1;\n  DUMMY_SCAN"

EXPLAIN (NOTHING) SELECT 1;
----
error 2000(400) expected SELECT, VALUES, or a subquery in the query body, found NOTHING at line 1, column 10

SHOW VARIABLES LIKE 'time%';
----
Variable_name:String | Value:String
"time_zone" | "UTC"
"timezone" | "UTC"

SHOW timezone;
----
TIMEZONE:String
"UTC"

SHOW search_path;
----
SEARCH_PATH:String
"public"

SET search_path TO nowhere;
----
error 1004(400) Failed to find schema, schema info: nowhere

SET search_path TO public;
----
(no columns)

UPDATE home SET temp = 1;
----
error 1001(400) SQL statement is not supported, keyword: UPDATE. Insert the row again with its tags and its time: the newest one counts

BEGIN;
----
error 1001(400) SQL statement is not supported, keyword: BEGIN. There are no transactions: each statement is stored as a whole

-- The other name of a call is that of its values.
SELECT g, g * 2 AS h FROM generate_series(1, 2) AS g ORDER BY g;
----
g:Int64 | h:Int64
1 | 2
2 | 4

SELECT "U" FROM home h, unnest(['x', 'y']) AS "U" GROUP BY "U" ORDER BY "U";
----
U:String
"x"
"y"

SELECT range FROM range(2) AS r WHERE r > 0;
----
range:Int64
1

-- Documents of JSON as Postgres takes them apart.
SELECT host, props #> '{a}' AS a, props #>> '{a,b}' AS b, props #>> '{l,1}' AS l, (props #>> '{l,0}')::INT + 1 AS n FROM log ORDER BY host;
----
host:String | a:Json | b:String | l:String | n:Int32
"a" | {"b":1} | "1" | "2" | 2
"b" | null | null | null | null

SELECT host FROM log WHERE props #>> '{a,b}' = '1';
----
host:String
"a"

SELECT props #>> '{a,b}' FROM log ORDER BY host;
----
props #>> '{a,b}':String
"1"
null

SELECT * FROM json_object_keys('{"a":1,"b":2}') ORDER BY 1;
----
json_object_keys:String
"a"
"b"

SELECT upper(k) AS k FROM json_object_keys('{"a":1,"b":2}') AS k WHERE k > 'a';
----
k:String
"B"

SELECT host, k FROM log, LATERAL jsonb_object_keys(props) AS k ORDER BY k;
----
host:String | k:String
"a" | "a"
"a" | "l"

SELECT l.host, e FROM log l JOIN home h ON h.co = 0, json_array_elements(l.props -> 'l') AS e ORDER BY 2;
----
host:String | e:Json
"a" | 1
"a" | 1
"a" | 2
"a" | 2

SELECT jsonb_array_elements_text(props -> 'l') AS e, jsonb_extract_path_text(props, 'l') AS l, to_jsonb(host) AS j FROM log WHERE host = 'a' ORDER BY 1;
----
e:String | l:String | j:Json
"1" | "[1,2]" | "a"
"2" | "[1,2]" | "a"

-- Days and months of a zone.
SELECT date_trunc('day', TIMESTAMP '2024-03-31 21:30:00', 'Europe/Berlin') AS a, date_trunc('day', TIMESTAMP '2024-03-31 22:30:00', 'Europe/Berlin') AS b, date_trunc('month', TIMESTAMPTZ '2024-03-31 22:30:00Z', 'Europe/Berlin') AS c;
----
a:TimestampMicrosecond | b:TimestampMicrosecond | c:TimestampMicrosecond
1711839600000000 | 1711922400000000 | 1711922400000000

SELECT date_trunc('day', time, 'Asia/Tokyo') AS day, count(*) AS n FROM home GROUP BY day ORDER BY day;
----
day:TimestampMicrosecond | n:Int64
1640962800000000 | 5

SELECT date_trunc('day', time, 'Nowhere/City') FROM home;
----
error 3000(400) Failed to plan SQL: Unknown TimeZone 'Nowhere/City' at line 1, column 32

-- Smaller things: frames of text, offsets of hours, texts padded with spaces, COPY TABLE.
SELECT time, sum(co) OVER (ORDER BY time RANGE BETWEEN '1 hour' PRECEDING AND CURRENT ROW) AS s FROM home WHERE room = 'Kitchen' ORDER BY time;
----
time:TimestampNanosecond | s:Int64
1641024000000000000 | 0
1641027600000000000 | 3
1641038400000000000 | 9

INSERT INTO log (host, ts, message) VALUES ('c', '2024-03-31 12:00:00+02', 'x');
----
affected 1

SELECT ts FROM log WHERE ts = '2024-03-31 12:00:00+02' AND ts = '2024-03-31T10:00:00Z';
----
ts:TimestampMillisecond
1711879200000

SELECT lpad('a', 3) || '.' || rpad('b', 3) || '.' AS p, array_ndims([[1]]) AS n, get_field(named_struct('a', 7), 'a') AS f;
----
p:String | n:Int32 | f:Int32
"  a.b  ." | 2 | 7

COPY TABLE log TO 'foreign/log.parquet';
----
affected 3

INSERT INTO log (host, ts) VALUES ('c', 1) ON CONFLICT (host) DO NOTHING;
----
error 1001(400) ON CONFLICT is not supported: a row replaces the one with the same tags and time

ALTER TABLE log RENAME COLUMN message TO text;
----
error 1001(400) columns keep their names: a view may give them others

SELECT host FROM log WHERE host = ANY('{a,"c"}') ORDER BY host;
----
host:String
"a"
"c"

SELECT room, co FROM home WHERE co = ANY('{0,9}') AND room <> ALL('{Kitchen}');
----
room:String | co:Int64
"Living Room" | 0

DESC TABLE hme;
----
error 4001(400) Table not found: hme, did you mean home?

-- Operators of JSON and lists as Postgres has them; a question mark behind a value and before a text is not a parameter.
SELECT '{"a":1,"b":2}'::JSON @> '{"a":1}' AS a, '{"a":1}' <@ '{"a":1,"b":2}'::JSONB AS b, '{"a":[1,2]}'::JSON->'a' @> '[2]' AS c, '{"a":1}'::JSON ? 'a' AS d, NOT '["x","y"]'::JSON ? 'y' AS e, [1, 2] && [2, 3] AS f, NOT [1] && [2] AS g, [1, 2] @> [2] AS h, [2] <@ [1, 2] AS i;
----
a:Boolean | b:Boolean | c:Boolean | d:Boolean | e:Boolean | f:Boolean | g:Boolean | h:Boolean | i:Boolean
true | true | true | true | false | true | true | true | true

-- An arrow binds closer than LIKE, IN, NOT and others.
WITH d(j) AS (VALUES ('{"a":{"b":"1"},"l":[5,6]}'::JSON)) SELECT j->'a'->>'b' LIKE '1' AS a, NOT j->'a'->>'b' = '2' AS b, j->'l'->1 AS c, j->'a'->>'b' IN ('1') AS d, d.j->>'$.a.b' || 'x' AS e, j #>> '{a,b}' LIKE '1' AS f, coalesce(j->'z', j->'l') AS g, list_transform([j], x -> x->>'$.a.b' = '1') AS h, list_filter(['a', 'b'], x -> 'a' = x) AS i, '["0", "x"]'::JSON->>1 LIKE 'x' AS k FROM d;
----
a:Boolean | b:Boolean | c:Json | d:Boolean | e:String | f:Boolean | g:Json | h:List<Boolean> | i:List<String> | k:Boolean
true | true | 6 | true | "1x" | true | [5,6] | [true] | ["a"] | true

WITH d(j) AS (VALUES ('{"a":1}'::JSON)) SELECT j->>'a' FROM d;
----
j->>'a':String
"1"

-- A row has members as well.
SELECT struct(1, 'a') AS a, row(1, NULL) AS b, (1, 'c') AS c, [(1, 'x')] AS d, {'a': (1, 2)} AS e, struct(1, 'a') = row(1, 'a') AS f;
----
a:Struct<c0: Int32, c1: String> | b:Struct<c0: Int32, c1: Int32> | c:Struct<c0: Int32, c1: String> | d:List<Struct<c0: Int32, c1: String>> | e:Struct<a: Struct<c0: Int32, c1: Int32>> | f:Boolean
{"c0":1,"c1":"a"} | {"c0":1,"c1":null} | {"c0":1,"c1":"c"} | [{"c0":1,"c1":"x"}] | {"a":{"c0":1,"c1":2}} | true

SELECT make_interval(days => 1, hours => 2)::STRING AS a, make_interval(1, 2)::STRING AS b, TIMESTAMP '2024-01-31' + make_interval(months := 1) AS c, make_interval(secs => 1.5)::STRING AS d, to_number('12,454.8-', '99G999D9S') AS e, to_number('$1,000', 'L9,999') AS f, to_number('<5>', '9PR') AS g;
----
a:String | b:String | c:TimestampMicrosecond | d:String | e:Float64 | f:Float64 | g:Float64
"1 day 02:00:00" | "1 year 2 months" | 1709164800000000 | "00:00:01.5" | -12454.8 | 1000.0 | -5.0

-- Rows of JSON in a FROM: with a number for each, beside a table, in a subquery, and with other names.
SELECT * FROM json_array_elements_text('["x","y"]') WITH ORDINALITY ORDER BY 2;
----
json_array_elements_text:String | ordinality:Int64
"x" | 1
"y" | 2

SELECT e, i FROM jsonb_array_elements_text('["x","y"]') WITH ORDINALITY AS t(e, i) ORDER BY i;
----
e:String | i:Int64
"x" | 1
"y" | 2

SELECT jsonb_object_keys FROM jsonb_object_keys('{"a":1,"b":2}') ORDER BY jsonb_object_keys;
----
jsonb_object_keys:String
"a"
"b"

SELECT host, key FROM log l, json_object_keys(l.props) AS key ORDER BY host, key;
----
host:String | key:String
"a" | "a"
"a" | "l"

SELECT host, k FROM log LEFT JOIN LATERAL json_object_keys(props) AS x(k) ON true ORDER BY host, k;
----
host:String | k:String
"a" | "a"
"a" | "l"
"b" | null
"c" | null

SELECT host, (SELECT count(*) FROM json_array_elements(l.props -> 'l')) AS n FROM log l WHERE EXISTS (SELECT 1 FROM json_object_keys(l.props) k WHERE k = 'l') ORDER BY host;
----
host:String | n:Int64
"a" | 2

SELECT json_object_keys('{"c":1}') AS k FROM range(2), json_object_keys(json_object(lower('A'), 1));
----
k:String
"c"
"c"

-- Without characters, spaces are taken away.
SELECT trim(FROM '  x ') AS a, trim(BOTH FROM '  x ') AS b, trim(LEADING FROM ' x ') || '|' AS c, trim(TRAILING FROM ' x ') || '|' AS d, trim(FROM (SELECT ' y ')) AS e;
----
a:String | b:String | c:String | d:String | e:String
"x" | "x" | "x |" | " x|" | "y"

SELECT trim(FROM ' x '), trim(LEADING 'y' FROM 'yx');
----
trim(from ' x '):String | trim(leading 'y' from 'yx'):String
"x" | "x"

-- A share of the rows.
SELECT count(*) FROM home TABLESAMPLE 100%;
----
count(*):Int64
5

SELECT count(*) FROM (VALUES (1), (2)) AS v TABLESAMPLE 100 PERCENT, home TABLESAMPLE reservoir(2 ROWS) REPEATABLE (1) WHERE room <> '';
----
count(*):Int64
4

SELECT count(*) FROM home TABLESAMPLE (100 PERCENT) JOIN (SELECT 1 AS one FROM home TABLESAMPLE BERNOULLI (100)) AS o ON true;
----
count(*):Int64
25

-- Of ClickHouse, TimescaleDB and MySQL.
CREATE TABLE cpu (host STRING PRIMARY KEY, ts TIMESTAMP(3) TIME INDEX, usage DOUBLE, n BIGINT);
INSERT INTO cpu VALUES ('a', '2024-01-31T23:50:00Z', 1.5, 1), ('a', '2024-02-01T00:07:30Z', 2.5, 2), ('b', '2024-02-01T00:20:00Z', 10, 3);
----
affected 0
--
affected 3

SELECT toStartOfInterval(ts, INTERVAL 5 MINUTE) AS t, countIf(usage > 2) AS c FROM cpu WHERE toStartOfHour(ts) >= '2024-02-01 00:00:00' GROUP BY t ORDER BY t;
----
t:TimestampMicrosecond | c:Int64
1706745900000000 | 1
1706746800000000 | 1

--! timezone=Europe/Berlin
SELECT n FROM cpu WHERE toStartOfHour(ts) = '2024-02-01 01:00:00' ORDER BY n;
----
n:Int64
2
3

SELECT toStartOfSecond(ts) = ts AS a, toStartOfMinute(ts) AS b, toStartOfFiveMinutes(ts) AS c, toStartOfTenMinutes(ts) AS d, toStartOfFifteenMinutes(ts) AS e, toStartOfDay(ts) AS f FROM cpu WHERE n = 2;
----
a:Boolean | b:TimestampMicrosecond | c:TimestampMicrosecond | d:TimestampMicrosecond | e:TimestampMicrosecond | f:TimestampMicrosecond
true | 1706746020000000 | 1706745900000000 | 1706745600000000 | 1706745600000000 | 1706745600000000

SELECT toMonday(ts) AS a, toStartOfMonth(ts) AS b, toStartOfQuarter(ts) AS c, toStartOfYear(ts) AS d, toDate(ts) AS e, toYear(ts) AS f, toMonth(ts) AS g, toDayOfMonth(ts) AS h, toDayOfWeek(ts) AS i, toHour(ts) AS j, toMinute(ts) AS k, toSecond(ts) AS l, toUnixTimestamp(ts) AS m, unix_timestamp(ts) AS n, toString(n) AS o, toFloat64('2.5') AS p FROM cpu WHERE n = 2;
----
a:Date | b:Date | c:Date | d:Date | e:Date | f:Int64 | g:Int64 | h:Int64 | i:Int64 | j:Int64 | k:Int64 | l:Int64 | m:Int64 | n:Int64 | o:String | p:Float64
19751 | 19754 | 19723 | 19723 | 19754 | 2024 | 2 | 1 | 4 | 0 | 7 | 30 | 1706746050 | 1706746050 | "2" | 2.5

SELECT uniq(host) AS a, anyLast(n ORDER BY ts) AS b, groupArray(n ORDER BY ts) AS c, first(usage, ts) AS d, last(usage, ts) AS e, last(n ORDER BY host, ts) AS f FROM cpu;
----
a:Int64 | b:Int64 | c:List<Int64> | d:Float64 | e:Float64 | f:Int64
2 | 3 | [1,2,3] | 1.5 | 10.0 | 3

SELECT n FROM cpu ORDER BY n LIMIT 1, 2;
----
n:Int64
2
3

SELECT 2 ** 3 AS a, n ** 2 AS b FROM cpu WHERE n = 3;
----
a:Float64 | b:Float64
8.0 | 9.0

SELECT quantile(0.5)(usage) FROM cpu;
----
error 2000(400) a call has its arguments in one pair of parentheses, as quantile(x, 0.5) at line 1, column 21

SELECT n FROM cpu PREWHERE n = 1;
----
error 2000(400) write WHERE in the place of PREWHERE at line 1, column 19

SELECT n FROM cpu FORMAT JSON;
----
error 2000(400) the form of results is the parameter `format` of the request at line 1, column 19

SELECT n FROM cpu SETTINGS max_threads = 1;
----
error 2000(400) a statement has no SETTINGS: limits are in the configuration of the server at line 1, column 19
