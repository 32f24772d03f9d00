-- What is wrong is said in the words of the user: names, types and places as they were written. Statements of three kinds of users.
CREATE TABLE cpu (host STRING, "Host" STRING, region STRING, ts TIMESTAMP(3) TIME INDEX, usage DOUBLE, n BIGINT, u BIGINT UNSIGNED, ok BOOLEAN, doc JSON, PRIMARY KEY (host, region));
CREATE TABLE mem (host STRING, ts TIMESTAMP(9) TIME INDEX, used DOUBLE, PRIMARY KEY (host));
INSERT INTO cpu VALUES ('a', 'A', 'eu', 1000, 1.5, 1, 100, true, '{"x":1}'), ('b', 'B', 'us', 4000, 2.5, 4, 1, false, '{"x":2}');
INSERT INTO mem VALUES ('a', 1000000000, 5);
----
affected 0
--
affected 0
--
affected 2
--
affected 1

SELECT FROM;
----
error 2000(400) expected an expression, found FROM at line 1, column 8

SELEC 1;
----
error 1001(400) SQL statement is not supported, keyword: SELEC

SELECT * FROM;
----
error 2000(400) expected identifier, found end of statement at line 1, column 14

SELECT hots FROM cpu;
----
error 3000(400) Failed to plan SQL: No field named hots at line 1, column 8, did you mean host? Valid fields are "host", "Host", "region", "ts", "usage", "n", "u", "ok", "doc"

SELECT c.hots FROM cpu c;
----
error 3000(400) Failed to plan SQL: No field named hots at line 1, column 8, did you mean host? Valid fields are "host", "Host", "region", "ts", "usage", "n", "u", "ok", "doc"

SELECT x.host FROM cpu c;
----
error 3000(400) Failed to plan SQL: No table named x, there are "c" at line 1, column 8

SELECT host FROM cpu, mem;
----
error 3000(400) Failed to plan SQL: Ambiguous reference to column name "host" (use: "cpu.host" or "mem.host") at line 1, column 8

SELECT host FROM cpu JOIN mem USING (hosty);
----
error 3000(400) Failed to plan SQL: No field named hosty at line 1, column 38, did you mean host? Valid fields are "host", "Host", "region", "ts", "usage", "n", "u", "ok", "doc", "used"

SELECT host FROM cpu JOIN mem ON cpu.hosty = mem.host;
----
error 3000(400) Failed to plan SQL: No field named hosty at line 1, column 34, did you mean host? Valid fields are "host", "Host", "region", "ts", "usage", "n", "u", "ok", "doc"

SELECT count(usage FROM cpu;
----
error 2000(400) expected ), found FROM at line 1, column 20

SELECT host, avg(usage) FROM cpu;
----
error 3000(400) Failed to plan SQL: column "host" must appear in the GROUP BY clause or must be part of an aggregate function at line 1, column 8. Either add it to the GROUP BY list, or use "ANY_VALUE(host)" if the exact value of "host" is not important.

SELECT host, avg(usage) FROM cpu GROUP BY regoin;
----
error 3000(400) Failed to plan SQL: No field named regoin at line 1, column 43, did you mean region? Valid fields are "host", "Host", "region", "ts", "usage", "n", "u", "ok", "doc"

SELECT avg(host) FROM cpu;
----
error 3000(400) Failed to plan SQL: there is no avg(STRING) at line 1, column 8. There are: avg(DECIMAL) -> DECIMAL avg(SMALLINT) -> DOUBLE avg(INT) -> DOUBLE avg(BIGINT) -> DOUBLE avg(HUGEINT) -> DOUBLE avg(INTERVAL) -> INTERVAL avg(DOUBLE) -> DOUBLE avg(TIMESTAMP(6)) -> TIMESTAMP(6) avg(TIMESTAMP WITH TIME ZONE) -> TIMESTAMP WITH TIME ZONE avg(TIME) -> TIME avg(TIME WITH TIME ZONE) -> TIME WITH TIME ZONE

