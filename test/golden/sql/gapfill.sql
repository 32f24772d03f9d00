-- date_bin_gapfill, interpolate and locf, as InfluxDB 3 means them.
CREATE TABLE room (ts TIMESTAMP(3) TIME INDEX, name STRING, temp DOUBLE, n BIGINT, PRIMARY KEY (name));
INSERT INTO room VALUES (0, 'a', 20, 1), (10000, 'a', 22, 2), (40000, 'a', 30, 7), (11000, 'b', 5, 3), (21000, 'b', NULL, 4);
----
affected 0
--
affected 5

-- Every slot between the bounds, for each key.
SELECT date_bin_gapfill(INTERVAL '10 seconds', ts) AS t, name, avg(temp) AS temp FROM room WHERE ts >= 0 AND ts < 50000 GROUP BY t, name ORDER BY name, t;
----
t:TimestampMillisecond | name:String | temp:Float64
0 | "a" | 20.0
10000 | "a" | 22.0
20000 | "a" | null
30000 | "a" | null
40000 | "a" | 30.0
0 | "b" | null
10000 | "b" | 5.0
20000 | "b" | null
30000 | "b" | null
40000 | "b" | null

SELECT date_bin_gapfill(INTERVAL '10 seconds', ts) AS t, name, interpolate(avg(temp)) AS line, locf(avg(temp)) AS last, count(*) AS rows FROM room WHERE ts >= 0 AND ts < 50000 GROUP BY 1, 2 ORDER BY name, t;
----
t:TimestampMillisecond | name:String | line:Float64 | last:Float64 | rows:Int64
0 | "a" | 20.0 | 20.0 | 1
10000 | "a" | 22.0 | 22.0 | 1
20000 | "a" | 24.666666666666668 | 22.0 | null
30000 | "a" | 27.333333333333332 | 22.0 | null
40000 | "a" | 30.0 | 30.0 | 1
0 | "b" | null | null | null
10000 | "b" | 5.0 | 5.0 | 1
20000 | "b" | null | 5.0 | 1
30000 | "b" | null | 5.0 | null
40000 | "b" | null | 5.0 | null

-- An upper bound that belongs to the time has a slot of its own; the lower one need not begin a slot.
SELECT date_bin_gapfill(INTERVAL '10 seconds', ts) AS t, max(n) AS n FROM room WHERE ts BETWEEN 5000 AND 50000 GROUP BY t ORDER BY t;
----
t:TimestampMillisecond | n:Int64
0 | null
10000 | 3
20000 | 4
30000 | null
40000 | 7
50000 | null

-- What stands around an aggregate applies to what was filled in.
SELECT date_bin_gapfill(INTERVAL '10 seconds', ts) AS t, coalesce(sum(n), 0) AS n, 2 * locf(max(temp)) AS twice FROM room WHERE 0 <= ts AND 40000 > ts AND name = 'a' GROUP BY t ORDER BY t DESC LIMIT 3;
----
t:TimestampMillisecond | n:Int64 | twice:Float64
30000 | 0 | 44.0
20000 | 0 | 44.0
10000 | 2 | 44.0

SELECT date_bin_gapfill(INTERVAL '10 seconds', ts) AS t, name, locf(max(temp)) AS temp FROM room WHERE ts >= 0 AND ts < 50000 GROUP BY ALL HAVING locf(max(temp)) > 5 ORDER BY ALL;
----
t:TimestampMillisecond | name:String | temp:Float64
0 | "a" | 20.0
10000 | "a" | 22.0
20000 | "a" | 22.0
30000 | "a" | 22.0
40000 | "a" | 30.0

-- The keys need not be listed, names may have tables, and the slots an origin.
SELECT r.name, date_bin_gapfill(INTERVAL '20 seconds', r.ts, '1970-01-01T00:00:05Z') AS t, sum(r.n) FROM room AS r WHERE r.ts >= 0 AND r.ts <= 40000 GROUP BY date_bin_gapfill(INTERVAL '20 seconds', r.ts, '1970-01-01T00:00:05Z'), r.name ORDER BY 1, 2;
----
name:String | t:TimestampMillisecond | sum(r.n):Int64
"a" | -15000 | 1
"a" | 5000 | 2
"a" | 25000 | 7
"b" | -15000 | null
"b" | 5000 | 7
"b" | 25000 | null

-- Bounds are times of the session's zone, calls, or constants of any form.
--! timezone=Europe/Berlin
SELECT date_bin_gapfill(INTERVAL '10 seconds', ts) AS t, max(n) AS n FROM room WHERE ts >= '1970-01-01 01:00:00' AND ts < '1970-01-01 01:00:20' GROUP BY t ORDER BY t;
----
t:TimestampMillisecond | n:Int64
0 | 1
10000 | 3

