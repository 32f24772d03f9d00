-- Views: stored, expanded where they are used, read with the rights of who asks.

CREATE TABLE cpu ("Host" STRING, usage DOUBLE, at TIMESTAMP(3) TIME INDEX, PRIMARY KEY ("Host"));
INSERT INTO cpu VALUES ('a', 10, 0), ('a', 20, 60000), ('b', 30, 60000);
----
affected 0
--
affected 3

CREATE VIEW busy AS SELECT "Host", usage, at FROM cpu WHERE usage > 15;
----
affected 0

SELECT * FROM busy ORDER BY usage;
----
Host:String | usage:Float64 | at:TimestampMillisecond
"a" | 20.0 | 60000
"b" | 30.0 | 60000

SELECT b."Host", count(*) FROM busy b JOIN cpu c ON c."Host" = b."Host" GROUP BY 1 ORDER BY 1;
----
Host:String | count(*):Int64
"a" | 2
"b" | 1

SELECT busy.usage FROM public.busy WHERE at = 60000 ORDER BY 1;
----
usage:Float64
20.0
30.0

CREATE VIEW busy AS SELECT 1;
----
error 4000(400) Table already exists: `svc.public.busy`

CREATE OR REPLACE VIEW busy AS SELECT "Host" AS host, max(usage) AS top FROM cpu GROUP BY 1;
----
affected 0

SELECT host, top FROM busy ORDER BY host;
----
host:String | top:Float64
"a" | 20.0
"b" | 30.0

SHOW CREATE VIEW busy;
----
View:String | Create View:String
"busy" | "CREATE VIEW \"busy\" (\"host\", \"top\") AS SELECT \"Host\" AS host, max(usage) AS top FROM cpu GROUP BY 1"

SHOW VIEWS;
----
Views:String
"busy"

SHOW FULL TABLES;
----
Tables_in_public:String | Table_type:String
"busy" | "VIEW"
"cpu" | "BASE TABLE"

DESC busy;
----
Column:String | Type:String | Key:String | Null:String | Default:String | Semantic Type:String
"host" | "String" | "" | "YES" | "" | "FIELD"
"top" | "Float64" | "" | "YES" | "" | "FIELD"

SHOW COLUMNS FROM busy;
----
Field:String | Type:String | Null:String | Key:String | Default:String | Extra:String | Svc_type:String
"host" | "string" | "Yes" | "" | null | "" | "String"
"top" | "double" | "Yes" | "" | null | "" | "Float64"

CREATE VIEW IF NOT EXISTS busy AS SELECT 1;
----
affected 0

CREATE VIEW peaks (who, value) AS SELECT host, top FROM busy;
----
affected 0

SELECT who FROM peaks WHERE value > 25;
----
who:String
"b"

CREATE VIEW wrong (one) AS SELECT 1, 2;
----
error 1004(400) the view names 1 columns, its query has 2

CREATE VIEW twice AS SELECT usage, usage FROM cpu;
----
affected 0

CREATE VIEW broken AS SELECT nothing FROM cpu;
----
error 3000(400) Failed to plan SQL: No field named nothing at line 1, column 30. Valid fields are "Host", "usage", "at"

CREATE OR REPLACE VIEW busy AS SELECT * FROM peaks;
----
error 1004(400) view svc.public.peaks: view svc.public.busy refers to itself

CREATE VIEW cpu AS SELECT 1;
----
error 4000(400) Table already exists: `svc.public.cpu`

CREATE TABLE busy (at TIMESTAMP TIME INDEX);
----
error 4000(400) Table already exists: `svc.public.busy`

INSERT INTO busy VALUES ('c', 1);
----
error 1004(400) svc.public.busy is a view: it can be read only

DELETE FROM busy;
----
error 1004(400) svc.public.busy is a view: it can be read only

ALTER TABLE busy ADD COLUMN x INT;
----
error 1004(400) svc.public.busy is a view: it can be read only

DROP TABLE busy;
----
error 1004(400) svc.public.busy is a view: use DROP VIEW

DROP VIEW cpu;
----
error 1004(400) svc.public.cpu is a table: use DROP TABLE

DROP VIEW nothing;
----
error 4001(400) View not found: svc.public.nothing

DROP VIEW IF EXISTS nothing;
----
affected 0

-- A file named in a view is as far away as anywhere else.
CREATE VIEW leak AS SELECT * FROM read_text('/etc/passwd');
----
error 1001(400) function read_text is not allowed: a query reads tables of this server only

CREATE VIEW leak AS SELECT * FROM '/etc/passwd';
----
error 1001(400) a table is named by a name, not by a string at line 1, column 35: a query reads tables of this server only

