-- Functions by the names GreptimeDB, InfluxDB, DataFusion and Postgres have for them.
CREATE TABLE cpu (ts TIMESTAMP(3) TIME INDEX, host STRING, dc STRING, usage DOUBLE, n BIGINT, j JSON, PRIMARY KEY (host, dc));
INSERT INTO cpu VALUES (1741064767500, 'a', 'x', 1.5, 1, '{"a":{"b":1},"s":"t","f":1.5,"n":null,"t":true,"l":[1]}'), (1741064768000, 'a', 'x', 2.5, 2, NULL), (1741064769000, 'b', 'y', 3.5, 3, NULL), (1741064770000, 'b', 'y', NULL, 4, NULL);
----
affected 0
--
affected 4

SELECT date_format(ts, '%Y-%m-%d %H') AS a, to_char(ts, '%M:%S') AS b, to_unixtime(ts) AS c, to_unixtime('2023-03-01T08:00:00Z') AS d, tz(ts, 'Europe/Berlin') AS e FROM cpu ORDER BY ts LIMIT 1;
----
a:String | b:String | c:Int64 | d:Int64 | e:TimestampMicrosecond
"2025-03-04 05" | "06:07" | 1741064767 | 1677657600 | 1741068367500000

SELECT to_timestamp('2023-01-01T00:00:00Z') AS a, to_timestamp(1.5) AS b, to_timestamp_seconds(1) AS c, to_timestamp_millis(1) AS d, to_timestamp_micros(1) AS e, to_timestamp_nanos(1) AS f, to_timestamp_nanos('2023-01-01T00:00:00Z') AS g, from_unixtime(60) AS h, to_date('2023-01-01') AS i;
----
a:TimestampMicrosecond | b:TimestampMicrosecond | c:TimestampSecond | d:TimestampMillisecond | e:TimestampMicrosecond | f:TimestampNanosecond | g:TimestampNanosecond | h:TimestampMicrosecond | i:Date
1672531200000000 | 1500000 | 1 | 1 | 1 | 1 | 1672531200000000000 | 60000000 | 19358

SELECT to_timestamp_millis(ts) = ts AS same, to_timestamp_seconds(ts) AS s FROM cpu ORDER BY ts LIMIT 1;
----
same:Boolean | s:TimestampSecond
true | 1741064767

-- Texts without a zone are in that of the session.
--! timezone=Europe/Berlin
SELECT to_unixtime('1970-01-01 01:00:00') AS a, to_timestamp_seconds('1970-01-01 01:00:01') AS b;
----
a:Int64 | b:TimestampSecond
0 | 1

SELECT regexp_like('abc', 'B') AS a, regexp_like('abc', 'B', 'i') AS b, regexp_match('foobarbequebaz', '(bar)(beque)') AS c, regexp_match('foobar', 'oo') AS d, regexp_match('foobar', '(x)') AS e, regexp_count('aXbX', 'X') AS f, regexp_count('aXbX', 'X', 3) AS g, regexp_replace('aXbX', 'X', 'y', 'g') AS h;
----
a:Boolean | b:Boolean | c:List<String> | d:List<String> | e:List<String> | f:Int64 | g:Int64 | h:String
false | true | ["bar","beque"] | ["oo"] | null | 2 | 1 | "ayby"

SELECT json_get_int(j, 'a.b') AS a, json_get_int(j, '$.a.b') AS b, json_get_float(j, 'f') AS c, json_get_string(j, 's') AS d, json_get_bool(j, 't') AS e, json_path_exists(j, '$.a') AS f, json_path_exists(j, 'z') AS g FROM cpu WHERE n = 1;
----
a:Int64 | b:Int64 | c:Float64 | d:String | e:Boolean | f:Boolean | g:Boolean
1 | 1 | 1.5 | "t" | true | true | false

SELECT json_is_object(j) AS a, json_is_int(json_get(j, 'a.b')) AS b, json_is_null(json_get(j, 'n')) AS c, json_is_array(json_get(j, 'l')) AS d, json_is_string(json_get(j, 's')) AS e, json_is_float(json_get(j, 'f')) AS f, json_is_bool(json_get(j, 't')) AS g FROM cpu WHERE n = 1;
----
a:Boolean | b:Boolean | c:Boolean | d:Boolean | e:Boolean | f:Boolean | g:Boolean
true | true | true | true | true | true | true

SELECT json_path_match(j, '$.a.b == 1') AS a, json_path_match(j, '$.a.b != 1') AS b, json_path_match(j, '$.f > 2') AS c, json_path_match(j, '$.s == "t"') AS d, json_path_match(j, '$.n == null') AS e FROM cpu WHERE n = 1;
----
a:Boolean | b:Boolean | c:Boolean | d:Boolean | e:Boolean
true | false | false | true | true

SELECT json_path_match(j, 'nonsense') FROM cpu WHERE n = 1;
----
error 3000(400) Failed to plan SQL: json_path_match takes a path, a comparison and a constant, such as $.a.b == 1

SELECT approx_distinct(host), approx_median(usage), approx_percentile_cont(usage, 0.5) FROM cpu;
----
approx_distinct(host):Int64 | approx_median(usage):Float64 | approx_percentile_cont(usage, 0.5):Float64
2 | 2.5 | 2.5

SELECT host, selector_first(usage, ts)['value'] AS first, selector_last(usage, ts)['time'] AS last, selector_min(usage, ts)['value'] AS low, selector_max(usage, ts)['time'] AS high FROM cpu GROUP BY host ORDER BY host;
----
host:String | first:Float64 | last:TimestampMillisecond | low:Float64 | high:TimestampMillisecond
"a" | 1.5 | 1741064768000 | 1.5 | 1741064768000
"b" | 3.5 | 1741064769000 | 3.5 | 1741064769000

SELECT hll_count(hll(host)) AS hosts, round(uddsketch_calc(0.5, uddsketch_state(128, 0.01, usage)), 1) AS middle FROM cpu;
----
hosts:Int64 | middle:Float64
2 | 2.5

