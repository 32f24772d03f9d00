// Rows of numbers in shared memory: whatever writes they came in, each is there once, as it was written, and stays as it is.

import fc from 'fast-check'
import t from 'tap'
import type { ColumnData, FixedData } from '../../../core/model/batch.ts'
import type { Table, TableColumn } from '../../../core/model/table.ts'
import {
  Memtable,
  type MemtableRows,
  type SampleBounds,
  type SortTask
} from '../../../core/storage/embedded/memory/memtable.ts'
import { pieceBytes, RowMemory } from '../../../core/storage/embedded/memory/row-memory.ts'
import { endOf, sortLimits } from '../../../core/storage/embedded/memory/sort-by-series.ts'
import type { ParquetColumn } from '../../../core/storage/embedded/parquet/index.ts'
import { RowSorter } from '../../../core/storage/embedded/read/row-sorter.ts'
import { boundsOf, type SampleRows } from '../../../core/storage/embedded/read/sample-rows.ts'
import type { SeriesRegistry } from '../../../core/storage/embedded/series/series.ts'
import { type Spool, SpoolFile, type SpoolGroup } from '../../../core/storage/embedded/spool/spool.ts'
import { sortBySeries } from './sorted-writes.ts'

const at = { id: 1, name: 'at', physical: 'at', type: 'TimestampMillisecond', semantic: 'timestamp', nullable: false }
const columns = [at, { ...at, id: 2, name: 'n', physical: 'n', type: 'Float64', semantic: 'field', nullable: true }]
const table = {
  id: 7,
  database: 'public',
  name: 'x',
  columns: columns as TableColumn[],
  timeIndex: at as TableColumn,
  tags: [],
  options: {}
} as unknown as Table

interface Write {
  readonly rows: number
  /** Numbers left out before its first. */
  readonly gap: number
  /** Rows without a value somewhere, or of fewer columns, lie apart. */
  readonly kind: 'plain' | 'gaps' | 'narrow'
}

const anyWrite: fc.Arbitrary<Write> = fc.record({
  rows: fc.integer({ min: 1, max: 40 }),
  gap: fc.constantFrom(0, 0, 0, 3),
  kind: fc.constantFrom('plain', 'plain', 'plain', 'gaps', 'narrow')
})

function rowsOf({ rows, kind }: Write, seq: number): MemtableRows {
  const numbers = Array.from({ length: rows }, (_, i) => seq + i)
  const n = { kind: 'fixed' as const, values: Float64Array.from(numbers, number => number / 4) }
  const valid = new Uint8Array((rows + 7) >> 3).fill(255)
  return {
    rows,
    seq,
    op: 'put',
    tsids: Uint32Array.from(numbers, number => number % 5),
    columns: new Map<number, ColumnData>([
      [1, { kind: 'fixed' as const, values: BigInt64Array.from(numbers, BigInt) }],
      ...(kind === 'narrow' ? [] : [[2, kind === 'gaps' ? { ...n, valid } : n] as const])
    ])
  }
}

function newMemtable(rowMemory: RowMemory, firstSeq: number, spool?: Spool, copies = { bytes: 0 }): Memtable {
  return new Memtable({ rowMemory, spool: spool as Spool, copies }, table, firstSeq)
}

/** No sort fails. */
const log = {
  warn: (facts: unknown) => {
    throw facts
  }
}

const turn = () => new Promise(resolve => setImmediate(resolve))

function sorted({ writes, into }: SortTask): SampleBounds {
  return boundsOf(sortBySeries(writes, into) as SampleRows, at as TableColumn)
}

function sortAll(memtable: Memtable): void {
  for (let task = memtable.toSort(); task !== undefined; task = memtable.toSort())
    memtable.putSorted(task, sorted(task))
}

/** Files are lists of the numbers their rows have. */
class NumbersSpool {
  readonly files = new Map<SpoolFile, number[]>()

  async write(columns: readonly ParquetColumn[], groups: () => Iterable<SpoolGroup | undefined>): Promise<SpoolFile> {
    const at = columns.findIndex(({ name }) => name === '__seq')
    const numbers: number[] = []
    for (const group of groups()) {
      if (group === undefined) continue
      const { rows, from, columns } = group
      const { values } = columns[at] as FixedData
      for (let row = from; row < from + rows; row++) numbers.push(Number(values[row]))
      await Promise.resolve()
    }
    const file = new SpoolFile('/nowhere', numbers.length, file => this.files.delete(file))
    this.files.set(file, numbers)
    return file
  }
}

