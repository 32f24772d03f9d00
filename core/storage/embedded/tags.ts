// From tag columns to series numbers, and back from a series' bytes to its tag values.
import { type ColumnData, isValid } from '../../model/batch.ts'
import type { SeriesEntry } from './record.ts'
import type { SeriesRegistry } from './series.ts'

export interface TagColumn {
  /** Column id in the table. */
  readonly id: number
  readonly data: ColumnData
}

/** The series number of every row; series met for the first time are added. */
export function resolveSeries(registry: SeriesRegistry, tags: readonly TagColumn[], rows: number): Uint32Array {
  const tsids = new Uint32Array(rows)
  const sorted = [...tags].sort((a, b) => a.id - b.id)
  const key = new KeyWriter()
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

/** One column per tag id, a row per series. */
export function decodeSeries(series: readonly SeriesEntry[], tagIds: readonly number[]): ColumnData[] {
  const parts = tagIds.map(() => ({ offsets: new Uint32Array(series.length + 1), bytes: [] as Uint8Array[], size: 0 }))
  const valid = tagIds.map(() => new Uint8Array((series.length + 7) >> 3))
  series.forEach(({ key }, row) => {
    const view = new DataView(key.buffer, key.byteOffset, key.byteLength)
    for (let at = 0; at < key.length; ) {
      const length = view.getUint32(at + 2, true)
      const tag = tagIds.indexOf(view.getUint16(at, true))
      if (tag >= 0) {
        parts[tag]!.bytes.push(key.subarray(at + 6, at + 6 + length))
        parts[tag]!.size += length
        valid[tag]![row >> 3]! |= 1 << (row & 7)
      }
      at += 6 + length
    }
    for (const part of parts) part.offsets[row + 1] = part.size
  })
  return parts.map((part, i) => ({
    kind: 'bytes',
    offsets: part.offsets,
    bytes: Buffer.concat(part.bytes),
    valid: valid[i]!
  }))
}

class KeyWriter {
  bytes = new Uint8Array(1024)
  length = 0

  clear(): void {
    this.length = 0
  }

  add(tag: TagColumn, row: number): void {
    const { data } = tag
    if (data.kind === 'fixed' || !isValid(data.valid, row)) return
    const text = data.kind === 'bytes' ? data : data.dictionary
    const index = data.kind === 'bytes' ? row : data.codes[row]!
    const start = text.offsets[index]!
    const size = text.offsets[index + 1]! - start
    this.#ensure(size + 6)
    const { bytes } = this
    let at = this.length
    bytes[at++] = tag.id
    bytes[at++] = tag.id >> 8
    bytes[at++] = size
    bytes[at++] = size >> 8
    bytes[at++] = size >> 16
    bytes[at++] = size >> 24
    for (let i = 0; i < size; i++) bytes[at + i] = text.bytes[start + i]!
    this.length = at + size
  }

  #ensure(more: number): void {
    if (this.length + more <= this.bytes.length) return
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.length + more))
    grown.set(this.bytes)
    this.bytes = grown
  }
}
