// Columns of a part: values are appended to regions of its memory. Existing values never change.
import { type BytesData, type ColumnData, type DictionaryData, type FixedData, isValid } from '../../../model/batch.ts'
import { copyBytes } from '../../../model/copy-bytes.ts'
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

/** To where a region can begin. */
export function roundUp(bytes: number): number {
  return Math.ceil(bytes / aligned) * aligned
}

function region(part: PartMemory, bytes: number): Uint8Array<SharedArrayBuffer> {
  const taken = new Uint8Array(part.memory, part.used, bytes)
  part.used += roundUp(bytes)
  return taken
}

export function words(part: PartMemory, count: number): Uint32Array<SharedArrayBuffer> {
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
    return new TextColumn(new Texts(words(memory, rows + 1), region(memory, this.#texts(rows) + spare)), rows)
  }

  #texts(rows: number): number {
    return rows === this.#rows ? this.#own : Math.max(this.#first, Math.ceil(this.#average * textMargin * rows))
  }
}

/** Texts one after the other: those of rows, or the entries of dictionaries. */
class Texts {
  readonly capacity: number
  used = 0
  readonly #offsets: Uint32Array
  readonly #bytes: Uint8Array

  constructor(offsets: Uint32Array, bytes: Uint8Array) {
    this.capacity = offsets.length - 1
    this.#offsets = offsets
    this.#bytes = bytes
    // Memory may have been used before.
    offsets[0] = 0
  }

  get free(): number {
    return this.#bytes.length - this.used
  }

  /** Appends texts `from` to `to` as texts from `at` on. */
  append({ offsets, bytes }: BytesData, from: number, to: number, at: number): void {
    const start = offsets[from]!
    this.#bytes.set(bytes.subarray(start, offsets[to]!), this.used)
    const [out, moved, shift] = [this.#offsets, this.used - start, at - from]
    for (let i = from + 1; i <= to; i++) out[i + shift] = offsets[i]! + moved
    this.used += offsets[to]! - start
  }

  /** Appends the text of each row. */
  decode(data: DictionaryData, from: number, to: number, at: number): void {
    const { offsets, bytes } = data.dictionary
    for (let row = from; row < to; row++) {
      const length = lengthOf(data, row)
      copyBytes(bytes, offsets[data.codes[row]!]!, this.#bytes, this.used, length)
      this.used += length
      this.#offsets[at + 1 + row - from] = this.used
    }
  }

  view(from: number, to: number): BytesData {
    return { kind: 'bytes', offsets: this.#offsets.subarray(from, to + 1), bytes: this.#bytes.subarray(0, this.used) }
  }
}

class TextColumn implements PartColumn {
  readonly #texts: Texts
  readonly #valid: Validity

  constructor(texts: Texts, rows: number) {
    this.#texts = texts
    this.#valid = new Validity(rows)
  }

  get textBytes(): number {
    return this.#texts.used
  }

  takes(data: ColumnData): boolean {
    return data.kind !== 'fixed'
  }

  room(data: ColumnData, from: number, to: number): number {
    return textsEnd(data as BytesData | DictionaryData, from, to, this.#texts.free).to
  }

  append(data: ColumnData, from: number, to: number, at: number): void {
    if (data.kind === 'bytes') this.#texts.append(data, from, to, at)
    else this.#texts.decode(data as DictionaryData, from, to, at)
    this.#valid.append(data.valid, from, to, at)
  }

  view(from: number, to: number): ColumnData {
    return { ...this.#texts.view(from, to), ...this.#valid.view(from, to) }
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
    const bytes = region(memory, this.#scaled(this.#texts, rows) + spare)
    return new CodedColumn(codes, new Texts(offsets, bytes), rows)
  }

  /** All of the dictionary has to fit. */
  #scaled(value: number, rows: number): number {
    return rows <= this.#rows ? value : Math.ceil((value * textMargin * rows) / this.#rows)
  }
}

/** Dictionaries of writes one after the other. */
class CodedColumn implements PartColumn {
  readonly #codes: Uint32Array
  readonly #texts: Texts
  readonly #valid: Validity
  /** Entries so far, and those before the last cut. */
  #entries = 0
  #first = 0

  constructor(codes: Uint32Array, texts: Texts, rows: number) {
    this.#codes = codes
    this.#texts = texts
    this.#valid = new Validity(rows)
  }

  get textBytes(): number {
    return this.#texts.used
  }

  takes(data: ColumnData, rows: number): boolean {
    return data.kind === 'dictionary' && repeats(data, rows)
  }

  room(data: ColumnData, from: number, to: number): number {
    const { offsets } = (data as DictionaryData).dictionary
    const hasRoom = this.#entries + offsets.length - 1 <= this.#texts.capacity
    return hasRoom && offsets.at(-1)! - offsets[0]! <= this.#texts.free ? to : from
  }

  append(data: ColumnData, from: number, to: number, at: number): void {
    const { codes, dictionary, valid } = data as DictionaryData
    const count = dictionary.offsets.length - 1
    this.#texts.append(dictionary, 0, count, this.#entries)
    const [out, base, shift] = [this.#codes, this.#entries - this.#first, at - from]
    for (let row = from; row < to; row++) out[row + shift] = codes[row]! + base
    this.#entries += count
    this.#valid.append(valid, from, to, at)
  }

  view(from: number, to: number): ColumnData {
    const dictionary = this.#texts.view(this.#first, this.#entries)
    return { kind: 'dictionary', codes: this.#codes.subarray(from, to), dictionary, ...this.#valid.view(from, to) }
  }

  cut(): void {
    this.#first = this.#entries
  }
}
