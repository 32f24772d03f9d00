// Converts tag columns to series numbers, and series keys back to tag values.
import { bitmap, type ColumnData } from '../../../model/batch.ts'
import { copyBytes } from '../../../model/copy-bytes.ts'
import type { Limit } from '../../../model/limit.ts'
import type { TableColumn } from '../../../model/table.ts'
import { elementsPerRow, fixedArray, isBytesType } from '../../../model/types.ts'
import { endsStep, type Steps } from '../../../pace.ts'
import { LimitReached } from '../../limits.ts'
import { tableColumn } from '../catalog/logical.ts'
import type { SeriesEntry } from '../log/record.ts'
import type { SeriesRegistry } from './series.ts'
import { entryHeadBytes, SeriesKeyWriter, type TagColumn } from './series-key.ts'

/** Rows of one step, and tags of all of them. */
const stepRows = 2_048
const stepTags = 16_384

interface SeriesOptions {
  /** The logical table of the rows. */
  readonly table?: number | undefined
  /** Name of the table, for errors. */
  readonly name?: string
  /** The maximum number of series. */
  readonly limit?: Limit | undefined
}

/** The series number of every row; new series are added. Throws LimitReached. */
export function* resolveSeries(
  registry: SeriesRegistry,
  tags: readonly TagColumn[],
  rows: number,
  { table, name = '', limit }: SeriesOptions = {}
): Steps<Uint32Array> {
  const tsids = new Uint32Array(rows)
  const keys = new SeriesKeyWriter(tags, table === undefined ? undefined : tableEntry(table))
  const { order } = registry
  const step = Math.max(1, Math.min(stepRows, Math.floor(stepTags / (tags.length + 1))))
  for (let row = 0; row < rows; row++) {
    if (endsStep(row, step)) yield
    const guess = order.next
    const tsid = guess !== undefined && registry.is(guess, keys, row) ? guess : lookUp(registry, keys, row, name, limit)
    tsids[row] = tsid
    order.add(tsid)
  }
  return tsids
}

function lookUp(
  registry: SeriesRegistry,
  keys: SeriesKeyWriter,
  row: number,
  name: string,
  limit: Limit | undefined
): number {
  keys.write(row)
  const found = registry.find(keys.bytes, 0, keys.length)
  if (found !== undefined) return found
  // The series without tags does not count.
  if (limit !== undefined && registry.size > limit.max) throw new LimitReached(`table ${name}`, 'series', limit)
  return registry.add(keys.bytes, 0, keys.length)
}

/** The key prefix of a logical table. */
function tableEntry(table: number) {
  return { id: tableColumn.id, value: new Uint8Array(Uint32Array.of(table).buffer) }
}

/** Up to `max` series, from a number on. */
export function seriesSince(registry: SeriesRegistry, from: number, max = registry.size): SeriesEntry[] {
  const length = Math.min(max, registry.size - from)
  return registry.keys(from, from + length).map((key, i) => ({ tsid: from + i, key }))
}

/** The values of a tag by row: where each lies in the memory of its series' key. */
interface TagValues {
  readonly starts: Uint32Array
  /** Negative: no value. */
  readonly lengths: Int32Array
}

/** A column per tag, with a row for each of the series. */
export function decodeTags(registry: SeriesRegistry, tsids: Uint32Array, tags: readonly TableColumn[]): ColumnData[] {
  const rows = tsids.length
  const found = new Map(
    tags.map(({ id }): [number, TagValues] => [
      id,
      { starts: new Uint32Array(rows), lengths: new Int32Array(rows).fill(-1) }
    ])
  )
  for (let row = 0; row < rows; row++) {
    const tsid = tsids[row]!
    const { view } = registry.keyBlock(tsid)
    const end = registry.keyOffset(tsid) + registry.keyLength(tsid)
    for (let at = registry.keyOffset(tsid); at < end; ) {
      const length = view.getUint32(at + 2, true)
      const values = found.get(view.getUint16(at, true))
      at += entryHeadBytes
      if (values !== undefined) {
        values.starts[row] = at
        values.lengths[row] = length
      }
      at += length
    }
  }
  return tags.map(tag => tagData(tag, registry, tsids, found.get(tag.id)!))
}

function tagData(
  { type }: TableColumn,
  registry: SeriesRegistry,
  tsids: Uint32Array,
  { starts, lengths }: TagValues
): ColumnData {
  const rows = tsids.length
  const isText = isBytesType(type)
  const width = isText ? 0 : fixedArray(type).BYTES_PER_ELEMENT * elementsPerRow(type)
  const valid = bitmap(rows, false)
  const offsets = new Uint32Array(rows + 1)
  for (let row = 0; row < rows; row++) {
    if (lengths[row]! >= 0) valid[row >> 3]! |= 1 << (row & 7)
    offsets[row + 1] = offsets[row]! + (isText ? Math.max(0, lengths[row]!) : width)
  }
  const bytes = new Uint8Array(offsets[rows]!)
  for (let row = 0; row < rows; row++)
    copyBytes(registry.keyBlock(tsids[row]!).bytes, starts[row]!, bytes, offsets[row]!, Math.max(0, lengths[row]!))
  if (isText) return { kind: 'bytes', offsets, bytes, valid }
  return { kind: 'fixed', values: new (fixedArray(type))(bytes.buffer), valid }
}
