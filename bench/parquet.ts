// How fast our Parquet codec writes and reads columns of one kind each, and how many bytes of a file a row takes.
import { parseArgs } from 'node:util'
import type { ColumnData } from '../core/model/batch.ts'
import {
  type ParquetColumn,
  ParquetReader,
  ParquetWriter,
  type PhysicalType
} from '../core/storage/embedded/parquet/index.ts'
import { createRandom } from '../test/fuzz/random.ts'

interface Corpus {
  readonly name: string
  readonly type: PhysicalType
  readonly data: ColumnData
}

const pointsPerSeries = 240
const groupRows = 122_880

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      rows: { type: 'string', default: '1228800' },
      level: { type: 'string', default: '3' },
      only: { type: 'string' }
    }
  })
  const rows = Number(values.rows)
  console.log(
    `${rows} rows in groups of ${groupRows}, zstd level ${values.level}; processor time of the best of several rounds`
  )
  console.log(`copying two words takes ${((copying() * 1e6) / groupRows).toFixed(2)} ns a row here and now`)
  console.log('                          encode     decode    numbers       size')
  for (const corpus of corpora(rows)) {
    if (values.only === undefined || corpus.name.includes(values.only)) measure(corpus, rows, Number(values.level))
  }
}

function corpora(rows: number): Corpus[] {
  const random = createRandom(7)
  const ints = (of: (i: number) => number) => BigInt64Array.from({ length: rows }, (_, i) => BigInt(Math.round(of(i))))
  const floats = (of: (i: number) => number) => Float64Array.from({ length: rows }, (_, i) => of(i))
  const start = 1_790_000_000_000
  const point = (i: number) => i % pointsPerSeries
  let counter = 0
  let level = 50
  const words = Array.from({ length: 1000 }, (_, i) => `host-${i}.${['eu', 'us', 'asia'][i % 3]}.example.com`)
  const unique = (i: number) => `request ${i} took ${random.below(5000)} ms for user ${random.below(1e6)}`
  return [
    int(
      'tsid, sorted',
      ints(i => 1000 + i / pointsPerSeries - 0.5)
    ),
    int(
      'time, every 15 s, ms',
      ints(i => start + point(i) * 15_000)
    ),
    int(
      'time, every 15 s, ns',
      ints(i => start + point(i) * 15_000).map(time => time * 1_000_000n)
    ),
    int(
      'time, jitter, ms',
      ints(i => start + point(i) * 15_000 + random.below(20))
    ),
    int(
      'random, 64 bits',
      ints(() => (random.next() - 0.5) * 2 ** 63)
    ),
    double(
      'counter',
      floats(i => (counter = point(i) === 0 ? random.below(1e6) : counter + random.below(50)))
    ),
    double(
      'gauge, integers',
      floats(() => random.below(100))
    ),
    double(
      'gauge, two decimals',
      floats(() => (level = Math.round((level + random.next() - 0.5) * 100) / 100))
    ),
    double(
      'random double',
      floats(() => random.next())
    ),
    { name: 'constant double', type: 'double', data: { kind: 'fixed', values: new Float64Array(rows).fill(1.5) } },
    { name: 'text, 1,000 values', type: 'bytes', data: texts(rows, () => random.pick(words)) },
    { name: 'the same with codes', type: 'bytes', data: coded(rows, words, random.below) },
    { name: 'text, unique', type: 'bytes', data: texts(rows, unique) }
  ]
}

function int(name: string, values: BigInt64Array): Corpus {
  return { name, type: 'int64', data: { kind: 'fixed', values } }
}

function double(name: string, values: Float64Array): Corpus {
  return { name, type: 'double', data: { kind: 'fixed', values } }
}

function texts(rows: number, of: (i: number) => string): ColumnData {
  const list = Array.from({ length: rows }, (_, i) => Buffer.from(of(i)))
  const offsets = new Uint32Array(rows + 1)
  for (let i = 0; i < rows; i++) offsets[i + 1] = offsets[i]! + list[i]!.length
  return { kind: 'bytes', offsets, bytes: new Uint8Array(Buffer.concat(list)) }
}

function coded(rows: number, words: readonly string[], below: (limit: number) => number): ColumnData {
  const dictionary = texts(words.length, i => words[i]!) as ColumnData & { kind: 'bytes' }
  return { kind: 'dictionary', codes: Uint32Array.from({ length: rows }, () => below(words.length)), dictionary }
}

function measure({ name, type, data }: Corpus, rows: number, level: number): void {
  const columns: ParquetColumn[] = [{ name: 'value', type, optional: false }]
  const write = (sink: (bytes: Uint8Array) => void) => {
    const writer = new ParquetWriter(columns, sink, { level })
    for (let from = 0; from < rows; from += groupRows)
      writer.writeRowGroup(Math.min(groupRows, rows - from), [data], from)
    return writer.finish()
  }
  const parts: Buffer[] = []
  const footer = write(bytes => parts.push(Buffer.from(bytes)))
  const file = Buffer.concat(parts)
  const readAt = (offset: number, length: number) => file.subarray(offset, offset + length)
  const encode = best(() => write(() => {}))
  const decode = best(() => {
    const reader = new ParquetReader(readAt, footer)
    for (let group = 0; group < footer.rowGroups.length; group++) reader.column(group, 0)
  })
  const out = new Float64Array(groupRows)
  const numbers =
    type === 'bytes'
      ? undefined
      : best(() => {
          const reader = new ParquetReader(readAt, footer)
          for (let group = 0; group < footer.rowGroups.length; group++) reader.numbers(group, 0, out, 0)
        })
  const each = (time: number | undefined) =>
    (time === undefined ? '' : `${((time * 1e6) / rows).toFixed(1)} ns`).padStart(11)
  const size = `${(footer.bytes / rows).toFixed(3)} B`.padStart(11)
  console.log(`${name.padEnd(22)}${each(encode)}${each(decode)}${each(numbers)}${size}`)
}

/** What the plainest loop takes: how fast the machine is at the moment. */
function copying(): number {
  const from = new Int32Array(2 * groupRows)
  const to = new Int32Array(2 * groupRows)
  return best(() => {
    for (let i = 0; i < from.length; i += 2) {
      to[i] = from[i]!
      to[i + 1] = from[i + 1]!
    }
  })
}

/** Milliseconds of processor time of the best of some rounds: other programs count less than in time that passes. */
function best(run: () => unknown): number {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < 8; round++) {
    const start = process.cpuUsage()
    run()
    const { user, system } = process.cpuUsage(start)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}
