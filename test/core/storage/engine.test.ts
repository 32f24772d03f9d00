import {
  appendFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { createMetrics } from '../../../core/metrics/metrics.ts'
import type { Table } from '../../../core/model/table.ts'
import { usualProcessDelay } from '../../../core/storage/embedded/engine-state.ts'
import { eventually } from '../../eventually.ts'
import {
  createTable,
  fixed,
  makeEngine,
  never,
  openEngine,
  put,
  select,
  temporaryFolder,
  text,
  times
} from './fixtures.ts'

const all = 'SELECT host, "at", n, note FROM @ ORDER BY host, "at"'

t.test('a query sees every answered write, before and after a flush and a restart', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir)
  const table = await createTable(engine, 'visits')
  await put(engine, table, [
    { host: 'a', at: 1, n: 1, note: 'short' },
    { host: 'b', at: 1, n: 2, note: 'a text longer than twelve bytes: ä€😀' }
  ])
  await put(engine, table, [
    { host: 'a', at: 2, note: '' },
    { at: 3, n: 4 }
  ])
  const expected = [
    ['a', 1, 1, 'short'],
    ['a', 2, null, ''],
    ['b', 1, 2, 'a text longer than twelve bytes: ä€😀'],
    [null, 3, 4, null]
  ]
  t.same(await select(engine, table, all), expected)
  const report = await engine.maintain({ kind: 'flush' }, never)
  t.match(report, { rows: 4, files: 1 })
  t.same(await select(engine, table, all), expected)
  await engine.close()
  const again = await openEngine(t, dir)
  t.same(await select(again, again.catalog.table('public', 'visits')!, all), expected)
})

t.test('the query process starts soon after the engine, before any statement', async t => {
  const metrics = createMetrics()
  await openEngine(t, temporaryFolder(t), { metrics, processDelay: usualProcessDelay })
  await eventually(async () => /^svc_query_process_up 1$/m.test(await metrics.expose()))
})

t.test('rows that are only in the log come back after a crash, once', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir)
  const table = await createTable(engine, 'visits', { append_mode: true })
  await put(engine, table, [{ host: 'a', at: 1, n: 1 }])
  await engine.maintain({ kind: 'flush' }, never)
  await put(engine, table, [
    { host: 'b', at: 2, n: 2 },
    { host: 'a', at: 3, n: 3 }
  ])
  const copy = crash(t, dir)
  const again = await openEngine(t, copy)
  const expected = [
    ['a', 1, 1, null],
    ['a', 3, 3, null],
    ['b', 2, 2, null]
  ]
  t.same(await select(again, again.catalog.table('public', 'visits')!, all), expected)
  await put(again, again.catalog.table('public', 'visits')!, [{ host: 'c', at: 4, n: 4 }])
  const third = await openEngine(t, crash(t, copy))
  t.same(await select(third, third.catalog.table('public', 'visits')!, all), [...expected, ['c', 4, 4, null]])
})

t.test('the newest row of a series and time wins, and a delete hides it', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const table = await createTable(engine, 'visits')
  await put(engine, table, [
    { host: 'a', at: 1, n: 1, note: 'x' },
    { host: 'a', at: 1, n: 2 }
  ])
  t.same(await select(engine, table, all), [['a', 1, 2, null]])
  await engine.maintain({ kind: 'flush' }, never)
  await put(engine, table, [{ host: 'a', at: 1, n: 3 }])
  t.same(await select(engine, table, all), [['a', 1, 3, null]])
  await put(engine, table, [{ host: 'a', at: 1 }], 'delete')
  t.same(await select(engine, table, all), [])
  await engine.maintain({ kind: 'flush' }, never)
  t.same(await select(engine, table, all), [])
  await put(engine, table, [{ host: 'a', at: 1, n: 4 }])
  t.same(await select(engine, table, all), [['a', 1, 4, null]])
})

