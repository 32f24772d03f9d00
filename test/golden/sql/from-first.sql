-- FROM before or without SELECT, POSITIONAL JOIN and GLOB with any pattern.
CREATE TABLE m (host STRING, v DOUBLE, ts TIMESTAMP(3) TIME INDEX, PRIMARY KEY (host));
CREATE TABLE l (host STRING, line STRING, ts TIMESTAMP(9) TIME INDEX, PRIMARY KEY (host));
INSERT INTO m VALUES ('a', 1, '2024-07-01 10:00:00'), ('a', 2, '2024-07-01 11:00:00'), ('b', 3, '2024-07-01 10:00:00');
INSERT INTO l VALUES ('a', 'x', '2024-07-01 10:00:00.000000001'), ('a', 'y', '2024-07-01 11:00:00'), ('b', 'z', '2024-07-01 10:00:00.000000002');
----
affected 0
--
affected 0
--
affected 3
--
affected 3

FROM m WHERE ts > 1719828000000;
----
host:String | v:Float64 | ts:TimestampMillisecond
"a" | 2.0 | 1719831600000

FROM m ORDER BY v DESC LIMIT 1;
----
host:String | v:Float64 | ts:TimestampMillisecond
"b" | 3.0 | 1719828000000

FROM m SELECT host, v WHERE v > 1 ORDER BY v;
----
host:String | v:Float64
"a" | 2.0
"b" | 3.0

SELECT * FROM (FROM m WHERE v > 1) ORDER BY v;
----
host:String | v:Float64 | ts:TimestampMillisecond
"a" | 2.0 | 1719831600000
"b" | 3.0 | 1719828000000

WITH c AS (FROM m WHERE v > 1), d AS (FROM c ORDER BY v LIMIT 1) FROM d WHERE v > 0 UNION ALL FROM c WHERE v = 3 ORDER BY v;
----
host:String | v:Float64 | ts:TimestampMillisecond
"a" | 2.0 | 1719831600000
"b" | 3.0 | 1719828000000

WITH c AS (SELECT 1 AS a, 2 AS b) SELECT * EXCEPT (a) FROM c WHERE b = 2;
----
b:Int32
2

FROM m, l WHERE m.host = l.host AND l.line = 'z';
----
host:String | v:Float64 | ts:TimestampMillisecond | host:String | line:String | ts:TimestampNanosecond
"b" | 3.0 | 1719828000000 | "b" | "z" | 1719828000000000002

SELECT v FROM m WHERE EXISTS (FROM l WHERE l.host = m.host AND line = 'z');
----
v:Float64
3.0

FROM generate_series(1, 3) AS g(i) WHERE i > 1;
----
i:Int64
2
3

FROM m WHERE
  w > 1;
----
error 3000(400) Failed to plan SQL: No field named w at line 2, column 3. Valid fields are "host", "v", "ts"

SELECT a.x, b.y FROM (SELECT v AS x FROM m ORDER BY v) a POSITIONAL JOIN (SELECT line AS y FROM l WHERE ts > 1719828000000000001 ORDER BY line) b;
----
x:Float64 | y:String
1.0 | "y"
2.0 | "z"
3.0 | null

SELECT positional.v FROM m AS positional JOIN l USING (host) WHERE line = 'z';
----
v:Float64
3.0

SELECT v FROM m WHERE host GLOB (SELECT 'a*') ORDER BY v;
----
v:Float64
1.0
2.0

SELECT v FROM m WHERE host GLOB ('b' || '*');
----
v:Float64
3.0

SELECT a FROM m glob(a, b, c) WHERE glob.b = 3;
----
a:String
"b"

SELECT v FROM m WHERE v BETWEEN ASYMMETRIC 2 AND 3 ORDER BY v;
----
v:Float64
2.0
3.0

SELECT v FROM m WHERE v BETWEEN SYMMETRIC 3 AND 2;
----
error 2000(400) there is no BETWEEN SYMMETRIC, write BETWEEN least(a, b) AND greatest(a, b) at line 1, column 33

SELECT v FROM m WHERE host NOT GLOB 'a*';
----
error 2000(400) there is no NOT GLOB, write NOT (a GLOB b) at line 1, column 28
