import t from 'tap'
import { loadConfig } from '../../../core/config/load.ts'
import type { TableWrite } from '../../../core/model/batch.ts'
import type { SeriesWrite } from '../../../core/model/series.ts'
import type { Engine } from '../../../core/storage/engine.ts'
import { request as ctx, fixed, openEngine, select, storeOf, temporaryFolder, times } from './fixtures.ts'

const many = 30_000

/** A row for each of so many series at one time. */
function rows(table: string, count: number, at: number, value = at): TableWrite {
  const texts = Array.from({ length: count }, (_, i) => `host-${i}`)
  const bytes = Buffer.from(texts.join(''))
  const ends = new Uint32Array(count)
  let end = 0
  for (const [i, text] of texts.entries()) {
    end += text.length
    ends[i] = end
  }
  const starts = Uint32Array.from(ends, (_, i) => (i === 0 ? 0 : ends[i - 1]!))
  return {
    table,
    rows: count,
    columns: [times('ts', Array(count).fill(at)), fixed('value', 'Float64', new Float64Array(count).fill(value))],
    tags: {
      keys: { count, bytes, starts, ends },
      series: Uint32Array.from({ length: count }, (_, i) => i),
      labels: i => [{ name: 'host', value: bytes.subarray(starts[i], ends[i]) }]
    }
  }
}

async function facts(engine: Engine, name: string): Promise<readonly unknown[]> {
  const table = engine.catalog.table('public', name)
  if (table === undefined) return [0, 0]
  const [found] = await select(engine, table, 'SELECT count(*), count(DISTINCT host) FROM @')
  return found!.map(Number)
}

/** Turns of the event loop until work is over. */
async function turnsOf(work: Promise<unknown>, each: (turn: number) => unknown = () => {}): Promise<number> {
  let isOver = false
  const done = () => {
    isOver = true
  }
  work.then(done, done)
  let turns = 0
  for (; !isOver; turns++) {
    await each(turns)
    await new Promise(resolve => setImmediate(resolve))
  }
  return turns
}

t.test('requests that meet the same new series, side by side, write each of them once', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir)
  const store = storeOf(engine)
  const large = [rows('m', 3 * many, 1), rows('m', 3 * many, 2)].map(write => store.write(ctx, [write]))
  let small = 0
  const turns = await turnsOf(Promise.all(large), async turn => {
    if (turn < 20) small += (await store.write(ctx, [rows('m', 50, 10 + turn)])).rows
  })
  t.ok(turns > 3, `others had ${turns} turns`)
  t.same(await Promise.all(large.map(async each => (await each).rows)), [3 * many, 3 * many])
  t.same(await facts(engine, 'm'), [6 * many + small, 3 * many])
  await engine.close()
  t.same(await facts(await openEngine(t, dir), 'm'), [6 * many + small, 3 * many], 'after a start')
})

t.test('the last of several versions is that of the request which was sent after the others were answered', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const store = storeOf(engine)
  for (const value of [1, 2, 3]) {
    const others = store.write(ctx, [rows('other', many, value)])
    await store.write(ctx, [rows('m', 5_000, 1, value)])
    await others
  }
  const table = engine.catalog.table('public', 'm')!
  t.same(await select(engine, table, 'SELECT min(value), max(value), count(*) FROM @'), [[3, 3, 5_000]])
})

t.test('a table that is dropped while rows for it are on their way is made again with all of them', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const store = storeOf(engine)
  await store.write(ctx, [rows('m', 10, 1)])
  let isWritten = false
  const write = store.write(ctx, [rows('m', many, 2)]).then(() => {
    isWritten = true
  })
  let dropped = 0
  await turnsOf(write, async () => {
    const table = store.table('public', 'm')
    if (table !== undefined && dropped < 3 && !isWritten) {
      await store.dropTable(ctx, table)
      if (!isWritten) dropped++
    }
  })
  await write
  t.ok(dropped > 0, `it was dropped ${dropped} times`)
  t.same(await facts(engine, 'm'), [many, many])
})

