-- Columns come, change and go.

CREATE TABLE visits (site STRING, n INT, load DOUBLE, at TIMESTAMP(3) TIME INDEX, PRIMARY KEY (site));
----
affected 0

INSERT INTO visits VALUES ('a', 1, 1.5, 1000), ('b', 2, NULL, 2000);
----
affected 2

ALTER TABLE visits ADD COLUMN page STRING, ADD COLUMN IF NOT EXISTS n INT, ADD COLUMN size INT NOT NULL DEFAULT 7 FIRST;
----
affected 0

ALTER TABLE visits ADD COLUMN code SMALLINT DEFAULT 200 COMMENT 'http' AFTER site;
----
affected 0

DESC visits;
----
Column:String | Type:String | Key:String | Null:String | Default:String | Semantic Type:String
"size" | "Int32" | "" | "NO" | "7" | "FIELD"
"site" | "String" | "PRI" | "YES" | "" | "TAG"
"code" | "Int16" | "" | "YES" | "200" | "FIELD"
"n" | "Int32" | "" | "YES" | "" | "FIELD"
"load" | "Float64" | "" | "YES" | "" | "FIELD"
"at" | "TimestampMillisecond" | "PRI" | "NO" | "" | "TIMESTAMP"
"page" | "String" | "" | "YES" | "" | "FIELD"

SELECT * FROM visits ORDER BY at;
----
size:Int32 | site:String | code:Int16 | n:Int32 | load:Float64 | at:TimestampMillisecond | page:String
7 | "a" | 200 | 1 | 1.5 | 1000 | null
7 | "b" | 200 | 2 | null | 2000 | null

INSERT INTO visits (site, at) VALUES ('c', 3000);
----
affected 1

INSERT INTO visits (site, code, at) VALUES ('d', NULL, 4000);
----
affected 1

SELECT site, code, size, page FROM visits ORDER BY at;
----
site:String | code:Int16 | size:Int32 | page:String
"a" | 200 | 7 | null
"b" | 200 | 7 | null
"c" | 200 | 7 | null
"d" | null | 7 | null

ALTER TABLE visits ADD COLUMN n INT;
----
error 4003(400) Column n already exists in table visits

ALTER TABLE visits ADD COLUMN must INT NOT NULL;
----
error 1004(400) column must: NOT NULL needs a DEFAULT for the rows there are

ALTER TABLE visits ADD COLUMN other TIMESTAMP TIME INDEX;
----
error 1004(400) column other: table visits has a time index already

ALTER TABLE visits ADD COLUMN late STRING AFTER nothing;
----
error 4002(400) AFTER: column nothing not exists in table visits

ALTER TABLE visits ADD COLUMN number INT DEFAULT 'many';
----
error 2000(400) Failed to parse value: row 1, column number: many is not a valid Int32

ALTER TABLE visits DROP COLUMN page;
----
affected 0

ALTER TABLE visits DROP COLUMN page;
----
error 4002(400) Column page not exists in table visits

ALTER TABLE visits DROP COLUMN site;
----
error 1004(400) Not allowed to remove index column site from table visits

ALTER TABLE visits DROP COLUMN at;
----
error 1004(400) Not allowed to remove time index column at from table visits

-- Types: what converts, and what does not.
ALTER TABLE visits MODIFY COLUMN n BIGINT;
----
affected 0

SELECT site, n FROM visits ORDER BY at;
----
site:String | n:Int64
"a" | 1
"b" | 2
"c" | null
"d" | null

ALTER TABLE visits MODIFY COLUMN n STRING;
----
affected 0

SELECT site, n FROM visits ORDER BY at;
----
site:String | n:String
"a" | "1"
"b" | "2"
"c" | null
"d" | null

ALTER TABLE visits MODIFY COLUMN n TINYINT UNSIGNED;
----
affected 0

SELECT site, n FROM visits WHERE n >= 2 ORDER BY at;
----
site:String | n:UInt8
"b" | 2

