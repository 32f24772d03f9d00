import fc from 'fast-check'
import t from 'tap'
import type { TableColumn } from '../../../core/model/table.ts'
import { runAtOnce } from '../../../core/pace.ts'
import type { MemtableRows } from '../../../core/storage/embedded/memory/memtable.ts'
import { pickToSort, splitLast, withSorted } from '../../../core/storage/embedded/memory/sort-by-series.ts'
import { batchOf, gather } from '../../../core/storage/embedded/read/gather.ts'
import { mayHold, type SampleRows } from '../../../core/storage/embedded/read/sample-rows.ts'
import { WantedSeries } from '../../../core/storage/embedded/read/wanted-series.ts'
import { never, put, tableNamed } from '../../contract/engine/rows.ts'
import { columns } from '../../contract/engine/trial.ts'
import { openEngine, temporaryFolder } from './fixtures.ts'
import { sortBySeries } from './sorted-writes.ts'

const column = (id: number, type: TableColumn['type']): TableColumn => ({
  id,
  name: `c${id}`,
  physical: `c${id}`,
  type,
  semantic: id === 1 ? 'timestamp' : 'field',
  nullable: id !== 1
})
const time = column(1, 'TimestampMillisecond')
const value = column(2, 'Float64')

interface Sample {
  readonly series: number
  readonly at: number
  readonly value: number | null
}

/** Undefined values are gaps; a write with gaps cannot be sorted. */
const sample: fc.Arbitrary<Sample> = fc.record({
  series: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constantFrom(70_000, 70_001)),
  at: fc.integer({ min: -3, max: 9 }),
  value: fc.oneof({ weight: 9, arbitrary: fc.integer() }, fc.constant(null))
})

function writeOf(samples: readonly Sample[], seq: number): MemtableRows {
  const gaps = samples.some(each => each.value === null)
  const valid = new Uint8Array((samples.length + 7) >> 3)
  for (const [i, each] of samples.entries()) if (each.value !== null) valid[i >> 3]! |= 1 << (i & 7)
  return {
    rows: samples.length,
    seq,
    op: 'put',
    tsids: Uint32Array.from(samples, ({ series }) => series),
    columns: new Map([
      [time.id, { kind: 'fixed', values: BigInt64Array.from(samples, ({ at }) => BigInt(at)) }],
      [value.id, { kind: 'fixed', values: Float64Array.from(samples, each => each.value ?? 0), ...(gaps && { valid }) }]
    ])
  }
}

/** What counts of the samples of some series between two times, by the plain way. */
function expected(samples: readonly Sample[], wanted: readonly number[], versions: boolean, merges: boolean): string[] {
  const found = samples.filter(({ series, at }) => wanted.includes(series) && at >= 0 && at <= 6)
  const given = merges ? found.filter(each => each.value !== null) : found
  const last = (one: Sample, i: number) =>
    !given.some((other, j) => j > i && other.series === one.series && other.at === one.at)
  const kept = versions ? given.filter(last) : given
  return kept.filter(each => each.value !== null).map(({ series, at, value }) => `${series} ${at} ${value}`)
}

t.test('samples are the same sorted by their series and as they came', async () => {
  const writes = fc.array(fc.array(sample, { minLength: 1, maxLength: 9 }), { maxLength: 12 })
  const wanted = fc.constantFrom([3], [1, 2, 5], [70_001], [2, 6, 70_000])
  const property = fc.property(writes, wanted, fc.boolean(), fc.boolean(), (writes, wanted, versions, merges) => {
    let seq = 100
    let rows: readonly MemtableRows[] = writes.map(samples => {
      seq += samples.length
      return writeOf(samples, seq - samples.length)
    })
    const limits = { minRows: 8, maxRows: 20 }
    for (let picked = pickToSort(rows, limits); picked !== undefined; picked = pickToSort(rows, limits)) {
      const split = splitLast(picked, limits)
      if (split !== undefined) {
        rows = rows.flatMap(write => (write === picked!.at(-1) ? split : [write]))
        picked = picked.with(-1, split[0])
      }
      rows = withSorted(rows, picked, sortBySeries(picked))
    }
    // Only rows without gaps are sorted, so that writes with some may stand between rows written before and after them.
    const ordered = rows.every((each, i) => i === 0 || each.seq >= (rows[i - 1]!.order?.endSeq ?? 0))
    if (versions && !ordered) return true
    const query = { wanted: new WantedSeries(Uint32Array.from(wanted)), time, values: [value], from: 0, to: 6 }
    const parts = (rows as readonly SampleRows[]).filter(each => mayHold(each, query))
    const batch = batchOf(runAtOnce(gather(parts, query, { versions, merges })), query.wanted.tsids)
    const [series, times, values] = batch.columns.map(({ values }) => values)
    const found = Array.from({ length: batch.rows }, (_, i) => `${series![i]} ${times![i]} ${values![i]}`)
    return found.sort().join() === expected(writes.flat(), wanted, versions, merges).sort().join()
  })
  fc.assert(property, { numRuns: 500 })
})

