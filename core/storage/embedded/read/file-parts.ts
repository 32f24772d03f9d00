// Reads samples of some series from data files: decodes only pages that can hold them, and caches what it decodes.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { ColumnData } from '../../../model/batch.ts'
import type { TimeUnit } from '../../../model/types.ts'
import { unitsPerSecond } from '../../../model/types.ts'
import { runAtOnce, type Steps } from '../../../pace.ts'
import { wholeMicros } from '../datafile/whole-micros.ts'
import {
  type Bound,
  type IntegerRuns,
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

/** Cached data: the series of a page; series numbers and times of some adjacent rows of it; or another column of these rows. */
export type Kept = PageSeries | SampleRows | ColumnData

/** The series numbers of a page. */
interface PageSeries extends IntegerRuns {
  /** Ends of the stretches in which they ascend, as indexes of runs. */
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

type FileLimits = Pick<ReadLimits, 'pageShare' | 'pageRanges' | 'footers'>

export class FileParts {
  readonly #pages: PageCache<Kept>
  readonly #known = new Map<string, KnownFile>()
  readonly #limits: FileLimits

  constructor(pages: PageCache<Kept>, limits: FileLimits = usualLimits) {
    this.#pages = pages
    this.#limits = limits
  }

  /** Reads page by page, in the order of the file, each in a step. Throws ParquetError if the file cannot be read or has no series numbers. */
  read(path: string, query: FileQuery): Steps<FoundInFile> {
    return this.#open(path, (known, reader) => this.#read(path, query, known, reader))
  }

  /** Whether the file tells that the times in this column are whole microseconds; false if it cannot be read. */
  areMicros(path: string, column: string): boolean {
    this.know(path)
    return this.#known.get(path)?.footer.facts.get(wholeMicros) === column
  }

  /** Reads the parts of a file that every query needs, ahead of the first one. Errors are left to that query. */
  know(path: string): void {
    if (this.#known.has(path)) return
    try {
      const open = this.#open(path, function* (known, reader) {
        const numbers = known.footer.columns.findIndex(({ name }) => name === seriesName)
        for (let group = 0; numbers >= 0 && group < known.footer.rowGroups.length; group++) {
          pagesOf(known, reader, group, numbers)
        }
      })
      runAtOnce(open)
    } catch {
      this.#known.delete(path)
    }
  }

  *#open<T>(path: string, use: (known: KnownFile, reader: ParquetReader) => Steps<T>): Steps<T> {
    const fd = openSync(path, 'r')
    try {
      const at = readerOf(fd)
      let known = this.#known.get(path)
      if (known === undefined) {
        known = { footer: readFooter(at, fstatSync(fd).size), pages: new Map() }
        this.#known.set(path, known)
        if (this.#known.size > this.#limits.footers) this.#known.delete(this.#known.keys().next().value!)
      }
      const reader = new ParquetReader(at, known.footer)
      try {
        return yield* use(known, reader)
      } finally {
        reader.release()
      }
    } finally {
      closeSync(fd)
    }
  }

  forget(path: string): void {
    this.#known.delete(path)
    this.#pages.forget(path)
  }

  *#read(path: string, query: FileQuery, known: KnownFile, reader: ParquetReader): Steps<FoundInFile> {
    const { footer } = known
    const counts = { hits: 0, misses: 0 }
    const columnOf = (name: string) => footer.columns.findIndex(column => column.name === name)
    const [series, time, owner] = [columnOf(seriesName), columnOf(query.time.physical), columnOf('__table')]
    if (series < 0 || time < 0) throw new ParquetError(`${path} holds no series numbers or no ${query.time.physical}`)
    const { logical } = footer.columns[time]!
    const scale = scaleOf(query.unit, logical?.kind === 'timestamp' ? logical.unit : query.unit)
    const column = (group: number, at: number, { from, to }: RowRange): ColumnData =>
      this.#pages.get(`${path} ${group} ${at} ${from} ${to}`, () => reader.column(group, at, from, to))
    const seriesOf = (group: number, { from, to }: RowRange): PageSeries =>
      this.#pages.get(`${path} ${group} ${from}`, () => withEnds(reader.runs(group, series, from, to)))
    /** Series numbers and times of ranges of a page: each a copy of its own, which the cache keeps or drops alone. */
    const heads = (group: number, page: RowRange, own: PageSeries, ranges: readonly RowRange[]): SampleRows[] => {
      const span = { from: ranges[0]!.from, to: ranges.at(-1)!.to }
      let times: Float64Array | undefined
      const readTimes = () => {
        const values = new Float64Array(span.to - span.from)
        reader.numbers(group, time, values, 0, span.from, span.to)
        if (scale !== 1) for (let i = 0; i < values.length; i++) values[i] = Math.round(values[i]! * scale)
        return values
      }
      return ranges.map(({ from, to }) =>
        this.#pages.get(`${path} ${group} ${from} ${to}`, () => {
          times ??= readTimes()
          const values = ranges.length === 1 ? times : times.slice(from - span.from, to - span.from)
          const tsids = numbersBetween(own, from - page.from, to - page.from)
          const columns = new Map([[query.time.id, { kind: 'fixed' as const, values }]])
          const rows = { rows: to - from, seq: 0, op: 'put' as const, tsids, columns }
          return { ...rows, bounds: boundsOf(rows, query.time) }
        })
      )
    }
    const { wanted } = query
    const readPage = (group: number, page: RowRange): SampleRows[] => {
      const own = seriesOf(group, page)
      const ranges = this.#wantedRows(own, wanted).map(([from, to]) => ({ from: page.from + from, to: page.from + to }))
      if (ranges.length === 0) return []
      const rows = heads(group, page, own, ranges)
      const kept = rows.flatMap((each, i) => (mayHold(each, query) ? [{ rows: each, range: ranges[i]! }] : []))
      // One column after the other: the reader unpacks a page once for all ranges.
      const values = query.values.flatMap(({ id, physical }) => {
        const at = columnOf(physical)
        return at < 0 ? [] : [{ id, data: kept.map(({ range }) => column(group, at, range)) }]
      })
      return kept.map(({ rows }, i) => {
        const columns = values.map(({ id, data }) => [id, data[i]!] as const)
        return { ...rows, columns: new Map([...rows.columns, ...columns]) }
      })
    }
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
        // Others may have read meanwhile: their pages do not count here.
        yield
        const before = this.#pages.counts
        if (groups.at(-1) !== group) groups.push(group)
        for (const rows of readPage(group, page)) found.push(rows)
        const { hits, misses } = this.#pages.counts
        counts.hits += hits - before.hits
        counts.misses += misses - before.misses
      }
    }
    return { parts: found, counts: { groups, known: footer.rowGroups.length, ...counts } }
  }

  /** Rows of a page with wanted series, ascending and apart from each other; all rows if that is not much more. */
  #wantedRows(
    { integers, starts, ends }: PageSeries,
    { tsids }: WantedSeries
  ): (readonly [from: number, to: number])[] {
    const { pageShare, pageRanges } = this.#limits
    const ranges: [from: number, to: number][] = []
    let rows = 0
    for (const run of wantedRuns(integers, ends, tsids)) {
      const [from, to] = [starts[run]!, starts[run + 1]!]
      rows += to - from
      const last = ranges.at(-1)
      if (last?.[1] === from) last[1] = to
      else ranges.push([from, to])
      if (rows * pageShare >= starts.at(-1)! || ranges.length > pageRanges) return [[0, starts.at(-1)!]]
    }
    return ranges
  }
}

