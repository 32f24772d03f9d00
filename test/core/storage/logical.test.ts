import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Table, TableOptions } from '../../../core/model/table.ts'
import type { Engine } from '../../../core/storage/engine.ts'
import { fixed, never, openEngine, put, select, temporaryFolder, text, times } from './fixtures.ts'

const flush = { kind: 'flush' } as const

function metric(engine: Engine, name: string, tags: readonly string[], options: TableOptions = {}): Promise<Table> {
  return engine.catalog.createTable({
    database: 'public',
    name,
    columns: [
      ...tags.map(tag => ({ name: tag, type: 'String', semantic: 'tag', nullable: true }) as const),
      { name: 'ts', type: 'TimestampMillisecond', semantic: 'timestamp', nullable: false },
      { name: 'value', type: 'Float64', semantic: 'field', nullable: true }
    ],
    options: { physical_table: 'metrics', ...options }
  })
}

async function sample(
  engine: Engine,
  table: Table,
  tags: Record<string, string>,
  at: number,
  value: number
): Promise<void> {
  const columns = [
    ...Object.entries(tags).map(([name, tag]) => text(name, [tag], 'tag')),
    times('ts', [at]),
    fixed('value', 'Float64', Float64Array.of(value))
  ]
  await engine.write([{ table, rows: 1, columns, op: 'put' }], never)
}

t.test('logical tables keep their rows apart and share their files', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir)
  const up = await metric(engine, 'up', ['host'])
  const load = await metric(engine, 'load', ['host', 'core'])
  await sample(engine, up, { host: 'a' }, 1, 1)
  await sample(engine, load, { host: 'a', core: '0' }, 1, 0.5)
  await sample(engine, load, { host: 'a', core: '0' }, 1, 0.75)
  const upRows = [['a', 1, 1]]
  const loadRows = [['a', '0', 1, 0.75]]
  t.same(await select(engine, up, 'SELECT * FROM @'), upRows)
  t.same(await select(engine, load, 'SELECT * FROM @'), loadRows, 'the newest of two versions')
  await engine.maintain(flush, never)
  t.same(await select(engine, up, 'SELECT * FROM @'), upRows)
  t.same(await select(engine, load, 'SELECT * FROM @'), loadRows)
  const physical = engine.catalog.table('public', 'metrics')!
  t.same(await select(engine, physical, 'SELECT host, core, value FROM @ ORDER BY value'), [
    ['a', '0', 0.75],
    ['a', null, 1]
  ])
  t.match(engine.catalog.statistics(physical), { rows: 2, files: 1 })
  await engine.close()
  const again = await openEngine(t, dir)
  t.same(await select(again, again.catalog.table('public', 'load')!, 'SELECT * FROM @'), loadRows)
})

t.test('thousands of metrics flush into a handful of files', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir)
  const tables: Table[] = []
  for (let i = 0; i < 500; i++) tables.push(await metric(engine, `metric_${i}`, ['host'], { append_mode: true }))
  const columns = () => [
    text('host', ['a', 'b'], 'tag'),
    times('ts', [1, 2]),
    fixed('value', 'Float64', Float64Array.of(1, 2))
  ]
  await engine.write(
    tables.map(table => ({ table, rows: 2, columns: columns(), op: 'put' as const })),
    never
  )
  await engine.maintain(flush, never)
  const files = readdirSync(join(dir, 'data'), { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.parquet')
  )
  t.equal(files.length, 1)
  t.same(await select(engine, tables[499]!, 'SELECT host, value FROM @ ORDER BY host'), [
    ['a', 1],
    ['b', 2]
  ])
})

t.test('columns of one name but another type lie side by side', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const first = await metric(engine, 'first', ['host'])
  const second = await engine.catalog.createTable({
    database: 'public',
    name: 'second',
    columns: [
      { name: 'time', type: 'TimestampMillisecond', semantic: 'timestamp', nullable: false },
      { name: 'value', type: 'String', semantic: 'field', nullable: true },
      { name: 'host', type: 'Int64', semantic: 'field', nullable: true }
    ],
    options: { physical_table: 'metrics' }
  })
  await sample(engine, first, { host: 'a' }, 1, 1)
  const columns = [times('time', [5]), text('value', ['text']), fixed('host', 'Int64', BigInt64Array.of(7n))]
  await engine.write([{ table: second, rows: 1, columns, op: 'put' }], never)
  for (const _ of [1, 2]) {
    t.same(await select(engine, first, 'SELECT * FROM @'), [['a', 1, 1]])
    t.same(await select(engine, second, 'SELECT * FROM @'), [[5, 'text', 7]])
    await engine.maintain(flush, never)
  }
})

t.test('a dropped logical table is gone, its rows leave with the next compaction', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const gone = await metric(engine, 'gone', ['host'])
  const stays = await metric(engine, 'stays', ['host'])
  for (let i = 0; i < 4; i++) {
    await sample(engine, gone, { host: 'a' }, i, i)
    await sample(engine, stays, { host: 'a' }, i, i)
    await engine.maintain(flush, never)
  }
  await engine.catalog.dropTable(gone)
  const physical = engine.catalog.table('public', 'metrics')!
  t.same(await select(engine, physical, 'SELECT count(*) FROM @'), [[4]])
  const anew = await metric(engine, 'gone', ['host'])
  t.same(await select(engine, anew, 'SELECT count(*) FROM @'), [[0]])
  await engine.maintain({ kind: 'compact' }, never)
  t.match(engine.catalog.statistics(physical), { rows: 4, files: 1 })
  t.same(await select(engine, stays, 'SELECT count(*) FROM @'), [[4]])
  await t.rejects(engine.catalog.dropTable(physical), { message: /holds 2 logical tables/ })
})

t.test('an ordinary table or one with other modes cannot hold logical tables', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  await metric(engine, 'up', ['host'])
  await t.rejects(metric(engine, 'other', ['host'], { append_mode: true }), {
    message: /its append_mode is not set, not true/
  })
  await t.rejects(metric(engine, 'other', ['host'], { physical_table: 'up' }), { message: /it is an ordinary table/ })
  const up = engine.catalog.table('public', 'up')!
  const set = (table: Table, options: TableOptions) =>
    engine.catalog.changeTable(table, { kind: 'set_options', options })
  await t.rejects(set(up, { append_mode: true }), {
    message: /append_mode belongs to all tables of the physical table metrics/
  })
  await t.rejects(set(up, { physical_table: 'other' }), { message: /physical_table is decided when a table is made/ })
  t.equal(
    (await set(up, { ttl: '1day', physical_table: 'metrics' })).options.ttl,
    '1day',
    'what stays as it is may be named'
  )
  const physical = engine.catalog.table('public', 'metrics')!
  await t.rejects(set(physical, { skip_wal: true }), { message: /skip_wal belongs to all tables/ })
  await t.rejects(put(engine, physical, [{ at: 1 }]), { message: /written through its logical tables/ })
})
