import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import t from 'tap'
import { type ColumnData, type FixedData, isValid } from '../../../core/model/batch.ts'
import type { ColumnType } from '../../../core/model/types.ts'
import {
  columnBuilder,
  concatenate,
  type Piece,
  pickRows
} from '../../../core/storage/embedded/datafile/column-builder.ts'
import { fromStored } from '../../../core/storage/embedded/datafile/stored-column.ts'
import { ParquetReader, readFooter } from '../../../core/storage/embedded/parquet/index.ts'
import { SortedFile } from '../../../core/storage/embedded/upkeep/sorted-file.ts'
import { createRandom } from '../../fuzz/random.ts'
import { everyType, randomData, shownRows } from './column-data.ts'
import { temporaryFolder } from './fixtures.ts'
import { type RowsBatch, writeRows } from './write-rows.ts'

const seed = Number(process.env['WEIR_PROPERTY_SEED'] ?? Date.now() % 2 ** 31)

const columns = everyType.map((type, i) => ({ name: `c${i}`, type }))

function randomBatches(random: ReturnType<typeof createRandom>, count: number): RowsBatch[] {
  return Array.from({ length: count }, () => {
    const rows = 1 + random.below(300)
    const data = columns.map(({ type }) => (random.once(6) ? undefined : randomData(random, type, rows)))
    return { rows, columns: data, ...(random.once(3) && { from: random.below(rows) }) }
  })
}

function shownBatches(batches: readonly RowsBatch[], column: number, type: ColumnType): string[] {
  return batches.flatMap(({ rows, from = 0, columns }) => shownRows(type, columns[column], from, rows))
}

function readBack(path: string): { readonly groups: number; column(i: number): string[] } {
  const bytes = new Uint8Array(readFileSync(path))
  const at = (offset: number, length: number) => bytes.subarray(offset, offset + length)
  const footer = readFooter(at, bytes.length)
  const reader = new ParquetReader(at, footer)
  return {
    groups: footer.rowGroups.length,
    column: i =>
      footer.rowGroups.flatMap(({ rows }, group) =>
        shownRows(columns[i]!.type, fromStored(columns[i]!, reader.column(group, i)), 0, rows)
      )
  }
}

t.test(`rows of every type are in the file as they were in memory (seed ${seed})`, async t => {
  const random = createRandom(seed)
  for (let run = 0; run < 20; run++) {
    const batches = randomBatches(random, 1 + random.below(12))
    if (batches.every(({ rows, from = 0 }) => rows === from)) continue
    const path = join(temporaryFolder(t), 'rows.parquet')
    const groupRows = random.pick([100, 1000, 122_880])
    const written = writeRows(path, columns, batches, groupRows)
    const found = readBack(path)
    for (const [i, { type }] of columns.entries()) t.strictSame(found.column(i), shownBatches(batches, i, type), type)
    t.equal(found.groups, Math.ceil(written.rows / groupRows))
    t.equal(written.checksum, crc32(readFileSync(path)))
    t.equal(written.bytes, readFileSync(path).length)
  }
})

t.test('DuckDB reads the types of the table', async t => {
  const path = join(temporaryFolder(t), 'rows.parquet')
  writeRows(path, columns, randomBatches(createRandom(seed), 3))
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  t.teardown(() => instance.closeSync())
  const duckdb = await instance.connect()
  const described = (await duckdb.runAndReadAll(`DESCRIBE SELECT * FROM '${path}'`)).getRows().map(row => row[1])
  t.strictSame(described, [
    ...['BOOLEAN', 'TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT'],
    ...['FLOAT', 'DOUBLE', 'VARCHAR', 'BLOB', 'JSON', 'DATE'],
    ...['TIMESTAMP', 'TIMESTAMP', 'TIMESTAMP', 'TIMESTAMP_NS'],
    ...['DECIMAL(5,2)', 'DECIMAL(18,3)', 'DECIMAL(38,10)']
  ])
})

t.test(`picked rows are those of the places (seed ${seed})`, async t => {
  const random = createRandom(seed)
  for (const type of everyType) {
    const pieces = Array.from({ length: 5 }, (): Piece => {
      const rows = 1 + random.below(100)
      const from = random.below(rows)
      return { data: random.once(5) ? undefined : randomData(random, type, rows), from, to: rows }
    })
    const all = concatenate(type, pieces)
    const shown = pieces.flatMap(({ data, from, to }) => shownRows(type, data, from, to))
    t.strictSame(shownRows(type, all, 0, shown.length), shown)
    const places = Uint32Array.from({ length: 200 }, () => random.below(shown.length))
    const expected = Array.from(places.subarray(20, 150), place => shown[place])
    t.strictSame(shownRows(type, pickRows(type, all, places, 20, 150), 0, 130), expected)
  }
})

t.test('row groups end where their texts are many bytes, however few rows that is', async t => {
  const path = join(temporaryFolder(t), 'rows.parquet')
  const long = new Uint8Array(8 * 2 ** 20).fill(120)
  const dictionary = { kind: 'bytes', offsets: Uint32Array.of(0, 1, long.length), bytes: long } as const
  const codes = Uint32Array.from({ length: 40 }, (_, i) => i % 2)
  const times = BigInt64Array.from(codes, (_, i) => BigInt(i))
  const file = new SortedFile({
    path,
    columns: [
      { name: 'at', type: 'TimestampMillisecond' },
      { name: 'text', type: 'String' }
    ],
    time: 0,
    ...{ hasSeries: false, hasOrder: false, hasOwner: false, numbersGroups: false, keepDeletes: false },
    groupRows: 122_880,
    merge: 'none'
  })
  const rows = {
    ...{ tsids: undefined, seqs: undefined, ops: undefined, ownerOf: () => 0 },
    columns: [{ kind: 'fixed', values: times.slice() } as const, { kind: 'dictionary', codes, dictionary } as const],
    times: new Int32Array(times.buffer),
    sorted: Uint32Array.from({ length: 40 }, (_, i) => i)
  }
  t.equal([...file.write(rows)].length, 3)
  file.finish()
  const bytes = new Uint8Array(readFileSync(path))
  const footer = readFooter((offset, length) => bytes.subarray(offset, offset + length), bytes.length)
  t.equal(footer.rows, 40)
  t.equal(footer.rowGroups.length, 3)
  t.ok(bytes.length < 2 ** 21, 'a text that is there many times is written once a group')
})

t.test('rows that cannot be written leave no file', async t => {
  const path = join(temporaryFolder(t), 'rows.parquet')
  const seconds: FixedData = { kind: 'fixed', values: BigInt64Array.of(1n, 2n ** 60n) }
  const write = (data: ColumnData) =>
    writeRows(path, [{ name: 'at', type: 'TimestampSecond' }], [{ rows: 2, columns: [data] }])
  t.throws(() => write(seconds), { message: /column at holds the second 1152921504606846976/ })
  t.throws(() => readFileSync(path), { code: 'ENOENT' })
  write({ ...seconds, valid: Uint8Array.of(1) })
  t.throws(() => writeRows(join(path, 'x'), columns, []), { code: 'ENOTDIR' })
})

t.test('a builder without nulls makes no bitmap', async t => {
  const data: ColumnData = { kind: 'fixed', values: Int32Array.of(1, 2, 3) }
  const builder = columnBuilder('Int32', [{ data, from: 1, to: 3 }])
  builder.append({ data, from: 1, to: 3 })
  const done = builder.done()
  t.strictSame(done, { kind: 'fixed', values: Int32Array.of(2, 3) })
  t.ok(isValid(done.valid, 0))
})