function pagesOf({ footer, pages }: KnownFile, reader: ParquetReader, group: number, column: number) {
  const key = group * footer.columns.length + column
  const known = pages.get(key) ?? reader.pages(group, column)
  pages.set(key, known)
  return known
}

/** Indexes of the numbers that are among `tsids`, ascending. `ends` are those of the stretches in which the numbers ascend. */
function* wantedRuns(numbers: Uint32Array, ends: Uint32Array, tsids: Uint32Array): Generator<number> {
  let from = 0
  for (const end of ends) {
    let index = lowerBound(tsids, numbers[from]!)
    let run = from
    while (run < end && index < tsids.length) {
      const [number, tsid] = [numbers[run]!, tsids[index]!]
      if (number < tsid) run = lowerBound(numbers, tsid, run + 1, end)
      else if (number > tsid) index = lowerBound(tsids, number, index + 1)
      else {
        yield run++
        index++
      }
    }
    from = end
  }
}

function withEnds(runs: IntegerRuns): PageSeries {
  const { integers } = runs
  const ends: number[] = []
  for (let run = 1; run < integers.length; run++) if (integers[run]! < integers[run - 1]!) ends.push(run)
  if (integers.length > 0) ends.push(integers.length)
  return { ...runs, ends: Uint32Array.from(ends) }
}

/** The series numbers of rows `from` to `to`. */
function numbersBetween({ integers, starts }: PageSeries, from: number, to: number): Uint32Array {
  const rows = new Uint32Array(to - from)
  for (let run = lowerBound(starts, from + 1) - 1; starts[run]! < to; run++)
    rows.fill(integers[run]!, Math.max(0, starts[run]! - from), starts[run + 1]! - from)
  return rows
}

/** Rows of a row group. */
type RowRange = Pick<PageInfo, 'from' | 'to'>

/** Bytes a cache entry takes besides its values. */
const entryBytes = 256

/** Bytes of a decoded entry. */
export function sizeOf(kept: Kept): number {
  if ('integers' in kept) return entryBytes + kept.integers.byteLength + kept.starts.byteLength + kept.ends.byteLength
  if ('tsids' in kept) {
    const { tsids, columns, bounds } = kept
    const own = tsids.byteLength + (bounds?.starts?.byteLength ?? 0)
    return [...columns.values()].reduce((sum, data) => sum + sizeOf(data), own)
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
