import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { TableWrite } from '../../../core/model/batch.ts'
import { type Mark, readMark } from '../../../core/storage/embedded/catalog/catalog-mark.ts'
import type { Store } from '../../../core/storage/store.ts'
import { request as ctx, fixed, openEngine, storeOf, temporaryFolder, text, times } from './fixtures.ts'

async function open(
  t: Test,
  settings: { auto_create_table?: boolean; max_concurrent_queries?: number } = {}
): Promise<Store> {
  return storeOf(await openEngine(t, temporaryFolder(t)), settings)
}

function lines(table: string, values: readonly string[], more: Partial<TableWrite> = {}): TableWrite {
  const columns = [
    times(
      'ts',
      values.map((_, i) => i)
    ),
    text('line', values)
  ]
  return { table, rows: values.length, columns, ...more }
}

async function count(store: Store, name: string): Promise<number> {
  const table = store.table('public', name)!
  const result = await store.query(ctx, { kind: 'scan', table, columns: ['ts'] })
  let rows = 0
  for await (const batch of result.batches()) rows += batch.rows
  return rows
}

t.test('a write creates its table, with the options of the write before those of the request', async t => {
  const store = await open(t)
  const hints = { options: { ttl: '1day', append_mode: false } }
  const { rows, perWrite } = await store.write({ ...ctx, hints }, [
    lines('log', ['a', 'b'], { options: { append_mode: true } })
  ])
  t.same([rows, perWrite], [2, [2]])
  t.match(store.table('public', 'log'), {
    options: { ttl: '1day', append_mode: true, comment: 'Created on insertion' }
  })
})

t.test('a write widens its table; what does not fit is named', async t => {
  const store = await open(t)
  await store.write(ctx, [lines('log', ['a'])])
  const wider = { table: 'log', rows: 1, columns: [times('ts', [9]), fixed('n', 'Int64', BigInt64Array.of(1n))] }
  await store.write(ctx, [wider])
  t.same(
    store.table('public', 'log')!.columns.map(({ name }) => name),
    ['ts', 'line', 'n']
  )
  const wrong = { table: 'log', rows: 1, columns: [times('ts', [9]), text('n', ['one'])] }
  const message = /Column datatype mismatch. For column: n, expected datatype: Int64, actual datatype: String/
  await t.rejects(store.write(ctx, [wrong]), { code: 'InvalidArguments', message })
  const other = { table: 'log', rows: 1, columns: [times('time', [9])] }
  await t.rejects(store.write(ctx, [other]), { message: /the time index of table log is ts, the write's is time/ })
})

t.test('all writes of a request or none', async t => {
  const store = await open(t)
  await store.write(ctx, [lines('a', ['x'])])
  const wrong = { table: 'a', rows: 1, columns: [times('ts', [9]), fixed('line', 'Int64', BigInt64Array.of(1n))] }
  await t.rejects(store.write(ctx, [lines('b', ['x']), wrong]))
  t.equal(store.table('public', 'b'), undefined, 'not even a table is left')
  await store.write(ctx, [
    lines('b', ['x', 'y']),
    lines('c', ['z']),
    lines('b', ['w'], { options: { append_mode: true } })
  ])
  t.same(
    [await count(store, 'a'), await count(store, 'b'), await count(store, 'c')],
    [1, 2, 1],
    'the third write replaced a row'
  )
})

t.test('requests that meet a new table at the same time agree on it', async t => {
  const store = await open(t)
  const writes = Array.from({ length: 20 }, (_, i) => {
    const columns = [times('ts', [i]), text(`column ${i % 5}`, ['x'])]
    return store.write(ctx, [{ table: 'new', rows: 1, columns }])
  })
  await Promise.all(writes)
  t.equal(await count(store, 'new'), 20)
  t.equal(store.table('public', 'new')!.columns.length, 6)
})

t.test('tables of many columns are made some at a time: others run in between', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir)
  const changes = () => (readMark(join(dir, 'wal')) as Mark).generation
  const before = changes()
  const [tables, columns] = [10, 1_000]
  const fields = Array.from({ length: columns }, (_, i) => fixed(`f${i}`, 'Float64', Float64Array.of(i)))
  const writes = Array.from({ length: tables }, (_, i) => ({
    ...{ table: `wide_${i}`, rows: 1, columns: [times('ts', [1]), ...fields] }
  }))
  const { rows } = await storeOf(engine).write(ctx, writes)
  t.equal(rows, tables)
  t.ok(changes() - before >= (tables * columns) / 2_500, `${changes() - before} transactions`)
})

