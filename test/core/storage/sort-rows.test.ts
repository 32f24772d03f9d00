import fc from 'fast-check'
import t from 'tap'
import { sortRows } from '../../../core/storage/embedded/upkeep/sort-rows.ts'
import { keepRows, type MergeWay, valueIndices } from '../../../core/storage/embedded/upkeep/versions.ts'

interface Row {
  readonly tsid: number
  readonly time: bigint
  readonly seq: number
  readonly op: number
  readonly value: number | undefined
}

const anyRows = fc
  .array(
    fc.record({
      tsid: fc.oneof(fc.nat(5), fc.integer({ min: 70_000, max: 70_003 })),
      time: fc.oneof(fc.bigInt(-3n, 3n), fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 2n ** 32n, 2n ** 31n, -1n)),
      op: fc.constantFrom(0, 0, 0, 1),
      value: fc.option(fc.nat(9), { nil: undefined })
    }),
    { minLength: 1, maxLength: 120 }
  )
  .chain(rows =>
    // Rows of one write may be sorted already, so that they do not lie in the order they were written.
    fc
      .shuffledSubarray(
        rows.map((_, i) => i),
        { minLength: rows.length }
      )
      .map(seqs => rows.map((row, i): Row => ({ ...row, seq: 2 ** 33 + seqs[i]! })))
  )

const ownerOf = (tsid: number) => 100 - (tsid % 3)

function keysOf(rows: readonly Row[], hasSeries: boolean, hasOwners: boolean) {
  const times = new Int32Array(BigInt64Array.from(rows, row => row.time).buffer)
  const tsids = hasSeries ? Uint32Array.from(rows, row => row.tsid) : undefined
  const of = Uint32Array.from({ length: 70_010 }, (_, tsid) => ownerOf(tsid))
  const seqs = Float64Array.from(rows, row => row.seq)
  return { rows: rows.length, tsids, times, seqs, owners: hasOwners ? { first: 0, of } : undefined }
}

function compare(a: Row, b: Row, hasSeries: boolean, hasOwners: boolean): number {
  if (hasOwners && ownerOf(a.tsid) !== ownerOf(b.tsid)) return ownerOf(a.tsid) - ownerOf(b.tsid)
  if (hasSeries && a.tsid !== b.tsid) return a.tsid - b.tsid
  return a.time === b.time ? a.seq - b.seq : a.time < b.time ? -1 : 1
}

for (const [hasSeries, hasOwners] of [
  [false, false],
  [true, false],
  [true, true]
] as const) {
  t.test(`rows are sorted ${hasSeries ? 'by series' : 'by time'}${hasOwners ? ' and table' : ''}`, async () => {
    fc.assert(
      fc.property(anyRows, rows => {
        const indices = sortRows(keysOf(rows, hasSeries, hasOwners))
        const expected = rows.toSorted((a, b) => compare(a, b, hasSeries, hasOwners))
        return Array.from(indices, index => rows[index]).every((row, i) => row === expected[i])
      })
    )
  })
}

t.test('long runs out of order are sorted', async t => {
  const random = (i: number) => (i * 7919) % 10_007
  const rows = Array.from({ length: 10_000 }, (_, i) => ({ tsid: 1, time: BigInt(random(i)), seq: i, op: 0, value: 0 }))
  const indices = sortRows(keysOf(rows, true, false))
  const sorted = Array.from(indices, index => Number(rows[index]!.time))
  t.strictSame(
    sorted,
    sorted.toSorted((a, b) => a - b)
  )
})

/** The plain way: all versions of a row in a list. */
function expected(rows: readonly Row[], way: MergeWay, keepDeletes: boolean): string[] {
  const sorted = rows.toSorted((a, b) => compare(a, b, true, false))
  if (way === 'none') return sorted.map(show)
  const groups = Map.groupBy(sorted, ({ tsid, time }) => `${tsid} ${time}`)
  return [...groups.values()].flatMap(versions => {
    const deleted = versions.findLastIndex(({ op }) => op === 1)
    const live = versions.slice(deleted + 1)
    const last = live.at(-1)
    const value = way === 'fields' ? live.findLast(row => row.value !== undefined)?.value : last?.value
    const isKept = keepDeletes && deleted >= 0 && (way === 'fields' || last === undefined)
    return [...(isKept ? [show(versions[deleted]!)] : []), ...(last ? [show({ ...last, value })] : [])]
  })
}

function show({ tsid, time, seq, op, value }: Row): string {
  return `${tsid} ${time} ${seq} ${op} ${op === 1 ? '' : value}`
}

for (const way of ['none', 'row', 'fields'] as const) {
  t.test(`versions are merged: ${way}`, async () => {
    fc.assert(
      fc.property(anyRows, fc.boolean(), fc.integer({ min: 1, max: 40 }), (rows, keepDeletes, slice) => {
        const keys = keysOf(rows, true, false)
        const ops = Uint8Array.from(rows, row => row.op)
        const valid = new Uint8Array((rows.length + 7) >> 3)
        rows.forEach((row, i) => {
          if (row.value !== undefined) valid[i >> 3]! |= 1 << (i & 7)
        })
        const data = { kind: 'fixed', values: new Uint8Array(rows.length), valid } as const
        const kept = keepRows(way, keepDeletes, { ...keys, ops }, sortRows(keys))
        const found: string[] = []
        for (let from = 0; from < kept.indices.length; from += slice) {
          const to = Math.min(from + slice, kept.indices.length)
          valueIndices(kept, data, from, to).forEach((index, i) => {
            found.push(show({ ...rows[kept.indices[from + i]!]!, value: rows[index]!.value }))
          })
        }
        return found.join('\n') === expected(rows, way, keepDeletes).join('\n')
      })
    )
  })
}
