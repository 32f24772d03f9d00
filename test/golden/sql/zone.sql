-- Time zones: by header and by SET, by name and by offset, also with half hours.

CREATE TABLE t (v INT, at TIMESTAMP(3) TIME INDEX);
----
affected 0

--! timezone=+05:30
INSERT INTO t VALUES (1, '2024-07-01 00:00:00'), (2, '2024-07-01T00:00:00Z');
----
affected 2

SELECT v, at FROM t ORDER BY at;
----
v:Int32 | at:TimestampMillisecond
1 | 1719772200000
2 | 1719792000000

--! timezone=+05:30
SELECT v FROM t WHERE at = '2024-07-01 00:00:00';
----
v:Int32
1

--! timezone=+05:30
SELECT date_trunc('day', TIMESTAMPTZ '2024-06-30 19:00:00+00') AS day, extract('hour' FROM TIMESTAMPTZ '2024-06-30 19:00:00+00') AS hour;
----
day:TimestampMicrosecond | hour:Int64
1719772200000000 | 0

--! timezone=+05:45
SELECT extract('minute' FROM TIMESTAMPTZ '2024-06-30 19:00:00+00') AS minute;
----
minute:Int64
45

--! timezone=-09:30
SELECT extract('minute' FROM TIMESTAMPTZ '2024-06-30 19:00:00+00') AS minute;
----
minute:Int64
30

--! timezone=-03:00
SELECT extract('hour' FROM TIMESTAMPTZ '2024-06-30 19:00:00+00') AS hour;
----
hour:Int64
16

--! timezone=Australia/Adelaide
SELECT extract('hour' FROM TIMESTAMPTZ '2024-06-30 19:00:00+00') AS winter, extract('hour' FROM TIMESTAMPTZ '2024-12-30 19:00:00+00') AS summer;
----
winter:Int64 | summer:Int64
4 | 5

--! timezone=US/Pacific
SELECT extract('hour' FROM TIMESTAMPTZ '2024-06-30 19:00:00+00') AS hour;
----
hour:Int64
12

-- What stands in a column is in UTC, its day may be that of the zone.
--! timezone=Asia/Kolkata
SELECT at::TIMESTAMPTZ = TIMESTAMPTZ '2024-06-30 18:30:00+00' AS same, date_trunc('day', t.at::TIMESTAMPTZ) AS day, extract('hour' FROM CAST(at AS TIMESTAMP WITH TIME ZONE)) AS hour, date_trunc('hour', CAST(t.at AS TIMESTAMPTZ) + INTERVAL '1 hour') AS next FROM t WHERE v = 1;
----
same:Boolean | day:TimestampMicrosecond | hour:Int64 | next:TimestampMicrosecond
true | 1719772200000000 | 0 | 1719775800000000

--! timezone=Asia/Kolkata
SELECT v::STRING AS v, '2024-07-01 00:00:00'::TIMESTAMPTZ AS local FROM t WHERE v = 1;
----
v:String | local:TimestampMicrosecond
"1" | 1719772200000000

-- No zone of the engine has this offset: what would need one is refused, the rest works.
--! timezone=+10:30
SELECT extract('hour' FROM TIMESTAMPTZ '2024-06-30 19:00:00+00') AS hour;
----
error 1001(400) TIMESTAMPTZ does not work in the time zone +10:30: use the name of a zone such as Australia/Adelaide

--! timezone=+10:30
SELECT current_date;
----
error 1001(400) CURRENT_DATE does not work in the time zone +10:30: use the name of a zone such as Australia/Adelaide

--! timezone=+10:30
SELECT v FROM t WHERE at >= '2024-07-01 10:30:00';
----
v:Int32
2

--! timezone=-13:30
SHOW VARIABLES time_zone;
----
TIME_ZONE:String
"-13:30"

--! timezone=+15:00
SELECT 1;
----
error 1004(400) header x-svc-timezone: unknown time zone +15:00, expected an IANA name such as Europe/Berlin, an offset such as +02:00, or SYSTEM

--! timezone=Mars/Olympus
SELECT 1;
----
error 1004(400) header x-svc-timezone: unknown time zone Mars/Olympus, expected an IANA name such as Europe/Berlin, an offset such as +02:00, or SYSTEM

