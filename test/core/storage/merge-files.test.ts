import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import t from 'tap'
import type { ColumnData } from '../../../core/model/batch.ts'
import { type ColumnType, fixedArray, isBytesType, isTimestamp } from '../../../core/model/types.ts'
import { sliceRows } from '../../../core/storage/embedded/datafile/column-builder.ts'
import { type FileColumn, fromStored } from '../../../core/storage/embedded/datafile/stored-column.ts'
import { duckdbType } from '../../../core/storage/embedded/duckdb/words.ts'
import type { MemtableRows } from '../../../core/storage/embedded/memory/memtable.ts'
import { ParquetReader, readFooter } from '../../../core/storage/embedded/parquet/index.ts'
import type { RowsToCollect } from '../../../core/storage/embedded/upkeep/collect-rows.ts'
import { flushRows } from '../../../core/storage/embedded/upkeep/flush-rows.ts'
import { InputFile } from '../../../core/storage/embedded/upkeep/input-file.ts'
import { type MergeInput, mergeFiles } from '../../../core/storage/embedded/upkeep/merge-files.ts'
import type { FileLayout } from '../../../core/storage/embedded/upkeep/sorted-file.ts'
import type { MergeWay } from '../../../core/storage/embedded/upkeep/versions.ts'
import { createRandom, type Random } from '../../fuzz/random.ts'
import { everyType, randomData, shownRows } from './column-data.ts'
import { temporaryFolder } from './fixtures.ts'

const seed = Number(process.env['WEIR_PROPERTY_SEED'] ?? Date.now() % 2 ** 31)

interface Row {
  readonly owner: number
  readonly tsid: number
  readonly time: bigint
  readonly seq: number
  readonly op: number
  readonly cells: readonly string[]
}

interface Source {
  readonly hasSeries: boolean
  readonly hasOwner: boolean
  readonly way: MergeWay
  readonly types: readonly ColumnType[]
}

const ownerOf = (tsid: number) => 1 + (tsid % 3)
const rest = async () => {}

function layoutOf(
  source: Source,
  path: string,
  random: Random,
  more: Pick<FileLayout, 'hasOrder' | 'keepDeletes'>
): FileLayout {
  const columns: FileColumn[] = source.types.map((type, i) => ({ name: `c${i}`, type }))
  return {
    path,
    columns: [{ name: 'at', type: 'TimestampSecond' }, ...columns],
    time: 0,
    hasSeries: source.hasSeries,
    hasOwner: source.hasOwner,
    groupRows: random.pick([7, 50, 1000]),
    numbersGroups: random.once(2),
    merge: source.way,
    ...more
  }
}

interface ToFlush {
  readonly rows: number
  readonly tsids: Uint32Array | undefined
  /** 1: a delete. */
  readonly ops?: Uint8Array
  readonly firstSeq?: number
  readonly hasVersions?: boolean
}

/** Rows as a memtable has them: puts and deletes are different writes. */
function rowsToFlush(
  columns: FileLayout['columns'],
  { rows, tsids, ops, firstSeq = 1, hasVersions = false }: ToFlush,
  data: readonly ColumnData[]
): RowsToCollect {
  const writes: MemtableRows[] = []
  for (let from = 0, to = 0; from < rows; from = to) {
    while (to < rows && ops?.[to] === ops?.[from]) to++
    const [start, end] = [from, to]
    const held = columns.map(({ type }, i) => [i + 1, sliceRows(type, data[i]!, start, end)] as const)
    writes.push({
      rows: to - from,
      seq: firstSeq + from,
      op: ops?.[from] === 1 ? 'delete' : 'put',
      tsids: tsids?.subarray(from, to),
      columns: new Map(held)
    })
  }
  const stored = columns.map(({ name, type }, i) => ({ id: i + 1, physical: name, type }))
  return { writes, columns: stored, hasSeries: tsids !== undefined, hasVersions }
}

