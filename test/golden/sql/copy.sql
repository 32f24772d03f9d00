-- COPY: to and from files of the export folder, and nothing else.

CREATE TABLE cpu (host STRING, usage DOUBLE, n BIGINT UNSIGNED DEFAULT 5, ok BOOLEAN, note STRING, raw BINARY, price DECIMAL(10, 2), day DATE, j JSON, at TIMESTAMP(3) TIME INDEX, PRIMARY KEY (host));
INSERT INTO cpu VALUES
  ('a', 1.5, 18446744073709551615, true, 'it''s, "so"', X'00ff', 12.34, '2024-02-29', '{"k":[1,2.5]}', 1000),
  ('b', NULL, NULL, NULL, '', NULL, NULL, NULL, NULL, 2000),
  ('c', -0.25, 0, false, 'é 😀', X'', -0.5, '1969-12-31', '"x"', -1);
----
affected 0
--
affected 3

COPY cpu TO 'cpu.parquet';
----
affected 3

COPY cpu TO 'all/cpu.csv' WITH (FORMAT = 'csv');
----
affected 3

COPY (SELECT * FROM cpu ORDER BY at) TO 'cpu.json' WITH (format = 'json');
----
affected 3

COPY (SELECT host, count(*) AS n, now() AS at FROM cpu GROUP BY host) TO 'counts.csv' WITH (FORMAT = CSV, HEADER = 'false', DELIMITER = ';');
----
affected 3

CREATE TABLE fromparquet LIKE cpu;
COPY fromparquet FROM 'cpu.parquet';
SELECT * FROM fromparquet ORDER BY at;
----
affected 0
--
affected 3
--
host:String | usage:Float64 | n:UInt64 | ok:Boolean | note:String | raw:Binary | price:Decimal(10, 2) | day:Date | j:Json | at:TimestampMillisecond
"c" | -0.25 | 0 | false | "é 😀" | [] | "-0.50" | -1 | "x" | -1
"a" | 1.5 | 18446744073709551615 | true | "it's, \"so\"" | [0,255] | "12.34" | 19782 | {"k":[1,2.5]} | 1000
"b" | null | null | null | "" | null | null | null | null | 2000

CREATE TABLE fromcsv LIKE cpu;
COPY fromcsv FROM 'all/cpu.csv' WITH (FORMAT = 'csv');
SELECT host, usage, n, ok, note, raw, price, day, at FROM fromcsv ORDER BY at;
----
affected 0
--
affected 3
--
host:String | usage:Float64 | n:UInt64 | ok:Boolean | note:String | raw:Binary | price:Decimal(10, 2) | day:Date | at:TimestampMillisecond
"c" | -0.25 | 0 | false | "é 😀" | [] | "-0.50" | -1 | -1
"a" | 1.5 | 18446744073709551615 | true | "it's, \"so\"" | [0,255] | "12.34" | 19782 | 1000
"b" | null | null | null | "" | null | null | null | 2000

CREATE TABLE fromjson LIKE cpu;
COPY fromjson FROM 'cpu.json';
SELECT host, usage, n, ok, note, raw, price, day, j, at FROM fromjson ORDER BY at;
----
affected 0
--
affected 3
--
host:String | usage:Float64 | n:UInt64 | ok:Boolean | note:String | raw:Binary | price:Decimal(10, 2) | day:Date | j:Json | at:TimestampMillisecond
"c" | -0.25 | 0 | false | "é 😀" | [] | "-0.50" | -1 | "x" | -1
"a" | 1.5 | 18446744073709551615 | true | "it's, \"so\"" | [0,255] | "12.34" | 19782 | {"k":[1,2.5]} | 1000
"b" | null | null | null | "" | null | null | null | null | 2000

-- Some columns, in order, without a header; what is left out gets its default.
CREATE TABLE counted (host STRING, n BIGINT, at TIMESTAMP(6) TIME INDEX, extra STRING DEFAULT 'none', PRIMARY KEY (host)) WITH (append_mode = 'true');
COPY counted (host, n, at) FROM 'counts.csv' WITH (FORMAT = 'csv', HEADER = 'false', DELIMITER = ';');
SELECT host, n, extra FROM counted ORDER BY host;
----
affected 0
--
affected 3
--
host:String | n:Int64 | extra:String
"a" | 1 | "none"
"b" | 1 | "none"
"c" | 1 | "none"

COPY counted (host, n) FROM 'counts.csv' WITH (FORMAT = 'csv', HEADER = 'false', DELIMITER = ';');
----
error 1004(400) COPY counts.csv: it has 3 columns, expected 2

COPY cpu TO 'late.parquet' WITH (START_TIME = '1970-01-01 00:00:01', END_TIME = '1970-01-01 00:00:02');
----
affected 1

COPY fromcsv FROM 'late.parquet' WITH (limit = 0);
----
affected 0

