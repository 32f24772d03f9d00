-- TQL: PromQL over a range of time, as rows.

CREATE TABLE load (host STRING, v DOUBLE, w INT, at TIMESTAMP(3) TIME INDEX, PRIMARY KEY (host));
----
affected 0

INSERT INTO load VALUES ('a', 1, 10, 0), ('a', 2, 20, 10000), ('a', 4, 40, 20000), ('b', 5, 50, 10000);
----
affected 4

TQL EVAL (0, 20, '10s') load{__field__="v"};
----
svc_timestamp:TimestampMillisecond | svc_value:Float64 | __name__:String | host:String
0 | 1.0 | "load" | "a"
10000 | 2.0 | "load" | "a"
20000 | 4.0 | "load" | "a"
10000 | 5.0 | "load" | "b"
20000 | 5.0 | "load" | "b"

TQL EVALUATE (0, 20, 10) sum by (host) (load{__field__="w"});
----
svc_timestamp:TimestampMillisecond | svc_value:Float64 | host:String
0 | 10.0 | "a"
10000 | 20.0 | "a"
20000 | 40.0 | "a"
10000 | 50.0 | "b"
20000 | 50.0 | "b"

TQL EVAL (10, 10, '5s') sum(load{__field__="v"}) AS total;
----
svc_timestamp:TimestampMillisecond | total:Float64
10000 | 7.0

TQL EVAL ('1970-01-01T00:00:00Z', '1970-01-01 00:00:20', '20s', '5s') load{__field__="v"};
----
svc_timestamp:TimestampMillisecond | svc_value:Float64 | __name__:String | host:String
0 | 1.0 | "load" | "a"
20000 | 4.0 | "load" | "a"

TQL EVAL (to_timestamp(10), to_timestamp(10) + INTERVAL '10 seconds', '10s') count(load);
----
svc_timestamp:TimestampMillisecond | svc_value:Float64
10000 | 4.0
20000 | 4.0

TQL EVAL (0, 10, '5s') 2;
----
svc_timestamp:TimestampMillisecond | svc_value:Float64
0 | 2.0
5000 | 2.0
10000 | 2.0

--! format=csv
TQL EVAL (0, 10, '5s') 2;
----
0,2.0
5000,2.0
10000,2.0

TQL EVAL (0, 10, '5s') nothing;
----
svc_timestamp:TimestampMillisecond | svc_value:Float64

TQL EVAL (0, 10, '5s') load{host=~"a|b", __field__="v"} > 4 # a comment
;
----
svc_timestamp:TimestampMillisecond | svc_value:Float64 | __name__:String | host:String
10000 | 5.0 | "load" | "b"

TQL EXPLAIN (0, 10, '5s') sum(load)by(host);
----
plan_type:String | plan:String
"promql" | "sum by (host) (load)"

TQL EXPLAIN FORMAT JSON (0, 10, '5s') 1;
----
plan_type:String | plan:String
"promql" | "{\"type\":\"numberLiteral\",\"val\":\"1\"}"

TQL ANALYZE (0, 20, '10s') sum(load{__field__="v"});
----
stage:UInt32 | node:UInt32 | plan:String
0 | 0 | "sum(load{__field__=\"v\"}) series=1 samples=9"
...

TQL EVAL (20, 10, '5s') 1;
----
error 1004(400) TQL: end 10 lies before start 20

TQL EVAL (0, 10, '0s') 1;
----
error 1004(400) TQL: step is '0s', expected a duration such as '15s' or seconds, above 0

TQL EVAL ('yesterday', 10, '5s') 1;
----
error 1004(400) 'yesterday' is not a timestamp: expected YYYY-MM-DD[ hh:mm[:ss[.f]]][Z|±hh:mm]

TQL EVAL (0, 10, '5s') sum(;
----
error 2000(400) 1:5: parse error: unclosed left parenthesis

TQL EVAL (0, 10, '5s') load{__field__="v"} * on() load{__field__="w"};
----
error 3000(422) found duplicate series for the match group {} on the right hand-side of the operation: [{__name__="load", host="a"}, {__name__="load", host="b"}];many-to-many matching not allowed: matching labels must be unique on one side

TQL EVAL (0, 1000000, '1s') 1;
----
error 1004(400) exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX) (plugins.promql.max_points)

TQL EXPLAIN FORMAT XML (0, 10, '5s') 1;
----
error 1004(400) TQL: unknown format xml, expected JSON or TEXT

--! user=wo
TQL EVAL (0, 10, '5s') 1;
----
error 7006(403) User is not authorized to perform this action

