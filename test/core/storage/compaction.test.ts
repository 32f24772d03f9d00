import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { eventually } from '../../eventually.ts'
import { createTable, never, onlyWhenTold, openEngine, put, select, temporaryFolder } from './fixtures.ts'

const day = 86_400_000
const base = 1_700_000_000_000
const flush = { kind: 'flush' } as const
const compact = { kind: 'compact' } as const

function parquetFiles(dir: string): string[] {
  return readdirSync(join(dir, 'data'), { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.parquet'))
}

t.test('small files of a day become one, and hold the same rows', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir, onlyWhenTold)
  const table = await createTable(engine, 'visits', { append_mode: true })
  for (let i = 0; i < 6; i++) {
    await put(engine, table, [
      { host: `h${i % 2}`, at: base + i, n: i },
      { host: 'other day', at: base + 3 * day, n: i }
    ])
    await engine.maintain(flush, never)
  }
  const before = await select(engine, table, 'SELECT * FROM @ ORDER BY ALL')
  await engine.maintain(compact, never)
  t.match(engine.catalog.statistics(table), { rows: 12, files: 1 })
  t.same(await select(engine, table, 'SELECT * FROM @ ORDER BY ALL'), before)
  // Files are removed in the background once no query reads them.
  await eventually(() => parquetFiles(dir).length === 1)
  await engine.close()
  const again = await openEngine(t, dir, onlyWhenTold)
  t.same(await select(again, again.catalog.table('public', 'visits')!, 'SELECT * FROM @ ORDER BY ALL'), before)
})

t.test('overwritten and deleted rows leave the disk, the newest stay', async t => {
  const engine = await openEngine(t, temporaryFolder(t), onlyWhenTold)
  const table = await createTable(engine, 'visits')
  for (let i = 0; i < 4; i++) {
    await put(engine, table, [
      { host: 'a', at: base, n: i },
      { host: 'b', at: base, n: i }
    ])
    await engine.maintain(flush, never)
  }
  await put(engine, table, [{ host: 'b', at: base }], 'delete')
  await engine.maintain(flush, never)
  await engine.maintain(compact, never)
  t.same(await select(engine, table, 'SELECT host, n FROM @'), [['a', 3]])
  t.match(engine.catalog.statistics(table), { rows: 1, files: 1 })
})

t.test('merged field by field, a row keeps its newest values', async t => {
  const engine = await openEngine(t, temporaryFolder(t), onlyWhenTold)
  const table = await createTable(engine, 'visits', { merge_mode: 'last_non_null' })
  await put(engine, table, [{ host: 'a', at: base, n: 1, note: 'first' }])
  await engine.maintain(flush, never)
  await put(engine, table, [{ host: 'a', at: base, note: 'second' }])
  await engine.maintain(flush, never)
  await put(engine, table, [{ host: 'a', at: base, n: 3 }])
  await engine.maintain(flush, never)
  await engine.maintain(compact, never)
  t.same(await select(engine, table, 'SELECT host, n, note FROM @'), [['a', 3, 'second']])
  t.equal(engine.catalog.statistics(table).files, 1)
})

t.test('a query goes on reading the files it started with; they go when it has ended', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir, onlyWhenTold)
  const table = await createTable(engine, 'visits', { append_mode: true })
  const rows = Array.from({ length: 10_000 }, (_, i) => ({ host: 'a', at: base + i, n: i }))
  for (let i = 0; i < 4; i++) {
    await put(engine, table, rows)
    await engine.maintain(flush, never)
  }
  const relations = [{ start: 14, end: 15, table, alias: 't' }]
  const result = await engine.query({ kind: 'sql', text: 'SELECT n FROM @', relations, timezone: 'UTC' }, never)
  let seen = 0
  for await (const batch of result.batches()) {
    if (seen === 0) await engine.maintain(compact, never)
    seen += batch.rows
  }
  t.equal(seen, 40_000)
  while (parquetFiles(dir).length > 1) await new Promise(resolve => setTimeout(resolve, 5))
})

t.test('rows past their time are invisible at once, and whole files of them go', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir, onlyWhenTold)
  const table = await createTable(engine, 'visits', { append_mode: true, ttl: '1day' })
  const now = Date.now()
  await put(engine, table, [{ host: 'a', at: now - 2 * day, n: 1 }])
  t.same(await select(engine, table, 'SELECT n FROM @'), [])
  await engine.maintain(flush, never)
  await put(engine, table, [
    { host: 'a', at: now - 3 * day, n: 2 },
    { host: 'a', at: now - day / 2, n: 3 }
  ])
  t.same(await select(engine, table, 'SELECT n FROM @'), [[3]])
  await engine.maintain(flush, never)
  t.same(await select(engine, table, 'SELECT n FROM @'), [[3]])
  await engine.maintain(compact, never)
  t.same(await select(engine, table, 'SELECT n FROM @'), [[3]])
  t.match(engine.catalog.statistics(table), { rows: 1, files: 1 }, 'the half expired file was rewritten')
  const longer = await engine.catalog.changeTable(table, { kind: 'set_options', options: { ttl: 'forever' } })
  t.same(await select(engine, longer, 'SELECT n FROM @'), [[3]])
})

t.test('a file that cannot be read does not keep the files of others from being merged', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir, onlyWhenTold)
  const dataFiles = (name: string) =>
    readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter(
      path => path.endsWith('.parquet') && path.includes(`${name}-`)
    )
  for (const name of ['a', 'b']) {
    const table = await createTable(engine, name)
    for (let at = 0; at < 4; at++) {
      await put(engine, table, [{ host: 'h', at, n: at }])
      await engine.maintain({ kind: 'flush', table }, never)
    }
  }
  t.equal(dataFiles('b').length, 4)
  rmSync(join(dir, dataFiles('a')[0]!))
  await t.rejects(engine.maintain({ kind: 'compact' }, never))
  await engine.maintain({ kind: 'compact' }, never)
  await eventually(() => dataFiles('b').length === 1)
})
