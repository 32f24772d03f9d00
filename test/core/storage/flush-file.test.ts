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

/** Writes of one row: all of its fields, or `n` as a number (before its type changed), as a text, or not at all. */
const written: readonly Fields[] = [
  { n: 1 },
  { n: 'two', note: 'a' },
  { note: 'b' },
  { n: 3 },
  { n: 'four' },
  { n: 5, note: 'c' },
  { note: 'd' }
]

interface Fields {
  readonly n?: number | string
  readonly note?: string
}

/** What a query sees of a row that was written so. */
function visible(versions: readonly Fields[], merge: string): readonly unknown[] {
  const last = (name: 'n' | 'note') => {
    const all = versions.map(fields => fields[name])
    return all.findLast((value, i) => value !== undefined || (merge === 'last_row' && i === all.length - 1)) ?? null
  }
  const n = last('n')
  return [n === null ? null : String(n), last('note')]
}

const definition = { name: 'n', type: 'String', semantic: 'field', nullable: true } as const

for (const tagged of [true, false])
  for (const merge of ['last_row', 'last_non_null'] as const)
    for (const [restart, apart] of [
      [false, false],
      [true, false],
      [false, true]
    ] as const) {
      const state = `${restart ? ', read back from the log' : ''}${apart ? ', a time for each type' : ''}`
      const about = `${tagged ? 'series' : 'no series'}, ${merge}${state}`
      t.test(`writes from before and after a change of type, in any order: ${about}`, async t => {
        const dir = temporaryFolder(t)
        const first = await open(t, dir)
        let { engine } = first
        const before = await createTable(engine, 'notes', { merge_mode: merge }, tagged)
        let table = await engine.catalog.changeTable(before, { kind: 'modify_column', name: 'n', definition })
        const model = new Map<number, Fields[]>()
        // Each row has versions of its own, and one has all of them; the rows of a round lie apart from those of others.
        for (const [round, fields] of [...written, ...written].entries()) {
          const { n, note } = fields
          const place = typeof n === 'number' ? 0 : n === undefined ? 1 : 2
          const ats = (apart ? [place * 10, place * 10 + 1, place * 10 + 2] : [0, 1, 100 + round]).map(at => at * 1000)
          const host = tagged ? [text('host', ['a', 'a', 'a'], 'tag')] : []
          const number = fixed('n', 'Int64', BigInt64Array.of(1n, 1n, 1n).fill(BigInt(Number(n) || 0)))
          const values = [
            ...(n === undefined ? [] : [typeof n === 'number' ? number : text('n', [n, n, n])]),
            ...(note === undefined ? [] : [text('note', [note, note, note])])
          ]
          // Resolved before the change where it holds the number: it comes late.
          const known = typeof n === 'number' ? before : table
          await engine.write(
            [{ table: known, rows: 3, op: 'put', columns: [...host, times('at', ats), ...values] }],
            never
          )
          for (const at of ats) model.set(at, [...(model.get(at) ?? []), fields])
        }
        const expected = Array.from(model, ([at, versions]) => [at, ...visible(versions, merge)])
        if (restart) {
          await engine.close()
          engine = (await open(t, dir)).engine
          table = engine.catalog.table('public', 'notes')!
        }
        const physical = (name: string) => table.columns.find(column => column.name === name)!.physical
        const all = `SELECT epoch_ms("at"), "${physical('n')}", "${physical('note')}" FROM @ ORDER BY "at"`
        const byTime = expected.toSorted((a, b) => Number(a[0]) - Number(b[0]))
        t.same(await select(engine, table, all), byTime, 'in memory')
        await engine.maintain({ kind: 'flush' }, never)
        t.same(await select(engine, table, all), byTime, 'in files')
        const one = all.replace('ORDER', `WHERE "at" < TIMESTAMP '1970-01-01 00:00:01' ORDER`)
        t.same(await select(engine, table, one), byTime.slice(0, 1), 'of files that meet no other')
        await engine.maintain({ kind: 'compact' }, never)
        t.same(await select(engine, table, all), byTime, 'in one file')
        t.match(engine.catalog.statistics(table), { files: 1, rows: model.size })
      })
    }

