// The file beside a file of rows that holds the cells of its columns, as Parquet: SQL reads it.
import { renameSync } from 'node:fs'
import { type BytesData, type ColumnData, setBit } from '../../../model/batch.ts'
import { RowFile } from '../datafile/row-file.ts'
import type { CountCells } from './count-cells.ts'

/** The file with the counts of a data file. */
export function countsPath(dataFile: string): string {
  return `${dataFile}.counts`
}

/** Describes a file of counts, in the head of the index file. */
export interface CountsHead {
  readonly bytes: number
  readonly checksum: number
  readonly columns: readonly CountedColumn[]
}

export interface CountedColumn {
  /** Id in its table; 0: all rows, whatever their values. */
  readonly column: number
  /** Seconds of a stretch. */
  readonly width: number
  readonly cells: number
}

/** Its columns: of which column a cell is, when its stretch begins, the value as a text or an integer, and the rows. */
export const countColumns = [
  { name: 'of', type: 'Int64' },
  { name: 'start', type: 'TimestampMillisecond' },
  { name: 'text', type: 'String' },
  { name: 'number', type: 'Int64' },
  { name: 'rows', type: 'Int64' }
] as const

/** A row group of the file for each column. */
export function* countGroups(
  counted: ReadonlyMap<number, CountCells>
): Generator<{ readonly rows: number; readonly columns: readonly ColumnData[] }> {
  for (const [column, { width, starts, ids, counts, values }] of counted) {
    const rows = ids.length
    const of = values.map(value => (value === null ? undefined : value))
    const present = new Uint8Array((rows + 7) >> 3)
    const numbers = new BigInt64Array(rows)
    for (let i = 0; i < rows; i++) {
      const value = of[ids[i]!]
      if (typeof value === 'bigint') numbers[i] = value
      if (value !== undefined) setBit(present, i)
    }
    const none = new Uint8Array((rows + 7) >> 3)
    const isText = of.some(value => typeof value === 'string')
    const columns: ColumnData[] = [
      { kind: 'fixed', values: new BigInt64Array(rows).fill(BigInt(column)) },
      { kind: 'fixed', values: BigInt64Array.from(starts, start => BigInt(start * width) * 1000n) },
      { ...textsOf(ids, of), valid: isText ? present : none },
      { kind: 'fixed', values: numbers, valid: isText ? none : present },
      { kind: 'fixed', values: BigInt64Array.from(counts, count => BigInt(count)) }
    ]
    yield { rows, columns }
  }
}

/** What the file has of each column. */
export function countedColumns(counted: ReadonlyMap<number, CountCells>): readonly CountedColumn[] {
  return Array.from(counted, ([column, { width, ids }]) => ({ column, width, cells: ids.length }))
}

/** Writes the file, a row group for each column; without a sync, because a torn one is noticed by its checksum. */
export function writeCounts(path: string, counted: ReadonlyMap<number, CountCells>): CountsHead {
  const temporary = `${path}.tmp`
  const file = new RowFile(temporary, countColumns, ['of', 'start', 'rows'])
  try {
    for (const { rows, columns } of countGroups(counted)) file.write(rows, columns)
    const { bytes, checksum } = file.finish()
    renameSync(temporary, path)
    return { bytes, checksum, columns: countedColumns(counted) }
  } catch (error) {
    try {
      file.abandon()
    } catch {
      // It was closed, or never had its name.
    }
    throw error
  }
}

function textsOf(ids: readonly number[], values: readonly (string | bigint | undefined)[]): BytesData {
  const texts = values.map(value => Buffer.from(typeof value === 'string' ? value : '', 'latin1'))
  const offsets = new Uint32Array(ids.length + 1)
  for (const [i, id] of ids.entries()) offsets[i + 1] = offsets[i]! + texts[id]!.length
  return { kind: 'bytes', offsets, bytes: Buffer.concat(ids.map(id => texts[id]!)) }
}
