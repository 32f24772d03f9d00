// Files that are damaged under a running server: SQL and series queries say it with one code, and no statement is to blame.
import { readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { isDbError } from '../../../core/errors.ts'
import { createTable, never, openEngine, put, select, temporaryFolder } from './fixtures.ts'

const harms: Readonly<Record<string, (path: string) => void>> = {
  gone: path => rmSync(path),
  short: path => truncateSync(path, 100),
  empty: path => truncateSync(path, 0),
  overwritten: path => writeFileSync(path, Buffer.alloc(20_000, 7))
}

for (const [name, harm] of Object.entries(harms)) {
  t.test(`a file that is ${name}`, async t => {
    const dir = temporaryFolder(t)
    const engine = await openEngine(t, dir)
    const table = await createTable(engine, 'm')
    await put(
      engine,
      table,
      Array.from({ length: 2_000 }, (_, i) => ({ host: `h${i % 9}`, at: i, n: i, note: `row ${Math.sin(i)}` }))
    )
    await engine.maintain({ kind: 'flush' }, never)
    t.same(await select(engine, table, 'SELECT sum(n) FROM @'), [[1_999_000]])
    for (const path of readdirSync(dir, { recursive: true }) as string[])
      if (path.endsWith('.parquet')) harm(join(dir, path))
    for (const sql of ['SELECT sum(n) FROM @', 'SELECT max(note) FROM @ WHERE n > 5', 'SELECT * FROM @ ORDER BY n']) {
      const error: unknown = await select(engine, table, sql).catch(caught => caught)
      t.ok(isDbError(error), sql)
      if (!isDbError(error)) continue
      t.equal(error.code, 'StorageUnavailable', error.message)
      t.equal(error.status, 503)
      t.match(error.message, /\.parquet/)
    }
    const series: unknown = await engine
      .query({ kind: 'series', table, matches: [], values: ['n'] }, never)
      .then(async result => {
        for await (const _ of result.batches());
      })
      .catch(caught => caught)
    t.match(series, { code: 'StorageUnavailable' }, 'the same of series')
  })
}

t.test('values that look like such an error are blamed on the statement', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const table = await createTable(engine, 'm')
  await put(engine, table, [{ host: 'a', at: 1, n: 1, note: "No magic bytes found at end of file 'x.parquet'" }])
  t.match(await select(engine, table, 'SELECT CAST(note AS INT) FROM @').catch((caught: unknown) => caught), {
    code: 'PlanQuery'
  })
})
