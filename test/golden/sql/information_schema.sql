-- What the server tells of itself.
-- Needs a server of its own: it asks for counters of the whole server.

CREATE DATABASE shop WITH (ttl = '7d');
CREATE TABLE shop.visits (site STRING, page STRING FULLTEXT INDEX, n BIGINT UNSIGNED DEFAULT 5 COMMENT 'hits', price DECIMAL(10, 2), f FLOAT, at TIMESTAMP(6) TIME INDEX, PRIMARY KEY (site)) WITH (comment = 'who came', append_mode = 'true');
CREATE VIEW shop.pages AS SELECT page, n FROM visits;
INSERT INTO shop.visits (site, at) VALUES ('a', 1);
----
affected 1
--
affected 0
--
affected 0
--
affected 1

SELECT table_schema, table_name, table_type, engine, version, row_format, table_rows, create_options, table_comment, temporary FROM information_schema.tables WHERE table_schema = 'shop' ORDER BY table_name;
----
table_schema:String | table_name:String | table_type:String | engine:String | version:UInt64 | row_format:String | table_rows:UInt64 | create_options:String | table_comment:String | temporary:String
"shop" | "pages" | "VIEW" | null | 11 | null | null | null | null | "N"
"shop" | "visits" | "BASE TABLE" | "embedded" | 11 | "Fixed" | 1 | "append_mode='true'" | "who came" | "N"

SELECT count(*) > 30 AS many, min(table_type) FROM information_schema.tables WHERE table_schema = 'information_schema';
----
many:Boolean | min(table_type):String
true | "LOCAL TEMPORARY"

SELECT column_name, ordinal_position, column_key, data_type, svc_data_type, semantic_type, column_default, is_nullable, column_comment, numeric_precision, numeric_scale, datetime_precision, character_set_name FROM information_schema.columns WHERE table_name = 'visits' ORDER BY ordinal_position;
----
column_name:String | ordinal_position:Int64 | column_key:String | data_type:String | svc_data_type:String | semantic_type:String | column_default:String | is_nullable:String | column_comment:String | numeric_precision:Int64 | numeric_scale:Int64 | datetime_precision:Int64 | character_set_name:String
"site" | 1 | "PRI" | "string" | "String" | "TAG" | null | "Yes" | null | null | null | null | "utf8"
"page" | 2 | "" | "string" | "String" | "FIELD" | null | "Yes" | null | null | null | null | "utf8"
"n" | 3 | "" | "bigint unsigned" | "UInt64" | "FIELD" | "5" | "Yes" | "hits" | 20 | 0 | null | null
"price" | 4 | "" | "decimal(10, 2)" | "Decimal(10, 2)" | "FIELD" | null | "Yes" | null | 10 | 2 | null | null
"f" | 5 | "" | "float" | "Float32" | "FIELD" | null | "Yes" | null | 12 | null | null | null
"at" | 6 | "TIME INDEX" | "timestamp(6)" | "TimestampMicrosecond" | "TIMESTAMP" | null | "No" | null | null | null | 6 | null

SELECT column_name, svc_data_type FROM information_schema.columns WHERE table_name = 'pages' ORDER BY 2;
----
column_name:String | svc_data_type:String
"page" | "String"
"n" | "UInt64"

SELECT schema_name, options FROM information_schema.schemata ORDER BY schema_name;
----
schema_name:String | options:String
"information_schema" | ""
"public" | ""
"shop" | "ttl='7days'"
"svc_private" | ""

SELECT constraint_name, column_name, ordinal_position FROM information_schema.key_column_usage WHERE table_name = 'visits' ORDER BY 1;
----
constraint_name:String | column_name:String | ordinal_position:UInt32
"FULLTEXT INDEX" | "page" | 1
"PRIMARY" | "site" | 1
"TIME INDEX" | "at" | 1

SELECT constraint_name, constraint_type FROM information_schema.table_constraints WHERE table_name = 'visits' ORDER BY 1;
----
constraint_name:String | constraint_type:String
"PRIMARY" | "PRIMARY KEY"
"TIME INDEX" | "TIME INDEX"

SELECT index_name, column_name, index_type, index_comment FROM information_schema.statistics WHERE table_name = 'visits' ORDER BY 1;
----
index_name:String | column_name:String | index_type:String | index_comment:String
"FULLTEXT INDEX" | "page" | "fulltext" | "analyzer=English, backend=bloom, case_sensitive=false, false_positive_rate=0.01, granularity=10240"
"PRIMARY" | "site" | "primary-key" | ""
"TIME INDEX" | "at" | "time-index" | ""