INSERT INTO visits (site, n, at) VALUES ('e', 255, 5000);
----
affected 1

ALTER TABLE visits MODIFY COLUMN n TINYINT;
----
error 1004(400) column n of table visits cannot become TINYINT: 1 of its values do not convert, for example "255"

ALTER TABLE visits MODIFY COLUMN site BINARY;
----
error 1004(400) column site of table visits is part of the primary key: its type cannot change

ALTER TABLE visits MODIFY COLUMN at TIMESTAMP(9);
----
error 1004(400) column at of table visits is part of the time index: its type cannot change

ALTER TABLE visits MODIFY COLUMN load INT;
----
error 1004(400) column load of table visits cannot change from DOUBLE to INT: values would be lost

ALTER TABLE visits MODIFY COLUMN nothing INT;
----
error 4002(400) Column nothing not exists in table visits

-- Defaults and indexes.
ALTER TABLE visits MODIFY COLUMN load SET DEFAULT 0.5;
----
affected 0

INSERT INTO visits (site, at) VALUES ('f', 6000);
----
affected 1

SELECT load FROM visits WHERE site = 'f';
----
load:Float64
0.5

ALTER TABLE visits MODIFY COLUMN load DROP DEFAULT;
----
affected 0

ALTER TABLE visits MODIFY COLUMN load SET DEFAULT 'x';
----
error 2000(400) Failed to parse value: row 1, column load: x is not a valid Float64

ALTER TABLE visits MODIFY COLUMN site SET INVERTED INDEX;
----
affected 0

ALTER TABLE visits MODIFY COLUMN load SET SKIPPING INDEX WITH (granularity = 1024, type = 'BLOOM');
----
affected 0

ALTER TABLE visits MODIFY COLUMN load SET FULLTEXT INDEX;
----
error 1004(400) a fulltext index needs a STRING column, not Float64

ALTER TABLE visits MODIFY COLUMN site UNSET INVERTED INDEX;
----
affected 0

ALTER TABLE visits MODIFY COLUMN load SET SKIPPING INDEX WITH (size = 3);
----
error 1004(400) unknown option size of the skipping index, expected false_positive_rate, granularity, type

-- Options.
ALTER TABLE visits SET 'ttl' = '7d', 'comment' = 'who came';
----
affected 0

SHOW CREATE TABLE visits;
----
Table:String | Create Table:String
"visits" | "CREATE TABLE IF NOT EXISTS \"visits\" (\n  \"size\" INT NOT NULL DEFAULT 7,\n  \"site\" STRING NULL,\n  \"code\" SMALLINT NULL DEFAULT 200 COMMENT 'http',\n  \"n\" TINYINT UNSIGNED NULL,\n  \"load\" DOUBLE NULL SKIPPING INDEX WITH(false_positive_rate = '0.01', granularity = '1024', type = 'BLOOM'),\n  \"at\" TIMESTAMP(3) NOT NULL,\n  TIME INDEX (\"at\"),\n  PRIMARY KEY (\"site\")\n)\n\nENGINE=embedded\nWITH(\n  'comment' = 'who came',\n  ttl = '7days'\n)"

ALTER TABLE visits UNSET 'ttl';
----
affected 0

ALTER TABLE visits SET 'ttl' = 'soon';
----
error 1004(400) invalid ttl "soon": expected a duration such as 7d or 12h, forever or instant

ALTER TABLE visits SET 'foo' = 'bar';
----
error 1004(400) Unrecognized table option key: foo

ALTER TABLE visits SET 'merge_mode' = 'last_non_null';
----
error 1004(400) table option merge_mode is fixed when a table is created and cannot be changed

ALTER TABLE visits UNSET 'append_mode';
----
error 1004(400) table option append_mode cannot be unset, only ttl and comment can

ALTER TABLE visits SET 'skip_wal' = 'true';
----
affected 0

ALTER TABLE visits SET 'skip_wal' = 'false';
----
error 1004(400) table option skip_wal can be set to true, but not back to false

