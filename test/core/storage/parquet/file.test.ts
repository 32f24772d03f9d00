// The metadata of Parquet files, and the errors for files that cannot be read.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { parquetWriteBuffer } from 'hyparquet-writer'
import t from 'tap'
import type { ColumnData } from '../../../../core/model/batch.ts'
import {
  type ChunkInfo,
  type ParquetColumn,
  ParquetError,
  ParquetReader,
  ParquetWriter,
  readFooter
} from '../../../../core/storage/embedded/parquet/index.ts'
import { temporaryFolder } from '../fixtures.ts'
import { plainRows, textData } from './columns.ts'

function fileOf(column: Omit<ParquetColumn, 'name'>, rows: number, data: ColumnData, pageRows = 8192): Buffer {
  const parts: Uint8Array[] = []
  const writer = new ParquetWriter([{ name: 'c', ...column }], bytes => parts.push(new Uint8Array(bytes)), { pageRows })
  writer.writeRowGroup(rows, [data])
  writer.finish()
  return Buffer.concat(parts)
}

function readerOf(file: Uint8Array) {
  const read = (offset: number, length: number) => file.subarray(offset, offset + length)
  const footer = readFooter(read, file.length)
  return { footer, reader: new ParquetReader(read, footer) }
}

function chunkOf(file: Uint8Array): ChunkInfo {
  return readerOf(file).footer.rowGroups[0]!.columns[0]!
}

const doubles = (...values: number[]): ColumnData => ({ kind: 'fixed', values: Float64Array.from(values) })

t.test('bounds of floating point numbers', async t => {
  const zeros = chunkOf(fileOf({ type: 'double', optional: false }, 2, doubles(0, 0)))
  t.ok(Object.is(zeros.min, -0) && Object.is(zeros.max, 0), 'a zero counts as both')
  const negative = chunkOf(fileOf({ type: 'double', optional: false }, 2, doubles(-1, -0)))
  t.ok(Object.is(negative.max, 0))
  const nan = fileOf({ type: 'double', optional: false }, 16, doubles(...Array(15).fill(1), Number.NaN), 8)
  t.equal(chunkOf(nan).min, undefined, 'NaN has no place in any order')
  t.same(readerOf(nan).reader.pages(0, 0), [
    { from: 0, to: 8 },
    { from: 8, to: 16 }
  ])
})

t.test('bounds of long texts are shortened: downwards, and upwards to a character above', async t => {
  const bounds = (min: string, max: string) =>
    chunkOf(
      fileOf(
        { type: 'bytes', logical: { kind: 'string' }, optional: false },
        2,
        textData([Buffer.from(min), Buffer.from(max)])
      )
    )
  const text = (bytes: unknown) => Buffer.from(bytes as Uint8Array).toString()
  const plain = bounds('a'.repeat(100), `z${'é'.repeat(50)}`)
  t.equal(text(plain.min), 'a'.repeat(64))
  t.equal(text(plain.max), `z${'é'.repeat(30)}ê`)
  t.equal(plain.shortened, true)
  t.equal(text(bounds('a', `b${'\u{10ffff}'.repeat(30)}`).max), 'c', 'nothing is above the highest character')
  t.equal(bounds('a', '\u{10ffff}'.repeat(30)).max, undefined)
  t.equal(bounds('a', 'x'.repeat(64)).shortened, undefined)
})

t.test('bounds of pages, of numbers without a sign, of decimals', async t => {
  const values = BigInt64Array.from({ length: 24 }, (_, i) => BigInt(i) - 3n)
  const pages = readerOf(fileOf({ type: 'int64', optional: false }, 24, { kind: 'fixed', values }, 8)).reader.pages(
    0,
    0
  )
  t.same(pages, [
    { from: 0, to: 8, min: -3n, max: 4n },
    { from: 8, to: 16, min: 5n, max: 12n },
    { from: 16, to: 24, min: 13n, max: 20n }
  ])
  const unsigned = { type: 'int64', logical: { kind: 'int', bits: 64, signed: false }, optional: false } as const
  t.match(chunkOf(fileOf(unsigned, 2, { kind: 'fixed', values: BigUint64Array.of(2n ** 63n, 1n) })), {
    min: 1n,
    max: 2n ** 63n
  })
  const decimal = { type: 'fixed16', logical: { kind: 'decimal', precision: 38, scale: 0 }, optional: false } as const
  const { min, max } = chunkOf(fileOf(decimal, 2, { kind: 'fixed', values: BigInt64Array.of(-1n, -1n, 5n, 0n) }))
  t.equal(Buffer.from(min as Uint8Array).toString('hex'), 'f'.repeat(32), 'the negative number is below')
  t.equal(Buffer.from(max as Uint8Array).toString('hex'), '5'.padStart(32, '0'))
})

