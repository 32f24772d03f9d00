// Samples of some series in one data file: only pages that can hold them are decoded, and kept for the next question.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { type BytesData, bitmap, type ColumnData, type FixedData, isValid } from '../../../model/batch.ts'
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
import type { PageCache } from './page-cache.ts'

/** Samples that are asked for; columns by the names the file has them under. */
export interface SamplesAsked {
  readonly path: string
  /** Series numbers, ascending. */
  readonly tsids: Uint32Array
  /** The only logical tables of a physical one whose series they are, ascending; undefined for other tables. */
  readonly tables: Uint32Array | undefined
  readonly time: string
  readonly unit: TimeUnit
  /** Times in that unit, both ends included. */
  readonly from: number
  readonly to: number
  readonly values: readonly string[]
}

/** Rows in the order of the file: neighbours are of one series, or the next one begins. */
export interface SamplesFound {
  readonly rows: number
  readonly tsids: Uint32Array
  /** In the unit that was asked for. */
  readonly times: BigInt64Array
  /** Parallel to those asked for; undefined where the file has no such column. */
  readonly values: readonly (ColumnData | undefined)[]
}

/** Neighbouring rows of one series in one page of a row group. */
interface Run {
  readonly group: number
  readonly page: PageInfo
  readonly tsid: number
  /** Within the page. */
  readonly start: number
  readonly end: number
}

/** What is kept of a file besides its pages. */
interface KnownFile {
  readonly footer: ParquetFooter
  /** By row group and column. */
  readonly pages: Map<number, readonly PageInfo[]>
}

export class SampleFiles {
  readonly #pages: PageCache
  readonly #known = new Map<string, KnownFile>()
  /** Files of which that is kept. */
  readonly #mostKnown: number

  constructor(pages: PageCache, mostKnown = 1_000) {
    this.#pages = pages
    this.#mostKnown = mostKnown
  }