-- Several kinds in one.
ALTER TABLE visits ADD COLUMN a INT, DROP COLUMN load, RENAME calls;
----
affected 0

SHOW TABLES;
----
Tables_in_public:String
"calls"

SELECT * FROM calls WHERE site = 'e';
----
size:Int32 | site:String | code:Int16 | n:UInt8 | at:TimestampMillisecond | a:Int32
7 | "e" | 200 | 255 | 5000 | null

CREATE TABLE visits LIKE calls;
----
affected 0

ALTER TABLE calls RENAME TO visits;
----
error 4000(400) Table already exists: `svc.public.visits`

DESC visits;
----
Column:String | Type:String | Key:String | Null:String | Default:String | Semantic Type:String
"size" | "Int32" | "" | "NO" | "7" | "FIELD"
"site" | "String" | "PRI" | "YES" | "" | "TAG"
"code" | "Int16" | "" | "YES" | "200" | "FIELD"
"n" | "UInt8" | "" | "YES" | "" | "FIELD"
"at" | "TimestampMillisecond" | "PRI" | "NO" | "" | "TIMESTAMP"
"a" | "Int32" | "" | "YES" | "" | "FIELD"

TRUNCATE TABLE calls;
----
affected 0

SELECT count(*) FROM calls;
----
count(*):Int64
0

INSERT INTO calls (site, at) VALUES ('again', 1);
----
affected 1

SELECT site FROM calls;
----
site:String
"again"

TRUNCATE nothing;
----
error 4001(400) Table not found: svc.public.nothing

COMMENT ON TABLE calls IS 'calls';
----
affected 0

COMMENT ON COLUMN calls.site IS 'where';
----
affected 0

SELECT column_name, column_comment FROM information_schema.columns WHERE table_name = 'calls' AND column_comment IS NOT NULL ORDER BY 1;
----
column_name:String | column_comment:String
"code" | "http"
"site" | "where"

--! user=ro
ALTER TABLE calls ADD COLUMN x INT;
----
error 7006(403) User is not authorized to perform this action

--! user=ro
TRUNCATE TABLE calls;
----
error 7006(403) User is not authorized to perform this action

ALTER TABLE calls FROBNICATE;
----
error 2000(400) expected ADD, DROP, MODIFY, RENAME, SET or UNSET, found FROBNICATE at line 1, column 19

ALTER INDEX x;
----
error 1001(400) ALTER INDEX is not supported, there are ALTER TABLE and ALTER DATABASE

-- Every row from now on: what was overwritten or deleted before stays so.
CREATE TABLE kept (host STRING, v INT, at TIMESTAMP TIME INDEX, PRIMARY KEY (host));
INSERT INTO kept VALUES ('a', 1, 1), ('b', 1, 1);
INSERT INTO kept VALUES ('a', 2, 1);
DELETE FROM kept WHERE host = 'b';
ALTER TABLE kept SET 'append_mode' = 'true';
INSERT INTO kept VALUES ('a', 3, 1);
SELECT host, v FROM kept ORDER BY v;
----
affected 0
--
affected 2
--
affected 1
--
affected 1
--
affected 0
--
affected 1
--
host:String | v:Int32
"a" | 2
"a" | 3

ALTER TABLE kept SET 'append_mode' = 'false';
----
error 1004(400) table option append_mode can be set to true, but not back to false

DELETE FROM kept;
----
error 1004(400) table svc.public.kept: DELETE is not allowed under append mode

-- A default holds for the rows from before the column, whatever its type becomes; a null that was given stays one.

CREATE TABLE defaults (k STRING, ts TIMESTAMP(3) TIME INDEX, PRIMARY KEY (k));
----
affected 0

INSERT INTO defaults VALUES ('before', 1);
----
affected 1

ALTER TABLE defaults ADD COLUMN c INT DEFAULT 7;
----
affected 0

INSERT INTO defaults VALUES ('null', 2, NULL), ('given', 3, 5);
----
affected 2