/** Writes random rows as a flush would, and tells them as they are then in the file. */
function writeInput(source: Source, path: string, random: Random, firstSeq: number) {
  const rows = 1 + random.below(200)
  const tsids = Uint32Array.from({ length: rows }, () => random.below(8))
  const at = BigInt64Array.from({ length: rows }, () => BigInt(random.below(25) - 5))
  const ops = Uint8Array.from({ length: rows }, () => (source.way !== 'none' && random.once(8) ? 1 : 0))
  const holds = source.types.map(() => !random.once(6))
  const columns = source.types.map(type => randomData(random, type, rows))
  const isVersioned = source.way !== 'none'
  const hasOrder = isVersioned && (!source.hasSeries || ops.includes(1) || random.once(3))
  const layout = layoutOf(source, path, random, { hasOrder, keepDeletes: true })
  const held = { ...layout, columns: layout.columns.filter((_, i) => i === 0 || holds[i - 1]) }
  const of = Uint32Array.from({ length: 8 }, (_, tsid) => ownerOf(tsid))
  flushRows(
    {
      layout: held,
      owners: source.hasOwner ? { first: 0, of } : undefined,
      rows: rowsToFlush(
        held.columns,
        { rows, tsids: source.hasSeries ? tsids : undefined, ops, firstSeq, hasVersions: isVersioned },
        [{ kind: 'fixed', values: at }, ...columns.filter((_, i) => holds[i])]
      )
    },
    () => {}
  )
  const maxSeq = firstSeq + rows - 1
  const input: MergeInput = { path, maxSeq, hasOrder, holds: [true, ...holds] }
  return { input, maxSeq, ...readRows(source, input) }
}

function readRows(source: Source, { path, maxSeq, hasOrder, holds }: MergeInput, initial: readonly string[] = []) {
  const bytes = new Uint8Array(readFileSync(path))
  const read = (offset: number, length: number) => bytes.subarray(offset, offset + length)
  const footer = readFooter(read, bytes.length)
  const reader = new ParquetReader(read, footer)
  const rows: Row[] = []
  for (const [group, { rows: count }] of footer.rowGroups.entries()) {
    const get = (name: string, type: ColumnType): ColumnData | undefined => {
      const place = footer.columns.findIndex(column => column.name === name)
      return place < 0 ? undefined : fromStored({ name, type }, reader.column(group, place))
    }
    const number = (data: ColumnData | undefined, i: number) => (data?.kind === 'fixed' ? Number(data.values[i]) : 0)
    const [tsid, seq, op, owner, at] = [
      get('__tsid', 'UInt32'),
      get('__seq', 'UInt64'),
      get('__op', 'UInt8'),
      get('__table', 'UInt32'),
      get('at', 'TimestampSecond')
    ]
    const cells = source.types.map((type, c) =>
      holds[c + 1]
        ? shownRows(type, get(`c${c}`, type), 0, count)
        : new Array<string>(count).fill(initial[c] ?? 'missing')
    )
    for (let i = 0; i < count; i++) {
      rows.push({
        owner: number(owner, i),
        tsid: number(tsid, i),
        time: BigInt(number(at, i)),
        seq: hasOrder ? number(seq, i) : maxSeq,
        op: number(op, i),
        cells: cells.map(column => column[i]!)
      })
    }
  }
  return { rows, groups: footer.rowGroups.map(({ rows }) => rows) }
}

function compare(a: Row, b: Row): number {
  if (a.owner !== b.owner) return a.owner - b.owner
  if (a.tsid !== b.tsid) return a.tsid - b.tsid
  return a.time === b.time ? a.seq - b.seq : a.time < b.time ? -1 : 1
}

/** The plain way. */
function expectedRows(all: readonly Row[], way: MergeWay, keepDeletes: boolean): Row[] {
  const sorted = all.toSorted(compare)
  if (way === 'none') return sorted
  const groups = Map.groupBy(sorted, ({ tsid, time }) => `${tsid} ${time}`)
  return [...groups.values()].flatMap(versions => {
    const deleted = versions.findLastIndex(({ op }) => op === 1)
    const live = versions.slice(deleted + 1)
    const last = live.at(-1)
    const cells = last?.cells.map((cell, c) => {
      if (way === 'row') return cell
      return live.findLast(row => row.cells[c] !== 'null')?.cells[c] ?? 'null'
    })
    const isKept = keepDeletes && deleted >= 0 && (way === 'fields' || last === undefined)
    return [...(isKept ? [versions[deleted]!] : []), ...(last ? [{ ...last, cells: cells! }] : [])]
  })
}

const show = (hasOrder: boolean, way: MergeWay) => (row: Row) => {
  const order = hasOrder ? `${row.seq} ${row.op}` : ''
  // Of rows of equal keys in tables that keep all of them the order is not said.
  return `${row.owner} ${row.tsid} ${row.time} ${way === 'none' ? '' : order} ${row.op === 1 ? '' : row.cells.join(' ')}`
}

function sortedIfAppend(lines: string[], way: MergeWay): string[] {
  return way === 'none' ? lines.sort() : lines
}

