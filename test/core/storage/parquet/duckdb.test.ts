// DuckDB and hyparquet read our files as we do, and we read the files of DuckDB as it does.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBInstance,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBUUIDValue
} from '@duckdb/node-api'
import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import t from 'tap'
import {
  type ParquetColumn,
  ParquetReader,
  ParquetWriter,
  readFooter
} from '../../../../core/storage/embedded/parquet/index.ts'
import { createRandom, type Random } from '../../../fuzz/random.ts'
import { temporaryFolder } from '../fixtures.ts'
import { difference, everyColumn, plainRows, randomColumn } from './columns.ts'

const seed = Number(process.env['WEIR_PROPERTY_SEED'] ?? Date.now() % 2 ** 31)
const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
const duckdb = await instance.connect()
t.teardown(() => instance.closeSync())

async function rowsOf(sql: string): Promise<unknown[][]> {
  return (await duckdb.runAndReadAll(sql)).getRows() as unknown[][]
}

/** A value of DuckDB as `plainRows` shows ours. */
function plainValue(column: ParquetColumn, value: unknown): unknown {
  if (value === null) return null
  if (value instanceof DuckDBDateValue) return value.days
  if (value instanceof DuckDBTimestampValue)
    return column.logical?.kind === 'timestamp' && column.logical.unit === 'ms' ? value.micros / 1000n : value.micros
  if (value instanceof DuckDBTimestampNanosecondsValue) return value.nanos
  if (value instanceof DuckDBTimestampTZValue) return value.micros
  if (value instanceof DuckDBBlobValue) return Buffer.from(value.bytes).toString('hex')
  if (value instanceof DuckDBDecimalValue) {
    if (column.type === 'int32') return Number(value.value)
    return column.type === 'fixed16' ? `${BigInt.asIntN(64, value.value)},${value.value >> 64n}` : value.value
  }
  if (value instanceof DuckDBUUIDValue) return value.toString().replaceAll('-', '')
  if (typeof value === 'string') return Buffer.from(value).toString('hex')
  return typeof value === 'boolean' ? Number(value) : value
}

t.test(`DuckDB reads our files (seed ${seed})`, async t => {
  const random = createRandom(seed)
  const dir = temporaryFolder(t)
  for (let run = 0; run < 5; run++) {
    const columns: ParquetColumn[] = everyColumn.map((column, i) => ({
      ...column,
      name: `c${i}`,
      optional: random.once(2)
    }))
    const rows = random.pick([1, 100, 3000, 1 + random.below(12_000)])
    const data = columns.map(column => randomColumn(random, column, rows))
    const path = join(dir, `${run}.parquet`)
    const parts: Uint8Array[] = []
    const writer = new ParquetWriter(columns, bytes => parts.push(bytes.slice()), {
      pageRows: random.pick([64, 1024, 8192])
    })
    const half = rows >> 1
    if (half > 0) writer.writeRowGroup(half, data)
    writer.writeRowGroup(rows - half, data, half)
    writer.finish()
    const file = Buffer.concat(parts)
    writeFileSync(path, file)
    await duckdb.run(`CREATE OR REPLACE TABLE kept AS SELECT * FROM '${path}'`)
    const independent = await readIndependently(new Uint8Array(file))
    for (const [i, column] of columns.entries()) {
      const what = `run ${run}, ${JSON.stringify(column)}`
      const ours = plainRows(column, data[i]!, 0, rows)
      const theirs = (await rowsOf(`SELECT c${i} FROM kept`)).map(([value]) => plainValue(column, value))
      const wrong = difference(theirs, ours)
      if (wrong !== undefined) t.fail(`${what}: ${wrong}`)
      // hyparquet converts values with a logical type to JavaScript objects, which this test does not compare.
      if (column.logical === undefined || column.logical.kind === 'string') {
        const others = independent.map(row => independentValue(column, row[`c${i}`]))
        const otherwise = difference(others, ours)
        if (otherwise !== undefined) t.fail(`${what}, read by hyparquet: ${otherwise}`)
      }
      const missed = await missedRows(random, path, `c${i}`, rows)
      if (missed !== undefined) t.fail(`${what}: ${missed}`)
    }
    t.pass(`${rows} rows`)
  }
})

async function readIndependently(file: Uint8Array<ArrayBuffer>): Promise<Record<string, unknown>[]> {
  return (await parquetReadObjects({ file: file.buffer, compressors, utf8: false })) as Record<string, unknown>[]
}

function independentValue({ type }: ParquetColumn, value: unknown): unknown {
  if (value === null || value === undefined) return null
  if (value instanceof Uint8Array || typeof value === 'string') return Buffer.from(value as string).toString('hex')
  return type === 'boolean' ? Number(value) : value
}

