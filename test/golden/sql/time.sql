-- Times: buckets, truncation, zones, literals, intervals.
CREATE TABLE m (host STRING, v DOUBLE, at TIMESTAMP(3) TIME INDEX, PRIMARY KEY (host));
CREATE TABLE fine (v BIGINT, at TIMESTAMP(9) TIME INDEX);
INSERT INTO m VALUES
  ('a', 1, '2024-03-31 00:30:00'), ('a', 2, '2024-03-31 01:30:00'), ('a', 3, '2024-03-31 23:59:59.999'), ('a', 4, '2024-04-01 00:00:00'),
  ('b', 5, '2024-04-01T12:34:56.789Z'), ('b', 6, '2024-04-01T12:34:56.789+02:00');
INSERT INTO fine VALUES (1, 1711843200000000001), (2, '2024-03-31T00:00:00.000000002Z');
----
affected 0
--
affected 0
--
affected 6
--
affected 2

SELECT date_trunc('month', at) AS month, count(*) AS n FROM m GROUP BY month ORDER BY month;
----
month:TimestampMicrosecond | n:Int64
1709251200000000 | 3
1711929600000000 | 3

SELECT date_trunc('minute', at) AS minute, v FROM m WHERE host = 'b' ORDER BY v;
----
minute:TimestampMicrosecond | v:Float64
1711974840000000 | 5.0
1711967640000000 | 6.0

SELECT time_bucket(INTERVAL '6 hours', at) AS bucket, avg(v) AS v FROM m GROUP BY bucket ORDER BY bucket;
----
bucket:TimestampMicrosecond | v:Float64
1711843200000000 | 1.5
1711908000000000 | 3.0
1711929600000000 | 4.0
1711951200000000 | 6.0
1711972800000000 | 5.0

SELECT v FROM m WHERE at >= '2024-04-01' ORDER BY v;
----
v:Float64
4.0
5.0
6.0

--! timezone=Europe/Berlin
SELECT v FROM m WHERE at >= '2024-04-01' ORDER BY v;
----
v:Float64
3.0
4.0
5.0
6.0

--! timezone=+05:30
SELECT v FROM m WHERE at < '2024-03-31 06:00:00';
----
v:Float64

SELECT v FROM m WHERE at >= '2024-04-01T00:00:00Z' AND at < TIMESTAMP '2024-04-01 11:00:00' ORDER BY v;
----
v:Float64
4.0
6.0

SELECT v FROM m WHERE at = 1711929600000;
----
v:Float64
4.0

SELECT v FROM m WHERE at > now() - INTERVAL '1 day';
----
v:Float64

SELECT at + INTERVAL '1 hour 30 minutes' AS later, at - INTERVAL 1 DAY AS earlier FROM m WHERE v = 4;
----
later:TimestampMicrosecond | earlier:TimestampMicrosecond
1711935000000000 | 1711843200000000

SELECT extract(hour FROM at) AS hour, date_part('dow', at) AS dow, year(at) AS year FROM m WHERE v = 5;
----
hour:Int64 | dow:Int64 | year:Int64
12 | 1 | 2024

SELECT strftime(at, '%Y-%m-%d %H:%M:%S') AS text FROM m WHERE v = 3;
----
text:String
"2024-03-31 23:59:59"

SELECT to_timestamp(1711929600) AS t;
----
t:TimestampMicrosecond
1711929600000000

SELECT epoch(at) AS s, epoch_ms(at) AS ms, epoch_ns(at) AS ns FROM m WHERE v = 5;
----
s:Float64 | ms:Int64 | ns:Int64
1711974896.789 | 1711974896789 | 1711974896789000000

SELECT v, at FROM fine ORDER BY at;
----
v:Int64 | at:TimestampNanosecond
1 | 1711843200000000001
2 | 1711843200000000002

SELECT v FROM fine WHERE at > 1711843200000000001;
----
v:Int64
2

SELECT min(at) AS first, max(at) AS last, max(at) - min(at) AS span FROM m;
----
first:TimestampMillisecond | last:TimestampMillisecond | span:IntervalMonthDayNano
1711845000000 | 1711974896789 | "1 day 12:04:56.789"

SELECT DATE '2024-02-29' AS d, DATE '2024-02-29' + 1 AS next, TIME '12:34:56.5' AS t, INTERVAL '1 month 2 days 3 seconds' AS i;
----
d:Date | next:Date | t:TimeMicrosecond | i:IntervalMonthDayNano
19782 | 19783 | 45296500000 | "1 month 2 days 00:00:03"

SELECT '2024-07-01 10:00:00+02:00'::TIMESTAMPTZ AS t;
----
t:TimestampMicrosecond
1719820800000000

--! timezone=America/New_York
SELECT '2024-07-01 10:00:00'::TIMESTAMPTZ AS t, epoch(date_trunc('day', '2024-07-01 10:00:00'::TIMESTAMPTZ)) AS day;
----
t:TimestampMicrosecond | day:Float64
1719842400000000 | 1719806400.0

