-- The last row of each series in its usual forms, and statements that only look like them.
CREATE TABLE cpu (host STRING, region STRING, usage DOUBLE, at TIMESTAMP(3) TIME INDEX, PRIMARY KEY (host, region));
INSERT INTO cpu VALUES ('a', 'eu', 10, 1000), ('a', 'us', 11, 2000), ('b', 'eu', 12, 1000), ('old', 'eu', 13, 500), (NULL, 'eu', 14, 100);
ADMIN flush_table('cpu');
INSERT INTO cpu VALUES ('a', 'eu', 20, 3000), ('a', 'us', NULL, 2500), ('b', 'eu', 22, 4000);
ADMIN flush_table('cpu');
----
affected 0
--
affected 5
--
ADMIN flush_table('cpu'):UInt64
0
--
affected 3
--
ADMIN flush_table('cpu'):UInt64
0

SELECT * FROM cpu WHERE (host, at) IN (SELECT host, max(at) FROM cpu GROUP BY host) ORDER BY host;
----
host:String | region:String | usage:Float64 | at:TimestampMillisecond
"a" | "eu" | 20.0 | 3000
"b" | "eu" | 22.0 | 4000
"old" | "eu" | 13.0 | 500

SELECT * FROM cpu c WHERE (c.at, c.host) IN (SELECT max(x.at) AS at, x.host FROM cpu x GROUP BY x.host) AND usage > 15 ORDER BY host;
----
host:String | region:String | usage:Float64 | at:TimestampMillisecond
"a" | "eu" | 20.0 | 3000
"b" | "eu" | 22.0 | 4000

SELECT * FROM cpu WHERE (host, region, at) IN (SELECT host, region, max(at) FROM cpu GROUP BY region, host) ORDER BY host, region;
----
host:String | region:String | usage:Float64 | at:TimestampMillisecond
"a" | "eu" | 20.0 | 3000
"a" | "us" | null | 2500
"b" | "eu" | 22.0 | 4000
"old" | "eu" | 13.0 | 500

SELECT * FROM cpu WHERE at IN (SELECT max(at) FROM cpu);
----
host:String | region:String | usage:Float64 | at:TimestampMillisecond
"b" | "eu" | 22.0 | 4000

SELECT host, max(at) FROM cpu GROUP BY host ORDER BY host NULLS LAST;
----
host:String | max(at):TimestampMillisecond
"a" | 3000
"b" | 4000
"old" | 500
null | 100

SELECT max(at) FROM cpu;
----
max(at):TimestampMillisecond
4000

SELECT DISTINCT ON (host) host, region, usage, at FROM cpu ORDER BY host NULLS LAST, at DESC;
----
host:String | region:String | usage:Float64 | at:TimestampMillisecond
"a" | "eu" | 20.0 | 3000
"b" | "eu" | 22.0 | 4000
"old" | "eu" | 13.0 | 500
null | "eu" | 14.0 | 100

SELECT DISTINCT ON (host, region) * FROM cpu ORDER BY host NULLS LAST, region, at DESC;
----
host:String | region:String | usage:Float64 | at:TimestampMillisecond
"a" | "eu" | 20.0 | 3000
"a" | "us" | null | 2500
"b" | "eu" | 22.0 | 4000
"old" | "eu" | 13.0 | 500
null | "eu" | 14.0 | 100

SELECT * FROM cpu QUALIFY row_number() OVER (PARTITION BY host, region ORDER BY at DESC) = 1 ORDER BY host NULLS LAST, region;
----
host:String | region:String | usage:Float64 | at:TimestampMillisecond
"a" | "eu" | 20.0 | 3000
"a" | "us" | null | 2500
"b" | "eu" | 22.0 | 4000
"old" | "eu" | 13.0 | 500
null | "eu" | 14.0 | 100

WITH last AS (SELECT DISTINCT ON (host) * FROM cpu ORDER BY host, at DESC) SELECT host, usage FROM last ORDER BY host NULLS LAST;
----
host:String | usage:Float64
"a" | 20.0
"b" | 22.0
"old" | 13.0
null | 14.0

SELECT c.host, c.usage FROM cpu c JOIN (SELECT host, max(at) AS at FROM cpu GROUP BY host) l ON c.host = l.host AND c.at = l.at ORDER BY 1;
----
host:String | usage:Float64
"a" | 20.0
"b" | 22.0
"old" | 13.0

-- Others need every row.
SELECT host, max(at), count(*) FROM cpu GROUP BY host ORDER BY host NULLS LAST;
----
host:String | max(at):TimestampMillisecond | count(*):Int64
"a" | 3000 | 4
"b" | 4000 | 2
"old" | 500 | 1
null | 100 | 1

SELECT host, min(at) FROM cpu GROUP BY host ORDER BY host NULLS LAST;
----
host:String | min(at):TimestampMillisecond
"a" | 1000
"b" | 1000
"old" | 500
null | 100

SELECT host, max(at) FROM cpu GROUP BY host HAVING count(*) > 1 ORDER BY host;
----
host:String | max(at):TimestampMillisecond
"a" | 3000
"b" | 4000

SELECT host, max(at) FROM cpu GROUP BY host ORDER BY count(*) DESC, host NULLS LAST;
----
host:String | max(at):TimestampMillisecond
"a" | 3000
"b" | 4000
"old" | 500
null | 100

