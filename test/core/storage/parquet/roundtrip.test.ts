// What is written is read back, whatever the types, the values, the nulls and the number of rows.
import t from 'tap'
import {
  type ParquetColumn,
  ParquetReader,
  ParquetWriter,
  readFooter
} from '../../../../core/storage/embedded/parquet/index.ts'
import { createRandom } from '../../../fuzz/random.ts'
import { difference, everyColumn, plainRows, randomColumn } from './columns.ts'

const runs = Number(process.env['WEIR_PROPERTY_RUNS'] ?? 60)
const seed = Number(process.env['WEIR_PROPERTY_SEED'] ?? Date.now() % 2 ** 31)

t.test(`columns come back as they were (seed ${seed})`, async t => {
  const random = createRandom(seed)
  for (let run = 0; run < runs; run++) {
    const columns: ParquetColumn[] = everyColumn.map((column, i) => ({
      ...column,
      name: `c${i}`,
      optional: random.once(2)
    }))
    const rows = random.pick([1, 7, 8, 100, 1000, 1 + random.below(20_000)])
    const skipped = random.pick([0, 0, 1, 13])
    const data = columns.map(column => randomColumn(random, column, rows + skipped))
    const parts: Uint8Array[] = []
    const writer = new ParquetWriter(columns, bytes => parts.push(bytes.slice()), {
      pageRows: random.pick([8, 100, 1024, 8192])
    })
    writer.writeRowGroup(rows, data, skipped)
    const second = 1 + random.below(rows)
    writer.writeRowGroup(second, data, skipped)
    const written = writer.finish()
    const file = Buffer.concat(parts)
    t.equal(file.length, written.bytes)
    const read = (at: number, length: number) => file.subarray(at, at + length)
    const { bytes: _, ...expected } = written
    const footer = readFooter(read, file.length)
    t.match(footer, expected, `the footer of run ${run}`)
    const reader = new ParquetReader(read, footer)
    for (const [group, count] of [rows, second].entries()) {
      const [a, b] = [random.below(count + 1), random.below(count + 1)]
      const [from, to] = random.once(3) ? [0, count] : [Math.min(a, b), Math.max(a, b)]
      columns.forEach((column, i) => {
        const what = `run ${run}, group ${group}, rows ${from} to ${to} of ${JSON.stringify(column)}`
        const wanted = plainRows(column, data[i]!, skipped + from, skipped + to)
        const got = reader.column(group, i, from, to)
        const wrong = difference(plainRows(column, got, 0, to - from), wanted)
        if (wrong !== undefined) t.fail(`${what}: ${wrong}`)
        if (column.type === 'bytes' || column.type === 'fixed16') return
        const out = new Float64Array(to - from + 2).fill(-7)
        reader.numbers(group, i, out, 1, from, to)
        const numbers = [-7, ...wanted.map(value => (value === null ? Number.NaN : Number(value))), -7]
        const wrongNumber = difference([...out], numbers)
        if (wrongNumber !== undefined) t.fail(`${what} as numbers: ${wrongNumber}`)
        if (column.type !== 'int32' || column.optional) return
        const { integers, starts } = reader.runs(group, i, from, to)
        const repeated = Array.from(integers, (integer, k) =>
          Array(starts[k + 1]! - starts[k]!).fill(integer | 0)
        ).flat()
        const signed = wanted.map(value => Number(value) | 0)
        const wrongRun = difference(repeated, signed)
        if (wrongRun !== undefined) t.fail(`${what} as runs: ${wrongRun}`)
        if (integers.some((integer, k) => k > 0 && integer === integers[k - 1])) t.fail(`${what}: a run is cut in two`)
      })
    }
  }
})
