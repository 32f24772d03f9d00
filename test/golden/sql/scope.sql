-- What a name means is said by where it stands: two tables whose times share a name but not a unit.
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

SELECT l.line FROM m JOIN l ON l.host = m.host WHERE l.ts > 1719828000000000001 AND m.v < 3 AND m.ts = 1719828000000 ORDER BY 1;
----
line:String
"y"

SELECT l.line FROM l JOIN m ON l.host = m.host AND m.ts >= 1719831600000 WHERE l.ts <= 1719828000000000001;
----
line:String
"x"

SELECT line, (SELECT count(*) FROM m WHERE ts = 1719828000000) AS n FROM l WHERE ts = 1719828000000000002;
----
line:String | n:Int64
"z" | 2

SELECT line FROM l WHERE EXISTS (SELECT 1 FROM m WHERE m.host = l.host AND l.ts >= 1719831600000000000 AND ts > 1719828000000);
----
line:String
"y"

SELECT v FROM (SELECT v, ts AS t FROM m) x, (SELECT ts AS u FROM l) y WHERE t = 1719831600000 AND u = 1719828000000000001;
----
v:Float64
2.0

WITH c AS (SELECT ts, v FROM m), d(when_, what) AS (SELECT ts, line FROM l) SELECT v, what FROM c, d WHERE c.ts > 1719828000000 AND when_ BETWEEN 1719828000000000002 AND 1719828000000000003;
----
v:Float64 | what:String
2.0 | "z"

SELECT v FROM m WHERE ts IN (SELECT ts FROM l WHERE ts > 1719828000000000002);
----
v:Float64
2.0

SELECT v FROM m WHERE ('a', 1719828000000) = (host, ts);
----
v:Float64
1.0

SELECT v FROM m WHERE (host, ts) IN (('a', 1719831600000), ('b', 1719828000000)) ORDER BY v;
----
v:Float64
2.0
3.0

SELECT max(ts) AS last FROM m UNION ALL SELECT max(ts) FROM m WHERE ts < 1719831600000 ORDER BY 1;
----
last:TimestampMillisecond
1719828000000
1719831600000

-- Integers against times: constants of any form, also through queries and views.
SELECT v FROM m WHERE ts > -1 AND ts > (1719828000000) AND ts < 1719828000000 + 3600001 AND 2 * 859914000000 < ts;
----
v:Float64
2.0

SELECT count(*) FROM m WHERE NOT ts > +1719828000000 OR ts BETWEEN -5 AND -(3);
----
count(*):Int64
2

SELECT count(*) FROM m WHERE ts IS NOT DISTINCT FROM 1719828000000;
----
count(*):Int64
2

SELECT CASE ts WHEN 1719828000000 THEN 'first' ELSE 'later' END AS w, count(*) AS n FROM m GROUP BY w ORDER BY w;
----
w:String | n:Int64
"first" | 2
"later" | 1

CREATE VIEW lv AS SELECT ts AS moment, line FROM l;
SELECT line FROM lv JOIN m ON true WHERE moment = 1719828000000000001 AND ts = 1719831600000;
----
affected 0
--
line:String
"x"

SELECT host, max(ts) FROM m GROUP BY host HAVING max(ts) > 1719828000000;
----
host:String | max(ts):TimestampMillisecond
"a" | 1719831600000

SELECT host, first_value(v ORDER BY ts) AS f FROM m WHERE coalesce(ts, 0) > 0 GROUP BY host ORDER BY host;
----
host:String | f:Float64
"a" | 1.0
"b" | 3.0

DELETE FROM l WHERE ts <= 1719828000000000000 + 1;
----
affected 1

SELECT line FROM l ORDER BY line;
----
line:String
"y"
"z"

-- Names given in the select list.
SELECT host, max(v) AS ts FROM m GROUP BY host HAVING ts > 2 ORDER BY ts;
----
host:String | ts:Float64
"b" | 3.0

SELECT ts FROM (SELECT v AS ts FROM m) x WHERE ts > 2;
----
ts:Float64
3.0

SELECT v * 10 AS ts, v FROM m WHERE ts = 1719831600000;
----
ts:Float64 | v:Float64
20.0 | 2.0

SELECT host AS v, v AS host FROM m WHERE host = 'b' ORDER BY host;
----
v:String | host:Float64
"b" | 3.0

SELECT count(*) AS ts FROM m ORDER BY ts;
----
ts:Int64
3

SELECT v FROM m WHERE ts > v;
----
error 3000(400) Failed to plan SQL: TIMESTAMP(3) and DOUBLE do not compare, cast one of them at line 1, column 26

-- Integers are in the unit of the time they meet, which of several ones is the finest.
WITH a AS (SELECT CAST('1970-01-01 00:00:02' AS TIMESTAMP(0)) AS s, CAST('1970-01-01 00:00:02' AS TIMESTAMP(3)) AS ms, CAST('1970-01-01 00:00:02' AS TIMESTAMP(9)) AS ns)
SELECT coalesce(s, ms) > 1500 AS a, greatest(s, ms) < 2001 AS b, CASE WHEN true THEN s ELSE ms END = 2000 AS c, [s, ms, ns][1] = 2000000000 AS d, if(true, s, ns) = 2000000000 AS e FROM a;
----
a:Boolean | b:Boolean | c:Boolean | d:Boolean | e:Boolean
true | true | true | true | true

WITH a AS (SELECT CAST('1970-01-01 00:00:02' AS TIMESTAMP(0)) AS s, CAST('1970-01-01 00:00:03' AS TIMESTAMP(3)) AS ms)
SELECT t FROM (SELECT s AS t FROM a UNION ALL SELECT ms FROM a) WHERE t > 2500;
----
t:TimestampMillisecond
3000

-- So they are of columns that joins merge.
WITH a AS (SELECT CAST('1970-01-01 00:00:02' AS TIMESTAMP(0)) AS t), b AS (SELECT unnest([CAST('1970-01-01 00:00:02' AS TIMESTAMP(3)), CAST('1970-01-01 00:00:03' AS TIMESTAMP(3))]) AS t)
SELECT 'full' AS j, count(*) AS n FROM a FULL JOIN b USING (t) WHERE t > 1500 UNION ALL SELECT 'natural', count(*) FROM a NATURAL FULL JOIN b WHERE t > 1500 UNION ALL SELECT 'left', count(*) FROM a LEFT JOIN b USING (t) WHERE t > 1 UNION ALL SELECT 'right', count(*) FROM b RIGHT JOIN a USING (t) WHERE t > 1 UNION ALL SELECT 'inner', count(*) FROM b JOIN a USING (t) WHERE t > 1500 UNION ALL SELECT 'star', count(*) FROM (SELECT * FROM a FULL JOIN b USING (t)) WHERE t > 1500;
----
j:String | n:Int64
"full" | 2
"natural" | 2
"left" | 1
"right" | 1
"inner" | 1
"star" | 2
