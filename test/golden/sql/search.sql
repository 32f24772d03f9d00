-- Searching text: whole terms, phrases, operators, case, errors.
CREATE TABLE logs (
  at TIMESTAMP(3) TIME INDEX,
  host STRING INVERTED INDEX,
  message STRING FULLTEXT INDEX,
  exact STRING FULLTEXT INDEX WITH (case_sensitive = 'true'),
  plain STRING,
  trace STRING SKIPPING INDEX,
  PRIMARY KEY (host)
) WITH (append_mode = 'true');
INSERT INTO logs VALUES
  (1, 'a', 'Connection reset by peer', 'Connection reset by peer', 'Connection reset by peer', 't1'),
  (2, 'b', 'connection refused: 10.0.0.1:80', 'connection refused: 10.0.0.1:80', 'connection refused: 10.0.0.1:80', 't2'),
  (3, 'a', 'disconnection; reset_by hand', 'disconnection; reset_by hand', 'disconnection; reset_by hand', 't3'),
  (4, 'c', NULL, NULL, NULL, NULL),
  (5, 'c', '', '', '', 't5'),
  (6, 'a', 'Größe überschritten: näher', 'Größe überschritten: näher', 'Größe überschritten: näher', 't6'),
  (7, 'b', 'GET /cart?id=7 200 - ok', 'GET /cart?id=7 200 - ok', 'GET /cart?id=7 200 - ok', 't7');
----
affected 0
--
affected 7

SELECT at FROM logs WHERE matches_term(message, 'connection') ORDER BY at;
----
at:TimestampMillisecond
1
2

SELECT at FROM logs WHERE matches_term(exact, 'connection') ORDER BY at;
----
at:TimestampMillisecond
2

SELECT at FROM logs WHERE matches_term(plain, 'connection') ORDER BY at;
----
at:TimestampMillisecond
2

SELECT at FROM logs WHERE matches_term(lower(plain), 'connection') ORDER BY at;
----
at:TimestampMillisecond
1
2

SELECT at FROM logs WHERE matches_term(message, 'nection') ORDER BY at;
----
at:TimestampMillisecond

SELECT at FROM logs WHERE matches_term(message, 'reset by') ORDER BY at;
----
at:TimestampMillisecond
1

SELECT at FROM logs WHERE matches_term(message, 'reset') ORDER BY at;
----
at:TimestampMillisecond
1
3

SELECT at FROM logs WHERE matches_term(message, '/cart?') ORDER BY at;
----
at:TimestampMillisecond
7

SELECT at FROM logs WHERE matches_term(message, '10.0.0.1') ORDER BY at;
----
at:TimestampMillisecond
2

SELECT at FROM logs WHERE matches_term(message, '10.0.0') ORDER BY at;
----
at:TimestampMillisecond
2

SELECT at FROM logs WHERE matches_term(message, '') ORDER BY at;
----
at:TimestampMillisecond
5

SELECT at FROM logs WHERE matches_term(message, 'GRÖSSE') OR matches_term(message, 'GRÖßE') ORDER BY at;
----
at:TimestampMillisecond
6

SELECT at FROM logs WHERE matches_term(message, 'berschritten') ORDER BY at;
----
at:TimestampMillisecond

SELECT at FROM logs WHERE matches_term(message, 'it''s') OR matches_term(message, '.*') ORDER BY at;
----
at:TimestampMillisecond

SELECT at FROM logs WHERE matches(message, 'reset') ORDER BY at;
----
at:TimestampMillisecond
1
3

SELECT at FROM logs WHERE matches(message, 'reset refused') ORDER BY at;
----
at:TimestampMillisecond
1
2
3

SELECT at FROM logs WHERE matches(message, 'connection AND reset') ORDER BY at;
----
at:TimestampMillisecond
1

SELECT at FROM logs WHERE matches(message, 'connection AND NOT reset') ORDER BY at;
----
at:TimestampMillisecond
2

