import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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

/** An engine whose queries have little memory. */
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

t.test('rows with far more text than memory for queries go to one file', async t => {
  const dir = temporaryFolder(t)
  const { engine } = await open(t, dir)
  const table = await createTable(engine, 'notes', { append_mode: true }, false)
  await put(engine, table, [{ at: -1, n: 1000, note: 'short' }])
  t.same(await select(engine, table, 'SELECT sum(n) FROM @'), [[1000]], 'queries have asked for some of them')
  await write(engine, table, 100, 0)
  await write(engine, table, 50, 100)
  t.match(await engine.maintain({ kind: 'flush' }, never), { rows: 151, files: 1 })
  const facts = 'SELECT count(*), count(DISTINCT n), sum(n) FROM @'
  t.same(await select(engine, table, facts), [[151, 151, 12_175]])
  await engine.close()
  const again = await open(t, dir)
  t.same(await select(again.engine, again.engine.catalog.table('public', 'notes')!, facts), [[151, 151, 12_175]])
})

t.test('of versions the newest is written', async t => {
  const { engine } = await open(t, temporaryFolder(t))
  const table = await createTable(engine, 'notes')
  for (const from of [0, 60]) await write(engine, table, 60, from, i => i % 40)
  t.match(await engine.maintain({ kind: 'flush' }, never), { rows: 40, files: 1 })
  // The last row of each time is one of the last forty.
  t.same(await select(engine, table, 'SELECT count(*), min(n), max(n), count(DISTINCT n) FROM @'), [[40, 80, 119, 40]])
})

t.test('values from before and after a change of type go to files of their own', async t => {
  const dir = temporaryFolder(t)
  const { engine } = await open(t, dir)
  let table = await createTable(engine, 'notes', { merge_mode: 'last_non_null' })
  const rows = [1, 2, 3].map(at => ({ host: 'a', at, n: at }))
  await put(engine, table, rows)
  await put(engine, table, [{ host: 'b', at: 1 }], 'delete')
  const definition = { name: 'n', type: 'String', semantic: 'field', nullable: true } as const
  table = await engine.catalog.changeTable(table, { kind: 'modify_column', name: 'n', definition })
  await engine.write(
    [
      {
        table,
        rows: 2,
        op: 'put',
        columns: [text('host', ['a', 'a'], 'tag'), times('at', [2, 4]), text('n', ['two', 'four'])]
      }
    ],
    never
  )
  const { physical } = table.columns.find(({ name }) => name === 'n')!
  const all = `SELECT host, "${physical}" FROM @ ORDER BY "at"`
  const expected = ['1', 'two', '3', 'four'].map(n => ['a', n])
  t.same(await select(engine, table, all), expected)
  t.match(await engine.maintain({ kind: 'flush' }, never), { files: 2 })
  t.same(await select(engine, table, all), expected)
  await engine.maintain({ kind: 'compact' }, never)
  t.same(await select(engine, table, all), expected)
  t.match(engine.catalog.statistics(table), { files: 1, rows: 4 })
})

/** A table with a column of seconds, and a row no file can hold. */
async function writeStrange(engine: Engine, name: string): Promise<void> {
  const columns = [
    { name: 'at', type: 'TimestampMillisecond', semantic: 'timestamp', nullable: false },
    { name: 'seen', type: 'TimestampSecond', semantic: 'field', nullable: true }
  ] as const
  const definition = { database: 'public', name, columns, options: { append_mode: true } }
  const table = await engine.catalog.createTable(definition)
  const seen = fixed('seen', 'TimestampSecond', BigInt64Array.of(2n ** 60n))
  await engine.write([{ table, rows: 1, op: 'put', columns: [times('at', [1]), seen] }], never)
}

t.test('a row that cannot be written at all keeps the rows of its table in memory, and no others', async t => {
  const dir = temporaryFolder(t)
  const { engine, metrics } = await open(t, dir)
  await writeStrange(engine, 'strange')
  const small = await createTable(engine, 'small', { append_mode: true }, false)
  await put(engine, small, [{ at: 1, n: 7 }])
  const failed = {
    message: /^rows of public\.strange cannot be written to files: .* holds the second 1152921504606846976/
  }
  await t.rejects(engine.maintain({ kind: 'flush' }, never), failed)
  await t.rejects(engine.maintain({ kind: 'flush' }, never), failed)
  const told = await metrics.expose()
  t.match(told, /^svc_storage_table_flush_failures_total\{db="public",table="strange"\} 2$/m)
  t.match(told, /^svc_storage_memtable_rows 1$/m)
  t.match(told, /^svc_storage_files 1$/m)
  t.same(
    readdirSync(join(dir, 'data'), { recursive: true }).filter(name => String(name).endsWith('.tmp')),
    []
  )
  await engine.close()
  const again = await open(t, dir)
  const rows = await again.metrics.expose()
  t.match(rows, /^svc_storage_memtable_rows 1$/m)
  t.same(await select(again.engine, again.engine.catalog.table('public', 'small')!, 'SELECT n FROM @'), [[7]])
})

t.test('files that cannot be merged hold up those of no other table', async t => {
  const dir = temporaryFolder(t)
  const { engine } = await open(t, dir)
  const large = await createTable(engine, 'large')
  const small = await createTable(engine, 'small')
  for (const n of [1, 2, 3]) {
    await put(engine, large, [{ at: 1, n }])
    await put(engine, small, [{ at: 1, n }])
    await engine.maintain({ kind: 'flush' }, never)
  }
  const files = readdirSync(join(dir, 'data'), { recursive: true, encoding: 'utf8' })
  const damaged = join(dir, 'data', files.find(name => /large.*parquet$/.test(name))!)
  const bytes = readFileSync(damaged)
  bytes[bytes.length >> 1]! ^= 1
  writeFileSync(damaged, bytes)
  const failed = { message: /^files of public\.large cannot be merged: .* does not match its checksum/ }
  await t.rejects(engine.maintain({ kind: 'compact' }, never), failed)
  t.same(await select(engine, small, 'SELECT n FROM @'), [[3]])
  t.match(engine.catalog.statistics(small), { files: 1 })
  t.match(engine.catalog.statistics(large), { files: 3 })
  t.match(await engine.maintain({ kind: 'compact', table: small }, never), { files: 0 })
})
