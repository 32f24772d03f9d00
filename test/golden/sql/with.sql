-- Names of common tables and of subqueries are names, also where a function has the same and columns are listed behind it.
CREATE TABLE t (v INT, at TIMESTAMP(3) TIME INDEX);
INSERT INTO t VALUES (1, 1), (2, 2);
----
affected 0
--
affected 2

WITH stats (a, b) AS (SELECT v, at FROM t) SELECT a FROM stats ORDER BY b;
----
a:Int32
1
2

WITH query(a) AS (SELECT 1), summary(n) AS (SELECT a + 1 FROM query) SELECT n FROM summary;
----
n:Int32
2

WITH RECURSIVE getenv(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM getenv WHERE n < 3) SELECT max(n) FROM getenv;
----
max(n):Int32
3

WITH glob(n) AS (SELECT 1), at AS (SELECT 2 AS left) SELECT glob.n, at.left FROM glob, at;
----
n:Int32 | left:Int32
1 | 2

SELECT stats.x, query.y FROM (SELECT 1) AS stats(x), (SELECT 2) query(y);
----
x:Int32 | y:Int32
1 | 2

SELECT pragma_settings.x FROM t AS pragma_settings(x, y) ORDER BY 1;
----
x:Int32
1
2

-- The function stays out of reach beside them.
WITH query(a) AS (SELECT 1) SELECT * FROM query('SELECT 1');
----
error 1001(400) table function query is not allowed: a query reads tables of this server only

WITH stats(a) AS (SELECT 1) SELECT stats(a) FROM stats;
----
error 1001(400) function stats is not allowed: a query reads tables of this server only

WITH a AS (SELECT * FROM query('SELECT 1')) SELECT * FROM a;
----
error 1001(400) table function query is not allowed: a query reads tables of this server only

SELECT * FROM t AS read_text(v, at), read_text('/etc/passwd');
----
error 1001(400) table function read_text is not allowed: a query reads tables of this server only

SELECT getenv(x) FROM (SELECT 'HOME') AS getenv(x);
----
error 3000(400) Failed to plan SQL: there is no function getenv at line 1, column 8

