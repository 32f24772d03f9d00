// Rows of data files that may hold samples of some series: only pages that can hold them are decoded, and kept for the next question.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { ColumnData, FixedData } from '../../../model/batch.ts'
import type { TimeUnit } from '../../../model/types.ts'
import { unitsPerSecond } from '../../../model/types.ts'
import {
  type Bound,
  type PageInfo,
  ParquetError,
  type ParquetFooter,
  ParquetReader,
  type ReadAt,
  readFooter
} from '../parquet/index.ts'
import { type ReadLimits, usualLimits } from './limits.ts'
import { lowerBound } from './lower-bound.ts'
import type { PageCache } from './page-cache.ts'
import { boundsOf, mayHold, type SampleColumn, type SampleQuery, type SampleRows } from './sample-rows.ts'
import type { WantedSeries } from './wanted-series.ts'

/** A column by the name files have it under. */
export type FileColumn = SampleColumn & { readonly physical: string }

/** What is asked of a file. */
export interface FileQuery extends SampleQuery {
  readonly time: FileColumn
  readonly unit: TimeUnit
  readonly values: readonly FileColumn[]
}

/** Series numbers of a page; series numbers, which are part of those, and times of some of its rows, or another column of these. */
export type Kept = PageSeries | SampleRows | ColumnData

interface PageSeries {
  readonly numbers: Uint32Array
  /** Where runs of ascending numbers end. */
  readonly ends: Uint32Array
}

/** Rows of a file, and what was read for them. */
export interface FoundInFile {
  readonly parts: readonly SampleRows[]
  readonly counts: FileCounts
}

export interface FileCounts {
  /** Numbers of the row groups of which pages were read, and how many there are in all. */
  readonly groups: readonly number[]
  readonly known: number
  /** Pages that were in memory, and pages that were not. */
  readonly hits: number
  readonly misses: number
}

/** The column of series numbers. */
const seriesName = '__tsid'

/** What is kept of a file besides its pages. */
interface KnownFile {
  readonly footer: ParquetFooter
  /** By row group and column. */
  readonly pages: Map<number, readonly PageInfo[]>
}

export class FileParts {
  readonly #pages: PageCache<Kept>
  readonly #known = new Map<string, KnownFile>()
  readonly #limits: Pick<ReadLimits, 'pageShare' | 'footers'>

  constructor(pages: PageCache<Kept>, limits: Pick<ReadLimits, 'pageShare' | 'footers'> = usualLimits) {
    this.#pages = pages
    this.#limits = limits
  }

  /** Page by page, in the order of the file. Throws ParquetError where it cannot be read or holds no series numbers. */
  read(path: string, query: FileQuery): FoundInFile {
    return this.#open(path, (known, reader) => this.#read(path, query, known, reader))
  }