/** Each row as its number, its series, its time and its value. */
function show(memtable: Memtable): string[] {
  return memtable.writes.flatMap(({ rows, seq, tsids, order, columns }) =>
    Array.from({ length: rows }, (_, i) => {
      const [times, values] = [1, 2].map(id => columns.get(id)) as { values: ArrayLike<unknown> }[]
      return [seq + (order === undefined ? i : order.after[i]!), tsids![i], times!.values[i], values?.values[i]].join(
        ' '
      )
    })
  )
}

function expected(seq: number, kind: Write['kind']): string {
  return [seq, seq % 5, seq, kind === 'narrow' ? undefined : seq / 4].join(' ')
}

t.test('sorted rows leave none of their memory empty', async t => {
  const memtable = newMemtable(new RowMemory(), 0)
  const all = 2 * sortLimits.maxRows
  for (let rows = 0; rows < all; rows += 4_096)
    memtable.add(table, rowsOf({ rows: 4_096, gap: 0, kind: 'plain' }, rows))
  sortAll(memtable)
  const buffers = memtable.writes.flatMap(({ tsids, order, columns }) => [
    tsids!.buffer,
    order?.after.buffer,
    ...Array.from(columns.values(), data => (data as FixedData).values.buffer)
  ])
  // A series and a place in the order they came take 4 bytes each, a time and a value 8.
  t.equal(new Set(buffers).size * pieceBytes, all * 24)
})

t.test('rows of any writes are there once with their numbers, and what was read before stays', async () => {
  fc.assert(
    fc.property(fc.array(anyWrite, { minLength: 1, maxLength: 30 }), fc.array(fc.nat(30)), (writes, looks) => {
      const memtable = newMemtable(new RowMemory(), 100)
      const all: string[] = []
      const seen: { readonly at: number; readonly writes: readonly MemtableRows[] }[] = []
      let seq = 100
      for (const [i, write] of writes.entries()) {
        seq += write.gap
        memtable.add(table, rowsOf(write, seq))
        for (let row = 0; row < write.rows; row++) all.push(expected(seq + row, write.kind))
        seq += write.rows
        if (looks.includes(i)) seen.push({ at: all.length, writes: memtable.writes })
      }
      const counts = seen.every(({ at, writes }) => writes.reduce((sum, { rows }) => sum + rows, 0) === at)
      return counts && memtable.rows === all.length && show(memtable).join() === all.join()
    })
  )
})

t.test('many writes lie in few pieces, whose memory is used again when nobody reads it', async t => {
  const memory = new RowMemory()
  const fill = (memtable: Memtable) => {
    for (let i = 0; i < 600; i++) memtable.add(table, rowsOf({ rows: 1000, gap: 0, kind: 'plain' }, 100 + i * 1000))
  }
  const memtable = newMemtable(memory, 100)
  fill(memtable)
  t.equal(memtable.rows, 600_000)
  t.ok(memtable.writes.length < 16, `${memtable.writes.length} pieces`)
  t.ok(memtable.bytes < 21 * 600_000, 'a row takes the bytes of its columns')
  t.equal(memory.idleBytes, 0)
  memtable.pin()
  const before = show(memtable)
  memtable.drop()
  t.equal(memory.idleBytes, 0, 'somebody reads it')
  t.same(show(memtable), before)
  memtable.unpin()
  t.ok(memory.idleBytes >= 2 * pieceBytes)
  const idle = memory.idleBytes
  memory.trim()
  t.equal(memory.idleBytes, idle, 'as many were needed a moment ago')
  fill(newMemtable(memory, 100))
  t.ok(memory.idleBytes < idle)
  for (let i = 0; i < 4; i++) memory.trim()
  t.equal(memory.idleBytes, 0)
})

t.test('rows that follow those that were sorted are others, and memory is used again in each generation', async t => {
  const memory = new RowMemory()
  const generation = () => {
    const memtable = newMemtable(memory, 0)
    for (let i = 0; i < 300; i++) memtable.add(table, rowsOf({ rows: 1000, gap: 0, kind: 'plain' }, i * 1000))
    sortAll(memtable)
    memtable.add(table, rowsOf({ rows: 2, gap: 0, kind: 'plain' }, 300_000))
    t.equal(memtable.rows, 300_002)
    const all = Array.from({ length: 300_002 }, (_, seq) => expected(seq, 'plain'))
    t.same(show(memtable).sort(), all.sort())
    memtable.drop()
    return memory.idleBytes
  }
  const needed = generation()
  t.ok(needed > 2 * pieceBytes && needed < 12 * pieceBytes, `${needed} bytes`)
  t.equal(generation(), needed)
})

