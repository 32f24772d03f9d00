-- Range queries: aggregates over a range at regular points in time.
CREATE TABLE m (host STRING, dc STRING, v DOUBLE, n INT, at TIMESTAMP(3) TIME INDEX, PRIMARY KEY (host, dc));
INSERT INTO m VALUES
  ('a', 'x', 1, 1, 0), ('a', 'x', 2, 1, 5000), ('a', 'x', 3, 1, 10000), ('a', 'x', 9, 1, 30000),
  ('b', 'y', 10, 2, 5000), ('b', 'y', NULL, 2, 10000), ('b', 'y', 30, 2, 15000);
----
affected 0
--
affected 7

SELECT at, host, max(v) RANGE '10s' AS top FROM m ALIGN '10s' ORDER BY host, at;
----
at:TimestampMillisecond | host:String | top:Float64
0 | "a" | 2.0
10000 | "a" | 3.0
30000 | "a" | 9.0
0 | "b" | 10.0
10000 | "b" | 30.0

SELECT at, host, sum(v) RANGE '10s' FROM m ALIGN '5s' BY (host) ORDER BY host, at;
----
at:TimestampMillisecond | host:String | sum(v) RANGE 10s:Float64
-5000 | "a" | 1.0
0 | "a" | 3.0
5000 | "a" | 5.0
10000 | "a" | 3.0
25000 | "a" | 9.0
30000 | "a" | 9.0
0 | "b" | 10.0
5000 | "b" | 10.0
10000 | "b" | 30.0
15000 | "b" | 30.0

SELECT at, sum(v) RANGE '10s' AS s, count(*) RANGE '5s' AS c FROM m ALIGN '5s' BY () ORDER BY at;
----
at:TimestampMillisecond | s:Float64 | c:Int64
-5000 | 1.0 | 0
0 | 13.0 | 1
5000 | 15.0 | 2
10000 | 33.0 | 2
15000 | 30.0 | 1
25000 | 9.0 | 0
30000 | 9.0 | 1

SELECT at, host, avg(v) RANGE '5s' AS filled FROM m ALIGN '5s' BY (host) FILL NULL ORDER BY host, at;
----
at:TimestampMillisecond | host:String | filled:Float64
0 | "a" | 1.0
5000 | "a" | 2.0
10000 | "a" | 3.0
15000 | "a" | null
20000 | "a" | null
25000 | "a" | null
30000 | "a" | 9.0
5000 | "b" | 10.0
10000 | "b" | null
15000 | "b" | 30.0

SELECT at, host, avg(v) RANGE '5s' FILL PREV AS p, avg(v) RANGE '5s' FILL LINEAR AS l, avg(v) RANGE '5s' FILL -1 AS n FROM m ALIGN '5s' BY (host) ORDER BY host, at;
----
at:TimestampMillisecond | host:String | p:Float64 | l:Float64 | n:Float64
0 | "a" | 1.0 | 1.0 | 1.0
5000 | "a" | 2.0 | 2.0 | 2.0
10000 | "a" | 3.0 | 3.0 | 3.0
15000 | "a" | 3.0 | 4.5 | -1.0
20000 | "a" | 3.0 | 6.0 | -1.0
25000 | "a" | 3.0 | 7.5 | -1.0
30000 | "a" | 9.0 | 9.0 | 9.0
5000 | "b" | 10.0 | 10.0 | 10.0
10000 | "b" | 10.0 | 20.0 | -1.0
15000 | "b" | 30.0 | 30.0 | 30.0

SELECT at, max(v) RANGE '10s' - min(v) RANGE '10s' AS span FROM m WHERE host = 'a' ALIGN '10s' BY (dc) ORDER BY at DESC LIMIT 2;
----
at:TimestampMillisecond | span:Float64
30000 | 0.0
10000 | 0.0

SELECT date_trunc('minute', at) AS minute, upper(host) AS big, last_value(v) RANGE '1m' AS newest, first_value(v) RANGE '1m' AS oldest FROM m ALIGN '1m' BY (host) ORDER BY big;
----
minute:TimestampMicrosecond | big:String | newest:Float64 | oldest:Float64
0 | "A" | 9.0 | 1.0
0 | "B" | 30.0 | 10.0

SELECT t.at, t.host, count(t.v) RANGE '20s' AS c FROM public.m AS t WHERE t.v IS NOT NULL ALIGN '20s' TO '1970-01-01 00:00:05' BY (t.host) ORDER BY t.host, t.at;
----
at:TimestampMillisecond | host:String | c:Int64
-15000 | "a" | 1
5000 | "a" | 2
25000 | "a" | 1
5000 | "b" | 2

