-- A column that got another type is the column of that name everywhere.
CREATE TABLE a (host STRING, v INT, at TIMESTAMP(3) TIME INDEX, PRIMARY KEY (host));
CREATE TABLE b (host STRING, v BIGINT, at TIMESTAMP(3) TIME INDEX, PRIMARY KEY (host));
INSERT INTO a VALUES ('x', 1, 1), ('y', 2, 2);
INSERT INTO b VALUES ('x', 1, 1), ('y', 3, 2);
ALTER TABLE a MODIFY COLUMN v BIGINT;
----
affected 0
--
affected 0
--
affected 2
--
affected 2
--
affected 0

SELECT count(*) FROM a NATURAL JOIN b;
----
count(*):Int64
1

SELECT * FROM a NATURAL JOIN b;
----
host:String | v:Int64 | at:TimestampMillisecond
"x" | 1 | 1

SELECT v, a.host FROM a JOIN b USING (v);
----
v:Int64 | host:String
1 | "x"

SELECT * FROM a JOIN b USING (v, host) WHERE v = 1;
----
host:String | v:Int64 | at:TimestampMillisecond | at:TimestampMillisecond
"x" | 1 | 1 | 1

SELECT v FROM a UNION SELECT v FROM b ORDER BY v;
----
v:Int64
1
2
3

SELECT * FROM a UNION ALL BY NAME SELECT v, host FROM b ORDER BY v, host, at;
----
host:String | v:Int64 | at:TimestampMillisecond
"x" | 1 | 1
"x" | 1 | null
"y" | 2 | 2
"y" | 3 | null

SELECT a.v AS v, b.v AS w FROM a JOIN b ON a.host = b.host ORDER BY v, w;
----
v:Int64 | w:Int64
1 | 1
2 | 3

SELECT sum(v) AS v FROM a GROUP BY host HAVING sum(v) > 1;
----
v:Int64
2

SELECT v + 1 AS v FROM a ORDER BY v DESC;
----
v:Int64
3
2

SELECT x.v FROM (SELECT v FROM a) x, b WHERE x.v = b.v;
----
v:Int64
1

SELECT a FROM a WHERE v = 2;
----
a:Struct<host: String, v: Int64, at: TimestampMillisecond>
{"host":"y","v":2,"at":2}

SELECT * EXCLUDE (v) FROM a ORDER BY ALL;
----
host:String | at:TimestampMillisecond
"x" | 1
"y" | 2

SELECT * REPLACE (v * 2 AS v) FROM a ORDER BY v;
----
host:String | v:Int64 | at:TimestampMillisecond
"x" | 2 | 1
"y" | 4 | 2

SELECT COLUMNS('v') FROM a ORDER BY 1;
----
v:Int64
1
2

SELECT t.q FROM a AS t(p, q, r) WHERE q > 1;
----
q:Int64
2

WITH a AS (SELECT v FROM a) SELECT max(v) FROM a;
----
max(v):Int64
2

SELECT v::TINYINT + 300 FROM a WHERE w = 1;
----
error 3000(400) Failed to plan SQL: No field named w at line 1, column 38. Valid fields are "host", "v", "at"

SELECT sum(v, 1, 2) FROM a;
----
error 3000(400) Failed to plan SQL: there is no sum(BIGINT, INT, INT) at line 1, column 8. There are: sum(DECIMAL) -> DECIMAL sum(BOOLEAN) -> HUGEINT sum(SMALLINT) -> HUGEINT sum(INT) -> HUGEINT sum(BIGINT) -> HUGEINT sum(HUGEINT) -> HUGEINT sum(DOUBLE) -> DOUBLE sum(BIGNUM) -> BIGNUM

SELECT v FROM a WHERE v = 'text';
----
error 3000(400) Failed to plan SQL: 'text' is not a valid BIGINT at line 1, column 27

CREATE VIEW av AS SELECT * FROM a;
SELECT v FROM av WHERE v > 1;
----
affected 0
--
v:Int64
2

DELETE FROM a WHERE v = 1;
----
affected 1

INSERT INTO b SELECT host, v * 10, at FROM a;
----
affected 1

SELECT v FROM b ORDER BY v;
----
v:Int64
1
20

-- Names that differ in case only are different names.
CREATE TABLE c ("Host" STRING, host STRING, at TIMESTAMP(3) TIME INDEX, PRIMARY KEY ("Host"));
CREATE TABLE d ("HOST" STRING, "Host" STRING, at TIMESTAMP(3) TIME INDEX, PRIMARY KEY ("Host"));
INSERT INTO c VALUES ('A', 'b', 1);
INSERT INTO d VALUES ('C', 'A', 1);
----
affected 0
--
affected 0
--
affected 1
--
affected 1

SELECT "Host", host, Host FROM c;
----
Host:String | host:String | host:String
"A" | "b" | "b"

SELECT * FROM c;
----
Host:String | host:String | at:TimestampMillisecond
"A" | "b" | 1

SELECT * FROM c NATURAL JOIN d;
----
Host:String | host:String | at:TimestampMillisecond | HOST:String
"A" | "b" | 1 | "C"

SELECT c.host, d."HOST" FROM c JOIN d USING ("Host");
----
host:String | HOST:String
"b" | "C"

SELECT "Host" AS host, host AS "Host" FROM c;
----
host:String | Host:String
"A" | "b"

SELECT x."Host" FROM (SELECT host AS "Host", "Host" AS host FROM c) x;
----
Host:String
"b"

SELECT "HOST" FROM c;
----
error 3000(400) Failed to plan SQL: No field named HOST; did you mean "Host" or "host" (quotes keep upper case)?

SELECT * EXCLUDE ("Host") FROM c;
----
host:String | at:TimestampMillisecond
"b" | 1

SELECT "Host" FROM d WHERE hOst = 'A';
----
error 3000(400) Failed to plan SQL: No field named host; did you mean "HOST" or "Host" (quotes keep upper case)?

SELECT upper(c."Host") || lower(host) AS "HOST" FROM c ORDER BY "HOST";
----
HOST:String
"Ab"


-- A decimal may get more digits behind its point, and not fewer.
CREATE TABLE prices (p DECIMAL(10, 2), ts TIMESTAMP TIME INDEX); INSERT INTO prices VALUES (1.25, 1); ALTER TABLE prices MODIFY COLUMN p DECIMAL(12, 4); SELECT p FROM prices;
----
affected 0
--
affected 1
--
affected 0
--
p:Decimal(12, 4)
"1.2500"

ALTER TABLE prices MODIFY COLUMN p DECIMAL(12, 3);
----
error 1004(400) column p of table prices cannot change from DECIMAL(12, 4) to DECIMAL(12, 3): values would be lost

ALTER TABLE prices MODIFY COLUMN p DECIMAL(5, 4); INSERT INTO prices VALUES (10, 2);
----
error 2000(400) Failed to parse value: row 1, column p: 10 is not a valid Decimal(5, 4)

ALTER TABLE prices MODIFY COLUMN p DECIMAL(4, 4);
----
error 1004(400) column p of table prices cannot become DECIMAL(4, 4): 1 of its values do not convert, for example "1.2500"