SELECT hll_count(hll_merge(h)) AS n FROM (SELECT hll(i) AS h FROM range(100) r(i) GROUP BY i % 3);
----
n:Int64
100

SELECT uddsketch_calc(0.5, uddsketch_state(128, 0.01, i - 50)) AS zero, uddsketch_calc(0.0, uddsketch_state(128, 0.01, i - 50)) < -45 AS low FROM range(101) r(i);
----
zero:Float64 | low:Boolean
0.0 | true

SELECT nosuch_distinct(host) FROM cpu;
----
error 3000(400) Failed to plan SQL: there is no function nosuch_distinct at line 1, column 8. Did you mean list_distinct?

SELECT aprox_distinct(host) FROM cpu;
----
error 3000(400) Failed to plan SQL: there is no function aprox_distinct at line 1, column 8. Did you mean approx_distinct?

-- Words the grammar of others has.
SELECT host, first_value(usage) IGNORE NULLS OVER (PARTITION BY host ORDER BY ts) AS f, last_value(usage) RESPECT NULLS OVER (PARTITION BY host ORDER BY ts) AS l FROM cpu ORDER BY ts;
----
host:String | f:Float64 | l:Float64
"a" | 1.5 | 1.5
"a" | 1.5 | 2.5
"b" | 3.5 | 3.5
"b" | 3.5 | null

SELECT * EXCLUDE (j, dc) RENAME (usage AS u, ts AS "T") FROM cpu ORDER BY "T" LIMIT 1;
----
T:TimestampMillisecond | host:String | u:Float64 | n:Int64
1741064767500 | "a" | 1.5 | 1

SELECT u FROM (SELECT * RENAME (usage AS u, ts AS t) FROM cpu) WHERE t > '2025-03-04 05:06:08' ORDER BY t;
----
u:Float64
3.5
null

SELECT DISTINCT host FROM cpu WHERE host GLOB '[a]*' AND NOT host GLOB 'b?';
----
host:String
"a"

--! sorted
SELECT ts, host, max(usage) RANGE (INTERVAL '10' second) FROM cpu ALIGN (INTERVAL '10' second) TO '2025-01-01' BY (host);
----
ts:TimestampMillisecond | host:String | max(usage) RANGE 10s:Float64
1741064760000 | "a" | 2.5
1741064770000 | "b" | null
1741064760000 | "b" | 3.5

SELECT ts, max(usage) RANGE (INTERVAL '1 minute') FROM cpu ALIGN (INTERVAL '1 minute') BY ();
----
ts:TimestampMillisecond | max(usage) RANGE 1m:Float64
1741064760000 | 3.5

-- A table of the rows of a query.
CREATE TABLE copied AS SELECT ts, host, usage FROM cpu;
SELECT * FROM copied ORDER BY ts;
CREATE TABLE keyed (TIME INDEX (second), PRIMARY KEY (host)) WITH (ttl = '10 years') AS SELECT date_trunc('second', ts) AS second, host, max(usage) AS top FROM cpu GROUP BY ALL;
SELECT host, top FROM keyed ORDER BY host, second;
SHOW CREATE TABLE copied;
----
affected 4
--
ts:TimestampMillisecond | host:String | usage:Float64
1741064767500 | "a" | 1.5
1741064768000 | "a" | 2.5
1741064769000 | "b" | 3.5
1741064770000 | "b" | null
--
affected 4
--
host:String | top:Float64
"a" | 1.5
"a" | 2.5
"b" | 3.5
"b" | null
--
Table:String | Create Table:String
"copied" | "CREATE TABLE IF NOT EXISTS \"copied\" (\n  \"ts\" TIMESTAMP(3) NOT NULL,\n  \"host\" STRING NULL,\n  \"usage\" DOUBLE NULL,\n  TIME INDEX (\"ts\")\n)\n\nENGINE=embedded\nWITH(\n  append_mode = 'true'\n)"

CREATE TABLE lost AS SELECT host FROM cpu;
----
error 1004(400) the query has no column of times: say which is the time index, as in CREATE TABLE t (TIME INDEX (ts)) AS …

CREATE TABLE lost AS SELECT ts, ts AS other FROM cpu;
----
error 1004(400) the query has several columns of times (ts, other): say which is the time index, as in CREATE TABLE t (TIME INDEX (ts)) AS …

CREATE TABLE lost AS SELECT ts, [1, 2] AS list FROM cpu;
----
error 1004(400) column list is of type List<Int32>, which no table has: cast it

CREATE TABLE lost AS SELECT ts, usage / (n - n) AS x, error('no') AS y FROM cpu;
----
error 3000(400) Failed to plan SQL: no

SELECT * FROM lost;
----
error 4001(400) Failed to plan SQL: Table not found: svc.public.lost

CREATE TABLE series (v DOUBLE, at TIMESTAMP(3) TIME INDEX);
INSERT INTO series (at, v) TQL EVAL (0, 2, '1s') vector(1);
SELECT * FROM series ORDER BY at;
----
affected 0
--
affected 3
--
v:Float64 | at:TimestampMillisecond
1.0 | 0
1.0 | 1000
1.0 | 2000

-- Parameters mean what the constant would mean in their place.
--! params=["a","2025-03-04T05:06:07.6Z",2]
SELECT host, n FROM cpu WHERE host = ? AND ts > ? AND n = ?;
----
host:String | n:Int64
"a" | 2

--! params=["2025-03-04T06:06:08"] timezone=Europe/Berlin
SELECT n FROM cpu WHERE ts > $1 AND ts >= $1 ORDER BY n;
----
n:Int64
3
4

--! params=[-5,null,1.0,true,9223372036854775807]
SELECT $1 AS a, 1 -$1 AS b, $2 AS c, $3 AS d, $4 AS e, $5 AS f;
----
a:Int32 | b:Int32 | c:Int32 | d:Float64 | e:Boolean | f:Int64
-5 | 6 | null | 1.0 | true | 9223372036854775807

