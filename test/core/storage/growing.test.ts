import t from 'tap'
import { createTable, fixed, never, openEngine, select, temporaryFolder, times } from './fixtures.ts'

t.test('values of new columns are kept while queries take rows over', async t => {
  const engine = await openEngine(t, temporaryFolder(t), { sync: 'none' })
  const created = await createTable(engine, 'growing', {}, false)
  const table = () => engine.catalog.table('public', 'growing')!
  let writing = true
  const read = async () => {
    while (writing) await select(engine, table(), 'SELECT count(*) FROM @')
  }
  const readers = [read(), read()]
  const rounds = 150
  for (let i = 0; i < rounds; i++) {
    const name = `k${i}`
    const columns = [{ name, type: 'Int64', semantic: 'field', nullable: true }] as const
    const wider = await engine.catalog.changeTable(table(), { kind: 'add_columns', columns })
    const values = fixed(name, 'Int64', BigInt64Array.of(BigInt(i)))
    await engine.write([{ table: wider, rows: 1, columns: [times('at', [i]), values], op: 'put' }], never)
  }
  writing = false
  await Promise.all(readers)
  const counts = Array.from({ length: rounds }, (_, i) => `count(k${i})`).join(' + ')
  t.same(await select(engine, table(), `SELECT ${counts} FROM @`), [[rounds]])
  await engine.maintain({ kind: 'flush', table: created }, never)
  t.same(await select(engine, table(), `SELECT ${counts} FROM @`), [[rounds]])
})