t.test('last_non_null merges the versions of a row field by field', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const table = await createTable(engine, 'visits', { merge_mode: 'last_non_null' })
  await put(engine, table, [{ host: 'a', at: 1, n: 1 }])
  await engine.maintain({ kind: 'flush' }, never)
  await put(engine, table, [{ host: 'a', at: 1, note: 'later' }])
  t.same(await select(engine, table, all), [['a', 1, 1, 'later']])
  await put(engine, table, [{ host: 'a', at: 1 }], 'delete')
  await put(engine, table, [{ host: 'a', at: 1, n: 9 }])
  t.same(await select(engine, table, all), [['a', 1, 9, null]])
})

t.test('a column added later is null in older rows, wherever they are', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const table = await createTable(engine, 'visits', { append_mode: true })
  await put(engine, table, [{ host: 'a', at: 1, n: 1 }])
  await engine.maintain({ kind: 'flush' }, never)
  await put(engine, table, [{ host: 'a', at: 2, n: 2 }])
  t.same((await select(engine, table, 'SELECT count(*) FROM @'))[0], [2])
  const wider = await engine.catalog.changeTable(table, {
    kind: 'add_columns',
    columns: [
      { name: 'Host', type: 'Float64', semantic: 'field', nullable: true },
      { name: 'zone', type: 'String', semantic: 'tag', nullable: true }
    ]
  })
  const columns = [
    text('host', ['a'], 'tag'),
    text('zone', ['z'], 'tag'),
    times('at', [3]),
    fixed('Host', 'Float64', Float64Array.of(0.5))
  ]
  await engine.write([{ table: wider, rows: 1, columns, op: 'put' }], never)
  const physical = wider.columns.find(column => column.name === 'Host')!.physical
  t.not(physical.toLowerCase(), 'host')
  t.same(await select(engine, wider, `SELECT host, zone, "at", n, "${physical}" FROM @ ORDER BY "at"`), [
    ['a', null, 1, 1, null],
    ['a', null, 2, 2, null],
    ['a', 'z', 3, null, 0.5]
  ])
})

t.test('a dropped column does not come back under the same name', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const table = await createTable(engine, 'visits', {}, false)
  await put(engine, table, [{ at: 1, n: 1 }])
  await engine.maintain({ kind: 'flush' }, never)
  const dropped = await engine.catalog.changeTable(table, { kind: 'drop_column', name: 'n' })
  const again = await engine.catalog.changeTable(dropped, {
    kind: 'add_columns',
    columns: [{ name: 'n', type: 'String', semantic: 'field', nullable: true }]
  })
  const { physical } = again.columns.find(column => column.name === 'n')!
  t.same(await select(engine, again, `SELECT "${physical}" FROM @`), [[null]])
})

t.test('tags of any type tell series apart', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir)
  const table = await engine.catalog.createTable({
    database: 'public',
    name: 'typed',
    columns: [
      { name: 'code', type: 'Int32', semantic: 'tag', nullable: true },
      { name: 'ok', type: 'Boolean', semantic: 'tag', nullable: true },
      { name: 'ts', type: 'TimestampMillisecond', semantic: 'timestamp', nullable: false }
    ],
    options: {}
  })
  const columns = [
    fixed('code', 'Int32', Int32Array.of(404, -1, 404), 'tag'),
    fixed('ok', 'Boolean', Uint8Array.of(0, 1, 0), 'tag'),
    times('ts', [1, 1, 1])
  ]
  await engine.write([{ table, rows: 3, columns, op: 'put' }], never)
  const expected = [
    [-1, 1],
    [404, 0]
  ]
  t.same(await select(engine, table, 'SELECT code, ok FROM @ ORDER BY code'), expected)
  const again = await openEngine(t, crash(t, dir))
  t.same(await select(again, again.catalog.table('public', 'typed')!, 'SELECT code, ok FROM @ ORDER BY code'), expected)
  await engine.maintain({ kind: 'flush' }, never)
  t.same(await select(engine, table, 'SELECT code, ok FROM @ ORDER BY code'), expected)
})

