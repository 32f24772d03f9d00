import t from 'tap'
import { startServer, temporaryFolder } from '../../helpers.ts'
import { type Ask, askServer, startSql, visits } from './fixtures.ts'

const measures = `CREATE TABLE m (host STRING, zone STRING, v DOUBLE, at TIMESTAMP(3) TIME INDEX, PRIMARY KEY (host, zone));
INSERT INTO m VALUES ('a', 'x', 1, 1), ('a', 'x', 2, 2), ('b', NULL, 3, 1), (NULL, NULL, 4, 1), (NULL, 'x', 5, 2)`

const left = async (ask: Ask) => (await ask('SELECT v FROM m ORDER BY v')).rows.flat()

t.test('rows go by key, by condition and all at once, and stay away after a flush', async t => {
  const { ask } = await startSql(t)
  await ask(measures)
  const remove = async (where: string) => (await ask(`DELETE FROM m ${where}`)).body.output
  t.same(await remove("WHERE host = 'a' AND zone = 'x' AND at = 1"), [{ affectedrows: 1 }])
  t.same(await left(ask), [2, 3, 4, 5])
  t.same(await remove("WHERE host = 'a' AND at = 1"), [{ affectedrows: 0 }], 'hidden rows are not found again')
  t.same(await remove('WHERE host IS NULL AND zone IS NULL'), [{ affectedrows: 1 }], 'tags without a value')
  t.same(await left(ask), [2, 3, 5])
  await ask("ADMIN flush_table('m')")
  t.same(await left(ask), [2, 3, 5])
  t.same(await remove('WHERE v >= 5 OR m.zone IS NULL'), [{ affectedrows: 2 }], 'rows in a file')
  t.same(await left(ask), [2])
  await ask("INSERT INTO m VALUES ('b', NULL, 30, 1)")
  t.same(await left(ask), [2, 30], 'a key that was deleted can be written again')
  t.same(await remove(''), [{ affectedrows: 2 }])
  t.same(await left(ask), [])
})

t.test('deleted rows stay away after a restart', async t => {
  const folder = temporaryFolder(t)
  const first = await startServer(t, '', { folder })
  const ask = askServer(first.addresses.main!)
  await ask(`${measures}; ADMIN flush_table('m'); DELETE FROM m WHERE at = 1`)
  await first.close()
  const again = await startServer(t, '', { folder })
  t.same(await left(askServer(again.addresses.main!)), [2, 5])
})

t.test('time indexes of every unit and tags of every kind are keys', async t => {
  const { ask } = await startSql(t)
  for (const unit of [0, 3, 6, 9]) {
    await ask(`CREATE TABLE t${unit} (k STRING, at TIMESTAMP(${unit}) TIME INDEX, PRIMARY KEY (k));
      INSERT INTO t${unit} VALUES ('a', '2024-07-01 10:00:00'), ('a', '2024-07-01 10:00:01')`)
    const { body } = await ask(`DELETE FROM t${unit} WHERE at = '2024-07-01 10:00:01'`)
    t.same(body.output, [{ affectedrows: 1 }], `unit ${unit}`)
    t.same((await ask(`SELECT count(*) FROM t${unit}`)).rows, [[1]], `unit ${unit}`)
  }
  await ask(`CREATE TABLE k (i BIGINT, f DOUBLE, b BOOLEAN, x VARBINARY, d DATE, p DECIMAL(30, 3), q DECIMAL(4, 1), s STRING,
      at TIMESTAMP TIME INDEX, PRIMARY KEY (i, f, b, x, d, p, q, s));
    INSERT INTO k VALUES (-9007199254740993, 0.1, true, X'00ff', '2024-02-29', 1234567890123456789.5, 12.5, 'é', 1),
      (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1), (1, 2, false, X'', '1969-12-31', -0.001, -0.1, '', 1)`)
  t.same((await ask('DELETE FROM k WHERE i < 0 OR i IS NULL')).body.output, [{ affectedrows: 2 }])
  t.same((await ask('SELECT i, s FROM k')).rows, [[1, '']])
})

t.test('a table without tags and names that differ only in case', async t => {
  const { ask } = await startSql(t)
  await ask(`CREATE TABLE "Log" ("Host" STRING, host STRING, "from" TIMESTAMP TIME INDEX, PRIMARY KEY ("Host"));
    INSERT INTO "Log" VALUES ('A', 'b', 1), ('B', 'b', 1);
    CREATE TABLE plain (at TIMESTAMP TIME INDEX, n INT); INSERT INTO plain VALUES (1, 1), (2, 2)`)
  t.same((await ask(`DELETE FROM public."Log" WHERE "Log"."Host" = 'A' AND host = 'b'`)).body.output, [
    { affectedrows: 1 }
  ])
  t.same((await ask('SELECT "Host" FROM "Log"')).rows, [['B']])
  t.same((await ask('DELETE FROM plain WHERE n = 2')).body.output, [{ affectedrows: 1 }])
  t.same((await ask('SELECT n FROM plain')).rows, [[1]])
})

