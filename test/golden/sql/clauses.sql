-- Clauses of other databases and forms of FROM that are rare: each works, or says where it stands and what to write instead.
CREATE TABLE a (host STRING PRIMARY KEY, v DOUBLE, at TIMESTAMP TIME INDEX);
INSERT INTO a VALUES ('x', 1, 1000), ('y', 2, 2000), ('y', 3, 3000);
CREATE TABLE b (host STRING PRIMARY KEY, w DOUBLE, at TIMESTAMP TIME INDEX);
INSERT INTO b VALUES ('x', 10, 1000), ('y', 20, 2000);
----
affected 0
--
affected 3
--
affected 0
--
affected 2

SELECT o.* FROM unnest([5, 6]) WITH ORDINALITY AS o(v, i);
----
v:Int32 | i:Int64
5 | 1
6 | 2

SELECT o.v, i FROM unnest([5, 6]) WITH ORDINALITY AS o(v, i);
----
v:Int32 | i:Int64
5 | 1
6 | 2

SELECT * FROM unnest([5, 6]) WITH ORDINALITY AS o(v, i);
----
v:Int32 | i:Int64
5 | 1
6 | 2

SELECT o.* FROM unnest([5, 6]) AS o(v);
----
v:Int32
5
6

SELECT * FROM unnest(['a', 'b']) WITH ORDINALITY;
----
unnest:String | ordinality:Int64
"a" | 1
"b" | 2

SELECT x.* FROM (a JOIN b USING (host)) AS x ORDER BY v;
----
host:String | v:Float64 | at:TimestampMillisecond | w:Float64 | at_1:TimestampMillisecond
"x" | 1.0 | 1000 | 10.0 | 1000
"y" | 2.0 | 2000 | 20.0 | 2000
"y" | 3.0 | 3000 | 20.0 | 2000

SELECT x.v, w FROM (a JOIN b USING (host)) AS x ORDER BY v;
----
v:Float64 | w:Float64
1.0 | 10.0
2.0 | 20.0
3.0 | 20.0

SELECT p, q FROM (a JOIN b ON a.host = b.host) AS x(p, q) ORDER BY ALL;
----
p:String | q:Float64
"x" | 1.0
"y" | 2.0
"y" | 3.0

SELECT a.v, w FROM (a JOIN b ON a.host = b.host) ORDER BY v;
----
v:Float64 | w:Float64
1.0 | 10.0
2.0 | 20.0
3.0 | 20.0

SELECT a.v, w FROM (a JOIN b USING (host)) JOIN b AS c ON c.host = a.host ORDER BY v;
----
error 3000(400) Failed to plan SQL: Ambiguous reference to column name "w" (use: "b.w" or "c.w") at line 1, column 13

SELECT a.v, b.w, c.w AS u FROM a JOIN (b JOIN b AS c USING (host)) USING (host) ORDER BY v;
----
v:Float64 | w:Float64 | u:Float64
1.0 | 10.0 | 10.0
2.0 | 20.0 | 20.0
3.0 | 20.0 | 20.0

SELECT x.v, x.at FROM (a) AS x WHERE at > 1000 ORDER BY v;
----
v:Float64 | at:TimestampMillisecond
2.0 | 2000
3.0 | 3000

SELECT x.v, w FROM ((a JOIN b USING (host))) AS x ORDER BY v;
----
v:Float64 | w:Float64
1.0 | 10.0
2.0 | 20.0
3.0 | 20.0

SELECT x.v, x.n FROM ((SELECT 1 AS n, 'x' AS host) AS s JOIN a USING (host)) AS x;
----
v:Float64 | n:Int32
1.0 | 1

SELECT x.a FROM ((SELECT 1 AS a)) AS x;
----
a:Int32
1

SELECT substring(host FROM (1) FOR 1) AS s, extract(epoch FROM (at)) AS e, v IS DISTINCT FROM (1) AS d FROM a ORDER BY v;
----
s:String | e:Float64 | d:Boolean
"x" | 1.0 | false
"y" | 2.0 | true
"y" | 3.0 | true

ALTER TABLE IF EXISTS a ADD COLUMN n BIGINT;
----
affected 0

ALTER TABLE IF EXISTS nothing ADD COLUMN n BIGINT;
----
affected 0

ALTER TABLE IF EXISTS a DROP COLUMN n;
----
affected 0

