// Samples read out of a file are those a look at every row of it finds, whatever the file's order, pages and writer.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import t from 'tap'
import { runAtOnce } from '../../../../core/pace.ts'
import { ParquetWriter } from '../../../../core/storage/embedded/parquet/index.ts'
import { FileParts, type Kept, sizeOf } from '../../../../core/storage/embedded/read/file-parts.ts'
import { PageCache } from '../../../../core/storage/embedded/read/page-cache.ts'
import { readSamples } from '../../../../core/storage/embedded/read/samples.ts'
import { WantedSeries } from '../../../../core/storage/embedded/read/wanted-series.ts'
import { temporaryFolder } from '../fixtures.ts'

interface Row {
  readonly table: number
  readonly tsid: number
  readonly time: number
  readonly value: number | null
}

/** Even series belong to table 0, odd ones to table 1: their numbers lie between one another's. */
const row = fc.record({
  tsid: fc.nat(15),
  time: fc.integer({ min: -20, max: 20 }),
  value: fc.option(fc.double(), { nil: null })
})
const rows = fc
  .array(row, { maxLength: 120 })
  .map(found => found.map(each => ({ ...each, table: each.tsid % 2 })).sort(byFileOrder))

function byFileOrder(a: Row, b: Row): number {
  return a.table - b.table || a.tsid - b.tsid || a.time - b.time
}

/** Row groups of `group` rows, pages of `page`. */
function ownFile(path: string, all: readonly Row[], group: number, page: number): void {
  const pieces: Uint8Array[] = []
  const columns = [
    { name: '__tsid', type: 'int32', logical: { kind: 'int', bits: 32, signed: false }, optional: false },
    { name: '__table', type: 'int32', logical: { kind: 'int', bits: 32, signed: false }, optional: false },
    { name: 'ts', type: 'int64', logical: { kind: 'timestamp', unit: 'ms' }, optional: false },
    { name: 'value', type: 'double', optional: true }
  ] as const
  const writer = new ParquetWriter(columns, bytes => pieces.push(bytes.slice()), { pageRows: page })
  for (let from = 0; from < all.length; from += group) {
    const some = all.slice(from, from + group)
    const valid = new Uint8Array((some.length + 7) >> 3)
    some.forEach(({ value }, i) => {
      if (value !== null) valid[i >> 3]! |= 1 << (i & 7)
    })
    writer.writeRowGroup(some.length, [
      { kind: 'fixed', values: Uint32Array.from(some, each => each.tsid) },
      { kind: 'fixed', values: Uint32Array.from(some, each => each.table) },
      { kind: 'fixed', values: BigInt64Array.from(some, each => BigInt(each.time)) },
      { kind: 'fixed', values: Float64Array.from(some, each => each.value ?? 0), valid }
    ])
  }
  writer.finish()
  writeFileSync(path, Buffer.concat(pieces))
}

const time = { id: 1, physical: 'ts', type: 'TimestampMillisecond' } as const
const value = { id: 2, physical: 'value', type: 'Float64' } as const
const nothing = { id: 3, physical: 'nothing', type: 'Float64' } as const

/** What is read of the file's parts, series by series. */
function read(
  files: FileParts,
  path: string,
  tsids: readonly number[],
  owners: readonly number[] | undefined,
  range: number[]
) {
  if (tsids.length === 0) return []
  const [from, to] = range as [number, number]
  const wanted = new WantedSeries(Uint32Array.from(tsids), owners && Uint32Array.from(owners))
  const query = {
    wanted,
    time,
    unit: 'ms',
    from,
    to,
    values: [value, nothing]
  } as const
  const { parts } = runAtOnce(files.read(path, query))
  t.ok(
    parts.every(({ columns }) => columns.has(value.id) && !columns.has(nothing.id)),
    'columns the file holds'
  )
  const batches = runAtOnce(readSamples(parts, query, { versions: false, merges: false }))
  return batches.flatMap(({ rows, columns: [series, times, numbers] }) =>
    Array.from({ length: rows }, (_, i) => [series!.values[i], times!.values[i], numbers!.values[i]])
  )
}

const asking = fc.record({
  tsids: fc.uniqueArray(fc.nat(15), { maxLength: 16 }).map(found => found.sort((a, b) => a - b)),
  from: fc.integer({ min: -25, max: 25 }),
  length: fc.nat(30)
})

function expected(all: readonly Row[], { tsids, from, length }: { tsids: number[]; from: number; length: number }) {
  return all
    .filter(each => each.value !== null && tsids.includes(each.tsid) && each.time >= from && each.time <= from + length)
    .sort((a, b) => a.tsid - b.tsid)
    .map(({ tsid, time, value }) => [tsid, time, value])
}