t.test('a table that changes all the time does not keep a request from being written', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const store = storeOf(engine)
  await store.write(ctx, [rows('m', 10, 1)])
  await store.write(ctx, [rows('other', 10, 1)])
  const write = store.write(ctx, [rows('m', 5 * many, 2)])
  let changes = 0
  await turnsOf(write, async turn => {
    const change = { kind: 'set_options', options: { comment: `turn ${turn}` } } as const
    const changed = store.changeTable(ctx, store.table('public', 'other')!, change)
    await Promise.race([changed, write])
    changes++
  })
  t.ok(changes > 5, `${changes} changes`)
  t.equal((await write).rows, 5 * many)
  t.same(await facts(engine, 'm'), [5 * many + 10, 5 * many])
})

t.test('a column that changes its type meanwhile gets all values or refuses them all', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const store = storeOf(engine)
  await store.write(ctx, [rows('m', 10, 1)])
  const write = store.write(ctx, [rows('m', many, 2)])
  const outcome = write.then(
    () => 'written',
    error => error.message
  )
  let isChanged = false
  await turnsOf(outcome, async turn => {
    if (turn !== 1 || isChanged) return
    isChanged = true
    const definition = { name: 'value', type: 'Int64', semantic: 'field', nullable: true } as const
    await store.changeTable(ctx, store.table('public', 'm')!, { kind: 'modify_column', name: 'value', definition })
  })
  t.ok(isChanged)
  const told = await outcome
  const table = engine.catalog.table('public', 'm')!
  const { physical } = table.columns.find(({ name }) => name === 'value')!
  const [counted] = await select(engine, table, `SELECT count(*), count("${physical}") FROM @`)
  if (told === 'written') t.same(counted, [many + 10, many + 10])
  else {
    t.match(told, /Column datatype mismatch/)
    t.same(counted, [10, 10])
  }
})

t.test('samples of many tables are all written, whatever table changes between two steps of them', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const store = storeOf(engine)
  const names = Array.from({ length: 40 }, (_, i) => `m${i}`)
  await store.write(ctx, [rows('other', 10, 1), ...names.map(name => rows(name, 2_000, 0))])
  const rounds = 6
  for (let round = 1; round <= rounds; round++) {
    // Work beside it takes the turns, so that it pauses after most of its steps.
    const beside = store.write(ctx, [rows('beside', many, round)])
    const write = store.write(
      ctx,
      names.map(name => rows(name, 2_000, round))
    )
    await turnsOf(write, async turn => {
      if (turn % rounds !== round % 4) return
      await store.dropTable(ctx, store.table('public', 'other')!)
      await store.write(ctx, [rows('other', 10, 1)])
    })
    t.equal((await write).rows, names.length * 2_000)
    await beside
  }
  for (const name of names) t.same(await facts(engine, name), [2_000 * (rounds + 1), 2_000], name)
})

/** A sample for each of so many series of each table, all at one time; each table has a physical table of its own. */
function samples(tables: number, count: number, at: number): SeriesWrite {
  const total = tables * count
  const bytes = Buffer.alloc(total * 4)
  for (let i = 0; i < total; i++) bytes.writeUInt32LE(i, i * 4)
  return {
    kind: 'series',
    keys: {
      count: total,
      bytes,
      starts: Uint32Array.from({ length: total }, (_, i) => i * 4),
      ends: Uint32Array.from({ length: total }, (_, i) => i * 4 + 4)
    },
    name: i => ({
      table: `s${i % tables}`,
      physicalTable: `p${i % tables}`,
      labels: [{ name: 'host', value: Buffer.from(`host-${Math.floor(i / tables)}`) }]
    }),
    samples: total,
    series: Uint32Array.from({ length: total }, (_, i) => i),
    times: new BigInt64Array(total).fill(BigInt(at)),
    values: new Float64Array(total).fill(at),
    timeColumn: 'svc_timestamp',
    valueColumn: 'svc_value',
    physicalTable: 'p'
  }
}

