-- SHOW, DESCRIBE, EXPLAIN, USE, SET, ADMIN, KILL.
-- Needs a server of its own: it asks for numbers of tables.

CREATE TABLE visits (site STRING, page STRING FULLTEXT INDEX WITH (analyzer = 'Chinese', case_sensitive = 'true'), n BIGINT DEFAULT 5 COMMENT 'hits', code INT INVERTED INDEX, id STRING SKIPPING INDEX, at TIMESTAMP(3) TIME INDEX DEFAULT CURRENT_TIMESTAMP(), PRIMARY KEY (site));
CREATE TABLE "Upper" (at TIMESTAMP TIME INDEX);
CREATE DATABASE shop WITH (ttl = '1hour 30min');
CREATE VIEW pages AS SELECT page FROM visits;
----
affected 0
--
affected 0
--
affected 1
--
affected 0

SHOW DATABASES;
----
Database:String
"information_schema"
"public"
"shop"
"svc_private"

SHOW SCHEMAS LIKE 's%';
----
Database:String
"shop"
"svc_private"

SHOW FULL DATABASES WHERE Database = 'shop';
----
Database:String | Options:String
"shop" | "ttl='1h 30m'"

SHOW TABLES;
----
Tables_in_public:String
"Upper"
"pages"
"visits"

SHOW TABLES LIKE 'v%';
----
Tables_in_public:String
"visits"

SHOW TABLES LIKE 'v_sits';
----
Tables_in_public:String
"visits"

SHOW TABLES WHERE Tables = 'pages';
----
Tables_in_public:String
"pages"

SHOW TABLES WHERE Tables_in_public LIKE 'U%';
----
Tables_in_public:String
"Upper"

SHOW FULL TABLES FROM public;
----
Tables_in_public:String | Table_type:String
"Upper" | "BASE TABLE"
"pages" | "VIEW"
"visits" | "BASE TABLE"

SHOW TABLES FROM shop;
----
Tables_in_shop:String

SHOW TABLES IN nothing;
----
error 4004(400) Database not found: nothing

SHOW TABLES FROM information_schema LIKE 'key%';
----
Tables_in_information_schema:String
"key_column_usage"

SHOW COLUMNS FROM visits;
----
Field:String | Type:String | Null:String | Key:String | Default:String | Extra:String | Svc_type:String
"site" | "string" | "Yes" | "PRI" | null | "" | "String"
"page" | "string" | "Yes" | "" | null | "" | "String"
"n" | "bigint" | "Yes" | "" | "5" | "" | "Int64"
"code" | "int" | "Yes" | "" | null | "" | "Int32"
"id" | "string" | "Yes" | "" | null | "" | "String"
"at" | "timestamp(3)" | "No" | "TIME INDEX" | "CURRENT_TIMESTAMP()" | "" | "TimestampMillisecond"

SHOW FULL COLUMNS FROM visits LIKE '%a%';
----
Field:String | Type:String | Collation:String | Null:String | Key:String | Default:String | Extra:String | Privileges:String | Comment:String | Svc_type:String
"page" | "string" | "utf8_bin" | "Yes" | "" | null | "" | "select,insert" | "" | "String"
"at" | "timestamp(3)" | null | "No" | "TIME INDEX" | "CURRENT_TIMESTAMP()" | "" | "select,insert" | "" | "TimestampMillisecond"

SHOW FULL COLUMNS FROM visits WHERE Comment = 'hits';
----
Field:String | Type:String | Collation:String | Null:String | Key:String | Default:String | Extra:String | Privileges:String | Comment:String | Svc_type:String
"n" | "bigint" | null | "Yes" | "" | "5" | "" | "select,insert" | "hits" | "Int64"

SHOW COLUMNS FROM visits FROM public WHERE Field = 'n';
----
Field:String | Type:String | Null:String | Key:String | Default:String | Extra:String | Svc_type:String
"n" | "bigint" | "Yes" | "" | "5" | "" | "Int64"

SHOW FIELDS IN public.visits LIKE 'site';
----
Field:String | Type:String | Null:String | Key:String | Default:String | Extra:String | Svc_type:String
"site" | "string" | "Yes" | "PRI" | null | "" | "String"

