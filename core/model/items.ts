// Log items between decoding and a table: a batch of records whose fields may change type from row to row. Each field is a column of 8-byte cells
// with a kind; text stays where the decoder found it, as a range of the batch's bytes.
import { DbError } from '../errors.ts'
import { runAtOnce, type Steps } from '../pace.ts'
import { putNanoseconds } from './time.ts'

/** A timestamp as an item's value: nanoseconds since 1970, UTC. */
export class Timestamp {
  readonly ns: bigint
  constructor(ns: bigint) {
    this.ns = ns
  }
}

/** One value of an item outside a batch. Integers are bigint, floats number; objects inherit nothing. */
export type ItemValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Timestamp
  | ItemValue[]
  | { [key: string]: ItemValue }
/** One item as an object: field names and values. */
export type Item = { [key: string]: ItemValue }

/** Kinds of cells. */
export const cell = {
  absent: 0,
  null: 1,
  boolean: 2,
  int: 3,
  float: 4,
  string: 5,
  timestamp: 6,
  /** An array or object; the value is in `objects`. */
  object: 7
} as const

/** A kind of cell: a value of `cell`. */
export type CellKind = (typeof cell)[keyof typeof cell]

/** Cells (rows × fields) of one batch; without it, short items that each have new keys could claim unbounded memory. */
const maxCells = 1 << 25
/** Fields of one batch. */
const maxFields = 1 << 12
/** Cells that are made room for in one step. */
const stepCells = 1 << 18
/** Bytes of a cell: its value and its kind. */
const cellBytes = 9
/** Bytes of a field without its cells, and of the note of a failed item, about. */
const fieldBytes = 512
const failureBytes = 512

/** Bytes that so many cells take as they are decoded, and once more as columns. */
export function cellMemory(fields: number, rows: number): number {
  return 2 * fields * (fieldBytes + rows * cellBytes)
}

/** Refuses a batch of more than 2^25 cells or 2^12 fields with DbError `InvalidArguments`. */
export function checkCells(fields: number, rows: number): void {
  if (fields <= maxFields && fields * rows <= maxCells) return
  throw new DbError(
    'InvalidArguments',
    `the items have too many cells: ${fields} keys × ${rows} items, at most are ${maxFields} keys and ${maxCells} cells; send fewer items at once`
  )
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * One field of all items of a batch. `kinds[row]` tells how to read the row's 8 bytes: `ints[row]` for int, timestamp (nanoseconds) and boolean (0,
 * 1), `floats[row]` for float, `words[2 * row]` and `words[2 * row + 1]` for the start and end of a string in the batch's bytes.
 */
export class ItemField {
  readonly name: string
  kinds: Uint8Array
  words: Uint32Array
  ints: BigInt64Array
  floats: Float64Array
  objects: ItemValue[] | undefined

  constructor(name: string, capacity: number) {
    const cells = new ArrayBuffer(capacity * 8)
    this.name = name
    this.kinds = new Uint8Array(capacity)
    this.words = new Uint32Array(cells)
    this.ints = new BigInt64Array(cells)
    this.floats = new Float64Array(cells)
    this.objects = undefined
  }

  setNull(row: number): void {
    this.kinds[row] = cell.null
  }

  setBoolean(row: number, value: boolean): void {
    this.kinds[row] = cell.boolean
    this.words[row * 2] = value ? 1 : 0
    this.words[row * 2 + 1] = 0
  }

  setInt(row: number, value: bigint): void {
    this.kinds[row] = cell.int
    this.ints[row] = value
  }

  /** Sets an integer that is exact as a number (below 2^53), without making a bigint. */
  setSafeInt(row: number, value: number): void {
    this.kinds[row] = cell.int
    this.words[row * 2] = value >>> 0
    this.words[row * 2 + 1] = Math.floor(value / 4294967296)
  }

  setFloat(row: number, value: number): void {
    this.kinds[row] = cell.float
    this.floats[row] = value
  }

  /** Sets a string: a range of the batch's bytes, which must be valid UTF-8. */
  setRange(row: number, start: number, end: number): void {
    this.kinds[row] = cell.string
    this.words[row * 2] = start
    this.words[row * 2 + 1] = end
  }

  setTimestamp(row: number, ns: bigint): void {
    this.kinds[row] = cell.timestamp
    this.ints[row] = ns
  }

  /** Sets a timestamp from whole seconds and 0 … 999 999 999 nanoseconds, for the years 1678 to 2261, without making a bigint. */
  setTime(row: number, seconds: number, nanoseconds: number): void {
    this.kinds[row] = cell.timestamp
    putNanoseconds(this.words, row, seconds, nanoseconds)
  }

  setObject(row: number, value: ItemValue): void {
    this.kinds[row] = cell.object
    this.objects ??= []
    this.objects[row] = value
  }

  setAbsent(row: number): void {
    this.kinds[row] = cell.absent
  }