SET time_zone = '+01:00'; INSERT INTO t VALUES (3, '2024-07-01 12:00:00'); SELECT at FROM t WHERE at = '2024-07-01 12:00:00'; SET time_zone = 'UTC'; SELECT v FROM t WHERE at = '2024-07-01 11:00:00';
----
affected 0
--
affected 1
--
at:TimestampMillisecond
1719831600000
--
affected 0
--
v:Int32
3

SET time_zone = SYSTEM;
----
affected 0

-- One literal means one time, wherever it stands.
CREATE TABLE z (v INT, at TIMESTAMP(3) TIME INDEX);
CREATE TABLE fine (w INT, at TIMESTAMP(9) TIME INDEX);
----
affected 0
--
affected 0

--! timezone=+08:00
INSERT INTO z VALUES (1, '2024-07-01 00:00:00'), (2, TIMESTAMP '2024-07-01 01:00:00'), (3, '2024-07-01T00:00:00Z'), (4, '2024-07-01 00:00:00'::TIMESTAMP + INTERVAL '3 hours');
INSERT INTO fine SELECT 1, '2024-07-01 00:00:00';
----
affected 4
--
affected 1

SELECT v, at FROM z ORDER BY v;
----
v:Int32 | at:TimestampMillisecond
1 | 1719763200000
2 | 1719766800000
3 | 1719792000000
4 | 1719774000000

--! timezone=+08:00
SELECT v FROM z WHERE at = '2024-07-01 00:00:00' OR at = TIMESTAMP '2024-07-01 01:00:00' OR at = CAST('2024-07-01 08:00:00' AS TIMESTAMP) ORDER BY v;
----
v:Int32
1
2
3

--! timezone=+08:00
SELECT v FROM z WHERE '2024-07-01 01:00:00' = at OR at IN ('2024-07-01 00:00:00') OR at BETWEEN TIMESTAMP '2024-07-01 03:00:00' AND '2024-07-01 03:00:00'::DATETIME ORDER BY v;
----
v:Int32
1
2
4

--! timezone=+08:00
SELECT v FROM z JOIN fine ON fine.at = z.at WHERE fine.at >= '2024-07-01' AND fine.at < DATE '2024-07-02';
----
v:Int32
1

--! timezone=+08:00
SELECT v FROM (SELECT v, at AS moment FROM z) x WHERE moment < '2024-07-01 00:30:00';
----
v:Int32
1

--! timezone=+08:00
SELECT count(*) FROM z WHERE coalesce(at, '2024-07-01 00:00:00') = '2024-07-01 00:00:00' AND (v, at) = (1, '2024-07-01 00:00:00') AND date_diff('hour', TIMESTAMP '2024-06-30 23:00:00', at) = 1;
----
count(*):Int64
1

--! timezone=+08:00
SELECT max(at) - INTERVAL '3 hours' = '2024-07-01 05:00:00' AS same, epoch_ms(TIMESTAMP '1970-01-01 08:00:00') AS zero FROM z;
----
same:Boolean | zero:Int64
true | 0

--! timezone=+08:00
SELECT date_bin(INTERVAL '1 day', at, '2024-07-01 00:00:00') AS day, count(*) AS n FROM z GROUP BY day ORDER BY day;
----
day:TimestampMillisecond | n:Int64
1719763200000 | 4

--! timezone=+08:00
SELECT v FROM z WHERE at <= TIMESTAMP '2024-07-01 01:00:00' ORDER BY v;
----
v:Int32
1
2

--! timezone=+08:00
DELETE FROM z WHERE at <= TIMESTAMP '2024-07-01 01:00:00';
----
affected 2

SELECT v FROM z ORDER BY v;
----
v:Int32
3
4

--! timezone=+08:00
DELETE FROM z WHERE CAST('2024-07-01 03:00:00' AS TIMESTAMP) = at OR at > DATE '2024-07-02';
----
affected 1

SELECT v FROM z ORDER BY v;
----
v:Int32
3

-- TIMESTAMPTZ knows its own.
--! timezone=+08:00
SELECT v FROM z WHERE at::TIMESTAMPTZ = TIMESTAMPTZ '2024-07-01 08:00:00' AND at = '2024-07-01 02:00:00+02:00';
----
v:Int32
3


