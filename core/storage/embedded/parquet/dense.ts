// The values of a column without nulls, as the encoders take them.
import { type BytesData, type ColumnData, type FixedData, isValid } from '../../../model/batch.ts'
import type { Texts } from './texts.ts'
import { type ParquetColumn, ParquetError } from './types.ts'

export type Dense =
  | { readonly kind: 'int32' | 'boolean'; readonly values: Int32Array }
  | { readonly kind: 'int64'; readonly halves: Int32Array }
  | { readonly kind: 'float'; readonly values: Float32Array; readonly halves: Int32Array }
  | { readonly kind: 'double'; readonly values: Float64Array; readonly halves: Int32Array }
  | { readonly kind: 'texts'; readonly texts: Texts }
  | { readonly kind: 'codes'; readonly codes: Uint32Array; readonly dictionary: Texts }

interface DenseColumn {
  readonly dense: Dense
  readonly count: number
  /** Validity bitmap of the rows; absent: all rows have a value. */
  readonly valid?: Uint8Array
}

/** Takes rows `from` to `from + rows`. Throws ParquetError if the data does not fit the column. */
export function takeDense(column: ParquetColumn, data: ColumnData, from: number, rows: number): DenseColumn {
  const length = lengthOf(column, data)
  if (from < 0 || rows < 0 || from + rows > length) {
    throw new ParquetError(`column ${column.name} has ${length} rows, ${from} to ${from + rows} are asked for`)
  }
  let valid = data.valid === undefined ? undefined : sliceBits(data.valid, from, rows)
  const count = valid === undefined ? rows : countBits(valid, 0, rows)
  if (count === rows) valid = undefined
  if (valid !== undefined && !column.optional) {
    throw new ParquetError(`column ${column.name} is not optional and has ${rows - count} rows without a value`)
  }
  const kept = { from, rows, count, valid }
  const dense =
    data.kind === 'fixed'
      ? denseFixed(column, data, kept)
      : data.kind === 'bytes'
        ? denseBytes(column, data, kept)
        : denseCodes(column, data, kept)
  return { dense, count, ...(valid !== undefined && { valid }) }
}

interface Kept {
  readonly from: number
  readonly rows: number
  readonly count: number
  readonly valid: Uint8Array | undefined
}

function lengthOf(column: ParquetColumn, data: ColumnData): number {
  if (data.kind === 'bytes') return data.offsets.length - 1
  if (data.kind === 'dictionary') return data.codes.length
  return column.type === 'fixed16' ? data.values.length / 2 : data.values.length
}

function denseFixed(column: ParquetColumn, { values }: FixedData, kept: Kept): Dense {
  const { type } = column
  const { from, rows, count, valid } = kept
  // Copies words, because copying numbers may change the bits of a NaN.
  if (type === 'double' && values instanceof Float64Array) {
    const words = new Int32Array(values.buffer, values.byteOffset + 8 * from, 2 * rows)
    const halves = valid === undefined ? words : gatherHalves(words, kept, 2)
    return { kind: 'double', values: new Float64Array(halves.buffer, halves.byteOffset, count), halves }
  }
  if (type === 'float' && values instanceof Float32Array) {
    const words = new Int32Array(values.buffer, values.byteOffset + 4 * from, rows)
    const halves = valid === undefined ? words : gatherHalves(words, kept, 1)
    return { kind: 'float', values: new Float32Array(halves.buffer, halves.byteOffset, count), halves }
  }
  const isWide = values instanceof BigInt64Array || values instanceof BigUint64Array
  if (type === 'int64' && isWide) {
    const halves = new Int32Array(values.buffer, values.byteOffset + 8 * from, 2 * rows)
    return { kind: 'int64', halves: valid === undefined ? halves : gatherHalves(halves, kept, 2) }
  }
  if (type === 'fixed16' && isWide) {
    const quarters = new Int32Array(values.buffer, values.byteOffset + 16 * from, 4 * rows)
    return { kind: 'texts', texts: bigEndian(valid === undefined ? quarters : gatherHalves(quarters, kept, 4), count) }
  }
  const isFloat = values instanceof Float32Array || values instanceof Float64Array
  if ((type === 'int32' || type === 'boolean') && !isWide && !isFloat) {
    const taken =
      valid !== undefined
        ? gather(values, kept, new Int32Array(count))
        : values instanceof Int32Array
          ? values.subarray(from, from + rows)
          : values instanceof Uint32Array
            ? new Int32Array(values.buffer, values.byteOffset + 4 * from, rows)
            : Int32Array.from(values.subarray(from, from + rows))
    if (type === 'int32') return { kind: 'int32', values: taken }
    const flags = new Int32Array(count)
    for (let i = 0; i < count; i++) flags[i] = taken[i] === 0 ? 0 : 1
    return { kind: 'boolean', values: flags }
  }
  throw new ParquetError(
    `column ${column.name} of the type ${type} cannot hold the values of ${values.constructor.name}`
  )
}