t.test('a second process is refused and told why', async t => {
  const dir = temporaryFolder(t)
  await openEngine(t, dir)
  await t.rejects(makeEngine(dir).open(), { message: /another process holds it/ })
})

t.test('the torn end of the log is cut, damage before the end stops the start with file and offset', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir)
  const table = await createTable(engine, 'visits', { append_mode: true })
  for (let i = 0; i < 5; i++) await put(engine, table, [{ host: 'a', at: i, n: i }])
  const copy = crash(t, dir)
  const path = lastSegment(copy)

  const torn = crash(t, copy)
  truncateSync(lastSegment(torn), statSync(path).size - 3)
  const cut = await openEngine(t, torn)
  t.same(await select(cut, cut.catalog.table('public', 'visits')!, 'SELECT count(*) FROM @'), [[4]])

  for (const place of [60, statSync(path).size - 3]) {
    const flipped = crash(t, copy)
    const bytes = readFileSync(lastSegment(flipped))
    bytes[place]! ^= 4
    writeFileSync(lastSegment(flipped), bytes)
    await t.rejects(makeEngine(flipped).open(), { message: /the log is damaged: .*\.wal at byte \d+/ })
  }
  const longer = crash(t, copy)
  appendFileSync(lastSegment(longer), Buffer.alloc(4096))
  const opened = await openEngine(t, longer)
  t.same(await select(opened, opened.catalog.table('public', 'visits')!, 'SELECT count(*) FROM @'), [[5]])
})

t.test('a refused write leaves no series behind that the log does not know', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir)
  const table = await createTable(engine, 'visits')
  const gone = await createTable(engine, 'gone')
  await engine.catalog.dropTable(gone)
  const columns = [text('host', ['new'], 'tag'), times('at', [1])]
  const write = (to: Table) => ({ table: to, rows: 1, columns, op: 'put' as const })
  await t.rejects(engine.write([write(table), write(gone)], never), { code: 'TableNotFound' })
  t.same(await select(engine, table, 'SELECT count(*) FROM @'), [[0]])
  await put(engine, table, [
    { host: 'new', at: 2, n: 2 },
    { host: 'another', at: 3, n: 3 }
  ])
  const again = await openEngine(t, crash(t, dir))
  t.same(await select(again, again.catalog.table('public', 'visits')!, all), [
    ['another', 3, 3, null],
    ['new', 2, 2, null]
  ])
})

t.test('a catalog older than the log stops the start', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir)
  const old = crash(t, dir)
  const table = await createTable(engine, 'visits')
  await put(engine, table, [{ host: 'a', at: 1, n: 1 }])
  cpSync(join(dir, 'wal'), join(old, 'wal'), { recursive: true })
  await t.rejects(makeEngine(old).open(), { message: /the catalog is older than the log: it has seen \d+ changes/ })
  // As a folder from before catalogs counted their changes.
  rmSync(join(old, 'wal', 'catalog.mark'))
  const sqlite = new DatabaseSync(join(old, 'catalog.db'))
  sqlite.exec(`DELETE FROM meta WHERE key IN ('identity', 'generation', 'base')`)
  sqlite.close()
  await t.rejects(makeEngine(old).open(), { message: /rows of table number 1, which the catalog never had/ })
})

t.test('a damaged or missing data file stops the start and is named', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir)
  const table = await createTable(engine, 'visits')
  await put(engine, table, [{ host: 'a', at: 1, n: 1 }])
  await engine.maintain({ kind: 'flush' }, never)
  const copy = crash(t, dir)
  const [file] = readdirSync(join(copy, 'data'), { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.parquet')
  )
  truncateSync(join(copy, 'data', file!), 100)
  await t.rejects(makeEngine(copy).open(), { message: /data file .*parquet has 100 bytes/ })
})