SELECT at FROM logs WHERE matches(message, 'reset AND (peer OR hand)') ORDER BY at;
----
at:TimestampMillisecond
1
3

SELECT at FROM logs WHERE matches(message, '+reset -peer') ORDER BY at;
----
at:TimestampMillisecond
3

SELECT at FROM logs WHERE matches(message, '+connection peer') ORDER BY at;
----
at:TimestampMillisecond
1
2

SELECT at FROM logs WHERE matches(message, 'NOT reset') ORDER BY at;
----
at:TimestampMillisecond
2
5
6
7

SELECT at FROM logs WHERE matches(message, '"reset by"') ORDER BY at;
----
at:TimestampMillisecond
1
3

SELECT at FROM logs WHERE matches(message, '"by reset"') ORDER BY at;
----
at:TimestampMillisecond

SELECT at FROM logs WHERE matches(message, 'reset OR connection AND refused') ORDER BY at;
----
at:TimestampMillisecond
1
2
3

SELECT at FROM logs WHERE matches(message, '10.0.0.1') ORDER BY at;
----
at:TimestampMillisecond
2

SELECT at FROM logs WHERE matches(message, 'and') ORDER BY at;
----
at:TimestampMillisecond

SELECT at FROM logs WHERE NOT matches(message, 'reset') ORDER BY at;
----
at:TimestampMillisecond
2
5
6
7

SELECT at, matches(message, 'reset') AS found FROM logs ORDER BY at;
----
at:TimestampMillisecond | found:Boolean
1 | true
2 | false
3 | true
4 | null
5 | false
6 | false
7 | false

SELECT matches(message, 'reset') FROM logs WHERE at = 1;
----
matches(message, 'reset'):Boolean
true

SELECT matches_term('The cat sleeps', 'cat'), matches_term('concat', 'cat'), matches('Cat', 'cat'), matches_term('cat!', 'cat');
----
matches_term('The cat sleeps', 'cat'):Boolean | matches_term('concat', 'cat'):Boolean | matches('Cat', 'cat'):Boolean | matches_term('cat!', 'cat'):Boolean
true | false | false | true

SELECT matches_term(concat(host, ' says ', plain), 'a says') AS found, count(*) FROM logs GROUP BY found ORDER BY found;
----
found:Boolean | count(*):Int64
false | 4
true | 3

SELECT count(*) FROM logs AS l WHERE matches(l.message, 'reset') AND l.host = 'a';
----
count(*):Int64
2

SELECT host, count(*) FROM logs WHERE matches(message, 'reset OR refused') GROUP BY host ORDER BY host;
----
host:String | count(*):Int64
"a" | 2
"b" | 1

SELECT at FROM logs WHERE trace = 't3' AND matches_term(message, 'HAND');
----
at:TimestampMillisecond
3

SELECT at FROM logs WHERE trace IN ('t1', 't2', 'tx') AND at >= '1970-01-01 00:00:00.002' ORDER BY at;
----
at:TimestampMillisecond
2

WITH found AS (SELECT * FROM logs WHERE matches(message, 'connection')) SELECT count(*) FROM found WHERE matches_term(message, 'peer');
----
count(*):Int64
1

SELECT at FROM logs WHERE EXISTS (SELECT 1 FROM logs AS other WHERE matches(other.message, 'peer') AND other.host = logs.host) ORDER BY at;
----
at:TimestampMillisecond
1
3
6

SELECT l.at FROM logs AS l JOIN logs AS r ON l.host = r.host WHERE matches(l.message, 'peer') AND matches(r.message, 'hand');
----
at:TimestampMillisecond
1

SELECT at FROM logs WHERE matches(message, 'reset AND') ORDER BY at;
----
error 1004(400) invalid search query "reset AND": expected a term, found the end at character 10