-- Names mean what they meant where the view was made.
CREATE DATABASE shop;
CREATE VIEW shop.hosts AS SELECT "Host" FROM public.cpu;
----
affected 1
--
affected 0

--! db=shop
SELECT DISTINCT * FROM hosts ORDER BY 1;
----
Host:String
"a"
"b"

SELECT count(*) FROM shop.hosts;
----
count(*):Int64
3

--! user=ro
SELECT count(*) FROM shop.hosts;
----
count(*):Int64
3

--! user=wo
SELECT count(*) FROM shop.hosts;
----
error 7006(403) User is not authorized to perform this action

--! user=ro
CREATE VIEW mine AS SELECT 1;
----
error 7006(403) User is not authorized to perform this action

--! user=wo
CREATE VIEW theirs AS SELECT usage FROM cpu;
----
affected 0

--! user=ro
DROP VIEW theirs;
----
error 7006(403) User is not authorized to perform this action

SELECT table_schema, table_name, view_definition FROM information_schema.views ORDER BY 1, 2;
----
table_schema:String | table_name:String | view_definition:String
"public" | "busy" | "SELECT \"Host\" AS host, max(usage) AS top FROM cpu GROUP BY 1"
"public" | "peaks" | "SELECT host, top FROM busy"
"public" | "theirs" | "SELECT usage FROM cpu"
"public" | "twice" | "SELECT usage, usage FROM cpu"
"shop" | "hosts" | "SELECT \"Host\" FROM public.cpu"

INSERT INTO cpu SELECT "Host", usage + 1, at + INTERVAL '1 hour' FROM cpu;
----
affected 3

SELECT count(*) FROM theirs;
----
count(*):Int64
6

DROP VIEW theirs, peaks;
----
affected 0

DROP TABLE cpu;
----
affected 0

SELECT * FROM busy;
----
error 4001(400) view svc.public.busy: Failed to plan SQL: Table not found: svc.public.cpu

DROP DATABASE shop;
----
affected 0

SHOW VIEWS FROM public;
----
Views:String
"busy"
"twice"

-- A view has the columns it was made with, whatever its tables come to have.
CREATE TABLE wide (k STRING, v INT, at TIMESTAMP(3) TIME INDEX, PRIMARY KEY (k));
INSERT INTO wide VALUES ('a', 1, 1);
CREATE VIEW every AS SELECT * FROM wide;
CREATE VIEW named (x, y, z) AS SELECT * FROM wide;
CREATE VIEW counted AS SELECT k, count(*) FROM wide GROUP BY k;
CREATE VIEW joined AS SELECT w.*, e.v AS other FROM wide w JOIN every e ON w.k = e.k;
ALTER TABLE wide ADD COLUMN first INT DEFAULT 9 FIRST;
ALTER TABLE wide ADD COLUMN middle INT AFTER k;
ALTER TABLE wide MODIFY COLUMN v BIGINT;
----
affected 0
--
affected 1
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
affected 0
--
affected 0

SELECT * FROM every;
----
k:String | v:Int64 | at:TimestampMillisecond
"a" | 1 | 1

SELECT * FROM named WHERE y = 1 AND z = 1;
----
x:String | y:Int64 | z:TimestampMillisecond
"a" | 1 | 1

SELECT * FROM counted;
----
k:String | count(*):Int64
"a" | 1

SELECT * FROM joined;
----
k:String | v:Int64 | at:TimestampMillisecond | other:Int64
"a" | 1 | 1 | 1

ALTER TABLE wide DROP COLUMN v;
----
affected 0

SELECT k FROM every;
----
error 3000(400) view svc.public.every: column v is no longer there: create the view anew

SELECT x FROM named;
----
error 3000(400) view svc.public.named: column v is no longer there: create the view anew

SELECT k, "count(*)" FROM counted;
----
k:String | count(*):Int64
"a" | 1

CREATE OR REPLACE VIEW every AS SELECT * FROM wide;
SELECT * FROM every;
----
affected 0
--
first:Int32 | k:String | middle:Int32 | at:TimestampMillisecond
9 | "a" | null | 1

-- Columns whose names differ in case only.
CREATE TABLE cased (ts TIMESTAMP TIME INDEX, host STRING, "Host" STRING);
INSERT INTO cased VALUES (1, 'a', 'A');
CREATE VIEW cases AS SELECT host, "Host" FROM cased;
SELECT "Host", host FROM cases WHERE host = 'a';
CREATE VIEW allcases AS SELECT * FROM cased;
SELECT * FROM allcases;
CREATE VIEW doubled AS SELECT host, host AS host FROM cased;
----
affected 0
--
affected 1
--
affected 0
--
Host:String | host:String
"A" | "a"
--
affected 0
--
ts:TimestampMillisecond | host:String | Host:String
1 | "a" | "A"
--
affected 0
