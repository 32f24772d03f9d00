// Encodes the columns of a write as an Arrow stream, without copying columns that have Arrow's layout.
import type * as Arrow from 'apache-arrow'
import { fixedType } from '../../format/arrow-column.ts'
import { type BytesData, type ColumnData, type DictionaryData, isValid, setBit } from '../../model/batch.ts'
import type { ColumnType } from '../../model/types.ts'

/** A column under the name it has in the cluster. */
export interface SentColumn {
  readonly name: string
  readonly type: ColumnType
  readonly data: ColumnData
}

type Library = typeof Arrow

/** The bytes of a stream with one batch, in pieces. */
export async function arrowStream(columns: readonly SentColumn[], rows: number): Promise<Uint8Array[]> {
  // Loaded on demand, because only writes to a cluster need the library.
  const library = await import('apache-arrow')
  const children = columns.map(column => arrowData(library, column, rows))
  const fields = columns.map(({ name }, i) => new library.Field(name, children[i]!.type, true))
  const schema = new library.Schema(fields)
  const data = library.makeData({ type: new library.Struct(fields), length: rows, nullCount: 0, children })
  const written: Uint8Array[] = []
  const writer = new library.RecordBatchStreamWriter()
  const sink = writer as unknown as { _sink: { write(bytes: Uint8Array): void; close(): void } }
  sink._sink = { write: bytes => void written.push(bytes), close() {} }
  writer.reset(undefined, schema)
  writer.write(new library.RecordBatch(schema, data))
  writer.finish()
  return written
}

function arrowData(library: Library, { type, data }: SentColumn, rows: number): Arrow.Data {
  const nulls = validity(data.valid, rows)
  if (data.kind === 'dictionary') {
    const { codes, dictionary: texts } = distinct(data, rows)
    const dictionary = new library.Vector([bytesData(library, type, texts, texts.offsets.length - 1, {})])
    const indices = new library.Uint32()
    return library.makeData({
      type: new library.Dictionary(dictionary.type, indices),
      length: rows,
      ...nulls,
      data: codes,
      dictionary
    } as never)
  }
  if (data.kind === 'bytes') return bytesData(library, type, data, rows, nulls)
  const { values } = data
  if (type === 'Boolean')
    return library.makeData({
      type: new library.Bool(),
      length: rows,
      ...nulls,
      data: bits(values as Uint8Array, rows)
    })
  const decimal = /^Decimal\((\d+), (\d+)\)$/.exec(type)
  if (decimal !== null) {
    const [, digits, scale] = decimal.map(Number) as [number, number, number]
    const words = digits > 18 ? (values as BigInt64Array).slice(0, rows * 2) : widened(values as BigInt64Array, rows)
    const data = new Uint32Array(words.buffer, words.byteOffset, rows * 4)
    return library.makeData({ type: new library.Decimal(scale, digits), length: rows, ...nulls, data })
  }
  return library.makeData({
    type: fixedType(library, type)!,
    length: rows,
    ...nulls,
    data: values.subarray(0, rows)
  } as never)
}

/** Codes of a dictionary without duplicate texts, as ClickHouse requires. */
function distinct({ codes, dictionary }: DictionaryData, rows: number): Pick<DictionaryData, 'codes' | 'dictionary'> {
  const { offsets, bytes } = dictionary
  const count = offsets.length - 1
  const known = new Map<string, number>()
  const kept: Uint8Array[] = []
  const renamed = new Uint32Array(count)
  for (let i = 0; i < count; i++) {
    const text = bytes.subarray(offsets[i], offsets[i + 1])
    const key = Buffer.from(text.buffer, text.byteOffset, text.length).toString('latin1')
    const code = known.get(key)
    renamed[i] = code ?? kept.length
    if (code !== undefined) continue
    known.set(key, kept.length)
    kept.push(text)
  }
  if (kept.length === count) return { codes: codes.subarray(0, rows), dictionary }
  const starts = new Uint32Array(kept.length + 1)
  for (const [i, text] of kept.entries()) starts[i + 1] = starts[i]! + text.length
  const moved = codes.slice(0, rows)
  // Codes of nulls are arbitrary.
  for (let i = 0; i < rows; i++) moved[i] = renamed[moved[i]!] ?? 0
  return { codes: moved, dictionary: { ...dictionary, offsets: starts, bytes: Buffer.concat(kept) } }
}

function validity(valid: Uint8Array | undefined, rows: number): { nullBitmap?: Uint8Array; nullCount: number } {
  if (valid === undefined) return { nullCount: 0 }
  let nullCount = 0
  for (let i = 0; i < rows; i++) if (!isValid(valid, i)) nullCount++
  return nullCount === 0 ? { nullCount } : { nullBitmap: valid, nullCount }
}

function bytesData(
  library: Library,
  type: ColumnType,
  { offsets, bytes }: BytesData,
  rows: number,
  nulls: object
): Arrow.Data {
  const arrowType = type === 'Binary' ? new library.Binary() : new library.Utf8()
  const valueOffsets = new Int32Array(offsets.buffer, offsets.byteOffset, rows + 1)
  return library.makeData({ type: arrowType, length: rows, nullCount: 0, ...nulls, valueOffsets, data: bytes } as never)
}

function bits(values: Uint8Array, rows: number): Uint8Array {
  const packed = new Uint8Array((rows + 7) >> 3)
  for (let i = 0; i < rows; i++) if (values[i] !== 0) setBit(packed, i)
  return packed
}

function widened(values: BigInt64Array, rows: number): BigInt64Array {
  const words = new BigInt64Array(rows * 2)
  for (let i = 0; i < rows; i++) {
    words[i * 2] = values[i]!
    words[i * 2 + 1] = values[i]! < 0n ? -1n : 0n
  }
  return words
}
