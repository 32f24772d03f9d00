// Our columns into DuckDB's vectors, by copying whole ranges of bytes.
import bindings from '@duckdb/node-bindings'
import { type BytesData, type ColumnData, isValid } from '../../../model/batch.ts'
import { type ColumnType, decimalDigits, elementsPerRow } from '../../../model/types.ts'

/** Longest text DuckDB keeps inside its 16-byte string structure. */
const inlined = 12

/** Puts rows `from … from + count` of `data` into the first `count` places of a vector; undefined data means null. */
export function fillVector(
  vector: bindings.Vector,
  type: ColumnType,
  data: ColumnData | undefined,
  from: number,
  count: number
): void {
  if (data?.valid !== undefined || data === undefined) fillValidity(vector, data?.valid, from, count)
  if (data === undefined) return
  if (data.kind === 'fixed') fillFixed(vector, type, data.values, from, count)
  else if (data.kind === 'bytes') fillBytes(vector, data, from, count)
  else fillDictionary(vector, data.codes, data.dictionary, from, count)
}

function fillValidity(vector: bindings.Vector, valid: Uint8Array | undefined, from: number, count: number): void {
  bindings.vector_ensure_validity_writable(vector)
  const bytes = Math.ceil(count / 64) * 8
  const bits = new Uint8Array(bytes)
  if (valid !== undefined) {
    if ((from & 7) === 0) bits.set(valid.subarray(from >> 3, (from + count + 7) >> 3))
    else for (let i = 0; i < count; i++) if (isValid(valid, from + i)) bits[i >> 3]! |= 1 << (i & 7)
  }
  bindings.copy_data_to_vector_validity(vector, 0, bits.buffer, 0, bytes)
}

function fillFixed(
  vector: bindings.Vector,
  type: ColumnType,
  values: Exclude<ColumnData, BytesData | { kind: 'dictionary' }>['values'],
  from: number,
  count: number
): void {
  const narrow = decimalWidth(type)
  const array = narrow === undefined ? values : narrowDecimal(values, narrow, from, count)
  const start = narrow === undefined ? from : 0
  const width = array.BYTES_PER_ELEMENT * elementsPerRow(type)
  bindings.copy_data_to_vector(vector, 0, array.buffer as ArrayBuffer, array.byteOffset + start * width, count * width)
}

/** Bytes of the narrower integer DuckDB keeps a small decimal in; undefined when our 64 bits fit as they are. */
function decimalWidth(type: ColumnType): 2 | 4 | undefined {
  if (!type.startsWith('Decimal')) return undefined
  const digits = decimalDigits(type)
  return digits <= 4 ? 2 : digits <= 9 ? 4 : undefined
}

function narrowDecimal(values: ArrayLike<number | bigint>, width: 2 | 4, from: number, count: number) {
  const narrow = width === 2 ? new Int16Array(count) : new Int32Array(count)
  for (let i = 0; i < count; i++) narrow[i] = Number(values[from + i])
  return narrow
}

/**
 * Text in bulk: the bytes of all rows go to the vector's heap as one string, whose structure tells where they lie; then the 16-byte
 * structures of all rows are written to point into it. A call per string would cost three times as much.
 */
function fillBytes(vector: bindings.Vector, data: BytesData, from: number, count: number): void {
  const { offsets, bytes } = data
  const first = offsets[from]!
  const base = heap(vector, bytes, first, offsets[from + count]!)
  const words = new Uint32Array(count * 4)
  const view = new Uint8Array(words.buffer)
  for (let i = 0; i < count; i++) {
    const start = offsets[from + i]!
    writeString(words, view, i, bytes, start, offsets[from + i + 1]! - start, base, start - first)
  }
  bindings.copy_data_to_vector(vector, 0, words.buffer, 0, count * 16)
}

function fillDictionary(
  vector: bindings.Vector,
  codes: Uint32Array,
  dictionary: BytesData,
  from: number,
  count: number
): void {
  const { offsets, bytes } = dictionary
  const entries = offsets.length - 1
  const first = offsets[0]!
  const base = heap(vector, bytes, first, offsets[entries]!)
  const structures = new Uint32Array(entries * 4)
  const view = new Uint8Array(structures.buffer)
  for (let i = 0; i < entries; i++) {
    writeString(structures, view, i, bytes, offsets[i]!, offsets[i + 1]! - offsets[i]!, base, offsets[i]! - first)
  }
  const words = new Uint32Array(count * 4)
  for (let i = 0; i < count; i++) {
    const at = codes[from + i]! * 4
    words[i * 4] = structures[at]!
    words[i * 4 + 1] = structures[at + 1]!
    words[i * 4 + 2] = structures[at + 2]!
    words[i * 4 + 3] = structures[at + 3]!
  }
  bindings.copy_data_to_vector(vector, 0, words.buffer, 0, count * 16)
}

interface Address {
  readonly low: number
  readonly high: number
}

/** Where the bytes lie after they were copied into the vector's heap. */
function heap(vector: bindings.Vector, bytes: Uint8Array, start: number, end: number): Address {
  if (end - start <= inlined) return { low: 0, high: 0 }
  bindings.vector_assign_string_element_len(vector, 0, bytes.subarray(start, end))
  const structure = bindings.vector_get_data(vector, 16)
  const view = new DataView(structure.buffer, structure.byteOffset, 16)
  return { low: view.getUint32(8, true), high: view.getUint32(12, true) }
}

function writeString(
  words: Uint32Array,
  view: Uint8Array,
  i: number,
  bytes: Uint8Array,
  start: number,
  length: number,
  base: Address,
  offset: number
): void {
  const at = i * 4
  words[at] = length
  if (length <= inlined) {
    for (let b = 0; b < length; b++) view[i * 16 + 4 + b] = bytes[start + b]!
    return
  }
  words[at + 1] = bytes[start]! | (bytes[start + 1]! << 8) | (bytes[start + 2]! << 16) | (bytes[start + 3]! << 24)
  const low = base.low + offset
  words[at + 2] = low
  words[at + 3] = base.high + (low > 0xffffffff ? 1 : 0)
}
