// Columns of all types with random values, and whether two columns hold the same rows.
import { type ColumnData, isValid } from '../../../../core/model/batch.ts'
import type { ParquetColumn } from '../../../../core/storage/embedded/parquet/index.ts'
import type { Random } from '../../../fuzz/random.ts'

export const everyColumn: readonly Omit<ParquetColumn, 'name' | 'optional'>[] = [
  { type: 'boolean' },
  { type: 'int32' },
  { type: 'int32', logical: { kind: 'int', bits: 8, signed: true } },
  { type: 'int32', logical: { kind: 'int', bits: 16, signed: true } },
  { type: 'int32', logical: { kind: 'int', bits: 8, signed: false } },
  { type: 'int32', logical: { kind: 'int', bits: 16, signed: false } },
  { type: 'int32', logical: { kind: 'int', bits: 32, signed: false } },
  { type: 'int32', logical: { kind: 'date' } },
  { type: 'int64' },
  { type: 'int64', logical: { kind: 'int', bits: 64, signed: false } },
  { type: 'int64', logical: { kind: 'timestamp', unit: 'ms' } },
  { type: 'int64', logical: { kind: 'timestamp', unit: 'us' } },
  { type: 'int64', logical: { kind: 'timestamp', unit: 'ns' } },
  { type: 'int64', logical: { kind: 'decimal', precision: 18, scale: 3 } },
  { type: 'float' },
  { type: 'double' },
  { type: 'bytes', logical: { kind: 'string' } },
  { type: 'bytes', logical: { kind: 'json' } },
  { type: 'bytes' },
  { type: 'fixed16', logical: { kind: 'decimal', precision: 38, scale: 2 } }
]

/** How the values of a column look. */
const shapes = ['constant', 'few', 'runs', 'steps', 'sorted', 'random', 'extreme'] as const
type Shape = (typeof shapes)[number]

export function randomColumn(random: Random, column: ParquetColumn, rows: number): ColumnData {
  const shape = random.pick(shapes)
  const valid = column.optional && !random.once(4) ? randomBits(random, rows) : undefined
  const nulls = valid !== undefined && { valid }
  if (column.type === 'bytes') {
    const texts = randomTexts(random, column, shape)
    if (random.once(3)) {
      const size = 1 + random.below(shape === 'constant' ? 1 : 50)
      const dictionary = textData(Array.from({ length: size }, (_, i) => texts(i)))
      return {
        kind: 'dictionary',
        codes: Uint32Array.from({ length: rows }, () => random.below(size)),
        dictionary,
        ...nulls
      }
    }
    return { ...textData(Array.from({ length: rows }, (_, i) => texts(i))), ...nulls }
  }
  return { kind: 'fixed', values: randomValues(random, column, shape, rows), ...nulls }
}

function randomBits(random: Random, rows: number): Uint8Array {
  const bits = new Uint8Array((rows + 7) >> 3)
  const share = random.pick([0, 0.02, 0.5, 0.98, 1])
  let row = 0
  while (row < rows) {
    // In runs, too, so that levels have both forms.
    const run = random.once(3) ? 1 + random.below(100) : 1
    const isThere = random.next() < share
    for (let end = Math.min(rows, row + run); row < end; row++) if (isThere) bits[row >> 3]! |= 1 << (row & 7)
  }
  return bits
}

function randomTexts(random: Random, column: ParquetColumn, shape: Shape): (i: number) => Uint8Array {
  const prefix = 'x'.repeat(random.pick([0, 0, 3, 70]))
  const one = (i: number) => {
    if (column.logical?.kind === 'json')
      return Buffer.from(JSON.stringify({ [prefix]: random.below(1000), text: 'ä€😀' }))
    if (column.logical === undefined)
      return Uint8Array.from({ length: random.below(90) }, () => random.pick([255, random.below(256)]))
    if (shape === 'sorted') return Buffer.from(prefix + String(i).padStart(9, '0'))
    const tail = random.pick(['', 'é', '€', '😀', '\u{10ffff}'.repeat(20), '\ud7ff', 'z'])
    return Buffer.from(prefix + (random.once(3) ? '' : random.below(1e9)) + tail)
  }
  const few = Array.from({ length: shape === 'constant' ? 1 : 20 }, (_, i) => one(i))
  return i =>
    shape === 'constant' || shape === 'few' || shape === 'runs'
      ? few[shape === 'runs' ? (i >> 5) % few.length : random.below(few.length)]!
      : one(i)
}

export function textData(texts: readonly Uint8Array[]): { kind: 'bytes'; offsets: Uint32Array; bytes: Uint8Array } {
  const offsets = new Uint32Array(texts.length + 1)
  texts.forEach((text, i) => {
    offsets[i + 1] = offsets[i]! + text.length
  })
  return { kind: 'bytes', offsets, bytes: new Uint8Array(Buffer.concat(texts)) }
}