-- Numbers keep their digits, and a column without a name is called like its parameter.
--! params=[18446744073709551615,-170141183460469231731687303715884105727,0.12345678901234567890123456789,1e3]
SELECT $1, $2::STRING AS low, $3, $4 / 2, -$2 > 0 AS positive, [-1, $2][2] < 0 AS negative;
----
$1:Decimal(38, 0) | low:String | $3:Decimal(30, 29) | $4 / 2:Float64 | positive:Boolean | negative:Boolean
"18446744073709551615" | "-170141183460469231731687303715884105727" | "0.12345678901234567890123456789" | 500.0 | true | true

--! params=[170141183460469231731687303715884105728]
SELECT $1;
----
error 1004(400) params: value 1 has 39 digits, more than an integer of 128 bits can hold: send it as a text, or with an exponent as a float

--! params=[0.123456789012345678901234567890123456789]
SELECT $1;
----
error 1004(400) params: value 1 has 40 digits, more than a decimal of 38 can hold: send it as a text, or with an exponent as a float

--! params=[1e400]
SELECT $1;
----
error 1004(400) params: value 1 is beyond the range of floats: 1e400

--! params={"name":"x'--","n":1}
SELECT $name AS name, count(*) AS n FROM cpu WHERE n > $n;
----
name:String | n:Int64
"x'--" | 3

SELECT * FROM cpu WHERE host = ?;
----
error 1004(400) parameter 1 at line 1, column 32 has no value: params gives values, such as params=[1,"a"]

--! params=[1,2]
SELECT ?;
----
error 1004(400) params: the statement has no parameter for value 2

--! params=[[1]]
SELECT ?;
----
error 1004(400) params: value 1 must be a text, a number, true, false or null

--! params=1
SELECT 1;
----
error 1004(400) params must be a JSON array of values, or an object of values by name

-- Chains of any length.
SELECT count(*) AS n FROM cpu WHERE n > 1 AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2) AND n BETWEEN 0 AND 9 AND (host = 'a' OR n > 2);
----
n:Int64
3

