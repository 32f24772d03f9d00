-- CREATE TABLE in all its forms, every type, databases.

CREATE TABLE types (
  a TINYINT, b SMALLINT, c INT2, d INT16, e INT, f INTEGER, g INT4, h INT32, i BIGINT, j INT64, k INT8,
  l TINYINT UNSIGNED, m UINT8, n SMALLINT UNSIGNED, o UINT16, p INT UNSIGNED, q UINT32, r BIGINT UNSIGNED, s UINT64,
  t FLOAT, u FLOAT4, v FLOAT32, w REAL, x DOUBLE, y FLOAT8, z FLOAT64, za DOUBLE PRECISION,
  aa STRING, ab TEXT, ac VARCHAR(20), ad CHAR(3), ae TINYTEXT, af MEDIUMTEXT, ag LONGTEXT,
  ba BINARY, bb VARBINARY, bc BLOB, bd BYTEA,
  ca BOOLEAN, cb BOOL, da DATE, ea DECIMAL, eb DECIMAL(5), ec DECIMAL(10, 3), ed NUMERIC(4, 1), fa JSON,
  ga TIMESTAMP(0), gb TIMESTAMP_S, gc TIMESTAMP, gd TIMESTAMP(3), ge TIMESTAMP_MS, gf TIMESTAMP(6), gg TIMESTAMP_US, gh DATETIME, gi TIMESTAMP(9), gj TIMESTAMP_NS TIME INDEX
);
----
affected 0

SELECT column_name, svc_data_type, column_type FROM information_schema.columns WHERE table_name = 'types' ORDER BY ordinal_position;
----
column_name:String | svc_data_type:String | column_type:String
"a" | "Int8" | "tinyint"
"b" | "Int16" | "smallint"
"c" | "Int16" | "smallint"
"d" | "Int16" | "smallint"
"e" | "Int32" | "int"
"f" | "Int32" | "int"
"g" | "Int32" | "int"
"h" | "Int32" | "int"
"i" | "Int64" | "bigint"
"j" | "Int64" | "bigint"
"k" | "Int64" | "bigint"
"l" | "UInt8" | "tinyint unsigned"
"m" | "UInt8" | "tinyint unsigned"
"n" | "UInt16" | "smallint unsigned"
"o" | "UInt16" | "smallint unsigned"
"p" | "UInt32" | "int unsigned"
"q" | "UInt32" | "int unsigned"
"r" | "UInt64" | "bigint unsigned"
"s" | "UInt64" | "bigint unsigned"
"t" | "Float32" | "float"
"u" | "Float32" | "float"
"v" | "Float32" | "float"
"w" | "Float32" | "float"
"x" | "Float64" | "double"
"y" | "Float64" | "double"
"z" | "Float64" | "double"
"za" | "Float64" | "double"
"aa" | "String" | "string"
"ab" | "String" | "string"
"ac" | "String" | "string"
"ad" | "String" | "string"
"ae" | "String" | "string"
"af" | "String" | "string"
"ag" | "String" | "string"
"ba" | "Binary" | "varbinary"
"bb" | "Binary" | "varbinary"
"bc" | "Binary" | "varbinary"
"bd" | "Binary" | "varbinary"
"ca" | "Boolean" | "boolean"
"cb" | "Boolean" | "boolean"
"da" | "Date" | "date"
"ea" | "Decimal(38, 10)" | "decimal(38, 10)"
"eb" | "Decimal(5, 0)" | "decimal(5, 0)"
"ec" | "Decimal(10, 3)" | "decimal(10, 3)"
"ed" | "Decimal(4, 1)" | "decimal(4, 1)"
"fa" | "Json" | "json"
"ga" | "TimestampSecond" | "timestamp(0)"
"gb" | "TimestampSecond" | "timestamp(0)"
"gc" | "TimestampMillisecond" | "timestamp(3)"
"gd" | "TimestampMillisecond" | "timestamp(3)"
"ge" | "TimestampMillisecond" | "timestamp(3)"
"gf" | "TimestampMicrosecond" | "timestamp(6)"
"gg" | "TimestampMicrosecond" | "timestamp(6)"
"gh" | "TimestampMicrosecond" | "timestamp(6)"
"gi" | "TimestampNanosecond" | "timestamp(9)"
"gj" | "TimestampNanosecond" | "timestamp(9)"