  /** Takes over cells: `words` has two entries per row and owns its whole buffer. */
  take(kinds: Uint8Array, words: Uint32Array, objects: ItemValue[] | undefined): void {
    this.kinds = kinds
    this.words = words
    this.ints = new BigInt64Array(words.buffer)
    this.floats = new Float64Array(words.buffer)
    this.objects = objects
  }

  /** Enlarges the arrays; they are replaced by new ones. */
  grow(capacity: number): void {
    const grown = new ItemField(this.name, capacity)
    grown.kinds.set(this.kinds)
    grown.words.set(this.words)
    this.kinds = grown.kinds
    this.words = grown.words
    this.ints = grown.ints
    this.floats = grown.floats
  }
}

/** The memory of a batch, to be sent to another thread. */
export interface ItemBatchParts {
  readonly rows: number
  readonly capacity: number
  readonly bytes: Uint8Array
  /** Bytes in use. */
  readonly used: number
  readonly states: Uint8Array
  readonly failures: ItemBatch['failures']
  readonly positions: Uint32Array | undefined
  readonly origins: Uint32Array | undefined
  readonly fields: readonly Pick<ItemField, 'name' | 'kinds' | 'words' | 'objects'>[]
}

/** States of an item. */
export const itemState = { live: 0, dropped: 1, failed: 2 } as const

/**
 * The items of one request. There is room for `capacity` items; `reserve` enlarges it. `bytes` holds the text of all string cells. It is the request
 * body until something is appended, which may replace it: read `batch.bytes` anew after each call that may append.
 */
export class ItemBatch {
  /** Number of items; the decoder raises it as it goes. */
  rows = 0
  bytes: Uint8Array
  /** In the order in which names were first seen. */
  readonly fields = new Map<string, ItemField>()
  /** A value of `itemState` per row. */
  states: Uint8Array
  /** Why rows failed, in the order in which that was found. */
  readonly failures: { readonly row: number; readonly message: string }[] = []
  /** Position of each row's item in the request; absent while it equals the row. */
  positions: Uint32Array | undefined
  /** The row from which each row was made; absent until an item becomes several. */
  origins: Uint32Array | undefined
  #capacity: number
  #used: number

  constructor(capacity: number, bytes: Uint8Array = new Uint8Array(0)) {
    this.#capacity = capacity
    this.bytes = bytes
    this.#used = bytes.length
    this.states = new Uint8Array(capacity)
  }

  /** A batch made of objects, for producers that have objects. */
  static from(items: readonly Item[]): ItemBatch {
    const batch = new ItemBatch(items.length)
    for (const item of items) {
      const row = batch.rows++
      for (const key in item) batch.set(batch.getOrCreateField(key), row, item[key])
    }
    return batch
  }