-- Casts of text, in columns and made by calls, mean what constants mean; offsets in them count.
CREATE TABLE texts (k INT, s STRING, at TIMESTAMP(3) TIME INDEX);
INSERT INTO texts VALUES (1, '2024-07-01 00:00:00', '2024-06-30T16:00:00Z'), (2, '2024-07-01T00:00:00+02:00', '2024-06-30T22:00:00Z'), (3, '2024-07-01', '2024-06-30T16:00:00.001Z'), (4, NULL, 0);
----
affected 0
--
affected 4

--! timezone=+08:00
SELECT k FROM texts WHERE s::TIMESTAMP = at OR CAST(s AS TIMESTAMP(9)) = at - INTERVAL '1 millisecond' ORDER BY k;
----
k:Int32
1
2
3

--! timezone=+08:00
SELECT k, CAST(s AS TIMESTAMP) AS one, s::TIMESTAMP(9) AS fine, (s || '')::TIMESTAMP_S AS joined, trim(s)::DATETIME AS trimmed, TRY_CAST(s || '?' AS TIMESTAMP) AS no FROM texts ORDER BY k;
----
k:Int32 | one:TimestampMillisecond | fine:TimestampNanosecond | joined:TimestampSecond | trimmed:TimestampMicrosecond | no:TimestampMillisecond
1 | 1719763200000 | 1719763200000000000 | 1719763200 | 1719763200000000 | null
2 | 1719784800000 | 1719784800000000000 | 1719784800 | 1719784800000000 | null
3 | 1719763200000 | 1719763200000000000 | 1719763200 | 1719763200000000 | null
4 | null | null | null | null | null

SELECT k, CAST(s AS TIMESTAMP) AS one, s::TIMESTAMP(9) AS fine FROM texts ORDER BY k;
----
k:Int32 | one:TimestampMillisecond | fine:TimestampNanosecond
1 | 1719792000000 | 1719792000000000000
2 | 1719784800000 | 1719784800000000000
3 | 1719792000000 | 1719792000000000000
4 | null | null

SELECT '2024-07-01 00:00:00+02:00'::TIMESTAMP AS one, TIMESTAMP '2024-07-01T00:00:00+02:00' AS two, CAST('2024-07-01 00:00:00Z' AS TIMESTAMP(9)) AS three;
----
one:TimestampMillisecond | two:TimestampMicrosecond | three:TimestampNanosecond
1719784800000 | 1719784800000000 | 1719792000000000000

--! timezone=+08:00
SELECT max(s)::TIMESTAMP, CAST(min(s) AS TIMESTAMP(3)) FROM texts;
----
max(s)::timestamp:TimestampMillisecond | cast(min(s) as timestamp(3)):TimestampMillisecond
1719784800000 | 1719763200000

--! timezone=+08:00
SELECT s::TIMESTAMP AS moment, count(*) AS n FROM texts WHERE s IS NOT NULL GROUP BY s::TIMESTAMP ORDER BY s::TIMESTAMP;
----
moment:TimestampMillisecond | n:Int64
1719763200000 | 2
1719784800000 | 1

--! timezone=+08:00
SELECT date_bin(INTERVAL '1 day', s::TIMESTAMP, '2024-07-01 00:00:00') AS day, count(*) AS n FROM texts WHERE s IS NOT NULL GROUP BY day ORDER BY day;
----
day:TimestampMillisecond | n:Int64
1719763200000 | 3

--! timezone=+08:00
SELECT CASE WHEN k = 1 THEN s ELSE '2024-07-01 01:00:00' END::TIMESTAMP AS chosen, max(s) OVER (ORDER BY k)::TIMESTAMP AS running, (SELECT min(s) FROM texts)::TIMESTAMP AS least, [s][1]::TIMESTAMP AS first FROM texts WHERE k < 3 ORDER BY k;
----
chosen:TimestampMillisecond | running:TimestampMillisecond | least:TimestampMillisecond | first:TimestampMillisecond
1719763200000 | 1719763200000 | 1719763200000 | 1719763200000
1719766800000 | 1719784800000 | 1719763200000 | 1719784800000

--! timezone=+08:00
SELECT (TIMESTAMPTZ '2024-07-01 00:00:00')::TIMESTAMP AS one, CAST(at::TIMESTAMPTZ AS TIMESTAMP(3)) = at AS same, DATE '2024-07-01'::TIMESTAMP = at AS day, at::TIMESTAMP(9) AS own FROM texts WHERE k = 1;
----
one:TimestampMillisecond | same:Boolean | day:Boolean | own:TimestampNanosecond
1719763200000 | true | true | 1719763200000000000



