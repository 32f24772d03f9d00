-- What a SELECT may be made of: filters, groups, joins, windows, common tables, sets.
CREATE TABLE cpu (host STRING, region STRING, usage DOUBLE, cores INT, at TIMESTAMP(3) TIME INDEX, PRIMARY KEY (host, region));
CREATE TABLE alert (host STRING, level STRING, at TIMESTAMP(3) TIME INDEX, PRIMARY KEY (host)) WITH (append_mode = 'true');
INSERT INTO cpu VALUES
  ('a', 'eu', 10.5, 4, 0), ('a', 'eu', 20, 4, 60000), ('a', 'eu', 90.25, 4, 120000), ('a', 'eu', NULL, 4, 180000),
  ('b', 'us', 50, 8, 0), ('b', 'us', 55, 8, 60000), ('b', 'us', 45, 8, 120000),
  ('c', 'us', 1, 2, 60000), ('c', 'us', 99, 2, 120000);
INSERT INTO alert VALUES ('a', 'warn', 70000), ('a', 'crit', 125000), ('b', 'warn', 30000), ('z', 'warn', 10);
----
affected 0
--
affected 0
--
affected 9
--
affected 4

SELECT host, usage FROM cpu WHERE usage > 50 ORDER BY usage DESC;
----
host:String | usage:Float64
"c" | 99.0
"a" | 90.25
"b" | 55.0

SELECT host, usage FROM cpu ORDER BY usage DESC NULLS LAST, host LIMIT 3 OFFSET 1;
----
host:String | usage:Float64
"a" | 90.25
"b" | 55.0
"b" | 50.0

SELECT DISTINCT region FROM cpu ORDER BY 1;
----
region:String
"eu"
"us"

SELECT count(*), count(usage), count(DISTINCT host) FROM cpu;
----
count(*):Int64 | count(usage):Int64 | count(distinct host):Int64
9 | 8 | 3

SELECT host, avg(usage), max(usage), min(usage), sum(cores) FROM cpu GROUP BY host ORDER BY host;
----
host:String | avg(usage):Float64 | max(usage):Float64 | min(usage):Float64 | sum(cores):Int64
"a" | 40.25 | 90.25 | 10.5 | 16
"b" | 50.0 | 55.0 | 45.0 | 24
"c" | 50.0 | 99.0 | 1.0 | 4

SELECT region, host, count(*) AS n FROM cpu GROUP BY ROLLUP (region, host) ORDER BY region NULLS LAST, host NULLS LAST;
----
region:String | host:String | n:Int64
"eu" | "a" | 4
"eu" | null | 4
"us" | "b" | 3
"us" | "c" | 2
"us" | null | 5
null | null | 9

SELECT region, count(*) AS n FROM cpu GROUP BY region HAVING count(*) > 4;
----
region:String | n:Int64
"us" | 5

SELECT host, usage FROM cpu WHERE usage BETWEEN 20 AND 55 AND host IN ('a', 'b') ORDER BY usage;
----
host:String | usage:Float64
"a" | 20.0
"b" | 45.0
"b" | 50.0
"b" | 55.0

SELECT host FROM cpu WHERE host LIKE 'b%' OR host ILIKE 'C' GROUP BY host ORDER BY host;
----
host:String
"b"
"c"

SELECT host, CASE WHEN usage >= 50 THEN 'high' WHEN usage IS NULL THEN 'none' ELSE 'low' END AS band, count(*) AS n
FROM cpu GROUP BY host, band ORDER BY host, band;
----
host:String | band:String | n:Int64
"a" | "high" | 1
"a" | "low" | 2
"a" | "none" | 1
"b" | "high" | 2
"b" | "low" | 1
"c" | "high" | 1
"c" | "low" | 1

SELECT host, coalesce(usage, -1) AS usage FROM cpu WHERE at = 180000;
----
host:String | usage:Float64
"a" | -1.0

SELECT c.host, c.at, a.level FROM cpu c JOIN alert a ON a.host = c.host AND a.at > c.at ORDER BY c.host, c.at, a.level LIMIT 4;
----
host:String | at:TimestampMillisecond | level:String
"a" | 0 | "crit"
"a" | 0 | "warn"
"a" | 60000 | "crit"
"a" | 60000 | "warn"

SELECT a.host, count(c.host) AS n FROM alert a LEFT JOIN cpu c ON a.host = c.host GROUP BY a.host ORDER BY a.host;
----
host:String | n:Int64
"a" | 8
"b" | 3
"z" | 0