t.test('samples of many physical tables are all written, whatever table changes between two steps', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const store = storeOf(engine)
  const [tables, count, rounds] = [40, 2_000, 8]
  await store.write(ctx, [rows('other', 10, 1), samples(tables, count, 0)])
  for (let round = 1; round <= rounds; round++) {
    const beside = store.write(ctx, [rows('beside', many, round)])
    const write = store.write(ctx, [samples(tables, count, round)])
    await turnsOf(write, async turn => {
      if (turn !== round % 8) return
      await store.dropTable(ctx, store.table('public', 'other')!)
      await store.write(ctx, [rows('other', 10, 1)])
    })
    t.equal((await write).rows, tables * count)
    await beside
  }
  for (let i = 0; i < tables; i++) t.same(await facts(engine, `s${i}`), [count * (rounds + 1), count], `s${i}`)
})

t.test('of a request whose client leaves in the middle nothing is stored', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir)
  const store = storeOf(engine)
  const leaving = new AbortController()
  const sent = rows('m', many, 1)
  const labels = (i: number) => {
    if (i === many / 2) leaving.abort(new Error('gone'))
    return sent.tags!.labels(i)
  }
  const write = store.write({ ...ctx, signal: leaving.signal }, [{ ...sent, tags: { ...sent.tags!, labels } }])
  await t.rejects(write, { message: 'gone' })
  t.same((await facts(engine, 'm'))[0], 0)
  t.equal((await store.write(ctx, [rows('m', many, 2)])).rows, many, 'it may come again')
  await engine.close()
  t.same(await facts(await openEngine(t, dir), 'm'), [many, many])
})

t.test('thousands of new tables of one request are made in slices', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const store = storeOf(engine)
  const writes = Array.from({ length: 3_000 }, (_, i) => rows(`m${i}`, 1, 1))
  const write = store.write(ctx, writes)
  const turns = await turnsOf(write)
  t.ok(turns > 10, `others had ${turns} turns`)
  t.equal((await write).rows, 3_000)
  t.equal(store.tables('public').length, 3_000)
})

t.test('writes beside each other, each of which fits by itself, make no more series than the limit', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const count = 3_000
  const most = 2 * count + 500
  const { limits } = loadConfig().config
  const store = storeOf(engine, { limits: { ...limits, max_series: most } })
  const of = (writer: number, partial: boolean): SeriesWrite => {
    const plain = samples(1, count, writer)
    const bytes = Buffer.alloc(count * 4)
    for (let i = 0; i < count; i++) bytes.writeUInt32LE(writer * 1_000_000 + i, i * 4)
    return {
      ...plain,
      keys: { ...plain.keys, bytes },
      name: i => ({ table: 's', physicalTable: 'p', labels: [{ name: 'host', value: Buffer.from(`${writer}-${i}`) }] }),
      partial
    }
  }
  const writes = [1, 2, 3, 4].map(writer => store.write(ctx, [of(writer, true)]))
  const results = await Promise.all(writes)
  const physical = engine.catalog.table('public', 'p')!
  t.equal(engine.catalog.statistics(physical).series, most)
  t.equal(
    results.reduce((sum, { rows }) => sum + rows, 0),
    most,
    'as many samples are stored'
  )
  t.match(
    results.flatMap(({ refused }) => refused?.error?.message ?? []),
    [/table p would have more than 6500 series \(limits\.max_series\)/]
  )
  await t.rejects(store.write(ctx, [of(5, false)]), { code: 'InvalidArguments', message: /limits\.max_series/ })
  t.equal((await store.write(ctx, [of(1, true)])).rows, results[0]!.rows, 'series that are there take samples')
})