SELECT sum(host) FROM cpu;
----
error 3000(400) Failed to plan SQL: there is no sum(STRING) at line 1, column 8. There are: sum(DECIMAL) -> DECIMAL sum(BOOLEAN) -> HUGEINT sum(SMALLINT) -> HUGEINT sum(INT) -> HUGEINT sum(BIGINT) -> HUGEINT sum(HUGEINT) -> HUGEINT sum(DOUBLE) -> DOUBLE sum(BIGNUM) -> BIGNUM

SELECT usage + host FROM cpu;
----
error 3000(400) Failed to plan SQL: there is no +(DOUBLE, STRING) at line 1, column 14

SELECT * FROM cpu WHERE usage = 'abc';
----
error 3000(400) Failed to plan SQL: 'abc' is not a valid DOUBLE at line 1, column 33

SELECT * FROM cpu WHERE ts > 'yesterday';
----
error 3000(400) Failed to plan SQL: 'yesterday' is not a time at line 1, column 30

SELECT * FROM cpu WHERE ts > now() - interval '1 foo';
----
error 3000(400) Failed to plan SQL: a time has no part "foo"

SELECT * FROM cpu WHERE ts > now() - 5m;
----
error 2000(400) 5m is not a value: a duration is written INTERVAL '5 minutes' at line 1, column 38

SELECT date_bin(INTERVAL '5 minute') FROM cpu;
----
error 3000(400) Failed to plan SQL: date_bin does not take these arguments at line 1, column 8. There are: date_bin(i, t) date_bin(i, t, origin)

SELECT date_bin(5, ts) FROM cpu;
----
error 3000(400) Failed to plan SQL: date_bin: no function of this call takes (INT, TIMESTAMP(3), TIMESTAMP(6)) at line 1, column 8

SELECT date_trunc('minut', ts) FROM cpu;
----
error 3000(400) Failed to plan SQL: a time has no part "minut" at line 1, column 19

SELECT usage FROM cpu ALIGN '1m';
----
error 2000(400) ALIGN needs an aggregate with a RANGE, such as max(x) RANGE '5m'; for other shapes of query group by date_bin at line 1, column 8

SELECT date_bin_gapfill(INTERVAL '1 second', ts) AS t, avg(usage) FROM cpu GROUP BY t;
----
error 2000(400) date_bin_gapfill needs a lower and an upper bound of ts in the WHERE, such as ts >= … AND ts < … at line 1, column 8

SELECT date_bin_gapfill(INTERVAL '1 second', ts) AS t, interpolate(host) FROM cpu WHERE ts >= 0 AND ts < 5000 GROUP BY t;
----
error 3000(400) Failed to plan SQL: column "host" must appear in the GROUP BY clause or must be part of an aggregate function at line 1, column 68. Either add it to the GROUP BY list, or use "ANY_VALUE(host)" if the exact value of "host" is not important.

SELECT date_bin_gapfill(INTERVAL '1 second', ts) AS t, interpolate(max(host)) FROM cpu WHERE ts >= 0 AND ts < 5000 GROUP BY t;
----
error 3000(400) Failed to plan SQL: 'a' is not a valid DOUBLE at line 1, column 1

SELECT interpolate(usage) FROM cpu;
----
error 2000(400) interpolate goes with a date_bin_gapfill in the GROUP BY at line 1, column 8

SELECT locf(avg(usage)) FROM cpu;
----
error 2000(400) locf goes with a date_bin_gapfill in the GROUP BY at line 1, column 8

SELECT selector_first(usage) FROM cpu;
----
error 3000(400) Failed to plan SQL: selector_first does not take these arguments at line 1, column 8. There are: selector_first(v, t)

SELECT selector_foo(usage, ts) FROM cpu;
----
error 3000(400) Failed to plan SQL: there is no function selector_foo at line 1, column 8. Did you mean selector_min?

SELECT mean(usage) FROM cpu GROUP BY time(1m);
----
error 2000(400) 1m is not a value: a duration is written INTERVAL '5 minutes' at line 1, column 43

