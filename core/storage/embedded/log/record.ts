// The payload of a log record: the rows of one request. For each table, its columns as raw buffers and its new series.

import type { ColumnData } from '../../../model/batch.ts'
import { type ColumnType, fixedArray } from '../../../model/types.ts'
import { Uint32List } from '../../../model/uint32-list.ts'

export interface SeriesEntry {
  readonly tsid: number
  /** Canonical bytes of the tag values, see series.ts. */
  readonly key: Uint8Array
}

/** Series with consecutive numbers. */
export interface SeriesRun {
  readonly first: number
  /** Bytes of each key. */
  readonly lengths: Uint32Array
  /** All keys, concatenated. */
  readonly keys: Uint8Array
}

export const noSeries: SeriesRun = { first: 0, lengths: new Uint32Array(), keys: new Uint8Array() }

/** Rows of one table in a record. Columns are identified by id; `tsids` is present if the table has tags. */
export interface RecordPart {
  readonly table: number
  readonly op: 'put' | 'delete'
  readonly rows: number
  readonly tsids: Uint32Array | undefined
  readonly series: readonly SeriesEntry[]
  readonly columns: readonly { readonly id: number; readonly data: ColumnData }[]
}

/** A part to be logged. */
export type LoggedPart = Omit<RecordPart, 'series'> & { readonly series: SeriesRun }

const kinds = { fixed: 0, bytes: 1, dictionary: 2 } as const

/** The buffers of the payload, to be written in order. Large ones are the columns' own memory, not copied. */
export function encodeRecord(parts: readonly LoggedPart[]): Uint8Array[] {
  const head = new Uint32List(256)
  head.push(0)
  const body = new BodyWriter()
  const add = (view: ArrayBufferView | undefined) => {
    head.push(view === undefined ? 0xffffffff : view.byteLength)
    if (view !== undefined && view.byteLength > 0)
      body.add(new Uint8Array(view.buffer, view.byteOffset, view.byteLength))
  }
  head.push(parts.length)
  for (const part of parts) {
    head.push(part.table)
    head.push(part.op === 'delete' ? 1 : 0)
    head.push(part.rows)
    add(part.tsids)
    const { first, lengths, keys } = part.series
    head.push(lengths.length)
    for (let i = 0; i < lengths.length; i++) {
      head.push(first + i)
      head.push(lengths[i]!)
    }
    if (keys.length > 0) body.add(keys)
    head.push(part.columns.length)
    for (const { id, data } of part.columns) {
      head.push(id)
      head.push(kinds[data.kind])
      add(data.valid)
      if (data.kind === 'fixed') add(data.values)
      else if (data.kind === 'bytes') addBytes(add, data.offsets, data.bytes)
      else {
        add(data.codes)
        addBytes(add, data.dictionary.offsets, data.dictionary.bytes)
      }
    }
  }
  return [headBytes(head), ...body.finish()]
}

function addBytes(add: (view: ArrayBufferView) => void, offsets: Uint32Array, bytes: Uint8Array): void {
  add(offsets)
  add(bytes.subarray(offsets[0]!, offsets[offsets.length - 1]!))
}

/** Decodes a record. `typeOf` returns the type of a table's column, or undefined if table or column was dropped. */
export function decodeRecord(
  payload: Uint8Array,
  typeOf: (table: number, column: number) => ColumnType | undefined
): RecordPart[] {
  const head = new HeadReader(payload)
  return Array.from({ length: head.u32() }, () => {
    const table = head.u32()
    const op = head.u32() === 1 ? ('delete' as const) : ('put' as const)
    const rows = head.u32()
    const tsids = head.buffer()
    const series = Array.from({ length: head.u32() }, () => ({ tsid: head.u32(), key: head.buffer()! }))
    const columns: { id: number; data: ColumnData }[] = []
    for (let c = head.u32(); c > 0; c--) {
      const id = head.u32()
      const type = typeOf(table, id)
      const data = readColumn(head, type)
      if (type !== undefined) columns.push({ id, data })
    }
    return { table, op, rows, tsids: tsids && new Uint32Array(tsids.buffer), series, columns }
  })
}

function readColumn(head: HeadReader, type: ColumnType | undefined): ColumnData {
  const kind = head.u32()
  const valid = head.buffer()
  const nulls = valid === undefined ? {} : { valid }
  if (kind === kinds.fixed) {
    return { kind: 'fixed', values: new (fixedArray(type ?? 'Int8'))(head.buffer()!.buffer), ...nulls }
  }
  if (kind === kinds.bytes) return { ...readBytes(head), ...nulls }
  const codes = new Uint32Array(head.buffer()!.buffer)
  return { kind: 'dictionary', codes, dictionary: readBytes(head), ...nulls }
}

function readBytes(head: HeadReader) {
  const offsets = new Uint32Array(head.buffer()!.buffer)
  const first = offsets[0]!
  if (first > 0) for (let i = 0; i < offsets.length; i++) offsets[i]! -= first
  return { kind: 'bytes' as const, offsets, bytes: head.buffer()! }
}

/** The bytes of the head, which starts with its own length. */
function headBytes(head: Uint32List): Uint8Array {
  const words = head.view()
  words[0] = words.byteLength
  return new Uint8Array(words.buffer, 0, words.byteLength)
}

/** Buffers up to this size are copied together, because an extra buffer costs more to write and to checksum. */
const smallBytes = 1024
const [firstPage, laterPages] = [4 * 1024, 32 * 1024]

/** Keeps large buffers as they are and copies small ones together. */
class BodyWriter {
  readonly #buffers: Uint8Array[] = []
  #page = new Uint8Array(0)
  #from = 0
  #used = 0

  add(bytes: Uint8Array): void {
    const { length } = bytes
    if (length > smallBytes) {
      this.#cut()
      this.#buffers.push(bytes)
      return
    }
    if (this.#used + length > this.#page.length) {
      this.#cut()
      this.#page = new Uint8Array(this.#page.length === 0 ? firstPage : laterPages)
      this.#from = this.#used = 0
    }
    this.#page.set(bytes, this.#used)
    this.#used += length
  }

  finish(): readonly Uint8Array[] {
    this.#cut()
    return this.#buffers
  }

  #cut(): void {
    if (this.#used > this.#from) this.#buffers.push(this.#page.subarray(this.#from, this.#used))
    this.#from = this.#used
  }
}

class HeadReader {
  readonly #payload: Uint8Array
  readonly #view: DataView
  #at = 4
  #data: number

  constructor(payload: Uint8Array) {
    this.#payload = payload
    this.#view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength)
    this.#data = this.#view.getUint32(0, true)
  }

  u32(): number {
    const value = this.#view.getUint32(this.#at, true)
    this.#at += 4
    return value
  }

  /** A copy, aligned so that wider types can view it. */
  buffer(): Uint8Array<ArrayBuffer> | undefined {
    const length = this.u32()
    if (length === 0xffffffff) return undefined
    this.#data += length
    return new Uint8Array(this.#payload.subarray(this.#data - length, this.#data))
  }
}
