-- INSERT, REPLACE, DELETE, TRUNCATE, and who may.

CREATE TABLE cpu (host STRING, usage DOUBLE DEFAULT 0.5, n INT NOT NULL, note STRING, at TIMESTAMP(3) TIME INDEX DEFAULT CURRENT_TIMESTAMP, PRIMARY KEY (host));
CREATE TABLE log (line STRING, at TIMESTAMP(6) TIME INDEX) WITH (append_mode = 'true');
----
affected 0
--
affected 0

INSERT INTO cpu VALUES ('a', 1, 1, 'x', 1000), ('b', DEFAULT, 2, NULL, '1970-01-01 00:00:02');
----
affected 2

INSERT INTO cpu (at, host, n) VALUES (3000, "quoted", 3);
----
affected 1

REPLACE INTO cpu (host, n, at) VALUES ('a', 10, 1000);
----
affected 1

INSERT INTO public.cpu (host, n, at) VALUES ('sum', 1 + 2, 4000 + 1), ('neg', -5, +1);
----
affected 2

SELECT * FROM cpu ORDER BY at, host;
----
host:String | usage:Float64 | n:Int32 | note:String | at:TimestampMillisecond
"neg" | 0.5 | -5 | null | 1
"a" | 0.5 | 10 | null | 1000
"b" | 0.5 | 2 | null | 2000
"quoted" | 0.5 | 3 | null | 3000
"sum" | 0.5 | 3 | null | 4001

--! timezone=+05:30
INSERT INTO cpu (host, n, at) VALUES ('zone', 1, '1970-01-01 05:30:00'), ('zoned', 1, '1970-01-01T05:30:00+05:30');
----
affected 2

SELECT host, at FROM cpu WHERE host LIKE 'zone%' ORDER BY host;
----
host:String | at:TimestampMillisecond
"zone" | 0
"zoned" | 0

INSERT INTO cpu (host, n) VALUES ('now', 1);
----
affected 1

SELECT count(*) FROM cpu WHERE host = 'now' AND at > now() - INTERVAL '1 minute';
----
count(*):Int64
1

-- INSERT … SELECT.
INSERT INTO log SELECT host || ' ' || n, at FROM cpu WHERE host IN ('a', 'b');
----
affected 2

SELECT line, at FROM log ORDER BY at;
----
line:String | at:TimestampMicrosecond
"a 10" | 1000000
"b 2" | 2000000

INSERT INTO log (at, line) SELECT 7, 'seven' UNION ALL SELECT 8, 'eight';
----
affected 2

INSERT INTO log (at, line) VALUES (9, (SELECT max(host) FROM cpu));
----
affected 1

INSERT INTO cpu (host, n, at) WITH made AS (SELECT 'cte' AS host, 1 AS n, 5 AS at) SELECT * FROM made;
----
affected 1

INSERT INTO cpu SELECT * FROM cpu;
----
affected 9

SELECT count(*) FROM cpu;
----
count(*):Int64
9

INSERT INTO log SELECT line FROM log;
----
error 1004(400) Invalid SQL, error: column count mismatch, columns: 2, values: 1

INSERT INTO cpu (host, n, at) SELECT 'null', NULL, 1;
----
error 1004(400) row 1, column n: the column takes no nulls

INSERT INTO cpu (host, n, at) SELECT 'text', 'many', 1;
----
error 2000(400) Failed to parse value: row 1, column n: many is not a valid Int32

INSERT INTO cpu (host, n, at) SELECT 'big', 3000000000, 1;
----
error 2000(400) Failed to parse value: row 1, column n: 3000000000 is not a valid Int32

INSERT INTO log (line) SELECT 'timeless';
----
error 1004(400) column at is the time index and must be given

INSERT INTO log SELECT * FROM read_text('/etc/passwd');
----
error 1001(400) function read_text is not allowed: a query reads tables of this server only

-- A hundred thousand rows in parts.
INSERT INTO log SELECT 'line ' || i, i FROM range(100000, 200000) t(i);
----
affected 100000

SELECT count(*), min(at), max(line) FROM log WHERE at >= 100000;
----
count(*):Int64 | min(at):TimestampMicrosecond | max(line):String
100002 | 100000 | "line 199999"

-- What does not fit.
INSERT INTO cpu (host, n) VALUES ('a');
----
error 1004(400) Invalid SQL, error: column count mismatch, columns: 2, values: 1

INSERT INTO cpu (host, nothing) VALUES ('a', 1);
----
error 4002(400) Column nothing not exists in table cpu

INSERT INTO cpu (host, host) VALUES ('a', 'b');
----
error 1004(400) a column of INSERT is named twice

INSERT INTO cpu (host, n, at) VALUES ('a', NULL, 1);
----
error 1004(400) row 1, column n: the column takes no nulls

INSERT INTO cpu (host, n, at) VALUES ('a', 'x', 1);
----
error 2000(400) Failed to parse value: row 1, column n: x is not a valid Int32

