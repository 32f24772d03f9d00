import t from 'tap'
import type { Table } from '../../../core/model/table.ts'
import { type DataFile, makeTable } from '../../../core/storage/embedded/catalog/catalog-rows.ts'
import { pickFiles } from '../../../core/storage/embedded/upkeep/pick.ts'

const MiB = 2 ** 20

function tableWith(options: Table['options']): Table {
  const columns = [
    { id: 1, name: 'at', physical: 'at', type: 'TimestampMillisecond', semantic: 'timestamp', nullable: false }
  ] as const
  return makeTable({ id: 1, database: 'public', name: 'a', columns, options, version: 1, createdAt: 0 })
}

function fileOf(number: number, bytes: number, from: number, to: number): DataFile {
  const seqs = { minSeq: from * 10, maxSeq: to * 10 - 1 }
  const times = { minTime: BigInt(from * 1000), maxTime: BigInt(to * 1000) }
  const rest = { table: 1, rows: 1, columns: [-2, 1], deletes: false, checksum: 0 }
  return { id: number, path: `${number}`, bytes, ...seqs, ...times, ...rest }
}

/** Files that come one after the other, each merged as long as something is picked. */
function load(table: Table, count: number, bytesOf: (i: number) => number) {
  let files: DataFile[] = []
  let [number, flushed, merged, most] = [0, 0, 0, 0]
  for (let i = 0; i < count; i++) {
    files.push(fileOf(number++, bytesOf(i), i, i + 1))
    flushed += bytesOf(i)
    for (let picked = pickFiles(table, files, undefined); picked.length > 0; ) {
      const bytes = picked.reduce((sum, file) => sum + file.bytes, 0)
      merged += bytes
      const from = Math.min(...picked.map(({ minSeq }) => minSeq / 10))
      const to = Math.max(...picked.map(({ maxSeq }) => (maxSeq + 1) / 10))
      files = [...files.filter(file => !picked.includes(file)), fileOf(number++, bytes, from, to)]
      picked = pickFiles(table, files, undefined)
    }
    most = Math.max(most, files.length)
  }
  return { amplification: merged / flushed, most, files }
}

for (const [mode, options] of [
  ['last_row', {}],
  ['append_mode', { append_mode: true }]
] as const) {
  t.test(`rows are written anew a few times however many files come: ${mode}`, async t => {
    const table = tableWith(options)
    for (const bytes of [0.4, 3.4, 30]) {
      const { amplification, most } = load(table, 200, () => bytes * MiB)
      t.ok(amplification <= 3.5, `${amplification} times with files of ${bytes} MiB`)
      t.ok(most <= (200 * bytes) / 64 + 20, `${most} files`)
    }
    const uneven = load(table, 200, i => (i % 5 === 0 ? 20 : 1) * MiB)
    t.ok(uneven.amplification <= 3.5, `${uneven.amplification} times with files of uneven size`)
  })
}

t.test('few bytes are merged with anything', async t => {
  const small = [fileOf(1, 100_000, 0, 10), fileOf(2, 1_000, 9, 11)]
  t.strictSame(pickFiles(tableWith({}), small, undefined), small)
  const large = [fileOf(1, 10 * MiB, 0, 10), fileOf(2, MiB, 9, 11)]
  t.strictSame(pickFiles(tableWith({}), large, undefined), [])
  t.equal(pickFiles(tableWith({}), [...large, fileOf(3, 30 * MiB, 11, 12)], undefined).length, 3)
})

t.test('files are full by their row groups, too, those of tables with indexes sooner', async t => {
  const columns = [
    { id: 1, name: 'at', physical: 'at', type: 'TimestampMillisecond', semantic: 'timestamp', nullable: false },
    {
      id: 2,
      name: 'id',
      physical: 'id',
      type: 'String',
      semantic: 'field',
      nullable: true,
      index: { kind: 'skipping', options: {} }
    }
  ] as const
  const options = { append_mode: true }
  const table = makeTable({ id: 1, database: 'public', name: 'a', columns, options, version: 1, createdAt: 0 })
  const files = (rows: number) => Array.from({ length: 8 }, (_, i) => ({ ...fileOf(i, 8 * MiB, i, i + 1), rows }))
  const merged = (rows: number) => pickFiles(table, files(rows), undefined).length
  // 8 MiB each: by their bytes all are one file.
  t.equal(merged(20_480), 8)
  t.equal(merged(16 * 20_480), 8, '128 row groups together')
  t.equal(merged(32 * 20_480), 4)
  t.equal(merged(64 * 20_480), 0, 'half full')
  const withoutIndexes = (rows: number) => pickFiles(tableWith(options), files(rows), undefined).length
  t.equal(withoutIndexes(64 * 10_240), 8)
  t.equal(withoutIndexes(64 * 122_880), 4, '256 row groups together')
  t.equal(withoutIndexes(128 * 122_880), 0)
})
