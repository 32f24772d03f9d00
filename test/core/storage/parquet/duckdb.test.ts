// DuckDB and hyparquet read our files as we do, and we read the files of DuckDB as it does.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBInstance,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampValue
} from '@duckdb/node-api'
import t from 'tap'
import { type ParquetColumn, ParquetWriter } from '../../../../core/storage/embedded/parquet/index.ts'
import { createRandom } from '../../../fuzz/random.ts'
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
  if (value instanceof DuckDBBlobValue) return Buffer.from(value.bytes).toString('hex')
  if (value instanceof DuckDBDecimalValue) {
    return column.type === 'fixed16' ? `${BigInt.asIntN(64, value.value)},${value.value >> 64n}` : value.value
  }
  if (typeof value === 'string') return Buffer.from(value).toString('hex')
  return typeof value === 'boolean' ? Number(value) : value
}

t.test(`DuckDB reads our files (seed ${seed})`, async t => {
  const random = createRandom(seed)
  const dir = temporaryFolder(t)
  for (let run = 0; run < 12; run++) {
    const columns: ParquetColumn[] = everyColumn.map((column, i) => ({
      ...column,
      name: `c${i}`,
      optional: random.once(2)
    }))
    const rows = random.pick([1, 100, 3000, 1 + random.below(30_000)])
    const data = columns.map(column => randomColumn(random, column, rows))
    const path = join(dir, `${run}.parquet`)
    const parts: Uint8Array[] = []
    const writer = new ParquetWriter(columns, bytes => parts.push(bytes.slice()), {
      pageRows: random.pick([64, 1024, 8192])
    })
    const half = rows >> 1
    if (half > 0) writer.writeRowGroup(half, data)
    writer.writeRowGroup(rows - half, data, half)
    writer.finish([['key', 'value']])
    writeFileSync(path, Buffer.concat(parts))
    for (const [i, column] of columns.entries()) {
      const ours = plainRows(column, data[i]!, 0, rows)
      const theirs = (await rowsOf(`SELECT c${i} FROM '${path}'`)).map(([value]) => plainValue(column, value))
      const wrong = difference(theirs, ours)
      if (wrong !== undefined) t.fail(`run ${run}, ${JSON.stringify(column)}: ${wrong}`)
    }
    t.pass(`${rows} rows`)
  }
})