SELECT count(*) AS n FROM cpu WHERE n = 4 AND host = 'b' OR n = 5 AND host = 'b' OR n = 6 AND host = 'b' OR n = 7 AND host = 'b' OR n = 8 AND host = 'b' OR n = 9 AND host = 'b' OR n = 10 AND host = 'b' OR n = 11 AND host = 'b' OR n = 12 AND host = 'b' OR n = 13 AND host = 'b' OR n = 14 AND host = 'b' OR n = 15 AND host = 'b' OR n = 16 AND host = 'b' OR n = 17 AND host = 'b' OR n = 18 AND host = 'b' OR n = 19 AND host = 'b' OR n = 20 AND host = 'b' OR n = 21 AND host = 'b' OR n = 22 AND host = 'b' OR n = 23 AND host = 'b' OR n = 24 AND host = 'b' OR n = 25 AND host = 'b' OR n = 26 AND host = 'b' OR n = 27 AND host = 'b' OR n = 28 AND host = 'b' OR n = 29 AND host = 'b' OR n = 30 AND host = 'b' OR n = 31 AND host = 'b' OR n = 32 AND host = 'b' OR n = 33 AND host = 'b' OR n = 34 AND host = 'b' OR n = 35 AND host = 'b' OR n = 36 AND host = 'b' OR n = 37 AND host = 'b' OR n = 38 AND host = 'b' OR n = 39 AND host = 'b' OR n = 40 AND host = 'b' OR n = 41 AND host = 'b' OR n = 42 AND host = 'b' OR n = 43 AND host = 'b' OR n = 44 AND host = 'b' OR n = 45 AND host = 'b' OR n = 46 AND host = 'b' OR n = 47 AND host = 'b' OR n = 48 AND host = 'b' OR n = 49 AND host = 'b' OR n = 50 AND host = 'b' OR n = 51 AND host = 'b' OR n = 52 AND host = 'b' OR n = 53 AND host = 'b' OR n = 54 AND host = 'b' OR n = 55 AND host = 'b' OR n = 56 AND host = 'b' OR n = 57 AND host = 'b' OR n = 58 AND host = 'b' OR n = 59 AND host = 'b' OR n = 60 AND host = 'b' OR n = 61 AND host = 'b' OR n = 62 AND host = 'b' OR n = 63 AND host = 'b' OR n = 64 AND host = 'b' OR n = 65 AND host = 'b' OR n = 66 AND host = 'b' OR n = 67 AND host = 'b' OR n = 68 AND host = 'b' OR n = 69 AND host = 'b' OR n = 70 AND host = 'b' OR n = 71 AND host = 'b' OR n = 72 AND host = 'b' OR n = 73 AND host = 'b' OR n = 74 AND host = 'b' OR n = 75 AND host = 'b' OR n = 76 AND host = 'b' OR n = 77 AND host = 'b' OR n = 78 AND host = 'b' OR n = 79 AND host = 'b' OR n = 80 AND host = 'b' OR n = 81 AND host = 'b' OR n = 82 AND host = 'b' OR n = 83 AND host = 'b' OR n = 84 AND host = 'b' OR n = 85 AND host = 'b' OR n = 86 AND host = 'b' OR n = 87 AND host = 'b' OR n = 88 AND host = 'b' OR n = 89 AND host = 'b' OR n = 90 AND host = 'b' OR n = 91 AND host = 'b' OR n = 92 AND host = 'b' OR n = 93 AND host = 'b' OR n = 94 AND host = 'b' OR n = 95 AND host = 'b' OR n = 96 AND host = 'b' OR n = 97 AND host = 'b' OR n = 98 AND host = 'b' OR n = 99 AND host = 'b' OR n = 100 AND host = 'b' OR n = 101 AND host = 'b' OR n = 102 AND host = 'b' OR n = 103 AND host = 'b' OR n = 104 AND host = 'b' OR n = 105 AND host = 'b' OR n = 106 AND host = 'b' OR n = 107 AND host = 'b' OR n = 108 AND host = 'b' OR n = 109 AND host = 'b' OR n = 110 AND host = 'b' OR n = 111 AND host = 'b' OR n = 112 AND host = 'b' OR n = 113 AND host = 'b' OR n = 114 AND host = 'b' OR n = 115 AND host = 'b' OR n = 116 AND host = 'b' OR n = 117 AND host = 'b' OR n = 118 AND host = 'b' OR n = 119 AND host = 'b' OR n = 120 AND host = 'b' OR n = 121 AND host = 'b' OR n = 122 AND host = 'b' OR n = 123 AND host = 'b' OR n = 124 AND host = 'b' OR n = 125 AND host = 'b' OR n = 126 AND host = 'b' OR n = 127 AND host = 'b' OR n = 128 AND host = 'b' OR n = 129 AND host = 'b' OR n = 130 AND host = 'b' OR n = 131 AND host = 'b' OR n = 132 AND host = 'b' OR n = 133 AND host = 'b' OR n = 134 AND host = 'b' OR n = 135 AND host = 'b' OR n = 136 AND host = 'b' OR n = 137 AND host = 'b' OR n = 138 AND host = 'b' OR n = 139 AND host = 'b' OR n = 140 AND host = 'b' OR n = 141 AND host = 'b' OR n = 142 AND host = 'b' OR n = 143 AND host = 'b' OR n = 144 AND host = 'b' OR n = 145 AND host = 'b' OR n = 146 AND host = 'b' OR n = 147 AND host = 'b' OR n = 148 AND host = 'b' OR n = 149 AND host = 'b' OR n = 150 AND host = 'b' OR n = 151 AND host = 'b' OR n = 152 AND host = 'b' OR n = 153 AND host = 'b' OR n = 154 AND host = 'b' OR n = 155 AND host = 'b' OR n = 156 AND host = 'b' OR n = 157 AND host = 'b' OR n = 158 AND host = 'b' OR n = 159 AND host = 'b' OR n = 160 AND host = 'b' OR n = 161 AND host = 'b' OR n = 162 AND host = 'b' OR n = 163 AND host = 'b' OR n = 164 AND host = 'b' OR n = 165 AND host = 'b' OR n = 166 AND host = 'b' OR n = 167 AND host = 'b' OR n = 168 AND host = 'b' OR n = 169 AND host = 'b' OR n = 170 AND host = 'b' OR n = 171 AND host = 'b' OR n = 172 AND host = 'b' OR n = 173 AND host = 'b' OR n = 174 AND host = 'b' OR n = 175 AND host = 'b' OR n = 176 AND host = 'b' OR n = 177 AND host = 'b' OR n = 178 AND host = 'b' OR n = 179 AND host = 'b' OR n = 180 AND host = 'b' OR n = 181 AND host = 'b' OR n = 182 AND host = 'b' OR n = 183 AND host = 'b' OR n = 184 AND host = 'b' OR n = 185 AND host = 'b' OR n = 186 AND host = 'b' OR n = 187 AND host = 'b' OR n = 188 AND host = 'b' OR n = 189 AND host = 'b' OR n = 190 AND host = 'b' OR n = 191 AND host = 'b' OR n = 192 AND host = 'b' OR n = 193 AND host = 'b' OR n = 194 AND host = 'b' OR n = 195 AND host = 'b' OR n = 196 AND host = 'b' OR n = 197 AND host = 'b' OR n = 198 AND host = 'b' OR n = 199 AND host = 'b' OR n = 200 AND host = 'b' OR n = 201 AND host = 'b' OR n = 202 AND host = 'b' OR n = 203 AND host = 'b' OR n = 204 AND host = 'b' OR n = 205 AND host = 'b' OR n = 206 AND host = 'b' OR n = 207 AND host = 'b' OR n = 208 AND host = 'b' OR n = 209 AND host = 'b' OR n = 210 AND host = 'b' OR n = 211 AND host = 'b' OR n = 212 AND host = 'b' OR n = 213 AND host = 'b' OR n = 214 AND host = 'b' OR n = 215 AND host = 'b' OR n = 216 AND host = 'b' OR n = 217 AND host = 'b' OR n = 218 AND host = 'b' OR n = 219 AND host = 'b' OR n = 220 AND host = 'b' OR n = 221 AND host = 'b' OR n = 222 AND host = 'b' OR n = 223 AND host = 'b' OR n = 224 AND host = 'b' OR n = 225 AND host = 'b' OR n = 226 AND host = 'b' OR n = 227 AND host = 'b' OR n = 228 AND host = 'b' OR n = 229 AND host = 'b' OR n = 230 AND host = 'b' OR n = 231 AND host = 'b' OR n = 232 AND host = 'b' OR n = 233 AND host = 'b' OR n = 234 AND host = 'b' OR n = 235 AND host = 'b' OR n = 236 AND host = 'b' OR n = 237 AND host = 'b' OR n = 238 AND host = 'b' OR n = 239 AND host = 'b' OR n = 240 AND host = 'b' OR n = 241 AND host = 'b' OR n = 242 AND host = 'b' OR n = 243 AND host = 'b' OR n = 244 AND host = 'b' OR n = 245 AND host = 'b' OR n = 246 AND host = 'b' OR n = 247 AND host = 'b' OR n = 248 AND host = 'b' OR n = 249 AND host = 'b' OR n = 250 AND host = 'b' OR n = 251 AND host = 'b' OR n = 252 AND host = 'b' OR n = 253 AND host = 'b' OR n = 254 AND host = 'b' OR n = 255 AND host = 'b' OR n = 256 AND host = 'b' OR n = 257 AND host = 'b' OR n = 258 AND host = 'b' OR n = 259 AND host = 'b' OR n = 260 AND host = 'b' OR n = 261 AND host = 'b' OR n = 262 AND host = 'b' OR n = 263 AND host = 'b' OR n = 264 AND host = 'b' OR n = 265 AND host = 'b' OR n = 266 AND host = 'b' OR n = 267 AND host = 'b' OR n = 268 AND host = 'b' OR n = 269 AND host = 'b' OR n = 270 AND host = 'b' OR n = 271 AND host = 'b' OR n = 272 AND host = 'b' OR n = 273 AND host = 'b' OR n = 274 AND host = 'b' OR n = 275 AND host = 'b' OR n = 276 AND host = 'b' OR n = 277 AND host = 'b' OR n = 278 AND host = 'b' OR n = 279 AND host = 'b' OR n = 280 AND host = 'b' OR n = 281 AND host = 'b' OR n = 282 AND host = 'b' OR n = 283 AND host = 'b' OR n = 284 AND host = 'b' OR n = 285 AND host = 'b' OR n = 286 AND host = 'b' OR n = 287 AND host = 'b' OR n = 288 AND host = 'b' OR n = 289 AND host = 'b' OR n = 290 AND host = 'b' OR n = 291 AND host = 'b' OR n = 292 AND host = 'b' OR n = 293 AND host = 'b' OR n = 294 AND host = 'b' OR n = 295 AND host = 'b' OR n = 296 AND host = 'b' OR n = 297 AND host = 'b' OR n = 298 AND host = 'b' OR n = 299 AND host = 'b' OR n = 300 AND host = 'b' OR n = 301 AND host = 'b' OR n = 302 AND host = 'b' OR n = 303 AND host = 'b' OR n = 304 AND host = 'b' OR n = 305 AND host = 'b' OR n = 306 AND host = 'b' OR n = 307 AND host = 'b' OR n = 308 AND host = 'b' OR n = 309 AND host = 'b' OR n = 310 AND host = 'b' OR n = 311 AND host = 'b' OR n = 312 AND host = 'b' OR n = 313 AND host = 'b' OR n = 314 AND host = 'b' OR n = 315 AND host = 'b' OR n = 316 AND host = 'b' OR n = 317 AND host = 'b' OR n = 318 AND host = 'b' OR n = 319 AND host = 'b' OR n = 320 AND host = 'b' OR n = 321 AND host = 'b' OR n = 322 AND host = 'b' OR n = 323 AND host = 'b' OR n = 324 AND host = 'b' OR n = 325 AND host = 'b' OR n = 326 AND host = 'b' OR n = 327 AND host = 'b' OR n = 328 AND host = 'b' OR n = 329 AND host = 'b' OR n = 330 AND host = 'b' OR n = 331 AND host = 'b' OR n = 332 AND host = 'b' OR n = 333 AND host = 'b' OR n = 334 AND host = 'b' OR n = 335 AND host = 'b' OR n = 336 AND host = 'b' OR n = 337 AND host = 'b' OR n = 338 AND host = 'b' OR n = 339 AND host = 'b' OR n = 340 AND host = 'b' OR n = 341 AND host = 'b' OR n = 342 AND host = 'b' OR n = 343 AND host = 'b' OR n = 344 AND host = 'b' OR n = 345 AND host = 'b' OR n = 346 AND host = 'b' OR n = 347 AND host = 'b' OR n = 348 AND host = 'b' OR n = 349 AND host = 'b' OR n = 350 AND host = 'b' OR n = 351 AND host = 'b' OR n = 352 AND host = 'b' OR n = 353 AND host = 'b' OR n = 354 AND host = 'b' OR n = 355 AND host = 'b' OR n = 356 AND host = 'b' OR n = 357 AND host = 'b' OR n = 358 AND host = 'b' OR n = 359 AND host = 'b' OR n = 360 AND host = 'b' OR n = 361 AND host = 'b' OR n = 362 AND host = 'b' OR n = 363 AND host = 'b' OR n = 364 AND host = 'b' OR n = 365 AND host = 'b' OR n = 366 AND host = 'b' OR n = 367 AND host = 'b' OR n = 368 AND host = 'b' OR n = 369 AND host = 'b' OR n = 370 AND host = 'b' OR n = 371 AND host = 'b' OR n = 372 AND host = 'b' OR n = 373 AND host = 'b' OR n = 374 AND host = 'b' OR n = 375 AND host = 'b' OR n = 376 AND host = 'b' OR n = 377 AND host = 'b' OR n = 378 AND host = 'b' OR n = 379 AND host = 'b' OR n = 380 AND host = 'b' OR n = 381 AND host = 'b' OR n = 382 AND host = 'b' OR n = 383 AND host = 'b' OR n = 384 AND host = 'b' OR n = 385 AND host = 'b' OR n = 386 AND host = 'b' OR n = 387 AND host = 'b' OR n = 388 AND host = 'b' OR n = 389 AND host = 'b' OR n = 390 AND host = 'b' OR n = 391 AND host = 'b' OR n = 392 AND host = 'b' OR n = 393 AND host = 'b' OR n = 394 AND host = 'b' OR n = 395 AND host = 'b' OR n = 396 AND host = 'b' OR n = 397 AND host = 'b' OR n = 398 AND host = 'b' OR n = 399 AND host = 'b' OR n = 400 AND host = 'b' OR n = 401 AND host = 'b' OR n = 402 AND host = 'b' OR n = 403 AND host = 'b' OR n = 404 AND host = 'b' OR n = 405 AND host = 'b' OR n = 406 AND host = 'b' OR n = 407 AND host = 'b' OR n = 408 AND host = 'b' OR n = 409 AND host = 'b' OR n = 410 AND host = 'b' OR n = 411 AND host = 'b' OR n = 412 AND host = 'b' OR n = 413 AND host = 'b' OR n = 414 AND host = 'b' OR n = 415 AND host = 'b' OR n = 416 AND host = 'b' OR n = 417 AND host = 'b' OR n = 418 AND host = 'b' OR n = 419 AND host = 'b' OR n = 420 AND host = 'b' OR n = 421 AND host = 'b' OR n = 422 AND host = 'b' OR n = 423 AND host = 'b' OR n = 424 AND host = 'b' OR n = 425 AND host = 'b' OR n = 426 AND host = 'b' OR n = 427 AND host = 'b' OR n = 428 AND host = 'b' OR n = 429 AND host = 'b' OR n = 430 AND host = 'b' OR n = 431 AND host = 'b' OR n = 432 AND host = 'b' OR n = 433 AND host = 'b' OR n = 434 AND host = 'b' OR n = 435 AND host = 'b' OR n = 436 AND host = 'b' OR n = 437 AND host = 'b' OR n = 438 AND host = 'b' OR n = 439 AND host = 'b' OR n = 440 AND host = 'b' OR n = 441 AND host = 'b' OR n = 442 AND host = 'b' OR n = 443 AND host = 'b' OR n = 444 AND host = 'b' OR n = 445 AND host = 'b' OR n = 446 AND host = 'b' OR n = 447 AND host = 'b' OR n = 448 AND host = 'b' OR n = 449 AND host = 'b' OR n = 450 AND host = 'b' OR n = 451 AND host = 'b' OR n = 452 AND host = 'b' OR n = 453 AND host = 'b' OR n = 454 AND host = 'b' OR n = 455 AND host = 'b' OR n = 456 AND host = 'b' OR n = 457 AND host = 'b' OR n = 458 AND host = 'b' OR n = 459 AND host = 'b' OR n = 1;
----
n:Int64
2

