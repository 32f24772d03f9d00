// Collects the values of one field of a measurement. Its memory is reused by the next request.
import { bitmap, type ColumnData } from '../../../core/index.ts'
import { type Slab, slabBytes } from './slab.ts'

export type FieldType = 'Float64' | 'Int64' | 'UInt64' | 'Boolean' | 'String'

const minCapacity = 16
/** Bytes of text from which on memory grows faster: what is copied at once stays short. */
const largeText = 1 << 22

export class FieldColumn {
  readonly name: string
  /** The name as it stands in lines, escapes and the `=` included. */
  readonly spelled: Uint8Array
  /** The field that followed it in the previous line: most lines repeat the order. */
  next: FieldColumn | undefined
  /** The type in this request. */
  type: FieldType | undefined
  /** Offset of the field's first occurrence in the body. */
  at = 0
  /** Number of rows up to the last one with a value. */
  rows = 0
  /** One entry per row, in the array for the type. */
  floats: Float64Array<ArrayBuffer>
  words: Uint32Array<ArrayBuffer>
  flags: Uint8Array<ArrayBuffer>
  /** For text: 0, then the end of each row in the bytes. */
  offsets = new Uint32Array(1)
  text = new Uint8Array(0)
  #valid: Uint8Array | undefined

  constructor(name: string, spelled: Uint8Array) {
    this.name = name
    this.spelled = spelled
    this.floats = new Float64Array(minCapacity)
    this.words = new Uint32Array(this.floats.buffer)
    this.flags = new Uint8Array(this.floats.buffer)
  }

  /** Bytes kept for later requests. */
  get kept(): number {
    return this.flags.length + this.offsets.byteLength + this.text.length
  }

  /** Adds the entry for a value in the last row or a later one. False if the field has values of another type in this request. */
  take(row: number, type: FieldType): boolean {
    if (this.type !== type) {
      if (this.type !== undefined) return false
      this.type = type
    }
    if (row >= this.floats.length) this.#grow(row + 1)
    if (type === 'String' && this.offsets.length <= this.floats.length) this.#growOffsets()
    if (row > this.rows) this.#skip(row)
    if (this.#valid !== undefined) this.#valid[row >> 3]! |= 1 << (row & 7)
    this.rows = row + 1
    return true
  }

  /** Makes room for the text of a row; returns where the text begins. */
  takeText(row: number, bytes: number): number {
    const start = this.offsets[row]!
    if (start + bytes > this.text.length) {
      const text = new Uint8Array(Math.max(start + bytes, this.text.length * (this.text.length < largeText ? 2 : 4)))
      text.set(this.text.subarray(0, start))
      this.text = text
    }
    return start
  }

  /** Completes the column to this many rows; returns the bytes it needs in a slab. */
  close(rows: number): number {
    if (this.rows < rows) {
      if (rows > this.floats.length) this.#grow(rows)
      if (this.type === 'String' && this.offsets.length <= this.floats.length) this.#growOffsets()
      this.#skip(rows)
    }
    const nulls = this.#valid === undefined ? 0 : slabBytes((rows + 7) >> 3)
    if (this.type === 'String') return nulls + slabBytes((rows + 1) * 4) + slabBytes(this.offsets[rows]!)
    return nulls + slabBytes(this.type === 'Boolean' ? rows : rows * 8)
  }

  /** Copies the completed column to a slab. */
  copy(slab: Slab): ColumnData {
    const { rows, type } = this
    const nulls = this.#valid && { valid: take(slab, this.#valid.subarray(0, (rows + 7) >> 3)) }
    if (type === 'String') {
      const ends = slab.put(new Uint8Array(this.offsets.buffer, 0, (rows + 1) * 4))
      const offsets = new Uint32Array(slab.buffer, ends, rows + 1)
      return { kind: 'bytes', offsets, bytes: take(slab, this.text.subarray(0, this.offsets[rows])), ...nulls }
    }
    const at = slab.put(this.flags.subarray(0, type === 'Boolean' ? rows : rows * 8))
    return { kind: 'fixed', values: new arrays[type!](slab.buffer, at, rows), ...nulls }
  }

  /** Resets it for the next request. */
  reset(): void {
    this.type = undefined
    this.rows = 0
    this.#valid = undefined
  }

  /** Makes the rows up to `row` null. */
  #skip(row: number): void {
    if (this.#valid === undefined) {
      this.#valid = bitmap(this.floats.length, false)
      this.#valid.fill(0xff, 0, this.rows >> 3)
      if ((this.rows & 7) > 0) this.#valid[this.rows >> 3] = (1 << (this.rows & 7)) - 1
    }
    if (this.type === 'Boolean') this.flags.fill(0, this.rows, row)
    else if (this.type === 'String') this.offsets.fill(this.offsets[this.rows]!, this.rows + 1, row + 1)
    else this.floats.fill(0, this.rows, row)
    this.rows = row
  }

  #growOffsets(): void {
    const offsets = new Uint32Array(this.floats.length + 1)
    offsets.set(this.offsets)
    this.offsets = offsets
  }

  #grow(rows: number): void {
    const capacity = Math.max(rows, this.floats.length * 2)
    const floats = new Float64Array(capacity)
    this.words = new Uint32Array(floats.buffer)
    // Copied as integers: copying floats may change the bits of a NaN.
    this.words.set(new Uint32Array(this.floats.buffer))
    this.floats = floats
    this.flags = new Uint8Array(floats.buffer)
    if (this.#valid === undefined) return
    const valid = bitmap(capacity, false)
    valid.set(this.#valid)
    this.#valid = valid
  }
}

const arrays = {
  Boolean: Uint8Array,
  Int64: BigInt64Array,
  UInt64: BigUint64Array,
  Float64: Float64Array
} as const

function take(slab: Slab, bytes: Uint8Array): Uint8Array {
  return new Uint8Array(slab.buffer, slab.put(bytes), bytes.length)
}
