// Which way each file and memtable is read, and why: a table of stored parts and queries.
import t from 'tap'
import type { Table, TableColumn, TableOptions } from '../../../../core/model/table.ts'
import type { DataFile } from '../../../../core/storage/embedded/catalog/catalog-rows.ts'
import { numberColumn } from '../../../../core/storage/embedded/catalog/logical.ts'
import type { MemtableRows } from '../../../../core/storage/embedded/memory/memtable.ts'
import { type Path, usualLimits } from '../../../../core/storage/embedded/read/limits.ts'
import {
  type Asked,
  type KnownCounts,
  latestFiles,
  type MemoryPart,
  overlapping,
  type PlanSource,
  planCounts,
  planLast,
  planRead
} from '../../../../core/storage/embedded/read/plan.ts'

const column = (id: number, name: string, semantic: TableColumn['semantic'], type: TableColumn['type']): TableColumn =>
  ({ id, name, physical: name, semantic, type, nullable: semantic !== 'timestamp' }) as TableColumn

const host = column(1, 'host', 'tag', 'String')
const at = column(2, 'at', 'timestamp', 'TimestampMillisecond')
const n = column(3, 'n', 'field', 'Float64')
const m = column(4, 'm', 'field', 'Float64')
const note = column(5, 'note', 'field', 'String')

function tableOf(options: TableOptions, tags = [host], timeIndex = at): Table {
  const columns = [...tags, timeIndex, n, m, note]
  return { id: 1, database: 'public', name: 'visits', options, columns, tags, timeIndex } as unknown as Table
}

let files = 0
function file(minTime: number, maxTime: number, more: Partial<DataFile> = {}): DataFile {
  const id = ++files
  return {
    id,
    table: 1,
    path: `${id}.parquet`,
    rows: 10,
    bytes: 100,
    minTime: BigInt(minTime),
    maxTime: BigInt(maxTime),
    minSeq: 100 * id,
    maxSeq: 100 * id + 99,
    columns: [numberColumn, 2, 3, 4, 5],
    deletes: false,
    checksum: 0,
    ...more
  }
}

function write(seq: number, more: Partial<MemtableRows> = {}): MemtableRows {
  return { rows: 5, seq, op: 'put', tsids: new Uint32Array(5), columns: new Map(), ...more }
}

function memory(minTime: number, maxTime: number, areDistinct = true, writes = [write(1_000_000)]): MemoryPart {
  const rows = writes.reduce((sum, each) => sum + each.rows, 0)
  const times = { minTime: BigInt(minTime), maxTime: BigInt(maxTime), areDistinct, areMicros: false }
  return { rows, times, writes }
}

function inMicros(part: MemoryPart): MemoryPart {
  return { ...part, times: { ...part.times, areMicros: true } }
}

interface Example extends Partial<PlanSource>, Asked {
  readonly is: string
  readonly avoid?: readonly Path[]
  /** `path: reason` of each part, by file and then memtable. */
  readonly wants: readonly string[]
  readonly versions?: boolean
}

const append = tableOf({ append_mode: true })
const last = tableOf({})
const merging = tableOf({ merge_mode: 'last_non_null' })
const from5 = { kind: 'time', from: 5n } as const
const deleted = memory(20, 30, false, [write(1_000_000, { op: 'delete' })])
const notNumbered = { columns: [2, 3, 4, 5] }