SELECT c.host AS left_host, a.host AS right_host FROM (SELECT DISTINCT host FROM cpu) c FULL JOIN (SELECT DISTINCT host FROM alert) a ON a.host = c.host ORDER BY 1 NULLS LAST, 2 NULLS LAST;
----
left_host:String | right_host:String
"a" | "a"
"b" | "b"
"c" | null
null | "z"

SELECT host, count(*) FROM cpu SEMI JOIN alert USING (host) GROUP BY host ORDER BY host;
----
host:String | count(*):Int64
"a" | 4
"b" | 3

SELECT DISTINCT host FROM cpu ANTI JOIN alert USING (host);
----
host:String
"c"

SELECT a.host, a.level, c.at AS cpu_at, c.usage FROM alert a ASOF JOIN cpu c ON a.host = c.host AND a.at >= c.at ORDER BY a.at;
----
host:String | level:String | cpu_at:TimestampMillisecond | usage:Float64
"b" | "warn" | 0 | 50.0
"a" | "warn" | 60000 | 20.0
"a" | "crit" | 120000 | 90.25

SELECT a.host, a.level, c.usage FROM alert a ASOF LEFT JOIN cpu c ON a.host = c.host AND a.at >= c.at ORDER BY a.at;
----
host:String | level:String | usage:Float64
"z" | "warn" | null
"b" | "warn" | 50.0
"a" | "warn" | 20.0
"a" | "crit" | 90.25

SELECT x.host, y.n FROM (SELECT DISTINCT host FROM cpu) x, LATERAL (SELECT count(*) AS n FROM alert WHERE alert.host = x.host) y ORDER BY x.host;
----
host:String | n:Int64
"a" | 2
"b" | 1
"c" | 0

SELECT host, at, usage, lag(usage) OVER (PARTITION BY host ORDER BY at) AS before FROM cpu WHERE host <> 'c' ORDER BY host, at;
----
host:String | at:TimestampMillisecond | usage:Float64 | before:Float64
"a" | 0 | 10.5 | null
"a" | 60000 | 20.0 | 10.5
"a" | 120000 | 90.25 | 20.0
"a" | 180000 | null | 90.25
"b" | 0 | 50.0 | null
"b" | 60000 | 55.0 | 50.0
"b" | 120000 | 45.0 | 55.0

SELECT host, at, row_number() OVER w AS n, sum(usage) OVER w AS total FROM cpu WINDOW w AS (PARTITION BY host ORDER BY at) ORDER BY host, at LIMIT 5;
----
host:String | at:TimestampMillisecond | n:Int64 | total:Float64
"a" | 0 | 1 | 10.5
"a" | 60000 | 2 | 30.5
"a" | 120000 | 3 | 120.75
"a" | 180000 | 4 | 120.75
"b" | 0 | 1 | 50.0