SELECT * FROM "cpu" WHERE time > now() - 1h;
----
error 2000(400) 1h is not a value: a duration is written INTERVAL '5 minutes' at line 1, column 42

SELECT tz(ts, 'Mars/Base') FROM cpu;
----
error 3000(400) Failed to plan SQL: Unknown TimeZone 'Mars/Base' at line 1, column 15

SELECT ts AT TIME ZONE 'Nowhere' FROM cpu;
----
error 3000(400) Failed to plan SQL: Unknown TimeZone 'Nowhere' at line 1, column 24

DELETE FROM cpu WHERE usagee > 1;
----
error 3000(400) Failed to plan SQL: No field named usagee at line 1, column 23, did you mean usage? Valid fields are "host", "Host", "region", "ts", "usage", "n", "u", "ok", "doc"

DELETE FROM nope WHERE host = 'a';
----
error 4001(400) Table not found: svc.public.nope

INSERT INTO cpu (host, tss) VALUES ('a', 1);
----
error 4002(400) Column tss not exists in table cpu

INSERT INTO cpu (host, ts) VALUES ('a');
----
error 1004(400) Invalid SQL, error: column count mismatch, columns: 2, values: 1

INSERT INTO cpu (host, ts) VALUES ('a', 'abc');
----
error 2000(400) Failed to parse value: row 1, column ts: abc is not a valid TimestampMillisecond

INSERT INTO cpu (host, ts, usage) VALUES ('a', 1, 'abc');
----
error 2000(400) Failed to parse value: row 1, column usage: abc is not a valid Float64

INSERT INTO cpu (host, ts, n) VALUES ('a', 1, 1.5);
----
error 2000(400) Failed to parse value: row 1, column n: 1.5 is not a valid Int64

INSERT INTO cpu (host) VALUES ('a');
----
error 1004(400) column ts is the time index and must be given

INSERT INTO cpu (host, ts) VALUES ('a', 1) ON CONFLICT DO NOTHING;
----
error 1001(400) ON CONFLICT is not supported: a row replaces the one with the same tags and time

INSERT INTO cpu (host, ts) VALUES ('a', 1) RETURNING *;
----
error 1001(400) RETURNING is not supported: ask for the rows with a SELECT

INSERT INTO cpu SELECT 1;
----
error 1004(400) Invalid SQL, error: column count mismatch, columns: 9, values: 1

CREATE TABLE x (a INT);
----
error 2000(400) Missing time index constraint

CREATE TABLE x (a INTT, ts TIMESTAMP TIME INDEX);
----
error 1001(400) data type INTT is not supported

CREATE TABLE x (a SERIAL PRIMARY KEY);
----
error 1001(400) data type SERIAL is not supported

CREATE TABLE cpu (ts TIMESTAMP TIME INDEX);
----
error 4000(400) Table already exists: `svc.public.cpu`

CREATE TABLE x (ts TIMESTAMP TIME INDEX, PRIMARY KEY (nope));
----
error 1004(400) column nope of a constraint is not defined

ALTER TABLE cpu ADD COLUMN host STRING;
----
error 4003(400) Column host already exists in table cpu

ALTER TABLE cpu DROP COLUMN nope;
----
error 4002(400) Column nope not exists in table cpu

ALTER TABLE cpu RENAME COLUMN host TO h;
----
error 1001(400) columns keep their names: a view may give them others

SELECT * FROM nope;
----
error 4001(400) Failed to plan SQL: Table not found: svc.public.nope

SELECT * FROM nodb.cpu;
----
error 4004(400) Database not found: nodb

SELECT * FROM pg_catalog.pg_class;
----
error 4004(400) Database not found: pg_catalog

SELECT pg_sleep(1);
----
error 1001(400) function pg_sleep is not allowed: a query reads tables of this server only at line 1, column 8

SELECT nofunc(1);
----
error 3000(400) Failed to plan SQL: there is no function nofunc at line 1, column 8

SELECT lenght('a');
----
error 3000(400) Failed to plan SQL: there is no function lenght at line 1, column 8. Did you mean length?

