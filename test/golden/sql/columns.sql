-- Columns a statement means without naming them, and rows of few series from files.
CREATE TABLE load (host STRING, region STRING, busy DOUBLE, cores INT, note STRING, at TIMESTAMP(3) TIME INDEX, PRIMARY KEY (host, region));
CREATE TABLE place (host STRING, town STRING, at TIMESTAMP(3) TIME INDEX, PRIMARY KEY (host));
INSERT INTO load VALUES
  ('a', 'eu', 10.5, 4, 'x', 0), ('a', 'eu', NULL, 4, NULL, 60000), ('b', 'us', 50, 8, 'y', 0), (NULL, 'us', 1, NULL, 'z', 0), ('', 'us', 2, 2, '', 0);
INSERT INTO place VALUES ('a', 'Rome', 0), ('b', 'Oslo', 0);
----
affected 0
--
affected 0
--
affected 5
--
affected 2

SELECT * FROM load WHERE host = 'a' ORDER BY at;
----
host:String | region:String | busy:Float64 | cores:Int32 | note:String | at:TimestampMillisecond
"a" | "eu" | 10.5 | 4 | "x" | 0
"a" | "eu" | null | 4 | null | 60000

FROM load;
----
host:String | region:String | busy:Float64 | cores:Int32 | note:String | at:TimestampMillisecond
"a" | "eu" | 10.5 | 4 | "x" | 0
"a" | "eu" | null | 4 | null | 60000
"b" | "us" | 50.0 | 8 | "y" | 0
null | "us" | 1.0 | null | "z" | 0
"" | "us" | 2.0 | 2 | "" | 0

SELECT l.* FROM load l WHERE l.host = 'b';
----
host:String | region:String | busy:Float64 | cores:Int32 | note:String | at:TimestampMillisecond
"b" | "us" | 50.0 | 8 | "y" | 0

SELECT * EXCLUDE (note, at) FROM load WHERE host = 'a' AND busy > 1;
----
host:String | region:String | busy:Float64 | cores:Int32
"a" | "eu" | 10.5 | 4

SELECT COLUMNS('b.*') FROM load WHERE host = 'b';
----
busy:Float64
50.0

SELECT load FROM load WHERE host = 'b';
----
load:Struct<host: String, region: String, busy: Float64, cores: Int32, note: String, at: TimestampMillisecond>
{"host":"b","region":"us","busy":50.0,"cores":8,"note":"y","at":0}

SELECT l FROM load AS l WHERE host = 'b';
----
l:Struct<host: String, region: String, busy: Float64, cores: Int32, note: String, at: TimestampMillisecond>
{"host":"b","region":"us","busy":50.0,"cores":8,"note":"y","at":0}

SELECT busy AS load, load FROM load WHERE host = 'b';
----
load:Float64 | load:Struct<host: String, region: String, busy: Float64, cores: Int32, note: String, at: TimestampMillisecond>
50.0 | {"host":"b","region":"us","busy":50.0,"cores":8,"note":"y","at":0}

SELECT count(*) FROM load WHERE host = 'a';
----
count(*):Int64
2

SELECT count(load) FROM load WHERE host = 'a';
----
count(load):Int64
2

SELECT host, town FROM load NATURAL JOIN place WHERE busy > 20;
----
host:String | town:String
"b" | "Oslo"

SELECT host, town, busy FROM load JOIN place USING (host) ORDER BY host, busy NULLS LAST;
----
host:String | town:String | busy:Float64
"a" | "Rome" | 10.5
"a" | "Rome" | null
"b" | "Oslo" | 50.0

WITH few AS (SELECT * FROM load WHERE host = 'a') SELECT cores FROM few WHERE busy IS NULL;
----
cores:Int32
4

SELECT region FROM (SELECT * FROM load WHERE host IN ('a', 'b')) x GROUP BY ALL ORDER BY ALL;
----
region:String
"eu"
"us"

SELECT unpacked.cores FROM (SELECT load AS unpacked FROM load WHERE host = 'b');
----
cores:Int32
8

SELECT hash(*COLUMNS(*)) IS NOT NULL AS hashed FROM load WHERE host = 'b';
----
error 2000(400) expected ), found COLUMNS at line 1, column 14

FROM load PIVOT (sum(busy) FOR host IN ('a', 'b')) ORDER BY ALL;
----
region:String | cores:Int32 | note:String | at:TimestampMillisecond | a:Float64 | b:Float64
"eu" | 4 | "x" | 0 | 10.5 | null
"eu" | 4 | null | 60000 | null | null
"us" | 2 | "" | 0 | null | null
"us" | 8 | "y" | 0 | null | 50.0
"us" | null | "z" | 0 | null | null

SELECT HOST, Busy FROM LOAD WHERE Host = 'a' ORDER BY 2;
----
host:String | busy:Float64
"a" | 10.5
"a" | null

SELECT no_such FROM load WHERE host = 'a';
----
error 3000(400) Failed to plan SQL: No field named no_such at line 1, column 8. Valid fields are "host", "region", "busy", "cores", "note", "at"

CREATE VIEW busy_hosts AS SELECT * FROM load WHERE busy > 5;
----
affected 0

SELECT host FROM busy_hosts WHERE host = 'a';
----
host:String
"a"

ADMIN flush_table('load');
----
ADMIN flush_table('load'):UInt64
0

SELECT * FROM load WHERE host = 'a' ORDER BY at;
----
host:String | region:String | busy:Float64 | cores:Int32 | note:String | at:TimestampMillisecond
"a" | "eu" | 10.5 | 4 | "x" | 0
"a" | "eu" | null | 4 | null | 60000

SELECT host, busy, cores FROM load WHERE host = 'a' ORDER BY at;
----
host:String | busy:Float64 | cores:Int32
"a" | 10.5 | 4
"a" | null | 4

SELECT region, max(busy) FROM load WHERE host IN ('a', 'b') AND at < 60000 GROUP BY region ORDER BY region;
----
region:String | max(busy):Float64
"eu" | 10.5
"us" | 50.0

SELECT host, busy FROM load WHERE host = '';
----
host:String | busy:Float64
"" | 2.0

SELECT host, busy FROM load WHERE host IS NULL;
----
host:String | busy:Float64
null | 1.0

SELECT cores FROM load WHERE host = 'a' OR region = 'us' ORDER BY cores NULLS LAST;
----
cores:Int32
2
4
4
8
null

SELECT cores FROM load WHERE host = 'a' AND region = 'us';
----
cores:Int32

SELECT a.cores, b.busy FROM (SELECT * FROM load WHERE host = 'a') a, (SELECT host, busy FROM load WHERE host = 'b') b ORDER BY 1, 2;
----
cores:Int32 | busy:Float64
4 | 50.0
4 | 50.0

INSERT INTO load (host, region, busy, at) VALUES ('a', 'eu', 99, 60000), ('a', 'eu', 7, 120000);
----
affected 2

SELECT busy, cores FROM load WHERE host = 'a' ORDER BY at;
----
busy:Float64 | cores:Int32
10.5 | 4
99.0 | null
7.0 | null

DELETE FROM load WHERE host = 'a' AND busy = 99;
----
affected 1

SELECT busy, cores, epoch_ms(at) AS ms FROM load WHERE host = 'a' ORDER BY ms;
----
busy:Float64 | cores:Int32 | ms:Int64
10.5 | 4 | 0
7.0 | null | 120000
