-- Items of select lists are named as they were written, whatever they are made of; frames with EXCLUDE; UNPIVOT in an order.
CREATE TABLE m (host STRING, v DOUBLE, n BIGINT, ts TIMESTAMP(3) TIME INDEX, PRIMARY KEY (host));
INSERT INTO m VALUES ('a', 1, 10, '2024-07-01 10:00:00'), ('a', 2, 20, '2024-07-01 11:00:00'), ('b', 3, NULL, '2024-07-01 10:00:00');
----
affected 0
--
affected 3

SELECT struct_pack(a := 1, b := 'x').a, {'a': 1}['a'], {'a': 1}.a, [1, 2][1], (1), 1, -1;
----
struct_pack(a := 1, b := 'x').a:Int32 | {'a': 1}['a']:Int32 | {'a': 1}.a:Int32 | [1, 2][1]:Int32 | (1):Int32 | 1:Int32 | -1:Int32
1 | 1 | 1 | 1 | 1 | 1 | -1

SELECT e->>'x' FROM json_array_elements('[{"x":1},{"x":2}]') AS e;
----
e->>'x':String
"1"
"2"

SELECT g + 1, g, (g), g * 2 AS d FROM generate_series(1, 2) AS g;
----
g + 1:Int64 | g:Int64 | g:Int64 | d:Int64
2 | 1 | 1 | 2
3 | 2 | 2 | 4

SELECT v, sum(v) OVER (ORDER BY v ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW) AS s FROM m ORDER BY v;
----
v:Float64 | s:Float64
1.0 | 5.0
2.0 | 4.0
3.0 | 3.0

SELECT v, sum(v) OVER (ORDER BY host RANGE UNBOUNDED PRECEDING EXCLUDE TIES) AS s FROM m ORDER BY v;
----
v:Float64 | s:Float64
1.0 | 1.0
2.0 | 2.0
3.0 | 6.0

SELECT v, sum(v) OVER (ORDER BY host RANGE UNBOUNDED PRECEDING EXCLUDE GROUP) AS s FROM m ORDER BY v;
----
v:Float64 | s:Float64
1.0 | null
2.0 | null
3.0 | 3.0

SELECT v, sum(v) OVER (ORDER BY host RANGE UNBOUNDED PRECEDING EXCLUDE NO OTHERS) AS s FROM m ORDER BY v;
----
v:Float64 | s:Float64
1.0 | 3.0
2.0 | 3.0
3.0 | 6.0

SELECT * EXCLUDE (n, ts) FROM m ORDER BY v;
----
host:String | v:Float64
"a" | 1.0
"a" | 2.0
"b" | 3.0

UNPIVOT (SELECT host, v, n::DOUBLE AS n FROM m) ON v, n ORDER BY value DESC LIMIT 2;
----
host:String | name:String | value:Float64
"a" | "n" | 20.0
"a" | "n" | 10.0

SELECT * FROM (UNPIVOT (SELECT host, v, n::DOUBLE AS n FROM m) ON v, n INTO NAME k VALUE x ORDER BY x LIMIT 2) WHERE k = 'v' ORDER BY x;
----
host:String | k:String | x:Float64
"a" | "v" | 1.0
"a" | "v" | 2.0