t.test(
  'texts that come with a dictionary keep it, without what is not used and without what is there twice',
  async t => {
    const dictionary = textData(['a', 'unused', 'b', 'a'].map(text => Buffer.from(text)))
    const codes = Uint32Array.from({ length: 1000 }, (_, i) => [0, 2, 3][i % 3]!)
    const column = { type: 'bytes', logical: { kind: 'string' }, optional: false } as const
    const data = readerOf(fileOf(column, 1000, { kind: 'dictionary', codes, dictionary })).reader.column(0, 0)
    if (data.kind !== 'dictionary') return t.fail('it is not a dictionary')
    t.equal(Buffer.from(data.dictionary.bytes).toString(), 'ab')
    t.same([...data.codes.subarray(0, 4)], [0, 1, 0, 0])
  }
)

t.test('values that share what they begin with are read', async t => {
  const texts = Array.from({ length: 300 }, (_, i) => `the same words before ${i}`)
  const file = parquetWriteBuffer({
    columnData: [{ name: 'c', data: texts, type: 'STRING', encoding: 'DELTA_BYTE_ARRAY' }]
  })
  const { footer, reader } = readerOf(new Uint8Array(file))
  t.ok(footer.rowGroups[0]!.columns[0]!.encodings.includes(7))
  const rows = plainRows(footer.columns[0]!, reader.column(0, 0, 100, 300), 0, 200)
  t.same(
    rows.map(row => Buffer.from(row as string, 'hex').toString()),
    texts.slice(100)
  )
})

t.test('unreadable bytes are told with their position', async t => {
  const file = fileOf({ type: 'double', optional: false }, 3, doubles(1, 2, 3))
  const refuses = (bytes: Uint8Array, message: RegExp) => {
    const read = () => {
      const { footer, reader } = readerOf(bytes)
      footer.columns.forEach((_, i) => {
        reader.column(0, i)
      })
    }
    try {
      read()
      t.fail(`not refused: ${message}`)
    } catch (error) {
      t.ok(error instanceof ParquetError)
      t.match((error as Error).message, message)
    }
  }
  refuses(file.subarray(0, 5), /a file of 5 bytes is too short at byte 0/)
  refuses(file.subarray(0, -1), /does not end with PAR1 at byte/)
  const changed = (at: number) => {
    const bent = Buffer.from(file)
    bent[at]! ^= 1
    return bent
  }
  refuses(
    changed(readerOf(file).footer.rowGroups[0]!.columns[0]!.bytes),
    /the checksum of the page is not that of its bytes at byte 4/
  )
  refuses(changed(file.length - 5), /the footer announces \d+ bytes in a file of \d+ at byte/)
  const instance = await DuckDBInstance.create(':memory:')
  t.teardown(() => instance.closeSync())
  const duckdb = await instance.connect()
  const path = join(temporaryFolder(t), 'nested.parquet')
  await duckdb.run(`COPY (SELECT {'a': 1} AS nested) TO '${path}' (FORMAT parquet)`)
  refuses(readFileSync(path), /the nested column nested, which is not supported/)
  await duckdb.run(`COPY (SELECT 1 AS c) TO '${path}' (FORMAT parquet, COMPRESSION brotli)`)
  refuses(readFileSync(path), /compression 4, which is not supported/)
})

t.test('rows that do not fit the columns are refused', async t => {
  const refused = (column: Omit<ParquetColumn, 'name'>, data: ColumnData, message: RegExp) =>
    t.throws(() => fileOf(column, 2, data), { message })
  refused({ type: 'double', optional: false }, doubles(1), /column c has 1 rows, 0 to 2 are asked for/)
  refused({ type: 'int64', optional: false }, doubles(1, 2), /of the type int64 cannot hold the values of Float64Array/)
  refused(
    { type: 'double', optional: false },
    { ...doubles(1, 2), valid: Uint8Array.of(1) } as ColumnData,
    /is not optional and has 1 rows without a value/
  )
  const dictionary = textData([Buffer.from('a')])
  refused(
    { type: 'bytes', optional: false },
    { kind: 'dictionary', codes: Uint32Array.of(0, 1), dictionary },
    /the code 1 beyond its dictionary of 1 entries/
  )
})