t.test(`merged files hold what the plain way makes of their rows (seed ${seed})`, async t => {
  const random = createRandom(seed)
  for (let run = 0; run < 60; run++) {
    const hasSeries = !random.once(3)
    const source: Source = {
      hasSeries,
      hasOwner: hasSeries && random.once(2),
      way: random.pick(['none', 'row', 'fields'] as const),
      types: Array.from({ length: 1 + random.below(4) }, () => random.pick(everyType))
    }
    const dir = temporaryFolder(t)
    let seq = 2 ** 33
    const inputs = Array.from({ length: 1 + random.below(6) }, (_, i) => {
      const input = writeInput(source, join(dir, `${i}.parquet`), random, seq)
      seq = input.maxSeq + 1
      return input
    })
    const keepDeletes = random.once(2)
    const hasOrder = source.way !== 'none' && (!hasSeries || keepDeletes)
    const cutoff = random.once(3) ? BigInt(random.below(20)) : undefined
    const only = source.hasOwner && random.once(2) ? [1, 3] : undefined
    const layout = layoutOf(source, join(dir, 'merged.parquet'), random, { hasOrder, keepDeletes })
    // What rows of files hold that do not hold a column; not where fields are merged.
    const initial = source.types.map(type => (source.way !== 'fields' && type === 'Int32' ? '7' : undefined))
    const facts = await mergeFiles(
      { layout, inputs: inputs.map(({ input }) => input), initial: [undefined, ...initial], cutoff, only },
      rest
    )
    const shown = initial.map(text => (text === undefined ? 'null' : '07000000'))
    const all = inputs
      .flatMap(({ input }) => readRows(source, input, shown).rows)
      .filter(({ time, owner }) => (cutoff === undefined || time >= cutoff) && (only?.includes(owner) ?? true))
    const expected = expectedRows(all, source.way, keepDeletes)
    const line = show(hasOrder, source.way)
    if (expected.length === 0) {
      t.equal(facts, undefined)
      t.notOk(existsSync(layout.path))
      continue
    }
    const maxSeq = seq - 1
    const merged = readRows(source, {
      path: layout.path,
      maxSeq,
      hasOrder,
      holds: source.types.map(() => true).concat(true)
    })
    const about = `run ${run}: ${JSON.stringify({ ...source, keepDeletes, hasOrder })}`
    t.strictSame(
      sortedIfAppend(merged.rows.map(line), source.way),
      sortedIfAppend(expected.map(line), source.way),
      about
    )
    const times = expected.map(({ time }) => time).sort((a, b) => Number(a - b))
    t.match(facts, { rows: expected.length, minTime: times[0], maxTime: times.at(-1) })
    t.equal(facts?.deletes, hasOrder && expected.some(({ op }) => op === 1), about)
    t.strictSame(
      merged.rows.map(row => row),
      merged.rows.toSorted(compare),
      'in order'
    )
  }
})

t.test('files of DuckDB are merged, short decimals too; those that are not sorted are told', async t => {
  const dir = temporaryFolder(t)
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  t.teardown(() => instance.closeSync())
  const duckdb = await instance.connect()
  const write = async (name: string, from: number, order = '') => {
    const path = join(dir, name)
    const rows = `SELECT (i // 1000)::UINTEGER AS __tsid, make_timestamp((${from} + 2 * (i % 1000))::BIGINT * 1000000)::TIMESTAMP_S AS "at",
      (i % 100)::DECIMAL(5, 2) AS d, i::UBIGINT AS u, 'text ' || i % 10 AS s, i % 2 = 0 AS b FROM range(5000) r(i) ORDER BY ${order || '__tsid, "at"'}`
    await duckdb.run(`COPY (${rows}) TO '${path}' (FORMAT parquet, PARQUET_VERSION v2, ROW_GROUP_SIZE 2048)`)
    return { path, maxSeq: 10 + from, hasOrder: false, holds: [true, true, true, true, true] }
  }
  const path = join(dir, 'merged.parquet')
  const columns = [
    { name: 'at', type: 'TimestampSecond' },
    { name: 'd', type: 'Decimal(5, 2)' },
    { name: 'u', type: 'UInt64' },
    { name: 's', type: 'String' },
    { name: 'b', type: 'Boolean' }
  ] as const
  const layout: FileLayout = {
    path,
    columns,
    time: 0,
    hasSeries: true,
    hasOrder: false,
    hasOwner: false,
    groupRows: 3000,
    numbersGroups: false,
    merge: 'row',
    keepDeletes: false
  }
  const task = { layout, initial: columns.map(() => undefined), cutoff: undefined, only: undefined }
  const inputs = [await write('a', 0), await write('b', 1), await write('c', 0)]
  t.match(await mergeFiles({ ...task, inputs }, rest), { rows: 10_000, minTime: 0n, maxTime: 1999n })
  const all = inputs.slice(0, 2).map(({ path }) => `'${path}'`)
  const differing = await duckdb.runAndReadAll(
    `SELECT count(*) FROM (SELECT * FROM '${path}' EXCEPT SELECT * FROM read_parquet([${all}]))`
  )
  t.strictSame(differing.getRows(), [[0n]])
  const file = new Uint8Array(readFileSync(path)).buffer
  t.equal((await parquetReadObjects({ file, compressors })).length, 10_000)
  const unsorted = [await write('d', 0, '"at", __tsid')]
  await t.rejects(mergeFiles({ ...task, inputs: unsorted }, rest), { message: /are not sorted/ })
  const damaged = [{ ...inputs[0]!, path: join(dir, 'missing') }]
  await t.rejects(mergeFiles({ ...task, inputs: damaged }, rest), { code: 'ENOENT' })
})