SELECT date_bin_gapfill('1 month', ts) AS t, max(n) AS n FROM room WHERE ts > -1 AND ts < TIMESTAMP '1970-03-15' GROUP BY t ORDER BY t;
----
t:TimestampMillisecond | n:Int64
-2678400000 | null
0 | 7
2678400000 | null
5097600000 | null

-- In a subquery, and beside other conditions.
SELECT sum(temp) AS total, count(*) AS slots FROM (SELECT date_bin_gapfill(INTERVAL '1 second', ts) AS t, interpolate(avg(temp)) AS temp FROM room WHERE name = 'a' AND (ts >= 0 AND ts < 41000) GROUP BY t) AS filled WHERE t > '1970-01-01 00:00:05';
----
total:Float64 | slots:Int64
892.0 | 35

SELECT date_bin_gapfill(INTERVAL '10 seconds', ts) AS t, sum(n) AS n FROM room WHERE ts >= 100000 AND ts < 200000 GROUP BY t;
----
t:TimestampMillisecond | n:Int64

SELECT date_bin_gapfill(INTERVAL '10 seconds', ts) AS t, sum(n) AS n FROM room GROUP BY t;
----
error 2000(400) date_bin_gapfill needs a lower and an upper bound of ts in the WHERE, such as ts >= … AND ts < … at line 1, column 8

SELECT date_bin_gapfill(INTERVAL '10 seconds', ts) AS t, sum(n) AS n FROM room WHERE ts >= 0 OR ts < 10 GROUP BY t;
----
error 2000(400) date_bin_gapfill needs a lower and an upper bound of ts in the WHERE, such as ts >= … AND ts < … at line 1, column 8

SELECT date_bin_gapfill(INTERVAL '10 seconds', ts) AS t FROM room WHERE ts >= 0 AND ts < 10;
----
error 2000(400) date_bin_gapfill must be in the GROUP BY at line 1, column 8

SELECT DISTINCT date_bin_gapfill(INTERVAL '10 seconds', ts) AS t FROM room WHERE ts >= 0 AND ts < 10 GROUP BY t;
----
error 2000(400) DISTINCT cannot go with date_bin_gapfill at line 1, column 8

SELECT date_bin_gapfill(INTERVAL '10 seconds', ts) AS t, sum(nn) AS n FROM room WHERE ts >= 0 AND ts < 10 GROUP BY t;
----
error 3000(400) Failed to plan SQL: No field named nn at line 1, column 62, did you mean n? Valid fields are "ts", "name", "temp", "n"

-- Integers stay integers and lose their fraction, rising and falling, unsigned ones, too.
CREATE TABLE counts (ts TIMESTAMP(0) TIME INDEX, n BIGINT, u BIGINT UNSIGNED, f DOUBLE);
INSERT INTO counts VALUES (0, -100, 100, 0.5), (3, 100, 1, 2), (6, 9007199254740993, 18446744073709551615, 2);
SELECT date_bin_gapfill(INTERVAL '1 second', ts) AS t, interpolate(max(n)) AS n, interpolate(max(u)) AS u, interpolate(sum(n)) AS s, interpolate(max(f)) AS f FROM counts WHERE ts >= 0 AND ts < 6 GROUP BY t ORDER BY t;
----
affected 0
--
affected 3
--
t:TimestampSecond | n:Int64 | u:UInt64 | s:Int64 | f:Float64
0 | -100 | 100 | -100 | 0.5
1 | -33 | 67 | -33 | 1.0
2 | 33 | 34 | 33 | 1.5
3 | 100 | 1 | 100 | 2.0
4 | null | null | null | null
5 | null | null | null | null

SELECT max(u) RANGE '1s' FILL LINEAR FROM counts WHERE ts < 6 ALIGN '1s' ORDER BY ts;
----
max(u) RANGE 1s:Float64
100.0
67.0
34.0
1.0

SELECT interpolate(max(n)) FROM counts;
----
error 2000(400) interpolate goes with a date_bin_gapfill in the GROUP BY at line 1, column 8

-- What an OR or an AND inside of a CASE joins are no terms of the WHERE; terms may stand in parentheses.
SELECT date_bin_gapfill(INTERVAL '1 second', ts) AS t, max(n) AS n FROM counts WHERE CASE WHEN n < 0 OR n = 1 THEN false ELSE n > 0 AND u > 0 END AND (ts >= 2 AND (ts < 5)) AND n BETWEEN 1 AND CASE WHEN u > 0 AND f > 0 THEN 500 END GROUP BY t ORDER BY t;
----
t:TimestampSecond | n:Int64
2 | null
3 | 100
4 | null