--! timezone=+08:00
DELETE FROM texts WHERE s::TIMESTAMP(3) = at;
----
affected 2

--! timezone=+10:30
SELECT s::TIMESTAMP FROM texts;
----
error 1001(400) a cast of text to TIMESTAMP does not work in the time zone +10:30: use the name of a zone such as Australia/Adelaide

--! timezone=+10:30
SELECT date_trunc('day', at)::TIMESTAMP(3) AS day FROM texts WHERE k = 3;
----
day:TimestampMillisecond
1719705600000

SET TIME ZONE '+08:00'; SELECT k FROM texts WHERE s::TIMESTAMP = at - INTERVAL '1 millisecond'; SELECT '2024-07-01'::TIMESTAMP AS midnight;
----
affected 0
--
k:Int32
3
--
midnight:TimestampMillisecond
1719763200000

-- Defaults are read once, in the zone of the statement that gives them.
--! timezone=+08:00
CREATE TABLE given (k INT, typed TIMESTAMP(3) DEFAULT TIMESTAMP '2024-07-01 00:00:00', since TIMESTAMP(3) DEFAULT '2024-07-01 00:00:00', day DATE DEFAULT '2024-07-01', at TIMESTAMP(3) TIME INDEX DEFAULT '2024-07-01 08:00:00');
----
affected 0

INSERT INTO given (k) VALUES (1);
----
affected 1

--! timezone=-05:00
INSERT INTO given (k, at) VALUES (2, DEFAULT), (3, '2024-07-01 00:00:00');
----
affected 2

--! timezone=+08:00
ALTER TABLE given ADD COLUMN later TIMESTAMP(6) DEFAULT '2024-07-01 01:00:00', ADD COLUMN exact TIMESTAMP DEFAULT '2024-07-01T01:00:00Z';
ALTER TABLE given MODIFY COLUMN since SET DEFAULT '2024-07-01 02:00:00';
----
affected 0
--
affected 0

--! timezone=-05:00
INSERT INTO given (k, at) VALUES (4, '2024-07-01 01:00:00');
----
affected 1

SELECT * FROM given ORDER BY k;
----
k:Int32 | typed:TimestampMillisecond | since:TimestampMillisecond | day:Date | at:TimestampMillisecond | later:TimestampMicrosecond | exact:TimestampMillisecond
2 | 1719763200000 | 1719763200000 | 19905 | 1719792000000 | 1719766800000000 | 1719795600000
3 | 1719763200000 | 1719763200000 | 19905 | 1719810000000 | 1719766800000000 | 1719795600000
4 | 1719763200000 | 1719770400000 | 19905 | 1719813600000 | 1719766800000000 | 1719795600000

SHOW CREATE TABLE given;
----
Table:String | Create Table:String
"given" | "CREATE TABLE IF NOT EXISTS \"given\" (\n  \"k\" INT NULL,\n  \"typed\" TIMESTAMP(3) NULL DEFAULT '2024-06-30T16:00:00Z',\n  \"since\" TIMESTAMP(3) NULL DEFAULT '2024-06-30T18:00:00Z',\n  \"day\" DATE NULL DEFAULT '2024-07-01',\n  \"at\" TIMESTAMP(3) NOT NULL DEFAULT '2024-07-01T00:00:00Z',\n  \"later\" TIMESTAMP(6) NULL DEFAULT '2024-06-30T17:00:00Z',\n  \"exact\" TIMESTAMP(3) NULL DEFAULT '2024-07-01T01:00:00Z',\n  TIME INDEX (\"at\")\n)\n\nENGINE=embedded\n"

--! timezone=+08:00
INSERT INTO given (k, day, at) VALUES (5, '2024-07-01 00:00:00', 5);
SELECT day, day = '2024-07-01 00:00:00'::DATE AS same FROM given WHERE k = 5;
----
affected 1
--
day:Date | same:Boolean
19905 | true