SHOW INDEX FROM visits;
----
Table:String | Non_unique:Int64 | Key_name:String | Seq_in_index:Int64 | Column_name:String | Collation:String | Cardinality:String | Sub_part:String | Packed:String | Null:String | Index_type:String | Comment:String | Index_comment:String | Visible:String | Expression:String
"visits" | 1 | "PRIMARY" | 1 | "site" | "A" | null | null | null | "YES" | "primary-key" | "" | "" | "YES" | null
"visits" | 1 | "FULLTEXT INDEX" | 1 | "page" | "A" | null | null | null | "YES" | "fulltext" | "" | "analyzer=Chinese, backend=bloom, case_sensitive=true, false_positive_rate=0.01, granularity=10240" | "YES" | null
"visits" | 1 | "INVERTED INDEX" | 1 | "code" | "A" | null | null | null | "YES" | "inverted" | "" | "" | "YES" | null
"visits" | 1 | "SKIPPING INDEX" | 1 | "id" | "A" | null | null | null | "YES" | "skipping" | "" | "false_positive_rate=0.01, granularity=10240, type=BLOOM" | "YES" | null
"visits" | 1 | "TIME INDEX" | 1 | "at" | "A" | null | null | null | "" | "time-index" | "" | "" | "YES" | null

SHOW KEYS FROM visits WHERE Key_name = 'PRIMARY';
----
Table:String | Non_unique:Int64 | Key_name:String | Seq_in_index:Int64 | Column_name:String | Collation:String | Cardinality:String | Sub_part:String | Packed:String | Null:String | Index_type:String | Comment:String | Index_comment:String | Visible:String | Expression:String
"visits" | 1 | "PRIMARY" | 1 | "site" | "A" | null | null | null | "YES" | "primary-key" | "" | "" | "YES" | null

SHOW INDEXES IN visits LIKE 'nothing';
----
Table:String | Non_unique:Int64 | Key_name:String | Seq_in_index:Int64 | Column_name:String | Collation:String | Cardinality:String | Sub_part:String | Packed:String | Null:String | Index_type:String | Comment:String | Index_comment:String | Visible:String | Expression:String

SHOW CREATE TABLE visits;
----
Table:String | Create Table:String
"visits" | "CREATE TABLE IF NOT EXISTS \"visits\" (\n  \"site\" STRING NULL,\n  \"page\" STRING NULL FULLTEXT INDEX WITH(analyzer = 'Chinese', backend = 'bloom', case_sensitive = 'true', false_positive_rate = '0.01', granularity = '10240'),\n  \"n\" BIGINT NULL DEFAULT 5 COMMENT 'hits',\n  \"code\" INT NULL INVERTED INDEX,\n  \"id\" STRING NULL SKIPPING INDEX WITH(false_positive_rate = '0.01', granularity = '10240', type = 'BLOOM'),\n  \"at\" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(),\n  TIME INDEX (\"at\"),\n  PRIMARY KEY (\"site\")\n)\n\nENGINE=embedded\n"

SHOW CREATE TABLE "Upper";
----
Table:String | Create Table:String
"Upper" | "CREATE TABLE IF NOT EXISTS \"Upper\" (\n  \"at\" TIMESTAMP(3) NOT NULL,\n  TIME INDEX (\"at\")\n)\n\nENGINE=embedded\n"

SHOW CREATE TABLE upper;
----
error 4001(400) Table not found: svc.public.upper; did you mean "Upper" (quotes keep upper case)?

SHOW CREATE TABLE pages;
----
View:String | Create View:String
"pages" | "CREATE VIEW \"pages\" (\"page\") AS SELECT page FROM visits"

SHOW CREATE DATABASE shop;
----
Database:String | Create Database:String
"shop" | "CREATE DATABASE IF NOT EXISTS \"shop\"\nWITH(\n  ttl = '1h 30m'\n)"

SHOW CREATE DATABASE nothing;
----
error 4004(400) Database not found: nothing

SHOW VARIABLES time_zone;
----
TIME_ZONE:String
"UTC"

--! timezone=Asia/Kolkata
SHOW VARIABLES time_zone;
----
TIME_ZONE:String
"Asia/Kolkata"

SHOW VARIABLES nothing;
----
error 1001(400) Unsupported show variable NOTHING

SHOW STATUS;
----
Variable_name:String | Value:String

SHOW CHARSET;
----
Charset:String | Description:String | Default collation:String | Maxlen:Int64
"utf8" | "UTF-8 Unicode" | "utf8_bin" | 4

SHOW CHARACTER SET WHERE Charset = 'utf8';
----
Charset:String | Description:String | Default collation:String | Maxlen:Int64
"utf8" | "UTF-8 Unicode" | "utf8_bin" | 4

SHOW COLLATION;
----
Collation:String | Charset:String | Id:Int64 | Default:String | Compiled:String | Sortlen:Int64
"utf8_bin" | "utf8" | 1 | "Yes" | "Yes" | 1

SHOW ENGINES;
----
Engine:String | Support:String | Comment:String | Transactions:String | XA:String | Savepoints:String
"embedded" | "DEFAULT" | "Storage engine for time series, logs and traces" | "NO" | "NO" | "NO"
"metric" | "YES" | "Many tables over one physical table" | "NO" | "NO" | "NO"