type Integers = Int8Array | Int16Array | Int32Array | Uint8Array | Uint16Array | Uint32Array

function gather(values: Integers, kept: Kept, out: Int32Array): Int32Array {
  const { from, rows } = kept
  const valid = kept.valid!
  for (let i = 0, put = 0; i < rows; i++) {
    if ((valid[i >> 3]! & (1 << (i & 7))) !== 0) out[put++] = values[from + i]!
  }
  return out
}

function gatherHalves(halves: Int32Array, { rows, count, valid }: Kept, step: 1 | 2 | 4): Int32Array {
  const out = new Int32Array(step * count)
  for (let i = 0, put = 0; i < rows; i++) {
    if ((valid![i >> 3]! & (1 << (i & 7))) === 0) continue
    for (let k = 0; k < step; k++) out[put++] = halves[step * i + k]!
  }
  return out
}

/** Numbers of 128 bits, the low words first, as big-endian bytes. */
function bigEndian(quarters: Int32Array, count: number): Texts {
  const bytes = new Uint8Array(16 * count)
  const view = new DataView(bytes.buffer)
  const offsets = new Uint32Array(count + 1)
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 4; k++) view.setInt32(16 * i + 4 * k, quarters[4 * i + 3 - k]!)
    offsets[i + 1] = 16 * (i + 1)
  }
  return { offsets, bytes }
}

function denseBytes(column: ParquetColumn, { offsets, bytes }: BytesData, { from, rows, count, valid }: Kept): Dense {
  checkTexts(column)
  if (valid === undefined) return { kind: 'texts', texts: { offsets: offsets.subarray(from, from + rows + 1), bytes } }
  const starts = new Uint32Array(count + 1)
  let put = 0
  let end = -1
  let gaps = false
  let length = 0
  for (let i = 0; i < rows; i++) {
    if ((valid[i >> 3]! & (1 << (i & 7))) === 0) continue
    const start = offsets[from + i]!
    if (end >= 0 && start !== end) gaps = true
    end = offsets[from + i + 1]!
    length += end - start
    starts[put++] = start
  }
  if (count > 0) starts[count] = end
  if (!gaps) return { kind: 'texts', texts: { offsets: starts, bytes } }
  // Rows without a value may still have bytes, which are skipped.
  const taken = new Uint8Array(length)
  put = 0
  for (let i = 0, at = 0; i < rows; i++) {
    if (!isValid(valid, i)) continue
    const text = bytes.subarray(offsets[from + i], offsets[from + i + 1])
    taken.set(text, at)
    at += text.length
    starts[put + 1] = at
    starts[put++] = at - text.length
  }
  return { kind: 'texts', texts: { offsets: starts, bytes: taken } }
}

function denseCodes(
  column: ParquetColumn,
  { codes, dictionary }: { readonly codes: Uint32Array; readonly dictionary: BytesData },
  { from, rows, count, valid }: Kept
): Dense {
  checkTexts(column)
  let taken = codes.subarray(from, from + rows)
  if (valid !== undefined) {
    taken = new Uint32Array(count)
    for (let i = 0, put = 0; i < rows; i++) {
      if ((valid[i >> 3]! & (1 << (i & 7))) !== 0) taken[put++] = codes[from + i]!
    }
  }
  return { kind: 'codes', codes: taken, dictionary }
}

function checkTexts(column: ParquetColumn): void {
  if (column.type !== 'bytes')
    throw new ParquetError(`column ${column.name} of the type ${column.type} cannot hold bytes`)
}

/** A copy of bits `from` to `from + count`; further bits are 0. */
export function sliceBits(bits: Uint8Array, from: number, count: number): Uint8Array {
  const bytes = (count + 7) >> 3
  const out = new Uint8Array(bytes)
  const first = from >> 3
  const shift = from & 7
  if (shift === 0) out.set(bits.subarray(first, first + bytes))
  else {
    for (let i = 0; i < bytes; i++) {
      out[i] = (bits[first + i]! >> shift) | ((bits[first + i + 1] ?? 0) << (8 - shift))
    }
  }
  if ((count & 7) !== 0) out[bytes - 1]! &= (1 << (count & 7)) - 1
  return out
}

/** Number of ones among bits `from` to `to`; `from` is a multiple of 8. */
export function countBits(bits: Uint8Array, from: number, to: number): number {
  let count = 0
  const whole = to >> 3
  for (let i = from >> 3; i < whole; i++) {
    const byte = bits[i]!
    if (byte === 255) count += 8
    else if (byte !== 0) {
      const pairs = byte - ((byte >> 1) & 0x55)
      const nibbles = (pairs & 0x33) + ((pairs >> 2) & 0x33)
      count += (nibbles + (nibbles >> 4)) & 15
    }
  }
  for (let i = Math.max(from, whole << 3); i < to; i++) count += (bits[i >> 3]! >> (i & 7)) & 1
  return count
}
