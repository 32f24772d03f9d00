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