t.test('files of our own, cut into small row groups and pages', async t => {
  const folder = temporaryFolder(t)
  let next = 0
  const sizes = fc.record({
    group: fc.integer({ min: 1, max: 60 }),
    page: fc.integer({ min: 1, max: 20 }),
    pageShare: fc.constantFrom(1, 3, Number.POSITIVE_INFINITY),
    pageRanges: fc.constantFrom(1, 3, 64)
  })
  fc.assert(
    fc.property(
      rows,
      sizes,
      fc.array(asking, { minLength: 1, maxLength: 4 }),
      (all, { group, page, pageShare, pageRanges }, questions) => {
        const path = join(folder, `${next++}.parquet`)
        ownFile(path, all, group, page)
        // With a cache of one or two pages, cached pages equal those that are read again.
        const files = new FileParts(new PageCache<Kept>(1_800, sizeOf), { pageShare, pageRanges, footers: 2 })
        // What is known before the first question, or not.
        if (group % 2 === 0) files.know(path)
        for (const question of questions) {
          const owners = page % 2 === 0 ? question.tsids.map(tsid => tsid % 2) : undefined
          const found = read(files, path, question.tsids, owners, [question.from, question.from + question.length])
          t.same(found, expected(all, question))
        }
      }
    ),
    { numRuns: 200 }
  )
})

t.test('pages of other tables are not read, though series numbers of all tables lie between one another', t => {
  const path = join(temporaryFolder(t), 'tables.parquet')
  const all = Array.from({ length: 64 }, (_, tsid) => ({ table: tsid % 4, tsid, time: tsid, value: 1 })).sort(
    byFileOrder
  )
  // A page holds half of a table's series.
  ownFile(path, all, 16, 8)
  const files = new FileParts(new PageCache<Kept>(100_000, sizeOf))
  const tsids = Uint32Array.of(20, 21, 22, 23)
  const asked = { time, unit: 'ms', from: 0, to: 100, values: [value] } as const
  const known = runAtOnce(files.read(path, { ...asked, wanted: new WantedSeries(tsids, Uint32Array.of(0, 1, 2, 3)) }))
  t.strictSame(
    known.counts,
    { groups: [0, 1, 2, 3], known: 4, hits: 0, misses: 12 },
    'numbers, times and values of four pages'
  )
  const other = runAtOnce(
    files.read(path, { ...asked, wanted: new WantedSeries(Uint32Array.of(20, 21), Uint32Array.of(0, 2)) })
  )
  t.strictSame(other.counts.groups, [0, 2], 'series 21 is of another table than is said, which nobody says')
  t.end()
})

t.test('a file that cannot be read is told of by the query, not before', t => {
  const path = join(temporaryFolder(t), 'broken.parquet')
  const files = new FileParts(new PageCache<Kept>(1_800, sizeOf))
  files.know(path)
  t.throws(() => read(files, path, [1], [1], [0, 9]), { code: 'ENOENT' })
  writeFileSync(path, Buffer.alloc(100))
  files.know(path)
  t.throws(() => read(files, path, [1], [1], [0, 9]), /PAR1/)
  ownFile(path, [{ table: 1, tsid: 1, time: 3, value: 4 }], 1, 1)
  t.same(read(files, path, [1], [1], [0, 9]), [[1, 3, 4]])
  t.end()
})

t.test('files that DuckDB wrote, sorted by something else and in seconds', async t => {
  const path = join(temporaryFolder(t), 'other.parquet')
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run(`COPY (SELECT (i % 7)::UINTEGER AS __tsid, make_timestamp(i * 1000000)::TIMESTAMP_S AS ts, i / 2 AS value
    FROM range(5000) r(i) ORDER BY (i % 7) DESC, i) TO '${path}' (COMPRESSION zstd, PARQUET_VERSION v2, ROW_GROUP_SIZE 2048)`)
  const files = new FileParts(new PageCache<Kept>(2 ** 20, sizeOf))
  const wanted = new WantedSeries(Uint32Array.of(2, 5))
  const query = { wanted, time, unit: 's', from: 10, to: 20, values: [value] } as const
  const { parts } = runAtOnce(files.read(path, query))
  const [batch] = runAtOnce(readSamples(parts, query, { versions: false, merges: false }))
  t.same(
    batch!.columns.map(({ values }) => [...(values as Float64Array)]),
    [
      [2, 5, 5],
      [16, 12, 19],
      [8, 6, 9.5]
    ]
  )
  connection.closeSync()
  instance.closeSync()
})

t.test('pages of a file that were read in vain are counted', async t => {
  const path = join(temporaryFolder(t), 'damaged.parquet')
  writeFileSync(path, 'PAR1 and nothing else PAR1')
  const wanted = new WantedSeries(Uint32Array.of(1))
  const query = { wanted, time, unit: 'ms', from: 0, to: 1, values: [] } as const
  t.throws(() => runAtOnce(new FileParts(new PageCache<Kept>(0, sizeOf)).read(path, query)), { message: /^Parquet: / })
})
