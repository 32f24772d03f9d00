-- date_bin: bins of any width from any origin.
CREATE TABLE m (host STRING, v DOUBLE, at TIMESTAMP(3) TIME INDEX, PRIMARY KEY (host));
INSERT INTO m VALUES
  ('a', 1, '2024-03-31 00:30:00'), ('a', 2, '2024-03-31 01:30:00'), ('a', 3, '2024-03-31 23:59:59.999'), ('a', 4, '2024-04-01 00:00:00'),
  ('b', 5, '2024-04-01T12:34:56.789Z'), ('b', 6, '2024-04-01T12:34:56.789+02:00');
----
affected 0
--
affected 6

SELECT date_bin(INTERVAL '1 hour', at) AS hour, sum(v) AS v FROM m GROUP BY hour ORDER BY hour;
----
hour:TimestampMillisecond | v:Float64
1711843200000 | 1.0
1711846800000 | 2.0
1711926000000 | 3.0
1711929600000 | 4.0
1711965600000 | 6.0
1711972800000 | 5.0

SELECT date_bin(INTERVAL '90 minutes', at, TIMESTAMP '2024-03-31 00:15:00') AS bin, count(*) AS n FROM m GROUP BY bin ORDER BY bin;
----
bin:TimestampMillisecond | n:Int64
1711844100000 | 2
1711925100000 | 2
1711962900000 | 1
1711973700000 | 1

SELECT date_bin('1 day'::INTERVAL, at) AS day, max(v) AS v FROM m GROUP BY 1 ORDER BY 1;
----
day:TimestampMillisecond | v:Float64
1711843200000 | 3.0
1711929600000 | 6.0

SELECT date_bin(INTERVAL '0 seconds', at) FROM m;
----
error 3000(400) Failed to plan SQL: Period must be greater than 0

SELECT host, date_bin(INTERVAL '1 day', at) AS day, first_value(v ORDER BY at) AS a, last_value(v ORDER BY at) AS b FROM m GROUP BY host, day ORDER BY host, day;
----
host:String | day:TimestampMillisecond | a:Float64 | b:Float64
"a" | 1711843200000 | 1.0 | 3.0
"a" | 1711929600000 | 4.0 | 4.0
"b" | 1711929600000 | 6.0 | 5.0
