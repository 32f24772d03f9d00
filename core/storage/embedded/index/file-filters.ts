// The filters of a data file's columns, row group after row group, from the file itself: by calls that hold the thread.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { type ColumnData, type FixedData, isValid } from '../../../model/batch.ts'
import { ParquetError, type ParquetFooter, ParquetReader, readFooter } from '../parquet/index.ts'
import { filterOf } from './bloom.ts'
import { countFile, minCountRows } from './count-cells.ts'
import { countsPath, writeCounts } from './count-file.ts'
import type { GroupRows, HeadNotes, SectionKind } from './format.ts'
import { groupColumn } from './group-column.ts'
import { HashSet } from './hash-set.ts'
import { addFoldedTokens, addTokens } from './token.ts'
import { addValue } from './value-hash.ts'

export interface AskedFilter {
  /** In the file. */
  readonly column: string
  readonly kind: SectionKind
  readonly falsePositiveRate: number
}

/** Of each row group; undefined where one would be too large to make. */
export type ColumnFilters = readonly (Uint32Array | undefined)[]

/** Text of a row group above which it gets no filter. */
const maxGroupBytes = 256 * 2 ** 20

export interface AskedCounts {
  /** The time index, in the file. */
  readonly time: string
  readonly columns: readonly { readonly id: number; readonly name: string }[]
}

/**
 * The filters of a data file; its counts go into the file beside it. Throws ParquetError where the file cannot be read. A file whose rows do
 * not say which group they are in is one group.
 */
export function readFilters(
  path: string,
  asked: readonly AskedFilter[],
  counts?: AskedCounts
): { readonly filters: ColumnFilters[]; readonly notes: HeadNotes } {
  const fd = openSync(path, 'r')
  try {
    const read = (offset: number, length: number) => {
      const bytes = new Uint8Array(length)
      for (let filled = 0; filled < length; ) {
        const got = readSync(fd, bytes, filled, length - filled, offset + filled)
        if (got === 0) throw new ParquetError(`${path} ends too early`, offset + filled)
        filled += got
      }
      return bytes
    }
    const footer = readFooter(read, fstatSync(fd).size)
    const reader = new ParquetReader(read, footer)
    const filters = asked.map(each => columnFilters(reader, footer, each))
    return { filters, notes: counts === undefined ? {} : notesOf(path, reader, footer, counts) }
  } finally {
    closeSync(fd)
  }
}

function notesOf(
  path: string,
  reader: ParquetReader,
  footer: ParquetFooter,
  { time, columns }: AskedCounts
): HeadNotes {
  const groups = groupRows(reader, footer, time)
  if (footer.rows < minCountRows) return { groups, counts: { bytes: 0, checksum: 0, columns: [] } }
  const counted = countFile(reader, footer, time, columns)
  if (counted.size === 0) return { groups, counts: { bytes: 0, checksum: 0, columns: [] } }
  return { groups, counts: writeCounts(countsPath(path), counted) }
}

function groupRows(reader: ParquetReader, footer: ParquetFooter, time: string): GroupRows[] {
  const timeIndex = footer.columns.findIndex(({ name }) => name === time)
  return footer.rowGroups.map(({ rows, columns }, group) => {
    const { min } = columns[timeIndex]!
    if (typeof min === 'bigint') return { rows, from: min.toString() }
    const { values } = reader.column(group, timeIndex) as FixedData
    return { rows, from: (values as BigInt64Array).reduce((least, time) => (time < least ? time : least)).toString() }
  })
}

function columnFilters(reader: ParquetReader, footer: ParquetFooter, asked: AskedFilter): ColumnFilters {
  const columnOf = (name: string) => footer.columns.findIndex(column => column.name === name)
  const [valueIndex, numbers] = [columnOf(asked.column), columnOf(groupColumn)]
  if (valueIndex < 0) throw new ParquetError(`there is no column ${asked.column}`)
  const filters: (Uint32Array | undefined)[] = []
  const entries = asked.kind === 'values' ? new ValueEntries() : new TermEntries(asked.kind === 'folded_terms')
  // Of values the rate is that of the file: one row group that is let through is enough for a query to open it.
  const rate = asked.kind === 'values' ? asked.falsePositiveRate / footer.rowGroups.length : asked.falsePositiveRate
  let open = 0
  const close = () => {
    filters[open] = entries.take(rate)
  }
  for (const [group, { rows }] of footer.rowGroups.entries()) {
    const data = reader.column(group, valueIndex)
    const ids = numbers < 0 ? undefined : (reader.column(group, numbers) as FixedData).values
    for (let from = 0, to: number; from < rows; from = to) {
      const id = Number(ids?.[from] ?? 0)
      to = ids === undefined ? rows : from + 1
      while (to < rows && Number(ids?.[to]) === id) to++
      if (id !== open) close()
      open = id
      entries.add(data, from, to)
    }
  }
  close()
  // Every group has rows, so that none is left out.
  return filters
}

interface Entries {
  add(data: ColumnData, from: number, to: number): void
  /** The filter of the values added since the last call. */
  take(falsePositiveRate: number): Uint32Array | undefined
}

class TermEntries implements Entries {
  readonly #addTokens: typeof addTokens
  readonly #hashes = new HashSet()
  #bytes = 0

  constructor(isFolded: boolean) {
    this.#addTokens = isFolded ? addFoldedTokens : addTokens
  }

  add(data: ColumnData, from: number, to: number): void {
    if (data.kind === 'fixed') return
    const texts = data.kind === 'bytes' ? data : data.dictionary
    const seen = data.kind === 'dictionary' ? new Uint8Array(texts.offsets.length) : undefined
    for (let row = from; row < to; row++) {
      if (!isValid(data.valid, row)) continue
      const entry = data.kind === 'bytes' ? row : data.codes[row]!
      const [start, end] = [texts.offsets[entry]!, texts.offsets[entry + 1]!]
      this.#bytes += end - start
      if (this.#bytes > maxGroupBytes || seen?.[entry] === 1) continue
      if (seen !== undefined) seen[entry] = 1
      this.#addTokens(texts.bytes, this.#hashes, start, end)
    }
  }

  take(falsePositiveRate: number): Uint32Array | undefined {
    const filter = this.#bytes > maxGroupBytes ? undefined : filterOf(this.#hashes, falsePositiveRate)
    this.#hashes.clear()
    this.#bytes = 0
    return filter
  }
}

class ValueEntries implements Entries {
  readonly #hashes = new HashSet()
  readonly #digits = Buffer.alloc(32)

  add(data: ColumnData, from: number, to: number): void {
    if (data.kind === 'fixed') {
      for (let row = from; row < to; row++) {
        if (!isValid(data.valid, row)) continue
        const length = this.#digits.write(String(data.values[row]), 0, 'latin1')
        addValue(this.#digits, 0, length, this.#hashes)
      }
      return
    }
    const { offsets, bytes } = data.kind === 'bytes' ? data : data.dictionary
    const seen = data.kind === 'dictionary' ? new Uint8Array(offsets.length) : undefined
    for (let row = from; row < to; row++) {
      if (!isValid(data.valid, row)) continue
      const entry = data.kind === 'bytes' ? row : data.codes[row]!
      if (seen?.[entry] === 1) continue
      if (seen !== undefined) seen[entry] = 1
      addValue(bytes, offsets[entry]!, offsets[entry + 1]!, this.#hashes)
    }
  }

  take(falsePositiveRate: number): Uint32Array {
    const filter = filterOf(this.#hashes, falsePositiveRate)
    this.#hashes.clear()
    return filter
  }
}
