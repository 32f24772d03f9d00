// Concatenates rows of many writes to one column, and reorders rows of a column.
import { type BytesData, type ColumnData, type DictionaryData, isValid, setBit } from '../../../model/batch.ts'
import { copyBytes } from '../../../model/copy-bytes.ts'
import { type ColumnType, elementsPerRow, fixedArray, isBytesType } from '../../../model/types.ts'
import { ParquetError, sliceBits } from '../parquet/index.ts'
import { copyBits, setBits } from './bits.ts'

/** Rows `from` to `to` of a column; undefined: all are null. */
export interface Piece {
  readonly data: ColumnData | undefined
  readonly from: number
  readonly to: number
}

/** The range of 32-bit offsets. */
const maxTextBytes = 2 ** 32 - 1

interface ColumnBuilder {
  append(piece: Piece): void
  done(): ColumnData
}

/** Allocates memory for exactly these pieces at once. Throws ParquetError if a column cannot hold their texts. */
export function columnBuilder(type: ColumnType, pieces: readonly Piece[]): ColumnBuilder {
  const rows = pieces.reduce((sum, { from, to }) => sum + to - from, 0)
  const valid = new Validity(pieces, rows)
  if (!isBytesType(type)) return new FixedBuilder(type, rows, valid)
  const isCoded = pieces.some(({ data }) => data?.kind === 'dictionary')
  return isCoded ? new CodedBuilder(pieces, rows, valid) : new TextBuilder(pieces, rows, valid)
}

export function concatenate(type: ColumnType, pieces: readonly Piece[]): ColumnData {
  const builder = columnBuilder(type, pieces)
  for (const piece of pieces) builder.append(piece)
  return builder.done()
}

class Validity {
  readonly #bits: Uint8Array | undefined
  #rows = 0

  constructor(pieces: readonly Piece[], rows: number) {
    const hasNulls = pieces.some(({ data }) => data === undefined || data.valid !== undefined)
    this.#bits = hasNulls ? new Uint8Array((rows + 7) >> 3) : undefined
  }