INSERT INTO cpu (host, n, at) VALUES ('a', 1.5, 1);
----
error 2000(400) Failed to parse value: row 1, column n: 1.5 is not a valid Int32

INSERT INTO nothing VALUES (1);
----
error 4001(400) Table not found: svc.public.nothing

INSERT INTO cpu;
----
error 2000(400) expected VALUES, SELECT or TQL, found end of statement at line 1, column 16

INSERT INTO cpu VALUES;
----
error 2000(400) expected (, found end of statement at line 1, column 23

INSERT INTO log (line) VALUES ('timeless');
----
error 1004(400) column at is the time index and must be given

-- DELETE.
DELETE FROM cpu WHERE host = 'a';
----
affected 1

SELECT count(*) FROM cpu WHERE host = 'a';
----
count(*):Int64
0

DELETE FROM cpu WHERE at < 3 OR n IN (SELECT n FROM cpu WHERE host = 'sum');
----
affected 5

SELECT host FROM cpu ORDER BY host;
----
host:String
"b"
"cte"
"now"

DELETE FROM log;
----
error 1004(400) table svc.public.log: DELETE is not allowed under append mode

DELETE FROM cpu WHERE nothing = 1;
----
error 3000(400) Failed to plan SQL: No field named nothing at line 1, column 23. Valid fields are "host", "usage", "n", "note", "at"

DELETE FROM cpu;
----
affected 3

SELECT count(*) FROM cpu;
----
count(*):Int64
0

TRUNCATE log;
----
affected 0

SELECT count(*) FROM log;
----
count(*):Int64
0

-- Permissions.
--! user=ro
INSERT INTO log VALUES ('x', 1);
----
error 7006(403) User is not authorized to perform this action

--! user=ro
DELETE FROM cpu;
----
error 7006(403) User is not authorized to perform this action

--! user=wo
INSERT INTO log VALUES ('write only', 1 + 1);
----
affected 1

--! user=wo
INSERT INTO log SELECT * FROM log;
----
error 7006(403) User is not authorized to perform this action

--! user=wo
INSERT INTO log VALUES ((SELECT max(line) FROM log), 1);
----
error 7006(403) User is not authorized to perform this action

--! user=wo
DELETE FROM cpu WHERE host = 'a';
----
error 7006(403) User is not authorized to perform this action

--! user=wo
TRUNCATE log;
----
affected 0

--! user=wo
SELECT 1;
----
error 7006(403) User is not authorized to perform this action

--! user=ro
SELECT 1 AS one;
----
one:Int32
1

-- Several in one: stops at the first that fails, what was done stays.
INSERT INTO log VALUES ('first', 1); INSERT INTO nothing VALUES (1); INSERT INTO log VALUES ('never', 2);
----
error 4001(400) Table not found: svc.public.nothing

SELECT line FROM log;
----
line:String
"first"

--! user=wo
DELETE FROM cpu WHERE host IN (SELECT table_name FROM information_schema.tables);
----
error 7006(403) User is not authorized to perform this action

-- What was written before an error stays, and the error says so.
INSERT INTO cpu (host, n, at) SELECT 'part', CASE WHEN i < 150000 THEN i END, i FROM range(200000) t(i) ORDER BY i;
----
error 1004(400) rows that are stored: row

SELECT count(*) >= 65536 AS some, count(*) < 200000 AS missing FROM cpu WHERE host = 'part';
----
some:Boolean | missing:Boolean
true | true

-- An interval is stored as a cast to text gives it.
CREATE TABLE spans (k BIGINT PRIMARY KEY, ts TIMESTAMP TIME INDEX, x STRING, n BIGINT);
INSERT INTO spans (k, ts, x) VALUES (1, 1, INTERVAL '1 year 2 months 3 days 04:05:06.7'), (2, 1, INTERVAL '-90 minutes');
INSERT INTO spans (k, ts, x) SELECT 10 + row_number() OVER (), 1, i FROM (VALUES (INTERVAL '-14 months'), (INTERVAL '0 days'), (INTERVAL '-1 day'), (INTERVAL '1 month -1 day -00:00:00.000001'), (INTERVAL '100 hours'), (NULL)) v(i);
SELECT k, x, x = CAST(CAST(x AS INTERVAL) AS VARCHAR) AS same FROM spans ORDER BY k;
----
affected 0
--
affected 2
--
affected 6
--
k:Int64 | x:String | same:Boolean
1 | "1 year 2 months 3 days 04:05:06.7" | true
2 | "-01:30:00" | true
11 | "-1 year -2 months" | true
12 | "00:00:00" | true
13 | "-1 day" | true
14 | "1 month -1 day -00:00:00.000001" | true
15 | "100:00:00" | true
16 | null | null

INSERT INTO spans (k, ts, n) SELECT 1, 1, INTERVAL '1 day';
----
error 2000(400) Failed to parse value: row 1, column n: 1 day is not a valid Int64
