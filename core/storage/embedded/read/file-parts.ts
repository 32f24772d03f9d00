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
import { lowerBound } from './lower-bound.ts'
import type { PageCache } from './page-cache.ts'
import { boundsOf, mayHold, type SampleColumn, type SampleQuery, type SampleRows } from './sample-rows.ts'

/** A column by the name files have it under. */
export type FileColumn = SampleColumn & { readonly physical: string }

/** What is asked of a file. */
export interface FileQuery extends SampleQuery {
  /** The only logical tables of a physical one whose series they are, ascending; undefined for other tables. */
  readonly tables: Uint32Array | undefined
  readonly time: FileColumn
  readonly unit: TimeUnit
  readonly values: readonly FileColumn[]
}

/** Series numbers and times of a page, or one of its other columns. */
export type Kept = SampleRows | ColumnData

/** What is kept of a file besides its pages. */
interface KnownFile {
  readonly footer: ParquetFooter
  /** By row group and column. */
  readonly pages: Map<number, readonly PageInfo[]>
}

export class FileParts {
  readonly #pages: PageCache<Kept>
  readonly #known = new Map<string, KnownFile>()
  /** Files of which that is kept. */
  readonly #mostKnown: number

  constructor(pages: PageCache<Kept>, mostKnown = 1_000) {
    this.#pages = pages
    this.#mostKnown = mostKnown
  }

  /** Page by page, in the order of the file. Throws ParquetError where it cannot be read or holds no series numbers. */
  read(path: string, query: FileQuery): SampleRows[] {
    const fd = openSync(path, 'r')
    try {
      const at = readerOf(fd)
      let known = this.#known.get(path)
      if (known === undefined) {
        known = { footer: readFooter(at, fstatSync(fd).size), pages: new Map() }
        this.#known.set(path, known)
        if (this.#known.size > this.#mostKnown) this.#known.delete(this.#known.keys().next().value!)
      }
      return this.#read(path, query, known, new ParquetReader(at, known.footer))
    } finally {
      closeSync(fd)
    }
  }

  forget(path: string): void {
    this.#known.delete(path)
    this.#pages.forget(path)
  }

  #read(path: string, query: FileQuery, { footer, pages }: KnownFile, reader: ParquetReader): SampleRows[] {
    const columnOf = (name: string) => footer.columns.findIndex(column => column.name === name)
    const [series, time, owner] = [columnOf('__tsid'), columnOf(query.time.physical), columnOf('__table')]
    if (series < 0 || time < 0) throw new ParquetError(`${path} holds no series numbers or no ${query.time.physical}`)
    const { logical } = footer.columns[time]!
    const scale = scaleOf(query.unit, logical?.kind === 'timestamp' ? logical.unit : query.unit)
    const pagesOf = (group: number, column: number) => {
      const key = group * footer.columns.length + column
      const known = pages.get(key) ?? reader.pages(group, column)
      pages.set(key, known)
      return known
    }
    const column = (group: number, at: number, { from, to }: PageInfo): ColumnData =>
      this.#pages.get(`${path} ${group} ${at} ${from}`, () => reader.column(group, at, from, to))
    const head = (group: number, { from, to }: PageInfo): SampleRows =>
      this.#pages.get(`${path} ${group} ${from}`, () => {
        const tsids = numbersOf(reader.column(group, series, from, to))
        const values = new Float64Array(to - from)
        reader.numbers(group, time, values, 0, from, to)
        if (scale !== 1) for (let i = 0; i < values.length; i++) values[i] = Math.round(values[i]! * scale)
        const times: FixedData = { kind: 'fixed', values }
        const rows = { rows: to - from, seq: 0, op: 'put' as const, tsids, columns: new Map([[query.time.id, times]]) }
        return { ...rows, bounds: boundsOf(rows, query.time) }
      })
    const { wanted, tables } = query
    const isOfOthers = (bounds: Bounded | undefined) => tables && bounds && !holdsAny(tables, bounds)
    const isUnwanted = ({ min, max }: Bounded) =>
      min !== undefined && max !== undefined && !wanted.any(Number(min), Number(max))
    const found: SampleRows[] = []
    for (const [group, { columns }] of footer.rowGroups.entries()) {
      if (isOfOthers(columns[owner]) || isUnwanted(columns[series]!) || !spans(query, columns[time]!, scale)) continue
      const owners = owner < 0 ? [] : pagesOf(group, owner)
      const times = pagesOf(group, time)
      // Pages of all columns hold the same rows where they are as many.
      const boundsOfSame = (pages: readonly PageInfo[], i: number, { from, to }: PageInfo) =>
        pages[i]?.from === from && pages[i]?.to === to ? pages[i] : undefined
      for (const [i, page] of pagesOf(group, series).entries()) {
        if (isOfOthers(boundsOfSame(owners, i, page)) || isUnwanted(page)) continue
        const span = boundsOfSame(times, i, page)
        if (span !== undefined && !spans(query, span, scale)) continue
        const rows = head(group, page)
        if (!mayHold(rows, query)) continue
        const values = query.values.flatMap(({ id, physical }) => {
          const at = columnOf(physical)
          return at < 0 ? [] : [[id, column(group, at, page)] as const]
        })
        found.push({ ...rows, columns: new Map([...rows.columns, ...values]) })
      }
    }
    return found
  }
}

/** Bytes that something decoded takes. */
export function sizeOf(kept: Kept): number {
  if ('tsids' in kept) {
    const { tsids, columns, bounds } = kept
    const of = [...columns.values()].reduce((sum, data) => sum + sizeOf(data), 0)
    return of + tsids.byteLength + (bounds?.starts?.byteLength ?? 0)
  }
  const valid = kept.valid?.byteLength ?? 0
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

/** Whether any of the numbers, which ascend, lies between the bounds. */
function holdsAny(numbers: Uint32Array, { min, max }: Bounded): boolean {
  if (min === undefined || max === undefined) return true
  return lowerBound(numbers, Number(max) + 1) > lowerBound(numbers, Number(min))
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
