-- Values of every type as results, and functions over them.
CREATE TABLE v (
  i8 TINYINT, i16 SMALLINT, i32 INT, i64 BIGINT, u8 TINYINT UNSIGNED, u16 SMALLINT UNSIGNED, u32 INT UNSIGNED, u64 BIGINT UNSIGNED,
  f32 FLOAT, f64 DOUBLE, b BOOLEAN, s STRING, x VARBINARY, d DATE, p DECIMAL(20, 4), j JSON,
  t0 TIMESTAMP(0), t3 TIMESTAMP(3), t6 TIMESTAMP(6), t9 TIMESTAMP(9), at TIMESTAMP TIME INDEX
);
INSERT INTO v VALUES
  (-128, -32768, -2147483648, -9223372036854775808, 0, 0, 0, 0, -1.5, -1e300, false, '', X'', '1969-12-31', -0.0001, '[]', -1, -1, -1, -1, 1),
  (127, 32767, 2147483647, 9223372036854775807, 255, 65535, 4294967295, 18446744073709551615, 3.4028235e38, 1e-7, true, 'ä"\	😀', X'00ff10', '9999-12-31', 1234567890123456.7891, '{"a": [1, 2.50, null, "x"], "b": {"c": true}}', 1, 1001, 1000001, 1000000001, 2),
  (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 3);
----
affected 0
--
affected 3

SELECT * FROM v ORDER BY at;
----
i8:Int8 | i16:Int16 | i32:Int32 | i64:Int64 | u8:UInt8 | u16:UInt16 | u32:UInt32 | u64:UInt64 | f32:Float32 | f64:Float64 | b:Boolean | s:String | x:Binary | d:Date | p:Decimal(20, 4) | j:Json | t0:TimestampSecond | t3:TimestampMillisecond | t6:TimestampMicrosecond | t9:TimestampNanosecond | at:TimestampMillisecond
-128 | -32768 | -2147483648 | -9223372036854775808 | 0 | 0 | 0 | 0 | -1.5 | -1e+300 | false | "" | [] | -1 | "-0.0001" | [] | -1 | -1 | -1 | -1 | 1
127 | 32767 | 2147483647 | 9223372036854775807 | 255 | 65535 | 4294967295 | 18446744073709551615 | 3.4028235e+38 | 1e-7 | true | "ä\"\\\t😀" | [0,255,16] | 2932896 | "1234567890123456.7891" | {"a":[1,2.50,null,"x"],"b":{"c":true}} | 1 | 1001 | 1000001 | 1000000001 | 2
null | null | null | null | null | null | null | null | null | null | null | null | null | null | null | null | null | null | null | null | 3

ADMIN flush_table('v');
----
ADMIN flush_table('v'):UInt64
0

SELECT * FROM v ORDER BY at;
----
i8:Int8 | i16:Int16 | i32:Int32 | i64:Int64 | u8:UInt8 | u16:UInt16 | u32:UInt32 | u64:UInt64 | f32:Float32 | f64:Float64 | b:Boolean | s:String | x:Binary | d:Date | p:Decimal(20, 4) | j:Json | t0:TimestampSecond | t3:TimestampMillisecond | t6:TimestampMicrosecond | t9:TimestampNanosecond | at:TimestampMillisecond
-128 | -32768 | -2147483648 | -9223372036854775808 | 0 | 0 | 0 | 0 | -1.5 | -1e+300 | false | "" | [] | -1 | "-0.0001" | [] | -1 | -1 | -1 | -1 | 1
127 | 32767 | 2147483647 | 9223372036854775807 | 255 | 65535 | 4294967295 | 18446744073709551615 | 3.4028235e+38 | 1e-7 | true | "ä\"\\\t😀" | [0,255,16] | 2932896 | "1234567890123456.7891" | {"a":[1,2.50,null,"x"],"b":{"c":true}} | 1 | 1001 | 1000001 | 1000000001 | 2
null | null | null | null | null | null | null | null | null | null | null | null | null | null | null | null | null | null | null | null | 3

SELECT 'NaN'::DOUBLE AS nan, 'Infinity'::DOUBLE AS inf, '-Infinity'::FLOAT AS ninf, 0.1::FLOAT AS f, 0.1 AS decimal, 1e0 AS float;
----
nan:Float64 | inf:Float64 | ninf:Float32 | f:Float32 | decimal:Float64 | float:Float64
null | null | null | 0.1 | 0.1 | 1.0

SELECT 16777216::FLOAT AS a, 1024::DOUBLE AS b, 1e21::DOUBLE AS c, 1.0e-10::DOUBLE AS d, -0.0::DOUBLE AS e, 123456789.125::DOUBLE AS f;
----
a:Float32 | b:Float64 | c:Float64 | d:Float64 | e:Float64 | f:Float64
16777216.0 | 1024.0 | 1e+21 | 1e-10 | -0.0 | 123456789.125