SELECT length(1, 2, 3);
----
error 3000(400) Failed to plan SQL: there is no length(INT, INT, INT) at line 1, column 8. There are: length(STRING) -> BIGINT length(BIT) -> BIGINT length(ANY[]) -> BIGINT

SELECT round('a');
----
error 3000(400) Failed to plan SQL: round(STRING) may mean several functions, cast its arguments at line 1, column 8. There are: round(SMALLINT) -> SMALLINT round(INT) -> INT round(BIGINT) -> BIGINT round(HUGEINT) -> HUGEINT round(FLOAT) -> FLOAT round(DOUBLE) -> DOUBLE round(TINYINT) -> TINYINT

SELECT CAST('abc' AS INT);
----
error 3000(400) Failed to plan SQL: 'abc' is not a valid INT at line 1, column 13

SELECT CAST(host AS INT) FROM cpu;
----
error 3000(400) Failed to plan SQL: 'a' is not a valid INT, a value of host at line 1, column 8

SELECT '{"a":1}'::hstore;
----
error 3000(400) Failed to plan SQL: there is no type hstore at line 1, column 19. Did you mean "short"?

SELECT doc->>'x' + 1 FROM cpu;
----
error 3000(400) Failed to plan SQL: there is no +(STRING, INT) at line 1, column 18

SELECT json_get_int(doc) FROM cpu;
----
error 3000(400) Failed to plan SQL: json_get_int does not take these arguments at line 1, column 8. There are: json_get_int(j, p)

SELECT 9223372036854775807 + 1;
----
error 3000(400) Failed to plan SQL: Overflow in addition of BIGINT (9223372036854775807 + 1)

SELECT sum(n) OVER (PARTITION BY hostt) FROM cpu;
----
error 3000(400) Failed to plan SQL: No field named hostt at line 1, column 34, did you mean host? Valid fields are "host", "Host", "region", "ts", "usage", "n", "u", "ok", "doc"

SELECT row_number() FROM cpu;
----
error 3000(400) Failed to plan SQL: row_number cannot be called like this at line 1, column 8

SELECT * FROM cpu ORDER BY nope;
----
error 3000(400) Failed to plan SQL: No field named nope at line 1, column 28. Valid fields are "host", "Host", "region", "ts", "usage", "n", "u", "ok", "doc"

SELECT * FROM cpu ORDER BY 42;
----
error 3000(400) Failed to plan SQL: ORDER term out of range - should be between 1 and 9 at line 1, column 28

SELECT * FROM cpu LIMIT -1;
----
error 3000(400) Failed to plan SQL: LIMIT/OFFSET cannot be negative at line 1, column 25

SELECT * FROM cpu LIMIT 'x';
----
error 3000(400) Failed to plan SQL: 'x' is not a valid BIGINT at line 1, column 25

SELECT host FROM cpu UNION SELECT host, ts FROM mem;
----
error 3000(400) Failed to plan SQL: the queries differ in the number of their columns at line 1, column 22

SELECT (SELECT host, ts FROM mem);
----
error 3000(400) Failed to plan SQL: Subquery returns 2 columns - expected 1 at line 1, column 8

SELECT * FROM cpu WHERE host IN (SELECT host, ts FROM mem);
----
error 3000(400) Failed to plan SQL: Subquery returns 2 columns - expected 1 at line 1, column 30

SELECT * FROM cpu WHERE host;
----
error 3000(400) Failed to plan SQL: 'a' is not a valid BOOLEAN, a value of host at line 1, column 25

SELECT * FROM cpu HAVING usage > 1;
----
error 3000(400) Failed to plan SQL: column usage must appear in the GROUP BY clause or be used in an aggregate function

SELECT max(avg(usage)) FROM cpu;
----
error 3000(400) Failed to plan SQL: avg: aggregate function calls cannot be nested at line 1, column 12

SELECT host AS h FROM cpu WHERE avg(usage) > 1;
----
error 3000(400) Failed to plan SQL: avg: WHERE clause cannot contain aggregates at line 1, column 33

