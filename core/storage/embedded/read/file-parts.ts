// Reads samples of some series from data files: decodes only pages that can hold them, and caches what it decodes.
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

/** A column under its name in the file. */
type FileColumn = SampleColumn & { readonly physical: string }

/** The rows and columns to read from a file. */
export interface FileQuery extends SampleQuery {
  readonly time: FileColumn
  readonly unit: TimeUnit
  readonly values: readonly FileColumn[]
}

/**
 * Cached data: the series numbers of a page; series numbers (part of those) and times of some of its rows; or another column of these rows.
 */
export type Kept = PageSeries | SampleRows | ColumnData

interface PageSeries {
  readonly numbers: Uint32Array
  /** Ends of the runs of ascending numbers. */
  readonly ends: Uint32Array
}

/** Rows read from a file, and what was read for them. */
interface FoundInFile {
  readonly parts: readonly SampleRows[]
  readonly counts: FileCounts
}

export interface FileCounts {
  /** Row groups of which pages were read, and the number of all row groups. */
  readonly groups: readonly number[]
  readonly known: number
  /** Pages found in the cache, and pages that were decoded. */
  readonly hits: number
  readonly misses: number
}

/** The column of series numbers. */
const seriesName = '__tsid'

/** The cached facts of a file, besides its pages. */
interface KnownFile {
  readonly footer: ParquetFooter
  /** Keyed by row group and column. */
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

  /** Reads page by page, in the order of the file. Throws ParquetError if the file cannot be read or has no series numbers. */
  read(path: string, query: FileQuery): FoundInFile {
    return this.#open(path, (known, reader) => this.#read(path, query, known, reader))
  }

  /** Reads the parts of a file that every query needs, ahead of the first one. Errors are left to that query. */
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
      // Pages of different columns hold the same rows if there are equally many.
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

  /** Rows of a page from the first wanted series to the last; all rows if that is not much more. */
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

/** The rows from the first of a series to its last; twice the same number if there are none. */
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

/** The rows with numbers `from` to `to` in an ascending list; two zeros if there are none. */
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

/** Ends of the runs of ascending numbers. Rows of one logical table ascend, and a page may hold rows of several. */
function runsOf(numbers: Uint32Array): Uint32Array {
  const ends: number[] = []
  for (let i = 1; i < numbers.length; i++) if (numbers[i]! < numbers[i - 1]!) ends.push(i)
  return Uint32Array.from([...ends, numbers.length])
}

/** Rows of a row group. */
type RowRange = Pick<PageInfo, 'from' | 'to'>

/** Bytes a cache entry takes besides its values. */
const entryBytes = 256

/** Bytes of a decoded entry. */
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

/** The factor from a file's time unit to the column's: files store seconds in a finer unit. */
function scaleOf(unit: TimeUnit, stored: TimeUnit): number {
  return Number(unitsPerSecond[unit]) / Number(unitsPerSecond[stored])
}

function numbersOf(data: ColumnData): Uint32Array {
  if (data.kind !== 'fixed') throw new ParquetError('series numbers are no numbers')
  const { values } = data
  if (values instanceof Uint32Array) return values
  return new Uint32Array(values.buffer, values.byteOffset, values.length)
}
