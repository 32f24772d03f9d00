// Columns of a part: values are appended to regions of its memory. Existing values never change.
import { type BytesData, type ColumnData, type DictionaryData, type FixedData, isValid } from '../../../model/batch.ts'
import { copyBits, setBits } from '../datafile/bits.ts'
import { sliceBits } from '../parquet/index.ts'

/** Alignment of regions in bytes. */
const aligned = 8
/** More room for texts than the rows so far would need. */
const textMargin = 9 / 8
/** Dictionaries up to this size (bytes) are kept; every part with rows of a write has all of its dictionary. */
const maxDictionary = 256 << 10

/** Memory of a part, divided into regions one after the other. */
export interface PartMemory {
  readonly memory: SharedArrayBuffer
  used: number
}

/** How large the regions of a column are. */
export interface ColumnPlan {
  /** Bytes for so many rows. */
  bytes(rows: number): number
  /** `spare`: additional bytes for texts. */
  make(memory: PartMemory, rows: number, spare: number): PartColumn
  readonly hasTexts: boolean
}

export interface PartColumn {
  /** Whether it can store such values of so many rows. */
  takes(data: ColumnData, rows: number): boolean
  /** The end of the rows, from `from` to at most `to`, for which there is room. */
  room(data: ColumnData, from: number, to: number): number
  /** Appends rows `from` to `to` as rows from `at` on. */
  append(data: ColumnData, from: number, to: number, at: number): void
  /** Rows `from` to `to`; `from` is 0 or the row at which the last `cut` was. */
  view(from: number, to: number): ColumnData
  /** Later rows share no dictionary with the rows so far. */
  cut(): void
  /** Bytes of texts so far. */
  readonly textBytes: number
}

/**
 * Plans regions for rows like those of `data` from index `from` on. `before`: the column of the part before with its rows, which had more of
 * such rows.
 */
export function planColumn(
  data: ColumnData,
  from: number,
  rows: number,
  before?: { readonly column: PartColumn; readonly rows: number }
): ColumnPlan {
  if (data.kind === 'fixed') return new FixedPlan(data, rows)
  if (data.kind === 'dictionary' && repeats(data, rows - from)) return new CodedPlan(data, rows - from)
  const left = rows - from
  const own = textsEnd(data, from, rows, Number.POSITIVE_INFINITY).bytes
  const seen = before === undefined || before.rows === 0 ? 0 : before.column.textBytes / before.rows
  return new TextPlan(
    left,
    own,
    Math.max(own / left, seen),
    textsEnd(data, from, from + 1, Number.POSITIVE_INFINITY).bytes
  )
}

/** Whether rows have few different texts. */
function repeats({ dictionary: { offsets } }: DictionaryData, rows: number): boolean {
  return 2 * (offsets.length - 1) <= rows && offsets.at(-1)! - offsets[0]! <= maxDictionary
}

/** The end of the rows whose texts have at most `max` bytes together, and these bytes. */
function textsEnd(data: BytesData | DictionaryData, from: number, to: number, max: number) {
  if (data.kind === 'bytes') {
    const { offsets } = data
    const start = offsets[from]!
    if (offsets[to]! - start <= max) return { to, bytes: offsets[to]! - start }
    let [low, high] = [from, to]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (offsets[middle]! - start <= max) low = middle
      else high = middle - 1
    }
    return { to: low, bytes: offsets[low]! - start }
  }
  let bytes = 0
  for (let row = from; row < to; row++) {
    const length = lengthOf(data, row)
    if (bytes + length > max) return { to: row, bytes }
    bytes += length
  }
  return { to, bytes }
}

/** Rows without a value may have any code. */
function lengthOf({ codes, dictionary: { offsets }, valid }: DictionaryData, row: number): number {
  if (!isValid(valid, row)) return 0
  const code = codes[row]!
  return offsets[code + 1]! - offsets[code]!
}

function roundUp(bytes: number): number {
  return Math.ceil(bytes / aligned) * aligned
}

function region(part: PartMemory, bytes: number): Uint8Array<SharedArrayBuffer> {
  const taken = new Uint8Array(part.memory, part.used, bytes)
  part.used += roundUp(bytes)
  return taken
}

function words(part: PartMemory, count: number): Uint32Array<SharedArrayBuffer> {
  const { buffer, byteOffset } = region(part, 4 * count)
  return new Uint32Array(buffer, byteOffset, count)
}