-- PIVOT and UNPIVOT as statements.
--! sorted
PIVOT cpu ON dc USING sum(n) GROUP BY host;
----
host:String | x:Int64 | y:Int64
"b" | null | 7
"a" | 3 | null

--! sorted
PIVOT cpu ON dc IN ('y', 'x', 'z') USING max(usage) AS top, count(*) AS n GROUP BY host;
----
host:String | y_top:Float64 | y_n:Int64 | x_top:Float64 | x_n:Int64 | z_top:Float64 | z_n:Int64
"b" | 3.5 | 2 | null | 0 | null | 0
"a" | null | 0 | 2.5 | 2 | null | 0

--! sorted
PIVOT (SELECT host, dc, n FROM cpu) ON host USING count(*) GROUP BY dc;
----
dc:String | a:Int64 | b:Int64
"x" | 2 | 0
"y" | 0 | 2

--! sorted
PIVOT copied ON host USING max(usage);
----
ts:TimestampMillisecond | a:Float64 | b:Float64
1741064767500 | 1.5 | null
1741064770000 | null | null
1741064768000 | 2.5 | null
1741064769000 | null | 3.5

--! sorted
PIVOT (SELECT host, dc, n FROM cpu) ON host USING count(*);
----
dc:String | n:Int64 | a:Int64 | b:Int64
"x" | 1 | 1 | 0
"y" | 3 | 0 | 1
"x" | 2 | 1 | 0
"y" | 4 | 0 | 1