SELECT at FROM logs WHERE matches(message, '(reset') ORDER BY at;
----
error 1004(400) invalid search query "(reset": the parenthesis is not closed at character 1

SELECT at FROM logs WHERE matches(message, 'reset)') ORDER BY at;
----
error 1004(400) invalid search query "reset)": expected the end, found ) at character 6

SELECT at FROM logs WHERE matches(message, '"reset') ORDER BY at;
----
error 1004(400) invalid search query "\"reset": the quote is not closed at character 1

SELECT at FROM logs WHERE matches(message, 'res*') ORDER BY at;
----
error 1004(400) invalid search query "res*": there are no wildcards in a search: LIKE and regular expressions have them at character 4

SELECT at FROM logs WHERE matches(message, '') ORDER BY at;
----
error 1004(400) invalid search query "": expected a term, found the end at character 1

SELECT at FROM logs WHERE matches(message, 'ok --- "!!"') ORDER BY at;
----
error 1004(400) invalid search query "ok --- \"!!\"": a term needs a letter or a digit at character 5

SELECT at FROM logs WHERE matches(message, 'OR reset') ORDER BY at;
----
error 1004(400) invalid search query "OR reset": expected a term, found OR at character 1

SELECT at FROM logs WHERE matches(message) ORDER BY at;
----
error 1004(400) matches takes a text and what to search it for, a constant: matches(message, 'error AND "connection reset"')

SELECT at FROM logs WHERE matches(message, host) ORDER BY at;
----
error 1004(400) matches takes a text and what to search it for, a constant: matches(message, 'error AND "connection reset"')

SELECT at FROM logs WHERE matches_term((SELECT max(message) FROM logs), 'x') ORDER BY at;
----
error 1001(400) a query inside of matches_term is not supported

SELECT at FROM logs WHERE matches_term(nothing, 'x');
----
error 3000(400) Failed to plan SQL: No field named nothing at line 1, column 27. Valid fields are "at", "host", "message", "exact", "plain", "trace"

ADMIN flush_table('logs');
----
ADMIN flush_table('logs'):UInt64
0

SELECT at FROM logs WHERE matches_term(message, 'connection') ORDER BY at;
----
at:TimestampMillisecond
1
2

SELECT at FROM logs WHERE matches_term(exact, 'Connection') ORDER BY at;
----
at:TimestampMillisecond
1

SELECT at FROM logs WHERE matches_term(message, 'GRÖßE');
----
at:TimestampMillisecond
6

SELECT at FROM logs WHERE matches_term(message, 'nection');
----
at:TimestampMillisecond

SELECT at FROM logs WHERE host = 'b' AND trace = 't7';
----
at:TimestampMillisecond
7

SELECT at FROM logs WHERE host = 'nobody' OR trace = 'none' OR matches(message, 'missing');
----
at:TimestampMillisecond

CREATE TABLE zh (at TIMESTAMP(3) TIME INDEX, message STRING FULLTEXT INDEX WITH (analyzer = 'Chinese'), spaced STRING FULLTEXT INDEX) WITH (append_mode = 'true');
INSERT INTO zh VALUES (1, '系统错误日志error连接', '系统错误日志 error'), (2, '连接成功', '连接成功 terror');
ADMIN flush_table('zh');
----
affected 0
--
affected 2
--
ADMIN flush_table('zh'):UInt64
0

SELECT at FROM zh WHERE matches_term(message, '错误');
----
at:TimestampMillisecond
1

SELECT at FROM zh WHERE matches_term(message, 'error');
----
at:TimestampMillisecond
1

SELECT at FROM zh WHERE matches(message, '连接 AND NOT 错误');
----
at:TimestampMillisecond
2

SELECT at FROM zh WHERE matches_term(spaced, '错误');
----
at:TimestampMillisecond

SELECT at FROM zh WHERE matches_term(spaced, 'error');
----
at:TimestampMillisecond
1


