// Rows of samples in memory as queries see them: their bounds, and where the rows of each series are.
import type { ColumnData, FixedData } from '../../../model/batch.ts'
import type { TableColumn } from '../../../model/table.ts'
import type { MemtableRows, SampleBounds } from '../memory/memtable.ts'
import { sortLimits } from '../memory/sort-by-series.ts'
import { lowerBound } from './lower-bound.ts'
import type { WantedSeries } from './wanted-series.ts'

/** Rows with series numbers. */
export type SampleRows = MemtableRows & { readonly tsids: Uint32Array }

/** A column by its id, as rows have it. */
export type SampleColumn = Pick<TableColumn, 'id' | 'type'>

export interface SampleQuery {
  readonly wanted: WantedSeries
  readonly time: SampleColumn
  readonly values: readonly SampleColumn[]
  /** Both inclusive, in the time index's unit. */
  readonly from: number
  readonly to: number
}

/** A run of rows of one series: its index among the wanted series, the first row, and the end. */
type VisitRun = (index: number, start: number, end: number) => void

/** A binary search costs about as much as visiting this many rows. */
const searchCost = 16

/**
 * Whether some rows may be wanted. Large unsorted writes are always visited, because computing their bounds would visit all rows, too.
 * `memory` allocates the first rows of series.
 */
export function mayHold(
  rows: SampleRows,
  { wanted, time, from, to }: SampleQuery,
  memory?: typeof ArrayBuffer | typeof SharedArrayBuffer
): boolean {
  if (rows.bounds === undefined && !rows.isSorted && rows.rows > sortLimits.minRows) return true
  rows.bounds ??= boundsOf(rows, time, memory)
  const { bounds } = rows
  return bounds.to >= from && bounds.from <= to && wanted.any(bounds.first, bounds.last)
}

/** Calls `visit` for all rows of wanted series in the time range; for parts that `mayHold` accepts. */
export function visitRuns(rows: SampleRows, query: SampleQuery, visit: VisitRun): void {
  if (rows.bounds?.ascending) visitSorted(rows, rows.bounds, query, visit)
  else visitAll(rows, query, visit)
}

function visitSorted(
  rows: SampleRows,
  { first, last, starts }: SampleBounds,
  query: SampleQuery,
  visit: VisitRun
): void {
  const { wanted } = query
  const [begin, end] = [wanted.before(first), wanted.before(last + 1)]
  if (starts === undefined && (end - begin) * searchCost > rows.rows) {
    visitAll(rows, query, visit)
    return
  }
  const { tsids } = rows
  let after = 0
  for (let index = begin; index < end; index++) {
    const tsid = wanted.tsids[index]!
    const start = starts === undefined ? lowerBound(tsids, tsid, after, rows.rows) : starts[tsid - first]!
    after = starts === undefined ? lowerBound(tsids, tsid + 1, start, rows.rows) : starts[tsid - first + 1]!
    if (start < after) visitSeries(rows, query, index, start, after, visit)
  }
}

/** The rows of one series in the time range. */
function visitSeries(
  { bounds, columns }: SampleRows,
  { time, from, to }: SampleQuery,
  index: number,
  start: number,
  end: number,
  visit: VisitRun
): void {
  const ticks = ticksOf(columns, time)
  if (!bounds!.distinct) {
    for (let row = start; row < end; row++) {
      const at = timeAt(ticks, row)
      if (at >= from && at <= to) visit(index, row, row + 1)
    }
    return
  }
  const low = timeAt(ticks, start) >= from ? start : rowsBefore(ticks, from, start, end, false)
  const high = timeAt(ticks, end - 1) <= to ? end : rowsBefore(ticks, to, low, end, true)
  if (low < high) visit(index, low, high)
}

function visitAll({ rows, tsids, columns }: SampleRows, { wanted, time, from, to }: SampleQuery, visit: VisitRun) {
  const ticks = ticksOf(columns, time)
  let [index, start] = [-1, 0]
  for (let row = 0; row < rows; row++) {
    let own = wanted.index(tsids[row]!)
    if (own >= 0) {
      const at = timeAt(ticks, row)
      if (at < from || at > to) own = -1
    }
    if (own === index) continue
    if (index >= 0) visit(index, start, row)
    index = own
    start = row
  }
  if (index >= 0) visit(index, start, rows)
}

/** Computes the bounds; `memory` allocates the first rows of series. */
export function boundsOf(
  { rows, tsids, columns }: SampleRows,
  time: SampleColumn,
  memory: typeof ArrayBuffer | typeof SharedArrayBuffer = ArrayBuffer
): SampleBounds {
  const ticks = ticksOf(columns, time)
  let [first, last] = [Number.POSITIVE_INFINITY, 0]
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let [ascending, distinct] = [true, true]
  let before = -1
  let earlier = Number.NEGATIVE_INFINITY
  for (let row = 0; row < rows; row++) {
    const series = tsids[row]!
    const at = timeAt(ticks, row)
    if (series < before) ascending = false
    else if (series === before && at <= earlier) distinct = false
    before = series
    earlier = at
    if (series < first) first = series
    if (series > last) last = series
    if (at < from) from = at
    if (at > to) to = at
  }
  const isDense = ascending && last - first < rows
  return {
    first,
    last,
    from,
    to,
    ascending,
    distinct,
    ...(isDense && { starts: startsOf(tsids, first, last, memory) })
  }
}

function startsOf(
  tsids: Uint32Array,
  first: number,
  last: number,
  memory: typeof ArrayBuffer | typeof SharedArrayBuffer
): Uint32Array {
  const starts = new Uint32Array(new memory(4 * (last - first + 2)))
  for (let row = 0; row < tsids.length; row++) starts[tsids[row]! - first + 1]!++
  for (let i = 1; i < starts.length; i++) starts[i]! += starts[i - 1]!
  return starts
}

/** In rows with ascending times: the end of those before a time, or with `through` of those up to it. */
function rowsBefore(ticks: Ticks, time: number, low: number, high: number, through: boolean): number {
  while (low < high) {
    const middle = (low + high) >> 1
    const at = timeAt(ticks, middle)
    if (at < time || (through && at === time)) low = middle + 1
    else high = middle
  }
  return low
}

/** Times as floats, or as the words of 64-bit integers. */
export type Ticks = Float64Array | Int32Array

export function ticksOf(columns: ReadonlyMap<number, ColumnData>, { id }: SampleColumn): Ticks {
  const { values } = columns.get(id) as FixedData
  return values instanceof Float64Array ? values : wordsOf({ values })
}

/** The 32-bit words of 64-bit numbers. */
function wordsOf({ values }: Pick<FixedData, 'values'>): Int32Array {
  return new Int32Array(values.buffer, values.byteOffset, values.length * 2)
}

/** Combines the two words, low one first; a BigInt64Array would make a bigint per row. */
export function timeAt(ticks: Ticks, row: number): number {
  if (ticks instanceof Float64Array) return ticks[row]!
  return ticks[2 * row + 1]! * 2 ** 32 + (ticks[2 * row]! >>> 0)
}

/** Copies the times of some rows. */
export function copyTimes(ticks: Ticks, start: number, end: number, to: Float64Array, at: number): void {
  if (ticks instanceof Float64Array) to.set(ticks.subarray(start, end), at)
  else for (let row = start, i = at; row < end; row++) to[i++] = ticks[2 * row + 1]! * 2 ** 32 + (ticks[2 * row]! >>> 0)
}
