// Collects the rows of one measurement. Remembers its fields from one request to the next.

import { type ColumnData, type Limit, nameProblem, type Steps } from '../../../core/index.ts'
import type { SeriesKeys } from '../../../core/wire/index.ts'
import { escapable, unescapeText } from './escape.ts'
import { FieldColumn, type FieldType } from './field.ts'
import { failure } from './position.ts'
import { type Slab, slabBytes } from './slab.ts'

/** The column of a field in one request. */
export interface DecodedField {
  readonly name: string
  readonly type: FieldType
  /** Offset of its first occurrence in the body. */
  readonly at: number
  readonly data: ColumnData
}

/** The rows of one measurement. */
export interface DecodedTable {
  readonly name: string
  readonly rows: number
  /** In order of first appearance. */
  readonly fields: readonly DecodedField[]
  /** Nanoseconds since 1970. */
  readonly times: BigInt64Array
  /** Measurement and tags as they stand in lines; consecutive equal ones share an entry. */
  readonly keys: SeriesKeys
  /** For each row the index of its key. */
  readonly series: Uint32Array
}

const minCapacity = 16
/** Columns of more rows are completed one at a time. */
const stepRows = 512
/** Approximate bytes of a measurement and of a field besides their columns. */
const measurementBytes = 1000
const fieldBytes = 400

export class Measurement {
  readonly name: string
  /** The name as it stands in lines, escapes included. */
  readonly spelled: Uint8Array
  /** Maximum fields in this request. */
  columns: Limit
  /** The measurement that followed it last time: many bodies repeat the order. */
  next: Measurement | undefined
  /** The field its previous line began with. */
  first: FieldColumn | undefined
  rows = 0
  /** Fields of this request. */
  used: FieldColumn[] = []
  /** Nanoseconds of each row, low word first. */
  times = new Uint32Array(minCapacity * 2)
  series = new Uint32Array(minCapacity)
  keyCount = 0
  starts = new Uint32Array(minCapacity)
  ends = new Uint32Array(minCapacity)
  /** Bytes it kept when `reset` was last called. */
  kept = 0
  readonly #fields = new Map<string, FieldColumn>()
  readonly #spellings = new Map<string, FieldColumn>()
  #spellingBytes = 0

  constructor(name: string, spelled: Uint8Array, columns: Limit) {
    this.name = name
    this.spelled = spelled
    this.columns = columns
  }

  /** The field with this name, given as it stands in the line with its `=`. Throws ParseError for an invalid name. */
  field(body: Buffer, start: number, end: number): FieldColumn {
    const spelling = body.toString('latin1', start, end)
    const known = this.#spellings.get(spelling)
    if (known !== undefined) return known
    const name = unescapeText(body, start, end - 1, escapable.key)
    const problem = nameProblem('column', name)
    if (problem !== undefined) throw failure(body, start, problem)
    let field = this.#fields.get(name)
    if (field === undefined) {
      if (this.#fields.size >= this.columns.max) this.#forgetUnused(body, start)
      field = new FieldColumn(name, Uint8Array.from(body.subarray(start, end)))
      this.#fields.set(name, field)
    }
    this.#spellings.set(spelling, field)
    this.#spellingBytes += spelling.length + fieldBytes
    return field
  }

  /** Adds a row whose key is `body[start … end]`. */
  addRow(body: Uint8Array, start: number, end: number): number {
    const row = this.rows++
    if (row === this.series.length) {
      this.series = grown(this.series)
      this.times = grown(this.times)
    }
    if (row === 0 || !this.#isLastKey(body, start, end)) this.#addKey(start, end)
    this.series[row] = this.keyCount - 1
    return row
  }

  /** Completes all columns; returns the bytes they need in a slab. */
  *close(): Steps<number> {
    let bytes = slabBytes(this.rows * 8)
    for (const field of this.used) {
      bytes += field.close(this.rows)
      if (this.rows > stepRows) yield
    }
    return bytes
  }

  /** The completed rows. Columns are copied to one slab, and what is not needed after the write to the other. */
  *copy(body: Uint8Array, columns: Slab, keys: Slab): Steps<DecodedTable> {
    const { name, rows, keyCount } = this
    const fields: DecodedField[] = []
    for (const field of this.used) {
      fields.push({ name: field.name, type: field.type!, at: field.at, data: field.copy(columns) })
      if (rows > stepRows) yield
    }
    const times = new BigInt64Array(columns.buffer, columns.put(new Uint8Array(this.times.buffer, 0, rows * 8)), rows)
    const words = (from: Uint32Array<ArrayBuffer>, count: number) =>
      new Uint32Array(keys.buffer, keys.put(new Uint8Array(from.buffer, 0, count * 4)), count)
    return {
      name,
      rows,
      fields,
      times,
      keys: { count: keyCount, bytes: body, starts: words(this.starts, keyCount), ends: words(this.ends, keyCount) },
      series: words(this.series, rows)
    }
  }

  get keyBytes(): number {
    return slabBytes(this.keyCount * 4) * 2 + slabBytes(this.rows * 4)
  }

  /** Resets it for the next request; returns the growth of the bytes it keeps. */
  reset(): number {
    for (const field of this.used) field.reset()
    this.used = []
    this.rows = 0
    this.keyCount = 0
    const before = this.kept
    this.kept =
      measurementBytes +
      this.#spellingBytes +
      this.series.byteLength +
      this.times.byteLength +
      this.starts.byteLength * 2
    for (const field of this.#fields.values()) this.kept += field.kept
    return this.kept - before
  }

  /** Forgets fields of earlier requests. */
  #forgetUnused(body: Uint8Array, at: number): void {
    const { max, key } = this.columns
    if (this.used.length >= max) {
      const reason = `measurement ${this.name} has more than ${max} fields (${key})`
      throw failure(body, at, reason)
    }
    const used = new Set(this.used)
    this.first = undefined
    this.#spellings.clear()
    this.#spellingBytes = 0
    for (const field of this.#fields.values()) {
      field.next = undefined
      if (!used.has(field)) this.#fields.delete(field.name)
    }
  }

  #isLastKey(body: Uint8Array, start: number, end: number): boolean {
    const last = this.keyCount - 1
    const from = this.starts[last]!
    const length = end - start
    if (this.ends[last]! - from !== length) return false
    for (let i = 0; i < length; i++) if (body[from + i] !== body[start + i]) return false
    return true
  }

  #addKey(start: number, end: number): void {
    const i = this.keyCount++
    if (i === this.starts.length) {
      this.starts = grown(this.starts)
      this.ends = grown(this.ends)
    }
    this.starts[i] = start
    this.ends[i] = end
  }
}

function grown(from: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const to = new Uint32Array(from.length * 2)
  to.set(from)
  return to
}