const examples: readonly Example[] = [
  { is: 'nothing', wants: [] },
  { is: 'an empty memtable', memtables: [memory(0, 0, true, [])], wants: ['skip: it holds no rows'] },
  {
    is: 'files apart',
    files: [file(0, 4), file(5, 9)],
    wants: ['scan: no row hides another', 'scan: no row hides another']
  },
  {
    is: 'files that meet at one time, and one apart',
    files: [file(0, 4), file(4, 9), file(10, 11)],
    wants: [
      'merge: it shares times with other rows',
      'merge: it shares times with other rows',
      'scan: no row hides another'
    ]
  },
  {
    is: 'files within the times of another',
    files: [file(0, 100), file(10, 20), file(30, 40)],
    wants: Array(3).fill('merge: it shares times with other rows')
  },
  {
    is: 'files that meet, every row kept',
    table: append,
    files: [file(0, 4), file(4, 9)],
    memtables: [memory(0, 9, false)],
    wants: Array(3).fill('scan: every row counts')
  },
  { is: 'a file with deletes', files: [file(0, 4, { deletes: true })], wants: ['merge: it holds deletes'] },
  {
    is: 'a memtable that meets a file',
    files: [file(0, 4)],
    memtables: [memory(4, 9)],
    wants: ['merge: it shares times with other rows', 'merge: it shares times with other rows']
  },
  {
    is: 'a memtable with versions',
    memtables: [memory(4, 9, false)],
    wants: ['merge: it may hold several versions of a row, or deletes']
  },
  {
    is: 'times that leave out a file and a memtable',
    files: [file(0, 4), file(3, 9)],
    memtables: [memory(0, 2), memory(10, 12)],
    where: { kind: 'all', of: [from5, { kind: 'latest' }] },
    wants: [
      'skip: its rows are outside of the times asked for',
      'scan: no row hides another',
      'skip: its rows are outside of the times asked for',
      'scan: no row hides another'
    ]
  },
  {
    is: 'any of several times',
    files: [file(0, 4), file(5, 9), file(10, 14)],
    where: {
      kind: 'any',
      of: [
        { kind: 'time', to: 1n },
        { kind: 'time', from: 14n }
      ]
    },
    wants: [
      'scan: no row hides another',
      'skip: its rows are outside of the times asked for',
      'scan: no row hides another'
    ]
  },
  {
    is: 'rows in memory that are all kept, at other times and at those asked for',
    table: append,
    memtables: [memory(0, 2), memory(3, 5)],
    where: from5,
    wants: ['skip: its rows are outside of the times asked for', 'scan: every row counts']
  },
  {
    is: 'rows past their time',
    files: [file(0, 4), file(3, 9)],
    cutoff: 5n,
    wants: ['skip: its rows are past their time to live', 'scan: no row hides another']
  },
  {
    is: 'no file is left out where that is avoided',
    files: [file(0, 4), file(5, 9)],
    where: from5,
    avoid: ['skip', 'scan'],
    wants: Array(2).fill('merge: reading rows as they are is turned off')
  },
  {
    is: 'samples of files apart',
    files: [file(0, 4), file(5, 9)],
    samples: [n],
    wants: Array(2).fill('series: no row hides another')
  },
  {
    is: 'samples of files that meet and memory',
    files: [file(0, 4), file(4, 9)],
    memtables: [memory(9, 12)],
    samples: [n],
    wants: Array(3).fill('series: the row written last counts'),
    versions: true
  },
  {
    is: 'samples in memory with versions',
    memtables: [memory(9, 12, false)],
    samples: [n, note],
    wants: ['merge: texts may have versions; it may hold several versions of a row, or deletes']
  },
  { is: 'texts alone', memtables: [memory(9, 12)], samples: [n, note], wants: ['series: no row hides another'] },
  {
    is: 'samples that are all kept',
    table: append,
    files: [file(0, 4), file(4, 9)],
    samples: [n, m, note],
    wants: Array(2).fill('series: every row counts')
  },
  {
    is: 'samples of several fields that are merged',
    table: merging,
    files: [file(0, 4), file(4, 9)],
    memtables: [memory(10, 12)],
    samples: [n, m],
    wants: Array(3).fill('series: the row written last counts'),
    versions: true
  },
  {
    is: 'samples of one field that is merged',
    table: merging,
    files: [file(0, 4), file(1, 2)],
    samples: [n],
    wants: Array(2).fill('series: the row written last counts'),
    versions: true
  },
  {
    is: 'samples of files that were written alternately',
    files: [file(0, 4, { minSeq: 5_001, maxSeq: 5_100 }), file(1, 2, { minSeq: 5_050, maxSeq: 5_060 })],
    samples: [n],
    wants: Array(2).fill(
      'merge: rows that may be versions of one were written alternately; it shares times with other rows'
    )
  },
  {
    is: 'samples of memory that was written alternately',
    memtables: [memory(0, 4, false, [write(1_000_010), write(1_000_000)])],
    samples: [n],
    wants: [
      'merge: rows that may be versions of one were written alternately; it may hold several versions of a row, or deletes'
    ]
  },
  {
    is: 'nanoseconds that may have versions',
    table: tableOf({}, [host], { ...at, type: 'TimestampNanosecond' }),
    files: [file(0, 4), file(4, 5)],
    samples: [n],
    wants: Array(2).fill('merge: rows whose nanoseconds differ may be versions of one; it shares times with other rows')
  },
  {
    is: 'nanoseconds that are whole microseconds',
    table: tableOf({}, [host], { ...at, type: 'TimestampNanosecond' }),
    files: [file(0, 4, { path: 'micros' })],
    memtables: [inMicros(memory(4, 9))],
    samples: [n],
    micros: new Set(['micros']),
    wants: Array(2).fill('series: the row written last counts'),
    versions: true
  },
  {
    is: 'nanoseconds that are whole microseconds, but not in memory',
    table: tableOf({}, [host], { ...at, type: 'TimestampNanosecond' }),
    files: [file(0, 4, { path: 'micros' })],
    memtables: [memory(4, 9)],
    samples: [n],
    micros: new Set(['micros']),
    wants: Array(2).fill('merge: rows whose nanoseconds differ may be versions of one; it shares times with other rows')
  },
  {
    is: 'nanoseconds without versions',
    table: tableOf({}, [host], { ...at, type: 'TimestampNanosecond' }),
    files: [file(0, 4)],
    samples: [n],
    wants: ['series: no row hides another']
  },
  {
    is: 'samples and deletes',
    files: [file(0, 4), file(5, 6, { deletes: true })],
    samples: [n],
    wants: ['scan: there are deletes; no row hides another', 'merge: there are deletes; it holds deletes']
  },
  {
    is: 'samples and deletes in memory',
    memtables: [deleted],
    samples: [n],
    wants: ['merge: there are deletes; it may hold several versions of a row, or deletes']
  },
  {
    is: 'deletes outside of the times asked for',
    files: [file(5, 9), file(0, 4, { deletes: true })],
    where: from5,
    samples: [n],
    wants: ['series: no row hides another', 'skip: its rows are outside of the times asked for']
  },
  {
    is: 'samples of a table without tags',
    table: tableOf({}, []),
    files: [file(0, 4)],
    samples: [n],
    wants: ['scan: the table has no tags; no row hides another']
  },
  {
    is: 'samples of a file from before the tags',
    files: [file(0, 4, notNumbered)],
    samples: [n],
    wants: ['scan: a file is from before the table had tags; no row hides another']
  },
  {
    is: 'samples of rows from before the tags',
    memtables: [memory(0, 4, true, [write(1_000_000, { tsids: undefined })])],
    samples: [n],
    wants: ['scan: there are rows from before the table had tags; no row hides another']
  },
  ...([{ was: [] }, { initial: '7' }, { type: 'Decimal(38, 0)' }] as readonly Partial<TableColumn>[]).map(change => ({
    is: `samples of a column with ${JSON.stringify(change)}`,
    files: [file(0, 4)],
    samples: [{ ...n, ...change }],
    wants: ['scan: DuckDB converts the values of n; no row hides another']
  })),
  {
    is: 'samples where reading them by number is avoided',
    files: [file(0, 4)],
    samples: [n],
    avoid: ['series'],
    wants: ['scan: reading by series number is turned off; no row hides another']
  }
]