CREATE VIEW resets AS SELECT host, message, at FROM logs WHERE matches(message, 'RESET');
SELECT host, at FROM resets ORDER BY at;
----
affected 0
--
host:String | at:TimestampMillisecond
"a" | 1
"a" | 3

SELECT host FROM resets WHERE matches_term(lower(message), 'connection');
----
host:String
"a"

CREATE TABLE notes (id BIGINT, at TIMESTAMP(3) TIME INDEX, note STRING, PRIMARY KEY (id));
INSERT INTO notes SELECT 1, at, message FROM logs WHERE matches(message, 'reset OR refused');
ADMIN flush_table('notes');
INSERT INTO notes VALUES (1, 1, 'nothing');
SELECT at FROM notes WHERE matches_term(note, 'reset');
----
affected 0
--
affected 3
--
ADMIN flush_table('notes'):UInt64
0
--
affected 1
--
at:TimestampMillisecond
3

ALTER TABLE notes MODIFY COLUMN note SET FULLTEXT INDEX WITH (case_sensitive = 'false');
SELECT at FROM notes WHERE matches_term(note, 'RESET');
----
affected 0
--
at:TimestampMillisecond
3

ADMIN flush_table('notes');
SELECT at, note FROM notes WHERE matches_term(note, 'RESET') OR note = 'nothing' ORDER BY at;
----
ADMIN flush_table('notes'):UInt64
0
--
at:TimestampMillisecond | note:String
1 | "nothing"
3 | "disconnection; reset_by hand"

DELETE FROM notes WHERE matches(note, '"reset by"');
SELECT at FROM notes ORDER BY at;
----
affected 1
--
at:TimestampMillisecond
1
2

ALTER TABLE notes MODIFY COLUMN note UNSET FULLTEXT INDEX;
SELECT at FROM notes WHERE matches_term(note, 'REFUSED');
----
affected 0
--
at:TimestampMillisecond

SELECT host, count(*) FILTER (WHERE matches(message, 'reset')) AS resets FROM logs GROUP BY host HAVING count(*) > 1 ORDER BY host;
----
host:String | resets:Int64
"a" | 2
"b" | 0
"c" | 0

SELECT at FROM logs WHERE matches(message, 'reset') AND at > now() - INTERVAL '100 years' UNION ALL SELECT at FROM logs WHERE matches(message, 'cart') ORDER BY at;
----
at:TimestampMillisecond
1
3
7

SELECT CASE WHEN matches_term(message, 'reset') THEN 'reset' ELSE 'other' END AS what, count(*) FROM logs GROUP BY what ORDER BY what;
----
what:String | count(*):Int64
"other" | 5
"reset" | 2

--! user=ro
SELECT at FROM logs WHERE matches(message, 'peer');
----
at:TimestampMillisecond
1

--! user=wo
SELECT at FROM logs WHERE matches(message, 'peer');
----
error 7006(403) User is not authorized to perform this action

--! timezone=+05:30
SELECT at FROM logs WHERE matches(message, 'peer') AND at >= '1970-01-01 05:30:00.001' AND at < '1970-01-01 05:30:00.002';
----
at:TimestampMillisecond
1

SELECT at FROM logs WHERE "Message" = 'x' OR matches(MESSAGE, 'peer');
----
at:TimestampMillisecond
1

SELECT at FROM logs WHERE matches(message, 'peer') AND other.x = 1;
----
error 3000(400) Failed to plan SQL: No table named other, there are "logs" at line 1, column 56

SELECT matches('a', 'b', 'c');
----
error 1004(400) matches takes a text and what to search it for, a constant: matches(message, 'error AND "connection reset"')

SELECT at FROM logs WHERE matches_term(message, NULL);
----
error 1004(400) matches_term takes a text and what to search it for, a constant: matches_term(message, 'reset')

SELECT at FROM logs WHERE matches_term(at, 'x');
----
error 1004(400) matches_term searches text, column at is TIMESTAMP(3)