--! timezone=+05:30
SELECT at, count(*) RANGE '1d' AS c FROM m ALIGN '1d' TO CALENDAR BY ();
----
at:TimestampMillisecond | c:Int64
-19800000 | 7

SELECT max(top) AS most FROM (SELECT at, max(v) RANGE '10s' AS top FROM m ALIGN '10s' BY ()) AS tops WHERE at >= '1970-01-01 00:00:10';
----
most:Float64
30.0

SELECT at, lower(host) || dc AS key, min(n) RANGE '1m' AS n FROM m ALIGN '1m' BY (lower(host) || dc) ORDER BY key;
----
at:TimestampMillisecond | key:String | n:Int32
0 | "ax" | 1
0 | "by" | 2

CREATE VIEW slots AS SELECT at, host, max(v) RANGE '10s' AS top FROM m ALIGN '10s';
SELECT host, count(*) FROM slots GROUP BY host ORDER BY host;
----
affected 0
--
host:String | count(*):Int64
"a" | 3
"b" | 2

SELECT at, max(v) FROM m ALIGN '10s';
----
error 2000(400) ALIGN needs an aggregate with a RANGE, such as max(x) RANGE '5m'; for other shapes of query group by date_bin at line 1, column 8

SELECT at, max(v) RANGE '10s' FROM m;
----
error 2000(400) RANGE needs an ALIGN behind the tables, such as ALIGN '1m'; or group by date_bin at line 1, column 19

SELECT at, max(v) RANGE 'long' FROM m ALIGN '10s';
----
error 2000(400) expected a duration of at least 1ms, such as '5m'; for other shapes of query group by date_bin at line 1, column 25

SELECT at, max(v) RANGE '10s' FROM m ALIGN '10s' FILL up;
----
error 2000(400) FILL takes NULL, PREV, LINEAR or a number; for other shapes of query group by date_bin at line 1, column 55

SELECT at, max(v) RANGE '10s' FROM m JOIN m b ON true ALIGN '10s';
----
error 2000(400) JOIN cannot go with ALIGN; for other shapes of query group by date_bin at line 1, column 38

SELECT at, max(v) RANGE '10s' FROM m ALIGN '10s' BY host;
----
error 2000(400) BY needs columns in parentheses; for other shapes of query group by date_bin at line 1, column 50

SELECT at, max(v) RANGE '10s' FROM slots ALIGN '10s';
----
error 4001(400) Failed to plan SQL: Table not found: svc.public.slots; ALIGN reads tables, for views and common tables group by date_bin

SELECT at, max(v) RANGE '10d' FROM m ALIGN '1ms';
----
error 1004(400) a RANGE of 864000000 times the ALIGN is too wide, at most 10000 are possible

SELECT host, max(v) RANGE '10s' FROM m GROUP BY host ALIGN '10s';
----
error 2000(400) GROUP cannot go with ALIGN; for other shapes of query group by date_bin at line 1, column 40

SELECT n, max(v) RANGE '10s' FROM m ALIGN '10s';
----
error 3000(400) Failed to plan SQL: No field named n at line 1, column 8

SELECT at, max(v) RANGE '10s' FROM read_text('/etc/passwd') ALIGN '10s';
----
error 2000(400) ALIGN reads one table; for other shapes of query group by date_bin at line 1, column 36

-- The plain way, and its neighbours.
SELECT date_bin(INTERVAL '10 seconds', at) AS slot, max(v) AS top FROM m GROUP BY slot ORDER BY slot;
----
slot:TimestampMillisecond | top:Float64
0 | 10.0
10000 | 30.0
30000 | 9.0

SELECT host, sum(v) OVER (PARTITION BY host ORDER BY at RANGE BETWEEN INTERVAL '5 seconds' PRECEDING AND CURRENT ROW) AS s FROM m ORDER BY host, at;
----
host:String | s:Float64
"a" | 1.0
"a" | 3.0
"a" | 5.0
"a" | 9.0
"b" | 10.0
"b" | 10.0
"b" | 30.0

SELECT date_bin(INTERVAL '7 days', at) AS week, date_bin(INTERVAL '10 seconds', at, '1970-01-01 00:00:05') AS off, date_bin(INTERVAL 5 SECONDS, at) FROM m WHERE host = 'a' ORDER BY at LIMIT 2;
----
week:TimestampMillisecond | off:TimestampMillisecond | date_bin(interval 5 seconds, at):TimestampMillisecond
0 | -5000 | 0
0 | 5000 | 5000
