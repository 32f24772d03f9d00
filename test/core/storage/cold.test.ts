// Rows of tables that are no longer written to are flushed to files, and the log gets short.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { eventually } from '../../eventually.ts'
import { temporaryFolder } from '../../helpers.ts'
import { createTable, openEngine, put, select } from './fixtures.ts'

const rows = Array.from({ length: 20_000 }, (_, i) => ({
  at: i,
  n: i % 7,
  note: `line ${i} of a log that is no longer written to`
}))
const count = 'SELECT n, count(*)::INTEGER FROM @ GROUP BY n ORDER BY n'

t.test('cold rows of a table with indexes are written to a file that gets its indexes at once', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir, { memtable_size: 2 ** 21, flush_cold_after: 300, housekeeping: 100 })
  const cold = await createTable(engine, 'cold', { append_mode: true }, false)
  const small = await createTable(engine, 'small', { append_mode: true }, false)
  const files = (name: string) =>
    readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter(
      path => path.includes(`/${name}-`) && /\.\w+$/.test(path)
    )
  await put(engine, small, rows.slice(0, 100))
  await put(engine, cold, rows.slice(0, 12_000))
  const before = await select(engine, cold, count)
  const found = await eventually(
    () => files('cold'),
    paths => paths.some(path => path.endsWith('.idx'))
  )
  t.equal(found.filter(path => path.endsWith('.parquet')).length, 1)
  t.ok(found.some(path => path.endsWith('.counts')))
  t.strictSame(await select(engine, cold, count), before)
  t.strictSame(files('small'), [], 'few rows stay: files of them would have to be merged')
})

t.test('so are cold rows of series, and a log whose rows are all in files is begun anew', async t => {
  const dir = temporaryFolder(t)
  const settings = { memtable_size: 2 ** 20, flush_cold_after: 200, housekeeping: 50, segment_size: 2 ** 18 }
  const engine = await openEngine(t, dir, settings)
  const table = await createTable(engine, 'tagged', {})
  const segments = () => readdirSync(join(dir, 'wal')).filter(name => name.endsWith('.wal'))
  const logBytes = () => segments().reduce((sum, name) => sum + statSync(join(dir, 'wal', name)).size, 0)
  await put(engine, table, rows)
  const before = await select(engine, table, count)
  await eventually(logBytes, bytes => bytes < 2 ** 12)
  t.strictSame(await select(engine, table, count), before)
  await put(engine, table, [{ at: 1e6, n: 3, note: 'in the new segment' }])
  await engine.close()
  const again = await openEngine(t, dir, settings)
  t.strictSame(await select(again, table, 'SELECT count(*)::INTEGER FROM @'), [[rows.length + 1]])
})

t.test('rows of a table that is written to stay in memory', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir, { memtable_size: 2 ** 24, flush_cold_after: 60_000, housekeeping: 20 })
  const table = await createTable(engine, 'warm', { append_mode: true }, false)
  await put(engine, table, rows)
  await new Promise(resolve => setTimeout(resolve, 300))
  const found = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter(path => path.endsWith('.parquet'))
  t.strictSame(found, [])
})
