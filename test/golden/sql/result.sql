-- Formats, limit and epoch of the request.
CREATE TABLE r (site STRING, n BIGINT, load DOUBLE, note STRING, at TIMESTAMP(3) TIME INDEX, PRIMARY KEY (site));
INSERT INTO r VALUES ('north', 9007199254740993, 1, 'say "hi", ok', 1719830400001), ('süd', NULL, 'NaN', '日本', 1719830400002);
----
affected 0
--
affected 2

--! format=csv
SELECT * FROM r ORDER BY at;
----
north,9007199254740993,1.0,"say ""hi"", ok",1719830400001
süd,,,日本,1719830400002

--! format=csvWithNames
SELECT * FROM r ORDER BY at;
----
site,n,load,note,at
north,9007199254740993,1.0,"say ""hi"", ok",1719830400001
süd,,,日本,1719830400002

--! format=csvWithNamesAndTypes
SELECT site, n, load, [1, NULL] AS l, {'a': 'b,c'} AS st, X'0102' AS x FROM r ORDER BY at;
----
site,n,load,l,st,x
String,Int64,Float64,List<Int32>,Struct<a: String>,Binary
north,9007199254740993,1.0,"[1,null]","{""a"":""b,c""}","[1,2]"
süd,,,"[1,null]","{""a"":""b,c""}","[1,2]"

--! format=table
SELECT site, n, load, note, at FROM r ORDER BY at;
----
┌─site────┬─n────────────────┬─load─┬─note─────────────┬─at────────────┐
│ "north" │ 9007199254740993 │ 1.0  │ "say \"hi\", ok" │ 1719830400001 │
│ "süd"   │ null             │ null │ "日本"           │ 1719830400002 │
└─────────┴──────────────────┴──────┴──────────────────┴───────────────┘

--! format=json
SELECT site, n AS same, load AS same FROM r ORDER BY at;
----
{"data":[{"site":"north","same":1.0},{"site":"süd","same":null}],"execution_time_ms":0}

--! format=lineproto_v1
SELECT site, at FROM r WHERE false; SELECT 1 AS one;
----
{"results":[{"statement_id":0,"series":[{"name":"","columns":["site","at"],"values":[]}]},{"statement_id":1,"series":[{"name":"","columns":["one"],"values":[[1]]}]}],"execution_time_ms":0}

--! format=lineproto_v1 epoch=ns
SELECT site, at FROM r ORDER BY at;
----
{"results":[{"statement_id":0,"series":[{"name":"","columns":["site","at"],"values":[["north",1719830400001000000],["süd",1719830400002000000]]}]}],"execution_time_ms":0}

--! format=lineproto_v1 epoch=s
SELECT site, at FROM r ORDER BY at;
----
{"results":[{"statement_id":0,"series":[{"name":"","columns":["site","at"],"values":[["north",1719830400],["süd",1719830400]]}]}],"execution_time_ms":0}

--! format=lineproto_v1 epoch=u
INSERT INTO r (site, at) VALUES ('x', 1);
----
{"results":[{"statement_id":0,"series":[]}],"execution_time_ms":0}

--! limit=1
SELECT site FROM r ORDER BY at; SELECT n FROM range(5) t(n);
----
site:String
"x"
--
n:Int64
0

--! limit=0
SELECT site FROM r;
----
site:String

--! limit=-1
SELECT site FROM r;
----
error 1004(400) limit must be an integer from 0, got -1

--! format=csv
SELECT 1; SELECT 2;
----
error 1004(400) cannot output multi-statements result in csv format

--! format=xml
SELECT 1;
----
error 1004(400) unknown format xml, expected one of svc_v1, lineproto_v1, csv, csvWithNames, csvWithNamesAndTypes, table, json, ndjson, arrow, parquet, null

--! epoch=h
SELECT 1;
----
error 1004(400) unknown epoch h, expected one of ns, u, µ, us, ms, s

--! compression=gzip
SELECT 1;
----
error 1004(400) unknown compression gzip, expected one of zstd, lz4

--! format=csv
INSERT INTO r (site, at) VALUES ('y', 1);
----
1

--! format=null
SELECT 1 AS one;
----
1 rows in set.
Elapsed: 0.000 sec.