-- Times of any precision become times of any other.
SELECT at::TIMESTAMP(9)::TIMESTAMP(3) = at AS back, at::TIMESTAMP(0) AS seconds, date_trunc('hour', at)::TIMESTAMP(3) AS hour, w::TIMESTAMP(9)::TIMESTAMP(0) AS int FROM (SELECT at, at AS w FROM given WHERE k = 2);
SELECT at::TIMESTAMP(3) AS ms, at::TIMESTAMP(0) AS s, CAST(at AS TIMESTAMP(6)) AS us FROM fine;
----
back:Boolean | seconds:TimestampSecond | hour:TimestampMillisecond | int:TimestampSecond
true | 1719792000 | 1719792000000 | 1719792000
--
ms:TimestampMillisecond | s:TimestampSecond | us:TimestampMicrosecond
1719763200000 | 1719763200 | 1719763200000000

-- An integer beside a cast is in the unit of its type.
SELECT count(*) FROM given WHERE at::TIMESTAMP(3) = 1719792000000 AND at::TIMESTAMP = 1719792000000 AND at::TIMESTAMP(0) = 1719792000 AND at::TIMESTAMP(9) = 1719792000000000000;
----
count(*):Int64
1

-- A text column that becomes one of times: offsets count, the rest is in UTC for everybody.
CREATE TABLE later (s STRING, m STRING, at TIMESTAMP(3) TIME INDEX);
INSERT INTO later VALUES ('2024-07-01 00:00:00', '2024-07-01T00:00:00.25+02:00', 1), ('2024-07-01T00:00:00Z', '2024-07-01', 2), ('2024-07-01T00:00:00-0130', NULL, 3);
ALTER TABLE later MODIFY COLUMN s TIMESTAMP(9), MODIFY COLUMN m TIMESTAMP(3);
----
affected 0
--
affected 3
--
affected 0

--! timezone=+08:00
SELECT * FROM later ORDER BY at;
----
s:TimestampNanosecond | m:TimestampMillisecond | at:TimestampMillisecond
1719792000000000000 | 1719784800250 | 1
1719792000000000000 | 1719792000000 | 2
1719797400000000000 | null | 3


-- A text that meets a time means what a constant in its place would mean, wherever it stands.
CREATE TABLE met (k INT, s STRING, j JSON, ts TIMESTAMP(3) TIME INDEX);
CREATE TABLE met_fine (k INT, s STRING, ts TIMESTAMP(9) TIME INDEX);
CREATE TABLE met_text (k INT, ts STRING, at TIMESTAMP(3) TIME INDEX);
INSERT INTO met VALUES (1, '2026-01-01 00:00:00', '{"at": "2026-01-01 00:00:00"}', '2025-12-31 23:00:00'), (2, '2026-07-01T00:00:00-01:30', '{}', '2026-07-01 01:30:00'), (3, '2026-07-01', '{}', '2026-07-01 00:00:00'), (4, NULL, NULL, 0);
INSERT INTO met_fine VALUES (1, '2026-01-01 00:00:00.000000001', 1767222000000000001);
INSERT INTO met_text VALUES (1, '2026-01-01 00:00:00', '2025-12-31 23:00:00');
----
affected 0
--
affected 0
--
affected 0
--
affected 4
--
affected 1
--
affected 1

--! timezone=Europe/Berlin
SELECT k FROM met WHERE ts = s ORDER BY k;
SELECT k FROM met WHERE s = ts ORDER BY k;
SELECT k FROM met WHERE ts = s || '' OR array_to_string([s], '') = ts ORDER BY k;
SELECT k FROM met WHERE ts < s ORDER BY k;
SELECT k FROM met WHERE ts IN (s) ORDER BY k;
SELECT k FROM met WHERE ts IN (s, '1970-01-01 01:00:00') ORDER BY k;
SELECT k FROM met WHERE ts BETWEEN s AND (s) ORDER BY k;
SELECT k FROM met WHERE ts IS NOT DISTINCT FROM s ORDER BY k;
SELECT k FROM met_fine WHERE ts = s;
----
k:Int32
1
2
--
k:Int32
1
2
--
k:Int32
1
2
--
k:Int32
--
k:Int32
1
2
--
k:Int32
1
2
4
--
k:Int32
1
2
--
k:Int32
1
2
--
k:Int32
1

--! timezone=Europe/Berlin
SELECT met.k FROM met JOIN met_text ON met.ts = met_text.ts;
SELECT met.k FROM met JOIN (SELECT ts FROM met_text) AS o ON o.ts >= met.ts AND met.k = 1;
----
k:Int32
1
--
k:Int32
1