SELECT 170141183460469231731687303715884105727::HUGEINT AS h;
----
h:Decimal(38, 0)
"170141183460469231731687303715884105727"

SELECT sum(i64::HUGEINT) AS total FROM v;
----
total:Int64
-1

SELECT sum(u64) AS s, avg(i64) AS a FROM v WHERE at = 2;
----
s:Decimal(38, 0) | a:Float64
"18446744073709551615" | 9223372036854776000.0

-- A sum beyond 64 bits is a decimal number, in all rows of its column.
SELECT sum(n) OVER (ORDER BY n) AS s FROM (VALUES (9223372036854775806), (9223372036854775807)) AS n(n) ORDER BY 1;
----
s:Decimal(38, 0)
"9223372036854775806"
"18446744073709551613"

--! format=csv
SELECT sum(n) AS s, sum(n)::DOUBLE AS d, min(n) AS m FROM (VALUES (-9223372036854775807), (-9223372036854775806)) AS n(n);
----
-18446744073709551613,-18446744073709552000.0,-9223372036854775807

SELECT [sum(n)] AS l FROM (VALUES (9223372036854775806), (9223372036854775807)) AS n(n);
----
error 3000(400) 18446744073709551613 does not fit into 64 bits: cast the expression to DOUBLE or DECIMAL

SELECT [1, 2, NULL] AS l, ['a', NULL] AS s, [[1.5], []] AS ll, {'a': 1, 'b': 'x', 'c': [true]} AS st, MAP {'k': 1} AS m;
----
l:List<Int32> | s:List<String> | ll:List<List<Float64>> | st:Struct<a: Int32, b: String, c: List<Boolean>> | m:List<Struct<key: String, value: Int32>>
[1,2,null] | ["a",null] | [[1.5],[]] | {"a":1,"b":"x","c":[true]} | [{"key":"k","value":1}]

SELECT [TIMESTAMP '2024-01-01 00:00:00'] AS times, [DATE '1970-01-02'] AS dates, [1.5::DECIMAL(4, 2)] AS decimals, ['a'::BLOB] AS bytes;
----
times:List<TimestampMicrosecond> | dates:List<Date> | decimals:List<Decimal(4, 2)> | bytes:List<Binary>
[1704067200000000] | [1] | ["1.50"] | [[97]]

SELECT array_agg(i32 ORDER BY at) AS l FROM v;
----
l:List<Int32>
[-2147483648,2147483647,null]

SELECT j.a AS a, j.b.c AS c FROM v WHERE at = 2;
----
a:Json | c:Json
[1,2.5,null,"x"] | true

SELECT j->'a' AS a, j->>'$.b.c' AS c, json_extract_string(j, '$.a[3]') AS x FROM v WHERE at = 2;
----
a:Json | c:String | x:String
[1,2.5,null,"x"] | "true" | "x"

SELECT json_array_length(j->'a') AS n, j FROM v WHERE at = 2;
----
n:UInt64 | j:Json
4 | {"a":[1,2.50,null,"x"],"b":{"c":true}}

SELECT unnest([3, 1, 2]) AS n ORDER BY n;
----
n:Int32
1
2
3

SELECT NULL AS nothing, true AND NULL AS unknown;
----
nothing:Int32 | unknown:Boolean
null | null

SELECT 'a\x00'::BLOB AS bytes, hex(x) AS hex, octet_length(x) AS n FROM v WHERE at = 2;
----
bytes:Binary | hex:String | n:Int64
[97,0] | "00FF10" | 3

SELECT md5('a') AS m, length('äö') AS n, upper('ä') AS u, substr('hello', 2, 3) AS s, 'a' || 1 AS c, replace('aa', 'a', 'b') AS r;
----
m:String | n:Int64 | u:String | s:String | c:String | r:String
"0cc175b9c0f1b6a831c399e269772661" | 2 | "Ä" | "ell" | "a1" | "bb"

SELECT regexp_matches('GET /x', '^GET') AS m, regexp_extract('a=12', '(\d+)', 1) AS d, regexp_replace('a1b2', '\d', '#', 'g') AS r, 'abc' SIMILAR TO 'a.c' AS s;
----
m:Boolean | d:String | r:String | s:Boolean
true | "12" | "a#b#" | true

SELECT 7 / 2 AS q, 7 // 2 AS i, 7 % 4 AS r, 2 ^ 10 AS p, abs(-3) AS a, round(2.567, 2) AS n, floor(-1.5) AS f;
----
q:Float64 | i:Int32 | r:Int32 | p:Float64 | a:Int32 | n:Float64 | f:Float64
3.5 | 3 | 3 | 1024.0 | 3 | 2.57 | -2.0