t.test('a condition may look into other tables, and only into tables', async t => {
  const { ask } = await startSql(t)
  await ask(`${measures}; CREATE TABLE gone (host STRING, at TIMESTAMP TIME INDEX); INSERT INTO gone VALUES ('a', 1)`)
  t.same((await ask('DELETE FROM m WHERE host IN (SELECT host FROM gone)')).body.output, [{ affectedrows: 2 }])
  t.same(await left(ask), [3, 4, 5])
  for (const where of [
    "host IN (SELECT content FROM read_text('/etc/passwd'))",
    "EXISTS (SELECT 1 FROM '/etc/passwd')",
    'host IN (SELECT host FROM nope)'
  ]) {
    t.equal((await ask(`DELETE FROM m WHERE ${where}`)).status, 400, where)
  }
  t.same(await left(ask), [3, 4, 5])
})

t.test('a DELETE that cannot be carried out says why and changes nothing', async t => {
  const { ask } = await startSql(t, '[plugins.sql]\ndelete_limit = 3\n')
  await ask(`${measures}; CREATE TABLE logs (s STRING, at TIMESTAMP TIME INDEX) WITH (append_mode = 'true')`)
  const cases: [string, number, RegExp | string][] = [
    ['DELETE FROM logs', 1004, /DELETE is not allowed under append mode/],
    ['DELETE FROM nope', 4001, 'Table not found: svc.public.nope'],
    ['DELETE FROM m WHERE nope = 1', 3000, /No field named nope/],
    ['DELETE FROM m', 1004, /more than 3 rows, the limit of plugins\.sql\.delete_limit; nothing was deleted/],
    ['DELETE FROM information_schema.tables', 1001, 'Schema `information_schema` is read-only'],
    ['DELETE m', 2000, /expected FROM, found m/],
    ['DELETE FROM m WHERE', 2000, /expected a condition/],
    ['DELETE FROM m USING gone', 2000, 'expected the end of the statement, found USING at line 1, column 15'],
    [
      "DELETE FROM m WHERE v = 1) UNION SELECT host, zone, at FROM m WHERE (host = 'b'",
      2000,
      /expected end of statement/
    ],
    ['DELETE FROM m WHERE v = 1 LIMIT 1', 2000, /LIMIT/],
    ['DELETE FROM m WHERE v = 1 UNION SELECT host, zone, at FROM m', 2000, /UNION/]
  ]
  for (const [sql, code, error] of cases) {
    const { status, body } = await ask(sql)
    t.equal(status, 400, sql)
    t.match(body, { code, error }, sql)
  }
  t.same(await left(ask), [1, 2, 3, 4, 5])
  t.same((await ask('DELETE FROM m WHERE at = 1')).body.output, [{ affectedrows: 3 }])
})

t.test('to delete is to write; to say which rows is to read', async t => {
  const { ask } = await startSql(t, 'user_provider = "static_user_provider:cmd:rw=a,reader:ro=a,writer:wo=a"\n')
  const as = (user: string) => ({ authorization: `Basic ${Buffer.from(`${user}:a`).toString('base64')}` })
  await ask(visits, {}, as('rw'))
  const denied = { status: 403, body: { code: 7006 } }
  t.match(await ask('DELETE FROM visits', {}, as('reader')), denied)
  t.match(await ask('DELETE FROM visits WHERE n = (SELECT max(n) FROM visits)', {}, as('writer')), denied)
  t.match(await ask('DELETE FROM visits WHERE n = 42', {}, as('writer')), denied)
  t.match((await ask('DELETE FROM visits WHERE n = 42', {}, as('rw'))).body, { output: [{ affectedrows: 1 }] })
  t.same((await ask('SELECT count(*) FROM visits', {}, as('rw'))).rows, [[1]])
  t.match((await ask('DELETE FROM visits', {}, as('writer'))).body, { output: [{ affectedrows: 1 }] })
  t.same((await ask('SELECT count(*) FROM visits', {}, as('rw'))).rows, [[0]])
})

t.test('many rows are hidden in one go', async t => {
  const { ask } = await startSql(t)
  const rows = 300_000
  await ask('CREATE TABLE big (k STRING, n BIGINT, at TIMESTAMP TIME INDEX, PRIMARY KEY (k))')
  for (let from = 0; from < rows; from += 100_000) {
    const made = `SELECT 'k' || (n % 100)::VARCHAR AS k, n, make_timestamp(n * 1000) AS at FROM range(${from}, ${from + 100_000}) r(n)`
    t.same((await ask(`INSERT INTO big (k, n, at) ${made}`)).body.output, [{ affectedrows: 100_000 }])
  }
  t.same((await ask('DELETE FROM big WHERE n <> 7')).body.output, [{ affectedrows: rows - 1 }])
  t.same((await ask('SELECT n FROM big')).rows, [[7]])
})