for (const { is, wants, versions = false, avoid = [], where, samples, micros, ...source } of examples) {
  t.test(is, async t => {
    const { files = [], memtables = [], table = last, cutoff } = source
    const plan = planRead(
      { table, files, memtables, cutoff },
      { where, ...(samples && { samples }), ...(micros && { micros }) },
      { ...usualLimits, avoid: new Set(avoid) }
    )
    const said = new Map(plan.steps.map(({ part, path, reason }) => [part, `${path}: ${reason}`] as const))
    t.same(
      [...files, ...memtables].map(part => said.get(part)),
      wants
    )
    t.equal(plan.steps.length, wants.length, 'each part once')
    t.equal(plan.versions, versions)
  })
}

t.test('indexes rule out row groups, other ones where rows may hide each other', async t => {
  const [alone, a, b, gone] = [file(0, 4), file(10, 14), file(14, 19), file(20, 21)]
  const pruned = new Map(
    [alone, a, b, gone].map(({ path }) => [
      path,
      { scan: path === gone.path ? [] : [1, 3], merge: [1, 2, 3], groups: 5 }
    ])
  )
  const { steps } = planRead({ table: last, files: [alone, a, b, gone], memtables: [], cutoff: undefined }, { pruned })
  t.same(
    steps.map(({ path, groups, known }) => [path, groups, known]),
    [
      ['scan', [1, 3], 5],
      ['merge', [1, 2, 3], 5],
      ['merge', [1, 2, 3], 5],
      ['skip', [], 5]
    ]
  )
})

