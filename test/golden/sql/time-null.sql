-- NULL, whole numbers and dates beside times: in set operations, CASE, coalesce, VALUES, subqueries and recursive common tables they are times.
CREATE TABLE m (host STRING, v DOUBLE, n BIGINT, ts TIMESTAMP(3) TIME INDEX, PRIMARY KEY (host));
INSERT INTO m VALUES ('a', 1, 10, '2024-07-01 10:00:00'), ('a', 2, 20, '2024-07-01 11:00:00'), ('b', 3, NULL, '2024-07-01 10:00:00');
----
affected 0
--
affected 3

SELECT ts FROM (SELECT ts FROM m UNION ALL SELECT NULL) WHERE ts > 1719828000000;
----
ts:TimestampMillisecond
1719831600000

SELECT ts FROM (SELECT NULL AS ts UNION ALL SELECT ts FROM m) WHERE ts > 1719828000000;
----
ts:TimestampMillisecond
1719831600000

SELECT ts FROM (SELECT ts FROM m UNION ALL SELECT NULL UNION ALL SELECT (NULL)) WHERE ts > 1719828000000;
----
ts:TimestampMillisecond
1719831600000

SELECT ts FROM (SELECT ts FROM m EXCEPT SELECT NULL) WHERE ts > 1719828000000;
----
ts:TimestampMillisecond
1719831600000

SELECT ts FROM (SELECT ts FROM m INTERSECT (SELECT ts FROM m UNION SELECT NULL)) WHERE ts > 1719828000000;
----
ts:TimestampMillisecond
1719831600000

SELECT ts FROM (SELECT ts, v FROM m UNION ALL BY NAME SELECT NULL AS ts) WHERE ts > 1719828000000;
----
ts:TimestampMillisecond
1719831600000

SELECT ts FROM (SELECT ts FROM m UNION ALL VALUES (NULL)) WHERE ts > 1719828000000;
----
ts:TimestampMillisecond
1719831600000

SELECT t FROM (SELECT ts AS t FROM m UNION ALL SELECT (SELECT NULL)) WHERE t > 1719828000000;
----
t:TimestampMillisecond
1719831600000

WITH c AS (SELECT NULL AS t), d AS (SELECT t FROM c UNION ALL SELECT ts FROM m) SELECT * FROM d WHERE t > 1719828000000;
----
t:TimestampMillisecond
1719831600000

SELECT t FROM (SELECT NULL AS t UNION ALL SELECT '2024-07-01 10:00:00' UNION ALL SELECT ts FROM m) WHERE t = 1719828000000;
----
t:TimestampMillisecond
1719828000000
1719828000000
1719828000000

WITH c AS (SELECT host, max(ts) AS t FROM m GROUP BY host UNION ALL SELECT 'all', NULL) SELECT * FROM c WHERE t >= 1719831600000;
----
host:String | t:TimestampMillisecond
"a" | 1719831600000

WITH RECURSIVE r(t, i) AS (SELECT ts, 1 FROM m WHERE v = 1 UNION ALL SELECT NULL, i + 1 FROM r WHERE i < 3) SELECT * FROM r WHERE t >= 1719828000000;
----
t:TimestampMillisecond | i:Int32
1719828000000 | 1

WITH RECURSIVE r(t, i) AS (SELECT ts, 1 FROM m WHERE v = 1 UNION ALL SELECT t + INTERVAL '1 hour', i + 1 FROM r WHERE t < 1719835200000) SELECT * FROM r WHERE t >= 1719831600000 ORDER BY t;
----
t:TimestampMillisecond | i:Int32
1719831600000 | 2
1719835200000 | 3

WITH RECURSIVE r AS (SELECT ts FROM m UNION ALL SELECT TIMESTAMP_US '2024-07-01 10:00:00.001001') SELECT * FROM r WHERE ts = 1719828000001;
----
ts:TimestampMillisecond
1719828000001

SELECT v FROM m WHERE ts > 1719828000000000001;
----
error 3000(400) Failed to plan SQL: the number is beyond the times there are in the unit of what it stands beside at line 1, column 28

SELECT v FROM m WHERE ts > -1719828000000000001;
----
error 3000(400) Failed to plan SQL: the number is beyond the times there are in the unit of what it stands beside at line 1, column 28

SELECT TIMESTAMP_NS '2024-07-01 10:00:00.000000001' AS x, UUID 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11';
----
x:TimestampNanosecond | uuid 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11':String
1719828000000000001 | "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"

SELECT v 'name' FROM m;
----
error 2000(400) a text is not a column name: write AS before it, or double quotes around it at line 1, column 10

SELECT v FROM m WHERE CASE WHEN v > 1 THEN NULL ELSE ts END = 1719828000000;
----
v:Float64
1.0

SELECT v FROM m WHERE CASE WHEN v > 2 THEN '2024-07-01 10:00:00' ELSE NULL END = ts;
----
v:Float64
3.0

SELECT v FROM m WHERE coalesce(NULL, '2024-07-01 10:00:00') = ts ORDER BY v;
----
v:Float64
1.0
3.0

SELECT x FROM (SELECT unnest(list_value(NULL, ts)) AS x FROM m) WHERE x > 1719828000000;
----
x:TimestampMillisecond
1719831600000

SELECT count(*) FROM m WHERE (ts + NULL) > '2024-07-01 10:00:00' OR ts < NULL;
----
count(*):Int64
0

SELECT ts FROM m UNION ALL SELECT 1719828000001 ORDER BY 1;
----
ts:TimestampMillisecond
1719828000000
1719828000000
1719828000001
1719831600000

SELECT 1719828000001, 2 UNION ALL SELECT ts, v FROM m ORDER BY 1, 2;
----
1719828000001:TimestampMillisecond | 2:Float64
1719828000000 | 1.0
1719828000000 | 3.0
1719828000001 | 2.0
1719831600000 | 2.0

SELECT ts FROM (SELECT ts FROM m UNION ALL SELECT 1719828000000 + 1) WHERE ts < 1719828000002 ORDER BY 1;
----
ts:TimestampMillisecond
1719828000000
1719828000000
1719828000001

SELECT d FROM (SELECT DATE '2024-07-01' AS d UNION ALL SELECT ts FROM m) WHERE d < 1719828000000;
----
d:TimestampMillisecond
1719792000000

SELECT v FROM m WHERE ts IN (SELECT 1719831600000);
----
v:Float64
2.0

SELECT v FROM m WHERE ts IN (VALUES (1719831600000), (NULL));
----
v:Float64
2.0

SELECT v FROM m WHERE ts = (SELECT 1719831600000);
----
v:Float64
2.0

SELECT ts FROM m UNION ALL SELECT n FROM m;
----
error 3000(400) Failed to plan SQL: no BIGINT becomes a TIMESTAMP(3), a value of n at line 1, column 35

SELECT v FROM m WHERE ts IN (SELECT n FROM m);
----
error 3000(400) Failed to plan SQL: TIMESTAMP(3) and BIGINT do not compare, cast one of them at line 1, column 26

SELECT v FROM m WHERE ts = (SELECT max(n) FROM m);
----
error 3000(400) Failed to plan SQL: no BIGINT becomes a TIMESTAMP(3) at line 1, column 28