t.test('rows are sorted alike whether SQL reads them or not, and SQL reads each once', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('write' as const), rows: fc.integer({ min: 1, max: 30_000 }) }),
    fc.record({ kind: fc.constantFrom('sort' as const, 'spool' as const, 'both' as const) })
  )
  const property = fc.asyncProperty(fc.array(step, { maxLength: 24 }), async steps => {
    const spool = new NumbersSpool()
    const memtable = newMemtable(new RowMemory(), 100, spool as unknown as Spool)
    for (const step of steps) {
      if (step.kind === 'write') {
        memtable.add(table, rowsOf({ rows: step.rows, gap: 0, kind: 'plain' }, memtable.endSeq))
        continue
      }
      if (step.kind === 'sort') {
        sortAll(memtable)
        continue
      }
      const before = memtable.endSeq
      const reading = memtable.spool(undefined as unknown as SeriesRegistry)
      if (step.kind === 'both') sortAll(memtable)
      const files = await reading
      const found = files.flatMap(({ file }) => spool.files.get(file)!)
      const all = Array.from({ length: before - 100 }, (_, i) => 100 + i)
      if (found.sort((a, b) => a - b).join() !== all.join()) return false
      for (const { file } of files) file.unpin()
    }
    sortAll(memtable)
    const { writes } = memtable
    const inOrder = writes.every((write, i) => i === 0 || write.seq >= endOf(writes[i - 1]!))
    const unsorted = writes.filter(({ isSorted }) => !isSorted).reduce((sum, { rows }) => sum + rows, 0)
    return inOrder && unsorted < 32_768 && memtable.rows === writes.reduce((sum, { rows }) => sum + rows, 0)
  })
  await fc.assert(property, { numRuns: 60 })
})

t.test('copies of rows count until the rows are in a file, however long a query reads them', async t => {
  const noSeries = undefined as unknown as SeriesRegistry
  const copies = { bytes: 0 }
  const memtable = newMemtable(new RowMemory(), 100, new NumbersSpool() as unknown as Spool, copies)
  const add = (rows: number) => memtable.add(table, rowsOf({ rows, gap: 0, kind: 'plain' }, memtable.endSeq))
  const spool = async () => {
    for (const { file } of await memtable.spool(noSeries)) file.unpin()
  }
  add(1_000)
  await spool()
  t.equal(copies.bytes, 1_000)
  add(10)
  await spool()
  t.equal(copies.bytes, 1_010)
  add(5_000)
  await spool()
  t.equal(copies.bytes, 6_010, 'small copies became part of a larger one')
  memtable.forget(Date.now() + 1)
  t.equal(copies.bytes, 0)
  await spool()
  memtable.pin()
  memtable.drop()
  t.equal(copies.bytes, 0, 'the rows are in a file')
  await spool()
  memtable.unpin()
  t.equal(copies.bytes, 0)
})

t.test('rows that come, go and are read while others are sorted beside are there once', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('write' as const), rows: fc.integer({ min: 1, max: 40_000 }) }),
    fc.record({ kind: fc.constantFrom('sort' as const, 'spool' as const, 'wait' as const, 'read' as const) })
  )
  const property = fc.asyncProperty(fc.array(step, { maxLength: 24 }), fc.boolean(), async (steps, isDropped) => {
    const memory = new RowMemory()
    const spool = new NumbersSpool()
    const memtable = newMemtable(memory, 100, spool as unknown as Spool)
    const sorter = new RowSorter({ sort: async task => turn().then(() => sorted(task)) }, log)
    const seen: { readonly writes: readonly MemtableRows[]; readonly rows: string }[] = []
    for (const step of steps) {
      if (step.kind === 'write')
        memtable.add(table, rowsOf({ rows: step.rows, gap: 0, kind: 'plain' }, memtable.endSeq))
      else if (step.kind === 'sort') sorter.sort({ active: memtable, table })
      else if (step.kind === 'wait') await turn()
      else if (step.kind === 'spool') {
        const files = await memtable.spool(undefined as unknown as SeriesRegistry)
        for (const { file } of files) file.unpin()
      } else {
        memtable.pin()
        seen.push({ writes: memtable.writes, rows: memtable.writes.map(({ tsids }) => tsids!.join()).join() })
      }
    }
    if (isDropped) memtable.drop()
    for (let i = 0; i < 50; i++) await turn()
    // Others use again what memory was given back.
    const other = newMemtable(memory, 0)
    for (let i = 0; i < 20; i++) other.add(table, rowsOf({ rows: 10_000, gap: 0, kind: 'plain' }, other.endSeq))
    const unchanged = seen.every(({ writes, rows }) => writes.map(({ tsids }) => tsids!.join()).join() === rows)
    for (const _ of seen) memtable.unpin()
    if (isDropped) return unchanged
    const all = Array.from({ length: memtable.rows }, (_, i) => expected(100 + i, 'plain'))
    return unchanged && show(memtable).sort().join() === all.sort().join()
  })
  await fc.assert(property, { numRuns: 12 })
})
