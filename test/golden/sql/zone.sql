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
day:TimestampMicrosecond | n:Int64
1719763200000000 | 4

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