COPY cpu TO 'late.gz.csv.gz' WITH (limit = 1);
----
affected 1

COPY fromcsv FROM 'late.gz.csv.gz';
----
affected 1

-- What does not fit.
CREATE TABLE other (name STRING, at TIMESTAMP TIME INDEX);
COPY other FROM 'cpu.parquet';
----
error 4002(400) COPY cpu.parquet: the file has a column host, table other has none of that name

COPY counted FROM 'nothing.parquet';
----
error 1004(400) COPY nothing.parquet: there is no such file in the export folder

COPY other FROM 'cpu.parquet' WITH (FORMAT = 'xml');
----
error 1004(400) COPY: format must be one of parquet, csv, json, got xml

COPY other FROM 'cpu.parquet' WITH (FORMATT = 'csv');
----
error 1004(400) COPY: unknown option formatt, expected one of format, compression, compression_type, header, headers, delimiter, start_time, end_time, limit

COPY cpu TO 'x.parquet' WITH (compression = 'lz4');
----
error 1004(400) COPY: compression of parquet must be one of zstd, snappy, gzip, none, got lz4

COPY cpu TO 'x.csv' WITH (delimiter = ';;');
----
error 1004(400) COPY: delimiter must be one character, got ";;"

COPY (SELECT 'x' AS name, 'y' AS at) TO 'bad.csv';
----
affected 1

COPY other FROM 'bad.csv';
----
error 2000(400) Failed to parse value: row 1, column at: y is not a valid TimestampMillisecond

COPY (SELECT nothing FROM cpu) TO 'x.csv';
----
error 3000(400) Failed to plan SQL: No field named nothing at line 1, column 14. Valid fields are "host", "usage", "n", "ok", "note", "raw", "price", "day", "j", "at"

-- Paths.
COPY cpu TO '/etc/weir.parquet';
----
error 1004(400) COPY /etc/weir.parquet: it lies outside of the export folder, the folder "export" below storage.data_home

COPY cpu TO '../x.parquet';
----
error 1004(400) COPY ../x.parquet: it must not hold ..

COPY cpu TO 'a/../../x.parquet';
----
error 1004(400) COPY a/../../x.parquet: it must not hold ..

COPY other FROM '/etc/passwd' WITH (FORMAT = 'csv');
----
error 1004(400) COPY /etc/passwd: it lies outside of the export folder, the folder "export" below storage.data_home

COPY other FROM '../catalog.db';
----
error 1004(400) COPY ../catalog.db: it must not hold ..

COPY other FROM '*.parquet';
----
error 1004(400) COPY *.parquet: patterns are not allowed

COPY cpu TO 's3://bucket/x.parquet';
----
error 1001(400) COPY s3://bucket/x.parquet: only files of the export folder are read and written

COPY cpu TO 'folder/';
----
error 1004(400) COPY folder/: it names no file

COPY cpu TO 'all';
----
error 1004(400) COPY all: it is not a file

COPY cpu TO '';
----
error 1004(400) COPY : it names no file

COPY DATABASE public TO 'all';
----
error 1001(400) COPY DATABASE is not supported: copy its tables, or make a backup

COPY (SELECT * FROM read_text('/etc/passwd')) TO 'x.csv';
----
error 1001(400) function read_text is not allowed: a query reads tables of this server only

COPY (DELETE FROM cpu) TO 'x.csv';
----
error 2000(400) expected a query, found DELETE at line 1, column 7

--! user=ro
COPY cpu TO 'x.csv';
----
error 7006(403) User is not authorized to perform this action

--! user=wo
COPY cpu TO 'x.csv';
----
error 7006(403) User is not authorized to perform this action

--! user=wo
COPY fromcsv FROM 'all/cpu.csv';
----
affected 3

--! user=ro
COPY fromcsv FROM 'all/cpu.csv';
----
error 7006(403) User is not authorized to perform this action

COPY (SELECT table_name FROM information_schema.tables WHERE table_schema = 'public') TO 'tables.csv';
----
affected 6

COPY information_schema.tables FROM 'tables.csv';
----
error 1001(400) Schema `information_schema` is read-only

-- Every tenth row of a larger result, streamed.
CREATE TABLE many (n BIGINT, word STRING, at TIMESTAMP(3) TIME INDEX) WITH (append_mode = 'true');
INSERT INTO many SELECT i, 'word ' || i, i FROM range(200000) t(i);
COPY (SELECT * FROM many WHERE n % 10 = 0) TO 'many.parquet' WITH (compression = 'snappy');
COPY many FROM 'many.parquet';
SELECT count(*), sum(n), max(word) FROM many;
----
affected 0
--
affected 200000
--
affected 20000
--
affected 20000
--
count(*):Int64 | sum(n):Int64 | max(word):String
220000 | 21999800000 | "word 99999"