--! sorted
UNPIVOT (SELECT host, usage, n FROM cpu WHERE n = 1) ON usage, n;
----
host:String | name:String | value:Float64
"a" | "usage" | 1.5
"a" | "n" | 1.0

UNPIVOT (SELECT usage, n FROM cpu WHERE n = 1) ON usage, n INTO NAME k VALUE v;
----
k:String | v:Float64
"usage" | 1.5
"n" | 1.0

PIVOT cpu ON nothing USING sum(n) GROUP BY host;
----
error 3000(400) Failed to plan SQL: No field named nothing at line 1, column 14. Valid fields are "ts", "host", "dc", "usage", "n", "j"

-- List comprehensions.
SELECT [x + 1 FOR x IN [1, 2, 3] IF x > 1] AS a, [[y * 2 for y in x] for x in [[1], [2, 3]]] AS b, [1, 2][1] AS c;
----
a:List<Int32> | b:List<List<Int32>> | c:Int32
[3,4] | [[2],[4,6]] | 1

SELECT host, [u * 10 FOR u IN list(usage ORDER BY ts)] AS tens FROM cpu GROUP BY host ORDER BY host;
----
host:String | tens:List<Float64>
"a" | [15.0,25.0]
"b" | [35.0,null]

SELECT [x FOR y IN [1]];
----
error 3000(400) Failed to plan SQL: No field named x at line 1, column 9.

-- PIVOT where a query may stand; several columns; common tables.
--! sorted
SELECT * FROM (PIVOT cpu ON dc USING sum(n) GROUP BY host) AS p WHERE host > '';
----
host:String | x:Int64 | y:Int64
"b" | null | 7
"a" | 3 | null

WITH small AS (SELECT host, dc, n FROM cpu WHERE n < 4), p AS (PIVOT small ON host USING sum(n)) SELECT * FROM p ORDER BY ALL;
----
dc:String | a:Int64 | b:Int64
"x" | 3 | null
"y" | null | 3

--! sorted
PIVOT cpu ON host, dc USING max(usage) GROUP BY n % 2;
----
n % 2:Int64 | a_x:Float64 | a_y:Float64 | b_x:Float64 | b_y:Float64
0 | 2.5 | null | null | null
1 | 1.5 | null | null | 3.5

CREATE VIEW pivots AS PIVOT cpu ON dc USING sum(n) GROUP BY host;
----
affected 0

--! sorted
SELECT x FROM pivots;
----
x:Int64
null
3

EXPLAIN PIVOT nowhere ON dc USING sum(n);
----
error 4001(400) Failed to plan SQL: Table not found: svc.public.nowhere

--! sorted
SELECT name, sum(value) AS value FROM (UNPIVOT (SELECT host, usage, n FROM cpu) ON usage, n) AS u GROUP BY name;
----
name:String | value:Float64
"usage" | 7.5
"n" | 10.0

SELECT * FROM (PIVOT cpu ON dc);
----
error 2000(400) expected USING, found end of statement at line 1, column 31

-- IGNORE NULLS within the parentheses and behind them, over windows and of aggregates.
SELECT first_value(usage IGNORE NULLS) OVER (ORDER BY ts) AS a, last_value(usage) IGNORE NULLS OVER (ORDER BY ts) AS b, last_value(usage RESPECT NULLS) OVER (ORDER BY ts) AS c FROM cpu ORDER BY ts;
----
a:Float64 | b:Float64 | c:Float64
1.5 | 1.5 | 1.5
1.5 | 2.5 | 2.5
1.5 | 3.5 | 3.5
1.5 | 3.5 | null

