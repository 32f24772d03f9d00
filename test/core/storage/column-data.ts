// Makes columns of every type with random values, for comparison bit by bit.
import { type ColumnData, isValid } from '../../../core/model/batch.ts'
import { type ColumnType, elementsPerRow, fixedArray, isBytesType } from '../../../core/model/types.ts'
import type { Random } from '../../fuzz/random.ts'

export const everyType: readonly ColumnType[] = [
  'Boolean',
  'Int8',
  'Int16',
  'Int32',
  'Int64',
  'UInt8',
  'UInt16',
  'UInt32',
  'UInt64',
  'Float32',
  'Float64',
  'String',
  'Binary',
  'Json',
  'Date',
  'TimestampSecond',
  'TimestampMillisecond',
  'TimestampMicrosecond',
  'TimestampNanosecond',
  'Decimal(5, 2)',
  'Decimal(18, 3)',
  'Decimal(38, 10)'
]

const doubles = [0x7ff0000000000002n, 0x7ff8000000000000n, 0xfff8000000000001n, 1n << 63n, 0n, 0x3ff0000000000000n]
const floats = [0x7f800002, 0x7fc00000, 0xffc00001, 0x80000000, 0, 0x3f800000]

export function randomData(random: Random, type: ColumnType, rows: number): ColumnData {
  const valid = random.once(2) ? undefined : Uint8Array.from({ length: (rows + 7) >> 3 }, () => random.below(256))
  const nulls = valid && { valid }
  if (isBytesType(type)) {
    if (random.once(2)) return { ...texts(random, type, rows), ...nulls }
    const entries = 1 + random.below(10)
    const dictionary = texts(random, type, entries)
    // Rows without a value may have any code.
    const codes = Uint32Array.from({ length: rows }, (_, i) =>
      isValid(valid, i) ? random.below(entries) : 2 ** 32 - 1
    )
    return { kind: 'dictionary', codes, dictionary, ...nulls }
  }
  return { kind: 'fixed', values: fixedValues(random, type, rows), ...nulls }
}

function texts(random: Random, type: ColumnType, rows: number) {
  const all = Array.from({ length: rows }, () => {
    const text = random.pick(['', 'a', 'wörter', 'x'.repeat(70), `${random.below(1e6)}`])
    return type === 'Json' ? JSON.stringify(text) : text
  }).map(text => Buffer.from(text))
  const offsets = new Uint32Array(rows + 1)
  // Texts need not begin with the memory they lie in.
  offsets[0] = 3
  all.forEach((text, i) => {
    offsets[i + 1] = offsets[i]! + text.length
  })
  return { kind: 'bytes', offsets, bytes: new Uint8Array(Buffer.concat([Buffer.from('---'), ...all])) } as const
}

function fixedValues(random: Random, type: ColumnType, rows: number) {
  const array = fixedArray(type)
  const length = rows * elementsPerRow(type)
  const of = (value: () => number | bigint) =>
    (array as typeof Float64Array).from({ length } as ArrayLike<number>, value as () => number)
  if (type === 'Float64') return new Float64Array(BigUint64Array.from({ length }, () => random.pick(doubles)).buffer)
  if (type === 'Float32') return new Float32Array(Uint32Array.from({ length }, () => random.pick(floats)).buffer)
  if (type === 'Boolean') return of(() => random.below(2))
  if (type === 'Date') return of(() => random.below(100_000) - 50_000)
  if (type === 'Decimal(5, 2)') return of(() => BigInt(random.below(199_999) - 99_999))
  if (type.startsWith('Decimal')) return of(() => BigInt(random.below(2 ** 31)))
  if (type === 'TimestampSecond') return of(() => BigInt(random.below(2 ** 31) - 2 ** 30))
  if (type.startsWith('Timestamp')) return of(() => BigInt(random.below(2 ** 50)) - 2n ** 49n)
  const bits = array.BYTES_PER_ELEMENT * 8
  if (bits === 64) return of(() => random.pick([-1n, 0n, 2n ** 63n - 1n, BigInt(random.below(2 ** 31))]))
  return of(() => Math.floor((random.next() - 0.5) * 2 ** bits))
}

/** Rows as their bytes in hexadecimal digits. */
export function shownRows(type: ColumnType, data: ColumnData | undefined, from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, i) => shownRow(type, data, from + i))
}

function shownRow(type: ColumnType, data: ColumnData | undefined, row: number): string {
  if (data === undefined || !isValid(data.valid, row)) return 'null'
  if (data.kind === 'fixed') {
    const { buffer, byteOffset, BYTES_PER_ELEMENT } = data.values
    const width = BYTES_PER_ELEMENT * elementsPerRow(type)
    return Buffer.from(buffer as ArrayBuffer, byteOffset + row * width, width).toString('hex')
  }
  const { offsets, bytes } = data.kind === 'bytes' ? data : data.dictionary
  const at = data.kind === 'bytes' ? row : data.codes[row]!
  return Buffer.from(bytes.subarray(offsets[at], offsets[at + 1])).toString('hex')
}