-- TQL in a common table.

WITH a AS (TQL EVAL (0, 10000, '1s') 1), b AS (TQL EVAL (0, 10000, '1s') 2), c AS (TQL EVAL (0, 10000, '1s') 3),
  d AS (TQL EVAL (0, 10000, '1s') 4), e AS (TQL EVAL (0, 10000, '1s') 5), f AS (TQL EVAL (0, 10000, '1s') 6),
  g AS (TQL EVAL (0, 10000, '1s') 7), h AS (TQL EVAL (0, 10000, '1s') 8), i AS (TQL EVAL (0, 10000, '1s') 9),
  j AS (TQL EVAL (0, 10000, '1s') 10)
SELECT count(*) FROM j;
----
error 1004(400) TQL in common tables gives more than 100000 rows (plugins.sql.tql_table_limit): take a longer step, fewer series or an aggregation

WITH a AS (TQL EVAL (0, 10000, '1s') 1), b AS (TQL EVAL (0, 10000, '1s') time()) SELECT count(*), max(b.svc_value) FROM a JOIN b USING (svc_timestamp);
----
count(*):Int64 | max(b.svc_value):Float64
10001 | 10000.0

WITH load_sum AS (TQL EVAL (0, 20, '10s') sum(load{__field__="v"}) AS total) SELECT total, svc_timestamp FROM load_sum ORDER BY total;
----
total:Float64 | svc_timestamp:TimestampMillisecond
1.0 | 0
7.0 | 10000
9.0 | 20000

WITH
  raw (at, v) AS (TQL EVALUATE (0, 20, '10s') load{__field__="v", host=~"a|(b)"} AS value),
  high AS (SELECT * FROM raw WHERE v > 1)
SELECT at, v FROM high WHERE at >= '1970-01-01 00:00:20' ORDER BY v;
----
at:TimestampMillisecond | v:Float64
20000 | 4.0
20000 | 5.0

WITH t AS (TQL EVAL (10, 10, '10s') load{__field__="v"})
SELECT t.host, svc_value, w FROM t JOIN load ON load.host = t.host AND load.at = t.svc_timestamp ORDER BY t.host;
----
host:String | svc_value:Float64 | w:Int32
"a" | 2.0 | 20
"b" | 5.0 | 50

WITH one AS (TQL EVAL (0, 10, '5s') 1), two AS MATERIALIZED (TQL EVAL (5, 10, '5s') -0 / 0)
SELECT one.svc_value, isnan(two.svc_value) AS nan, two.svc_timestamp FROM one, two WHERE one.svc_timestamp = two.svc_timestamp ORDER BY 3;
----
svc_value:Float64 | nan:Boolean | svc_timestamp:TimestampMillisecond
1.0 | true | 5000
1.0 | true | 10000

WITH t AS (TQL EVAL (0, 10, '5s') nothing) SELECT count(*) FROM t;
----
count(*):Int64
0

SELECT max(v) FROM (WITH t (at, v) AS (TQL EVAL (0, 20, '10s') count by (host) (load)) SELECT * FROM t) AS inner_query;
----
max(v):Float64
2.0

CREATE VIEW load_view AS WITH t AS (TQL EVAL (0, 20, '10s') load{__field__="w", host="a"}) SELECT host, svc_value FROM t;
----
affected 0

SELECT * FROM load_view ORDER BY svc_value DESC;
----
host:String | svc_value:Float64
"a" | 40.0
"a" | 20.0
"a" | 10.0

CREATE TABLE kept (at TIMESTAMP(3) TIME INDEX, v DOUBLE);
----
affected 0

INSERT INTO kept WITH t AS (TQL EVAL (0, 20, '10s') sum(load{__field__="v"})) SELECT svc_timestamp, svc_value FROM t;
----
affected 3

WITH t AS (TQL EVAL (0, 10, '5s') sum() SELECT * FROM t;
----
error 2000(400) 1:1: parse error: no arguments for aggregate expression provided

WITH t AS (TQL EVAL (0, 10, '5s') sum by) SELECT * FROM t;
----
error 2000(400) 1:7: parse error: unexpected end of input in grouping opts, expected "("

WITH t AS (TQL EXPLAIN (0, 10, '5s') 1) SELECT * FROM t;
----
error 2000(400) expected SELECT, VALUES, or a subquery in the query body, found TQL at line 1, column 12

--! user=wo
WITH t AS (TQL EVAL (0, 10, '5s') 1) SELECT * FROM t;
----
error 7006(403) User is not authorized to perform this action
