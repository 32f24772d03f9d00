// Rows of few series out of files, from columns in memory: where a statement asks for little, opening the files costs more than reading.
import { bitmap, type ColumnData, type FixedData, isValid } from '../../../model/batch.ts'
import type { TableColumn } from '../../../model/table.ts'
import type { Condition } from '../../engine.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import { hasSeries, isPhysical, isTagged } from '../catalog/logical.ts'
import type { RowSource } from '../duckdb/index.ts'
import { rowsBefore, timeAt, wordsOf } from '../read/sample-rows.ts'
import { WantedSeries } from '../read/wanted-series.ts'
import { bytesPerRow, type FilePart, isFixed, type PartSeries, readPart } from '../samples/file-columns.ts'
import { readWanted } from '../samples/file-samples.ts'
import type { SeriesRegistry } from '../series/series.ts'
import { decodeSeries } from '../series/tags.ts'
import { seriesAsked, type Times, timesAsked } from './asked-series.ts'
import { partsRead, type Snapshot } from './relation.ts'
import type { Selection } from './select.ts'
import type { ReadParts } from './snapshot.ts'

/** Beyond these DuckDB reads the files as fast. */
const mostFew = 50_000
const mostSeries = 1_000
const mostFiles = 100

/** Reading so few rows takes no longer than opening their files. */
const mostWaited = 20_000

/** A look through more series takes as long as it saves. */
const mostKnown = 1_000_000
/** More are not brought into memory for it. */
const mostLoaded = 100_000

export interface FoundRows {
  /** What they are all rows of that may be asked for. */
  readonly files: readonly DataFile[]
  /** Nothing else of the table is asked for. */
  readonly complete: boolean
  readonly source: RowSource
}

/**
 * Columns of the rows of files that are each the only version of itself; undefined where another way is better, or the only one.
 * `columns` are those of the stored rows.
 */
export async function readFew(
  parts: ReadParts,
  snapshot: Snapshot,
  { wants, pruned }: Pick<Selection, 'wants' | 'pruned'>,
  where: Condition,
  columns: readonly TableColumn[]
): Promise<FoundRows | undefined> {
  const { table, view } = snapshot
  // Where indexes know what to read, they do.
  if ([...pruned.values()].some(({ groups }) => groups > 0)) return undefined
  if (!hasSeries(table) || (view === undefined && isPhysical(table)) || !columns.every(isServed)) return undefined
  const { alone, versioned } = partsRead(snapshot, wants)
  const files = alone.filter(part => 'path' in part)
  if (files.length === 0 || files.length > mostFiles) return undefined
  if (!files.every(file => isTagged(table, file))) return undefined
  const rows = files.reduce((sum, file) => sum + file.rows, 0)
  // What does not fit would be read again and again.
  if (rows * bytesPerRow(columns.filter(isField)) > parts.samples.limit) return undefined
  const times = timesOf(where, snapshot)
  const data = parts.tables.take(table)
  const isLoaded = data.seriesCount !== undefined || parts.catalog.seriesCount(table.id) <= mostLoaded
  if (times === undefined || !isLoaded || data.registry.size > mostKnown) return undefined
  const { registry, labels } = data
  const tsids = seriesAsked(labels, view ?? table, view?.id, where)
  if (tsids === undefined || tsids.length > mostSeries) return undefined
  const fields = columns.filter(isField)
  const reading = readWanted(parts, files, { tsids, rowBytes: bytesPerRow(fields) }, (file, part) =>
    readPart(parts, file, part, table.timeIndex, fields)
  )
  const found = rows <= mostWaited ? await reading : await Promise.race([reading, untilNextTurn(reading)])
  const ranges = found && rangesOf(found, tsids, times)
  if (ranges === undefined) return undefined
  const complete = files.length === alone.length && versioned.length === 0
  return { files, complete, source: gather(ranges, tsids, columns, registry) }
}

/** What is not in memory yet is read for the next statement: this one does not wait for it. */
async function untilNextTurn(reading: Promise<unknown>): Promise<undefined> {
  reading.catch(() => {})
  await new Promise(resolve => setImmediate(resolve))
}

/** Nothing about its values is known to DuckDB alone. */
function isServed(column: TableColumn): boolean {
  if (column.was !== undefined || column.initial !== undefined) return false
  return column.semantic === 'tag' ? column.type === 'String' : isFixed(column)
}

function isField({ semantic }: TableColumn): boolean {
  return semantic === 'field'
}

/** What a float does not tell apart of a time in nanoseconds. */
const rounding = 1024

function timesOf(where: Condition, { table, cutoff }: Snapshot): Times | undefined {
  const { from, to } = timesAsked(where)
  if (table.timeIndex.type === 'TimestampNanosecond') {
    return cutoff === undefined ? { from: from - rounding, to: to + rounding } : undefined
  }
  return { from: Math.max(from, Number(cutoff ?? Number.NEGATIVE_INFINITY)), to }
}