  /** The memory of the batch, shared with it. */
  parts(): ItemBatchParts {
    const { rows, bytes, states, failures, positions, origins } = this
    const fields = Array.from(this.fields.values(), ({ name, kinds, words, objects }) => ({
      name,
      kinds,
      words,
      objects
    }))
    return { rows, capacity: this.#capacity, bytes, used: this.#used, states, failures, positions, origins, fields }
  }

  /** A batch that takes over the memory. */
  static fromParts(parts: ItemBatchParts): ItemBatch {
    const batch = new ItemBatch(0, parts.bytes)
    batch.rows = parts.rows
    batch.#capacity = parts.capacity
    batch.#used = parts.used
    batch.states = parts.states
    for (const failure of parts.failures) batch.failures.push(failure)
    batch.positions = parts.positions
    batch.origins = parts.origins
    for (const { name, kinds, words, objects } of parts.fields) {
      const field = new ItemField(name, 0)
      field.take(kinds, words, objects)
      batch.fields.set(name, field)
    }
    return batch
  }

  get capacity(): number {
    return this.#capacity
  }

  /** Bytes that the items take beside the text of the body, as they are and once more as columns. */
  get memory(): number {
    return cellMemory(this.fields.size, this.#capacity) + this.failures.length * failureBytes
  }

  /** Makes room for at least so many items; replaces the arrays of the batch and its fields. */
  reserve(capacity: number): void {
    runAtOnce(this.reserveSteps(capacity))
  }

  /** Like `reserve`, field by field; no field may be added until it is done. Yields the bytes it is going to take. */
  *reserveSteps(capacity: number): Steps<void> {
    if (capacity <= this.#capacity) return
    yield cellMemory(this.fields.size, capacity) + this.failures.length * failureBytes
    const step = Math.max(1, Math.floor(stepCells / capacity))
    let fields = 0
    for (const field of this.fields.values()) {
      field.grow(capacity)
      if (++fields % step === 0) yield
    }
    this.#capacity = capacity
    const states = new Uint8Array(capacity)
    states.set(this.states)
    this.states = states
    if (this.positions !== undefined) this.positions = grown(this.positions, capacity)
    if (this.origins !== undefined) this.origins = grown(this.origins, capacity)
  }

  /** Adds a live row for the item of `row`, without any field. May replace the arrays, see `reserve`. */
  addRow(row: number): number {
    if (this.rows === this.#capacity) {
      const capacity = Math.max(16, this.#capacity * 2)
      checkCells(Math.max(1, this.fields.size), capacity)
      this.reserve(capacity)
    }
    this.positions ??= Uint32Array.from({ length: this.#capacity }, (_, i) => i)
    this.origins ??= Uint32Array.from({ length: this.#capacity }, (_, i) => i)
    const added = this.rows++
    this.positions[added] = this.positions[row]!
    this.origins[added] = this.origins[row]!
    return added
  }

  field(name: string): ItemField | undefined {
    return this.fields.get(name)
  }

  /** The field of that name; a new one is absent in every row. Throws DbError `InvalidArguments` beyond the limits of a batch. */
  getOrCreateField(name: string): ItemField {
    let field = this.fields.get(name)
    if (field === undefined) {
      checkCells(this.fields.size + 1, this.#capacity)
      field = new ItemField(name, this.#capacity)
      this.fields.set(name, field)
    }
    return field
  }

  /** Appends bytes and returns their offset. */
  append(bytes: Uint8Array): number {
    const start = this.#used
    this.#reserveBytes(start + bytes.length)
    this.bytes.set(bytes, start)
    this.#used = start + bytes.length
    return start
  }

  #reserveBytes(end: number): void {
    if (end <= this.bytes.length) return
    const grown = new Uint8Array(Math.max(end, Math.ceil(this.bytes.length * 1.5), 1024))
    grown.set(this.bytes.subarray(0, this.#used))
    this.bytes = grown
  }

  setText(field: ItemField, row: number, text: string): void {
    const start = this.#used
    // A UTF-16 unit takes three bytes of UTF-8 at most.
    this.#reserveBytes(start + text.length * 3)
    this.#used = writeText(this.bytes, start, text)
    field.setRange(row, start, this.#used)
  }

  /** The string of a string cell. */
  text(field: ItemField, row: number): string {
    return decoder.decode(this.bytes.subarray(field.words[row * 2]!, field.words[row * 2 + 1]!))
  }

  /** Sets a cell to any value; undefined makes it absent. */
  set(field: ItemField, row: number, value: ItemValue | undefined): void {
    if (value === undefined) field.setAbsent(row)
    else if (value === null) field.setNull(row)
    else if (typeof value === 'string') this.setText(field, row, value)
    else if (typeof value === 'number') field.setFloat(row, value)
    else if (typeof value === 'bigint') field.setInt(row, value)
    else if (typeof value === 'boolean') field.setBoolean(row, value)
    else if (value instanceof Timestamp) field.setTimestamp(row, value.ns)
    else field.setObject(row, value)
  }

  /** The value of a cell; undefined if absent. */
  get(field: ItemField, row: number): ItemValue | undefined {
    switch (field.kinds[row] as CellKind) {
      case cell.absent:
        return undefined
      case cell.null:
        return null
      case cell.boolean:
        return field.words[row * 2] === 1
      case cell.int:
        return field.ints[row]!
      case cell.float:
        return field.floats[row]!
      case cell.string:
        return this.text(field, row)
      case cell.timestamp:
        return new Timestamp(field.ints[row]!)
      case cell.object:
        return field.objects![row]!
    }
  }

  /** A row as an object of its fields. */
  item(row: number): Item {
    const item: Item = Object.create(null)
    for (const field of this.fields.values()) {
      const value = this.get(field, row)
      if (value !== undefined) item[field.name] = value
    }
    return item
  }

  /** Position of the row's item in the request, from 0. */
  position(row: number): number {
    return this.positions === undefined ? row : this.positions[row]!
  }

  /** The row of the item before it became several. */
  origin(row: number): number {
    return this.origins === undefined ? row : this.origins[row]!
  }

  isLive(row: number): boolean {
    return this.states[row] === itemState.live
  }

  /** Removes the item without an error. */
  drop(row: number): void {
    this.states[row] = itemState.dropped
  }

  /** Marks the item as failed, with the reason. */
  fail(row: number, message: string): void {
    this.states[row] = itemState.failed
    this.failures.push({ row, message })
  }
}

/** Up to this length, ASCII text is written faster here than by the encoder. */
const shortText = 48

/** Writes a text as UTF-8 and returns its end. */
function writeText(bytes: Uint8Array, start: number, text: string): number {
  let i = 0
  if (text.length <= shortText)
    for (; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code > 127) break
      bytes[start + i] = code
    }
  return i === text.length ? start + i : start + encoder.encodeInto(text, bytes.subarray(start)).written
}

/** A copy with room for `capacity` entries; each new entry holds its own index. */
function grown(numbers: Uint32Array, capacity: number): Uint32Array {
  const more = Uint32Array.from({ length: capacity }, (_, i) => i)
  more.set(numbers)
  return more
}