WITH a AS (SELECT 1) SELECT * FROM b;
----
error 4001(400) Failed to plan SQL: Table not found: svc.public.b

SELECT * EXCLUDE (nope) FROM cpu;
----
error 3000(400) Failed to plan SQL: No field named nope at line 1, column 19. Valid fields are "host", "Host", "region", "ts", "usage", "n", "u", "ok", "doc"

SELECT * REPLACE (1 AS nope) FROM cpu;
----
error 3000(400) Failed to plan SQL: No field named nope at line 1, column 24.

SELECT * RENAME (nope AS x) FROM cpu;
----
error 3000(400) Failed to plan SQL: No field named nope at line 1, column 18. Valid fields are "host", "Host", "region", "ts", "usage", "n", "u", "ok", "doc"

PIVOT cpu ON nope USING sum(usage);
----
error 3000(400) Failed to plan SQL: No field named nope at line 1, column 14. Valid fields are "host", "Host", "region", "ts", "usage", "n", "u", "ok", "doc"

PIVOT cpu ON region USING;
----
error 2000(400) expected an aggregate, found end of statement at line 1, column 26

SELECT host FROM cpu WHERE host = "a";
----
error 3000(400) Failed to plan SQL: No field named a at line 1, column 35. Valid fields are "host", "Host", "region", "ts", "usage", "n", "u", "ok", "doc"

SELECT host FROM cpu WHERE host == 'a' AND;
----
error 2000(400) expected an expression, found end of statement at line 1, column 43

SELECT CASE WHEN 1 THEN 2;
----
error 2000(400) expected the end of the statement, found 1 at line 1, column 18

SELECT * FROM cpu WHERE usage BETWEEN 1;
----
error 2000(400) expected AND, found end of statement at line 1, column 40

SELECT [1, 2;
----
error 2000(400) expected ], found end of statement at line 1, column 13

SELECT {'a': 1;
----
error 2000(400) expected }, found end of statement at line 1, column 15

SELECT 1 1;
----
error 2000(400) expected the end of the statement, found 1 at line 1, column 10

SELECT 1,,2;
----
error 2000(400) expected an expression, found , at line 1, column 10

SELECT host, FROM cpu WHERE;
----
error 2000(400) expected an expression, found end of statement at line 1, column 28

SELECT * FROM cpu c JOIN mem m;
----
error 2000(400) syntax error at end of input at line 1, column 30

SELECT * FROM generate_serie(1, 2);
----
error 3000(400) Failed to plan SQL: there is no table function generate_serie at line 1, column 15. Did you mean generate_series?

SELECT * FROM read_csv('x');
----
error 1001(400) table function read_csv is not allowed: a query reads tables of this server only at line 1, column 15

SELECT EXTRACT(foo FROM ts) FROM cpu;
----
error 2000(400) expected date/time field, found foo at line 1, column 16

SELECT interval '5 minutes' > 3;
----
error 3000(400) Failed to plan SQL: INTERVAL and INT do not compare, cast one of them at line 1, column 29

SELECT regexp_replace(host, '(', 'x') FROM cpu;
----
error 3000(400) Failed to plan SQL: the regular expression ( is wrong: missing ) at line 1, column 29

SELECT regexp_like(host, '[') FROM cpu;
----
error 3000(400) Failed to plan SQL: the regular expression [ is wrong: missing ] at line 1, column 26

SELECT matches(host) FROM cpu;
----
error 1004(400) matches takes a text and what to search it for, a constant: matches(message, 'error AND "connection reset"')

SELECT matches(usage, 'x') FROM cpu;
----
error 1004(400) matches searches text, column usage is DOUBLE

SELECT first_value(usage) FROM cpu GROUP BY;
----
error 2000(400) expected an expression, found end of statement at line 1, column 44

SELECT approx_percentile_cont(usage, 2) FROM cpu;
----
error 3000(400) Failed to plan SQL: APPROXIMATE QUANTILE can only take parameters in range [0, 1]