SHOW FLOWS;
----
Flows:String

SHOW PROCESSLIST WHERE Id = 'none';
----
Id:String | Catalog:String | Query:String | Elapsed Time:String

SHOW NOTHING;
----
error 1001(400) SHOW NOTHING is not supported

DESC visits;
----
Column:String | Type:String | Key:String | Null:String | Default:String | Semantic Type:String
"site" | "String" | "PRI" | "YES" | "" | "TAG"
"page" | "String" | "" | "YES" | "" | "FIELD"
"n" | "Int64" | "" | "YES" | "5" | "FIELD"
"code" | "Int32" | "" | "YES" | "" | "FIELD"
"id" | "String" | "" | "YES" | "" | "FIELD"
"at" | "TimestampMillisecond" | "PRI" | "NO" | "CURRENT_TIMESTAMP()" | "TIMESTAMP"

DESCRIBE TABLE public.visits;
----
Column:String | Type:String | Key:String | Null:String | Default:String | Semantic Type:String
"site" | "String" | "PRI" | "YES" | "" | "TAG"
"page" | "String" | "" | "YES" | "" | "FIELD"
"n" | "Int64" | "" | "YES" | "5" | "FIELD"
"code" | "Int32" | "" | "YES" | "" | "FIELD"
"id" | "String" | "" | "YES" | "" | "FIELD"
"at" | "TimestampMillisecond" | "PRI" | "NO" | "CURRENT_TIMESTAMP()" | "TIMESTAMP"

DESCRIBE nothing;
----
error 4001(400) Table not found: nothing

DESC "Upper";
----
Column:String | Type:String | Key:String | Null:String | Default:String | Semantic Type:String
"at" | "TimestampMillisecond" | "PRI" | "NO" | "" | "TIMESTAMP"

--! user=wo
SHOW TABLES;
----
error 7006(403) User is not authorized to perform this action

--! user=wo
DESC visits;
----
error 7006(403) User is not authorized to perform this action

-- USE and SET last for the request.
USE shop; CREATE TABLE t (at TIMESTAMP TIME INDEX); SHOW TABLES;
----
(no columns)
--
affected 0
--
Tables_in_shop:String
"t"

SHOW TABLES LIKE 't';
----
Tables_in_public:String

USE nothing;
----
error 1004(400) Failed to find schema, schema info: nothing

USE information_schema; SHOW TABLES LIKE 'engines';
----
(no columns)
--
Tables_in_information_schema:String
"engines"

SET time_zone = '+05:30'; SHOW VARIABLES time_zone; INSERT INTO visits (site, at) VALUES ('zone', '2024-01-01 05:30:00'); SELECT at FROM visits WHERE site = 'zone';
----
affected 0
--
TIME_ZONE:String
"+05:30"
--
affected 1
--
at:TimestampMillisecond
1704067200000

SET TIME ZONE 'Europe/Berlin'; SELECT date_trunc('day', TIMESTAMPTZ '2024-07-01 23:30:00+00') = TIMESTAMPTZ '2024-07-02 00:00:00+02' AS day;
----
affected 0
--
day:Boolean
true

SET time_zone = 'Mars/Olympus';
----
error 1004(400) unknown time zone Mars/Olympus, expected an IANA name such as Europe/Berlin, an offset such as +02:00, or SYSTEM

SET max_memory = 1;
----
error 1001(400) Unsupported set variable MAX_MEMORY

SET SESSION time_zone = 'UTC';
----
affected 0

-- EXPLAIN.
EXPLAIN SELECT count(*) FROM visits;
----
plan_type:String | plan:String
...

EXPLAIN ANALYZE VERBOSE SELECT count(*) FROM visits;
----
stage:UInt32 | node:UInt32 | plan:String
...

EXPLAIN ANALYZE FORMAT JSON SELECT count(*) FROM visits;
----
stage:UInt32 | node:UInt32 | plan:String
...

EXPLAIN DROP TABLE visits;
----
error 1001(400) EXPLAIN takes a query

EXPLAIN SELECT * FROM read_text('/etc/passwd');
----
error 1001(400) function read_text is not allowed: a query reads tables of this server only

-- ADMIN and KILL.
ADMIN flush_table('visits');
----
ADMIN flush_table('visits'):UInt64
0

ADMIN flush_table('public.visits');
----
ADMIN flush_table('public.visits'):UInt64
0

ADMIN flush_table('"Upper"');
----
ADMIN flush_table('"Upper"'):UInt64
0

ADMIN compact_table('visits');
----
ADMIN compact_table('visits'):UInt64
0

ADMIN compact_table('visits', 'regular');
----
ADMIN compact_table('visits', 'regular'):UInt64
0

ADMIN compact_table('visits', 'sideways');
----
error 1004(400) unknown kind of compaction sideways, expected regular or strict_window