SELECT host, max(at) FILTER (WHERE usage < 15) FROM cpu GROUP BY host ORDER BY host NULLS LAST;
----
host:String | max(at) filter (where usage < 15):TimestampMillisecond
"a" | 2000
"b" | 1000
"old" | 500
null | 100

SELECT host, max(at) FROM cpu WHERE at < 2000 GROUP BY host ORDER BY host NULLS LAST;
----
host:String | max(at):TimestampMillisecond
"a" | 1000
"b" | 1000
"old" | 500
null | 100

SELECT usage, max(at) FROM cpu GROUP BY usage ORDER BY usage NULLS LAST LIMIT 2;
----
usage:Float64 | max(at):TimestampMillisecond
10.0 | 1000
11.0 | 2000

SELECT host, max(at) OVER (PARTITION BY host) AS last FROM cpu ORDER BY host NULLS LAST, last;
----
host:String | last:TimestampMillisecond
"a" | 3000
"a" | 3000
"a" | 3000
"a" | 3000
"b" | 4000
"b" | 4000
"old" | 500
null | 100

SELECT host, arg_max(usage, at) AS last FROM cpu GROUP BY host ORDER BY host NULLS LAST;
----
host:String | last:Float64
"a" | 20.0
"b" | 22.0
"old" | 13.0
null | 14.0

SELECT DISTINCT ON (host) host, at FROM cpu ORDER BY host NULLS LAST, at;
----
host:String | at:TimestampMillisecond
"a" | 1000
"b" | 1000
"old" | 500
null | 100

SELECT DISTINCT ON (host) host, usage FROM cpu ORDER BY host NULLS LAST, usage, at DESC;
----
host:String | usage:Float64
"a" | 10.0
"b" | 12.0
"old" | 13.0
null | 14.0

SELECT DISTINCT ON (host) usage AS host, at FROM cpu ORDER BY host NULLS LAST, at DESC;
----
host:Float64 | at:TimestampMillisecond
10.0 | 1000
11.0 | 2000
12.0 | 1000
13.0 | 500
14.0 | 100
20.0 | 3000
22.0 | 4000
null | 2500

SELECT DISTINCT ON (host) host, count(*) OVER (PARTITION BY host) AS n, at FROM cpu ORDER BY host NULLS LAST, at DESC;
----
host:String | n:Int64 | at:TimestampMillisecond
"a" | 4 | 3000
"b" | 2 | 4000
"old" | 1 | 500
null | 1 | 100

SELECT DISTINCT ON (host) host, at FROM cpu WHERE usage < 15 ORDER BY host NULLS LAST, at DESC;
----
host:String | at:TimestampMillisecond
"a" | 2000
"b" | 1000
"old" | 500
null | 100

SELECT DISTINCT host FROM cpu ORDER BY host NULLS LAST;
----
host:String
"a"
"b"
"old"
null

SELECT host, usage FROM cpu QUALIFY row_number() OVER (PARTITION BY host, region ORDER BY at DESC) = 2 ORDER BY host, usage;
----
host:String | usage:Float64
"a" | 10.0
"a" | 11.0
"b" | 12.0

SELECT host, usage FROM cpu QUALIFY row_number() OVER (PARTITION BY host, region ORDER BY at) = 1 ORDER BY host NULLS LAST, usage;
----
host:String | usage:Float64
"a" | 10.0
"a" | 11.0
"b" | 12.0
"old" | 13.0
null | 14.0

SELECT host, at FROM cpu WHERE (host, at) IN (SELECT host, max(at) FROM cpu WHERE usage < 15 GROUP BY host) ORDER BY host;
----
host:String | at:TimestampMillisecond
"a" | 2000
"b" | 1000
"old" | 500

SELECT host, region, at FROM cpu WHERE (host, at) IN (SELECT host, max(at) FROM cpu GROUP BY host, region) ORDER BY host, region;
----
host:String | region:String | at:TimestampMillisecond
"a" | "eu" | 3000
"a" | "us" | 2500
"b" | "eu" | 4000
"old" | "eu" | 500

SELECT host, region, at FROM cpu WHERE (region, at) IN (SELECT host, max(at) FROM cpu GROUP BY host) ORDER BY host;
----
host:String | region:String | at:TimestampMillisecond

SELECT host, at FROM cpu WHERE (host, at) NOT IN (SELECT host, max(at) FROM cpu WHERE host IS NOT NULL GROUP BY host) ORDER BY host NULLS LAST, at;
----
host:String | at:TimestampMillisecond
"a" | 1000
"a" | 2000
"a" | 2500
"b" | 1000

-- A row that is gone is not the last.
DELETE FROM cpu WHERE host = 'b' AND at = 4000;
----
affected 1

SELECT DISTINCT ON (host) host, usage, at FROM cpu ORDER BY host NULLS LAST, at DESC;
----
host:String | usage:Float64 | at:TimestampMillisecond
"a" | 20.0 | 3000
"b" | 12.0 | 1000
"old" | 13.0 | 500
null | 14.0 | 100

INSERT INTO cpu VALUES ('old', 'eu', 99, 9000);
----
affected 1

SELECT host, max(at) FROM cpu GROUP BY host ORDER BY host NULLS LAST;
----
host:String | max(at):TimestampMillisecond
"a" | 3000
"b" | 1000
"old" | 9000
null | 100