--! timezone=Europe/Berlin
SELECT met.k FROM met JOIN met_text USING (ts);
----
error 3000(400) Failed to plan SQL: the join merges columns named ts, of which one is a time and one a text: name both in ON

--! timezone=Europe/Berlin
SELECT met.k FROM met NATURAL JOIN met_text;
----
error 3000(400) Failed to plan SQL: the join merges columns named ts, of which one is a time and one a text: name both in ON

--! timezone=Europe/Berlin
SELECT ts FROM met WHERE k = 1 UNION SELECT s FROM met WHERE k = 1;
SELECT s FROM met WHERE k = 1 UNION ALL SELECT ts FROM met WHERE k = 1 UNION ALL SELECT '2026-01-01 00:00:00';
SELECT k, s AS ts FROM met WHERE k = 1 UNION BY NAME SELECT ts, k FROM met WHERE k = 1;
WITH RECURSIVE r AS (SELECT s AS x FROM met WHERE k = 1 UNION ALL SELECT ts + INTERVAL '1 hour' FROM met, r WHERE k = 1 AND x = '2026-01-01 00:00:00') SELECT x FROM r ORDER BY x;
SELECT x = '2026-01-01 00:00:00' AS same FROM (SELECT ts AS x FROM met WHERE k = 1 UNION ALL SELECT s FROM met WHERE k = 1);
----
ts:TimestampMillisecond
1767222000000
--
s:TimestampMillisecond
1767222000000
1767222000000
1767222000000
--
k:Int32 | ts:TimestampMillisecond
1 | 1767222000000
--
x:TimestampMicrosecond
1767222000000000
--
same:Boolean
true
true

--! timezone=Europe/Berlin
SELECT ts FROM met UNION SELECT * FROM (SELECT s FROM met);
----
error 3000(400) Failed to plan SQL: the text column s meets a time, but a star stands for it: name it, and cast it to TIMESTAMP

-- Words beside times stay words.
--! timezone=Europe/Berlin
SELECT 'all' AS w, 1 AS n UNION ALL SELECT ts, 2 FROM met WHERE k = 1;
----
w:String | n:Int32
"all" | 1
"2025-12-31 23:00:00" | 2

--! timezone=Europe/Berlin
SELECT k, CASE WHEN k = 1 THEN s ELSE ts END AS c, coalesce(s, ts) AS d, greatest(ts, s) AS g, if(k = 1, ts, s) AS i, [ts, s] AS l, nullif(ts, s) AS n FROM met ORDER BY k;
SELECT k FROM met WHERE CASE ts WHEN s THEN true ELSE false END ORDER BY k;
SELECT k, lag(ts, 1, s) OVER (ORDER BY k) AS l FROM met WHERE k = 1;
----
k:Int32 | c:TimestampMillisecond | d:TimestampMillisecond | g:TimestampMillisecond | i:TimestampMillisecond | l:List<TimestampMillisecond> | n:TimestampMillisecond
1 | 1767222000000 | 1767222000000 | 1767222000000 | 1767222000000 | [1767222000000,1767222000000] | null
2 | 1782869400000 | 1782869400000 | 1782869400000 | 1782869400000 | [1782869400000,1782869400000] | null
3 | 1782864000000 | 1782856800000 | 1782864000000 | 1782856800000 | [1782864000000,1782856800000] | 1782864000000
4 | 0 | 0 | 0 | null | [0,null] | 0
--
k:Int32
1
2
--
k:Int32 | l:TimestampMillisecond
1 | 1767222000000

--! timezone=Europe/Berlin
SELECT k FROM met WHERE ts IN (SELECT s FROM met) ORDER BY k;
SELECT k FROM met WHERE (k, ts) IN (SELECT k, s FROM met) ORDER BY k;
SELECT k FROM met WHERE (k, ts) = (1, s) OR row(k, ts) = row(2, s) ORDER BY k;
SELECT k FROM met WHERE ts = (SELECT max(s) FROM met WHERE k = 1);
SELECT k FROM met WHERE ts = ANY ([s]) ORDER BY k;
SELECT k FROM met WHERE ts = (j->>'at') OR ts = (j->'at') OR ts = json_get_string(j, 'at');
SELECT max(ts) = max(s) AS same FROM met WHERE k = 1 GROUP BY k HAVING max(s) = min(ts);
----
k:Int32
1
2
--
k:Int32
1
2
--
k:Int32
1
2
--
k:Int32
1
--
k:Int32
1
2
--
k:Int32
1
--
same:Boolean
true

