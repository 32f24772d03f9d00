import fc from 'fast-check'
import t from 'tap'
import type { Table } from '../../../core/model/table.ts'
import { runAtOnce } from '../../../core/pace.ts'
import { LabelIndex } from '../../../core/storage/embedded/series/label-index.ts'
import { SeriesRegistry } from '../../../core/storage/embedded/series/series.ts'
import { resolveSeries } from '../../../core/storage/embedded/series/tags.ts'
import { columns } from '../../contract/engine/trial.ts'
import { eventually } from '../../eventually.ts'
import { createTable as createNotes, makeEngine, never, openEngine, put, temporaryFolder, text } from './fixtures.ts'

type Values = readonly (string | undefined)[]

async function createTable(t: Parameters<typeof openEngine>[0]): Promise<Table> {
  const engine = await openEngine(t, temporaryFolder(t))
  return engine.catalog.createTable({
    database: 'public',
    name: 'visits',
    columns: columns('tag host String', 'tag zone String', 'tag code Int32', 'time at TimestampMillisecond'),
    options: {}
  })
}

/** Series with these values of the text tags; gives their numbers. */
function addSeries(registry: SeriesRegistry, table: Table, rows: readonly Values[], owner?: number): Uint32Array {
  const tags = table.tags.slice(0, 2).map(({ id, name }, i) => ({
    id,
    rows: rows.length,
    data: text(
      name,
      rows.map(row => row[i])
    ).data
  }))
  return runAtOnce(resolveSeries(registry, tags, rows.length, { table: owner }))
}

const is = (column: string, value: string) => ({ column, test: (found: string) => found === value, equals: value })

function labelsOf(index: LabelIndex, table: Table, series: number): [string, string][] {
  runAtOnce(index.decode(table.tags))
  const { names, values } = index.labels(table)(series)
  return names.map((name, i) => [name, values[i]!])
}

t.test('series are found by any test of any tag, an absent one is empty, and later ones are taken in', async t => {
  const table = await createTable(t)
  const value = fc.option(fc.constantFrom('a', 'b', 'é', 'ab'), { nil: undefined })
  const rows = fc.array(fc.tuple(value, value), { maxLength: 12 })
  const wanted = fc.constantFrom('', 'a', 'b', 'é', 'nothing')
  const property = fc.property(rows, rows, wanted, wanted, (first, second, host, zone) => {
    const registry = new SeriesRegistry()
    const index = new LabelIndex(registry)
    const known = new Map<number, Values>()
    for (const batch of [first, second]) {
      for (const [row, id] of addSeries(registry, table, batch).entries()) known.set(id, batch[row]!)
      // As it is done in the background, or at once by the query.
      if (batch.length % 2 === 0) {
        runAtOnce(index.grow())
        runAtOnce(index.decode(table.tags))
      }
      const found = [...runAtOnce(index.select(table, [is('host', host), is('zone', zone)], undefined))]
      const expected = [...known]
        .filter(([, row]) => (row[0] ?? '') === host && (row[1] ?? '') === zone)
        .map(([id]) => id)
        .sort((a, b) => a - b)
      // Number 0 is the series without any tag, whether it has rows or not.
      if (found.filter(id => known.has(id)).join() !== expected.join()) return false
      for (const [id, row] of known) {
        const labels = row.flatMap((each, i) => (each === undefined ? [] : [[['host', 'zone'][i], each]]))
        if (JSON.stringify(labelsOf(index, table, id)) !== JSON.stringify(labels)) return false
      }
    }
    return true
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 300 }))
})

t.test('series of logical tables that share a registry are told apart by their owner', async t => {
  const table = await createTable(t)
  const registry = new SeriesRegistry()
  const index = new LabelIndex(registry)
  const [one] = addSeries(registry, table, [['a', undefined]], 11)
  const [two] = addSeries(registry, table, [['a', undefined]], 12)
  t.same([...runAtOnce(index.select(table, [is('host', 'a')], 11))], [one])
  t.same([...runAtOnce(index.select(table, [is('host', 'a')], 12))], [two])
  t.same([...runAtOnce(index.select(table, [is('host', 'a')], 13))], [])
})

t.test('numbers are tested as text, and a tag the table does not have is empty', async t => {
  const table = await createTable(t)
  const registry = new SeriesRegistry()
  const index = new LabelIndex(registry)
  const code = table.tags[2]!
  const data = { kind: 'fixed' as const, values: Int32Array.of(404, -1) }
  const [first, second] = runAtOnce(resolveSeries(registry, [{ id: code.id, rows: 2, data }], 2))
  runAtOnce(index.select(table, [], undefined))
  t.same(labelsOf(index, table, first!), [['code', '404']])
  t.same([...runAtOnce(index.select(table, [is('code', '404')], undefined))], [first])
  t.same(
    [...runAtOnce(index.select(table, [{ column: 'code', test: found => found.startsWith('-') }], undefined))],
    [second]
  )
  t.same(labelsOf(index, table, second!), [['code', '-1']])
  t.same([...runAtOnce(index.select(table, [is('rack', 'x')], undefined))], [])
  t.ok(runAtOnce(index.select(table, [is('rack', '')], undefined)).length >= 2)
})

t.test('after a start series are read little by little, and all of them by whoever needs them before that', async t => {
  const dir = temporaryFolder(t)
  const hosts = Array.from({ length: 5_000 }, (_, i) => `host_${i}`)
  const first = makeEngine(dir)
  await first.open()
  await put(
    first,
    await createNotes(first, 'notes'),
    hosts.map(host => ({ host, at: 1, n: 1 }))
  )
  await first.close()

  const second = makeEngine(dir)
  await second.open()
  const seriesOf = () => second.catalog.statistics(second.catalog.table('public', 'notes')!).series
  while (seriesOf() === undefined) await new Promise(resolve => setImmediate(resolve))
  t.equal(seriesOf(), 5_000, 'nobody asked for them')
  await second.close()

  const third = await openEngine(t, dir)
  const table = third.catalog.table('public', 'notes')!
  const chosen = async (matches: readonly ReturnType<typeof is>[]) => {
    const result = await third.query({ kind: 'series', table, matches, values: ['n'], distinct: true }, never)
    const names: string[] = []
    for await (const { columns } of result.batches()) {
      for (const tsid of columns[0]!.values as Uint32Array) names.push(result.labels!(tsid).values[0]!)
    }
    return names.sort()
  }
  const [last] = await Promise.all([
    chosen([is('host', 'host_4999')]),
    put(third, table, [
      { host: 'host_7', at: 2, n: 1 },
      { host: 'later', at: 2, n: 1 }
    ])
  ])
  t.strictSame(last, ['host_4999'])
  t.strictSame(await chosen([]), [...hosts, 'later'].sort())
})

t.test('series of a table whose files have expired are read after a start, too', async t => {
  const dir = temporaryFolder(t)
  const first = makeEngine(dir)
  await first.open()
  const table = await createNotes(first, 'notes', { ttl: '1day' })
  await put(first, table, [{ host: 'a', at: 1, n: 1 }])
  for (const kind of ['flush', 'compact'] as const) await first.maintain({ kind }, never)
  t.equal(first.catalog.statistics(table).files, 0)
  await first.close()

  const second = await openEngine(t, dir)
  const seriesOf = () => second.catalog.statistics(second.catalog.table('public', 'notes')!).series
  await eventually(() => seriesOf() === 1)
})