/** Which rows have a value, from the first write on that tells. */
class Validity {
  readonly #capacity: number
  #bits: Uint8Array | undefined
  /** One above the last row of a write with a bitmap. */
  #told = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  append(valid: Uint8Array | undefined, from: number, to: number, at: number): void {
    if (valid === undefined) {
      if (this.#bits !== undefined) setBits(this.#bits, at, to - from)
      return
    }
    if (this.#bits === undefined) {
      this.#bits = new Uint8Array((this.#capacity + 7) >> 3)
      setBits(this.#bits, 0, at)
    }
    copyBits(valid, from, this.#bits, at, to - from)
    this.#told = at + to - from
  }

  view(from: number, to: number): { readonly valid?: Uint8Array } {
    return this.#told > from ? { valid: sliceBits(this.#bits!, from, to - from) } : {}
  }
}

type Values = FixedData['values']
type ValuesType = new (buffer: SharedArrayBuffer, byteOffset: number, length: number) => Values

class FixedPlan implements ColumnPlan {
  readonly hasTexts = false
  readonly #data: FixedData
  /** Elements per row. */
  readonly #each: number

  constructor(data: FixedData, rows: number) {
    this.#data = data
    this.#each = data.values.length / rows
  }

  bytes(rows: number): number {
    return roundUp(rows * this.#each * this.#data.values.BYTES_PER_ELEMENT)
  }

  make(memory: PartMemory, rows: number): PartColumn {
    const { values } = this.#data
    const bytes = region(memory, rows * this.#each * values.BYTES_PER_ELEMENT)
    const type = values.constructor as ValuesType
    return new FixedColumn(type, bytes, new type(bytes.buffer, bytes.byteOffset, rows * this.#each), this.#each, rows)
  }
}

class FixedColumn implements PartColumn {
  readonly textBytes = 0
  readonly #type: ValuesType
  readonly #bytes: Uint8Array
  readonly #values: Values
  readonly #each: number
  readonly #valid: Validity

  constructor(type: ValuesType, bytes: Uint8Array, values: Values, each: number, rows: number) {
    this.#type = type
    this.#bytes = bytes
    this.#values = values
    this.#each = each
    this.#valid = new Validity(rows)
  }

  takes(data: ColumnData, rows: number): boolean {
    return data.kind === 'fixed' && data.values.constructor === this.#type && data.values.length === rows * this.#each
  }

  room(_: ColumnData, __: number, to: number): number {
    return to
  }

  append(data: ColumnData, from: number, to: number, at: number): void {
    const { values, valid } = data as FixedData
    const width = this.#each * values.BYTES_PER_ELEMENT
    // Copies bytes, because copying numbers may change the bits of a NaN.
    const source = new Uint8Array(values.buffer, values.byteOffset + from * width, (to - from) * width)
    this.#bytes.set(source, at * width)
    this.#valid.append(valid, from, to, at)
  }

  view(from: number, to: number): ColumnData {
    const values = this.#values.subarray(from * this.#each, to * this.#each)
    return { kind: 'fixed', values, ...this.#valid.view(from, to) }
  }

  cut(): void {}
}

class TextPlan implements ColumnPlan {
  readonly hasTexts = true
  readonly #rows: number
  readonly #own: number
  readonly #average: number
  readonly #first: number

  /** Bytes of all `rows`, an average, and bytes of the first row. */
  constructor(rows: number, own: number, average: number, first: number) {
    this.#rows = rows
    this.#own = own
    this.#average = average
    this.#first = first
  }

  bytes(rows: number): number {
    return roundUp(4 * (rows + 1)) + roundUp(this.#texts(rows))
  }

  make(memory: PartMemory, rows: number, spare: number): PartColumn {
    return new TextColumn(words(memory, rows + 1), region(memory, this.#texts(rows) + spare), rows)
  }

  #texts(rows: number): number {
    return rows === this.#rows ? this.#own : Math.max(this.#first, Math.ceil(this.#average * textMargin * rows))
  }
}

class TextColumn implements PartColumn {
  readonly #offsets: Uint32Array
  readonly #bytes: Uint8Array
  readonly #valid: Validity
  #used = 0

  constructor(offsets: Uint32Array, bytes: Uint8Array, rows: number) {
    this.#offsets = offsets
    this.#bytes = bytes
    this.#valid = new Validity(rows)
    // Memory may have been used before.
    offsets[0] = 0
  }

  get textBytes(): number {
    return this.#used
  }

  takes(data: ColumnData): boolean {
    return data.kind !== 'fixed'
  }

  room(data: ColumnData, from: number, to: number): number {
    return textsEnd(data as BytesData | DictionaryData, from, to, this.#bytes.length - this.#used).to
  }

  append(data: ColumnData, from: number, to: number, at: number): void {
    if (data.kind === 'bytes') this.#copy(data, from, to, at)
    else this.#decode(data as DictionaryData, from, to, at)
    this.#valid.append(data.valid, from, to, at)
  }

  #copy({ offsets, bytes }: BytesData, from: number, to: number, at: number): void {
    const start = offsets[from]!
    this.#bytes.set(bytes.subarray(start, offsets[to]!), this.#used)
    const [out, moved, shift] = [this.#offsets, this.#used - start, at - from]
    for (let row = from + 1; row <= to; row++) out[row + shift] = offsets[row]! + moved
    this.#used += offsets[to]! - start
  }

  #decode(data: DictionaryData, from: number, to: number, at: number): void {
    const { offsets, bytes } = data.dictionary
    for (let row = from; row < to; row++) {
      const length = lengthOf(data, row)
      const start = offsets[data.codes[row]!]!
      if (length > 0) this.#bytes.set(bytes.subarray(start, start + length), this.#used)
      this.#used += length
      this.#offsets[at + 1 + row - from] = this.#used
    }
  }

  view(from: number, to: number): ColumnData {
    const offsets = this.#offsets.subarray(from, to + 1)
    return { kind: 'bytes', offsets, bytes: this.#bytes.subarray(0, this.#used), ...this.#valid.view(from, to) }
  }

  cut(): void {}
}

class CodedPlan implements ColumnPlan {
  readonly hasTexts = true
  readonly #rows: number
  readonly #entries: number
  readonly #texts: number

  constructor({ dictionary: { offsets } }: DictionaryData, rows: number) {
    this.#rows = rows
    this.#entries = offsets.length - 1
    this.#texts = offsets.at(-1)! - offsets[0]!
  }

  bytes(rows: number): number {
    return (
      roundUp(4 * rows) +
      roundUp(4 * (this.#scaled(this.#entries, rows) + 1)) +
      roundUp(this.#scaled(this.#texts, rows))
    )
  }

  make(memory: PartMemory, rows: number, spare: number): PartColumn {
    const codes = words(memory, rows)
    const offsets = words(memory, this.#scaled(this.#entries, rows) + 1)
    return new CodedColumn(codes, offsets, region(memory, this.#scaled(this.#texts, rows) + spare), rows)
  }

  /** All of the dictionary has to fit. */
  #scaled(value: number, rows: number): number {
    return rows <= this.#rows ? value : Math.ceil((value * textMargin * rows) / this.#rows)
  }
}

/** Dictionaries of writes one after the other. */
class CodedColumn implements PartColumn {
  readonly #codes: Uint32Array
  readonly #offsets: Uint32Array
  readonly #bytes: Uint8Array
  readonly #valid: Validity
  /** Entries so far, and those before the last cut. */
  #entries = 0
  #first = 0
  #used = 0

  constructor(codes: Uint32Array, offsets: Uint32Array, bytes: Uint8Array, rows: number) {
    this.#codes = codes
    this.#offsets = offsets
    this.#bytes = bytes
    this.#valid = new Validity(rows)
    offsets[0] = 0
  }

  get textBytes(): number {
    return this.#used
  }

  takes(data: ColumnData, rows: number): boolean {
    return data.kind === 'dictionary' && repeats(data, rows)
  }

  room(data: ColumnData, from: number, to: number): number {
    const { offsets } = (data as DictionaryData).dictionary
    const fits =
      this.#entries + offsets.length <= this.#offsets.length &&
      this.#used + offsets.at(-1)! - offsets[0]! <= this.#bytes.length
    return fits ? to : from
  }

  append(data: ColumnData, from: number, to: number, at: number): void {
    const { codes, dictionary, valid } = data as DictionaryData
    const { offsets, bytes } = dictionary
    const [start, count] = [offsets[0]!, offsets.length - 1]
    this.#bytes.set(bytes.subarray(start, offsets[count]!), this.#used)
    const moved = this.#used - start
    for (let i = 1; i <= count; i++) this.#offsets[this.#entries + i] = offsets[i]! + moved
    const [out, base, shift] = [this.#codes, this.#entries - this.#first, at - from]
    for (let row = from; row < to; row++) out[row + shift] = codes[row]! + base
    this.#entries += count
    this.#used += offsets[count]! - start
    this.#valid.append(valid, from, to, at)
  }

  view(from: number, to: number): ColumnData {
    const offsets = this.#offsets.subarray(this.#first, this.#entries + 1)
    const dictionary = { kind: 'bytes', offsets, bytes: this.#bytes.subarray(0, this.#used) } as const
    const codes = this.#codes.subarray(from, to)
    return { kind: 'dictionary', codes, dictionary, ...this.#valid.view(from, to) }
  }

  cut(): void {
    this.#first = this.#entries
  }
}