SELECT last_value(usage ORDER BY ts) AS a, last_value(usage ORDER BY ts) IGNORE NULLS AS b, last_value(usage IGNORE NULLS) IS NOT NULL AS c, first_value(usage ORDER BY ts DESC IGNORE NULLS) AS d FROM cpu;
----
a:Float64 | b:Float64 | c:Boolean | d:Float64
null | 3.5 | true | 3.5

SELECT approx_percentile_cont(0.5) WITHIN GROUP (ORDER BY usage) AS a FROM cpu;
----
a:Float64
2.5

-- Sketches of parts make that of the whole.
SELECT hll_count(hll_merge(h)) AS hosts, uddsketch_calc(0.5, uddsketch_merge(128, 0.01, s)) = (SELECT uddsketch_calc(0.5, uddsketch_state(128, 0.01, usage)) FROM cpu) AS same FROM (SELECT dc, hll(host) AS h, uddsketch_state(128, 0.01, usage) AS s FROM cpu GROUP BY dc) AS parts;
----
hosts:Int64 | same:Boolean
2 | true

-- PIVOT behind a table groups by what it says.
SELECT * FROM cpu PIVOT (sum(n) FOR dc IN ('x', 'y') GROUP BY host) AS p ORDER BY host;
----
host:String | x:Int64 | y:Int64
"a" | 3 | null
"b" | null | 7

SELECT p.* FROM (SELECT host, dc, n FROM cpu) PIVOT (sum(n) AS total, max(n) AS top FOR dc IN ('x' AS ex) host IN ('a', 'b') GROUP BY n % 2) AS p ORDER BY ALL;
----
n % 2:Int64 | ex_a_total:Int64 | ex_a_top:Int64 | ex_b_total:Int64 | ex_b_top:Int64
0 | 2 | 2 | null | null
1 | 1 | 1 | null | null

SELECT * FROM cpu PIVOT (sum(n) FOR dc GROUP BY host);
----
error 2000(400) expected IN, found GROUP at line 1, column 40

-- Patterns of Postgres where there is no percent sign. Names are not padded.
SELECT to_char(ts, 'YYYY-MM-DD HH24:MI:SS.MS') AS a, to_char(ts, 'yyyy/mm/dd hh:mi PM') AS b, to_char(ts, 'Dy, DD Mon YY, Day, Month, DDD, IYYY-IW-ID, US, FF3') AS c, to_char(ts, 'FMDD.FMMM.YYYY FMMonth') AS d, to_char(ts, 'YYYY-MM-DD"T"HH24:MI"Z"') AS e, to_char(ts, '%Y') AS f, to_char(ts, 'YYYYMMDDHH24MISS') AS g, to_char(ts, ' - ') AS h, to_char(ts::DATE, 'DD') AS i, to_char(ts::TIMESTAMPTZ, 'HH12 TZ') AS j, to_char(ts, '%' || 'Y') AS k FROM cpu ORDER BY ts LIMIT 1;
SELECT to_char(ts, 'YYYY-MM'), count(*) FROM cpu GROUP BY to_char(ts, 'YYYY-MM');
----
a:String | b:String | c:String | d:String | e:String | f:String | g:String | h:String | i:String | j:String | k:String
"2025-03-04 05:06:07.500" | "2025/03/04 05:06 AM" | "Tue, 04 Mar 25, Tuesday, March, 063, 2025-10-2, 500000, 500" | "4.3.2025 March" | "2025-03-04T05:06Z" | "2025" | "20250304050607" | " - " | "04" | "05 UTC" | "2025"
--
to_char(ts, 'YYYY-MM'):String | count(*):Int64
"2025-03" | 4

SELECT to_char(ts, 'YYYY-Q') FROM cpu;
----
error 3000(400) Failed to plan SQL: to_char does not know Q in 'YYYY-Q' at line 1, column 20: text stands in double quotes

SELECT to_char(ts, 'YYYY-MM-DDTHH24') FROM cpu;
----
error 3000(400) Failed to plan SQL: to_char does not know DDTH in 'YYYY-MM-DDTHH24' at line 1, column 20: text stands in double quotes

SELECT to_char(ts, 'MON') FROM cpu;
----
error 3000(400) Failed to plan SQL: to_char does not know MON in 'MON' at line 1, column 20: text stands in double quotes

SELECT to_char(ts, 'YYYY' || '-MM') FROM cpu;
----
error 3000(400) Failed to plan SQL: to_char takes patterns such as YYYY only as a constant: YYYY-MM

SELECT to_char(ts, host) FROM cpu;
----
error 3000(400) Failed to plan SQL: the pattern of a time must be a constant at line 1, column 20

SELECT named_struct('a', 1, 'B', host) AS s, named_struct('a', named_struct('b', arrow_cast(usage, 'Int64')))['a']['b'] AS t FROM cpu ORDER BY ts LIMIT 1;
----
s:Struct<a: Int32, B: String> | t:Int64
{"a":1,"B":"a"} | 1

SELECT named_struct('a', 1, host) FROM cpu;
----
error 3000(400) Failed to plan SQL: named_struct takes names, constants, each with its value behind it at line 1, column 8

SELECT cardinality([1, 2, 3]) AS a, cardinality(MAP {'a': 1}) AS b, cardinality(make_array()) AS c, array_agg(n ORDER BY n) AS d, cardinality(array_agg(n)) AS e FROM cpu;
----
a:UInt64 | b:UInt64 | c:UInt64 | d:List<Int64> | e:UInt64
3 | 1 | 0 | [1,2,3,4] | 4

SELECT json_object_keys(j) AS k FROM cpu WHERE n = 1;
----
k:String
"a"
"s"
"f"
"n"
"t"
"l"

SELECT encode(digest('abc', 'sha256'), 'hex') AS a, encode(digest(host, 'md5'), 'hex') AS b FROM cpu ORDER BY ts LIMIT 1;
----
a:String | b:String
"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" | "0cc175b9c0f1b6a831c399e269772661"