t.test('files of many pages and row groups are merged', async t => {
  const dir = temporaryFolder(t)
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  t.teardown(() => instance.closeSync())
  const duckdb = await instance.connect()
  const columns = [
    { name: 'at', type: 'TimestampMillisecond' },
    { name: 'v', type: 'Float64' },
    { name: 's', type: 'String' }
  ] as const
  const layout: FileLayout = {
    path: join(dir, 'merged'),
    columns,
    time: 0,
    hasSeries: true,
    hasOrder: false,
    hasOwner: false,
    groupRows: 122_880,
    numbersGroups: false,
    merge: 'row',
    keepDeletes: false
  }
  const rows = 150_000
  const inputs = [0, 1, 2].map(file => {
    const path = join(dir, `${file}`)
    const texts = Array.from({ length: rows }, (_, i) => `${file} ${i % 2 === 0 ? i : 'even'}`)
    const offsets = new Uint32Array(rows + 1)
    texts.forEach((text, i) => {
      offsets[i + 1] = offsets[i]! + text.length
    })
    flushRows(
      {
        layout: { ...layout, path, merge: 'none' },
        owners: undefined,
        rows: rowsToFlush(layout.columns, { rows, tsids: Uint32Array.from({ length: rows }, (_, i) => i % 100) }, [
          // A third of the rows of a file are in the next one, too.
          {
            kind: 'fixed',
            values: BigInt64Array.from({ length: rows }, (_, i) => BigInt(Math.floor(i / 100) + file * 1000))
          },
          { kind: 'fixed', values: Float64Array.from({ length: rows }, (_, i) => i + file / 10) },
          { kind: 'bytes', offsets, bytes: Buffer.from(texts.join('')) }
        ])
      },
      () => {}
    )
    return { path, maxSeq: 10 + file, hasOrder: false, holds: [true, true, true] }
  })
  const task = { layout, inputs, initial: [undefined, undefined, undefined], cutoff: undefined, only: undefined }
  t.match(await mergeFiles(task, rest), { rows: 350_000 })
  const all = inputs.map(({ path }, file) => `SELECT *, ${file} AS f FROM read_parquet('${path}')`).join(' UNION ALL ')
  const merged = `FROM read_parquet('${layout.path}')`
  const newest = `SELECT * EXCLUDE (f) FROM (${all}) QUALIFY row_number() OVER (PARTITION BY __tsid, "at" ORDER BY f DESC) = 1`
  for (const [a, b] of [
    [merged, newest],
    [newest, merged]
  ]) {
    const found = await duckdb.runAndReadAll(`SELECT count(*) FROM (${a} EXCEPT ${b})`)
    t.strictSame(found.getRows(), [[0n]])
  }
})

t.test('columns of every type that DuckDB wrote are read', async t => {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  t.teardown(() => instance.closeSync())
  const duckdb = await instance.connect()
  const columns = everyType.map((type, i) => ({ name: `c${i}`, type }))
  const path = join(temporaryFolder(t), 'all.parquet')
  const cells = columns.map(({ name, type }) => {
    const value = isBytesType(type) ? "'1'" : isTimestamp(type) || type === 'Date' ? "'2026-01-01'" : '1'
    return `if(i % 3 = 0, NULL, ${value})::${duckdbType(type)} AS ${name}`
  })
  await duckdb.run(
    `COPY (SELECT ${cells} FROM range(10) r(i)) TO '${path}' (FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION v2)`
  )
  const file = new InputFile(path, 1000)
  t.teardown(() => file.close())
  for (const column of columns) {
    const { data } = file.page(column, 0)
    const own = data.kind === 'fixed' ? data.values.constructor : undefined
    t.equal(own, isBytesType(column.type) ? undefined : fixedArray(column.type), column.type)
    const shown = shownRows(column.type, data, 0, 10)
    t.equal(shown.filter(row => row === 'null').length, 4, column.type)
    t.equal(new Set(shown).size, 2)
  }
})
