import { cpSync } from 'node:fs'
import { join } from 'node:path'
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

t.test('rows whose generation ends while a flush is under way are in files or in the log, not in both', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir)
  const note = { name: 'note', semantic: 'field', nullable: true } as const
  const names = ['a', 'b', 'c', 'd', 'e', 'last']
  const tables = []
  for (const name of names) tables.push(await createTable(engine, name, { append_mode: true }, false))
  const now = (name: string) => engine.catalog.table('public', name)!
  const write = (name: string, at: number) =>
    engine.write([{ table: now(name), rows: 1, columns: [times('at', [at])], op: 'put' }], never)
  for (let round = 0; round < 5; round++) {
    for (const name of names) await write(name, round * 2)
    // The tables before keep the flush busy while rows of the last one come and their generation ends.
    const flushing = engine.maintain({ kind: 'flush' }, never)
    await write('last', round * 2 + 1)
    const type = round % 2 === 0 ? 'Json' : 'String'
    await engine.catalog.changeTable(now('last'), {
      kind: 'modify_column',
      name: 'note',
      definition: { ...note, type }
    })
    await flushing
    const crashed = join(temporaryFolder(t), 'crashed')
    cpSync(dir, crashed, { recursive: true })
    const after = await openEngine(t, crashed)
    const rows = await select(
      after,
      after.catalog.table('public', 'last')!,
      'SELECT count(*), count(DISTINCT "at") FROM @'
    )
    t.same(rows, [[2 * round + 2, 2 * round + 2]], `round ${round}`)
    await after.close()
  }
})