/** Conditions over the file, which DuckDB answers with the help of our bounds, and over a copy of its rows, where there are none. */
async function missedRows(random: Random, path: string, column: string, rows: number): Promise<string | undefined> {
  await duckdb.run(`SET VARIABLE bound = (SELECT ${column} FROM kept LIMIT 1 OFFSET ${random.below(rows)})`)
  for (const condition of ['=', '<', '>', '<=', '>=', '<>']
    .map(sign => `${column} ${sign} getvariable('bound')`)
    .concat(`${column} IS NULL`)) {
    const [[wanted]] = (await rowsOf(`SELECT count(*) FROM kept WHERE ${condition}`)) as [[bigint]]
    const [[found]] = (await rowsOf(`SELECT count(*) FROM '${path}' WHERE ${condition}`)) as [[bigint]]
    if (wanted !== found) return `${condition} finds ${found} rows of ${wanted}`
  }
  return undefined
}

/** Columns of every type DuckDB writes, as SQL over a number `i`. */
const duckdbColumns: Readonly<Record<string, string>> = {
  flag: 'i % 3 = 0',
  tiny: '(i % 256 - 128)::TINYINT',
  small: '(i * 7 % 60000 - 30000)::SMALLINT',
  int: '((hash(i) % 4294967296)::BIGINT - 2147483648)::INTEGER',
  big: '(hash(i)::HUGEINT - 9223372036854775808)::BIGINT',
  utiny: '(i % 256)::UTINYINT',
  usmall: '(i % 65536)::USMALLINT',
  uint: '(hash(i) % 4294967296)::UINTEGER',
  ubig: 'hash(i)::UBIGINT',
  sorted: '(i * 3 + 1400000000000)::BIGINT',
  repeated: '(i // 240)::BIGINT',
  constant: '42::BIGINT',
  single: '(hash(i) % 1000 / 7)::FLOAT',
  double: 'hash(i) / 3.0::DOUBLE',
  gauge: '(i % 100)::DOUBLE',
  date: "DATE '1960-01-01' + (i % 40000)::INTEGER",
  ms: 'make_timestamp_ms(1400000000000 + i * 15000)',
  us: 'make_timestamp(1400000000000000 + i * 15000000)',
  ns: 'make_timestamp_ns(1400000000000000000 + i * 15000000000)',
  seconds: 'make_timestamp(1400000000000000 + i * 15000000)::TIMESTAMP_S',
  zoned: 'make_timestamp(1400000000000000 + i * 15000000)::TIMESTAMPTZ',
  decimal4: '(i % 999)::DECIMAL(4, 1)',
  decimal9: '(i % 99999)::DECIMAL(9, 2)',
  decimal18: '(i * 1000)::DECIMAL(18, 3)',
  decimal38: '((hash(i)::HUGEINT - 9223372036854775808) * 1000000007)::DECIMAL(38, 2)',
  text: "'row ' || hash(i) || ' ä€😀'",
  words: "'word ' || (i % 1000)",
  empty: "''",
  json: "json_object('a', i)",
  blob: 'unhex(md5(i::VARCHAR))::BLOB',
  uuid: 'md5(i::VARCHAR)::UUID'
}

t.test('we read the files of DuckDB, whatever the version, the compression and the encoding', async t => {
  const dir = temporaryFolder(t)
  const met = new Set<string>()
  const nullRules = ['false', 'i % 5 = 0', 'i // 1000 % 2 = 0', 'true', 'i = 7']
  let made = 0
  for (const version of ['V1', 'V2']) {
    for (const compression of ['uncompressed', 'snappy', 'gzip', 'zstd']) {
      for (const dictionary of ['', ', DICTIONARY_SIZE_LIMIT 1']) {
        {
          const nulls = nullRules[made++ % nullRules.length]!
          const path = join(dir, `${version}-${compression}-${dictionary.length}-${nulls.length}.parquet`)
          const columns = Object.entries(duckdbColumns).map(
            ([name, sql]) => `CASE WHEN ${nulls} THEN NULL ELSE ${sql} END AS "${name}"`
          )
          await duckdb.run(`COPY (SELECT ${columns.join(', ')} FROM range(4000) AS r(i)) TO '${path}'
            (FORMAT parquet, PARQUET_VERSION ${version}, COMPRESSION ${compression}, ROW_GROUP_SIZE 2500${dictionary})`)
          const file = readFileSync(path)
          const read = (offset: number, length: number) => file.subarray(offset, offset + length)
          const footer = readFooter(read, file.length)
          t.equal(footer.rows, 4000)
          const reader = new ParquetReader(read, footer)
          for (const [i, column] of footer.columns.entries()) {
            const theirs = (await rowsOf(`SELECT "${column.name}" FROM '${path}'`)).map(([value]) =>
              plainValue(column, value)
            )
            const ours: unknown[] = []
            for (const [group, { rows, columns }] of footer.rowGroups.entries()) {
              for (const encoding of columns[i]!.encodings) met.add(`${version} ${encoding}`)
              const middle = rows >> 1
              ours.push(...plainRows(column, reader.column(group, i, 0, middle), 0, middle))
              ours.push(...plainRows(column, reader.column(group, i, middle, rows), 0, rows - middle))
            }
            const wrong = difference(ours, theirs)
            if (wrong !== undefined) t.fail(`${path}, ${JSON.stringify(column)}: ${wrong}`)
          }
        }
      }
    }
  }
  t.comment([...met].sort().join(', '))
})