INSERT INTO types (a, h, k, l, s, t, x, ac, bc, ca, da, ea, eb, ec, fa, ga, gc, gf, gj) VALUES
  (-128, 2147483647, -9223372036854775808, 255, 18446744073709551615, 0.1, 1e300, 'text', X'cafe', TRUE, '2024-02-29', 1.5, 12, -0.125, '[1]', 1, 1, 1, 1);
----
affected 1

SELECT a, h, k, l, s, t, x, ac, bc, ca, da, ea, eb, ec, fa, ga, gc, gf, gj FROM types;
----
a:Int8 | h:Int32 | k:Int64 | l:UInt8 | s:UInt64 | t:Float32 | x:Float64 | ac:String | bc:Binary | ca:Boolean | da:Date | ea:Decimal(38, 10) | eb:Decimal(5, 0) | ec:Decimal(10, 3) | fa:Json | ga:TimestampSecond | gc:TimestampMillisecond | gf:TimestampMicrosecond | gj:TimestampNanosecond
-128 | 2147483647 | -9223372036854775808 | 255 | 18446744073709551615 | 0.1 | 1e+300 | "text" | [202,254] | true | 19782 | "1.5000000000" | "12" | "-0.125" | [1] | 1 | 1 | 1 | 1

INSERT INTO types (a, gj) VALUES (128, 2);
----
error 2000(400) Failed to parse value: row 1, column a: 128 is not a valid Int8

INSERT INTO types (l, gj) VALUES (-1, 2);
----
error 2000(400) Failed to parse value: row 1, column l: -1 is not a valid UInt8

INSERT INTO types (eb, gj) VALUES (123456, 2);
----
error 2000(400) Failed to parse value: row 1, column eb: 123456 is not a valid Decimal(5, 0)

