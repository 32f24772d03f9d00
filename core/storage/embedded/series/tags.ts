// Converts tag columns to series numbers, and series keys back to tag values.
import { bitmap, type ColumnData } from '../../../model/batch.ts'
import type { Limit } from '../../../model/limit.ts'
import type { TableColumn } from '../../../model/table.ts'
import { type ColumnType, elementsPerRow, fixedArray } from '../../../model/types.ts'
import { endsStep, type Steps } from '../../../pace.ts'
import { LimitReached } from '../../limits.ts'
import { tableColumn } from '../catalog/logical.ts'
import type { SeriesEntry } from '../log/record.ts'
import type { SeriesRegistry } from './series.ts'
import { SeriesKeyWriter, type TagColumn } from './series-key.ts'

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

/** A column per tag, with a row per series. */
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
