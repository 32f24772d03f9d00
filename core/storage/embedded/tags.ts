// From tag columns to series numbers, and back from a series' bytes to its tag values.
import { bitmap, type ColumnData, isValid } from '../../model/batch.ts'
import type { TableColumn } from '../../model/table.ts'
import { type ColumnType, elementsPerRow } from '../../model/types.ts'
import { tableColumn } from './logical.ts'
import { fixedArray, type SeriesEntry } from './record.ts'
import type { SeriesRegistry } from './series.ts'

export interface TagColumn {
  /** Column id in the table. */
  readonly id: number
  readonly rows: number
  readonly data: ColumnData
}

/** The series number of every row; series met for the first time are added. `table` is the logical table whose rows they are. */
export function resolveSeries(
  registry: SeriesRegistry,
  tags: readonly TagColumn[],
  rows: number,
  table?: number
): Uint32Array {
  const tsids = new Uint32Array(rows)
  const sorted = [...tags].sort((a, b) => a.id - b.id)
  const key = new KeyWriter(table)
  for (let row = 0; row < rows; row++) {
    key.clear()
    for (const tag of sorted) key.add(tag, row)
    const known = registry.find(key.bytes, 0, key.length)
    tsids[row] = known ?? registry.add(key.bytes, 0, key.length)
  }
  return tsids
}

/** Series `from … registry.size` for a log record. */
export function seriesSince(registry: SeriesRegistry, from: number): SeriesEntry[] {
  return Array.from({ length: registry.size - from }, (_, i) => ({ tsid: from + i, key: registry.key(from + i) }))
}

/** One column per tag, a row per series. */
export function decodeSeries(series: readonly SeriesEntry[], tags: readonly TableColumn[]): ColumnData[] {
  const found = new Map(tags.map(tag => [tag.id, [] as (Uint8Array | undefined)[]]))
  series.forEach(({ key }, row) => {
    const view = new DataView(key.buffer, key.byteOffset, key.byteLength)
    for (let at = 0; at < key.length; ) {
      const length = view.getUint32(at + 2, true)
      const values = found.get(view.getUint16(at, true))
      if (values) values[row] = key.subarray(at + 6, at + 6 + length)
      at += 6 + length
    }
  })
  return tags.map(tag => tagData(tag, found.get(tag.id)!, series.length))
}

function tagData(tag: TableColumn, values: readonly (Uint8Array | undefined)[], rows: number): ColumnData {
  const valid = bitmap(rows, false)
  const offsets = new Uint32Array(rows + 1)
  for (let row = 0; row < rows; row++) {
    const value = values[row]
    if (value) valid[row >> 3]! |= 1 << (row & 7)
    offsets[row + 1] = offsets[row]! + (value?.length ?? 0)
  }
  if (isBytes(tag.type)) {
    return { kind: 'bytes', offsets, bytes: Buffer.concat(values.filter(value => value !== undefined)), valid }
  }
  const array = fixedArray(tag.type)
  const width = array.BYTES_PER_ELEMENT * elementsPerRow(tag.type)
  const bytes = new Uint8Array(rows * width)
  for (let row = 0; row < rows; row++) if (values[row]) bytes.set(values[row]!, row * width)
  return { kind: 'fixed', values: new array(bytes.buffer), valid }
}

function isBytes(type: ColumnType): boolean {
  return type === 'String' || type === 'Binary' || type === 'Json'
}

class KeyWriter {
  bytes = new Uint8Array(1024)
  length = 0
  readonly #prefix: number

  constructor(table: number | undefined) {
    if (table !== undefined) this.#put(tableColumn.id, new Uint8Array(Uint32Array.of(table).buffer), 0, 4)
    this.#prefix = this.length
  }

  clear(): void {
    this.length = this.#prefix
  }

  add(tag: TagColumn, row: number): void {
    const { data } = tag
    if (!isValid(data.valid, row)) return
    if (data.kind === 'fixed') {
      const width = data.values.byteLength / tag.rows
      const bytes = new Uint8Array(data.values.buffer, data.values.byteOffset, data.values.byteLength)
      this.#put(tag.id, bytes, row * width, width)
      return
    }
    const text = data.kind === 'bytes' ? data : data.dictionary
    const index = data.kind === 'bytes' ? row : data.codes[row]!
    const start = text.offsets[index]!
    this.#put(tag.id, text.bytes, start, text.offsets[index + 1]! - start)
  }

  #put(id: number, from: Uint8Array, start: number, size: number): void {
    this.#ensure(size + 6)
    const { bytes } = this
    let at = this.length
    bytes[at++] = id
    bytes[at++] = id >> 8
    bytes[at++] = size
    bytes[at++] = size >> 8
    bytes[at++] = size >> 16
    bytes[at++] = size >> 24
    for (let i = 0; i < size; i++) bytes[at + i] = from[start + i]!
    this.length = at + size
  }

  #ensure(more: number): void {
    if (this.length + more <= this.bytes.length) return
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.length + more))
    grown.set(this.bytes)
    this.bytes = grown
  }
}