for (const merge of ['last_row', 'last_non_null'] as const)
  for (const restart of [false, true]) {
    const about = `${merge}${restart ? ', read back from the log' : ''}`
    t.test(`rows from before a column have its initial value, whatever types it had since: ${about}`, async t => {
      const dir = temporaryFolder(t)
      let { engine } = await open(t, dir)
      let table = await createTable(engine, 'notes', { merge_mode: merge })
      const early = table
      const put = (known: Table, at: number, value?: Column) => {
        const columns = [text('host', ['a'], 'tag'), times('at', [at]), ...(value === undefined ? [] : [value])]
        return engine.write([{ table: known, rows: 1, op: 'put', columns }], never)
      }
      await put(early, 1)
      const added = { name: 'x', type: 'Float64', semantic: 'field', nullable: true, initial: '1.50' } as const
      table = await engine.catalog.changeTable(table, { kind: 'add_columns', columns: [added] })
      const asFloat = table
      await put(asFloat, 2, fixed('x', 'Float64', Float64Array.of(2)))
      for (const type of ['Int64', 'String'] as const) {
        const changed = { name: 'x', type, semantic: 'field', nullable: true } as const
        table = await engine.catalog.changeTable(table, { kind: 'modify_column', name: 'x', definition: changed })
        await put(early, 3)
        await put(asFloat, 4, fixed('x', 'Float64', Float64Array.of(4)))
        await put(table, 5, type === 'Int64' ? fixed('x', type, BigInt64Array.of(5n)) : text('x', ['five']))
        await put(early, 6)
      }
      if (restart) {
        await engine.close()
        engine = (await open(t, dir)).engine
        table = engine.catalog.table('public', 'notes')!
      }
      const { physical } = table.columns.find(({ name }) => name === 'x')!
      const all = `SELECT epoch_ms("at"), "${physical}" FROM @ ORDER BY "at"`
      // By way of an integer.
      const expected = ['2', '2', '2', '4', 'five', '2'].map((x, i) => [i + 1, x])
      t.same(await select(engine, table, all), expected, 'in memory')
      for (const kind of ['flush', 'compact'] as const) {
        await engine.maintain({ kind }, never)
        t.same(await select(engine, table, all), expected, kind)
      }
    })
  }

t.test('a delete that comes between a change of type and what was on its way hides what came before it', async t => {
  const { engine } = await open(t, temporaryFolder(t))
  const before = await createTable(engine, 'notes', { merge_mode: 'last_non_null' })
  await put(
    engine,
    before,
    [1, 2, 3].map(at => ({ host: 'a', at, n: at }))
  )
  const table = await engine.catalog.changeTable(before, { kind: 'modify_column', name: 'n', definition })
  await put(engine, before, [{ host: 'a', at: 1, n: 7, note: 'late' }])
  const key = (at: number) => [text('host', ['a'], 'tag'), times('at', [at])]
  for (const at of [1, 2]) await engine.write([{ table, rows: 1, op: 'delete', columns: key(at) }], never)
  await engine.write([{ table, rows: 1, op: 'put', columns: [...key(2), text('n', ['two'])] }], never)
  const { physical } = table.columns.find(({ name }) => name === 'n')!
  const all = `SELECT epoch_ms("at"), "${physical}", note FROM @ ORDER BY "at"`
  const expected = [
    [2, 'two', null],
    [3, '3', null]
  ]
  t.same(await select(engine, table, all), expected)
  for (const kind of ['flush', 'compact'] as const) {
    await engine.maintain({ kind }, never)
    t.same(await select(engine, table, all), expected, kind)
  }
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

/** A bit of the one file of the data folder that is called so. */
function damageOne(dir: string, named: RegExp): void {
  const files = readdirSync(join(dir, 'data'), { recursive: true, encoding: 'utf8' })
  const damaged = join(dir, 'data', files.find(name => named.test(name))!)
  const bytes = readFileSync(damaged)
  bytes[bytes.length >> 1]! ^= 1
  writeFileSync(damaged, bytes)
}

t.test('files that cannot be merged hold up those of no other table', async t => {
  const dir = temporaryFolder(t)
  const { engine } = await open(t, dir)
  const large = await createTable(engine, 'large')
  const small = await createTable(engine, 'small')
  for (const n of [1, 2, 3]) {
    await put(engine, large, [{ at: 1, n }])
    await put(engine, small, [{ at: 1, n }])
    await engine.maintain({ kind: 'flush' }, never)
    // At once: two files may be merged without being asked for it.
    if (n === 1) damageOne(dir, /large.*parquet$/)
  }
  const failed = { message: /^files of public\.large cannot be merged: .* does not match its checksum/ }
  await t.rejects(engine.maintain({ kind: 'compact' }, never), failed)
  t.same(await select(engine, small, 'SELECT n FROM @'), [[3]])
  t.match(engine.catalog.statistics(small), { files: 1 })
  t.ok(engine.catalog.statistics(large).files > 1, 'the damaged one stays apart')
  t.match(await engine.maintain({ kind: 'compact', table: small }, never), { files: 0 })
})
