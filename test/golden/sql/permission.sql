-- Who may do what: the right is asked for before anything is said of what a statement names.

CREATE TABLE h (v BIGINT, at TIMESTAMP(3) TIME INDEX);
----
affected 0

--! user=ro
DROP TABLE IF EXISTS nope;
----
error 7006(403) User is not authorized to perform this action

--! user=ro
DROP TABLE nope;
----
error 7006(403) User is not authorized to perform this action

--! user=ro
CREATE TABLE IF NOT EXISTS h (at TIMESTAMP TIME INDEX);
----
error 7006(403) User is not authorized to perform this action

--! user=ro
CREATE TABLE nope LIKE nothing;
----
error 7006(403) User is not authorized to perform this action

--! user=ro
DROP VIEW IF EXISTS nope;
----
error 7006(403) User is not authorized to perform this action

--! user=ro
DROP DATABASE IF EXISTS nope;
----
error 7006(403) User is not authorized to perform this action

--! user=ro
CREATE DATABASE IF NOT EXISTS public;
----
error 7006(403) User is not authorized to perform this action

--! user=ro
ALTER DATABASE nope SET 'ttl' = '1d';
----
error 7006(403) User is not authorized to perform this action

--! user=ro
ALTER TABLE nope ADD COLUMN x INT;
----
error 7006(403) User is not authorized to perform this action

--! user=ro
TRUNCATE TABLE nope;
----
error 7006(403) User is not authorized to perform this action

--! user=ro
DELETE FROM nope;
----
error 7006(403) User is not authorized to perform this action

--! user=ro
INSERT INTO nope SELECT 1;
----
error 7006(403) User is not authorized to perform this action

--! user=ro
COPY nope TO 'x.csv';
----
error 7006(403) User is not authorized to perform this action

--! user=ro
COPY nope FROM 'x.csv';
----
error 7006(403) User is not authorized to perform this action

--! user=ro
ADMIN flush_table('nope');
----
error 7006(403) User is not authorized to perform this action

--! user=wo
SELECT * FROM nope;
----
error 7006(403) User is not authorized to perform this action

--! user=wo
SELECT * FROM information_schema.nope;
----
error 7006(403) User is not authorized to perform this action

--! user=wo
EXPLAIN SELECT * FROM nope;
----
error 7006(403) User is not authorized to perform this action

--! user=wo
DESCRIBE nope;
----
error 7006(403) User is not authorized to perform this action

--! user=wo
SHOW CREATE TABLE nope;
----
error 7006(403) User is not authorized to perform this action

--! user=wo
TQL EVAL (0, 1, 1) nope;
----
error 7006(403) User is not authorized to perform this action

--! user=wo
COPY (SELECT * FROM nope) TO 'x.csv';
----
error 7006(403) User is not authorized to perform this action

--! user=wo
INSERT INTO h SELECT * FROM nope;
----
error 7006(403) User is not authorized to perform this action

--! user=wo
INSERT INTO h VALUES ((SELECT max(v) FROM nope), 1);
----
error 7006(403) User is not authorized to perform this action

--! user=wo
DELETE FROM h WHERE at IN (SELECT at FROM nope);
----
error 7006(403) User is not authorized to perform this action

--! user=wo
INSERT INTO h VALUES (1 + 1, 1);
----
affected 1

--! user=wo
DELETE FROM h WHERE v = 2;
----
error 7006(403) User is not authorized to perform this action

--! user=wo
DELETE FROM h WHERE error(v);
----
error 7006(403) User is not authorized to perform this action

CREATE TABLE secret (at TIMESTAMP TIME INDEX, word STRING);
INSERT INTO secret VALUES (1, 'swordfish');
----
affected 0
--
affected 1

--! user=wo
ALTER TABLE secret MODIFY COLUMN word BIGINT;
----
error 1004(400) Error in a value of the statement or of a table; what it is, only users are told who may read

ALTER TABLE secret MODIFY COLUMN word BIGINT;
----
error 1004(400) column word of table secret cannot become BIGINT: 1 of its values do not convert, for example "swordfish"

-- Whoever may read or write may say in which database and zone.
--! user=ro
USE public; SET TIME ZONE '+08:00'; SELECT count(*) AS n FROM h WHERE at = '1970-01-01 08:00:00'; SHOW VARIABLES time_zone;
----
(no columns)
--
affected 0
--
n:Int64
0
--
TIME_ZONE:String
"+08:00"

--! user=wo
USE public; SET time_zone = '+08:00'; INSERT INTO h VALUES (1, '1970-01-01 08:00:00');
----
(no columns)
--
affected 0
--
affected 1

--! user=ro
USE nope;
----
error 1004(400) Failed to find schema, schema info: nope

--! user=ro
USE public; SELECT count(*) AS n FROM h WHERE at = '1970-01-01 00:00:00'; USE information_schema; DROP TABLE tables;
----
error 7006(403) User is not authorized to perform this action

