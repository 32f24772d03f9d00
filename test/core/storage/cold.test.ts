// Rows of tables that are no longer written to are flushed to files with indexes.
import { readdirSync } from 'node:fs'
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
  const tagged = await createTable(engine, 'tagged', { append_mode: true })
  const files = (name: string) =>
    readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter(
      path => path.includes(`/${name}-`) && /\.\w+$/.test(path)
    )
  await put(engine, small, rows.slice(0, 100))
  await put(engine, tagged, rows.slice(0, 5_000))
  await put(engine, cold, rows.slice(0, 12_000))
  const before = await select(engine, cold, count)
  const found = await eventually(
    () => files('cold'),
    paths => paths.some(path => path.endsWith('.counts'))
  )
  t.equal(found.filter(path => path.endsWith('.parquet')).length, 1)
  t.ok(found.some(path => path.endsWith('.idx')))
  t.strictSame(await select(engine, cold, count), before)
  t.strictSame(files('small'), [], 'few rows stay: files of them would have to be merged')
  t.strictSame(files('tagged'), [], 'rows of series stay: memory answers for them as well as files')
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
