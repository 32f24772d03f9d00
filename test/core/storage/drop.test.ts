// Tables and databases go while a flush runs, and with more series than can be removed at once.
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Table } from '../../../core/model/table.ts'
import type { Engine } from '../../../core/storage/engine.ts'
import { eventually } from '../../eventually.ts'
import { createTable, makeEngine, never, onlyWhenTold, openEngine, put, select, temporaryFolder } from './fixtures.ts'

const filesOf = (dir: string) => globSync('**/*.parquet', { cwd: dir })

async function fill(engine: Engine, count: number): Promise<Table[]> {
  const tables: Table[] = []
  for (let i = 0; i < count; i++) {
    tables.push(await createTable(engine, `t${i}`))
    await put(engine, tables[i]!, [
      { host: 'a', at: 1, n: i },
      { host: 'b', at: 2, n: i }
    ])
  }
  return tables
}

t.test('a table is dropped, and another truncated, while a flush is at others', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir, { sync: 'none', ...onlyWhenTold })
  const tables = await fill(engine, 120)
  const [dropped, truncated] = [tables[119]!, tables[118]!]
  let isOver = false
  const flush = engine.maintain({ kind: 'flush' }, never).finally(() => {
    isOver = true
  })
  await eventually(() => filesOf(dir).length > 0)
  await engine.catalog.dropTable(dropped)
  const emptied = await engine.catalog.changeTable(truncated, { kind: 'truncate' })
  await put(engine, emptied, [{ host: 'b', at: 3, n: 7 }])
  t.equal(isOver, false, 'neither waits for the flush')
  await flush
  const sum = 'SELECT count(*), sum(n) FROM @'
  t.same(await select(engine, emptied, sum), [[1, '7']])
  t.equal(filesOf(dir).length, 118, 'no file of what is gone')
  await engine.maintain({ kind: 'flush' }, never)
  await engine.close()
  const again = await openEngine(t, dir, onlyWhenTold)
  t.equal(again.catalog.table('public', dropped.name), undefined)
  t.same(await select(again, again.catalog.table('public', truncated.name)!, sum), [[1, '7']])
  t.same(await select(again, again.catalog.table('public', 't117')!, sum), [[2, '234']])
})

t.test('whenever tables go during a flush, what stays is right, also after a start', async t => {
  const dir = temporaryFolder(t)
  let engine = await openEngine(t, dir, { sync: 'none', ...onlyWhenTold })
  const expected = new Map<string, number | undefined>()
  for (let round = 0; round < 12; round++) {
    const tables: Table[] = []
    for (let i = 0; i < 6; i++) {
      const table = await createTable(engine, `r${round}_${i}`, i % 2 === 1 ? { append_mode: true } : {})
      await put(engine, table, [{ host: `h${round}`, at: 1 }])
      tables.push(table)
      expected.set(table.name, 1)
    }
    const flush = engine.maintain({ kind: 'flush' }, never)
    for (let i = 0; i < round; i++) await turn()
    const change = async (table: Table, i: number) => {
      for (let wait = 0; wait < (i * round) % 7; wait++) await turn()
      if (i % 3 === 0) {
        await engine.catalog.dropTable(table)
        expected.set(table.name, undefined)
      } else if (i % 3 === 1) {
        const changed = await engine.catalog.changeTable(table, { kind: 'truncate' })
        await put(engine, changed, [
          { host: 'new', at: 2 },
          { host: 'other', at: 2 }
        ])
        expected.set(table.name, 2)
      } else {
        await put(engine, table, [{ host: 'more', at: 5 }])
        expected.set(table.name, 2)
      }
    }
    await Promise.all([flush, ...tables.map(change)])
    await compare(t, engine, expected, `round ${round}`)
    if (round % 6 !== 5) continue
    await engine.close()
    engine = await openEngine(t, dir, { sync: 'none', ...onlyWhenTold })
    await compare(t, engine, expected, `round ${round}, started again`)
  }
})

async function compare(t: Test, engine: Engine, expected: ReadonlyMap<string, number | undefined>, when: string) {
  const found = new Map<string, number | undefined>()
  for (const name of expected.keys()) {
    const table = engine.catalog.table('public', name)
    found.set(name, table && Number((await select(engine, table, 'SELECT count(*) FROM @'))[0]![0]))
  }
  t.same(found, expected, when)
}

/** What `work` returns for a catalog that no server has open. */
function inCatalog<T>(dir: string, work: (catalog: DatabaseSync) => T): T {
  const catalog = new DatabaseSync(join(dir, 'catalog.db'))
  try {
    return work(catalog)
  } finally {
    catalog.close()
  }
}

t.test('series of a dropped table go in parts, at the next start where the server ended before', async t => {
  const dir = temporaryFolder(t)
  const rows = Array.from({ length: 12_000 }, (_, i) => ({ host: `h${i}`, at: 1 }))
  const seriesOf = (id: number) =>
    inCatalog(dir, catalog => catalog.prepare('SELECT count(*) AS n FROM series WHERE table_id = ?').get(id)!['n'])
  const run = async (work: (engine: Engine) => Promise<unknown>) => {
    const engine = makeEngine(dir, { sync: 'none', ...onlyWhenTold })
    await engine.open()
    await work(engine)
    await engine.close()
  }
  let tables: readonly Table[] = []
  await run(async engine => {
    tables = await fill(engine, 3)
    for (const table of tables) await put(engine, table, rows)
  })
  const [dropped, ended, kept] = tables.map(({ id }) => id) as [number, number, number]
  t.same([dropped, ended, kept].map(seriesOf), [12_002, 12_002, 12_002])
  await run(engine => engine.catalog.dropTable(tables[0]!))
  t.same([dropped, ended, kept].map(seriesOf), [0, 12_002, 12_002])
  // As a kill after the first transaction of a drop leaves it.
  inCatalog(dir, catalog => {
    for (const name of ['columns', 'files']) catalog.exec(`DELETE FROM ${name} WHERE table_id = ${ended}`)
    catalog.exec(`DELETE FROM tables WHERE id = ${ended}`)
  })
  await run(async engine => {
    t.equal(engine.catalog.table('public', 't1'), undefined)
    t.same(await select(engine, engine.catalog.table('public', 't2')!, 'SELECT count(DISTINCT host) FROM @'), [
      [12_002]
    ])
  })
  t.same([dropped, ended, kept].map(seriesOf), [0, 0, 12_002])
})

t.test('a database with many tables, logical ones among them, goes as a whole', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir, { sync: 'none', ...onlyWhenTold })
  await engine.catalog.createDatabase('many', {})
  const columns = [
    { name: 'at', type: 'TimestampMillisecond', semantic: 'timestamp', nullable: false },
    { name: 'n', type: 'Float64', semantic: 'field', nullable: true }
  ] as const
  await engine.catalog.changeTables(
    Array.from({ length: 700 }, (_, i) => ({
      kind: 'create' as const,
      definition: {
        database: 'many',
        name: `m${i}`,
        columns,
        options: i % 2 === 0 ? { physical_table: `physical${i % 3}` } : {}
      }
    }))
  )
  t.equal(engine.catalog.tables('many').length, 703)
  await engine.catalog.dropDatabase('many')
  t.equal(engine.catalog.database('many'), undefined)
  t.same(engine.catalog.tables('many'), [])
  await engine.close()
  const again = await openEngine(t, dir, onlyWhenTold)
  t.equal(again.catalog.database('many'), undefined)
})