/** Rows of one series in a part: its place among the wanted ones, the first row, and the one after the last. */
interface Range {
  readonly part: FilePart
  readonly place: number
  readonly start: number
  readonly end: number
}

/** Undefined where there are too many rows. */
function rangesOf(parts: readonly FilePart[], tsids: Uint32Array, times: Times): Range[] | undefined {
  if (tsids.length === 0) return []
  const wanted = new WantedSeries(tsids)
  const ranges: Range[] = []
  let rows = 0
  for (const part of parts) {
    const { series } = part
    for (let run = 0; run < series.tsids.length; run++) {
      const place = wanted.place(series.tsids[run]!)
      if (place < 0) continue
      for (const [start, end] of limited(series, run, times)) {
        ranges.push({ part, place, start, end })
        rows += end - start
      }
      if (rows > mostFew) return undefined
    }
  }
  return ranges
}

/** The rows of a run between two times, both included. */
function limited({ starts, times, ascending }: PartSeries, run: number, { from, to }: Times): [number, number][] {
  const [start, end] = [starts[run]!, starts[run + 1]!]
  const words = wordsOf(times)
  if (ascending) {
    const low = rowsBefore(words, from, start, end, false)
    const high = rowsBefore(words, to, low, end, true)
    return low < high ? [[low, high]] : []
  }
  const found: [number, number][] = []
  for (let row = start; row < end; row++) {
    const at = timeAt(words, row)
    if (at >= from && at <= to) found.push([row, row + 1])
  }
  return found
}

function gather(
  ranges: readonly Range[],
  tsids: Uint32Array,
  columns: readonly TableColumn[],
  registry: SeriesRegistry
): RowSource {
  const rows = ranges.reduce((sum, { start, end }) => sum + end - start, 0)
  const tags = columns.filter(({ semantic }) => semantic === 'tag')
  const series = Array.from(tsids, tsid => ({ tsid, key: registry.key(tsid) }))
  const texts = new Map(decodeSeries(series, tags).map((data, i) => [tags[i]!.id, data]))
  const codes = new Uint32Array(rows)
  let at = 0
  for (const { place, start, end } of ranges) {
    codes.fill(place, at, at + end - start)
    at += end - start
  }
  let field = 0
  const data = columns.map(({ id, semantic }) => {
    if (semantic === 'tag') return tagData(texts.get(id)!, codes)
    if (semantic === 'timestamp') return join(ranges, rows, ({ series }) => series.times)
    const own = field++
    return join(ranges, rows, part => part.columns[own])
  })
  return {
    columns: columns.map(({ physical, type }) => ({ name: physical, type })),
    batches: rows === 0 ? [] : [{ rows, columns: data }],
    expected: rows
  }
}

/** A text for each series, by row. */
function tagData(text: ColumnData, codes: Uint32Array): ColumnData | undefined {
  if (text.kind !== 'bytes') return undefined
  const series = text.offsets.length - 1
  const dictionary = { kind: 'bytes', offsets: text.offsets, bytes: text.bytes } as const
  let lacking = 0
  for (let place = 0; place < series; place++) if (!isValid(text.valid, place)) lacking++
  if (lacking === 0) return { kind: 'dictionary', codes, dictionary }
  const valid = bitmap(codes.length, false)
  for (let row = 0; row < codes.length; row++) if (isValid(text.valid, codes[row]!)) valid[row >> 3]! |= 1 << (row & 7)
  return { kind: 'dictionary', codes, dictionary, valid }
}

/** The values of all ranges behind each other; undefined where none has any. */
function join(
  ranges: readonly Range[],
  rows: number,
  dataOf: (part: FilePart) => FixedData | undefined
): FixedData | undefined {
  const parts = ranges.map(range => ({ ...range, data: dataOf(range.part) }))
  const first = parts.find(({ data }) => data !== undefined)?.data
  if (first === undefined) return undefined
  const values = new (first.values.constructor as new (length: number) => FixedData['values'])(rows)
  const valid = parts.some(({ data }) => data?.valid !== undefined || data === undefined)
    ? bitmap(rows, false)
    : undefined
  let at = 0
  for (const { data, start, end } of parts) {
    if (data !== undefined) values.set(data.values.subarray(start, end) as never, at)
    if (valid !== undefined && data !== undefined) {
      for (let row = start; row < end; row++) {
        const to = at + row - start
        if (isValid(data.valid, row)) valid[to >> 3]! |= 1 << (to & 7)
      }
    }
    at += end - start
  }
  return { kind: 'fixed', values, ...(valid && { valid }) }
}
