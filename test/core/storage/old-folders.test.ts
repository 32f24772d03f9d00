import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import t, { type Test } from 'tap'
import type { Engine } from '../../../core/storage/engine.ts'
import { readDataFiles } from './data-files.ts'
import { makeEngine, never, put, select, temporaryFolder } from './fixtures.ts'

/**
 * What a commit left after a crash: tables of every kind with several files, versions, deletes, and rows that are in the log alone. One for
 * each way in which folders have been laid out; the names end with the commit.
 */
const folders = {
  'format-1-74a3ce7': 'tags lie in the data files',
  'format-2-57eac5d': 'data files hold the numbers of series, and are written by DuckDB',
  'format-2-650964f': 'data files are written by our own codec, and the catalog has a mark beside the log',
  'format-2-0de4b51': 'the catalog has a spare and a journal of its changes, data files have no counts beside them'
}

function oldFolder(t: Test, name: keyof typeof folders = 'format-1-74a3ce7'): string {
  const dir = temporaryFolder(t)
  execFileSync('tar', ['xzf', join(import.meta.dirname, `folders/${name}.tar.gz`), '-C', dir])
  return dir
}

t.test('there is a folder of each layout, and each is tested', async t => {
  const kept = globSync('*.tar.gz', { cwd: join(import.meta.dirname, 'folders') })
  t.strictSame(kept.map(file => file.replace('.tar.gz', '')).sort(), Object.keys(folders).sort())
})

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

for (const [name, layout] of Object.entries(folders) as [keyof typeof folders, string][])
  t.test(`a data folder opens with every row, and becomes one of today: ${layout}`, async t => {
    const dir = oldFolder(t, name)
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
    checkKept(t, dir, name, Number(sqlite.prepare('SELECT count(*) AS n FROM tables').get()!['n']))
    sqlite.close()
    t.ok(globSync('data/**/*.parquet', { cwd: dir }).length > 0)
    const again = makeEngine(dir)
    await again.open()
    t.teardown(() => again.close())
    await checkRows(t, again)
  })

/** A catalog of an older format is kept as it was, no other. */
function checkKept(t: Test, dir: string, name: string, tables: number): void {
  const kept = globSync('catalog.db.format-*', { cwd: dir })
  const older = name === 'format-1-74a3ce7'
  t.strictSame(kept, older ? ['catalog.db.format-1'] : [])
  if (!older) return
  const before = new DatabaseSync(join(dir, kept[0]!), { readOnly: true })
  t.same(before.prepare(`SELECT value FROM meta WHERE key = 'format'`).get()?.value, '1')
  t.same(before.prepare('SELECT count(*) AS n FROM tables').get()?.n, tables)
  before.close()
}

const sums = (dir: string) =>
  globSync('{catalog.db,data/**/*.parquet,wal/*.wal}', { cwd: dir })
    .sort()
    .map(
      file =>
        `${file} ${createHash('sha256')
          .update(readFileSync(join(dir, file)))
          .digest('hex')}`
    )

t.test('a folder of a newer version is refused with advice, and nothing is changed', async t => {
  const dir = oldFolder(t)
  const sqlite = new DatabaseSync(join(dir, 'catalog.db'))
  sqlite.exec(`UPDATE meta SET value = '3' WHERE key = 'format'`)
  sqlite.close()
  const before = sums(dir)
  const message =
    /catalog\.db was written by a newer version of the server: it has format 3, this version knows up to 2\. /
  await t.rejects(makeEngine(dir).open(), { code: 'StorageUnavailable', message })
  t.strictSame(sums(dir), before)
  t.strictSame(globSync('catalog.db.format-*', { cwd: dir }), [])
})

t.test('so is a log of a newer version', async t => {
  const dir = oldFolder(t)
  const [segment] = globSync(join(dir, 'wal/*.wal'))
  const bytes = readFileSync(segment!)
  bytes.writeUInt32LE(9, 4)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 32)), 32)
  writeFileSync(segment!, bytes)
  const message =
    /the log was written by a newer version of the server: it has format 9, this version knows up to \d\. /
  await t.rejects(makeEngine(dir).open(), { code: 'StorageUnavailable', message })
  t.ok(readFileSync(segment!).equals(bytes))
})