SELECT greatest(1, 2.5, 2) AS g, least('b', 'a') AS l, nullif(1, 1) AS n, ifnull(NULL, 2) AS i;
----
g:Float64 | l:String | n:Int32 | i:Int32
2.5 | "a" | null | 2

SELECT 1 / 0 AS zero, 5 % 0 AS rest;
----
zero:Float64 | rest:Int32
null | null

SELECT 127::TINYINT + 1::TINYINT;
----
error 3000(400) Failed to plan SQL: Overflow in addition of TINYINT (127 + 1)

SELECT 9223372036854775807 + 1 AS more;
----
error 3000(400) Failed to plan SQL: Overflow in addition of BIGINT (9223372036854775807 + 1)

SELECT 'x'::INT;
----
error 3000(400) Failed to plan SQL: 'x' is not a valid INT at line 1, column 11

SELECT CAST('12' AS BIGINT) AS n, TRY_CAST('x' AS INT) AS t, '1.50'::DECIMAL(5, 2) AS d, true::INT AS b;
----
n:Int64 | t:Int32 | d:Decimal(5, 2) | b:Int32
12 | null | "1.50" | 1

SELECT typeof(i64) AS a, typeof(s) AS b, typeof(p) AS c, typeof(t9) AS d FROM v LIMIT 1;
----
a:String | b:String | c:String | d:String
"BIGINT" | "VARCHAR" | "DECIMAL(20,4)" | "TIMESTAMP_NS"

SELECT quantile_cont(n, 0.5) AS q, median(n) AS m, approx_quantile(n, 0.9) AS a, quantile_disc(n, [0.25, 0.75]) AS l FROM range(1, 101) r(n);
----
q:Float64 | m:Float64 | a:Int64 | l:List<Int64>
50.5 | 50.5 | 90 | [25,75]

SELECT approx_count_distinct(n % 10) AS about, mode(n % 3) AS mode FROM range(0, 30) r(n);
----
about:Int64 | mode:Int64
11 | 0

SELECT stddev_samp(n) AS s, var_pop(n) AS v, corr(n, n * 2) AS c, skewness(n) AS k, entropy(n) AS e FROM range(1, 5) r(n);
----
s:Float64 | v:Float64 | c:Float64 | k:Float64 | e:Float64
1.2909944487358056 | 1.25 | 0.9999999999999998 | 0.0 | 2.0

SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY n) AS p FROM range(0, 11) r(n);
----
p:Float64
5.0

SELECT approx_percentile_cont(n, 0.5) AS p FROM range(0, 11) r(n);
----
p:Int64
5

SELECT histogram(n % 3) AS h FROM range(0, 9) r(n);
----
h:List<Struct<key: Int64, value: UInt64>>
[{"key":0,"value":3},{"key":1,"value":3},{"key":2,"value":3}]

SELECT bool_and(n > 0) AS a, bool_or(n > 2) AS o, bit_xor(n) AS x, product(n) AS p FROM range(1, 4) r(n);
----
a:Boolean | o:Boolean | x:Int64 | p:Float64
true | true | 0 | 6.0

SELECT approx_quantile(n, [0.25, 0.5]) AS l, approx_quantile(n::DOUBLE, 0.5) AS d, approx_percentile_cont(n, 0.9) FROM range(0, 101) r(n);
----
l:List<Int64> | d:Float64 | approx_percentile_cont(n, 0.9):Int64
[25,50] | 50.0 | 90

SELECT first_value(n ORDER BY n DESC) AS a, last_value(n ORDER BY n DESC) AS b, last_value(n) FROM range(0, 3) r(n);
----
a:Int64 | b:Int64 | last_value(n):Int64
2 | 0 | 2

SELECT n, first_value(n) OVER (ORDER BY n DESC) AS a, last_value(n) FILTER (WHERE n > 0) OVER (ORDER BY n) AS b FROM range(0, 3) r(n) ORDER BY n;
----
error 2000(400) FILTER is not implemented for non-aggregate window functions

-- A slash divides into fractions (decision 39), two into whole numbers.
SELECT 10 / 4 AS a, -7 / 2 AS b, -7 // 2 AS c, div(-7, 2) AS d, (INTERVAL '3 days' / 2)::TEXT AS e, 1672531499 // 300 * 300 AS f;
----
a:Float64 | b:Float64 | c:Int32 | d:Int64 | e:String | f:Int32
2.5 | -3.5 | -3 | -3 | "1 day 12:00:00" | 1672531200

SELECT count(*) FILTER (WHERE x > 2) / count(*) AS share, sum(x) / count(*) AS mean FROM (VALUES (1), (2), (4)) AS t(x);
----
share:Float64 | mean:Float64
0.3333333333333333 | 2.3333333333333335