SELECT quantile_cont(usage, 'a') FROM cpu;
----
error 3000(400) Failed to plan SQL: there is no quantile_cont(DOUBLE, STRING) at line 1, column 8

SELECT to_timestamp('abc');
----
error 3000(400) Failed to plan SQL: 'abc' is not a time: expected YYYY-MM-DD HH:MM:SS[.US][±HH[:MM[:SS]]| ZONE] at line 1, column 21

SELECT to_timestamp_millis('abc');
----
error 3000(400) Failed to plan SQL: 'abc' is not a time: expected YYYY-MM-DD HH:MM:SS[.US][±HH[:MM[:SS]]| ZONE] at line 1, column 28

SELECT date_format(ts, 5) FROM cpu;
----
error 3000(400) Failed to plan SQL: date_format: no function of this call takes (TIMESTAMP(3), INT) at line 1, column 8

SELECT ts + 5 FROM cpu;
----
error 3000(400) Failed to plan SQL: there is no +(TIMESTAMP(3), INT) at line 1, column 11

SELECT ts - 'x' FROM cpu;
----
error 3000(400) Failed to plan SQL: -(TIMESTAMP(3), STRING) may mean several functions, cast its arguments at line 1, column 11. There are: -(TIMESTAMP(6), INTERVAL) -> TIMESTAMP(6) -(TIMESTAMP(6), TIMESTAMP(6)) -> INTERVAL

SELECT * FROM cpu WHERE ts = true;
----
error 3000(400) Failed to plan SQL: no BOOLEAN becomes a TIMESTAMP(3)

SELECT host || FROM cpu;
----
error 2000(400) syntax error at cpu at line 1, column 21

SELECT not FROM cpu;
----
error 2000(400) syntax error at FROM at line 1, column 12

CREATE FLOW f SINK TO s AS SELECT 1;
----
error 1004(400) CREATE FLOW: the query of a flow is a SELECT … FROM one table … GROUP BY date_bin(…)

CREATE VIEW vv AS SELECT nope FROM cpu;
----
error 3000(400) Failed to plan SQL: No field named nope at line 1, column 26. Valid fields are "host", "Host", "region", "ts", "usage", "n", "u", "ok", "doc"

EXPLAIN SELECT nope FROM cpu;
----
error 3000(400) Failed to plan SQL: No field named nope at line 1, column 16. Valid fields are "host", "Host", "region", "ts", "usage", "n", "u", "ok", "doc"

-- What the server writes around a value has no name in its errors.
CREATE TABLE when_text (v STRING, w STRING, ts TIMESTAMP(3) TIME INDEX);
INSERT INTO when_text VALUES ('never', '2024-13-01', 1);
----
affected 0
--
affected 1

SELECT v::TIMESTAMP FROM when_text;
----
error 3000(400) Failed to plan SQL: 'never' is not a time: expected YYYY-MM-DD HH:MM:SS[.US][±HH[:MM[:SS]]| ZONE] at line 1, column 9

SELECT CAST(v AS TIMESTAMP(9)) FROM when_text;
----
error 3000(400) Failed to plan SQL: 'never' is not a time: expected YYYY-MM-DD HH:MM:SS[.US][±HH[:MM[:SS]]| ZONE] at line 1, column 15

SELECT ts = v FROM when_text;
----
error 3000(400) Failed to plan SQL: 'never' is not a time, a value of v: expected YYYY-MM-DD HH:MM:SS[.US][±HH[:MM[:SS]]| ZONE] at line 1, column 13

SELECT ts = v || '?' FROM when_text;
----
error 3000(400) Failed to plan SQL: 'never?' is not a time: expected YYYY-MM-DD HH:MM:SS[.US][±HH[:MM[:SS]]| ZONE] at line 1, column 13

SELECT w::TIMESTAMP FROM when_text;
----
error 3000(400) Failed to plan SQL: '2024-13-01' is not a time at line 1, column 9

SELECT w::DATE FROM when_text;
----
error 3000(400) Failed to plan SQL: '2024-13-01' is not a date, a value of w at line 1, column 9