t.test('of the last rows only the latest row groups are read, files before them not at all', t => {
  const [old, middle, recent] = [file(0, 9), file(10, 19), file(20, 29)]
  const keepsAll = { ...last, options: { append_mode: true } }
  const source = { table: keepsAll, files: [old, middle, recent], memtables: [memory(30, 31)], cutoff: undefined }
  const plan = planRead(source)
  const groups = new Map([[middle, [0, 5].map(at => ({ rows: 40, from: BigInt(10 + at) }))]])
  const ways = (rows: number, limits = usualLimits, cutoff?: bigint) =>
    planLast({ cutoff }, plan, rows, groups, limits).steps.map(({ path, since }) => [path, since])
  const scan = ['scan', undefined]
  const skip = ['skip', undefined]
  const all = recent.rows
  t.same(ways(all), [skip, skip, ['latest', 20n], scan], 'rows in memory are no reason to leave out others')
  t.same(ways(all + 1), [skip, ['latest', 15n], ['latest', 15n], scan])
  t.same(ways(all + 41), [skip, ['latest', 10n], ['latest', 10n], scan])
  t.same(ways(all + 81), [['latest', 0n], ['latest', 0n], ['latest', 0n], scan])
  t.same(ways(1e9), [scan, scan, scan, scan])
  t.same(ways(all, { ...usualLimits, avoid: new Set(['latest']) }), [scan, scan, scan, scan])
  t.same(ways(all + 1, usualLimits, 12n), [scan, scan, scan, scan], 'rows past their time are not counted')
  const spans = [0, 1].map(at => ({ rows: 40, from: BigInt(30 + at) }))
  const known = new Map([[source.memtables[0]!, spans]])
  const later = (rows: number, cutoff?: bigint) =>
    planLast({ cutoff }, plan, rows, known).steps.map(({ path, since }) => [path, since])
  t.same(later(40), [skip, skip, skip, ['latest', 31n]], 'rows in memory that are known to be later are')
  t.same(later(41), [skip, skip, skip, ['latest', 30n]])
  t.same(later(81), [skip, skip, ['latest', 20n], ['latest', 20n]])
  t.same(later(40, 31n), [scan, scan, scan, scan], 'rows past their time are not counted in memory, either')
  t.end()
})

t.test('counts are read in place of files and rows in memory that are scanned whole', t => {
  const [old, recent] = [file(0, 9), file(20, 29)]
  const keepsAll = { ...last, options: { append_mode: true } }
  const source = { table: keepsAll, files: [old, recent], memtables: [memory(30, 31)], cutoff: undefined }
  const [memtable] = source.memtables
  const few = { width: 60, cells: 5 }
  const counts = new Map<DataFile | MemoryPart, KnownCounts>([old, recent].map(file => [file, few]))
  const ways = (asked: PlanSource, limits = usualLimits, known = counts) =>
    planCounts(asked, planRead(asked), known, limits)?.steps.map(({ path }) => path)
  t.same(ways(source), ['counts', 'counts', 'scan'])
  t.same(ways({ ...source, cutoff: 5n }), ['scan', 'counts', 'scan'], 'rows past their time are counted, too')
  t.same(ways(source, usualLimits, new Map([[old, few]])), ['counts', 'scan', 'scan'])
  t.same(ways(source, usualLimits, new Map([[memtable!, few]])), ['scan', 'scan', 'counts'])
  t.same(ways({ ...source, cutoff: 31n }, usualLimits, new Map([[memtable!, few]])), undefined)
  t.equal(ways(source, { ...usualLimits, avoid: new Set(['counts']) }), undefined)
  t.equal(ways(source, usualLimits, new Map()), undefined)
  const overlapping = { ...source, table: last, files: [file(0, 9), file(5, 29)] }
  t.equal(
    planCounts(overlapping, planRead(overlapping), new Map(overlapping.files.map(file => [file, few]))),
    undefined
  )
  t.end()
})

t.test('the latest rows begin where the first series has its last time, files without any are not read', async t => {
  const [old, middle, recent] = [file(0, 9), file(10, 19), file(20, 29)]
  const source = { table: last, files: [old, middle, recent], memtables: [memory(30, 31)], cutoff: undefined }
  const plan = planRead(source)
  t.same(latestFiles({ table: last, view: undefined }, plan, usualLimits), [old, middle, recent])
  t.equal(
    latestFiles({ table: last, view: last }, plan, usualLimits),
    undefined,
    'those of a logical table are of others, too'
  )
  t.equal(
    latestFiles({ table: last, view: undefined }, plan, { ...usualLimits, avoid: new Set(['latest']) }),
    undefined
  )
  const ends = (...times: readonly [number, number][]) => ({
    series: Uint32Array.from(times, ([series]) => series),
    times: Float64Array.from(times, ([, time]) => time)
  })
  const { steps } = planRead(source, {
    ends: new Map([
      [old.path, ends([1, 9], [2, 8])],
      [middle.path, ends([1, 19], [2, 15], [3, 12])],
      [recent.path, ends([1, 29], [3, 25])]
    ])
  })
  t.same(
    steps.map(({ path, since }) => [path, since]),
    [
      ['skip', undefined],
      ['latest', 15n],
      ['latest', 25n],
      ['scan', undefined]
    ]
  )
})

t.test('files that may hide rows of others are merged with them', async t => {
  const [a, b, c] = [file(0, 4), file(4, 9), file(10, 14)]
  t.same(overlapping({ table: last, files: [a, b, c], memtables: [] }), [a, b])
  t.same(overlapping({ table: append, files: [a, b, c], memtables: [] }), [])
})