SELECT digest('abc', 'sha512');
----
error 3000(400) Failed to plan SQL: digest knows md5, sha1 and sha256, not sha512

SELECT polyval(n, 2) AS p FROM (SELECT n FROM cpu ORDER BY n);
----
p:Float64
26.0

-- A fraction is cut off, not rounded.
SELECT arrow_cast(21.7, 'Int64') AS a, arrow_cast(-1.9, 'Int8') AS b, arrow_cast(usage, 'Int32') AS c, arrow_cast('7', 'UInt8') AS d, arrow_cast(arrow_cast(2.9, 'Int64'), 'Utf8') AS e, arrow_cast(ts, 'Int64') AS f, arrow_cast(DECIMAL '3.99', 'Int16') AS g FROM cpu ORDER BY ts LIMIT 1;
----
a:Int64 | b:Int8 | c:Int32 | d:UInt8 | e:String | f:Int64 | g:Int16
21 | -1 | 1 | 7 | "2" | 1741064767500 | 3

SELECT vec_cos_distance('[1, 0]', '[0, 1]') AS cos, vec_l2sq_distance('[1, 1]', [2, 3]) AS l2, vec_dot_product('[1, 2]', '[3, 4]') AS dot, vec_to_string(vec_norm('[3, 4]')) AS norm, vec_elem_sum('[1, 2]') AS sum, vec_dim('[1, 2, 3]') AS dim, vec_to_string(parse_vec('[1.5, 2]')) AS text;
----
cos:Float32 | l2:Float32 | dot:Float32 | norm:String | sum:Float32 | dim:Int64 | text:String
1.0 | 5.0 | 11.0 | "[0.6,0.8]" | 3.0 | 3 | "[1.5,2.0]"

SELECT vec_add('[1, 2]', '[3, 4]') AS a, vec_sub('[1, 2]', '[3, 4]') AS s, vec_mul('[1, 2]', '[3, 4]') AS m, vec_div('[1, 2]', '[4, 4]') AS d, vec_scalar_add(1, '[1, 2]') AS x, vec_scalar_mul(2, '[1, 2]') AS y, vec_kth_elem('[5, 6]', 1) AS z, vec_elem_product('[2, 3]') AS p;
----
a:List<Float32> | s:List<Float32> | m:List<Float32> | d:List<Float32> | x:List<Float32> | y:List<Float32> | z:Float32 | p:Float32
[4.0,6.0] | [-2.0,-2.0] | [3.0,8.0] | [0.25,0.5] | [2.0,3.0] | [2.0,4.0] | 6.0 | 6.0

SELECT vec_add('[1]', '[1, 2]');
----
error 3000(400) Failed to plan SQL: vectors of 1 and 2 elements

-- Larger than any number.
SELECT 1e400;
----
error 1004(400) a number of the statement is too large

-- Weighted percentiles, JSON and intervals.
SELECT approx_percentile_cont_with_weight(x, w, 0.5) AS half, approx_percentile_cont_with_weight(x, w, 1) AS top FROM (VALUES (1, 1.0), (2, 1), (3, 8), (NULL, 5), (4, NULL)) AS t(x, w);
----
half:Int32 | top:Int32
3 | 3

SELECT approx_percentile_cont_with_weight(x, 1, 0.5) AS x FROM (SELECT NULL::INT AS x);
----
x:Int32
null

SELECT json_query('{"a":{"b":[1,"x"]}}', '$.a') AS a, json_query('{"a":{"b":[1,"x"]}}', '$.a.b[1]') AS b, json_query('{}', '$.z') AS z;
----
a:Json | b:Json | z:Json
{"b":[1,"x"]} | "x" | null

SELECT key FROM jsonb_each('{"a":1,"b":2}') ORDER BY key;
----
key:String
"a"
"b"

SELECT justify_interval(INTERVAL '35 days') AS i, round(e(), 3) AS e, INTERVAL '1 year 2 months 3 days 04:05:06.7' AS a, -INTERVAL '1 day 1 second' AS b, INTERVAL 0 SECONDS AS zero, [INTERVAL 1 DAY, NULL] AS list, {'i': INTERVAL '90 minutes'} AS s;
----
i:IntervalMonthDayNano | e:Float64 | a:IntervalMonthDayNano | b:IntervalMonthDayNano | zero:IntervalMonthDayNano | list:List<IntervalMonthDayNano> | s:Struct<i: IntervalMonthDayNano>
79228162606498057962091708416 | 2.718 | 1109194275255040973237443959552 | 79228162514264337592543950336 | 0 | [18446744073709551616,null] | {"i":5400000000000}

-- Statements of other databases are refused with what to write instead.
PREPARE p AS SELECT 1;
----
error 1001(400) SQL statement is not supported, keyword: PREPARE. Send the statement with `?` or `$1` in it and the values beside it, as `params`

CREATE TABLE given (at TIMESTAMPTZ TIME INDEX, id BIGINT PRIMARY KEY, took STRING);
----
affected 0

INSERT INTO given VALUES ('2025-01-01 10:00:00+02', 1, 'x') RETURNING *;
----
error 1001(400) RETURNING is not supported: ask for the rows with a SELECT

DELETE FROM given WHERE id = 1 RETURNING id;
----
error 1001(400) RETURNING is not supported: ask for the rows with a SELECT

INSERT INTO given VALUES ('2025-01-01 10:00:00+02', 1, 'x');
----
affected 1

SELECT * FROM given ORDER BY id;
----
at:TimestampMicrosecond | id:Int64 | took:String
1735718400000000 | 1 | "x"

SHOW TIME ZONE;
----
TIMEZONE:String
"UTC"

SHOW TAG KEYS;
----
error 1001(400) SHOW TAG is not supported, there are DATABASES, TABLES, VIEWS, FLOWS, COLUMNS, INDEX, CREATE, TABLE STATUS, VARIABLES, PROCESSLIST, CHARSET, COLLATION, ENGINES, STATUS

SELECT date_bin(INTERVAL '1 hour', time) AS time FROM given;
----
error 3000(400) Failed to plan SQL: No field named time
