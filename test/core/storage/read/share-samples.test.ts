// Rows in memory in reading threads: the same samples as where they lie, and nothing that threads share is copied.

import fc from 'fast-check'
import t from 'tap'
import { type ColumnData, isValid } from '../../../../core/model/batch.ts'
import { runAtOnce } from '../../../../core/pace.ts'
import type { MemtableRows } from '../../../../core/storage/embedded/memory/memtable.ts'
import { batchOf, gather } from '../../../../core/storage/embedded/read/gather.ts'
import { mayHold, type SampleQuery, type SampleRows } from '../../../../core/storage/embedded/read/sample-rows.ts'
import { shareSamples } from '../../../../core/storage/embedded/read/share-samples.ts'
import { WantedSeries } from '../../../../core/storage/embedded/read/wanted-series.ts'
import { sortBySeries } from '../sorted-writes.ts'

const time = { id: 1, type: 'TimestampMillisecond' } as const
const value = { id: 2, type: 'Float64' } as const

const anyWrite = fc.record({
  kind: fc.constantFrom('sorted', 'shared', 'own', 'gaps'),
  samples: fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 9 })), {
    minLength: 1,
    maxLength: 9
  })
})

function writeOf(
  { kind, samples }: typeof anyWrite extends fc.Arbitrary<infer W> ? W : never,
  seq: number
): SampleRows {
  const memory = kind === 'shared' || kind === 'sorted' ? SharedArrayBuffer : ArrayBuffer
  const rows = samples.length
  const tsids = new Uint32Array(new memory(4 * rows))
  const times = new BigInt64Array(new memory(8 * rows))
  const values = new Float64Array(new memory(8 * rows))
  const valid = new Uint8Array((rows + 7) >> 3)
  for (const [i, [series, at]] of samples.entries()) {
    tsids[i] = series
    times[i] = BigInt(at)
    values[i] = seq + i
    if (i % 3 > 0) valid[i >> 3]! |= 1 << (i & 7)
  }
  const columns = new Map<number, ColumnData>([
    [time.id, { kind: 'fixed', values: times }],
    [value.id, { kind: 'fixed', values, ...(kind === 'gaps' && { valid }) }],
    [9, { kind: 'bytes', offsets: new Uint32Array(rows + 1), bytes: new Uint8Array(0) }]
  ])
  const write: MemtableRows = { rows, seq, op: 'put', tsids, columns }
  if (kind !== 'sorted') return write as SampleRows
  columns.delete(9)
  return sortBySeries([write]) as SampleRows
}

function samplesOf(parts: readonly SampleRows[], query: SampleQuery, versions: boolean): string {
  const some = parts.filter(part => part.rows > 0 && mayHold(part, query))
  const { rows, columns } = batchOf(runAtOnce(gather(some, query, { versions, merges: false })), query.wanted.tsids)
  const [series, times, values] = columns
  const numberAt = (row: number) => (isValid(values!.valid, row) ? values!.values[row] : undefined)
  return Array.from({ length: rows }, (_, row) =>
    [series!.values[row], times!.values[row], numberAt(row)].join(' ')
  ).join()
}

t.test('a thread finds the samples that are there', async () => {
  const wanted = fc.constantFrom([2], [1, 4], [1, 2, 3, 4, 5], [6])
  fc.assert(
    fc.property(fc.array(anyWrite, { maxLength: 9 }), wanted, fc.boolean(), (all, tsids, versions) => {
      let seq = 100
      const writes = all.map(each => {
        seq += each.samples.length
        return writeOf(each, seq - each.samples.length)
      })
      const query = { wanted: new WantedSeries(Uint32Array.from(tsids)), time, values: [value], from: 2, to: 7 }
      const expected = samplesOf(writes, query, versions)
      return samplesOf(structuredClone(runAtOnce(shareSamples(writes, query))), query, versions) === expected
    })
  )
})

t.test('shared memory is handed over without a copy, and columns that are not asked for are left out', async t => {
  const samples: [number, number][] = [
    [1, 3],
    [2, 4]
  ]
  const writes = (['shared', 'sorted', 'own', 'gaps', 'shared'] as const).map((kind, i) =>
    writeOf({ kind, samples }, 100 + 2 * i)
  )
  const query = { wanted: new WantedSeries(Uint32Array.of(1)), time, values: [value], from: 0, to: 9 }
  const handed = runAtOnce(shareSamples(writes, query))
  t.same(
    handed.map(({ rows }) => rows),
    [2, 2, 2, 2],
    'neighbours in memory of their own are one copy, of the rows that are asked for'
  )
  for (const [i, from] of [0, 1, undefined, 4].entries()) {
    t.same([...handed[i]!.columns.keys()], [1, 2])
    if (from !== undefined) t.equal(handed[i]!.tsids.buffer, writes[from]!.tsids.buffer)
  }
  t.ok(handed[1]!.bounds?.starts?.buffer instanceof SharedArrayBuffer)
})

t.test('many rows that nobody sorted yet are found one by one', async t => {
  const rows = 40_000
  const samples = Array.from({ length: rows }, (_, i): [number, number] => [1 + ((i * 7) % 5), i % 11])
  const shared = writeOf({ kind: 'shared', samples }, 0)
  const query = { wanted: new WantedSeries(Uint32Array.of(2, 5)), time, values: [value], from: 2, to: 7 }
  const handed = structuredClone(runAtOnce(shareSamples([shared], query)))
  t.equal(shared.bounds, undefined, 'what they span is not looked for')
  const found = samplesOf(handed, query, false)
  t.equal(found, samplesOf([writeOf({ kind: 'sorted', samples }, 0)], query, false))
  t.ok(found.length > 0)
})