--! format=null
INSERT INTO r (site, at) VALUES ('z', 1);
----
1 rows affected.
Elapsed: 0.000 sec.

--! format=table
SELECT 1 AS one WHERE false;
----
┌─one─┐
└─────┘

--! db=nosuch
SELECT 1;
----
error 4004(400) Database not found: nosuch

SELECT 1 AS x, 2 AS x;
----
x:Int32 | x:Int32
1 | 2

SELECT count(*), avg(r.load), max(n) + 1, r.n, 'text', -n FROM r WHERE n > 0 GROUP BY ALL;
----
count(*):Int64 | avg(r.load):Float64 | max(n) + 1:Int64 | n:Int64 | 'text':String | -n:Int64
1 | 1.0 | 9007199254740994 | 9007199254740993 | "text" | -9007199254740993

-- An item that holds a query is named as it was written, never by what the engine runs.
CREATE TABLE named (k STRING, c BIGINT, ts TIMESTAMP(3) TIME INDEX, PRIMARY KEY (k));
INSERT INTO named VALUES ('a', 7, 1), ('b', 8, 2);
ALTER TABLE named MODIFY COLUMN c DOUBLE;
----
affected 0
--
affected 2
--
affected 0

SELECT (SELECT count(*) FROM named), (SELECT max(c) FROM named) + 1, 2 IN (SELECT c FROM named), exists (SELECT 1 FROM named WHERE c > 2);
----
(select count(*) from named):Int64 | (select max(c) from named) + 1:Float64 | 2 in (select c from named):Boolean | exists (select 1 from named where c > 2):Boolean
2 | 9.0 | false | true

SELECT DISTINCT ON (k) (SELECT max(c) FROM named) IS DISTINCT FROM 2, array(SELECT c FROM named), CASE WHEN (SELECT count(*) FROM named) > 1 THEN k END FROM named WHERE k = (SELECT min(k) FROM named);
----
(select max(c) from named) is distinct from 2:Boolean | array(select c from named):List<Float64> | case when (select count(*) from named) > 1 then k end:String
true | [7.0,8.0] | "a"

SELECT unnest((SELECT list(c) FROM named)), coalesce((SELECT max(c) FROM named), 0), COLUMNS(* EXCLUDE (k, ts)) FROM named ORDER BY ts LIMIT 1;
----
unnest((select list(c) from named)):Float64 | coalesce((select max(c) from named), 0):Float64 | c:Float64
7.0 | 8.0 | 7.0

SELECT unnest((SELECT [{'a': 1, 'b': 2}]), recursive := true);
----
a:Int32 | b:Int32
1 | 2

FROM named SELECT (SELECT min(c) FROM named), k UNION ALL SELECT -(SELECT 1), 'z' ORDER BY k;
----
(select min(c) from named):Float64 | k:String
7.0 | "a"
7.0 | "b"
-1.0 | "z"

WITH x AS (SELECT (SELECT max(c) FROM named)), y AS (SELECT c > ALL (SELECT c FROM named), FROM named LIMIT 1) SELECT * FROM x, y;
----
(select max(c) from named):Float64 | c > all (select c from named):Boolean
8.0 | false

CREATE VIEW plain_names AS SELECT (SELECT max(c) FROM named), not exists (FROM named) FROM named LIMIT 1;
SELECT * FROM plain_names;
----
affected 0
--
(select max(c) from named):Float64 | not exists (from named):Boolean
8.0 | false

-- Items without names are named as they were written: words in lower case, single spaces.
CREATE TABLE names (k INT, "Top" INT, s STRING, j JSON, ts TIMESTAMP(3) TIME INDEX);
INSERT INTO names VALUES (1, 2, ' a ', '{"x": 1}', 3600000);
----
affected 0
--
affected 1