  /** Reads what every query of a file needs, before one comes. What cannot be read the query tells of. */
  know(path: string): void {
    if (this.#known.has(path)) return
    try {
      this.#open(path, (known, reader) => {
        const numbers = known.footer.columns.findIndex(({ name }) => name === seriesName)
        for (let group = 0; numbers >= 0 && group < known.footer.rowGroups.length; group++) {
          pagesOf(known, reader, group, numbers)
        }
      })
    } catch {
      this.#known.delete(path)
    }
  }

  #open<T>(path: string, use: (known: KnownFile, reader: ParquetReader) => T): T {
    const fd = openSync(path, 'r')
    try {
      const at = readerOf(fd)
      let known = this.#known.get(path)
      if (known === undefined) {
        known = { footer: readFooter(at, fstatSync(fd).size), pages: new Map() }
        this.#known.set(path, known)
        if (this.#known.size > this.#limits.footers) this.#known.delete(this.#known.keys().next().value!)
      }
      return use(known, new ParquetReader(at, known.footer))
    } finally {
      closeSync(fd)
    }
  }

  forget(path: string): void {
    this.#known.delete(path)
    this.#pages.forget(path)
  }

  #read(path: string, query: FileQuery, known: KnownFile, reader: ParquetReader): FoundInFile {
    const { footer } = known
    const before = this.#pages.counts
    const columnOf = (name: string) => footer.columns.findIndex(column => column.name === name)
    const [series, time, owner] = [columnOf(seriesName), columnOf(query.time.physical), columnOf('__table')]
    if (series < 0 || time < 0) throw new ParquetError(`${path} holds no series numbers or no ${query.time.physical}`)
    const { logical } = footer.columns[time]!
    const scale = scaleOf(query.unit, logical?.kind === 'timestamp' ? logical.unit : query.unit)
    const column = (group: number, at: number, { from, to }: RowRange): ColumnData =>
      this.#pages.get(`${path} ${group} ${at} ${from} ${to}`, () => reader.column(group, at, from, to))
    const seriesOf = (group: number, { from, to }: RowRange): PageSeries =>
      this.#pages.get(`${path} ${group} ${from}`, () => {
        const numbers = numbersOf(reader.column(group, series, from, to))
        return { numbers, ends: runsOf(numbers) }
      })
    const head = (group: number, { from, to }: RowRange, tsids: Uint32Array): SampleRows =>
      this.#pages.get(`${path} ${group} ${from} ${to}`, () => {
        const values = new Float64Array(to - from)
        reader.numbers(group, time, values, 0, from, to)
        if (scale !== 1) for (let i = 0; i < values.length; i++) values[i] = Math.round(values[i]! * scale)
        const times: FixedData = { kind: 'fixed', values }
        const rows = { rows: to - from, seq: 0, op: 'put' as const, tsids, columns: new Map([[query.time.id, times]]) }
        return { ...rows, bounds: boundsOf(rows, query.time) }
      })
    const { wanted } = query
    const isUnwanted = ({ min, max }: Bounded, tables: Bounded = {}) => {
      if (min === undefined || max === undefined) return false
      if (tables.min === undefined || tables.max === undefined) return !wanted.any(Number(min), Number(max))
      return !wanted.anyOf(Number(min), Number(max), Number(tables.min), Number(tables.max))
    }
    const found: SampleRows[] = []
    const groups: number[] = []
    for (const [group, { columns }] of footer.rowGroups.entries()) {
      if (isUnwanted(columns[series]!, columns[owner]) || !spans(query, columns[time]!, scale)) continue
      const owners = owner < 0 ? [] : pagesOf(known, reader, group, owner)
      const times = pagesOf(known, reader, group, time)
      // Pages of all columns hold the same rows where they are as many.
      const boundsOfSame = (pages: readonly PageInfo[], i: number, { from, to }: PageInfo) =>
        pages[i]?.from === from && pages[i]?.to === to ? pages[i] : undefined
      for (const [i, page] of pagesOf(known, reader, group, series).entries()) {
        if (isUnwanted(page, boundsOfSame(owners, i, page))) continue
        const span = boundsOfSame(times, i, page)
        if (span !== undefined && !spans(query, span, scale)) continue
        if (groups.at(-1) !== group) groups.push(group)
        const own = seriesOf(group, page)
        const [first, end] = this.#wantedRows(own, wanted)
        if (first === end) continue
        const range = { from: page.from + first, to: page.from + end }
        const rows = head(group, range, own.numbers.subarray(first, end))
        if (!mayHold(rows, query)) continue
        const values = query.values.flatMap(({ id, physical }) => {
          const at = columnOf(physical)
          return at < 0 ? [] : [[id, column(group, at, range)] as const]
        })
        found.push({ ...rows, columns: new Map([...rows.columns, ...values]) })
      }
    }
    const { hits, misses } = this.#pages.counts
    const counts = { hits: hits - before.hits, misses: misses - before.misses }
    return { parts: found, counts: { groups, known: footer.rowGroups.length, ...counts } }
  }

  /** Rows of a page, from the first of a wanted series to the last, or all where that is not much more. */
  #wantedRows(page: PageSeries, wanted: WantedSeries): readonly [first: number, end: number] {
    const { numbers } = page
    const [first, end] = rowsAmong(page, wanted.tsids)
    return first === end || (end - first) * this.#limits.pageShare < numbers.length ? [first, end] : [0, numbers.length]
  }
}