ADMIN flush_region(1);
----
ADMIN flush_region(1):UInt64
0

ADMIN compact_region(1);
----
ADMIN compact_region(1):UInt64
0

ADMIN flush_region(4711);
----
error 1004(400) there is no region 4711

ADMIN flush_table('nothing');
----
error 4001(400) Table not found: nothing

ADMIN flush_table();
----
error 1004(400) ADMIN flush_table takes 1 arguments, got 0

ADMIN reboot();
----
error 1001(400) ADMIN reboot is not supported, there are flush, flush_table, compact_table, flush_region, compact_region, flush_flow, kill

ADMIN kill('4711');
----
error 1004(400) no query with the id 4711 is running

KILL 4711;
----
error 1004(400) no query with the id 4711 is running

KILL QUERY '4711';
----
error 1004(400) no query with the id 4711 is running

KILL;
----
error 2000(400) expected the id of a query, found end of statement at line 1, column 5

--! user=ro
ADMIN flush_table('visits');
----
error 7006(403) User is not authorized to perform this action

--! user=ro
KILL 4711;
----
error 7006(403) User is not authorized to perform this action

FROBNICATE;
----
error 1001(400) SQL statement is not supported, keyword: FROBNICATE

;
----
error 1004(400) empty statements

SELECT * FROM svc_private.pipelines;
----
error 4001(400) Failed to plan SQL: Table not found: svc.svc_private.pipelines: the server makes tables of svc_private with their first rows

DROP TABLE IF EXISTS nothing CASCADE; DROP VIEW IF EXISTS nothing RESTRICT; DROP DATABASE IF EXISTS nothing CASCADE;
----
affected 0
--
affected 0
--
affected 0

SHOW TABLE STATUS LIKE 'visi%';
----
Name:String | Engine:String | Version:UInt64 | Row_format:String | Rows:UInt64 | Avg_row_length:UInt64 | Data_length:UInt64 | Max_data_length:UInt64 | Index_length:UInt64 | Data_free:UInt64 | Auto_increment:UInt64 | Create_time:TimestampSecond | Update_time:TimestampSecond | Check_time:TimestampSecond | Collation:String | Checksum:UInt64 | Create_options:String | Comment:String
...

SHOW TABLE STATUS FROM nothing;
----
error 4004(400) Database not found: nothing

SHOW TABLE STATUS WHERE;
----
error 2000(400) SHOW … WHERE needs a condition

-- The columns of a query, which does not run.
DESCRIBE SELECT 1 AS one, 'x' AS x, INTERVAL '1 day' AS i, [1] AS l, now() AS t;
----
Column:String | Type:String | Key:String | Null:String | Default:String | Semantic Type:String
"one" | "Int32" | "" | "YES" | "" | "FIELD"
"x" | "String" | "" | "YES" | "" | "FIELD"
"i" | "IntervalMonthDayNano" | "" | "YES" | "" | "FIELD"
"l" | "List<Int32>" | "" | "YES" | "" | "FIELD"
"t" | "TimestampMicrosecond" | "" | "YES" | "" | "FIELD"

DESC WITH a AS (SELECT 1 AS x) SELECT * FROM a;
----
Column:String | Type:String | Key:String | Null:String | Default:String | Semantic Type:String
"x" | "Int32" | "" | "YES" | "" | "FIELD"

DESCRIBE SELECT nothing FROM nowhere;
----
error 4001(400) Failed to plan SQL: Table not found: svc.public.nowhere

SHOW SESSION VARIABLES LIKE 'time_zone';
----
Variable_name:String | Value:String
"time_zone" | "UTC"

SHOW GLOBAL VARIABLES LIKE 'time_zone';
----
Variable_name:String | Value:String
"time_zone" | "UTC"

-- LIKE compares whole names, case by case, and its text is no pattern of another kind.
SHOW TABLES LIKE '.*';
----
Tables_in_public:String

SHOW TABLES LIKE 'VISITS';
----
Tables_in_public:String

SHOW TABLES LIKE 'it''s "%';
----
Tables_in_public:String

SHOW ENGINES LIKE 'm_t%';
----
Engine:String | Support:String | Comment:String | Transactions:String | XA:String | Savepoints:String
"metric" | "YES" | "Many tables over one physical table" | "NO" | "NO" | "NO"

SHOW CHARSET WHERE Maxlen > 3;
----
Charset:String | Description:String | Default collation:String | Maxlen:Int64
"utf8" | "UTF-8 Unicode" | "utf8_bin" | 4

SHOW FULL PROCESSLIST LIKE 'none';
----
Id:String | Catalog:String | Schemas:String | Query:String | Client:String | Frontend:String | Start Time:TimestampMillisecond | Elapsed Time:String
