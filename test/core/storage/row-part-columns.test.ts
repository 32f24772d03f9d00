// Columns of every type in memory that threads share: rows stay as they were written, and a flush of a part at a time writes what one of all would.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { ColumnData } from '../../../core/model/batch.ts'
import type { ColumnType } from '../../../core/model/types.ts'
import type { MemtableRows } from '../../../core/storage/embedded/memory/memtable.ts'
import { pieceBytes, RowMemory } from '../../../core/storage/embedded/memory/row-memory.ts'
import { RowPart } from '../../../core/storage/embedded/memory/row-part.ts'
import { readFooter } from '../../../core/storage/embedded/parquet/index.ts'
import { collectRows, type RowsToCollect, wholeRuns } from '../../../core/storage/embedded/upkeep/collect-rows.ts'
import { flushRows } from '../../../core/storage/embedded/upkeep/flush-rows.ts'
import { timeSlices } from '../../../core/storage/embedded/upkeep/time-slices.ts'
import { createRandom, type Random } from '../../fuzz/random.ts'
import { everyType, randomData, shownRows } from './column-data.ts'
import { temporaryFolder } from './fixtures.ts'

const seed = Number(process.env['WEIR_PROPERTY_SEED'] ?? Date.now() % 2 ** 31)

function randomWrite(random: Random, types: readonly ColumnType[], seq: number, hasSeries: boolean): MemtableRows {
  const rows = 1 + random.below(random.pick([1, 10, 300]))
  const held = types.map((type, i) => [i + 1, type] as const).filter(([id]) => id === 1 || !random.once(20))
  return {
    rows,
    seq,
    op: random.once(30) ? 'delete' : 'put',
    tsids: hasSeries ? Uint32Array.from({ length: rows }, () => random.below(5)) : undefined,
    columns: new Map(held.map(([id, type]) => [id, randomData(random, type, rows)]))
  }
}

/** Each row as its number, operation, series and values. */
function shown(writes: readonly MemtableRows[], types: readonly ColumnType[]): string[] {
  return writes.flatMap(({ rows, seq, op, tsids, order, columns }) => {
    const cells = types.map((type, i) =>
      columns.has(i + 1) ? shownRows(type, columns.get(i + 1), 0, rows) : Array<string>(rows).fill('none')
    )
    return Array.from({ length: rows }, (_, row) => {
      const number = seq + (order === undefined ? row : order.after[row]!)
      return [number, op, tsids?.[row], ...cells.map(each => each[row])].join(' ')
    })
  })
}

function isShared({ tsids, columns }: MemtableRows): boolean {
  const views = Array.from(columns.values(), data => {
    if (data.kind === 'fixed') return [data.values]
    const { offsets, bytes } = data.kind === 'bytes' ? data : data.dictionary
    return data.kind === 'bytes' ? [offsets, bytes] : [data.codes, offsets, bytes]
  })
  return [...(tsids ? [tsids] : []), ...views.flat()].every(({ buffer }) => buffer instanceof SharedArrayBuffer)
}

t.test(`rows of any columns stay as they were written, seed ${seed}`, async t => {
  const random = createRandom(seed)
  for (let run = 0; run < 60; run++) {
    const memory = new RowMemory()
    const types = ['Int64' as const, ...Array.from({ length: 1 + random.below(6) }, () => random.pick(everyType))]
    const hasSeries = random.once(2)
    const parts: MemtableRows[] = []
    const all: string[] = []
    const seen: { readonly rows: number; readonly writes: readonly MemtableRows[] }[] = []
    let open: RowPart | undefined
    let seq = 10
    const written = () => [...parts, ...(open?.rows ? [open.rows] : [])]
    const cut = () => {
      const rows = open?.cut()
      if (rows !== undefined) parts.push(rows)
    }
    for (let i = 0; i < 40; i++) {
      seq += random.once(5) ? 3 : 0
      const write = randomWrite(random, types, seq, hasSeries)
      seq += write.rows
      all.push(...shown([write], types))
      for (let from = 0; from < write.rows; ) {
        if (open === undefined || open.isFull || !open.holds(write)) {
          cut()
          open = new RowPart(memory, write, from, open)
          const to = open.append(write, from)
          if (to === from) return t.fail(`a new part takes a row, run ${run}`)
          from = to
        } else from = open.append(write, from)
      }
      if (random.once(8)) cut()
      if (random.once(8)) seen.push({ rows: all.length, writes: written() })
    }
    t.same(shown(written(), types), all)
    for (const { rows, writes } of seen) t.same(shown(writes, types), all.slice(0, rows), 'what was read stays')
    t.ok(written().every(isShared))
  }
})

function textWrite(rows: number, seq: number, length: number): MemtableRows {
  const offsets = Uint32Array.from({ length: rows + 1 }, (_, row) => row * length)
  const columns = new Map<number, ColumnData>([
    [1, { kind: 'fixed', values: BigInt64Array.from({ length: rows }, (_, i) => BigInt(seq + i)) }],
    [2, { kind: 'bytes', offsets, bytes: new Uint8Array(rows * length).fill(120) }]
  ])
  return { rows, seq, op: 'put', tsids: undefined, columns }
}

