import pino from 'pino'
import type { Test } from 'tap'
import t from 'tap'
import { createMetrics } from '../../../core/metrics/metrics.ts'
import type { Column } from '../../../core/model/batch.ts'
import type { Table } from '../../../core/model/table.ts'
import { createEmbeddedEngine } from '../../../core/storage/embedded/engine.ts'
import type { Engine } from '../../../core/storage/engine.ts'
import { createTable, fixed, never, put, select, settingsOf, temporaryFolder, text, times } from './fixtures.ts'

const MiB = 2 ** 20

/** An engine whose files may only be made in little memory. */
async function open(t: Test, dir: string) {
  const settings = settingsOf(dir, { memtable_size: 2 ** 30, memtable_limit: 2 ** 31 })
  const metrics = createMetrics()
  const storage = { ...settings.storage, memory_limit: 24 * MiB }
  const engine = createEmbeddedEngine({ ...settings, storage }, pino({ level: 'silent' }), metrics)
  await engine.open()
  t.teardown(() => engine.close())
  return { engine, metrics }
}

/** Rows from a place on that share a long text; `n` is the place. */
function write(engine: Engine, table: Table, rows: number, from: number, at = (i: number) => i): Promise<number> {
  const places = Array.from({ length: rows }, (_, i) => from + i)
  const { data } = text('note', ['x'.repeat(MiB / 2)])
  if (data.kind !== 'bytes') throw new Error(data.kind)
  const { valid: _, ...dictionary } = data
  const columns: Column[] = [
    times('at', places.map(at)),
    fixed('n', 'Int64', BigInt64Array.from(places, BigInt)),
    {
      name: 'note',
      type: 'String',
      semantic: 'field',
      data: { kind: 'dictionary', codes: new Uint32Array(rows), dictionary }
    }
  ]
  return engine.write([{ table, rows, columns, op: 'put' }], never)
}

const facts = 'SELECT count(*), count(DISTINCT n), sum(n), min(length(note)) FROM @'

t.test('rows that do not fit one file go to several', async t => {
  const dir = temporaryFolder(t)
  const { engine } = await open(t, dir)
  const table = await createTable(engine, 'notes', { append_mode: true }, false)
  await write(engine, table, 100, 0)
  await write(engine, table, 50, 100)
  const report = await engine.maintain({ kind: 'flush' }, never)
  t.equal(report.rows, 150)
  t.ok(report.files > 2, `${report.files} files`)
  t.same(await select(engine, table, 'SELECT count(*), count(DISTINCT n), sum(n) FROM @'), [[150, 150, 11_175]])
  await engine.close()
  const again = await open(t, dir)
  t.same(await select(again.engine, again.engine.catalog.table('public', 'notes')!, 'SELECT count(*), sum(n) FROM @'), [
    [150, 11_175]
  ])
})

t.test('so do rows that queries have asked for', async t => {
  const { engine } = await open(t, temporaryFolder(t))
  const table = await createTable(engine, 'notes', { append_mode: true }, false)
  await put(engine, table, [{ at: -1, n: 1000, note: 'short' }])
  t.same(await select(engine, table, 'SELECT sum(n) FROM @'), [[1000]])
  await write(engine, table, 100, 0)
  await select(engine, table, facts).catch(() => {})
  const report = await engine.maintain({ kind: 'flush' }, never)
  t.equal(report.rows, 101)
  t.ok(report.files > 2, `${report.files} files`)
  t.same(await select(engine, table, 'SELECT count(*), count(DISTINCT n), sum(n) FROM @'), [[101, 101, 5950]])
})

t.test('of versions in several files the newest counts', async t => {
  const { engine } = await open(t, temporaryFolder(t))
  const table = await createTable(engine, 'notes')
  for (const from of [0, 60]) await write(engine, table, 60, from, i => i % 40)
  const report = await engine.maintain({ kind: 'flush' }, never)
  t.ok(report.files > 1, `${report.files} files`)
  // The last row of each time is one of the last forty.
  t.same(await select(engine, table, 'SELECT count(*), min(n), max(n), count(DISTINCT n) FROM @'), [[40, 80, 119, 40]])
})

t.test('a row that cannot be written at all keeps the rows of its table in memory, and no others', async t => {
  const dir = temporaryFolder(t)
  const { engine, metrics } = await open(t, dir)
  const large = await createTable(engine, 'large', { append_mode: true }, false)
  const small = await createTable(engine, 'small', { append_mode: true }, false)
  await put(engine, large, [
    { at: 1, n: 1, note: 'short' },
    { at: 2, n: 2, note: 'x'.repeat(40 * MiB) }
  ])
  await put(engine, small, [{ at: 1, n: 7 }])
  const failed = { code: /Exhausted|PlanQuery/, message: /^rows of public\.large cannot be written to files: / }
  await t.rejects(engine.maintain({ kind: 'flush' }, never), failed)
  await t.rejects(engine.maintain({ kind: 'flush' }, never), failed)
  const told = await metrics.expose()
  t.match(told, /^svc_storage_table_flush_failures_total\{db="public",table="large"\} 2$/m)
  t.match(told, /^svc_storage_memtable_rows 2$/m)
  t.match(told, /^svc_storage_files 1$/m)
  await engine.close()
  const again = await open(t, dir)
  const rows = await again.metrics.expose()
  t.match(rows, /^svc_storage_memtable_rows 2$/m)
  t.same(await select(again.engine, again.engine.catalog.table('public', 'small')!, 'SELECT n FROM @'), [[7]])
})

t.test('files that cannot be merged hold up those of no other table', async t => {
  const { engine } = await open(t, temporaryFolder(t))
  const large = await createTable(engine, 'large')
  const small = await createTable(engine, 'small')
  await write(engine, large, 100, 0)
  await write(engine, large, 100, 0)
  for (const n of [1, 2, 3]) {
    await put(engine, small, [{ at: 1, n }])
    await engine.maintain({ kind: 'flush' }, never)
  }
  const failed = { message: /^files of public\.large cannot be merged: / }
  await t.rejects(engine.maintain({ kind: 'compact' }, never), failed)
  t.same(await select(engine, large, 'SELECT count(*) FROM @'), [[100]])
  t.same(await select(engine, small, 'SELECT n FROM @'), [[3]])
  t.match(await engine.maintain({ kind: 'compact', table: small }, never), { files: 0 })
})
