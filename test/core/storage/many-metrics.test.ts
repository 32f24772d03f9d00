import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { RequestContext } from '../../../core/http/context.ts'
import type { TableWrite } from '../../../core/model/batch.ts'
import { slowness } from '../../time.ts'
import { fixed, never, openEngine, request, select, storeOf, temporaryFolder, text, times } from './fixtures.ts'

const ctx: RequestContext = { ...request, hints: { options: { physical_table: 'metrics' } } }

/** Two samples for each of `count` metrics from number `first` on. */
function samples(first: number, count: number, tags: readonly string[] = ['host', 'job']): TableWrite[] {
  return Array.from({ length: count }, (_, i) => ({
    table: `metric_${first + i}`,
    rows: 2,
    columns: [
      ...tags.map(tag => text(tag, [`${tag}-a`, `${tag}-b`], 'tag')),
      times('ts', [1, 2]),
      fixed('value', 'Float64', Float64Array.of(first + i, 0.5))
    ]
  }))
}

/** Transactions in the catalog's own log: https://www.sqlite.org/fileformat2.html#the_write_ahead_log */
function transactions(dir: string): number {
  const bytes = readFileSync(join(dir, 'catalog.db-wal'))
  if (bytes.length < 32) return 0
  const pageSize = bytes.readUInt32BE(8)
  let count = 0
  for (let at = 32; at + 24 <= bytes.length; at += 24 + pageSize) {
    if (bytes.subarray(at + 8, at + 16).equals(bytes.subarray(16, 24)) && bytes.readUInt32BE(at + 4) !== 0) count++
  }
  return count
}

/** Bytes this process has written so far, wherever. */
function bytesWritten(): number {
  return Number(/wchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))![1])
}

t.test('a request that meets many new tables changes the catalog once, and once more to widen them', async t => {
  const dir = temporaryFolder(t)
  const store = storeOf(await openEngine(t, dir))
  const steps = async (writes: readonly TableWrite[]) => {
    const before = transactions(dir)
    await store.write(ctx, writes)
    return transactions(dir) - before
  }
  t.equal(await steps(samples(0, 100)), 1)
  t.equal(await steps(samples(0, 100)), 0)
  t.equal(await steps([...samples(0, 50, ['host', 'zone']), ...samples(200, 50)]), 1, 'new ones and wider ones')
  t.same(
    store.table('public', 'metric_0')?.tags.map(({ name }) => name),
    ['host', 'job', 'zone']
  )
  t.same(
    store.table('public', 'metric_200')?.tags.map(({ name }) => name),
    ['host', 'job']
  )
})

t.test('writes of one request to one new table make it with the columns of all', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const store = storeOf(engine)
  const [one, other] = [samples(0, 1, ['host'])[0]!, samples(0, 1, ['zone'])[0]!]
  await store.write({ ...ctx, hints: { options: {} } }, [
    one,
    other,
    { ...other, columns: [...other.columns, text('note', ['x', 'y'])] }
  ])
  const table = store.table('public', 'metric_0')!
  t.same(
    table.columns.map(({ name }) => name),
    ['host', 'ts', 'value', 'zone', 'note']
  )
  t.equal(table.version, 1)
  t.same(await select(engine, table, 'SELECT count(*), count(note), count(DISTINCT zone) FROM @'), [[4, 2, 2]])
})

t.test('a request of which one write fits nowhere makes no table at all', async t => {
  const store = storeOf(await openEngine(t, temporaryFolder(t)))
  await store.write(ctx, samples(0, 1))
  const wrong = { ...samples(0, 1)[0]!, columns: [times('ts', [1, 2]), text('value', ['a', 'b'])] }
  await t.rejects(store.write(ctx, [...samples(1, 3), wrong]), { message: /Column datatype mismatch.*value/ })
  await t.rejects(store.write(ctx, [...samples(1, 3), { ...samples(4, 1)[0]!, options: { append_mode: true } }]), {
    message: /its append_mode is not set, not true/
  })
  t.same(
    store.tables('public').map(({ name }) => name),
    ['metrics', 'metric_0']
  )
  await store.write(ctx, samples(1, 3))
  t.equal(store.tables('public').length, 5)
})

t.test(
  'ten thousand metrics: each costs what the tenth did, a flush writes one file, a start reads them fast',
  async t => {
    const dir = temporaryFolder(t)
    const engine = await openEngine(t, dir)
    const store = storeOf(engine)
    const costs: number[] = []
    const began = performance.now()
    let made = 0
    for (let first = 0; first < 10_000; first += 1000) {
      const [before, known] = [bytesWritten(), transactions(dir)]
      await store.write(ctx, samples(first, 1000))
      costs.push(bytesWritten() - before)
      made += Number(transactions(dir) - known)
    }
    // Every ten seconds one more notes how far the log is on the disk.
    t.ok(made <= costs.length + (performance.now() - began) / 10_000, `${made} transactions, one each`)
    // The spare of the catalog is copied at times, beside one or two of them.
    const usual = costs.toSorted((a, b) => a - b)[costs.length / 2]!
    t.ok(usual < 2 * costs[0]!, `bytes written by a thousand: ${costs.join(' ')}`)
    await store.write(ctx, samples(0, 10_000))
    await engine.maintain({ kind: 'flush' }, never)
    t.equal(globSync('data/**/*.parquet', { cwd: dir }).length, 1)
    const last = [
      ['host-a', 9999],
      ['host-b', 0.5]
    ]
    t.same(await select(engine, store.table('public', 'metric_9999')!, 'SELECT host, value FROM @ ORDER BY host'), last)
    t.same(await select(engine, store.table('public', 'metrics')!, 'SELECT count(*) FROM @'), [[20_000]])
    await engine.close()
    const started = performance.now()
    const again = await openEngine(t, dir)
    const took = performance.now() - started
    t.ok(took < 10_000 * slowness(), `opened in ${Math.round(took)} ms`)
    t.equal(again.catalog.tables('public').length, 10_001)
    t.same(
      await select(again, again.catalog.table('public', 'metric_9999')!, 'SELECT host, value FROM @ ORDER BY host'),
      last
    )
  }
)
