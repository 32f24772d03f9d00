import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { eventually } from '../../eventually.ts'
import { startServer } from '../../helpers.ts'
import { askServer, visits } from './fixtures.ts'

t.test('COPY follows no link out of the export folder, and leaves no half file', async t => {
  const home = t.testdir({ data: {}, secret: { 'x.csv': 'site,at\nleaked,1\n' } })
  const server = await startServer(t, '', { folder: join(home, 'data') })
  const ask = askServer(server.addresses.main!)
  await ask(visits)
  const folder = join(server.core.config.storage.data_home, 'export')
  mkdirSync(folder, { recursive: true })
  symlinkSync(join(home, 'secret'), join(folder, 'folder'))
  symlinkSync(join(home, 'secret', 'x.csv'), join(folder, 'file.csv'))
  for (const sql of [
    "COPY visits FROM 'folder/x.csv'",
    "COPY visits FROM 'file.csv'",
    "COPY visits TO 'folder/y.csv'",
    "COPY visits TO 'file.csv'",
    `COPY visits TO '${join(folder, 'folder', 'y.csv')}'`
  ]) {
    t.match((await ask(sql)).body, { code: 1004, error: /links are not followed/ }, sql)
  }
  t.same(readdirSync(join(home, 'secret')), ['x.csv'])
  t.same((await ask('SELECT count(*) FROM visits')).rows, [[2]])
  writeFileSync(join(folder, 'broken.parquet'), 'PAR1 this is none')
  t.match((await ask("COPY visits FROM 'broken.parquet'")).body, { code: 1004 })
  t.notMatch((await ask("COPY visits FROM 'broken.parquet'")).text, home, 'errors do not tell where the folder is')
  t.match((await ask("COPY (SELECT CAST(site AS INT) AS n FROM visits) TO 'never.csv'")).body, { code: 1004 })
  t.same(
    readdirSync(folder).filter(name => !['folder', 'file.csv', 'broken.parquet'].includes(name)),
    []
  )
  t.same((await ask(`COPY visits TO '${join(folder, 'whole.parquet')}'`)).body.output, [{ affectedrows: 2 }])
})

t.test('a running query is listed and can be killed', async t => {
  const server = await startServer(t)
  const ask = askServer(server.addresses.main!)
  const slow = ask('SELECT count(*) FROM range(100000000000) a(i), range(1000) b(j) WHERE hash(i + j) = 1')
  const id = await eventually(async () => {
    const { rows } = await ask('SHOW FULL PROCESSLIST')
    return rows.find(row => String(row[3]).startsWith('SELECT count(*) FROM range'))?.[0]
  })
  t.same((await ask(`KILL ${id}`)).body.output, [{ affectedrows: 1 }])
  t.match((await slow).body, { code: 1005, error: `query ${id} was killed` })
  t.match((await ask(`KILL ${id}`)).body, { code: 1004 })
  t.equal((await ask('SHOW PROCESSLIST')).rows.length, 1, 'only the one that asks')
  const [[, , , , , , start] = []] = (await ask("SHOW FULL PROCESSLIST LIKE '%'")).rows
  t.ok(Math.abs(Date.now() - Number(start)) < 600_000, 'a filter keeps its time')
})

t.test('INSERT … SELECT of many rows keeps little of them in memory', async t => {
  const server = await startServer(t, '[storage]\nmemtable_size = "16MiB"\nmemtable_limit = "64MiB"')
  const ask = askServer(server.addresses.main!)
  await ask("CREATE TABLE big (n BIGINT, word STRING, at TIMESTAMP(3) TIME INDEX) WITH (append_mode = 'true')")
  const before = process.memoryUsage().rss
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, 20)
  const { body } = await ask("INSERT INTO big SELECT i, 'a word of some length ' || i, i FROM range(600000) t(i)")
  clearInterval(timer)
  t.same(body.output, [{ affectedrows: 600_000 }])
  t.same((await ask('SELECT count(*), max(n) FROM big')).rows, [[600_000, 599_999]])
  t.ok(most - before < 500e6, `${Math.round((most - before) / 1e6)} MB more at most`)
})