t.test('texts lie in few pieces of memory that is used again; one that is larger than a piece has its own', async t => {
  const memory = new RowMemory()
  const parts: RowPart[] = []
  const add = (write: MemtableRows) => {
    for (let from = 0; from < write.rows; ) {
      if (parts.at(-1)?.isFull !== false || !parts.at(-1)!.holds(write))
        parts.push(new RowPart(memory, write, from, parts.at(-1)))
      from = parts.at(-1)!.append(write, from)
    }
  }
  for (let i = 0; i < 400; i++) add(textWrite(500, i * 500, 200))
  const bytes = parts.reduce((sum, part) => sum + part.memory.byteLength, 0)
  t.ok(bytes < 1.2 * 400 * 500 * 212, `${bytes} bytes in ${parts.length} parts`)
  t.ok(parts.length < 25)
  t.ok(parts.slice(6, -1).every(({ memory }) => memory.byteLength === pieceBytes))
  const before = parts.length
  add(textWrite(3, 400 * 500, 3 * pieceBytes))
  const large = parts.slice(before)
  t.same(
    large.map(part => part.rows?.rows),
    [1, 1, 1]
  )
  for (const { memory: each } of parts) memory.give(each)
  t.ok(memory.idleBytes > 30 << 20)
})

/** Rows of a table without series; times come in any order, some twice. */
function rowsToFlush(random: Random, hasVersions: boolean): { types: ColumnType[]; rows: RowsToCollect } {
  const types: ColumnType[] = ['TimestampMillisecond', 'String', random.pick(everyType), random.pick(everyType)]
  const isOrdered = random.once(2)
  let [seq, at] = [1, 0]
  const writes = Array.from({ length: 1 + random.below(12) }, () => {
    const write = randomWrite(random, types, seq, false)
    seq += write.rows
    const times = BigInt64Array.from({ length: write.rows }, () => {
      at = isOrdered ? at + random.below(3) : random.below(300)
      return BigInt(at)
    })
    const columns = new Map(write.columns).set(1, { kind: 'fixed', values: times })
    return { ...write, columns, op: hasVersions ? write.op : ('put' as const) }
  })
  const columns = types.map((type, i) => ({ id: i + 1, physical: `c${i}`, type }))
  return { types, rows: { writes, columns, hasSeries: false, hasVersions } }
}

t.test(`slices by time hold what all rows together would, seed ${seed}`, async t => {
  const random = createRandom(seed)
  for (let run = 0; run < 150; run++) {
    const hasVersions = random.once(2)
    const { types, rows: asked } = rowsToFlush(random, hasVersions)
    const whole = collectRows(asked, wholeRuns(asked.writes))
    const timesOf = (columns: readonly ColumnData[]) => (columns[0] as { values: BigInt64Array }).values
    const show = ({ rows, seqs, ops, columns }: typeof whole) => {
      const cells = types.map((type, i) => shownRows(type, columns[i], 0, rows))
      return Array.from({ length: rows }, (_, row) =>
        [seqs?.[row], ops?.[row], ...cells.map(each => each[row])].join(' ')
      )
    }
    const slices = [...timeSlices(asked, { time: 0, groupRows: 1 + random.below(50), bytes: 1 + random.below(9000) })]
    t.same(slices.flatMap(show).sort(), show(whole).sort(), 'every row once')
    for (const [i, { columns }] of slices.entries()) {
      if (i === 0) continue
      const last = timesOf(slices[i - 1]!.columns).reduce((a, b) => (a > b ? a : b))
      const first = timesOf(columns).reduce((a, b) => (a < b ? a : b))
      if (hasVersions ? last >= first : last > first) t.fail(`slice ${i} of run ${run} is not behind the one before`)
    }
  }
})

t.test('a file written by slices has whole row groups', async t => {
  const writes = Array.from({ length: 50 }, (_, i) => textWrite(1000, i * 1000, 1000))
  const columns = [
    { id: 1, physical: 'at', type: 'TimestampMillisecond' },
    { id: 2, physical: 'text', type: 'String' }
  ] as const
  const path = join(temporaryFolder(t), 'a.parquet')
  const layout = {
    path,
    columns: columns.map(({ physical, type }) => ({ name: physical, type })),
    time: 0,
    hasSeries: false,
    hasOrder: false,
    hasOwner: false,
    groupRows: 3000,
    numbersGroups: true,
    merge: 'none',
    keepDeletes: true
  } as const
  const rows = { writes, columns, hasSeries: false, hasVersions: false }
  t.equal([...timeSlices(rows, layout)].length, 3)
  t.match(
    flushRows({ layout, owners: undefined, rows }, () => {}),
    { rows: 50_000, minTime: 0n, maxTime: 49_999n }
  )
  const bytes = new Uint8Array(readFileSync(path))
  const { rowGroups } = readFooter((offset, length) => bytes.subarray(offset, offset + length), bytes.length)
  t.same(
    rowGroups.map(group => group.rows),
    [...Array(16).fill(3000), 2000]
  )
})