ALTER TABLE defaults MODIFY COLUMN c BIGINT;
----
affected 0

INSERT INTO defaults VALUES ('after', 4, 8), ('null after', 5, NULL);
----
affected 2

INSERT INTO defaults (k, ts) VALUES ('left out', 6);
----
affected 1

SELECT k, c FROM defaults ORDER BY ts;
----
k:String | c:Int64
"before" | 7
"null" | null
"given" | 5
"after" | 8
"null after" | null
"left out" | 7

ALTER TABLE defaults MODIFY COLUMN c STRING;
----
affected 0

SELECT k, c FROM defaults ORDER BY ts;
----
k:String | c:String
"before" | "7"
"null" | null
"given" | "5"
"after" | "8"
"null after" | null
"left out" | "7"

ALTER TABLE defaults DROP COLUMN c, ADD COLUMN c DOUBLE DEFAULT 0.5;
----
affected 0

SELECT k, c FROM defaults ORDER BY ts;
----
k:String | c:Float64
"before" | 0.5
"null" | 0.5
"given" | 0.5
"after" | 0.5
"null after" | 0.5
"left out" | 0.5

-- Columns of one name and another type lie side by side in a physical table; the type of one that is there stays.

CREATE TABLE number (ts TIMESTAMP(3) TIME INDEX, v DOUBLE) WITH (physical_table = 'host');
CREATE TABLE word (ts TIMESTAMP(3) TIME INDEX, v STRING) WITH (physical_table = 'host');
INSERT INTO number VALUES (1, 1.5);
INSERT INTO word VALUES (1, 'x');
----
affected 0
--
affected 0
--
affected 1
--
affected 1

SELECT number.v AS n, word.v AS w FROM number JOIN word ON number.ts = word.ts;
----
n:Float64 | w:String
1.5 | "x"

ALTER TABLE number MODIFY COLUMN v STRING;
----
error 1001(400) column v of table number cannot become String: it lies in the physical table host, where other tables may share it. Add a column of another name, or make a table without physical_table

ALTER TABLE host MODIFY COLUMN v STRING;
----
error 1001(400) column v of table host cannot become String: logical tables may share the columns of their physical one; add a column of another name

-- Names have at most 255 bytes, whichever statement gives them.
ALTER TABLE host ADD COLUMN nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn INT;
----
error 1004(400) the name of a column has 256 bytes, at most 255 are allowed: nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn…

ALTER TABLE word RENAME TO nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn;
----
error 1004(400) the name of a table has 256 bytes, at most 255 are allowed: nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn…

-- Forms of Postgres.
CREATE TABLE form (host STRING PRIMARY KEY, ts TIMESTAMP TIME INDEX, v DOUBLE, x INT);
CREATE TABLE form_copy (LIKE form INCLUDING ALL);
ALTER TABLE form_copy DROP COLUMN IF EXISTS absent;
ALTER TABLE form_copy DROP COLUMN IF EXISTS v, ADD COLUMN w DOUBLE;
ALTER TABLE form_copy ALTER COLUMN x SET DATA TYPE BIGINT;
ALTER TABLE form_copy SET (ttl = '1d', comment = 'a copy');
SHOW CREATE TABLE form_copy;
----
affected 0
--
affected 0
--
affected 0
--
affected 0
--
affected 0
--
affected 0
--
Table:String | Create Table:String
"form_copy" | "CREATE TABLE IF NOT EXISTS \"form_copy\" (\n  \"host\" STRING NULL,\n  \"ts\" TIMESTAMP(3) NOT NULL,\n  \"x\" BIGINT NULL,\n  \"w\" DOUBLE NULL,\n  TIME INDEX (\"ts\"),\n  PRIMARY KEY (\"host\")\n)\n\nENGINE=embedded\nWITH(\n  'comment' = 'a copy',\n  ttl = '1day'\n)"

ALTER TABLE form_copy DROP COLUMN absent;
----
error 4002(400) Column absent not exists in table form_copy
