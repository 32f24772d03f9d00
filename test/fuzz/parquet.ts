// Parquet files with changed or missing bytes: reading returns the rows that were written, or throws an error that names the damage.
import { parquetWriteBuffer } from 'hyparquet-writer'
import {
  type ParquetColumn,
  ParquetError,
  type ParquetFooter,
  ParquetReader,
  ParquetWriter,
  readFooter
} from '../../core/storage/embedded/parquet/index.ts'
import { difference, everyColumn, plainRows, randomColumn } from '../core/storage/parquet/columns.ts'
import { createRandom, type Random } from './random.ts'
import { type Attempt, fuzzReading } from './reading.ts'

interface Sample {
  readonly file: Uint8Array
  /** What the columns hold, where damage before the indexes must not change it unnoticed. */
  readonly values: readonly (readonly unknown[])[]
  readonly checked: number
}

const samples: Sample[] = [1, 2, 3, 4, 5, 6].map(ourSample)
samples.push(foreignSample('SNAPPY'), foreignSample('UNCOMPRESSED'))

function ourSample(seed: number): Sample {
  const random = createRandom(seed)
  const columns: ParquetColumn[] = everyColumn.map((column, i) => ({
    ...column,
    name: `c${i}`,
    optional: random.once(2)
  }))
  const rows = random.pick([20, 300, 700])
  const parts: Uint8Array[] = []
  const writer = new ParquetWriter(columns, bytes => parts.push(new Uint8Array(bytes)), { pageRows: 256 })
  const data = columns.map(column => randomColumn(random, column, rows))
  writer.writeRowGroup(rows, data)
  writer.writeRowGroup(rows, data)
  const footer = writer.finish()
  const indexes = footer.rowGroups.flatMap(group => group.columns.map(chunk => chunk.columnIndex ?? chunk.offsetIndex!))
  const file = new Uint8Array(Buffer.concat(parts))
  return { file, values: valuesOf(file), checked: Math.min(...indexes.map(({ offset }) => offset)) }
}

/** Version 1, without checksums and indexes. */
function foreignSample(codec: 'SNAPPY' | 'UNCOMPRESSED'): Sample {
  const numbers = Array.from({ length: 500 }, (_, i) => i * 1.5)
  const file = parquetWriteBuffer({
    codec,
    columnData: [
      { name: 'number', data: numbers, type: 'DOUBLE' },
      { name: 'whole', data: numbers.map(i => BigInt(Math.round(i))), type: 'INT64' },
      { name: 'text', data: numbers.map(i => `text ${i}`), type: 'STRING' },
      { name: 'shared', data: numbers.map(i => `text ${i}`), type: 'STRING', encoding: 'DELTA_BYTE_ARRAY' },
      { name: 'word', data: numbers.map(i => `word ${i % 5}`), type: 'STRING' },
      { name: 'flag', data: numbers.map(i => i % 2 === 0), type: 'BOOLEAN' }
    ]
  })
  return { file: new Uint8Array(file), values: [], checked: 0 }
}

function valuesOf(file: Uint8Array): unknown[][] {
  const read = (offset: number, length: number) => file.subarray(offset, offset + length)
  const footer: ParquetFooter = readFooter(read, file.length)
  const reader = new ParquetReader(read, footer)
  const values: unknown[][] = []
  for (const [group, { rows }] of footer.rowGroups.entries()) {
    for (const [i, column] of footer.columns.entries()) {
      reader.pages(group, i)
      values.push(plainRows(column, reader.column(group, i), 0, rows))
      if (column.type !== 'bytes' && column.type !== 'fixed16') reader.numbers(group, i, new Float64Array(rows), 0)
    }
  }
  return values
}

function attempt(random: Random): Attempt {
  const sample = random.pick(samples)
  let file = sample.file.slice()
  const changes: string[] = []
  let isChecked = true
  for (let i = random.pick([1, 1, 1, 2, 5]); i > 0; i--) {
    const at = random.once(2) ? random.below(file.length) : file.length - 1 - random.below(Math.min(file.length, 4000))
    if (random.once(30)) {
      file = file.slice(0, at)
      changes.push(`cut at ${at}`)
      isChecked = false
      if (file.length === 0) break
    } else {
      file[at] = random.once(2) ? random.below(256) : file[at]! ^ (1 << random.below(8))
      changes.push(`${at}=${file[at]}`)
      if (at >= sample.checked) isChecked = false
    }
  }
  return {
    input: () => `sample ${samples.indexOf(sample)} with ${changes.join(', ')}`,
    read() {
      const values = valuesOf(file)
      if (!isChecked) return
      sample.values.forEach((column, i) => {
        const wrong = difference(values[i]!, column)
        if (wrong !== undefined) throw new Error(`column ${i} is read as something else: ${wrong}`)
      })
    }
  }
}

export const fuzz = fuzzReading(attempt, error => error instanceof ParquetError)