CREATE TABLE c (l INT[], at TIMESTAMP TIME INDEX);
----
error 1001(400) a column holds no list at line 1, column 22: keep lists as JSON, and read them as x::INT[]

CREATE TABLE c (l INT[3], at TIMESTAMP TIME INDEX);
----
error 1001(400) a column holds no list at line 1, column 22: keep lists as JSON, and read them as x::INT[]

CREATE TABLE c (l INT ARRAY, at TIMESTAMP TIME INDEX);
----
error 1001(400) a column holds no list at line 1, column 23: keep lists as JSON, and read them as x::INT[]

ALTER TABLE a ADD COLUMN l STRING[];
----
error 1001(400) a column holds no list at line 1, column 34: keep lists as JSON, and read them as x::INT[]

CREATE TABLE c (l JSON, at TIMESTAMP TIME INDEX); INSERT INTO c VALUES ('[1, 2]', 1); SELECT list_sum(l::INT[]) AS n FROM c;
----
affected 0
--
affected 1
--
n:Int64
3

SELECT v::INT[] FROM a;
----
error 3000(400) Failed to plan SQL: no DOUBLE becomes an INT[], a value of v at line 1, column 9

SELECT '[1, 2]'::INT[] AS l;
----
l:List<Int32>
[1,2]

SELECT v FROM a ORDER BY v LIMIT 50%;
----
v:Float64
1.0

SELECT v FROM a ORDER BY v LIMIT 50 PERCENT;
----
v:Float64
1.0

SELECT v FROM a ORDER BY v LIMIT 1 BY host;
----
error 2000(400) there is no LIMIT … BY: write QUALIFY row_number() OVER (PARTITION BY a ORDER BY b) <= n at line 1, column 36

SELECT v FROM a ORDER BY v LIMIT 1 OFFSET 1 BY host;
----
error 2000(400) there is no LIMIT … BY: write QUALIFY row_number() OVER (PARTITION BY a ORDER BY b) <= n at line 1, column 45

SELECT host, sum(v) FROM a GROUP BY host WITH TOTALS;
----
error 2000(400) there is no WITH TOTALS: write GROUP BY GROUPING SETS ((a), ()) at line 1, column 42

SELECT host, sum(v) FROM a GROUP BY host WITH ROLLUP ORDER BY ALL;
----
error 2000(400) there is no WITH ROLLUP: write GROUP BY ROLLUP (a) at line 1, column 42

SELECT host, sum(v) FROM a GROUP BY host WITH CUBE ORDER BY ALL;
----
error 2000(400) there is no WITH CUBE: write GROUP BY CUBE (a) at line 1, column 42

-- Where an operand begins and ends that meets a time, or is cast to one.
--! timezone=Europe/Berlin
SELECT v FROM a WHERE at = at AT TIME ZONE 'UTC' ORDER BY v;
----
v:Float64
1.0
2.0
3.0

--! timezone=Europe/Berlin
SELECT v FROM a WHERE at AT TIME ZONE 'UTC' = at AND v > 1 ORDER BY v;
----
v:Float64
2.0
3.0

--! timezone=Europe/Berlin
SELECT v FROM a WHERE concat('1970-01-01 01:00:0', v::INT) COLLATE NOCASE = at ORDER BY v;
----
v:Float64
1.0
2.0
3.0

--! timezone=Europe/Berlin
SELECT v, CASE WHEN v = 1 THEN '1970-01-01 01:00:01' ELSE concat('1970-01-01 01:00:0', v::INT) END::TIMESTAMP = at AS same FROM a ORDER BY v;
----
v:Float64 | same:Boolean
1.0 | true
2.0 | true
3.0 | true

--! timezone=Europe/Berlin
SELECT v, CASE WHEN v < CASE host WHEN 'x' THEN 0 ELSE 3 END THEN concat('1970-01-01 01:00:0', v::INT) END::TIMESTAMP AS t FROM a ORDER BY v;
----
v:Float64 | t:TimestampMillisecond
1.0 | null
2.0 | 2000
3.0 | null

--! timezone=Europe/Berlin
SELECT v FROM a WHERE CASE WHEN v > 1 THEN concat('1970-01-01 01:00:0', v::INT) END = at ORDER BY v;
----
v:Float64
2.0
3.0

SELECT j->'a' LIKE '%1%' AS one, CASE WHEN true THEN j END->>'a' = '1' AS two FROM (SELECT '{"a": 1}'::JSON AS j) AS t;
----
one:Boolean | two:Boolean
true | true