SELECT date_diff('minute', min(at), max(at)) AS minutes FROM m;
----
minutes:Int64
2164

SET time_zone = 'Asia/Tokyo'; SELECT v FROM m WHERE at < '2024-03-31 10:00:00'; SHOW VARIABLES time_zone;
----
affected 0
--
v:Float64
1.0
--
TIME_ZONE:String
"Asia/Tokyo"

SET time_zone = 'Mars/Base';
----
error 1004(400) unknown time zone Mars/Base, expected an IANA name such as Europe/Berlin, an offset such as +02:00, or SYSTEM

--! timezone=Mars/Base
SELECT 1;
----
error 1004(400) header x-svc-timezone: unknown time zone Mars/Base, expected an IANA name such as Europe/Berlin, an offset such as +02:00, or SYSTEM

SELECT v FROM m WHERE at > 'yesterday';
----
error 3000(400) Failed to plan SQL: 'yesterday' is not a time at line 1, column 28

-- Members of structs are what was put into them, wherever a query passes them on.
CREATE TABLE struct_times (ts TIMESTAMP(3) TIME INDEX, s STRING, n BIGINT);
INSERT INTO struct_times VALUES (1000, '1970-01-01 01:00:02', 1), (5000, '1970-01-01 01:00:04', 2);
----
affected 0
--
affected 2

--! timezone=Europe/Berlin
SELECT struct_pack(t := ts, n := n)['t'] = '1970-01-01 01:00:01' AS a, {'t': ts}.t < '1970-01-01 01:00:01' AS b, {t: s}.t = '1970-01-01 01:00:02' AS f, struct_pack("T" := ts).t = 1000 AS c, struct_extract(struct_pack(t := ts), 't') = '1970-01-01 01:00:01' AS d, [{'t': ts}][1].t = 1000 AS e FROM struct_times ORDER BY ts LIMIT 1;
----
a:Boolean | b:Boolean | f:Boolean | c:Boolean | d:Boolean | e:Boolean
true | false | true | true | true | true

--! timezone=Europe/Berlin
SELECT last['time'] = '1970-01-01 01:00:05' AS a, l.last.time > '1970-01-01 01:00:04' AS b, (last).time > 4999 AS c, list_transform([last], x -> x.time = 5000) AS d FROM (SELECT selector_last(n, ts) AS last FROM struct_times) AS l;
----
a:Boolean | b:Boolean | c:Boolean | d:List<Boolean>
true | true | true | [true]

--! timezone=Europe/Berlin
SELECT min(l.s.t) = '1970-01-01 01:00:01' AS a FROM (SELECT struct_pack(t := ts) AS s FROM struct_times UNION ALL SELECT struct_pack(t := ts) FROM struct_times) AS l;
----
a:Boolean
true

-- A union of times and of what may be text is one of times.
--! timezone=Europe/Berlin
SELECT ts FROM struct_times UNION ALL SELECT struct_pack(a := s).a FROM struct_times ORDER BY 1;
----
ts:TimestampMillisecond
1000
2000
4000
5000

--! timezone=Europe/Berlin
SELECT list_any_value([s]) AS ts FROM struct_times UNION SELECT ts FROM struct_times ORDER BY ts;
----
ts:TimestampMicrosecond
1000000
2000000
4000000
5000000

SELECT ts FROM struct_times UNION ALL SELECT n + n FROM struct_times;
----
error 3000(400) Failed to plan SQL: no BIGINT becomes a TIMESTAMP(6) at line 1, column 50

SELECT ts FROM struct_times UNION ALL SELECT NULL FROM struct_times UNION ALL SELECT DATE '1970-01-02' ORDER BY 1 NULLS FIRST;
----
ts:TimestampMillisecond
null
null
1000
5000
86400000

-- What is made a time is found in parentheses of any depth.
--! timezone=Europe/Berlin
SELECT ts FROM struct_times UNION ALL SELECT CAST((s) AS VARCHAR) FROM struct_times UNION ALL SELECT CAST(CAST((s) AS VARCHAR) AS VARCHAR) FROM struct_times UNION ALL SELECT trim((s)) FROM struct_times UNION ALL SELECT ([[(s)]])[1][1] FROM struct_times ORDER BY 1;
----
ts:TimestampMicrosecond
1000000
2000000
2000000
2000000
2000000
4000000
4000000
4000000
4000000
5000000

--! timezone=Europe/Berlin
SELECT ts FROM struct_times WHERE ts > CAST((SELECT min(s) FROM struct_times) AS VARCHAR) AND ts > CAST(((s)) AS TEXT) AND ts > overlay((s) PLACING '197' FROM 1) AND ts > substring(((s)) FROM 1 FOR 40);
----
ts:TimestampMillisecond
5000