SELECT unnest((SELECT {'a': 1}));
----
error 3000(400) Failed to plan SQL: unnest makes no columns of a struct that a subquery gives: put the subquery into FROM

SELECT FROM home;
----
error 2000(400) expected an expression, found FROM at line 1, column 8

-- What was meant, and where: in what the user wrote, never in the text of a macro.
SELCT 1;
----
error 1001(400) SQL statement is not supported, keyword: SELCT, did you mean SELECT?

SELECT 1 FROM cpus;
----
error 4001(400) Failed to plan SQL: Table not found: svc.public.cpus, did you mean cpu?

INSERT INTO cpus VALUES (1);
----
error 4001(400) Table not found: svc.public.cpus, did you mean cpu?

SELECT 5 # 3;
----
error 2000(400) there is no operator # at line 1, column 10

SELECT 1, polyval([1, 2], 3);
----
error 3000(400) Failed to plan SQL: polyval: no INT[] becomes a DOUBLE at line 1, column 11

SELECT polyval('x', 3);
----
error 3000(400) Failed to plan SQL: 'x' is not a valid DOUBLE at line 1, column 16

SELECT vec_dim(5), 'vec_dim(6)';
----
error 3000(400) Failed to plan SQL: vec_dim: no INT becomes a FLOAT[] at line 1, column 8

SELECT vec_dim(5), vec_dim([1.0]);
----
error 3000(400) Failed to plan SQL: no INT becomes a FLOAT[]

SELECT 1 + date_bin(INTERVAL '1 hour', 'no time');
----
error 3000(400) Failed to plan SQL: there is no +(INT, STRING) at line 1, column 10

SELECT date_sub(5, 5) FROM cpu;
----
error 3000(400) Failed to plan SQL: date_sub: there is no -(INT, INTERVAL) at line 1, column 8

SELECT iszero([1]) FROM cpu;
----
error 3000(400) Failed to plan SQL: iszero: no INT becomes an INT[] at line 1, column 8

SELECT list_aggregate([1], 'getenv');
----
error 3000(400) Failed to plan SQL: getenv cannot be called like this

WITH a AS (SELECT 1) SELECT nothing FROM a;
----
error 3000(400) Failed to plan SQL: No field named nothing at line 1, column 29.

-- Types are named as the user writes them, and what the engine says without a place has one where one word can be meant.
SELECT 'x'::UUID;
----
error 3000(400) Failed to plan SQL: 'x' is not a valid UUID at line 1, column 11

SELECT CAST('x' AS UUID);
----
error 3000(400) Failed to plan SQL: 'x' is not a valid UUID at line 1, column 13

SELECT UUID 'x';
----
error 3000(400) Failed to plan SQL: 'x' is not a valid UUID at line 1, column 8

SELECT 'x'::HUGEINT;
----
error 3000(400) Failed to plan SQL: 'x' is not a valid HUGEINT at line 1, column 11

SELECT 'x'::UHUGEINT;
----
error 3000(400) Failed to plan SQL: 'x' is not a valid UHUGEINT at line 1, column 11

SELECT uuid() = 'x';
----
error 3000(400) Failed to plan SQL: 'x' is not a valid HUGEINT or UUID at line 1, column 17

SELECT 'x'::TIMESTAMP_NS;
----
error 3000(400) Failed to plan SQL: 'x' is not a time at line 1, column 11

SELECT '2024-13-01'::TIMESTAMP;
----
error 3000(400) Failed to plan SQL: '2024-13-01' is not a time at line 1, column 20

SELECT CAST('2024-13-01' AS TIMESTAMP(3));
----
error 3000(400) Failed to plan SQL: '2024-13-01' is not a time at line 1, column 13

SELECT 'x'::DECIMAL(10,2);
----
error 3000(400) Failed to plan SQL: "x" is not a valid DECIMAL(10,2) at line 1, column 11

SELECT 12345::DECIMAL(4,2);
----
error 3000(400) Failed to plan SQL: 12345 is beyond the range of DECIMAL(4,2) at line 1, column 13

