-- What a statement may ask of the server, the user and the database.
CREATE TABLE t (v INT, at TIMESTAMP(3) TIME INDEX);
INSERT INTO t VALUES (1, 1);
----
affected 0
--
affected 1

SELECT version() = pkg_version AS ours FROM information_schema.build_info;
----
ours:Boolean
true

SELECT database(), current_database(), schema(), current_schema();
----
database():String | current_database():String | schema():String | current_schema():String
"public" | "public" | "public" | "public"

--! db=information_schema
SELECT DATABASE() AS db;
----
db:String
"information_schema"

SELECT current_user, session_user, user(), upper(current_user) AS loud FROM t;
----
current_user:String | session_user:String | user():String | loud:String
"rw" | "rw" | "rw" | "RW"

--! user=ro
SELECT current_user AS me, current_schema, current_catalog;
----
me:String | current_schema:String | current_catalog:String
"ro" | "public" | "svc"

SELECT v FROM t WHERE current_user = 'rw' AND current_database() = 'public';
----
v:Int32
1

-- A column of that name is a column.
SELECT user FROM (SELECT 'x' AS user) s;
----
user:String
"x"

SELECT current_database('x');
----
error 1001(400) function current_database is not allowed: a query reads tables of this server only at line 1, column 8

--! timezone=Asia/Tokyo
SHOW VARIABLES system_time_zone;
----
SYSTEM_TIME_ZONE:String
"UTC"

--! timezone=Asia/Tokyo
SHOW VARIABLES time_zone;
----
TIME_ZONE:String
"Asia/Tokyo"


SELECT current_timestamp IS NULL, current_timestamp = now() AS same, CURRENT_TIMESTAMP > '2026-01-01' AS late, current_timestamp - INTERVAL '1 day' < now() AS before FROM t;
----
current_timestamp is null:Boolean | same:Boolean | late:Boolean | before:Boolean
false | true | true | true

SELECT count(*) AS n FROM (SELECT current_timestamp, current_date, localtimestamp, v FROM t WHERE at < current_timestamp ORDER BY current_timestamp);
----
n:Int64
1

SELECT "current_timestamp" FROM (SELECT 5 AS current_timestamp);
----
current_timestamp:Int32
5
