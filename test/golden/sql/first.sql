-- The runner itself: rows, several answers, errors, users, parameters.
CREATE TABLE visits (site STRING, n BIGINT, load DOUBLE, at TIMESTAMP(3) TIME INDEX, PRIMARY KEY (site));
INSERT INTO visits VALUES ('north', 42, 1, '2024-07-01 10:00:00'), ('south', 9007199254740993, NULL, 1719830400000);
----
affected 0
--
affected 2

--! sorted
SELECT * FROM visits;
----
site:String | n:Int64 | load:Float64 | at:TimestampMillisecond
"south" | 9007199254740993 | null | 1719830400000
"north" | 42 | 1.0 | 1719828000000

SELECT nope FROM visits;
----
error 3000(400) No field named nope

--! user=ro
INSERT INTO visits (at) VALUES (1);
----
error 7006(403) not authorized

--! timezone=+05:30 format=csvWithNames
SELECT epoch_ms(TIMESTAMP '2024-07-01 00:00:00') AS zero;
----
zero
1719772200000

