import t from 'tap'
import { type Ask, startSql } from './fixtures.ts'

const columns = 'host STRING, at TIMESTAMP(3) TIME INDEX, v DOUBLE, PRIMARY KEY (host)'
const two = `CREATE TABLE up (${columns}) WITH (on_physical_table = 'metrics');
  CREATE TABLE load (${columns}) WITH (physical_table = 'metrics');
  INSERT INTO up VALUES ('a', 1, 1), ('b', 1, 2), ('b', 2, 3);
  INSERT INTO load VALUES ('a', 1, 10), ('b', 1, 20)`

const rows = async (ask: Ask, table: string) => (await ask(`SELECT host, v FROM ${table} ORDER BY v`)).rows

t.test('a table over a physical one is a table like any other', async t => {
  const { ask } = await startSql(t)
  await ask(two)
  t.same((await ask('SHOW TABLES')).rows.flat(), ['load', 'metrics', 'up'])
  t.same(
    (await ask('DESC TABLE up')).rows.map(([name]) => name),
    ['host', 'at', 'v']
  )
  t.match((await ask('SHOW CREATE TABLE up')).rows[0]![1], /ENGINE=metric\nWITH\(\n {2}physical_table = 'metrics'\n\)/)
  for (const place of ['in memory', 'in a file']) {
    t.same(
      await rows(ask, 'up'),
      [
        ['a', 1],
        ['b', 2],
        ['b', 3]
      ],
      place
    )
    t.same(
      await rows(ask, 'load'),
      [
        ['a', 10],
        ['b', 20]
      ],
      place
    )
    const joined = await ask(
      'SELECT up.host, up.v, load.v FROM up JOIN load ON up.host = load.host AND up.at = load.at ORDER BY 1'
    )
    t.same(
      joined.rows,
      [
        ['a', 1, 10],
        ['b', 2, 20]
      ],
      place
    )
    await ask("ADMIN flush_table('up')")
  }
})

t.test('rows go by key and by condition, from their table alone', async t => {
  const { ask } = await startSql(t)
  await ask(two)
  t.same((await ask("DELETE FROM up WHERE host = 'b' AND at = 1")).body.output, [{ affectedrows: 1 }])
  await ask("ADMIN flush_table('up')")
  t.same((await ask('DELETE FROM up WHERE v > 2')).body.output, [{ affectedrows: 1 }])
  for (const _ of ['in memory', 'in a file']) {
    t.same(await rows(ask, 'up'), [['a', 1]])
    t.same(await rows(ask, 'load'), [
      ['a', 10],
      ['b', 20]
    ])
    await ask("ADMIN flush_table('up'); ADMIN compact_table('up')")
  }
  t.same((await ask('DELETE FROM load')).body.output, [{ affectedrows: 2 }])
  t.same([await rows(ask, 'load'), await rows(ask, 'up')], [[], [['a', 1]]])
})

t.test('dropping one leaves the others; the physical one goes last', async t => {
  const { ask } = await startSql(t)
  await ask(two)
  t.match((await ask('DROP TABLE metrics')).body, { code: 1004, error: /holds 2 logical tables and cannot be dropped/ })
  await ask('DROP TABLE up')
  t.match((await ask('SELECT * FROM up')).body, { code: 4001 })
  t.same(await rows(ask, 'load'), [
    ['a', 10],
    ['b', 20]
  ])
  await ask(`CREATE TABLE up (${columns}) WITH (on_physical_table = 'metrics')`)
  t.same(await rows(ask, 'up'), [], 'a new one of the name is empty')
  t.equal((await ask('DROP TABLE up; DROP TABLE load; DROP TABLE metrics')).status, 200)
  t.same((await ask('SHOW TABLES')).rows, [])
})

t.test('the option has two names and one value', async t => {
  const { ask } = await startSql(t)
  const both = await ask(`CREATE TABLE up (${columns}) WITH (physical_table = 'a', on_physical_table = 'b')`)
  t.match(both.body, { code: 1004, error: /physical_table is given twice, as a and as b/ })
  const none = await ask(`CREATE TABLE up (${columns}) WITH (on_physical_table = '')`)
  t.match(none.body, { code: 1004, error: /on_physical_table: the name of a table is empty/ })
})
