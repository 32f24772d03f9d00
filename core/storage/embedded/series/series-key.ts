// The canonical bytes of a row's series: written from its tag columns, or compared with known bytes.
import { type ColumnData, isValid } from '../../../model/batch.ts'

export interface TagColumn {
  /** Column id in the table. */
  readonly id: number
  readonly rows: number
  readonly data: ColumnData
}

/** Bytes of the column id and length before each value. */
export const entryHeadBytes = 6

/** Writes keys of rows. `prefix` begins every key: the entry of a logical table, or nothing. */
export class SeriesKeyWriter {
  /** The last result of `write`, up to `length`; valid until the next call. */
  bytes = new Uint8Array(1024)
  length = 0
  readonly #tags: readonly TagBytes[]
  readonly #prefix: number

  constructor(tags: readonly TagColumn[], prefix?: { readonly id: number; readonly value: Uint8Array }) {
    this.#tags = [...tags].sort((a, b) => a.id - b.id).map(tag => new TagBytes(tag))
    if (prefix !== undefined) this.#put(prefix.id, prefix.value, 0, prefix.value.length)
    this.#prefix = this.length
  }

  write(row: number): void {
    this.length = this.#prefix
    for (const tag of this.#tags) {
      if (tag.seek(row)) this.#put(tag.id, tag.bytes, tag.start, tag.end - tag.start)
    }
  }

  /**
   * Whether `write(row)` would give `keys[start … end]`, without writing. Compares four bytes at a time, because every row with tags is
   * compared.
   */
  equals(row: number, keys: DataView, start: number, end: number): boolean {
    let at = start + this.#prefix
    if (at > end) return false
    for (let i = 0; i < this.#prefix; i++) if (keys.getUint8(start + i) !== this.bytes[i]) return false
    for (const tag of this.#tags) {
      if (!tag.seek(row)) continue
      const { view, start: from } = tag
      const size = tag.end - from
      const value = at + entryHeadBytes
      at = value + size
      if (at > end || keys.getUint16(value - entryHeadBytes, true) !== tag.id) return false
      if (keys.getUint32(value - 4, true) !== size) return false
      let i = 0
      for (; i + 4 <= size; i += 4) if (keys.getInt32(value + i) !== view.getInt32(from + i)) return false
      for (; i < size; i++) if (keys.getUint8(value + i) !== view.getUint8(from + i)) return false
    }
    return at === end
  }

  #put(id: number, from: Uint8Array, start: number, size: number): void {
    this.#ensure(size + entryHeadBytes)
    this.length = putEntry(this.bytes, this.length, id, from, start, size)
  }

  #ensure(more: number): void {
    if (this.length + more <= this.bytes.length) return
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.length + more))
    grown.set(this.bytes)
    this.bytes = grown
  }
}

/** Writes an entry of a key at `at`, with `size` bytes of `from`; returns its end. */
export function putEntry(
  bytes: Uint8Array,
  at: number,
  id: number,
  from: Uint8Array,
  start: number,
  size: number
): number {
  bytes[at] = id
  bytes[at + 1] = id >> 8
  bytes[at + 2] = size
  bytes[at + 3] = size >> 8
  bytes[at + 4] = size >> 16
  bytes[at + 5] = size >> 24
  for (let i = 0; i < size; i++) bytes[at + entryHeadBytes + i] = from[start + i]!
  return at + entryHeadBytes + size
}

/** The bytes of a tag's values, for every layout of a column. */
class TagBytes {
  readonly id: number
  readonly bytes: Uint8Array
  /** The same memory. */
  readonly view: DataView
  /** Bounds of the value in `bytes`. */
  start = 0
  end = 0
  readonly #valid: Uint8Array | undefined
  /** Offsets into `bytes`; undefined if all values have the width `#width`. */
  readonly #offsets: Uint32Array | undefined
  readonly #codes: Uint32Array | undefined
  readonly #width: number

  constructor({ id, rows, data }: TagColumn) {
    this.id = id
    this.#valid = data.valid
    this.#codes = data.kind === 'dictionary' ? data.codes : undefined
    const text = data.kind === 'dictionary' ? data.dictionary : data
    if (text.kind === 'fixed') {
      const { buffer, byteOffset, byteLength } = text.values
      this.bytes = new Uint8Array(buffer, byteOffset, byteLength)
      this.#offsets = undefined
      this.#width = rows === 0 ? 0 : byteLength / rows
    } else {
      this.bytes = text.bytes
      this.#offsets = text.offsets
      this.#width = 0
    }
    this.view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength)
  }

  /** Sets `start` and `end` to the row's value; false if it has none. */
  seek(row: number): boolean {
    if (this.#valid !== undefined && !isValid(this.#valid, row)) return false
    if (this.#offsets === undefined) {
      this.start = row * this.#width
      this.end = this.start + this.#width
      return true
    }
    const at = this.#codes === undefined ? row : this.#codes[row]!
    this.start = this.#offsets[at]!
    this.end = this.#offsets[at + 1]!
    return true
  }
}
