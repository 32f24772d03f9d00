import fc from 'fast-check'
import t from 'tap'
import { type FixedData, isValid } from '../../../core/model/batch.ts'
import type { MemtableRows, StoredColumn } from '../../../core/storage/embedded/memory/memtable.ts'
import { slices } from '../../../core/storage/embedded/upkeep/slices.ts'

const column = (id: number, type: StoredColumn['type'], filled?: StoredColumn['filled']): StoredColumn => ({
  id,
  physical: `c${id}`,
  type,
  ...(filled && { filled })
})

/** Columns of every width; the last one has a value in writes that leave it out, unless they have the first one. */
const columns: readonly StoredColumn[] = [
  column(1, 'TimestampMillisecond'),
  column(2, 'Float64'),
  column(3, 'Int32'),
  column(4, 'Decimal(38, 0)'),
  column(5, 'Int16', { given: [2], text: '7' })
]

interface Write {
  readonly tsids: readonly number[]
  readonly seq: number
  /** Rows that lie in another order than they were written in. */
  readonly isSorted: boolean
  /** Columns it leaves out, besides the time. */
  readonly without: readonly number[]
}

const anyWrites = fc.array(
  fc.record({
    tsids: fc.array(fc.oneof(fc.nat(6), fc.integer({ min: 500, max: 503 })), { minLength: 1, maxLength: 40 }),
    seq: fc.integer({ min: 1, max: 2 ** 40 }),
    isSorted: fc.boolean(),
    without: fc.subarray([2, 3, 4, 5])
  }),
  { maxLength: 8 }
)

const afterOf = (i: number) => (i * 7) % 64

function rowsOf({ tsids, seq, isSorted, without }: Write, number: number): MemtableRows {
  const rows = tsids.length
  const value = (i: number) => 1000 * number + i
  const data: [number, FixedData['values']][] = [
    [1, BigInt64Array.from(tsids, (_, i) => BigInt(value(i)) - 5n)],
    [2, Float64Array.from(tsids, (_, i) => value(i) / 3)],
    [3, Int32Array.from(tsids, (_, i) => -value(i))],
    [4, BigInt64Array.from(tsids.flatMap((_, i) => [BigInt(value(i)), -1n]))],
    [5, Int16Array.from(tsids, (_, i) => value(i) % 100)]
  ]
  const held = data.filter(([id]) => !without.includes(id))
  return {
    rows,
    seq,
    op: 'put',
    // Memory may have room for more.
    tsids: Uint32Array.from([...tsids, 9]),
    columns: new Map(held.map(([id, values]) => [id, { kind: 'fixed', values } as const])),
    ...(isSorted && { order: { after: Uint32Array.from(tsids, (_, i) => afterOf(i)), endSeq: seq + 64 } })
  }
}

/** What a row holds, column by column. */
function shown(data: readonly FixedData[], row: number): string {
  return data
    .map(({ values, valid }, i) => {
      if (!isValid(valid, row)) return 'null'
      return i === 3 ? `${values[2 * row]} ${values[2 * row + 1]}` : values[row]
    })
    .join()
}

/** The plain way, row by row. */
function expected(writes: readonly Write[], owners: Uint32Array | undefined): string[] {
  const rows = writes.flatMap((write, number) => {
    const { columns: held } = rowsOf(write, number)
    return write.tsids.map((tsid, row) => {
      const cells = columns.map(({ id }) => {
        const data = held.get(id) as FixedData | undefined
        if (id === 5 && data === undefined) return held.has(2) ? 'null' : 7
        if (data === undefined) return 'null'
        return id === 4 ? `${data.values[2 * row]} ${data.values[2 * row + 1]}` : data.values[row]
      })
      const seq = write.seq + (write.isSorted ? afterOf(row) : row)
      return { tsid, text: `${tsid} ${seq} ${cells.join()}` }
    })
  })
  const owner = (tsid: number) => owners?.[tsid] ?? 0
  return rows.toSorted((a, b) => owner(a.tsid) - owner(b.tsid) || a.tsid - b.tsid).map(({ text }) => text)
}

t.test('slices hold all rows, by table and series, those of a series as they came', async t => {
  const of = Uint32Array.from({ length: 600 }, (_, tsid) => 100 - (tsid % 3))
  fc.assert(
    fc.property(anyWrites, fc.boolean(), fc.integer({ min: 1, max: 60 }), (writes, isOwned, usual) => {
      const owners = isOwned ? { first: 0, of } : undefined
      const asked = { writes: writes.map(rowsOf), columns, hasSeries: true, hasVersions: true }
      const found: string[] = []
      for (const slice of slices(asked, owners, usual)) {
        let from = 0
        for (const to of slice.ends) {
          if (new Set(slice.tsids.subarray(from, to)).size !== 1) return false
          from = to
        }
        if (from !== slice.rows || slice.rows === 0) return false
        for (let row = 0; row < slice.rows; row++) {
          found.push(`${slice.tsids[row]} ${slice.seqs![row]} ${shown(slice.columns, row)}`)
        }
      }
      return found.join('\n') === expected(writes, owners?.of).join('\n')
    }),
    { numRuns: 300 }
  )
  t.pass()
})

t.test('a slice holds a part of the rows', async t => {
  const tsids = Array.from({ length: 1000 }, (_, i) => i % 100)
  const writes = [rowsOf({ tsids, seq: 1, isSorted: false, without: [] }, 0)]
  const sizes = (usual: number) => {
    const asked = { writes, columns, hasSeries: true, hasVersions: false }
    return Array.from(slices(asked, undefined, usual), ({ rows }) => rows)
  }
  t.same(sizes(300), [300, 300, 300, 100])
  t.same(sizes(10), [...Array(8).fill(120), 40], 'at least about an eighth of all')
  t.same(sizes(2000), [1000])
})