t.test('the log forgets what is in files, and segments follow one another', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir, { segment_size: 2000 })
  const table = await createTable(engine, 'visits', { append_mode: true })
  for (let i = 0; i < 50; i++) await put(engine, table, [{ host: 'a', at: i, n: i, note: 'x'.repeat(100) }])
  t.ok(segmentsOf(dir).length > 3)
  const copy = crash(t, dir)
  const again = await openEngine(t, copy)
  t.same(await select(again, again.catalog.table('public', 'visits')!, 'SELECT count(*), sum(n) FROM @'), [[50, 1225]])
  await engine.maintain({ kind: 'flush' }, never)
  t.equal(segmentsOf(dir).length, 1)
})

t.test('names of any kind are told apart', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir)
  const names = ['../x', 'a/b', '.', 'é'.repeat(127), 'Host', 'host', 'with "quotes"', "it's"]
  for (const [i, name] of names.entries()) {
    const table = await createTable(engine, name, { append_mode: true })
    await put(engine, table, [{ host: name, at: i, n: i }])
  }
  await engine.maintain({ kind: 'flush' }, never)
  for (const [i, name] of names.entries()) {
    const table = engine.catalog.table('public', name)!
    t.same(await select(engine, table, 'SELECT host, n FROM @'), [[name, i]])
  }
})

t.test('dropping a table removes its rows and files, and the log knows it no more', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir)
  const table = await createTable(engine, 'visits')
  await put(engine, table, [{ host: 'a', at: 1, n: 1 }])
  await engine.maintain({ kind: 'flush' }, never)
  await put(engine, table, [{ host: 'a', at: 2, n: 1 }])
  await engine.catalog.dropTable(table)
  t.same(
    readdirSync(join(dir, 'data'), { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.parquet')),
    []
  )
  const fresh = await createTable(engine, 'visits')
  t.same(await select(engine, fresh, 'SELECT count(*) FROM @'), [[0]])
  const again = await openEngine(t, crash(t, dir))
  t.same(await select(again, again.catalog.table('public', 'visits')!, 'SELECT count(*) FROM @'), [[0]])
})

t.test('a query that is cancelled says so', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const stop = new AbortController()
  setTimeout(() => stop.abort(), 50)
  const text = 'SELECT count(*) FROM range(1000000000000) a'
  await t.rejects(
    engine.query({ kind: 'sql', text, relations: [], timezone: 'UTC' }, stop.signal).then(async result => {
      for await (const _ of result.batches());
    }),
    { code: 'Cancelled' }
  )
})

t.test('a result nobody reads does not keep the engine from closing', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const text = 'SELECT * FROM range(100000)'
  await engine.query({ kind: 'sql', text, relations: [], timezone: 'UTC' }, never)
  const started = await engine.query({ kind: 'sql', text, relations: [], timezone: 'UTC' }, never)
  await started.batches()[Symbol.asyncIterator]().next()
  await engine.close()
})

t.test('a name of the statement shadows nothing the engine keeps', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const table = await createTable(engine, 'visits', { append_mode: true })
  await put(engine, table, [{ host: 'a', at: 1, n: 1 }])
  const sql = `WITH mem_${table.id}_0 AS (SELECT 7), series_${table.id} AS (SELECT 8) SELECT host, n FROM @`
  t.same(await select(engine, table, sql), [['a', 1]])
})

t.test('SQL reaches no file outside the data folder', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  for (const text of [
    "SELECT * FROM read_text('/etc/passwd')",
    "COPY (SELECT 1) TO '/tmp/weir-escape.csv'",
    "SET memory_limit='1GB'"
  ]) {
    await t.rejects(engine.query({ kind: 'sql', text, relations: [], timezone: 'UTC' }, never))
  }
})

/** A copy of the folder as a crash would leave it. */
function crash(t: Test, dir: string): string {
  const copy = temporaryFolder(t)
  cpSync(dir, copy, { recursive: true })
  return copy
}

function lastSegment(dir: string): string {
  return join(dir, 'wal', segmentsOf(dir).at(-1)!)
}

function segmentsOf(dir: string): string[] {
  return readdirSync(join(dir, 'wal'))
    .filter(name => name.endsWith('.wal'))
    .sort()
}
