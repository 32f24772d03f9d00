// Converts fields of items to columns of one type: cells are gathered row by row, texts are copied into one buffer.
import { endsStep, type Steps } from '../pace.ts'
import { type BytesData, bitmap, type FixedData, setBit } from './batch.ts'
import { copyBytes } from './copy-bytes.ts'
import { cell, type ItemBatch, type ItemField } from './items.ts'

/** Rows, and bytes of them, of one step. */
const stepRows = 1 << 14
const stepBytes = 1 << 18

/** The strings of these rows; cells of other kinds become null. */
export function* textColumn(batch: ItemBatch, field: ItemField, rows: Uint32Array): Steps<BytesData> {
  const { kinds, words } = field
  const offsets = new Uint32Array(rows.length + 1)
  let length = 0
  let missing = false
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    if (kinds[row] === cell.string) length += words[row * 2 + 1]! - words[row * 2]!
    else missing = true
    offsets[i + 1] = length
    if (endsStep(i, stepRows)) yield
  }
  // `allocUnsafeSlow` does not clear the memory; every byte is written below.
  const target = new Uint8Array(Buffer.allocUnsafeSlow(length).buffer)
  for (let first = 0, end = 0; first < rows.length; first = end) {
    while (end < rows.length && end - first < stepRows && offsets[end]! - offsets[first]! < stepBytes) end++
    copyTexts(batch, field, rows.subarray(first, end), offsets.subarray(first), target)
    yield
  }
  const data = { kind: 'bytes', offsets, bytes: target } as const
  return missing ? { ...data, valid: validity(kinds, rows, 1 << cell.string) } : data
}

/** Copies the strings of these rows to `target`, each to its offset; cells of other kinds are skipped. */
export function copyTexts(
  batch: ItemBatch,
  { kinds, words }: ItemField,
  rows: Uint32Array,
  offsets: Uint32Array,
  target: Uint8Array
): void {
  // A plain view: taking ranges of a Buffer costs twice as much.
  const source = new Uint8Array(batch.bytes.buffer, batch.bytes.byteOffset, batch.bytes.length)
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    if (kinds[row] !== cell.string) continue
    const start = words[row * 2]!
    copyBytes(source, start, target, offsets[i]!, words[row * 2 + 1]! - start)
  }
}

/** The integers or timestamps (nanoseconds) of these rows; cells of other kinds become null. */
export function integerColumn({ kinds, words }: ItemField, rows: Uint32Array): FixedData {
  const values = new BigInt64Array(rows.length)
  const target = new Uint32Array(values.buffer)
  const taken = (1 << cell.int) | (1 << cell.timestamp)
  let missing = false
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    if (((1 << kinds[row]!) & taken) === 0) {
      missing = true
      continue
    }
    target[i * 2] = words[row * 2]!
    target[i * 2 + 1] = words[row * 2 + 1]!
  }
  return fixed(values, missing, kinds, rows, taken)
}

/** The floats and integers of these rows as floats; cells of other kinds become null. */
export function floatColumn({ kinds, floats, ints }: ItemField, rows: Uint32Array): FixedData {
  const values = new Float64Array(rows.length)
  let missing = false
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    if (kinds[row] === cell.float) values[i] = floats[row]!
    else if (kinds[row] === cell.int) values[i] = Number(ints[row])
    else missing = true
  }
  return fixed(values, missing, kinds, rows, (1 << cell.float) | (1 << cell.int))
}

/** The booleans of these rows; cells of other kinds become null. */
export function booleanColumn({ kinds, words }: ItemField, rows: Uint32Array): FixedData {
  const values = new Uint8Array(rows.length)
  let missing = false
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    if (kinds[row] === cell.boolean) values[i] = words[row * 2]!
    else missing = true
  }
  return fixed(values, missing, kinds, rows, 1 << cell.boolean)
}

function fixed(
  values: FixedData['values'],
  missing: boolean,
  kinds: Uint8Array,
  rows: Uint32Array,
  taken: number
): FixedData {
  return missing ? { kind: 'fixed', values, valid: validity(kinds, rows, taken) } : { kind: 'fixed', values }
}

/** A validity bitmap: bit i is set if the cell's kind is among `taken`. */
function validity(kinds: Uint8Array, rows: Uint32Array, taken: number): Uint8Array {
  const bits = bitmap(rows.length, false)
  for (let i = 0; i < rows.length; i++) if (((1 << kinds[rows[i]!]!) & taken) !== 0) setBit(bits, i)
  return bits
}
