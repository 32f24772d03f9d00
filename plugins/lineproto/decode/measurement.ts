// The rows of one measurement within a request, and what is remembered of it from one request to the next.
import { type ColumnData, type Limit, nameProblem, type SeriesKeys } from '../../../core/index.ts'
import { escapable, unescapeText } from './escape.ts'
import { FieldColumn, type FieldType } from './field.ts'
import { failure } from './position.ts'
import { type Slab, slabBytes } from './slab.ts'

/** A field of a table, as all lines of a request have it. */
export interface DecodedField {
  readonly name: string
  readonly type: FieldType
  /** Offset of its name where it came first. */
  readonly at: number
  readonly data: ColumnData
}

/** The rows of one measurement. */
export interface DecodedTable {
  readonly name: string
  readonly rows: number
  /** In order of first sight. */
  readonly fields: readonly DecodedField[]
  /** Nanoseconds since 1970. */
  readonly times: BigInt64Array
  /** Measurement and tags as lines write them, each other than the one before. */
  readonly keys: SeriesKeys
  /** Of each row: which key. */
  readonly series: Uint32Array
}

const minCapacity = 16
/** What a measurement and a field take besides their columns, about. */
const measurementBytes = 1000
const fieldBytes = 400

export class Measurement {
  readonly name: string
  /** As lines write it. */
  readonly spelled: Uint8Array
  /** How many fields it may have in this request. */
  columns: Limit
  /** The measurement that came after it last time. */
  next: Measurement | undefined
  /** The field that came first last time. */
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
  /** Bytes it kept when it was asked last. */
  kept = 0
  readonly #fields = new Map<string, FieldColumn>()
  readonly #spellings = new Map<string, FieldColumn>()
  #spellingBytes = 0

  constructor(name: string, spelled: Uint8Array, columns: Limit) {
    this.name = name
    this.spelled = spelled
    this.columns = columns
  }

  /** The field that is written so, `=` included. Throws ParseError for a name that cannot be one. */
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

  /** A row whose key is `body[start … end]`. */
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

  /** Ends all columns; returns what they take of a slab. */
  close(): number {
    let bytes = slabBytes(this.rows * 8)
    for (const field of this.used) bytes += field.close(this.rows)
    return bytes
  }

  /** The closed rows: columns go to one slab, what is of no use after the write to the other. */
  copy(body: Uint8Array, columns: Slab, keys: Slab): DecodedTable {
    const { name, rows, keyCount } = this
    const fields = this.used.map(field => ({
      name: field.name,
      type: field.type!,
      at: field.at,
      data: field.copy(columns)
    }))
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

  /** Makes it ready for the next request; returns by how many bytes what it keeps has grown. */
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

  /** Names of earlier requests make room for new ones. */
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