SELECT host, at, avg(usage) OVER (PARTITION BY host ORDER BY at ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS smooth FROM cpu ORDER BY host, at LIMIT 4;
----
host:String | at:TimestampMillisecond | smooth:Float64
"a" | 0 | 10.5
"a" | 60000 | 15.25
"a" | 120000 | 55.125
"a" | 180000 | 90.25

SELECT host, usage, rank() OVER (ORDER BY usage DESC NULLS LAST) AS place FROM cpu ORDER BY place LIMIT 3;
----
host:String | usage:Float64 | place:Int64
"c" | 99.0 | 1
"a" | 90.25 | 2
"b" | 55.0 | 3

SELECT host, at, usage FROM cpu QUALIFY row_number() OVER (PARTITION BY host ORDER BY at DESC) = 1 ORDER BY host;
----
host:String | at:TimestampMillisecond | usage:Float64
"a" | 180000 | null
"b" | 120000 | 45.0
"c" | 120000 | 99.0

SELECT host, last(usage ORDER BY at) AS newest, first(usage ORDER BY at) AS oldest FROM cpu GROUP BY host ORDER BY host;
----
host:String | newest:Float64 | oldest:Float64
"a" | null | 10.5
"b" | 45.0 | 50.0
"c" | 99.0 | 1.0

SELECT host, arg_max(usage, at) AS newest FROM cpu GROUP BY host ORDER BY host;
----
host:String | newest:Float64
"a" | 90.25
"b" | 45.0
"c" | 99.0

SELECT DISTINCT ON (host) host, at, usage FROM cpu ORDER BY host, at DESC;
----
host:String | at:TimestampMillisecond | usage:Float64
"a" | 180000 | null
"b" | 120000 | 45.0
"c" | 120000 | 99.0

WITH busy AS (SELECT host, max(usage) AS top FROM cpu GROUP BY host), many AS (SELECT host FROM busy WHERE top > 60)
SELECT m.host, b.top FROM many m JOIN busy b USING (host) ORDER BY m.host;
----
host:String | top:Float64
"a" | 90.25
"c" | 99.0

WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT sum(i) AS total, count(*) AS n FROM n;
----
total:Int64 | n:Int64
15 | 5

WITH cpu AS (SELECT 1 AS one) SELECT * FROM cpu;
----
one:Int32
1

SELECT host FROM cpu WHERE at = 0 UNION SELECT host FROM alert ORDER BY host;
----
host:String
"a"
"b"
"z"

SELECT host FROM cpu INTERSECT SELECT host FROM alert ORDER BY host;
----
host:String
"a"
"b"

SELECT host FROM alert EXCEPT SELECT host FROM cpu;
----
host:String
"z"

SELECT host FROM cpu WHERE EXISTS (SELECT 1 FROM alert WHERE alert.host = cpu.host AND level = 'crit') GROUP BY host;
----
host:String
"a"

SELECT host, usage FROM cpu WHERE usage = (SELECT max(usage) FROM cpu);
----
host:String | usage:Float64
"c" | 99.0

SELECT host, usage FROM cpu WHERE (host, at) IN (SELECT host, max(at) FROM cpu GROUP BY host) ORDER BY host;
----
host:String | usage:Float64
"a" | null
"b" | 45.0
"c" | 99.0

SELECT * FROM (VALUES (1, 'x'), (2, 'y')) v(n, s) ORDER BY n;
----
n:Int32 | s:String
1 | "x"
2 | "y"

SELECT * EXCLUDE (cores, region) FROM cpu WHERE host = 'c' ORDER BY at;
----
host:String | usage:Float64 | at:TimestampMillisecond
"c" | 1.0 | 60000
"c" | 99.0 | 120000

SELECT count(*) FILTER (WHERE usage > 50) AS busy, count(*) FILTER (WHERE usage IS NULL) AS silent FROM cpu;
----
busy:Int64 | silent:Int64
3 | 1

SELECT region, string_agg(host, '+' ORDER BY host) AS hosts FROM (SELECT DISTINCT region, host FROM cpu) GROUP BY region ORDER BY region;
----
region:String | hosts:String
"eu" | "a"
"us" | "b+c"

SELECT i, c.n FROM generate_series(0, 120000, 60000) AS s(i) LEFT JOIN (SELECT epoch_ms(at) AS at, count(*) AS n FROM cpu GROUP BY ALL) c ON c.at = i ORDER BY i;
----
i:Int64 | n:Int64
0 | 2
60000 | 3
120000 | 3

SELECT host, sum(usage) FROM cpu GROUP BY ALL ORDER BY ALL;
----
host:String | sum(usage):Float64
"a" | 120.75
"b" | 150.0
"c" | 100.0

SELECT public.cpu.host, cpu.usage FROM public.cpu WHERE public.cpu.host = 'c' ORDER BY at;
----
host:String | usage:Float64
"c" | 1.0
"c" | 99.0

SELECT host AS "Host", "usage" AS `use` FROM cpu WHERE at = 0 ORDER BY "Host";
----
Host:String | use:Float64
"a" | 10.5
"b" | 50.0

SELECT * FROM cpu WHERE false;
----
host:String | region:String | usage:Float64 | cores:Int32 | at:TimestampMillisecond

-- Errors tell what was wrong and where.
SELECT usgae FROM cpu;
----
error 3000(400) Failed to plan SQL: No field named usgae at line 1, column 8, did you mean usage? Valid fields are "host", "region", "usage", "cores", "at"

SELECT * FROM cppu;
----
error 4001(400) Failed to plan SQL: Table not found: svc.public.cppu

SELECT host, sum(usage) FROM cpu;
----
error 3000(400) Failed to plan SQL: column "host" must appear in the GROUP BY clause or must be part of an aggregate function at line 1, column 8. Either add it to the GROUP BY list, or use "ANY_VALUE(host)" if the exact value of "host" is not important.

SELECT host FROM cpu WHERE;
----
error 2000(400) expected an expression, found end of statement at line 1, column 27

SELECT host FROM cpu GROUP BY;
----
error 2000(400) expected an expression, found end of statement at line 1, column 30

SELECT nosuch(usage) FROM cpu;
----
error 3000(400) Failed to plan SQL: there is no function nosuch at line 1, column 8

SELECT * FROM shop.cpu;
----
error 4004(400) Database not found: shop

SELECT usage + host FROM cpu WHERE host = 'a';
----
error 3000(400) Failed to plan SQL: there is no +(DOUBLE, STRING) at line 1, column 14

-- A long chain goes on behind a CASE, and another one stands in it.
SELECT i FROM range(90, 93) r(i) WHERE CASE WHEN i = 90 OR i = 91 THEN i = 90 ELSE i = 100 OR i = 101 OR i = 102 OR i = 103 OR i = 104 OR i = 105 OR i = 106 OR i = 107 OR i = 108 OR i = 109 OR i = 110 OR i = 111 OR i = 112 OR i = 113 OR i = 114 OR i = 115 OR i = 116 OR i = 117 OR i = 118 OR i = 119 OR i = 120 OR i = 121 OR i = 122 OR i = 123 OR i = 124 OR i = 125 OR i = 126 OR i = 127 OR i = 128 OR i = 129 OR i = 130 OR i = 131 OR i = 132 OR i = 133 OR i = 134 OR i = 135 OR i = 136 OR i = 137 OR i = 138 OR i = 139 OR i = 140 OR i = 141 OR i = 142 OR i = 143 OR i = 92 END OR i = 100 OR i = 101 OR i = 102 OR i = 103 OR i = 104 OR i = 105 OR i = 106 OR i = 107 OR i = 108 OR i = 109 OR i = 110 OR i = 111 OR i = 112 OR i = 113 OR i = 114 OR i = 115 OR i = 116 OR i = 117 OR i = 118 OR i = 119 OR i = 120 OR i = 121 OR i = 122 OR i = 123 OR i = 124 OR i = 125 OR i = 126 OR i = 127 OR i = 128 OR i = 129 OR i = 130 OR i = 131 OR i = 132 OR i = 133 OR i = 134 OR i = 135 OR i = 136 OR i = 137 OR i = 138 OR i = 139 OR i = 140 OR i = 141 OR i = 142 OR i = 143 ORDER BY i;
----
i:Int64
90
92

-- Words of clauses that are part of an operator or a name begin no clause: in range queries, pivots and gaps, too.
CREATE TABLE worded (host STRING PRIMARY KEY, n BIGINT, ts TIMESTAMP(0) TIME INDEX);
INSERT INTO worded VALUES ('a', 1, 0), ('a', 5, 60), ('b', 3, 0), ('b', 7, 120);
----
affected 0
--
affected 4

SELECT ts, host, max(n) RANGE '1m' IS DISTINCT FROM 5 AS d, percentile_cont(0.5) WITHIN GROUP (ORDER BY n) RANGE '1m' AS p FROM worded WHERE n IS DISTINCT FROM 7 ALIGN '1m' ORDER BY host, ts;
----
ts:TimestampSecond | host:String | d:Boolean | p:Float64
0 | "a" | true | 1.0
60 | "a" | false | 5.0
0 | "b" | true | 3.0

-- A FILTER is part of the call, also where its range is not the widest.
SELECT ts, count(*) FILTER (WHERE n > 2 OR n < 0) RANGE '1m' AS one, count(*) RANGE '2m' AS two, first_value(n) FILTER (WHERE n > 2) RANGE '2m' AS f FROM worded ALIGN '1m' BY () ORDER BY ts;
----
ts:TimestampSecond | one:Int64 | two:Int64 | f:Int64
-60 | 0 | 2 | 3
0 | 1 | 3 | 3
60 | 1 | 2 | 5
120 | 1 | 1 | 7

SELECT date_bin_gapfill(INTERVAL '1 minute', ts) AS t, max(n) IS DISTINCT FROM 5 AS d, percentile_cont(0.5) WITHIN GROUP (ORDER BY n) AS p FROM worded WHERE ts >= 0 AND ts < 240 AND n IS NOT DISTINCT FROM n GROUP BY t ORDER BY t;
----
t:TimestampSecond | d:Boolean | p:Float64
0 | true | 2.0
60 | false | 5.0
120 | true | 7.0
180 | true | null

PIVOT worded ON n > 4 OR n = 3 USING percentile_cont(0.5) WITHIN GROUP (ORDER BY n) AS p GROUP BY host ORDER BY host DESC LIMIT 5;
----
host:String | false_p:Float64 | true_p:Float64
"b" | null | 5.0
"a" | 1.0 | 5.0

SELECT w.from, w.group FROM (SELECT 1 AS "from", 2 AS "group") w;
----
from:Int32 | group:Int32
1 | 2