t.test('sorting keeps every row with its number, and the bits of values that are not numbers', async t => {
  const stale = new Uint32Array([2, 0x7ff00000])
  const values = new Float64Array(stale.buffer)
  const writes = [5, 3, 5, 1].map((series, i) => {
    const write = writeOf([{ series, at: i, value: 0 }], 40 + i)
    return i === 2 ? { ...write, columns: new Map([...write.columns, [2, { kind: 'fixed' as const, values }]]) } : write
  })
  const picked = pickToSort(writes, { minRows: 4, maxRows: 4 })!
  const [sorted, ...none] = withSorted(writes, picked, sortBySeries(picked))
  t.same(none, [])
  t.same([...sorted!.tsids!], [1, 3, 5, 5])
  t.same([...sorted!.order!.after], [3, 1, 0, 2])
  t.equal(sorted!.order!.endSeq, 44)
  const { values: numbers } = sorted!.columns.get(2) as { readonly values: Float64Array }
  t.same([...new Uint32Array(numbers.buffer).subarray(6)], [...stale])
  t.equal(pickToSort([sorted!], { minRows: 4, maxRows: 4 }), undefined, 'nothing is left to do')
})

t.test(
  'of a write that is sorted in part the rest keeps the numbers of its rows, also where some are missing',
  async t => {
    const whole = writeOf(
      [1, 2, 3, 4].map(series => ({ series, at: series, value: series })),
      40
    )
    const gaps = { ...whole, order: { after: Uint32Array.of(0, 1, 5, 7), endSeq: 48 } }
    t.equal(splitLast([whole], { minRows: 1, maxRows: 4 }), undefined)
    const numbers = (write: MemtableRows | undefined) =>
      Array.from(write!.tsids!, (_, i) => write!.seq + (write!.order?.after[i] ?? i))
    for (const [write, expected] of [
      [whole, [40, 41, 42, 43]],
      [gaps, [40, 41, 45, 47]]
    ] as const) {
      const [head, tail] = splitLast([write], { minRows: 1, maxRows: 2 })!
      t.same([...head.tsids!, ...tail.tsids!], [1, 2, 3, 4])
      t.same([...numbers(head), ...numbers(tail)], expected)
      t.ok((head.order?.endSeq ?? head.seq + head.rows) <= tail.seq)
      t.equal(tail.order?.endSeq ?? tail.seq + tail.rows, write.order?.endSeq ?? 44)
    }
  }
)

t.test('many samples in memory are read alike by series and by SQL, before and after rows come again', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const words = ['tag host String', 'time at TimestampMillisecond', 'field n Float64']
  await engine.catalog.createTable({ database: 'public', name: 'v', columns: columns(...words), options: {} })
  const table = tableNamed(engine, 'v')
  const rows = (from: bigint, value: number) =>
    Array.from({ length: 12_000 }, (_, i) => ({
      host: `h${(i * 7) % 40}`,
      at: from + BigInt(Math.floor(i / 40)),
      n: value + i
    }))
  const sum = async (kind: 'series' | 'scan') => {
    const test = (host: string) => host === 'h3' || host === 'h21'
    const result =
      kind === 'series'
        ? await engine.query({ kind, table, matches: [{ column: 'host', test }], values: ['n'] }, never)
        : await engine.query({ kind, table, columns: ['host', 'n'] }, never)
    let [count, total] = [0, 0]
    for await (const { rows, columns } of result.batches()) {
      for (let i = 0; i < rows; i++) {
        if (kind === 'scan' && !test(columns[0]!.values[i] as string)) continue
        count++
        total += columns.at(-1)!.values[i] as number
      }
    }
    return [count, total]
  }
  for (const [at, from] of [0n, 300n, 600n].entries()) await put(engine, table, ...rows(from, at * 1e6))
  const once = await sum('series')
  t.equal(once[0], 3 * 2 * 300)
  await put(engine, table, ...rows(600n, 5e6))
  const again = await sum('series')
  t.equal(again[0], 3 * 2 * 300, 'the later version counts')
  t.same(again, await sum('scan'))
  t.same(again, await sum('series'), 'also once DuckDB has seen them')
  await engine.maintain({ kind: 'flush' }, never)
  t.same(again, await sum('series'), 'and from a file')
})

t.test(
  'rows of metrics in memory are sorted once somebody asks, and are the same samples before and after',
  async t => {
    const engine = await openEngine(t, temporaryFolder(t))
    const words = ['tag host String', 'time ts TimestampMillisecond', 'field value Float64']
    const options = { physical_table: 'metrics' }
    for (const name of ['up', 'load'])
      await engine.catalog.createTable({ database: 'public', name, columns: columns(...words), options })
    const rows = 30_000
    for (const [i, name] of ['up', 'load'].entries()) {
      const samples = Array.from({ length: rows }, (_, n) => ({
        host: `h${n % 500}`,
        ts: BigInt(n),
        value: n * (i + 1)
      }))
      await put(engine, tableNamed(engine, name), ...samples)
    }
    const ask = async () => {
      const test = (host: string) => host === 'h7' || host === 'h300'
      const matches = [{ column: 'host', test }]
      const table = tableNamed(engine, 'load')
      const result = await engine.query({ kind: 'series', table, matches, values: ['value'] }, never)
      const found: string[] = []
      for await (const { rows, columns } of result.batches())
        for (let i = 0; i < rows; i++) found.push(columns.map(({ values }) => values[i]).join(' '))
      return { found: found.sort().join(), sorted: result.reading!()[0]!.sorted! }
    }
    const before = await ask()
    t.equal(before.found.split(',').length, 2 * (rows / 500))
    let after = await ask()
    for (let i = 0; i < 100 && after.sorted < 2 * rows; i++) {
      await new Promise(resolve => setTimeout(resolve, 20))
      after = await ask()
    }
    t.equal(after.sorted, 2 * rows)
    t.equal(after.found, before.found)
  }
)