--! timezone=Europe/Berlin
WITH c(x) AS (VALUES ('2026-01-01 00:00:00')), d AS (SELECT '2026-01-01 00:00:00' AS y) SELECT k FROM met, c, d WHERE ts = x AND ts = y;
SELECT x FROM generate_series(TIMESTAMP '2026-01-01 00:00:00', TIMESTAMP '2026-01-01 01:00:00', INTERVAL '1 hour') AS g(x) WHERE x > '2026-01-01 00:00:00';
SELECT k FROM met, (VALUES (ts), ('2026-01-01 00:00:00')) AS v(x) WHERE k = 1 AND x = '2026-01-01 00:00:00';
----
k:Int32
1
--
x:TimestampMicrosecond
1767225600000000
--
k:Int32
1
1

--! timezone=Europe/Berlin
SELECT k, date_bin(INTERVAL '1 day', ts, s) = ts AS bin, time_bucket(INTERVAL '1 day', ts, s || '') = ts AS bucket FROM met WHERE k < 3 ORDER BY k;
----
k:Int32 | bin:Boolean | bucket:Boolean
1 | true | true
2 | true | true

--! timezone=Europe/Berlin
(SELECT s FROM met ORDER BY s LIMIT 1) UNION ALL (SELECT ts FROM met);
----
error 3000(400) Failed to plan SQL: the text column s meets a time, but its query has an ORDER BY: cast it to TIMESTAMP

--! timezone=Europe/Berlin
SELECT [x FOR x IN [ts] IF x = '2026-01-01 00:00:00'] AS l, list_filter([ts], lambda x: x = s) AS m, unnest([s]) = ts AS u FROM met WHERE k = 1;
SELECT k FROM met WHERE ts = [s][1] AND {'at': ts} = {'at': s} AND ts = s::STRING AND ts = CASE k WHEN 1 THEN s END;
SELECT met.k FROM met ASOF JOIN met_text ON met.ts >= met_text.ts WHERE met.k < 2;
----
l:List<TimestampMillisecond> | m:List<TimestampMillisecond> | u:Boolean
[1767222000000] | [1767222000000] | true
--
k:Int32
1
--
k:Int32
1

-- A time with a zone is that moment.
--! timezone=Europe/Berlin
SELECT k FROM met WHERE ts = TIMESTAMPTZ '2026-01-01 00:00:00' OR ts = (s::TIMESTAMPTZ) ORDER BY k;
----
k:Int32
1
2

CREATE VIEW met_view AS SELECT k, s, ts, '2026-01-01 00:00:00' AS y FROM met;
----
affected 0

--! timezone=Europe/Berlin
SELECT k FROM met_view WHERE ts = s AND ts = y;
----
k:Int32
1

--! timezone=+01:00
SELECT k FROM met_view WHERE ts = s ORDER BY k;
SELECT k FROM met_view WHERE ts = y ORDER BY k;
----
k:Int32
1
2
--
k:Int32
1

SELECT k FROM met_view WHERE ts = s ORDER BY k;
----
k:Int32
2
3

--! timezone=Europe/Berlin
INSERT INTO met_fine SELECT k + 10, s, s FROM met WHERE k < 3;
SELECT k, ts FROM met_fine WHERE k > 10 ORDER BY k;
DELETE FROM met WHERE ts = s;
SELECT k FROM met ORDER BY k;
----
affected 2
--
k:Int32 | ts:TimestampNanosecond
11 | 1767222000000000000
12 | 1782869400000000000
--
affected 2
--
k:Int32
3
4

--! timezone=+10:30
SELECT k FROM met WHERE ts = s;
----
error 1001(400) a text that meets a time does not work in the time zone +10:30: use the name of a zone such as Australia/Adelaide

--! timezone=+10:30
SELECT k FROM met_fine WHERE ts = array_to_string([s], '');
----
error 3000(400) Failed to plan SQL: a text that meets a time does not work in the time zone +10:30: use the name of a zone such as Australia/Adelaide

--! timezone=+10:30
SELECT count(*) FROM met WHERE ts >= epoch_ms(0);
----
count(*):Int64
2
