import { readdirSync } from 'node:fs'
import pino from 'pino'
import t from 'tap'
import { createMetrics } from '../../../core/metrics/metrics.ts'
import type { Column } from '../../../core/model/batch.ts'
import { createEmbeddedEngine } from '../../../core/storage/embedded/engine.ts'
import { eventually } from '../../eventually.ts'
import { createTable, never, openEngine, put, select, settingsOf, temporaryFolder, text, times } from './fixtures.ts'

t.test(
  'writes that wait for the log count as rows in memory: beyond the limit others wait before they are logged',
  async t => {
    const metrics = createMetrics()
    const settings = settingsOf(temporaryFolder(t), { memtable_size: 2 ** 18, memtable_limit: 2 ** 20 })
    const engine = createEmbeddedEngine(settings, pino({ level: 'silent' }), metrics)
    await engine.open()
    t.teardown(() => engine.close())
    const table = await createTable(engine, 'notes', { append_mode: true })
    const note = 'x'.repeat(100_000)
    await Promise.all(Array.from({ length: 60 }, (_, at) => put(engine, table, [{ at, n: at, note }])))
    t.same(await select(engine, table, 'SELECT count(*), count(DISTINCT n), sum(length(note)) FROM @'), [
      [60, 60, 6_000_000]
    ])
    const stalls = Number(/^svc_storage_write_stalls_total (\d+)/m.exec(await metrics.expose())?.[1])
    t.ok(stalls >= 40, `${stalls} of 60 waited`)
  }
)

t.test('copies that SQL reads of rows count: both are flushed once they take the size of a memtable', async t => {
  const dir = temporaryFolder(t)
  const files = () => readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter(path => path.endsWith('.parquet'))
  const engine = await openEngine(t, dir, { memtable_size: 2 ** 20 })
  const table = await createTable(engine, 'notes', { append_mode: true })
  const fill = (from: number, rows: number) =>
    put(
      engine,
      table,
      Array.from({ length: rows }, (_, i) => ({ at: from + i, n: i, note: `note ${from + i} ${'x'.repeat(100)}` }))
    )
  await fill(0, 4_500)
  await fill(4_500, 1)
  t.strictSame(files(), [], 'rows alone take less')
  t.same(await select(engine, table, 'SELECT count(*), count(DISTINCT note) FROM @'), [[4_501, 4_501]])
  await fill(4_501, 1)
  await eventually(files, found => found.length > 0)
  t.same(await select(engine, table, 'SELECT count(*), count(DISTINCT note) FROM @'), [[4_502, 4_502]])
})

t.test('a long text that many rows share counts in each of them: a flush copies it for every row', async t => {
  const metrics = createMetrics()
  const engine = createEmbeddedEngine(settingsOf(temporaryFolder(t)), pino({ level: 'silent' }), metrics)
  await engine.open()
  t.teardown(() => engine.close())
  const rows = 100
  const kept = async (note: string): Promise<number> => {
    const table = await createTable(engine, `notes${note.length}`, { append_mode: true }, false)
    const before = await memory()
    const { data } = text('note', [note])
    if (data.kind !== 'bytes') throw new Error(data.kind)
    const { valid: _, ...dictionary } = data
    const shared = { kind: 'dictionary', codes: new Uint32Array(rows), dictionary } as const
    const columns: Column[] = [
      times(
        'at',
        Array.from({ length: rows }, (_, i) => i)
      ),
      { name: 'note', type: 'String', semantic: 'field', data: shared }
    ]
    await engine.write([{ table, rows, columns, op: 'put' }], never)
    return (await memory()) - before
  }
  const memory = async () => Number(/^svc_storage_memtable_bytes (\S+)/m.exec(await metrics.expose())?.[1])
  t.ok((await kept('x'.repeat(20))) < 10_000)
  t.ok((await kept('x'.repeat(10_000))) > rows * 10_000)
})