function randomValues(random: Random, { type, logical }: ParquetColumn, shape: Shape, rows: number) {
  if (type === 'boolean') return Uint8Array.from(series(random, shape, rows, 1n, false), Number)
  if (type === 'float' || type === 'double') {
    const odd = [0, -0, Number.NaN, Infinity, -Infinity, 5e-324, 1.5]
    const values = Array.from(series(random, shape, rows, 31n, true), value =>
      shape === 'extreme' ? random.pick(odd) : shape === 'random' ? Number(value) * random.next() : Number(value)
    )
    return type === 'float' ? Float32Array.from(values) : Float64Array.from(values)
  }
  const signed = logical?.kind !== 'int' || logical.signed
  if (type === 'int32') {
    const bits = logical?.kind === 'int' ? logical.bits : logical?.kind === 'date' ? 20 : 32
    const values = Array.from(series(random, shape, rows, BigInt(signed ? bits - 1 : bits), signed), Number)
    if (bits === 8) return signed ? Int8Array.from(values) : Uint8Array.from(values)
    if (bits === 16) return signed ? Int16Array.from(values) : Uint16Array.from(values)
    return signed ? Int32Array.from(values) : Uint32Array.from(values)
  }
  if (type === 'fixed16') {
    const values = [...series(random, shape, rows, 120n, true)]
    const words = new BigInt64Array(2 * rows)
    values.forEach((value, i) => {
      words[2 * i] = BigInt.asIntN(64, value)
      words[2 * i + 1] = value >> 64n
    })
    return words
  }
  if (!signed) return BigUint64Array.from(series(random, shape, rows, 64n, false))
  // Times and decimals have smaller ranges where others read them.
  const bits =
    logical?.kind === 'timestamp' ? { ms: 45n, us: 55n, ns: 62n }[logical.unit] : logical === undefined ? 63n : 59n
  return BigInt64Array.from(series(random, shape, rows, bits, true))
}

/** Integers of so many bits. */
function* series(random: Random, shape: Shape, rows: number, bits: bigint, signed: boolean): Generator<bigint> {
  const word = () => (BigInt(random.below(2 ** 32)) << 32n) | BigInt(random.below(2 ** 32))
  const fit = (value: bigint) => {
    const positive = BigInt.asUintN(Number(bits), value < 0n ? -value : value)
    return signed && value < 0n ? -positive : positive
  }
  const any = () => fit(((word() << 64n) | word()) * (signed && random.once(2) ? -1n : 1n))
  const few = Array.from({ length: shape === 'constant' ? 1 : 1 + random.below(300) }, any)
  const [start, step] = [any() >> 1n, BigInt(random.below(100_000))]
  for (let i = 0; i < rows; i++) {
    if (shape === 'constant' || shape === 'few') yield few[random.below(few.length)]!
    else if (shape === 'runs') yield few[(i >> 6) % few.length]!
    else if (shape === 'steps') yield fit(start + step * BigInt(i % 240) + BigInt(random.below(3)))
    else if (shape === 'sorted') yield fit(BigInt(i) * 3n)
    else if (shape === 'extreme')
      yield random.pick([0n, fit(-1n), fit(2n ** bits - 1n), signed ? -(2n ** bits - 1n) : 1n])
    else yield any()
  }
}

/** The values of rows as they can be compared: bytes as hexadecimal text, nulls as null. */
export function plainRows(column: ParquetColumn, data: ColumnData, from: number, to: number): unknown[] {
  const rows: unknown[] = []
  for (let i = from; i < to; i++) {
    if (!isValid(data.valid, i)) rows.push(null)
    else if (data.kind === 'fixed') {
      const { values } = data
      rows.push(column.type === 'fixed16' ? `${values[2 * i]},${values[2 * i + 1]}` : values[i])
    } else {
      const { offsets, bytes } = data.kind === 'bytes' ? data : data.dictionary
      const at = data.kind === 'bytes' ? i : data.codes[i]!
      rows.push(Buffer.from(bytes.subarray(offsets[at]!, offsets[at + 1]!)).toString('hex'))
    }
  }
  return rows
}

/** The first row in which two lists differ, as a message. */
export function difference(a: readonly unknown[], b: readonly unknown[]): string | undefined {
  if (a.length !== b.length) return `${a.length} rows and ${b.length}`
  const row = a.findIndex((value, i) => !Object.is(value, b[i]))
  return row < 0 ? undefined : `row ${row}: ${a[row]} and ${b[row]}`
}