t.test('tables are not created where that is switched off', async t => {
  const store = await open(t, { auto_create_table: false })
  await t.rejects(store.write(ctx, [lines('log', ['a'])]), { message: /`log` does not exist, and `auto_create_table`/ })
  await store.write(ctx, [lines('log', ['a'], { autoCreate: true })])
  t.equal(await count(store, 'log'), 1)
  const hinted = { ...ctx, hints: { options: {}, autoCreate: true } }
  await store.write(hinted, [lines('other', ['a'])])
})

t.test('permission modes and unknown databases', async t => {
  const store = await open(t)
  await store.write(ctx, [lines('log', ['a'])])
  const reader = { ...ctx, user: { name: 'dash', mode: 'ro' } } as const
  const writer = { ...ctx, user: { name: 'agent', mode: 'wo' } } as const
  const denied = { code: 'PermissionDenied' }
  const scan = { kind: 'scan', table: store.table('public', 'log')!, columns: ['line'] } as const
  await t.rejects(store.write(reader, [lines('log', ['b'])]), denied)
  await t.rejects(store.query(writer, scan), denied)
  await t.rejects(async () => store.dropTable(reader, scan.table), denied)
  await t.rejects(store.write({ ...ctx, db: 'nope' }, [lines('log', ['b'])]), { code: 'DatabaseNotFound' })
})

t.test('rows of a table with ttl instant are taken and gone', async t => {
  const store = await open(t)
  const { rows, perWrite } = await store.write(ctx, [
    lines('gone', ['a'], { options: { ttl: 'instant' } }),
    lines('kept', ['a'])
  ])
  t.same([rows, perWrite], [1, [0, 1]])
  t.equal(await count(store, 'gone'), 0)
})

t.test('names of a write are checked', async t => {
  const store = await open(t)
  for (const table of ['', 'a\0b', 'x'.repeat(256)]) {
    await t.rejects(store.write(ctx, [lines(table, ['a'])]), {
      code: 'InvalidArguments',
      message: /the name of a table/
    })
  }
  const twice = { table: 'log', rows: 1, columns: [times('ts', [1]), text('a', ['x']), text('a', ['y'])] }
  await t.rejects(store.write(ctx, [twice]), { message: /column a of table log is given twice/ })
})

t.test('queries above the limit wait for a place, and stop waiting when they are cancelled', async t => {
  const store = await open(t, { max_concurrent_queries: 1 })
  await store.write(ctx, [lines('log', ['a'])])
  const query = { kind: 'scan', table: store.table('public', 'log')!, columns: ['line'] } as const
  const first = await store.query(ctx, query)
  const stop = new AbortController()
  const second = store.query({ ...ctx, signal: stop.signal }, query)
  const third = store.query(ctx, query)
  stop.abort(new Error('enough'))
  await t.rejects(second, { message: 'enough' })
  first.close()
  ;(await third).close()
})

t.test('a table cannot lie in itself, nor in another new table of the request, nor in a view', async t => {
  const store = await open(t)
  const within = (name: string) => ({ options: { physical_table: name } })
  const refused = { code: 'InvalidArguments', status: 400 }
  await t.rejects(store.write(ctx, [lines('m', ['a'], within('m'))]), {
    ...refused,
    message: /^physical_table = m of itself: a physical table holds no rows of its own/
  })
  const hint = { ...ctx, hints: within('n') }
  await t.rejects(store.write(hint, [lines('m', ['a']), lines('n', ['b'])]), refused)
  await t.rejects(store.write(ctx, [lines('m', ['a'], within('n')), lines('n', ['b'])]), {
    ...refused,
    message: /^physical_table = n of table m of the same request/
  })
  const columns = [{ name: 'ts', type: 'TimestampMillisecond', semantic: 'timestamp', nullable: false }] as const
  await t.rejects(store.createTable(ctx, { database: 'public', name: 'm', columns, ...within('m') }, 'refuse'), refused)
  t.equal(store.tables('public').length, 0)
  await store.putView(ctx, { database: 'public', name: 'v', query: 'SELECT 1', columns: [], createdAt: 0 }, 'refuse')
  await t.rejects(store.write(ctx, [lines('m', ['a'], within('v'))]), refused)
  await store.write(ctx, [lines('m', ['a'], within('n')), lines('o', ['b'], within('n'))])
  t.equal(await count(store, 'm'), 1)
})