SELECT extract(hour FROM ts), trim(s), trim(BOTH ' ' FROM s), position('a' IN s), row(k, s), substring(s FROM 2 FOR 1), ts AT TIME ZONE 'UTC' FROM names;
SELECT CASE WHEN k = 1 THEN 'one' ELSE s END, s LIKE 'a%', s NOT ILIKE '%b', NOT k = 1, k IS NULL, k IN (1,2), k BETWEEN 1 AND 2, s || 'x' FROM names;
SELECT k + 1, k*2, - k, (k), ("Top"), "Top" + 1, (k + 1) % 2, 1, -1.50, 'text', NULL, TRUE FROM names;
SELECT [k, 2], [k, 2][1], {'a': k}, (j->>'x'), k::BIGINT, CAST(k AS DOUBLE), s::STRING, INTERVAL '1 day', DATE '2024-07-01', TIMESTAMP '2024-07-01 00:00:00' FROM names;
SELECT [x + 1 FOR x IN [k, 2]], (SELECT max(k) FROM names), EXISTS (SELECT 1), unnest([k]), count(*) OVER (), first_value(k IGNORE NULLS) OVER (ORDER BY ts) FROM names;
----
extract(hour from ts):Int64 | trim(s):String | trim(both ' ' from s):String | position('a' in s):Int64 | row(k, s):Struct<c0: Int32, c1: String> | substring(s from 2 for 1):String | ts at time zone 'UTC':TimestampMicrosecond
1 | "a" | "a" | 2 | {"c0":1,"c1":" a "} | "a" | 3600000000
--
case when k = 1 then 'one' else s end:String | s like 'a%':Boolean | s not ilike '%b':Boolean | not k = 1:Boolean | k is null:Boolean | k in (1,2):Boolean | k between 1 and 2:Boolean | s || 'x':String
"one" | false | true | false | false | true | true | " a x"
--
k + 1:Int32 | k*2:Int32 | - k:Int32 | k:Int32 | Top:Int32 | "Top" + 1:Int32 | (k + 1) % 2:Int32 | 1:Int32 | -1.50:Float64 | 'text':String | null:Int32 | true:Boolean
2 | 2 | -1 | 1 | 2 | 3 | 0 | 1 | -1.5 | "text" | null | true
--
[k, 2]:List<Int32> | [k, 2][1]:Int32 | {'a': k}:Struct<a: Int32> | (j->>'x'):String | k::bigint:Int64 | cast(k as double):Float64 | s::string:String | interval '1 day':IntervalMonthDayNano | date '2024-07-01':Date | timestamp '2024-07-01 00:00:00':TimestampMicrosecond
[1,2] | 1 | {"a":1} | "1" | 1 | 1.0 | " a " | "1 day" | 19905 | 1719792000000000
--
[x + 1 for x in [k, 2]]:List<Int32> | (select max(k) from names):Int32 | exists (select 1):Boolean | unnest([k]):Int32 | count(*) over ():Int64 | first_value(k ignore nulls) over (order by ts):Int32
[2,3] | 1 | true | 1 | 1 | 1

SELECT "k + 1" + 1 AS next, "extract(hour from ts)" AS hour FROM (SELECT k + 1, EXTRACT(HOUR FROM ts) FROM names);
SELECT DISTINCT k + 1 FROM names UNION ALL SELECT 7 ORDER BY 1;
SELECT k % 2, sum("Top") FROM names GROUP BY k % 2 HAVING k % 2 = 1 ORDER BY k % 2;
----
next:Int32 | hour:Int64
3 | 1
--
k + 1:Int32
2
7
--
k % 2:Int32 | sum("Top"):Int64
1 | 2

-- Words that end a select list may be names in it.
SELECT k + "sample", sample || s FROM (SELECT k, s, 1 AS "sample" FROM names);
----
k + "sample":Int32 | sample || s:String
2 | "1 a "

CREATE VIEW item_names AS SELECT k + 1, max(s), ts FROM names GROUP BY ALL;
SELECT * FROM item_names;
----
affected 0
--
k + 1:Int32 | max(s):String | ts:TimestampMillisecond
2 | " a " | 3600000

-- One call for several columns is named by each of them.
SELECT min(COLUMNS('k|Top')), max(s) || 'x' FROM names;
----
k:Int32 | Top:Int32 | max(s) || 'x':String
1 | 2 | " a x"

SELECT unnest({'a': k, 'b': s}), current_date > '2024-01-01', current_user, current_date = today() FROM names;
----
a:Int32 | b:String | current_date > '2024-01-01':Boolean | current_user:String | current_date = today():Boolean
1 | " a " | true | "rw" | true