SELECT table_name, view_definition, security_type FROM information_schema.views;
----
table_name:String | view_definition:String | security_type:String
"pages" | "SELECT page, n FROM visits" | "INVOKER"

SELECT engine, support FROM information_schema.engines ORDER BY 1;
----
engine:String | support:String
"embedded" | "DEFAULT"
"metric" | "YES"

SELECT table_name, partition_name, table_rows, svc_partition_id = (SELECT table_id FROM information_schema.tables t WHERE t.table_name = 'visits') AS same FROM information_schema.partitions WHERE table_schema = 'shop';
----
table_name:String | partition_name:String | table_rows:Int64 | same:Boolean
"visits" | "p0" | 1 | true

SELECT region_role, sst_num, region_rows FROM information_schema.region_statistics;
----
region_role:String | sst_num:UInt64 | region_rows:UInt64
"Leader" | 0 | 1

SELECT is_leader, status FROM information_schema.region_peers;
----
is_leader:String | status:String
"Yes" | "ALIVE"

SELECT table_schema, table_name, region_role FROM information_schema.region_info;
----
table_schema:String | table_name:String | region_role:String
"shop" | "visits" | "Leader"

SELECT length(pkg_version) > 0 AS versioned FROM information_schema.build_info;
----
versioned:Boolean
true

SELECT peer_type, start_time <= now() AS started FROM information_schema.cluster_info;
----
peer_type:String | started:Boolean
"STANDALONE" | true

SELECT count(*) > 10 AS many, max(value) FILTER (WHERE metric_name = 'svc_table_operator_create_table') AS made FROM information_schema.runtime_metrics;
----
many:Boolean | made:Float64
true | 1.0

SELECT count(*), min(schemas) FROM information_schema.process_list;
----
count(*):Int64 | min(schemas):String
1 | "public"

SELECT * FROM information_schema.character_sets;
----
character_set_name:String | default_collate_name:String | description:String | maxlen:Int64
"utf8" | "utf8_bin" | "UTF-8 Unicode" | 4

SELECT * FROM information_schema.flows;
----
flow_name:String | flow_id:UInt32 | table_catalog:String | flow_definition:String | comment:String | expire_after:Int64 | sink_table_name:String | table_schema:String | created_time:TimestampSecond

SELECT * FROM information_schema.triggers;
----
trigger_catalog:String | trigger_schema:String | trigger_name:String | event_manipulation:String | event_object_table:String | action_statement:String

SELECT * FROM information_schema.nothing;
----
error 4001(400) Table not found: svc.information_schema.nothing; it has build_info, character_sets, check_constraints, cluster_info, collation_character_set_applicability, collations, column_privileges, column_statistics, columns, engines, events, files, flows, global_status, key_column_usage, optimizer_trace, parameters, partitions, procedure_info, process_list, profiling, referential_constraints, region_info, region_peers, region_statistics, routines, runtime_metrics, schema_privileges, schemata, session_status, statistics, table_constraints, table_privileges, tables, triggers, views

--! db=information_schema
SELECT table_name FROM tables WHERE table_schema = 'shop' ORDER BY 1;
----
table_name:String
"pages"
"visits"

--! db=information_schema
SHOW TABLES LIKE 'region%';
----
Tables_in_information_schema:String
"region_info"
"region_peers"
"region_statistics"

SELECT table_name FROM INFORMATION_SCHEMA.TABLES WHERE table_schema = 'shop' ORDER BY 1;
----
table_name:String
"pages"
"visits"

INSERT INTO information_schema.tables (table_name) VALUES ('x');
----
error 1001(400) Schema `information_schema` is read-only

DROP TABLE information_schema.tables;
----
error 1001(400) Schema `information_schema` is read-only

CREATE TABLE information_schema.x (at TIMESTAMP TIME INDEX);
----
error 1001(400) Schema `information_schema` is read-only

CREATE VIEW information_schema.x AS SELECT 1;
----
error 1001(400) Schema `information_schema` is read-only

ALTER TABLE information_schema.tables ADD COLUMN x INT;
----
error 1001(400) Schema `information_schema` is read-only

TRUNCATE TABLE information_schema.tables;
----
error 1001(400) Schema `information_schema` is read-only

ALTER DATABASE information_schema SET 'ttl' = '1d';
----
error 1001(400) Schema `information_schema` is read-only

DROP DATABASE information_schema;
----
error 1001(400) Schema `information_schema` is read-only

--! user=wo
SELECT * FROM information_schema.tables;
----
error 7006(403) User is not authorized to perform this action

--! user=ro
SELECT count(*) FROM information_schema.tables WHERE table_schema = 'shop';
----
count(*):Int64
2