function pagesOf({ footer, pages }: KnownFile, reader: ParquetReader, group: number, column: number) {
  const key = group * footer.columns.length + column
  const known = pages.get(key) ?? reader.pages(group, column)
  pages.set(key, known)
  return known
}

/** From the first row of a series to the last one; the same number twice where there is none. */
function rowsAmong({ numbers, ends }: PageSeries, tsids: Uint32Array): readonly [first: number, end: number] {
  let [first, end] = [0, 0]
  for (let run = 0, from = 0; run < ends.length && end === 0; from = ends[run++]!) {
    ;[first, end] = rowsBetween(numbers, from, ends[run]!, tsids)
  }
  for (let run = ends.length - 1; end > 0 && ends[run]! > end; run--) {
    const [, last] = rowsBetween(numbers, ends[run - 1] ?? 0, ends[run]!, tsids)
    if (last > 0) return [first, last]
  }
  return [first, end]
}

/** Of rows `from` to `to`, whose numbers ascend; two zeros where there is none. */
function rowsBetween(
  numbers: Uint32Array,
  from: number,
  to: number,
  tsids: Uint32Array
): readonly [first: number, end: number] {
  const [low, high] = [lowerBound(tsids, numbers[from]!), lowerBound(tsids, numbers[to - 1]! + 1)]
  if (low === high) return [0, 0]
  const first = lowerBound(numbers, tsids[low]!, from, to)
  const end = lowerBound(numbers, tsids[high - 1]! + 1, first, to)
  return first === end ? [0, 0] : [first, end]
}

/** Where runs of ascending numbers end: those of a table ascend, and a page may hold rows of several. */
function runsOf(numbers: Uint32Array): Uint32Array {
  const ends: number[] = []
  for (let i = 1; i < numbers.length; i++) if (numbers[i]! < numbers[i - 1]!) ends.push(i)
  return Uint32Array.from([...ends, numbers.length])
}

/** Rows of a row group. */
type RowRange = Pick<PageInfo, 'from' | 'to'>

/** What an entry takes besides its values. */
const entryBytes = 256

/** Bytes that something decoded takes. */
export function sizeOf(kept: Kept): number {
  if ('numbers' in kept) return entryBytes + kept.numbers.byteLength + kept.ends.byteLength
  if ('tsids' in kept) {
    const { columns, bounds } = kept
    return [...columns.values()].reduce((sum, data) => sum + sizeOf(data), bounds?.starts?.byteLength ?? 0)
  }
  const valid = entryBytes + (kept.valid?.byteLength ?? 0)
  if (kept.kind === 'fixed') return valid + kept.values.byteLength
  if (kept.kind === 'bytes') return valid + kept.offsets.byteLength + kept.bytes.byteLength
  return valid + kept.codes.byteLength + sizeOf(kept.dictionary)
}

function readerOf(fd: number): ReadAt {
  return (offset, length) => {
    const bytes = new Uint8Array(length)
    let filled = 0
    while (filled < length) {
      const read = readSync(fd, bytes, filled, length - filled, offset + filled)
      if (read === 0) throw new ParquetError('the file ends too early', offset + filled)
      filled += read
    }
    return bytes
  }
}

interface Bounded {
  readonly min?: Bound
  readonly max?: Bound
}

function spans({ from, to }: SampleQuery, { min, max }: Bounded, scale: number): boolean {
  if (min === undefined || max === undefined) return true
  return Number(max) * scale >= from && Number(min) * scale <= to
}

/** What a time of a file must be multiplied with: files know no seconds, what they hold in their place is finer. */
function scaleOf(unit: TimeUnit, stored: TimeUnit): number {
  return Number(unitsPerSecond[unit]) / Number(unitsPerSecond[stored])
}

function numbersOf(data: ColumnData): Uint32Array {
  if (data.kind !== 'fixed') throw new ParquetError('series numbers are no numbers')
  const { values } = data
  if (values instanceof Uint32Array) return values
  return new Uint32Array(values.buffer, values.byteOffset, values.length)
}
