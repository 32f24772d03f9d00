import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import type { Engine } from '../../../core/storage/engine.ts'
import { readDataFiles } from './data-files.ts'
import { makeEngine, never, put, select, temporaryFolder } from './fixtures.ts'

/** What version 0.1.0 left after a crash: tables of every kind with several files, versions, deletes, and rows that are in the log alone. */
function oldFolder(t: Test): string {
  const dir = temporaryFolder(t)
  execFileSync('tar', ['xzf', join(import.meta.dirname, 'folders/format-1.tar.gz'), '-C', dir])
  return dir
}

const samples = async (engine: Engine, name: string): Promise<unknown[][]> => {
  const table = engine.catalog.table('public', name)!
  const result = await engine.query({ kind: 'series', table, matches: [], values: ['value'] }, never)
  const rows: unknown[][] = []
  for await (const { rows: count, columns } of result.batches()) {
    const [series, times, values] = columns.map(({ values }) => values as Float64Array)
    for (let i = 0; i < count; i++) rows.push([result.labels!(series![i]!).values.join(), times![i], values![i]])
  }
  return rows.sort((a, b) => `${a}`.localeCompare(`${b}`))
}

async function checkRows(t: Test, engine: Engine): Promise<void> {
  const of = (name: string, sql: string) => select(engine, engine.catalog.table('public', name)!, sql)
  t.same(await of('versions', 'SELECT host, epoch_ms("at"), n, note FROM @ ORDER BY ALL'), [
    ['a', 1, 4, null],
    ['a', 2, 3, null],
    ['c', 5, null, null],
    ['d', 9, 9, null]
  ])
  t.same(await of('merged', 'SELECT host, epoch_ms("at"), n, note FROM @'), [['a', 1, 1, 'y']])
  t.same(await of('kept', 'SELECT host, n FROM @'), [
    ['a', 1],
    ['a', 1]
  ])
  t.same(await of('grown', 'SELECT host, epoch_ms("at"), n FROM @ ORDER BY ALL'), [
    ['a', 1, 3],
    [null, 1, 1],
    [null, 2, 2]
  ])
  t.same(await of('load', `SELECT core, value FROM @ WHERE host = 'b' ORDER BY value`), [
    ['1', 0.5],
    ['1', 1],
    ['1', 1.5]
  ])
  t.same(await samples(engine, 'up'), [
    ['a', 1, 1],
    ['a', 2, 2],
    ['a', 3, 3]
  ])
  t.same((await samples(engine, 'load')).length, 6)
}

t.test('a data folder of format 1 opens with every row, and its files become those of today', async t => {
  const dir = oldFolder(t)
  const engine = makeEngine(dir)
  await engine.open()
  await checkRows(t, engine)
  await engine.maintain({ kind: 'flush' }, never)
  await checkRows(t, engine)
  await engine.maintain({ kind: 'compact' }, never)
  await checkRows(t, engine)
  await put(engine, engine.catalog.table('public', 'versions')!, [{ host: 'd', at: 9, n: 9 }])
  await engine.close()
  for await (const { path, rows } of readDataFiles(dir)) {
    t.notOk(
      rows.some(row => row.__tsid === undefined),
      `${path} holds series numbers`
    )
  }
  const sqlite = new DatabaseSync(join(dir, 'catalog.db'))
  t.same(sqlite.prepare(`SELECT value FROM meta WHERE key = 'format'`).get()?.value, '2')
  for (const { columns } of sqlite.prepare('SELECT columns FROM files').all()) t.match(columns, /^\[-1,/)
  sqlite.close()
  t.ok(globSync('data/**/*.parquet', { cwd: dir }).length > 0)
  const again = makeEngine(dir)
  await again.open()
  t.teardown(() => again.close())
  await checkRows(t, again)
})