SELECT 300::TINYINT;
----
error 3000(400) Failed to plan SQL: 300 is beyond the range of TINYINT at line 1, column 11

SELECT CAST(-1 AS INT UNSIGNED);
----
error 3000(400) Failed to plan SQL: -1 is beyond the range of INT UNSIGNED at line 1, column 8

SELECT 1e30::BIGINT;
----
error 3000(400) Failed to plan SQL: 1e+30 is beyond the range of BIGINT at line 1, column 12

SELECT 'x'::INT[];
----
error 3000(400) Failed to plan SQL: no STRING becomes an INT[]: 'x' at line 1, column 11

SELECT 'x'::MAP(INT, INT);
----
error 3000(400) Failed to plan SQL: no STRING becomes a MAP(INT, INT): 'x' at line 1, column 11

SELECT 9223372036854775807 + 1;
----
error 3000(400) Failed to plan SQL: Overflow in addition of BIGINT (9223372036854775807 + 1) at line 1, column 28

SELECT abs((-128)::TINYINT);
----
error 3000(400) Failed to plan SQL: Overflow on abs(-128) at line 1, column 8

SELECT ROW(1, 2) = ROW(1);
----
error 3000(400) Failed to plan SQL: row: Type STRUCT(INTEGER) does not match with STRUCT(INTEGER, INTEGER). Cannot cast STRUCTs of different size at line 1, column 20

SELECT a FROM (SELECT 1 AS a) AS t FOR UPDATE;
----
error 2000(400) a query reads what was stored when it began: leave out the lock of its rows at line 1, column 36

SELECT a FROM (SELECT 1 AS a) AS t FOR SHARE SKIP LOCKED;
----
error 2000(400) a query reads what was stored when it began: leave out the lock of its rows at line 1, column 36

SELECT 1 INTO x;
----
error 2000(400) write CREATE TABLE name AS SELECT … in the place of INTO at line 1, column 10

SELECT a FROM (SELECT 1 AS a UNION SELECT 2, 3) AS t;
----
error 3000(400) Failed to plan SQL: the queries differ in the number of their columns at line 1, column 30

VALUES (1), (2, 3);
----
error 2000(400) the rows of VALUES differ in length at line 1, column 1

SELECT 1 GROUP BY 2;
----
error 3000(400) Failed to plan SQL: GROUP BY term out of range - should be between 1 and 1 at line 1, column 10

SELECT *;
----
error 3000(400) Failed to plan SQL: there is no FROM whose columns * could mean at line 1, column 8

SELECT 'a' COLLATE foo;
----
error 3000(400) Failed to plan SQL: there is no collation foo at line 1, column 20. Did you mean "fo"?

SELECT * FROM '/etc/passwd';
----
error 1001(400) a table is named by a name, not by a string at line 1, column 15: a query reads tables of this server only

SELECT U&'\0041';
----
error 3000(400) Failed to plan SQL: No field named U at line 1, column 8.

SELECT foo;
----
error 3000(400) Failed to plan SQL: No field named foo at line 1, column 8.

SELECT [1, 2] || 3;
----
error 3000(400) Failed to plan SQL: || does not join INT[] and INT: write [x] for a list of one value at line 1, column 18

SELECT 'a' AS "1e999", 1.5 + 1e400;
----
error 1004(400) a number of the statement is too large at line 1, column 30

PIVOT (SELECT 1 AS a, 2 AS b) ON a USING b;
----
error 2000(400) expected an aggregate, such as sum(x) at line 1, column 42

SELECT host FROM mem GROUP BY host HAVING used > 1;
----
error 3000(400) Failed to plan SQL: column used must appear in the GROUP BY clause or be used in an aggregate function at line 1, column 43

SELECT date_bin_gapfill(INTERVAL '1 minute', ts) AS t, avg(usage) FROM cpu WHERE ts > now() GROUP BY t;
----
error 2000(400) date_bin_gapfill needs an upper bound of ts in the WHERE, such as ts >= … AND ts < … at line 1, column 8