  /** Throws ParquetError where the file cannot be read or holds no series numbers. */
  read(asked: SamplesAsked): SamplesFound {
    const fd = openSync(asked.path, 'r')
    try {
      const at = readerOf(fd)
      let known = this.#known.get(asked.path)
      if (known === undefined) {
        known = { footer: readFooter(at, fstatSync(fd).size), pages: new Map() }
        this.#known.set(asked.path, known)
        if (this.#known.size > this.#mostKnown) this.#known.delete(this.#known.keys().next().value!)
      }
      return this.#read(asked, known, new ParquetReader(at, known.footer))
    } finally {
      closeSync(fd)
    }
  }

  forget(path: string): void {
    this.#known.delete(path)
    this.#pages.forget(path)
  }

  #read(asked: SamplesAsked, { footer, pages }: KnownFile, reader: ParquetReader): SamplesFound {
    const columnOf = (name: string) => footer.columns.findIndex(column => column.name === name)
    const [series, time, owner] = [columnOf('__tsid'), columnOf(asked.time), columnOf('__table')]
    if (series < 0 || time < 0) throw new ParquetError(`${asked.path} holds no series numbers or no ${asked.time}`)
    const { logical } = footer.columns[time]!
    const scale = scaleOf(asked.unit, logical?.kind === 'timestamp' ? logical.unit : asked.unit)
    const page = (group: number, column: number, { from, to }: PageInfo) =>
      this.#pages.get(`${asked.path} ${group} ${column} ${from}`, () => reader.column(group, column, from, to))
    const pagesOf = (group: number, column: number) => {
      const key = group * footer.columns.length + column
      const known = pages.get(key) ?? reader.pages(group, column)
      pages.set(key, known)
      return known
    }
    const { tsids: wanted, tables } = asked
    const ofOthers = (bounds: Bounded | undefined) => tables && bounds && !mayHold(tables, bounds)
    const runs: Run[] = []
    let rows = 0
    for (const [group, { columns }] of footer.rowGroups.entries()) {
      if (ofOthers(columns[owner]) || !mayHold(wanted, columns[series]!) || !spans(asked, columns[time]!, scale))
        continue
      const owners = owner < 0 ? [] : pagesOf(group, owner)
      for (const [i, part] of pagesOf(group, series).entries()) {
        // Pages of all columns hold the same rows where they are as many.
        const bounds = owners[i]?.from === part.from && owners[i]?.to === part.to ? owners[i] : undefined
        if (ofOthers(bounds) || !mayHold(wanted, part)) continue
        const tsids = numbersOf(page(group, series, part))
        const times = () => wordsOf(page(group, time, part))
        for (const run of runsIn(tsids, wanted)) {
          const kept = within(times(), run, asked, scale)
          if (kept.start === kept.end) continue
          runs.push({ ...kept, group, page: part })
          rows += kept.end - kept.start
        }
      }
    }
    const found = { tsids: new Uint32Array(rows), times: new BigInt64Array(rows) }
    const words = new Int32Array(found.times.buffer)
    let at = 0
    for (const run of runs) {
      found.tsids.fill(run.tsid, at, at + run.end - run.start)
      words.set(wordsOf(page(run.group, time, run.page)).subarray(2 * run.start, 2 * run.end), 2 * at)
      at += run.end - run.start
    }
    if (scale !== 1) rescale(found.times, scale)
    const values = asked.values.map(name => {
      const column = columnOf(name)
      return column < 0 ? undefined : gather(runs, rows, run => page(run.group, column, run.page))
    })
    return { rows, ...found, values }
  }
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
function mayHold(tsids: Uint32Array, { min, max }: Bounded): boolean {
  if (min === undefined || max === undefined) return true
  let [low, high] = [0, tsids.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (tsids[middle]! < Number(min)) low = middle + 1
    else high = middle
  }
  return low < tsids.length && tsids[low]! <= Number(max)
}

function spans({ from, to }: SamplesAsked, { min, max }: Bounded, scale: number): boolean {
  if (min === undefined || max === undefined) return true
  return Number(max) * scale >= from && Number(min) * scale <= to
}

/** What a time of a file must be multiplied with. */
function scaleOf(unit: TimeUnit, stored: TimeUnit): number {
  return Number(unitsPerSecond[unit]) / Number(unitsPerSecond[stored])
}

/** Files know no seconds: what they hold in their place is finer. */
function rescale(times: BigInt64Array, scale: number): void {
  const divisor = BigInt(Math.round(1 / scale))
  for (let i = 0; i < times.length; i++) times[i]! /= divisor
}

function numbersOf(data: ColumnData): Uint32Array {
  if (data.kind !== 'fixed') throw new ParquetError('series numbers are no numbers')
  const { values } = data
  if (values instanceof Uint32Array) return values
  return new Uint32Array(values.buffer, values.byteOffset, values.length)
}

function wordsOf(data: ColumnData): Int32Array {
  const { buffer, byteOffset, length } = (data as FixedData).values
  return new Int32Array(buffer, byteOffset, 2 * length)
}

/** Neighbouring rows of each wanted series. */
function* runsIn(rows: Uint32Array, wanted: Uint32Array): Generator<Pick<Run, 'tsid' | 'start' | 'end'>> {
  let place = 0
  for (let start = 0; start < rows.length; ) {
    const tsid = rows[start]!
    let end = start + 1
    while (end < rows.length && rows[end] === tsid) end++
    // Most files ascend; one that does not is searched from the beginning again.
    if (place > 0 && wanted[place - 1]! >= tsid) place = 0
    place = lowerBound(wanted, tsid, place)
    if (wanted[place] === tsid) yield { tsid, start, end }
    start = end
  }
}

function lowerBound(numbers: Uint32Array, number: number, from: number): number {
  let [low, high] = [from, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (numbers[middle]! < number) low = middle + 1
    else high = middle
  }
  return low
}

/** The rows of a run from the first to the last that lies in the range: times ascend within a run. */
function within(
  words: Int32Array,
  run: Pick<Run, 'tsid' | 'start' | 'end'>,
  { from, to }: SamplesAsked,
  scale: number
) {
  let { start, end } = run
  const timeAt = (row: number) => (words[2 * row + 1]! * 2 ** 32 + (words[2 * row]! >>> 0)) * scale
  while (start < end && timeAt(start) < from) start++
  while (end > start && timeAt(end - 1) > to) end--
  return { tsid: run.tsid, start, end }
}

/** Values of all runs behind each other. */
function gather(runs: readonly Run[], rows: number, pageOf: (run: Run) => ColumnData): ColumnData {
  const pages = runs.map(pageOf)
  const valid = gatherValid(runs, rows, pages)
  const data = pages.every(page => page.kind === 'fixed')
    ? gatherFixed(runs, rows, pages)
    : gatherTexts(runs, rows, pages)
  return { ...data, ...(valid && { valid }) }
}

function gatherFixed(runs: readonly Run[], rows: number, pages: readonly FixedData[]): FixedData {
  const made = (pages[0]?.values.constructor ?? Float64Array) as new (length: number) => FixedData['values']
  const values = new made(rows)
  let at = 0
  for (const [i, { start, end }] of runs.entries()) {
    values.set(pages[i]!.values.subarray(start, end) as never, at)
    at += end - start
  }
  return { kind: 'fixed', values }
}

function gatherTexts(runs: readonly Run[], rows: number, pages: readonly ColumnData[]): BytesData {
  const offsets = new Uint32Array(rows + 1)
  const pieces: Uint8Array[] = []
  let at = 0
  for (const [i, { start, end }] of runs.entries()) {
    for (let row = start; row < end; row++, at++) {
      const piece = textAt(pages[i]!, row)
      pieces.push(piece)
      offsets[at + 1] = offsets[at]! + piece.length
    }
  }
  return { kind: 'bytes', offsets, bytes: new Uint8Array(Buffer.concat(pieces)) }
}

function textAt(data: ColumnData, row: number): Uint8Array {
  if (data.kind === 'fixed' || !isValid(data.valid, row)) return new Uint8Array()
  const text = data.kind === 'dictionary' ? data.dictionary : data
  const at = data.kind === 'dictionary' ? data.codes[row]! : row
  return text.bytes.subarray(text.offsets[at]!, text.offsets[at + 1]!)
}

function gatherValid(runs: readonly Run[], rows: number, pages: readonly ColumnData[]): Uint8Array | undefined {
  if (pages.every(page => page.valid === undefined)) return undefined
  const valid = bitmap(rows, true)
  let at = 0
  for (const [i, { start, end }] of runs.entries()) {
    for (let row = start; row < end; row++, at++)
      if (!isValid(pages[i]!.valid, row)) valid[at >> 3]! &= ~(1 << (at & 7))
  }
  return valid
}