INSERT INTO types (fa, gj) VALUES ('{', 2);
----
error 2000(400) Failed to parse value: row 1, column fa: { is not a valid Json

INSERT INTO types (ga, gj) VALUES ('yesterday', 2);
----
error 2000(400) Failed to parse value: row 1, column ga: yesterday is not a valid TimestampSecond

CREATE TABLE vectors (v VECTOR(3), at TIMESTAMP TIME INDEX);
----
error 1001(400) data type VECTOR is not supported

CREATE TABLE odd (at TIMESTAMP(4) TIME INDEX);
----
error 1004(400) a timestamp has precision 0, 3, 6 or 9, not 4

CREATE TABLE odd (x FROB, at TIMESTAMP TIME INDEX);
----
error 1001(400) data type FROB is not supported

CREATE TABLE odd (x FLOAT UNSIGNED, at TIMESTAMP TIME INDEX);
----
error 1001(400) FLOAT UNSIGNED is not supported

CREATE TABLE odd (x DECIMAL(40, 2), at TIMESTAMP TIME INDEX);
----
error 1004(400) DECIMAL(40, 2): precision is 1 to 38, scale at most that

-- Types in expressions are the same types.
SELECT CAST('2024-07-01 10:00:00.123456' AS TIMESTAMP) AS ms, '2024-07-01 10:00:00.123456'::DATETIME AS us, CAST(1 AS FLOAT64) AS f, 1::INT8 AS i, CAST(7 AS TINYINT UNSIGNED) AS u, 'x'::STRING AS s, 1::DECIMAL AS d, CAST('00:01' AS INTERVAL) AS v, [1, 2]::BIGINT UNSIGNED[] AS l;
----
ms:TimestampMillisecond | us:TimestampMicrosecond | f:Float64 | i:Int64 | u:UInt8 | s:String | d:Decimal(38, 10) | v:IntervalMonthDayNano | l:List<UInt64>
1719828000123 | 1719828000123456 | 1.0 | 1 | 7 | "x" | "1.0000000000" | "00:01:00" | [1,2]

SELECT CAST(CAST('1' AS INT) AS STRING) AS n, try_cast('x' AS INT64) AS none, CAST('2024-07-01 10:00:00+02:00' AS TIMESTAMP WITH TIME ZONE) AS z;
----
n:String | none:Int64 | z:TimestampMicrosecond
"1" | null | 1719820800000000

-- Names that are words elsewhere.
CREATE TABLE words (top STRING, sort INT, "order" INT, left DOUBLE, view STRING, at TIMESTAMP(3) TIME INDEX, PRIMARY KEY (top));
INSERT INTO words (top, sort, "order", left, view, at) VALUES ('a', 1, 2, 3, 'v', 4);
SELECT top, sort, "order", left, view, at FROM words WHERE view = 'v' AND sort = 1 ORDER BY top, at;
----
affected 0
--
affected 1
--
top:String | sort:Int32 | order:Int32 | left:Float64 | view:String | at:TimestampMillisecond
"a" | 1 | 2 | 3.0 | "v" | 4

SELECT max(left) at, min(sort) top, count(*) AS Many FROM words GROUP BY view ORDER BY at, top;
----
at:Float64 | top:Int32 | many:Int64
3.0 | 1 | 1

SELECT w.at AS sort FROM words w ORDER BY sort;
----
sort:TimestampMillisecond
4

-- Keys and constraints.
CREATE TABLE keyed (a STRING NOT NULL PRIMARY KEY, b STRING, ts TIMESTAMP(6) NOT NULL, v INT NULL DEFAULT 3, CONSTRAINT times TIME INDEX (ts),) ENGINE=mito;
----
affected 0

CREATE TABLE IF NOT EXISTS keyed (x INT, at TIMESTAMP TIME INDEX);
----
affected 0

CREATE TABLE keyed (x INT, at TIMESTAMP TIME INDEX);
----
error 4000(400) Table already exists: `svc.public.keyed`

SHOW CREATE TABLE keyed;
----
Table:String | Create Table:String
"keyed" | "CREATE TABLE IF NOT EXISTS \"keyed\" (\n  \"a\" STRING NOT NULL,\n  \"b\" STRING NULL,\n  \"ts\" TIMESTAMP(6) NOT NULL,\n  \"v\" INT NULL DEFAULT 3,\n  TIME INDEX (\"ts\"),\n  PRIMARY KEY (\"a\")\n)\n\nENGINE=embedded\n"

CREATE TABLE bare (x INT);
----
error 2000(400) Missing time index constraint

CREATE TABLE bare (a TIMESTAMP TIME INDEX, b TIMESTAMP TIME INDEX);
----
error 2000(400) Missing time index constraint

CREATE TABLE bare (a INT TIME INDEX);
----
error 1004(400) Invalid column option, column name: a, error: time index column must be a timestamp, not Int32

CREATE TABLE bare (a TIMESTAMP NULL TIME INDEX);
----
error 1004(400) Invalid column option, column name: a, error: time index column cannot be null

CREATE TABLE bare (a TIMESTAMP TIME INDEX, PRIMARY KEY (a));
----
error 1004(400) time index column a cannot be in the primary key

CREATE TABLE bare (a TIMESTAMP TIME INDEX, PRIMARY KEY (b));
----
error 1004(400) column b of a constraint is not defined

CREATE TABLE bare (a TIMESTAMP TIME INDEX, a INT);
----
error 1004(400) column a is defined twice

CREATE TABLE bare (a TIMESTAMP TIME INDEX) ENGINE=innodb;
----
error 1004(400) unknown table engine innodb, expected one of embedded, mito, metric

CREATE TABLE bare (a TIMESTAMP TIME INDEX) WITH (foo = 'bar');
----
error 1004(400) Unrecognized table option key: foo

CREATE TABLE bare (a TIMESTAMP TIME INDEX) WITH (ttl = 'soon');
----
error 1004(400) invalid ttl "soon": expected a duration such as 7d or 12h, forever or instant

CREATE TABLE bare (a TIMESTAMP TIME INDEX) WITH (append_mode = 'true', merge_mode = 'last_non_null');
----
error 1004(400) merge_mode last_non_null cannot go with append_mode

CREATE TABLE bare (a TIMESTAMP TIME INDEX, b INT DEFAULT 'x');
----
error 2000(400) Failed to parse value: row 1, column b: x is not a valid Int32

CREATE TABLE bare (a TIMESTAMP TIME INDEX, b INT DEFAULT random());
----
error 1001(400) column b: its default random() is neither a constant nor now()

CREATE TABLE bare (a TIMESTAMP TIME INDEX, b INT FULLTEXT INDEX);
----
error 1004(400) a fulltext index needs a STRING column, not Int32

CREATE TABLE bare (a TIMESTAMP TIME INDEX) PARTITION ON COLUMNS (b) ();
----
error 1001(400) PARTITION ON COLUMNS is not supported: the server runs on a single node

CREATE TABLE bare (a TIMESTAMP TIME INDEX;
----
error 2000(400) expected a column option, found end of statement at line 1, column 42

CREATE EXTERNAL TABLE bare WITH (location = '/etc/passwd');
----
error 1001(400) CREATE EXTERNAL is not supported, there are CREATE TABLE, CREATE DATABASE and CREATE [OR REPLACE] VIEW

CREATE TABLE bare AS SELECT 1;
----
error 1004(400) the query has no column of times: say which is the time index, as in CREATE TABLE t (TIME INDEX (ts)) AS …

CREATE FLOW f SINK TO t AS SELECT 1;
----
error 1004(400) CREATE FLOW: the query of a flow is a SELECT … FROM one table … GROUP BY date_bin(…)

CREATE INDEX i ON keyed (b);
----
error 1001(400) CREATE INDEX is not supported, there are CREATE TABLE, CREATE DATABASE and CREATE [OR REPLACE] VIEW

CREATE OR REPLACE TABLE bare (a TIMESTAMP TIME INDEX);
----
error 1001(400) CREATE OR REPLACE TABLE is not supported, there are CREATE TABLE, CREATE DATABASE and CREATE [OR REPLACE] VIEW

CREATE TABLE "a/../b" (a TIMESTAMP TIME INDEX); SHOW TABLES LIKE 'a/%'; DROP TABLE "a/../b";
----
affected 0
--
Tables_in_public:String
"a/../b"
--
affected 0

CREATE TABLE `Mixed Case` (`Host` STRING, at TIMESTAMP TIME INDEX, PRIMARY KEY (`Host`));
INSERT INTO `Mixed Case` (`Host`, at) VALUES ('x', 1);
SELECT "Host" FROM "Mixed Case";
----
affected 0
--
affected 1
--
Host:String
"x"

SELECT host FROM "Mixed Case";
----
Host:String
"x"

SELECT * FROM mixed;
----
error 4001(400) Failed to plan SQL: Table not found: svc.public.mixed

-- Copies of a definition.
CREATE TABLE copied LIKE keyed;
----
affected 0

CREATE TABLE IF NOT EXISTS copied LIKE keyed;
----
affected 0

CREATE TABLE copied LIKE keyed;
----
error 4000(400) Table already exists: `svc.public.copied`

CREATE TABLE other LIKE nothing;
----
error 4001(400) Table not found: svc.public.nothing

DESC copied;
----
Column:String | Type:String | Key:String | Null:String | Default:String | Semantic Type:String
"a" | "String" | "PRI" | "NO" | "" | "TAG"
"b" | "String" | "" | "YES" | "" | "FIELD"
"ts" | "TimestampMicrosecond" | "PRI" | "NO" | "" | "TIMESTAMP"
"v" | "Int32" | "" | "YES" | "3" | "FIELD"

-- Databases.
CREATE DATABASE shop;
----
affected 1

CREATE DATABASE shop;
----
error 1004(400) Schema shop already exists

CREATE DATABASE IF NOT EXISTS shop;
----
affected 1

CREATE SCHEMA IF NOT EXISTS depot WITH (ttl = '30d', append_mode = 'true');
----
affected 1

CREATE DATABASE instantly WITH (ttl = 'instant');
----
error 1004(400) ttl instant is for tables, not for databases

CREATE TABLE depot.logs (line STRING, at TIMESTAMP TIME INDEX);
SHOW CREATE TABLE depot.logs;
----
affected 0
--
Table:String | Create Table:String
"logs" | "CREATE TABLE IF NOT EXISTS \"logs\" (\n  \"line\" STRING NULL,\n  \"at\" TIMESTAMP(3) NOT NULL,\n  TIME INDEX (\"at\")\n)\n\nENGINE=embedded\nWITH(\n  append_mode = 'true',\n  ttl = '30days'\n)"

-- A time to live of the database acts on the tables that are there.
INSERT INTO depot.logs VALUES ('old', '2001-01-01'), ('new', now()); SELECT line FROM depot.logs;
----
affected 2
--
line:String
"new"

ALTER DATABASE depot UNSET 'ttl';
----
affected 0

SELECT line FROM depot.logs ORDER BY at;
----
line:String
"old"
"new"

ALTER DATABASE depot SET 'ttl' = '100years';
----
affected 0

SELECT count(*) FROM depot.logs;
----
count(*):Int64
2

ALTER DATABASE depot SET 'ttl' = '1d';
----
affected 0

SELECT line FROM depot.logs;
----
line:String
"new"

SHOW CREATE DATABASE depot;
----
Database:String | Create Database:String
"depot" | "CREATE DATABASE IF NOT EXISTS \"depot\"\nWITH(\n  append_mode = 'true',\n  ttl = '1day'\n)"

ALTER DATABASE depot SET 'append_mode' = 'false';
----
error 1004(400) database option append_mode cannot be changed, only ttl and comment can

ALTER DATABASE depot SET 'ttl' = 'instant';
----
error 1004(400) ttl instant is for tables, not for databases

ALTER DATABASE depot SET 'foo' = 'bar';
----
error 1004(400) Unrecognized table option key: foo

ALTER DATABASE nothing SET 'ttl' = '1d';
----
error 4004(400) Database not found: nothing

--! user=ro
ALTER DATABASE depot SET 'ttl' = '1d';
----
error 7006(403) User is not authorized to perform this action

DROP TABLE keyed, nothing;
----
error 4001(400) Table not found: svc.public.nothing

DROP TABLE IF EXISTS keyed, nothing;
----
affected 0

SELECT * FROM keyed;
----
error 4001(400) Failed to plan SQL: Table not found: svc.public.keyed

DROP DATABASE depot;
----
affected 0

DROP DATABASE IF EXISTS depot;
----
affected 0

DROP DATABASE depot;
----
error 1004(400) Failed to find schema, schema info: depot

DROP DATABASE public;
----
error 1004(400) Schema `public` is in use

--! user=ro
CREATE TABLE mine (at TIMESTAMP TIME INDEX);
----
error 7006(403) User is not authorized to perform this action

--! user=ro
CREATE DATABASE mine;
----
error 7006(403) User is not authorized to perform this action

--! user=ro
DROP TABLE copied;
----
error 7006(403) User is not authorized to perform this action

--! user=wo
CREATE TABLE mine (at TIMESTAMP TIME INDEX);
----
affected 0

--! user=wo
DROP TABLE mine;
----
affected 0