  append({ data, from, to }: Piece): void {
    const at = this.#rows
    this.#rows += to - from
    if (this.#bits === undefined || data === undefined) return
    if (data.valid === undefined) setBits(this.#bits, at, to - from)
    else copyBits(data.valid, from, this.#bits, at, to - from)
  }

  done(): { readonly valid?: Uint8Array } {
    return this.#bits === undefined ? {} : { valid: this.#bits }
  }
}

/** Copies bytes, because copying numbers may change the bits of a NaN. */
class FixedBuilder implements ColumnBuilder {
  readonly #type: ColumnType
  readonly #width: number
  readonly #bytes: Uint8Array<ArrayBuffer>
  readonly #valid: Validity
  #at = 0

  constructor(type: ColumnType, rows: number, valid: Validity) {
    this.#type = type
    this.#width = fixedArray(type).BYTES_PER_ELEMENT * elementsPerRow(type)
    this.#bytes = new Uint8Array(rows * this.#width)
    this.#valid = valid
  }

  append(piece: Piece): void {
    const { data, from, to } = piece
    this.#valid.append(piece)
    const width = this.#width
    if (data?.kind === 'fixed') {
      const { buffer, byteOffset } = data.values
      this.#bytes.set(new Uint8Array(buffer, byteOffset + from * width, (to - from) * width), this.#at)
    }
    this.#at += (to - from) * width
  }

  done(): ColumnData {
    return { kind: 'fixed', values: new (fixedArray(this.#type))(this.#bytes.buffer), ...this.#valid.done() }
  }
}

class TextBuilder implements ColumnBuilder {
  readonly #offsets: Uint32Array
  readonly #bytes: Uint8Array
  readonly #valid: Validity
  #rows = 0
  #at = 0

  constructor(pieces: readonly Piece[], rows: number, valid: Validity) {
    this.#offsets = new Uint32Array(rows + 1)
    this.#bytes = new Uint8Array(checkSize(pieces.reduce((sum, piece) => sum + textBytes(piece), 0)))
    this.#valid = valid
  }

  append(piece: Piece): void {
    this.#valid.append(piece)
    const { data, from, to } = piece
    if (data?.kind === 'bytes') {
      copyTexts(data, from, to, this.#bytes, this.#at, this.#offsets, this.#rows)
      this.#at += textBytes(piece)
    } else this.#offsets.fill(this.#at, this.#rows + 1, this.#rows + 1 + to - from)
    this.#rows += to - from
  }

  done(): ColumnData {
    return { kind: 'bytes', offsets: this.#offsets, bytes: this.#bytes, ...this.#valid.done() }
  }
}

function textBytes({ data, from, to }: Piece): number {
  return data?.kind === 'bytes' ? data.offsets[to]! - data.offsets[from]! : 0
}

function checkSize(bytes: number): number {
  if (bytes <= maxTextBytes) return bytes
  throw new ParquetError(`a column holds ${bytes} bytes of text, ${maxTextBytes} are possible`)
}

/** Copies texts and their end offsets, from index `row + 1` of the offsets on. */
function copyTexts(
  data: BytesData,
  from: number,
  to: number,
  bytes: Uint8Array,
  at: number,
  offsets: Uint32Array,
  row: number
): void {
  const start = data.offsets[from]!
  bytes.set(data.bytes.subarray(start, data.offsets[to]!), at)
  for (let i = from; i < to; i++) offsets[row + 1 + i - from] = data.offsets[i + 1]! - start + at
}

/** Builds a dictionary column: dictionaries are concatenated, other texts become entries of their own. */
class CodedBuilder implements ColumnBuilder {
  readonly #codes: Uint32Array
  readonly #offsets: Uint32Array
  readonly #bytes: Uint8Array
  readonly #valid: Validity
  /** Index of the first entry of each dictionary. */
  readonly #bases = new Map<BytesData, number>()
  #rows = 0
  #entries = 0
  #at = 0

  constructor(pieces: readonly Piece[], rows: number, valid: Validity) {
    const dictionaries = new Set(pieces.flatMap(({ data }) => (data?.kind === 'dictionary' ? [data.dictionary] : [])))
    let [entries, bytes] = [0, 0]
    for (const { offsets } of dictionaries) {
      entries += offsets.length - 1
      bytes += offsets.at(-1)! - offsets[0]!
    }
    for (const piece of pieces) {
      if (piece.data?.kind === 'bytes') entries += piece.to - piece.from
      bytes += textBytes(piece)
    }
    this.#codes = new Uint32Array(rows)
    this.#offsets = new Uint32Array(entries + 1)
    this.#bytes = new Uint8Array(checkSize(bytes))
    this.#valid = valid
  }

  append(piece: Piece): void {
    this.#valid.append(piece)
    const { data, from, to } = piece
    if (data?.kind === 'bytes') {
      const base = this.#add(data, from, to)
      for (let i = 0; i < to - from; i++) this.#codes[this.#rows + i] = base + i
    } else if (data?.kind === 'dictionary') {
      const { codes, dictionary } = data
      let base = this.#bases.get(dictionary)
      if (base === undefined) {
        base = this.#add(dictionary, 0, dictionary.offsets.length - 1)
        this.#bases.set(dictionary, base)
      }
      for (let i = from; i < to; i++) this.#codes[this.#rows + i - from] = base + codes[i]!
    }
    this.#rows += to - from
  }

  #add(data: BytesData, from: number, to: number): number {
    const base = this.#entries
    copyTexts(data, from, to, this.#bytes, this.#at, this.#offsets, base)
    this.#at += data.offsets[to]! - data.offsets[from]!
    this.#entries += to - from
    return base
  }

  done(): ColumnData {
    const dictionary = { kind: 'bytes', offsets: this.#offsets, bytes: this.#bytes } as const
    return { kind: 'dictionary', codes: this.#codes, dictionary, ...this.#valid.done() }
  }
}

/** Rows `from` to `to` of a column without copying, except for the validity bits. */
export function sliceRows(type: ColumnType, data: ColumnData, from: number, to: number): ColumnData {
  const nulls = data.valid && { valid: sliceBits(data.valid, from, to - from) }
  if (data.kind === 'bytes') return { ...data, offsets: data.offsets.subarray(from, to + 1), ...nulls }
  if (data.kind === 'dictionary') return { ...data, codes: data.codes.subarray(from, to), ...nulls }
  const each = elementsPerRow(type)
  return { kind: 'fixed', values: data.values.subarray(each * from, each * to), ...nulls }
}

/** The rows of a column at indexes `from` to `to` of a list. */
export function pickRows(
  type: ColumnType,
  data: ColumnData,
  indices: Uint32Array,
  from: number,
  to: number
): ColumnData {
  const valid = data.valid && pickBits(data.valid, indices, from, to)
  const nulls = valid && { valid }
  if (data.kind === 'bytes') return { ...pickTexts(data, indices, from, to), ...nulls }
  if (data.kind === 'dictionary') {
    const { dictionary } = data
    return { kind: 'dictionary', codes: pickWords(data.codes, indices, from, to), dictionary, ...nulls }
  }
  const array = fixedArray(type)
  const { buffer, byteOffset, byteLength } = data.values
  const width = array.BYTES_PER_ELEMENT * elementsPerRow(type)
  if (width < 4) {
    const narrow = width === 1 ? new Uint8Array(buffer, byteOffset) : new Uint16Array(buffer, byteOffset)
    const out = width === 1 ? new Uint8Array(to - from) : new Uint16Array(to - from)
    for (let i = from; i < to; i++) out[i - from] = narrow[indices[i]!]!
    return { kind: 'fixed', values: new array(out.buffer), ...nulls }
  }
  const words = new Uint32Array(buffer, byteOffset, byteLength >> 2)
  const picked = width === 4 ? pickWords(words, indices, from, to) : pickMany(words, indices, from, to, width >> 2)
  return { kind: 'fixed', values: new array(picked.buffer), ...nulls }
}

function pickWords(words: Uint32Array, indices: Uint32Array, from: number, to: number): Uint32Array<ArrayBuffer> {
  const out = new Uint32Array(to - from)
  for (let i = from; i < to; i++) out[i - from] = words[indices[i]!]!
  return out
}

function pickMany(
  words: Uint32Array,
  indices: Uint32Array,
  from: number,
  to: number,
  each: number
): Uint32Array<ArrayBuffer> {
  const out = new Uint32Array((to - from) * each)
  if (each === 2) {
    for (let i = from, put = 0; i < to; i++) {
      const index = 2 * indices[i]!
      out[put++] = words[index]!
      out[put++] = words[index + 1]!
    }
    return out
  }
  for (let i = from, put = 0; i < to; i++) {
    const index = each * indices[i]!
    for (let k = 0; k < each; k++) out[put++] = words[index + k]!
  }
  return out
}

function pickBits(bits: Uint8Array, indices: Uint32Array, from: number, to: number): Uint8Array {
  const out = new Uint8Array((to - from + 7) >> 3)
  for (let i = from; i < to; i++) {
    const index = indices[i]!
    if (isValid(bits, index)) setBit(out, i - from)
  }
  return out
}

function pickTexts(data: BytesData, indices: Uint32Array, from: number, to: number): BytesData {
  const { offsets: all, bytes: text } = data
  const offsets = new Uint32Array(to - from + 1)
  let length = 0
  for (let i = from; i < to; i++) {
    const index = indices[i]!
    length += all[index + 1]! - all[index]!
    offsets[i - from + 1] = length
  }
  const bytes = new Uint8Array(checkSize(length))
  for (let i = from; i < to; i++) {
    const start = all[indices[i]!]!
    const put = offsets[i - from]!
    const size = offsets[i - from + 1]! - put
    copyBytes(text, start, bytes, put, size)
  }
  return { kind: 'bytes', offsets, bytes }
}

/** Adds the bytes of each row's text to `sizes`. */
export function addTextSizes(
  data: ColumnData,
  indices: Uint32Array | undefined,
  from: number,
  sizes: Float64Array
): void {
  if (data.kind === 'fixed') return
  const { offsets } = data.kind === 'bytes' ? data : data.dictionary
  for (let i = 0; i < sizes.length; i++) {
    const row = indices === undefined ? from + i : indices[from + i]!
    if (!isValid(data.valid, row)) continue
    const entry = data.kind === 'bytes' ? row : (data as DictionaryData).codes[row]!
    sizes[i]! += offsets[entry + 1]! - offsets[entry]!
  }
}
